"""Senders that people know: a CSV file that a rule's `senders` names, a line for each, for anybody to read and edit.

What proves who a document is from decides before anything is guessed: a VAT id, an IBAN or a mail domain of one line. A
name decides only where the reading is sure of it. Lines that both fit are told apart by the customer number, or asked.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path, PurePosixPath

from paperchute.contract.operations import nearest
from paperchute.errors import PaperchuteError
from paperchute.language import _
from paperchute.notation.check_digits import is_iban, is_vat_id, vat_id
from paperchute.notation.document_kinds import NAMES
from paperchute.rules.match import plain

COLUMNS = ("name", "words", "customer", "vat", "iban", "domain", "folder", "kind")
_MOST_BYTES = 8 << 20
_REMARK = "#"


@dataclass(frozen=True)
class KnownSender:
    """One line of the list; what it leaves out is empty."""

    name: str
    words: str = ""
    """All of these stand in the name that the document gives itself."""
    customer: str = ""
    """The number under which the sender knows the reader."""
    vat: str = ""
    iban: str = ""
    domain: str = ""
    folder: str = ""
    """Where documents of this sender go, below what `output` has before `{doc.folder}`."""
    kind: str = ""
    """What its documents are, where they do not say so."""


@dataclass(frozen=True)
class Marks:
    """What a document says by which its sender may be proven."""

    vat: Collection[str] = ()
    iban: Collection[str] = ()
    domain: Collection[str] = ()
    labelled: Collection[str] = field(default=())
    """Values behind labels, as `number` makes them; customer numbers are among them."""


class SendersError(PaperchuteError):
    """A list that cannot be read, or has mistakes."""


def number(text: str) -> str:
    """Return a number as it is compared: its letters and digits."""
    return "".join(letter for letter in text.upper() if letter.isalnum())


# ---------- finding ----------


def fitting(senders: Sequence[KnownSender], marks: Marks, sender: str, recipient: str) -> list[KnownSender]:
    """Find the lines that a document may be from: none, one, or several, of which nobody can say which it is.

    sender, recipient: the names that the reading is sure of; else empty. A line that is the recipient's is no sender's.
    """
    others = [one for one in senders if not (recipient and _is_named(one, recipient))]
    proven = [one for one in others if _is_proven(one, marks)]
    named = [one for one in others if sender and _is_named(one, sender)]
    both = [one for one in proven if one in named]
    found = both or list(dict.fromkeys([*proven, *named]))
    if len(found) > 1:
        numbered = [one for one in found if one.customer and number(one.customer) in marks.labelled]
        found = numbered or found
    return found


def _is_proven(one: KnownSender, marks: Marks) -> bool:
    return bool(
        (one.vat and one.vat in marks.vat)
        or (one.iban and one.iban in marks.iban)
        or (one.domain and any(f".{domain}".endswith(f".{one.domain}") for domain in marks.domain))
    )


def _is_named(one: KnownSender, name: str) -> bool:
    said = plain(name)
    words = plain(one.words).split()
    return plain(one.name) == said or bool(words and set(words) <= set(_words(said)))


def _words(text: str) -> list[str]:
    return "".join(letter if letter.isalnum() else " " for letter in text).split()


def folder_of(senders: Sequence[KnownSender], name: str) -> PurePosixPath:
    """Return the folder of a sender, relative: that of its line, else its name."""
    for one in senders:
        if plain(one.name) == plain(name) and one.folder:
            return PurePosixPath(one.folder)
    return PurePosixPath(name.replace("/", "_").replace("\\", "_"))


# ---------- the file ----------


def read(path: Path) -> Sequence[KnownSender]:
    """Read a list; none where there is no file yet. Raises SendersError with the first mistake and its line."""
    return _read(path, text_of(path))


@lru_cache(4)  # every failed job that the page shows asks for it
def _read(path: Path, text: str) -> Sequence[KnownSender]:
    for line, said in mistakes(text):
        raise SendersError(f"{path}:{line}: {said}.")
    return tuple(one for _line, one in _rows(text))


def text_of(path: Path) -> str:
    """Return the text of a list; empty where there is none. Raises SendersError."""
    try:
        content = path.read_bytes() if path.exists() else b""
    except OSError as error:
        raise SendersError(_("{path} cannot be read ({reason}).", path=path, reason=error.strerror)) from error
    if len(content) > _MOST_BYTES:
        raise SendersError(_("{path} is larger than {most} MB.", path=path, most=_MOST_BYTES >> 20))
    try:
        return content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise SendersError(_("{path} is not UTF-8.", path=path), _("Save it as CSV UTF-8.")) from error


def mistakes(text: str) -> Iterator[tuple[int, str]]:
    """Tell what is wrong with a list: the line, from 1, and what it is."""
    try:
        yield from _mistakes(text)
    except csv.Error as error:
        yield 1, _("it is no CSV ({error})", error=error)


def _mistakes(text: str) -> Iterator[tuple[int, str]]:
    header = _header(text)
    if not text.strip():
        return
    if "name" not in header:
        yield 1, _("the first line names the columns, and one of them is `name`: {columns}", columns=", ".join(COLUMNS))
        return
    for column in header:
        if header.count(column) > 1 and column in COLUMNS:
            yield 1, _("the column {column} is there twice", column=column)
            return
    for line, one in _rows(text):
        if not one.name:
            yield line, _("`name` is empty")
        if one.iban and not is_iban(one.iban):
            yield line, _("the check digits of the IBAN {iban} are wrong", iban=one.iban)
        if one.vat and not is_vat_id(one.vat):
            yield line, _("{vat} is no VAT id, or its check digit is wrong", vat=one.vat)
        if one.kind and one.kind not in NAMES:
            near = nearest(one.kind, list(NAMES))
            yield (
                line,
                _("there is no kind {kind}; kinds are {known}", kind=repr(near or one.kind), known=" ".join(NAMES)),
            )
        if one.folder and not _is_below(one.folder):
            yield (
                line,
                _("the folder {folder} leads elsewhere; write one such as Energy/Power", folder=repr(one.folder)),
            )


def _is_below(folder: str) -> bool:
    parts = folder.replace("\\", "/").split("/")
    return all(part.strip() and part not in (".", "..") and ":" not in part for part in parts) and parts[0] != "~"


def _header(text: str) -> list[str]:
    return next((_names(cells) for _line, cells in _lines(text)), [])


def _names(cells: Sequence[str]) -> list[str]:
    return [cell.strip().lower() for cell in cells]


def _separator(text: str) -> str:
    """Return what divides the columns, as spreadsheets save them: a comma, or a semicolon."""
    head = next((line for line in text.split("\n") if line.strip() and not line.startswith(_REMARK)), "")
    return ";" if head.count(";") > head.count(",") else ","


def _lines(text: str) -> Iterator[tuple[int, list[str]]]:
    """Each line with its number, from 1, without empty ones and remarks."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=_separator(text), strict=True)
    before = 0
    for cells in reader:
        line, before = before + 1, reader.line_num
        if any(cell.strip() for cell in cells) and not cells[0].lstrip().startswith(_REMARK):
            yield line, cells


def _rows(text: str) -> Iterator[tuple[int, KnownSender]]:
    """Each sender with its line."""
    lines = _lines(text)
    _first, head = next(lines, (1, []))
    header = _names(head)
    for line, cells in lines:
        values = {name: cell.strip() for name, cell in zip(header, cells, strict=False) if name in COLUMNS}
        yield line, _tidy(KnownSender(**{"name": "", **values}))


def _tidy(one: KnownSender) -> KnownSender:
    return replace(
        one,
        vat=vat_id(one.vat),
        iban="".join(one.iban.split()).upper(),
        domain=one.domain.lower().rpartition("@")[2],
        folder=one.folder.replace("\\", "/").strip("/") if not one.folder.startswith(("/", "\\")) else one.folder,
    )


def with_line(text: str, values: Mapping[str, str]) -> str:
    """Return the text of a list with one more line; everything else stays as it is.

    values: by column; those of columns that the list has not are left out.
    """
    text = text or ",".join(COLUMNS) + "\n"
    out = io.StringIO(newline="")
    row = [_harmless(values.get(name, "")) for name in _header(text)]
    csv.writer(out, delimiter=_separator(text), lineterminator="\n").writerow(row)
    return text + ("" if text.endswith("\n") else "\n") + out.getvalue()


def _harmless(cell: str) -> str:
    """A cell that no spreadsheet takes for a formula, and that is no remark."""
    return cell.lstrip("=+-@#\t\r\n ")
