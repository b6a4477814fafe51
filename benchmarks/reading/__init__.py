"""Quality and speed of reading PDFs beside named peers: `python -m benchmarks.reading --help`."""
