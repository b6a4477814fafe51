"""Blocks of lines that are addresses: in the window of an envelope, at the top of a page, or anywhere."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from paperchute.engine.extraction.amounts import amounts_in
from paperchute.engine.extraction.days import days_in
from paperchute.engine.extraction.findings import Candidate
from paperchute.engine.extraction.lookup import LOOKUP, is_head, is_listed, under
from paperchute.engine.extraction.measures import LENGTHS, PLACES
from paperchute.engine.extraction.names import PARTED, POSTCODE, TITLES, is_name, is_town, names_of
from paperchute.engine.extraction.printed import Piece, Sheet
from paperchute.engine.extraction.vocabulary import plain


@dataclass(frozen=True, slots=True)
class AddressSettings:
    """Where addresses stand and which lines make one. ISO 269 and DIN 5008 place the window of envelopes.

    Chosen by eye where nothing else is said.
    """

    top: float = 0.2
    """Of the height of the page: the letterhead ends here."""

    window: tuple[float, float] = (0.1, 0.4)
    """Of it, from top to bottom: where the lines of the address lie that shows in a window."""

    lines: tuple[int, int] = (3, 7)
    """Fewest and most lines of an address with a name."""


ADDRESSES = AddressSettings()

_ROLES = ("sender", "recipient", "account_holder", "other_party")


@dataclass(frozen=True, slots=True)
class Address:
    """A block of lines that may be an address."""

    lines: tuple[Piece, ...]

    def names(self, confidence: float) -> list[Candidate[str]]:
        """Its name, from the first line or the one after `Herrn`; two where it is not sure how many lines it takes."""
        first = 1 if plain(self.lines[0].text) in TITLES and len(self.lines) > 1 else 0
        return list(names_of(self.lines[first:], confidence))

    def own_keys(self) -> set[str]:
        """Its names as they are compared."""
        return {plain(name.value) for name in self.names(1.0)}


def is_role(piece: Piece) -> bool:
    """Decide whether a line names the part of somebody: `Abweichender Warenempfänger:`, and not `Lieferant GmbH`."""
    last = piece.labels[-1] if piece.labels else None
    return last is not None and last.means(*_ROLES) and piece.is_named(last)


def blocks_of(sheet: Sheet) -> Iterator[Address]:
    """Blocks of short lines, flush on a side or centred, each up to the line with its postcode."""
    seen: set[tuple[int, float]] = set()
    for row in sheet.rows:
        for piece in row.pieces:
            if (piece.row, piece.box.left) in seen or is_head(row) or is_return(piece):
                continue
            lines = flush_lines(piece, sheet)
            seen.update((line.row, line.box.left) for line in lines)
            yield Address(tuple(lines))


def flush_lines(piece: Piece, sheet: Sheet) -> list[Piece]:
    """A line and those of its block below it, up to the one with a postcode."""
    lines = [piece]
    for lower in under(piece, sheet):
        done = is_town(lines[-1].text) or len(lines) == ADDRESSES.lines[1]
        if done or not is_flush(lower, lines[-1]):
            break
        lines.append(lower)
    return lines


def is_flush(lower: Piece, upper: Piece) -> bool:
    """Decide whether a line goes on with the block of the one above it."""
    one, other = lower.box, upper.box
    aside = min(abs(one.left - other.left), abs(one.right - other.right), abs(one.center[0] - other.center[0]))
    return aside <= PLACES.level * upper.size and one.top - other.bottom <= upper.size


def is_return(piece: Piece) -> bool:
    """Decide whether a line holds a whole address: `Muster GmbH · Hauptstr. 1 · 12345 Berlin`."""
    return len(PARTED.split(piece.text)) > 2 and bool(POSTCODE.search(piece.text))


def is_address(block: Address) -> bool:
    """Tell if a block is an address with a name: short lines, the last with a postcode, and nothing else in them."""
    fewest, most = ADDRESSES.lines
    lines = block.lines
    if (
        is_role(lines[0])
        or not fewest <= len(lines) <= most
        or not is_town(lines[-1].text)
        or lines[0].size < LOOKUP.over * lines[1].size  # a label whose words nobody knows: `Payable by`
        or not is_name(block.names(1.0)[0].value)
    ):
        return False
    if any(len(line.tokens) > LENGTHS.line or ":" in line.text or list(days_in(line)) for line in lines):
        return False
    return not any(amount.is_money for line in lines for amount in amounts_in(line))


def is_window(block: Address, sheet: Sheet, on_right: bool = False) -> bool:
    """Tell if a block is an address where the window of an envelope shows it: at its height, mostly on the left."""
    top, bottom = ADDRESSES.window
    lines = block.lines
    level = top * sheet.height <= lines[0].box.top <= bottom * sheet.height
    if len(sheet.rows[lines[0].row].pieces) > LOOKUP.fewest_cells and is_listed(lines[0], sheet):
        return False
    return level and (lines[0].box.left >= sheet.width / 2) == on_right and is_address(block)


def is_head_address(block: Address, sheet: Sheet) -> bool:
    """Decide whether a block is an address at the top of the page."""
    return block.lines[-1].box.bottom < ADDRESSES.top * sheet.height and is_address(block)


def is_in_address(piece: Piece, sheet: Sheet) -> bool:
    """Decide whether a piece is a line of a block that ends with a town."""
    first = max(piece.row - ADDRESSES.lines[1], 0)
    above = (other for row in sheet.rows[first : piece.row + 1] for other in row.pieces)
    return any(piece in lines and is_town(lines[-1].text) for lines in (flush_lines(one, sheet) for one in above))
