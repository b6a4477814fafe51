"""Taking what must not be read out of a PDF, and proving that it is gone (docs/redaction.md)."""
