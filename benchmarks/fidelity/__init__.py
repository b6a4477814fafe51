"""A gate: how faithful Word, Excel, Markdown, recognition and extraction are to documents whose sources are known."""
