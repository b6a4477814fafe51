"""The head of a receipt: whose it is, by the first lines with what stands below them.

A roll of paper has no window and no letterhead in larger type: all its lines look alike. So a line is surely the
shop's name only where something else says so: a legal form in it with a number in a register or a town below, or both
of these right below the one line that can be a name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from paperchute.engine.document.geometry import hull
from paperchute.engine.extraction.addresses import blocks_of, is_window
from paperchute.engine.extraction.amounts import amounts_in
from paperchute.engine.extraction.confidence import CERTAINTY, CONFIDENCE
from paperchute.engine.extraction.days import days_in
from paperchute.engine.extraction.findings import Candidate, Found, sure, unsure
from paperchute.engine.extraction.kinds import is_strip
from paperchute.engine.extraction.measures import PLACES
from paperchute.engine.extraction.names import LEGAL, NAMES, POSTCODE, cleaned, has_form, is_name
from paperchute.engine.extraction.printed import Piece, Sheet
from paperchute.engine.extraction.vocabulary import plain
from paperchute.language import N_
from paperchute.notation.check_digits import is_vat_id, vat_id


@dataclass(frozen=True, slots=True)
class HeadSettings:
    """Which lines are a receipt's head. Chosen by eye."""

    widest: float = 32.0
    """Times the usual size: the width of lines on a roll, of 42 letters at most; those of a letter are 40 wide."""

    narrow: float = 0.8
    """Of the height of all its words: their width on a roll."""


HEADS = HeadSettings()

_REGISTERED = re.compile(r"[(\[]?(?:[A-Z]{1,4}[\s:.-]{0,2})?\d{4,12}(?:\s?[-.]?\s?[A-Z])?[)\]]?")
"""A number in a register that stands in a line of its own: `(81109-A)`, `JM0325955-V`."""
_TOWN = re.compile(
    r"(?<!\d)\d{4,5},?\s{1,2}[^\W\d_]{2}|(?<![\w.,])\d{2}-\d{3}\s|(?<!\w)[A-Z]{1,2}\d[A-Z\d]?\s{1,2}\d[A-Z]{2}(?!\w)"
)
"""A postcode with its town anywhere in a line."""
_BEHIND = re.compile(r"\s+[(\[]?\d{5,}[\s.-]{0,2}[A-Z]?[)\]]?(?:\s*\([^()]*\))?$")
"""A number in a register behind a name, with or without brackets: `KING'S CONFECTIONERY S/B 273500-U (GKJ)`."""
_NUMBERS = "number", "other_number", "registration", "date", "other_date"
"""Roles of labels that no name has: `Your order number is`."""
_BEGUN = re.compile(r"[(&+]|CO\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Head:
    """names: the lines that may be one. is_registered, is_town: what stands below the first of them.

    owner: a company in a line below these, who may be the one whose shop it is.
    """

    names: tuple[Piece, ...]
    is_registered: bool
    is_town: bool
    owner: Piece | None


def is_roll(sheet: Sheet) -> bool:
    """Decide whether a page is a roll of paper that shops print on, or a plate of glass on which one was scanned."""
    if is_strip(sheet):
        return True
    if not sheet.rows:
        return False
    box = hull(row.whole.box for row in sheet.rows)
    sizes = sorted(token.size for piece in sheet.pieces() for token in piece.tokens)
    is_narrow = box.width <= HEADS.widest * sizes[len(sizes) // 2] and box.width <= HEADS.narrow * box.height
    return is_narrow and not any(is_window(block, sheet) for block in blocks_of(sheet))  # a letter's, however short


def head_name(sheet: Sheet) -> Found[str]:
    """The name of the shop that a receipt is of; not sure where nothing confirms it or it may have another line."""
    head = _head(sheet)
    if not head.names:
        return Found()
    formed = [number for number, line in enumerate(head.names) if has_form(line.text)]
    if formed:
        first = formed[0]
        lines = [head.names[first]]
        while first and _is_rest(lines[0].text):
            first -= 1
            lines.insert(0, head.names[first])
        own = _joined(lines, CONFIDENCE.titled)
        above = sheet.rows[lines[0].row - 1].whole if lines[0].row else None
        if above is not None and _may_begin(above, lines[0]):
            return unsure([own, _joined([above, *lines], CONFIDENCE.placed)], N_("there are several names"))
        is_confirmed = head.is_registered or head.is_town
    else:
        own = _joined(head.names[:1], CONFIDENCE.placed)
        lines = [*head.names, *([head.owner] if head.owner is not None else [])]
        if len(lines) > 1:
            return unsure([_joined([line], CONFIDENCE.placed) for line in lines], N_("there are several names"))
        is_first = head.is_registered or head.names[0].row == 0
        is_confirmed = is_first and head.is_town and len(own.value.split()) >= 2
    if not is_confirmed:
        return unsure([own], N_("nothing confirms it"))
    if own.confidence < CERTAINTY.letters * CONFIDENCE.placed:
        return unsure([own], N_("it could not be read with certainty"))
    return sure(own)


def _joined(lines: Sequence[Piece], confidence: float) -> Candidate[str]:
    """Lines as one name, without the number in a register behind it."""
    text = " ".join(line.text for line in lines)
    certain = min(line.certainty() for line in lines)
    return Candidate(_without_number(text), confidence * certain, tuple(line.evidence() for line in lines))


def _without_number(text: str) -> str:
    return cleaned(_BEHIND.sub("", text.strip()))


def _may_begin(upper: Piece, lower: Piece) -> bool:
    """Decide whether a line above that of a company may be the beginning of its name, as `AMPANG 210`.

    What its name has too is a mark, and so is what is set in another type.
    """
    text = upper.text
    if (
        sum(map(str.isalpha, text)) < NAMES.shortest
        or any(sign in text for sign in ":@")
        or plain(text) in plain(lower.text)
    ):
        return False
    if max(upper.size, lower.size) > PLACES.larger * min(upper.size, lower.size):
        return False
    return not any(label.phrase.kinds for label in upper.labels)


def _is_rest(text: str) -> bool:
    """Decide whether a line is surely the rest of a name: a legal form alone, what a bracket begins or ends."""
    text = " ".join(text.split())
    return LEGAL.fullmatch(text) is not None or _BEGUN.match(text) is not None or text.count(")") > text.count("(")


def _head(sheet: Sheet) -> _Head:
    """The lines at the top that may be names, up to the first that tells where the shop is, and what follows."""
    names: list[Piece] = []
    is_open, is_registered, is_town = True, False, False
    owner: Piece | None = None
    for number, row in enumerate(islice(sheet.rows, PLACES.head)):
        line = row.whole
        if is_open and number < PLACES.head // 2 and _may_be_name(line):
            names.append(line)
            is_registered |= _BEHIND.search(line.text.strip()) is not None or cleaned(line.text) != _spaced(line.text)
            continue
        if not names:
            continue
        if _is_goods(line):
            break
        is_open = is_open and not _is_detail(line)
        is_registered = is_registered or _registers(line)
        is_town = is_town or any(one.search(line.text) for one in (_TOWN, POSTCODE))
        owner = owner or (line if has_form(line.text) else None)
    return _Head(tuple(names), is_registered, is_town, owner)


def _spaced(text: str) -> str:
    return " ".join(text.split()).strip(" ,;:：·•|")


def _may_be_name(line: Piece) -> bool:
    """Decide whether a line may be a name or a part of one: no title, no street, no label."""
    text = line.text.strip()
    bare = _without_number(text)
    if any(label.phrase.kinds for label in line.labels) or ":" in bare or list(days_in(line)):
        return False
    if has_form(bare):
        return is_name(bare) or _is_rest(bare)
    if any(label.means(*_NUMBERS) for label in line.labels):
        return False
    return is_name(bare) and not any(map(str.isdecimal, bare)) and not text.endswith(",")


def _is_detail(line: Piece) -> bool:
    """Decide whether a line tells of the shop: a figure stands in it, as in streets and numbers."""
    return any(map(str.isdecimal, line.text)) and not list(days_in(line))


def _is_goods(line: Piece) -> bool:
    """Decide whether a line is of what was bought."""
    return any(amount.is_money for amount in amounts_in(line))


def _registers(line: Piece) -> bool:
    """Decide whether a line gives the shop's number in a register or its VAT id."""
    text = line.text.strip()
    if _REGISTERED.fullmatch(text) and (text[0] in "([" or any(map(str.isalpha, text))):
        return True
    for label in line.labels:
        if label.means("registration") and re.search(r"\d{4}", line.text[line.after(label) :]):
            return True
    return any(is_vat_id(vat_id(word)) for word in _words(text))


def _words(text: str) -> Iterator[str]:
    yield from text.split()
