"""Writers: the document model in, files out."""
