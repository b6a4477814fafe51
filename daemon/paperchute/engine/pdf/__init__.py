"""PDF pages as they are: opened, joined, locked. What is written on them is read elsewhere."""
