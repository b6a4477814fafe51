"""Measures that several ways of finding share: bounds on work, lengths of texts, places on a page, sizes of type."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True, slots=True)
class BoundSettings:
    """Bounds on work, beyond any document that somebody prints: what exceeds them is not looked at."""

    words: int = 20_000
    """Words of a page, and combinations of amounts that are tried."""

    values: int = 4_000
    """Amounts and dates of a document, lines of a page, and pages of a stack that are counted."""

    lines: int = 1_000
    """Lines of a table, and characters of a text that is passed on."""

    places: int = 200
    """Labels of a role, places of a field, pieces of a row, and characters of a word or line."""


@dataclass(frozen=True, slots=True)
class LengthSettings:
    """How long texts of a kind are. Chosen by eye."""

    letters: int = 4
    """Of a short word: a unit, a word of any text that may name a party; of no chance, in a longer one."""

    sentence: int = 4
    """Words from which a text beside a value is a sentence."""

    phrase: int = 6
    """Words of a label, and of a line with a town. 2 of 20 documents change at 5, 2 at 7."""

    line: int = 8
    """Words of a name, of a line of an address, and of a value in a form."""

    name_lines: int = 3
    """Lines of one name."""

    short: int = 48
    """Characters of a line with a town, or with a page's number that a word names: more are a sentence."""


@dataclass(frozen=True, slots=True)
class PlaceSettings:
    """Where things stand on a page and beside each other. Chosen by eye."""

    frame: tuple[float, float] = (0.14, 0.86)
    """Of the height of a page: above and below stand running heads and feet, page numbers, a sender's address."""

    upper: float = 0.5
    """Of the height of a page: the title of a document and the date of a letter stand above it."""

    rows: int = 4
    """Rows between a label and its value: of other columns, or with numbers of a customer before the name."""

    head: int = 12
    """Lines of a part that names the parties: a receipt's head, and what stands below `between` in a contract. Words of
    a title with its number and date."""

    same_edge: float = 3.0
    """Points between the edges or middles of what stands below each other."""

    level: float = 0.5
    """The share of the smaller height that words of one row have in common, and of the size of type by which the edges
    or middles of an address's lines may differ."""

    larger: float = 1.25
    """Times another size: type of a letterhead, or of a heading of a whole document; no line of the same name."""

    alike: float = 1.15
    """Times another size of type: below it the two are one, from there on a title is set apart."""


@dataclass(frozen=True, slots=True)
class RoundingSettings:
    """By how much sums miss each other that are rounded."""

    cent: Decimal = Decimal("0.01")
    """Once, or once at each rate."""

    coin: Decimal = Decimal("0.05")
    """To coins, where there are no smaller ones, or line by line."""


BOUNDS = BoundSettings()
LENGTHS = LengthSettings()
PLACES = PlaceSettings()
ROUNDING = RoundingSettings()
