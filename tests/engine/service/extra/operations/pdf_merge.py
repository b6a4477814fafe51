"""See acting; with a rule between parameters."""

from acting import run

from paperchute.engine.work import Refused, Work

__all__ = ["check", "run"]


def check(work: Work) -> None:
    """As many page ranges as files."""
    given = work.texts("filePageRanges")
    if given and len(given) != len(work.sources):
        raise Refused("03000", f"filePageRanges has {len(given)} entries for {len(work.sources)} files")
