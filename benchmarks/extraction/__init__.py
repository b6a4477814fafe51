"""What is found in business documents without being told: generated documents with their truth, and a scorer."""
