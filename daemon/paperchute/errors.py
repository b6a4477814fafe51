"""The root of all errors a person may see."""

from __future__ import annotations

_WIDE_ENDS = ("。", "！", "？")
"""Ends of sentences that bring their own space along."""


class PaperchuteError(Exception):
    """An error made for people: `what` happened (to which file), and `advice`: what to do next.

    Both are whole sentences without secrets. `str()` gives them joined.
    """

    def __init__(self, what: str, advice: str = "") -> None:
        super().__init__(what, advice)
        self.what = what
        self.advice = advice

    def __str__(self) -> str:
        apart = "" if self.what.endswith(_WIDE_ENDS) else " "
        return f"{self.what}{apart}{self.advice}".strip()


class JournalDamagedError(PaperchuteError):
    """The journal broke while in use. A new `Daemon` on the same state folder sets it aside and goes on."""
