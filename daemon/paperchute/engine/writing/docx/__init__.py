"""The Word writer: python-docx holds the package, this room its content."""
