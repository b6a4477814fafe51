"""What the cells of a table's column are: its numbers are all numbers, or all text, so that no sum leaves some out.

`3.597` is 3597 or 3.597; which of them, one cell seldom says. The column does: by a cell that leaves no doubt, by
numbers without a mark beside numbers with three digits behind theirs, or by a total that is the sum under one reading
only. Else the rest of the document and its language do. Where these disagree, or say nothing, the column stays text.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from paperchute.engine.writing.cell_values import Numeral, Typed, Writing, numeral, orders_of, typed
from paperchute.notation.numbers import COMMA, MARKS, POINT

_FOOTNOTE = re.compile(r"(?P<text>.*\d[%€$]?\)?)\s?(?P<mark>[*†‡§]{1,3}|\((?:\d|[a-z])\))", re.DOTALL)
_TEN = "10"  # under a raised number it is a power, such as 10³
_LONGEST_BARE = 3  # digits without a group mark, where others mark their groups
_SEVERAL = 3
_LEAST_SUMMED = 2


@dataclass(frozen=True, slots=True)
class Entry:
    """A cell's text. mark: of a footnote, raised behind it."""

    text: str
    mark: str = ""


@dataclass(frozen=True, slots=True)
class Values:
    """What the cells are, in their order, None for text. problem: why numbers or dates among them stay text."""

    cells: tuple[Typed | None, ...]
    problem: str = ""


def values_of(entries: Sequence[Entry], around: Writing, identifier: bool = False) -> Values:
    """What the cells of a column are. around: how the table and the document write. identifier: of account numbers."""
    has_plain = any(numeral(entry.text) and not entry.mark for entry in entries)
    entries = [_parted(entry, has_plain) for entry in entries]
    numbers = [number for entry in entries if (number := numeral(entry.text)) is not None]
    mark, problem = (None, "") if identifier else _mark(numbers, around)
    day_first, date_problem = _order(entries, around)
    writing = Writing(None if mark is None else mark == COMMA, day_first)
    found = [_typed(entry, writing, identifier) for entry in entries]
    for kind in _unkept(entries, found, numbers if problem else ()):
        found = [None if kind(entry.text) else value for entry, value in zip(entries, found, strict=True)]
    if date_problem:
        found = [None if orders_of(entry.text) else value for entry, value in zip(entries, found, strict=True)]
    return Values(tuple(found), problem or date_problem)


def _unkept(
    entries: Sequence[Entry], found: Sequence[Typed | None], unclear: Sequence[Numeral]
) -> Iterator[Callable[[str], object]]:
    """Which cells become text with those that have to. 0042 is a name, and so is 1234 beside it."""
    kept_out = [n for e, value in zip(entries, found, strict=True) if value is None and (n := numeral(e.text))]
    if unclear or not all(number.is_bare for number in kept_out):
        yield numeral
    elif kept_out:
        yield lambda text: (number := numeral(text)) and number.is_bare


def _mark(numbers: Sequence[Numeral], around: Writing) -> tuple[str | None, str]:
    """The decimal mark of a column, None where none matters, and why it cannot be told."""
    proven = {next(iter(number.parts)) for number in numbers if len(number.parts) == 1}
    if len(proven) > 1:
        return None, "some of its numbers have a decimal point and some a decimal comma"
    if proven:
        return proven.pop(), ""
    if not any(number.is_open for number in numbers):
        return None, ""
    said = {mark for mark in (_beside_bare(numbers), _by_total(numbers)) if mark}
    if around.comma is not None:
        said.add(COMMA if around.comma else POINT)
    if len(said) == 1:
        return said.pop(), ""
    one = next(number for number in numbers if number.is_open)
    meanings = " or ".join(f"{one.value(mark):.15g}" for mark in MARKS if mark in one.parts)
    return None, f"its numbers can be read in two ways ({one.match.string.strip()} as {meanings})"


def _beside_bare(numbers: Sequence[Numeral]) -> str:
    """Numbers up to 999 without a mark can say that the marks of the others part groups: 732 beside 4.330.

    Who drops zeros at the end of decimals writes no 4.330, and who keeps them no 732. Where no zero ends a number, it
    takes several of both kinds: of numbers with three decimals, one in a thousand is whole.
    """
    marked = {number.match["digits"] for number in numbers if number.is_open}
    bare = {digits for number in numbers if number.is_bare and (digits := number.match["digits"]).strip("0")}
    if not bare or any(len(digits) > _LONGEST_BARE for digits in bare):
        return ""
    if min(len(bare), len(marked)) < _SEVERAL and not any(digits.endswith("0") for digits in marked):
        return ""
    separators = {mark for digits in marked for mark in MARKS if mark in digits}
    return ({POINT, COMMA} - separators).pop() if len(separators) == 1 else ""


def _by_total(numbers: Sequence[Numeral]) -> str:
    """The mark under which alone a number is the sum of all before it."""
    marks = [mark for mark in MARKS if all(mark in number.parts for number in numbers)]
    fitting = [mark for mark in marks if _has_total([number.value(mark) for number in numbers])]
    return fitting[0] if len(fitting) == 1 else ""


def _has_total(values: Sequence[float]) -> bool:
    total = 0.0
    for place, value in enumerate(values):
        if place >= _LEAST_SUMMED and value and math.isclose(total, value, rel_tol=1e-12):
            return True
        total += value
    return False


def _parted(entry: Entry, has_plain: bool) -> Entry:
    """The cell without the mark of a footnote, which shows again as part of the number's format. Raised digits are one
    beside other numbers only, and not behind a ten: else they may be a power."""
    if entry.mark:
        is_note = has_plain and entry.text.strip() != _TEN and numeral(entry.text)
        return entry if is_note else Entry(f"{entry.text}^{entry.mark}")
    match = _FOOTNOTE.fullmatch(entry.text)
    return Entry(match["text"], match["mark"]) if match and numeral(match["text"]) else entry


def _typed(entry: Entry, writing: Writing, identifier: bool) -> Typed | None:
    value = typed(entry.text, writing, identifier)
    if value is None or not entry.mark:
        return value
    literal = '"' + entry.mark.replace('"', "") + '"'
    return Typed(value.value, ";".join(part + literal for part in value.format.split(";")))


def _order(entries: Sequence[Entry], around: Writing) -> tuple[bool | None, str]:
    """Whether the day comes first in a column's dates, None where it does not matter, and why it cannot be told."""
    found = [(entry.text, orders) for entry in entries if (orders := orders_of(entry.text)) and "." not in entry.text]
    proven = {next(iter(orders)) for _, orders in found if len(orders) == 1}
    if len(proven) > 1:
        return None, "some of its dates have the day first and some the month"
    day_first = proven.pop() if proven else around.day_first
    first = next((text for text, orders in found if len(orders) > 1), "")
    if day_first is None and first:
        return None, f"its dates can be read in two ways ({first})"
    return day_first, ""
