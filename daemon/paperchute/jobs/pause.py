"""The journal's setting `paused`: no new jobs start, until somebody says so or until a time."""

from __future__ import annotations

SETTING = "paused"
_WITHOUT_END = "1"


def text_of(until: float) -> str:
    """Return what the setting says of a pause until that Unix time; 0 = until somebody ends it."""
    return repr(until) if until else _WITHOUT_END


def end_of(setting: str | None) -> float:
    """The Unix time at which the pause ends; 0 where there is none, or where somebody has to end it."""
    try:
        return float(setting) if setting not in (None, _WITHOUT_END) else 0.0
    except ValueError:
        return 0.0


def is_paused(setting: str | None, now: float) -> bool:
    """Decide whether work rests at that Unix time."""
    return setting is not None and not 0 < end_of(setting) <= now
