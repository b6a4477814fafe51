"""Putting recognised text into PDF pages: invisible over the ink, or visible in its place."""
