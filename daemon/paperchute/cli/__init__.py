"""The front door: `paperchute` and its verbs. Each file holds the verbs of one purpose."""

from paperchute.cli.front import main

__all__ = ["main"]
