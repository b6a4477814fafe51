"""Tasks: kept, queued, worked on in processes of their own, and their results kept until they are fetched."""
