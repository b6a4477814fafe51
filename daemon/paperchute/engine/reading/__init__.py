"""Readers: files in, the document model out."""
