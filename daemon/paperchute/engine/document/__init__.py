"""The one document model between readers and writers."""
