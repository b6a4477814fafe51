"""The HTTP side of the engine: what comes in and what goes out."""
