"""Documents with known contents, set and printed in many layouts, to measure reading with."""
