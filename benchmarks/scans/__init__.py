"""How well, how fast and in how much memory scans are read, beside other programs."""
