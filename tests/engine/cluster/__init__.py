"""Several engines as one service."""
