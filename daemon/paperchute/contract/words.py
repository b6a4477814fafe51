"""What became of the words of a document that was read: a record's own key `words`, beside `warnings`."""

from __future__ import annotations

from collections.abc import Mapping

from paperchute.language import N_, _

LEFT_OUT = (
    *("running_head", "table_head", "page_number", "in_picture"),
    *("outside", "unseen", "recognised_anew", "not_asked_for"),
)
"""Why words are not in the result.

running_head, table_head: it stands elsewhere in the result; in_picture: they are seen in a picture of it; outside: of
the page; unseen: on it, but not to be seen, where amounts are looked for; recognised_anew: text recognition read the
place instead; not_asked_for: as all but tables, where only these are.
"""

COUNTS = ("shown", "written", *LEFT_OUT, "unaccounted")
"""The names of the counts. All but the first say what came of `shown`; what became of the last ones nobody knows."""

_MOST = 1_000_000_000


def word_counts(value: object) -> dict[str, int]:
    """The counts that an answer gives: of known names, and no larger than any document; others are not taken."""
    if not isinstance(value, Mapping):
        return {}
    return {
        name: count
        for name in COUNTS
        if isinstance(count := value.get(name), int) and not isinstance(count, bool) and 0 <= count <= _MOST
    }


_TOLD = {
    "shown": N_("words read: {n}"),
    "written": N_("written: {n}"),
    "running_head": N_("in repeated headers and footers: {n}"),
    "table_head": N_("in repeated table headers: {n}"),
    "page_number": N_("in page numbers: {n}"),
    "in_picture": N_("in pictures: {n}"),
    "outside": N_("outside the page: {n}"),
    "unseen": N_("invisible: {n}"),
    "recognised_anew": N_("recognised again: {n}"),
    "not_asked_for": N_("not asked for: {n}"),
    "unaccounted": N_("not placed: {n}"),
}


def told_of_words(counts: Mapping[str, int]) -> str:
    """The counts in a line; empty where there are none."""
    if "shown" not in counts:
        return ""
    named = [name for name in COUNTS if counts.get(name) or name in ("shown", "written")]
    return ", ".join(_(_TOLD[name], n=counts.get(name, 0)) for name in named)
