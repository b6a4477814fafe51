"""Why something that has appeared is not taken yet, as people read it."""

from __future__ import annotations

from collections.abc import Mapping

REASONS: Mapping[str, str] = {
    "open": "a program still writes to it",
    "empty": "it is empty so far",
    "incomplete": "its end is missing so far",
    "companion": "a download into it is going on",
    "settling": "it has just changed",
    "more": "it waits for more files",
    "missing": "it waits for more files, up to its count or end mark",
    "partner": "it waits for what belongs to it",
    "batch": "more may come to its batch",
}
