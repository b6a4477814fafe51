"""HTML to pages, and what may be fetched on the way."""
