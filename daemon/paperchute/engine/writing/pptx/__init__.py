"""PowerPoint presentations (ECMA-376 part 1, 19)."""
