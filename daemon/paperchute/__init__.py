"""Paperchute: hot folders for documents. Drop a file, get the result."""

__version__ = "0.1.0"
