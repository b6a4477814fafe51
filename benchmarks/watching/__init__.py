"""Watching, and the whole path from drop to output, beside named peers in the same run."""
