"""Office files and texts as PDF pages."""
