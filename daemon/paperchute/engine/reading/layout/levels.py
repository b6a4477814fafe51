"""The looks of headings, and the level of each: larger over smaller type, and numbers over all."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Literal, NamedTuple

from paperchute.engine.reading.layout.lines import TextLine
from paperchute.engine.reading.layout.typography import TYPOGRAPHY

_LOWEST = 6
"""The level below which there is none: as HTML and Markdown have it."""

USUAL = "usual"
"""Instead of a number: a title such as `References`, which stands as high as the first numbered headings."""


class Face(NamedTuple):
    """What a line looks like: size to half a point, whether all is bold, for regular type also capitals or italics.

    `typeface`: of a font that only headings have, as the survey of the document tells.
    """

    size: float
    bold: bool
    look: Literal["", "small caps", "caps", "italic", "typeface"] = ""


class HeadingClass(NamedTuple):
    """Headings of one look and one kind of number, such as `decimal 2`; empty for none, or USUAL."""

    face: Face
    number: str


def face_of(line: TextLine) -> Face:
    """The face of a line. Small capitals that are faked, in two sizes, count as large as their first letters."""
    if not in_capitals(line):
        return Face(_half(line.size), line.bold, "italic" if line.italic and not line.bold else "")
    sizes = [word.size for word in line.words if not word.script]
    size = max(sizes, default=line.size)
    small = size > min(sizes, default=size) or any(word.font.small_caps for word in line.words)
    return Face(_half(size), line.bold, "" if line.bold else "small caps" if small else "caps")


def in_capitals(line: TextLine) -> bool:
    """Decide whether a line is set in capitals or small capitals."""
    letters = 0
    for word in line.words:
        upper = word.text.upper()
        if word.text != upper and not word.font.small_caps:
            return False
        if upper != word.text.lower():  # a script that has capitals
            letters += len(word.text)
    return letters >= TYPOGRAPHY.few


def heading_levels(classes: Iterable[HeadingClass], title: HeadingClass | None) -> dict[HeadingClass, int]:
    """The level of each class of headings, given in the order in which they first appear.

    Larger before smaller type, at one size bold before capitals before italics before regular; in one face the kind of
    number that comes first is the outermost (`I` over `A` over `1`, or `A` over `I`), and `1.1` is under `1` whatever
    they look like.
    """
    found = list(dict.fromkeys(classes))
    ranks: list[list[HeadingClass]] = [[title]] if title is not None else []
    numbered = [one for one in found if one != title]
    for group in _alike(sorted({one.face for one in numbered}, key=_order)):
        ranks += _ranks([one for one in numbered if one.face in group])
    _put_decimals_in_order(ranks)
    top = next((rank for rank in ranks if any(one.number not in ("", USUAL) for one in rank)), None)
    top = top or next((rank for rank in ranks if title not in rank and any(one.number != USUAL for one in rank)), None)
    if top is not None:
        for rank in [rank for rank in ranks if all(one.number == USUAL for one in rank)]:
            top += rank
            ranks.remove(rank)
    return {one: min(level, _LOWEST) for level, rank in enumerate(ranks, 1) for one in rank}


def _half(size: float) -> float:
    return round(size * 2) / 2


def _order(face: Face) -> tuple[float, bool, int]:
    return -face.size, not face.bold, ("small caps", "caps", "typeface", "italic", "").index(face.look)


def _alike(faces: Sequence[Face]) -> list[list[Face]]:
    """Faces, largest first, in groups that differ by no more than the rounding of sizes."""
    groups: list[list[Face]] = []
    for face in faces:
        last = groups[-1][-1] if groups else None
        if last is not None and last.size - face.size <= TYPOGRAPHY.size_step and last[1:] == face[1:]:
            groups[-1].append(face)
        else:
            groups.append([face])
    return groups


def _ranks(classes: Collection[HeadingClass]) -> list[list[HeadingClass]]:
    """Classes of one face, those of one level together: appendices and what has no number with the first number."""
    plain = [one for one in classes if one.number in ("", USUAL) or one.number.startswith("appendix")]
    numbers = dict.fromkeys(one.number for one in classes if one not in plain)
    depths = iter(sorted(number for number in numbers if number.startswith(_DECIMAL)))
    order = [next(depths) if number.startswith(_DECIMAL) else number for number in numbers]
    ranks = [[one for one in classes if one.number == number] for number in order]
    if plain:
        ranks[:1] = [[*(ranks[0] if ranks else []), *plain]]
    return ranks


_DECIMAL = "decimal "


def _put_decimals_in_order(ranks: list[list[HeadingClass]]) -> None:
    """Move each depth of decimal numbers behind the one above it."""
    if not any(one.number.startswith(_DECIMAL) for rank in ranks for one in rank):
        return
    behind = 0
    for depth in range(1, _LOWEST):
        number = f"{_DECIMAL}{depth}"
        place = next((n for n, rank in enumerate(ranks) if any(one.number == number for one in rank)), None)
        if place is None:
            continue
        if depth > 1 and place < behind:
            moved = [one for one in ranks[place] if one.number == number]
            ranks[place] = [one for one in ranks[place] if one.number != number]
            ranks.insert(behind + 1, moved)
            if not ranks[place]:
                del ranks[place]
            place = next(n for n, rank in enumerate(ranks) if moved[0] in rank)
        behind = max(behind, place)
