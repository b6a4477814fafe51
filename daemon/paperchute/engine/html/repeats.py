"""Drawings (SVG 1.1, 5.6) that draw parts of themselves again with `use`: how much that makes of a few hundred bytes.

PlutoBook copies what is drawn again before it lays anything out, and a part that repeats another ten times, which
repeats a third one ten times, and so on, takes all memory.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from html import unescape

from paperchute.engine import report
from paperchute.language import _

_MOST_REPEATED = 40_000
"""Elements that are copied: PlutoBook takes a second and 300 MB for them. Maps have some thousands."""
_USE = re.compile(r"<(/?)use\b", re.IGNORECASE)
_TAG = re.compile(r"""<(/?)([A-Za-z][^\s/>]*)((?:[^>"']++|"[^"]*"|'[^']*')*+)>?""")
_NAME = re.compile(r"""(?<![\w:-])id\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.IGNORECASE)
_TARGET = re.compile(r"""(?<![\w-])href\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.IGNORECASE)


def without_repeats(text: str) -> str:
    """HTML or a drawing; where its `use` elements draw more than can be, they draw nothing, and a warning says so."""
    if len(_USE.findall(text)) < 2 or _repeated(text) <= _MOST_REPEATED:
        return text
    report.warn(_("Drawings that repeat their parts more often than can be drawn are shown without the repeats."))
    return _USE.sub(r"<\1g", text)


def _repeated(text: str) -> int:
    """Return how many elements are copied for a document's drawings; no more than the bound and one are counted.

    A part that is drawn again is copied with the copies that stand in it by then, and those are made once more.
    """
    own: Counter[str] = Counter()  # elements within a named one, and not within another in it; of none by ""
    drawn_in: dict[str, list[str]] = defaultdict(
        list
    )  # what is copied with a named one: others within it, those it repeats
    open_ones: list[tuple[str, str]] = []  # element, its name or the nearest one's around it
    for end, tag, attributes in _TAG.findall(text):
        if end:
            _close(tag.lower(), open_ones)
            continue
        around = open_ones[-1][1] if open_ones else ""
        name = _NAME.search(attributes)
        named = _given(name) if name else ""
        if named:
            drawn_in[around].append(named)
        own[named or around] += 1
        if tag.lower() == "use":
            targets = {_given(found) for found in _TARGET.finditer(attributes)}
            drawn_in[named or around] += 2 * sorted(target[1:] for target in targets if target.startswith("#"))
        if not attributes.endswith("/"):
            open_ones.append((tag.lower(), named or around))
    plain = sum(own.values())
    return _total(own, drawn_in, plain + _MOST_REPEATED + 1) - plain


def _close(tag: str, open_ones: list[tuple[str, str]]) -> None:
    """Close the innermost element of that name and what stands open in it; elements of HTML may have no end tags."""
    for place in range(len(open_ones) - 1, -1, -1):
        if open_ones[place][0] == tag:
            del open_ones[place:]
            return


def _total(own: Counter[str], drawn_in: dict[str, list[str]], most: int) -> int:
    """Return how many elements all are together, `most` at most; what repeats itself draws nothing (SVG 1.1, 5.6)."""
    totals: dict[str, int] = {}
    waiting, begun = [("", False)], set()
    while waiting:
        one, is_counted = waiting.pop()
        if is_counted:
            totals[one] = min(own[one] + sum(totals.get(other, 0) for other in drawn_in.get(one, ())), most)
        elif one not in begun:
            begun.add(one)
            waiting.append((one, True))
            waiting += [(other, False) for other in drawn_in.get(one, ())]
    return totals[""]


def _given(found: re.Match[str]) -> str:
    return unescape(found[1] or found[2] or found[3] or "").strip()
