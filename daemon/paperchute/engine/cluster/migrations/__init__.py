"""SQL by number: the schema of the shared database, as it came to be."""
