"""The RTF writer (Rich Text Format Specification 1.9.1)."""
