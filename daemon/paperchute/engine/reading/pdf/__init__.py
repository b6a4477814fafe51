"""The born-digital PDF reader, over pypdfium2 (PDFium; Apache-2.0/BSD-3)."""
