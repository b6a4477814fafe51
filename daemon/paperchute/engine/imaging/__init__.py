"""Pictures as pixels: opening them within bounds, and cleaning them."""
