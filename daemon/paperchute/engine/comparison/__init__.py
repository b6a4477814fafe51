"""What differs between two PDFs: their words and pictures, as marked copies, side by side, and as data."""
