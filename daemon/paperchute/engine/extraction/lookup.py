"""Where the value of a label stands: behind it, right of it, or below it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from paperchute.engine.extraction.measures import BOUNDS, LENGTHS, PLACES
from paperchute.engine.extraction.printed import Piece, Row, Sheet
from paperchute.engine.extraction.vocabulary import Label


@dataclass(frozen=True, slots=True)
class LookupSettings:
    """How far a value stands from its label. Distances are shares of the font size. Chosen by eye."""

    below: float = 2.6
    """From the bottom of a label to the top of a value below it: an empty line and a little."""

    over: float = 0.9
    """Of the size of a value: a label in smaller type stands over it, and what is right of it is the next label."""

    fewest_cells: int = 3
    """Cells of a row that stand under those of another, so that both are of a list; two are labels and values."""


LOOKUP = LookupSettings()

COLUMNS = ("description", "quantity", "unit", "price", "amount", "rate", "position", "code")


class Named(NamedTuple):
    """A label and where it stands."""

    label: Label
    piece: Piece
    sheet: Sheet


class Place(NamedTuple):
    """A part of a piece's text where a value may stand."""

    piece: Piece
    start: int
    end: int


def named(sheets: Iterable[Sheet], *roles: str) -> Iterator[Named]:
    """The labels that have one of the roles, outside of the heads of tables, in reading order."""
    return islice(_named(sheets, roles), BOUNDS.places)


def _named(sheets: Iterable[Sheet], roles: Sequence[str]) -> Iterator[Named]:
    for sheet in sheets:
        for row in sheet.rows:
            if is_head(row):
                continue
            for piece in row.pieces:
                for label in piece.labels:
                    if label.means(*roles):
                        yield Named(label, piece, sheet)


def is_head(row: Row) -> bool:
    """Tell if a row is the head of a table of items: it names what the items are, with two more of their columns."""
    found: set[str] = set()
    columns = 0
    for piece in row.pieces:
        if any(character.isdecimal() for character in piece.text):
            return False
        roles = {role for label in piece.labels for role in COLUMNS if label.means(role)}
        columns += sum(any(label.means(role) for role in COLUMNS) for label in piece.labels)
        found |= roles
    return ("description" in found and bool(found & {"amount", "price"}) and len(row.pieces) > 2) or (
        {"description", "quantity"} <= found and columns >= 2 and len(row.pieces) >= 2
    )


def is_list_head(row: Row) -> bool:
    """Decide whether a row may be the head of a list of documents: `Rechnung   Datum   Fällig am   Betrag`."""
    is_priced = any(piece.begins_as("amount") for piece in row.pieces)
    return is_priced and len(row.pieces) >= LOOKUP.fewest_cells and not any(map(str.isdecimal, row.whole.text))


def is_set_apart(at: Named) -> bool:
    """Decide whether a label begins its piece, or follows the value of another: in a sentence it follows words."""
    before = at.piece.tokens[at.label.first - 1].text if at.label.first else ""
    return not before or any(map(str.isdecimal, before)) or before.endswith((":", "：", "|", ",", ";", "·", "-"))


def is_followed(piece: Piece, end: int) -> bool:
    """Decide whether the text behind a value goes on as a sentence does."""
    labels = [piece.tokens[label.first].start for label in piece.labels]
    stop = min((start for start in labels if start >= end), default=len(piece.text))
    return sum(any(map(str.isalpha, word)) for word in piece.text[end:stop].split()) > 2


def right_of(piece: Piece, sheet: Sheet) -> Piece | None:
    """The next piece of its row."""
    pieces = sheet.rows[piece.row].pieces
    return next(iter(pieces[pieces.index(piece) + 1 :]), None)


def value_under(piece: Piece, sheet: Sheet) -> Piece | None:
    """The value of a label in small type that begins right below it, as in the boxes of invoices and passes."""
    lower = next(under(piece, sheet), None)
    if lower is None or lower.row != piece.row + 1 or abs(lower.box.left - piece.box.left) > PLACES.same_edge:
        return None
    return lower if piece.size < LOOKUP.over * lower.size else None


def label_over(piece: Piece, sheet: Sheet) -> Piece | None:
    """The label in small type that a piece stands under."""
    above = sheet.rows[piece.row - 1].pieces if piece.row else ()
    return next((label for label in above if value_under(label, sheet) is piece), None)


def is_listed(piece: Piece, sheet: Sheet) -> bool:
    """Decide whether a piece is a cell of a list: what a row of it says is said of that row, and not of the document.

    In its column more of its kind stand, with figures or without; addresses side by side have a street there.
    """
    own = sheet.rows[piece.row]
    around = (sheet.rows[number] for number in (piece.row - 1, piece.row + 1) if 0 <= number < len(sheet.rows))
    return any(_is_alike(piece, other) and _aligned(own, other) >= LOOKUP.fewest_cells for other in around)


def _is_alike(piece: Piece, row: Row) -> bool:
    """Decide whether a row that is no head has a cell in the column of a piece, with figures as it or without."""
    columns = [[edge] for edge in _edges(piece)]
    cell = next((cell for cell in row.pieces if any(map(_is_among, _edges(cell), columns))), None)
    figures = [any(map(str.isdecimal, one.text)) for one in (piece, cell) if one is not None]
    return len(figures) > 1 and figures[0] == figures[1] and not _is_labels(row)


def _is_labels(row: Row) -> bool:
    """Decide whether a row is the head of others: labels alone, and no figure."""
    return not any(map(str.isdecimal, row.whole.text)) and any(p.first is not None for p in row.pieces)


def _aligned(row: Row, other: Row) -> int:
    """Return how many cells of a row stand under or over one of another."""
    columns = [sorted(edges) for edges in zip(*map(_edges, other.pieces), strict=True)]
    return sum(any(map(_is_among, _edges(cell), columns)) for cell in row.pieces)


def _edges(cell: Piece) -> tuple[float, float, float]:
    return cell.box.left, cell.box.center[0], cell.box.right


def _is_among(edge: float, edges: Sequence[float]) -> bool:
    place = bisect_left(edges, edge - PLACES.same_edge)
    return place < len(edges) and edges[place] <= edge + PLACES.same_edge


def has_colon_apart(piece: Piece, sheet: Sheet) -> bool:
    """Decide whether the colon behind a piece stands with the value: `Bestellung      : B123`."""
    right = right_of(piece, sheet)
    return right is not None and right.text.startswith((":", "："))


def beside(at: Named) -> Iterator[Place]:
    """The text behind a label up to the next one, then the pieces right of it up to one that begins with a label."""
    piece = at.piece
    start, end = piece.after(at.label), len(piece.text)
    following = [label for label in piece.labels if label.first >= at.label.after and not _is_word(piece, label)]
    if following:
        end = piece.tokens[following[0].first].start
    if piece.text[start:end].strip(" :：.#"):
        yield Place(piece, start, end)
    if following:
        return
    if value_under(piece, at.sheet) is not None:
        return
    pieces = at.sheet.rows[piece.row].pieces
    for other in pieces[pieces.index(piece) + 1 :]:
        if other.first is not None:
            return
        yield Place(other, 0, len(other.text))


def _is_word(piece: Piece, label: Label) -> bool:
    """Decide whether what names a party is the word of a sentence or date: `17 de marzo`, and not `De: Ana`."""
    last = piece.tokens[label.after - 1]
    short = label.after - label.first == 1 and len(last.key) <= LENGTHS.letters
    return short and label.means("sender", "recipient") and not last.text.endswith((":", "："))


def below(at: Named) -> Iterator[Place]:
    """The nearest piece below a label behind which nothing stands."""
    if at.piece.is_named(at.label):
        for piece in under(at.piece, at.sheet):
            if piece.first is None or not piece.is_named(piece.labels[-1]):
                yield Place(piece, 0, len(piece.text))
            return


def under(piece: Piece, sheet: Sheet) -> Iterator[Piece]:
    """The pieces that stand under one, with no more than an empty line between them, from top to bottom."""
    box, size = piece.box, piece.size
    following: Sequence[Row] = sheet.rows[piece.row + 1 :]
    missed = 0
    for row in following:
        if row.whole.box.top - box.bottom > LOOKUP.below * size or missed > PLACES.rows:
            return
        found = next((p for p in row.pieces if min(p.box.right, box.right) > max(p.box.left, box.left)), None)
        if found is None:
            missed += 1
            continue
        missed = 0
        yield found
        box = found.box
        size = max(size, found.size)
