"""Markers of lists that say something, and so are text: `+` and `-`, ✓ and ✗, ■ and □."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from paperchute.engine.document.flow import flowed_text
from paperchute.engine.document.model import ListItem

_PLAIN = frozenset("•◦▪▫‣·⁃∙*-–—o\uf0b7")
"""Bullets that are nothing else, whatever stands beside them."""

_TELLING = frozenset("+−✓✔✗✘□❑❒§")
"""Signs and boxes that say something even where all items have the same."""

_BOXES = frozenset("☐☑☒")
"""Boxes that Markdown and HTML have a form of their own for."""

_DASHES = frozenset("-–—")
_PLUS = frozenset("+−")
_AMOUNT = re.compile(r"[$€£¥]\s?\d|\d[\d.,'’\u00a0\u202f]*(?:\s?[%‰$€£¥]|[.,]\d|\s[A-Z]{3}\b)")


def signs(items: Sequence[ListItem]) -> list[str]:
    """Decide which markers of a list's items are to be read as text.

    Those that tell something by themselves, those that differ from others of the same level, and dashes that are the
    minus of an amount or stand beside a plus.

    Returns:
        The marker of each item where it is text, else an empty string.
    """
    levels: defaultdict[int, set[str]] = defaultdict(set)
    for item in items:
        if not item.ordered:
            levels[item.level].add(item.marker)
    return ["" if item.ordered or not _says(item, levels[item.level]) else item.marker for item in items]


def _says(item: ListItem, beside: set[str]) -> bool:
    if item.marker in _DASHES:
        return bool(beside & _PLUS) or _AMOUNT.match(flowed_text(item.lines)) is not None
    if item.marker in _PLAIN or item.marker in _BOXES:
        return False
    return item.marker in _TELLING or len(beside - _PLAIN) > 1
