"""See acting."""

from acting import run

__all__ = ["run"]
