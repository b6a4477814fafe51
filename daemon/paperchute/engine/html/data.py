"""The data that fills a template: a JSON object, and which of its texts are the cells of a list.

A list in CSV has texts only. They are shown as the list writes them; where a filter takes one for a number or a date,
`notation` says what it can mean, and its `Cell` knows what the column and the list say about that.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from paperchute.engine.work import Refused
from paperchute.language import _
from paperchute.notation.columns import KEY, Column, heard
from paperchute.notation.numbers import figure

_LONGEST_NAME = 200
_SHOWN = 60


class DataError(ValueError):
    """A value of the data cannot be what the template takes it for."""


@dataclass(frozen=True, slots=True)
class Listed:
    """The list that the data is a row of.

    place: of the row, such as "line 7". typed: the list has numbers of its own, as JSON has, so that a text in it may
    be written by a program.
    """

    name: str = ""
    place: str = ""
    typed: bool = False
    columns: dict[str, Column] = field(default_factory=dict)

    def where(self, column: str, place: str = "") -> str:
        """A cell's place for people: list, line and column."""
        return _("{name}, {place}, column {column}", name=self.name, place=place or self.place, column=repr(column))


class Cell(str):
    """A text of a list. It is shown as it is; a template that works with it as with a number is told how to."""

    _listed: Listed
    _column: str

    def __new__(cls, text: str, listed: Listed, column: str) -> Cell:
        """`text` as it stands in the list."""
        cell = super().__new__(cls, text)
        cell._listed, cell._column = listed, column
        return cell

    def __reduce__(self) -> tuple[type[str], tuple[str]]:
        return str, (str(self),)

    def __eq__(self, other: object) -> bool:
        self.not_with(other, texts=False)
        return str.__eq__(self, other) if isinstance(other, str) else False

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = str.__hash__

    def __lt__(self, other: str) -> bool:
        self.not_with(other)
        return str.__lt__(self, other)

    def __le__(self, other: str) -> bool:
        self.not_with(other)
        return str.__le__(self, other)

    def __gt__(self, other: str) -> bool:
        self.not_with(other)
        return str.__gt__(self, other)

    def __ge__(self, other: str) -> bool:
        self.not_with(other)
        return str.__ge__(self, other)

    def __add__(self, other: str) -> str:
        self.not_with(other)
        return str.__add__(self, other)

    def __radd__(self, other: str) -> str:
        self.not_with(other)
        return other.__add__(str(self))

    def __mul__(self, other: Any) -> str:
        self.not_with(other)
        return str.__mul__(self, other)

    __rmul__ = __mul__

    def not_with(self, other: object, texts: bool = True) -> None:
        """As texts, 9 is more than 10, 1 + 1 is 11, and 1 is not 1.0: refused, where the template means numbers.

        texts: whether two texts that are both numbers are refused, too.
        """
        is_number = isinstance(other, int | float) and not isinstance(other, bool)
        if is_number or (texts and isinstance(other, str) and figure(self) and figure(other)):
            name = self._column if self._column.isidentifier() else _("the value")
            raise DataError(
                _(
                    "{where}: the values of a list are texts; to calculate or compare, write {name} | float or "
                    "{name} | int; to join texts, write ~",
                    where=self._listed.where(self._column),
                    name=name,
                )
            )


def read_data(text: str) -> tuple[dict[str, Any], Listed]:
    """The JSON object, its texts as `Cell`s where it is a row of a list. Raises Refused 01006."""
    values = _object(text)
    raw = values.pop(KEY, None)
    if not isinstance(raw, dict):
        return values, Listed()
    columns = raw.get("columns")
    listed = Listed(
        str(raw.get("name", ""))[:_LONGEST_NAME],
        str(raw.get("place", ""))[:_SHOWN],
        raw.get("typed") is True,
        {name: heard(told) for name, told in columns.items()} if isinstance(columns, dict) else {},
    )
    cells = {name: Cell(value, listed, name) if isinstance(value, str) else value for name, value in values.items()}
    return cells, listed


def _object(data: str) -> dict[str, Any]:
    try:
        value = json.loads(data, parse_constant=_no_number)
    except json.JSONDecodeError as error:
        raise Refused(
            "01006",
            _(
                "the data is not JSON: {reason} in line {line}, column {column}",
                reason=error.msg,
                line=error.lineno,
                column=error.colno,
            ),
        ) from None
    except RecursionError:
        raise Refused("01006", _("the data is nested too deeply")) from None
    except ValueError as error:
        raise Refused("01006", _("the data is not JSON: {reason}", reason=error)) from None
    if isinstance(value, list):
        raise Refused("01006", _("the data must be a JSON object; for a list, send one call for each row"))
    if not isinstance(value, dict):
        raise Refused("01006", _("the data must be a JSON object"))
    return value


def _no_number(name: str) -> None:
    raise ValueError(_("{value} is not a number", value=name))
