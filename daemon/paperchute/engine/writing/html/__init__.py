"""The HTML writer."""
