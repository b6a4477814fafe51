"""pdf-split: one PDF as several (docs/contract.md#page-operations).

pages: each comma part is a file. Ours beyond the interface, each in its place: every so many pages, at bookmarks down
to a level, files of at most a size; and stacks, at separator sheets and labels, blank pages, words, or first pages.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count as numbers
from itertools import pairwise
from pathlib import Path, PurePosixPath

import pikepdf

from paperchute.contract import parse_page_list, told_of_pages
from paperchute.contract.questions import AUTO, NONE
from paperchute.engine import report
from paperchute.engine.checks.pages import FIRST_PAGES, SEPARATORS
from paperchute.engine.pdf.assembly import Joiner
from paperchute.engine.pdf.document import open_pdf
from paperchute.engine.pdf.pages import take_pages
from paperchute.engine.printing.bundle import with_pdfs
from paperchute.engine.reading.pdf.document import opened
from paperchute.engine.reading.pdf.reader import read_outline
from paperchute.engine.work import Refused, Work, chosen_pages, file_name
from paperchute.language import _
from paperchute.notation.part_names import PAGES, STEM, filled, values_of_code
from paperchute.notation.sizes import format_size, parse_size

_STACK_NAME = "{stem} {part:02}"
_TOLD = 200  # pages in one sentence


@dataclass(frozen=True)
class Part:
    """Pages that become a file, 0-based. label: what tells it from the others; code: the text that it begins with."""

    pages: Sequence[int]
    label: str = ""
    code: str = ""


def run(work: Work) -> list[Path]:
    """A file for each part, named after the source and the part.

    Raises Refused 02201, 120002, 02207, 110001, 130001 where there is nowhere to split it or nothing is left, and as
    `with_pdfs`.
    """
    work = with_pdfs(work)
    parts: list[Part] = []
    taken_out: list[int] = []
    is_stack = any(work.text(name) for name in (*SEPARATORS, FIRST_PAGES))
    template = work.text("partName") or (_STACK_NAME if is_stack else "")

    def chosen(pdf: pikepdf.Pdf) -> list[tuple[str, Sequence[int]]]:
        count = len(pdf.pages)
        if work.text(FIRST_PAGES):
            parts[:] = _at_first_pages(work, count)
        else:
            parts[:] = _stack(work, count, taken_out) if is_stack else _parts(work, count)
        if not work.text("pages"):  # page lists may overlap, and leave pages out
            _check_whole([*taken_out, *(page for part in parts for page in part.pages)], count)
        return [(name, part.pages) for name, part in zip(_names(work, parts, template), parts, strict=True)]

    return take_pages(work, chosen)


def _check_whole(pages: Iterable[int], count: int) -> None:
    """Raise RuntimeError unless each page of `count` is there once: nothing is delivered then."""
    if sorted(pages) != list(range(count)):
        raise RuntimeError("pages would be lost, or in two parts")


def _at_first_pages(work: Work, count: int) -> list[Part]:
    """From each first page to the next. What is only proposed waits for a person: the document stays whole then."""
    name = work.sources[0].name
    wanted = work.text(FIRST_PAGES).strip().lower()
    starts = {0}
    if wanted == AUTO:
        # It brings recognition and extraction, which a worker that takes pages apart by number does not load.
        from paperchute.engine.pdf.first_pages import found_in, question_of

        found = found_in(work)
        if not found:
            work.warn(_("{name} stays whole: nothing that parts it was found on its pages.", name=name))
        elif work.text("sure") == "take" and all(one.is_sure for one in found):
            starts |= {one.index for one in found}
            pages = ", ".join(_told_in_full([one.index for one in found]))
            work.note(_("Split where page numbers prove it, before {pages}.", pages=pages))
        else:
            question = question_of(found, count)
            work.ask(question)
            work.warn(
                _("{name} stays whole until somebody says: firstPages = {pages}", name=name, pages=question.proposed)
            )
    elif wanted != NONE:
        starts |= set(chosen_pages(wanted, count, name))
    parts = [range(first, last) for first, last in pairwise([*sorted(starts), count])]
    return [_numbered(pages) for pages in parts]


def _stack(work: Work, count: int, taken_out: list[int]) -> list[Part]:
    """The parts of a stack; what is in none of them goes to `taken_out`, and is told."""
    # Codes and recognition need large libraries, which a worker that takes pages apart by number does not load.
    from paperchute.engine.pdf import separators

    if work.text("separatorCode"):
        division = separators.at_codes(work)
    else:
        division = separators.at_text(work) if work.text("separatorText") else separators.at_blank_pages(work)
    taken_out[:] = division.taken_out
    name = work.sources[0].name
    if not division.parts:
        raise Refused("130001", _("{name} has nothing but separator sheets.", name=name))
    if len(division.parts) == 1 and not taken_out:
        work.warn(_("{name} stays whole: nothing that parts it was found on its pages.", name=name))
    for said in _told_in_full(taken_out):
        work.note(_("Taken out as separators: {pages}.", pages=said))
    if division.idle:
        said = ", ".join(_told_in_full(division.idle))
        work.warn(_("Sheets with a code, but no page behind them that it could name: {pages}.", pages=said))
    return [Part(part.pages, _span(part.pages), part.code) for part in division.parts]


def _told_in_full(indices: Sequence[int]) -> Iterator[str]:
    """All of these pages, in as many sentences' worth as they take."""
    for first in range(0, len(indices), _TOLD):
        yield told_of_pages([index + 1 for index in indices[first : first + _TOLD]], _TOLD)


def _parts(work: Work, count: int) -> Sequence[Part]:
    if work.text("pages"):
        return [_numbered(pages) for pages in _listed(work, count)]
    if every := work.integer("every"):
        return [_numbered(range(first, min(first + every, count))) for first in range(0, count, every)]
    if work.text("bookmarkLevel"):
        return _at_bookmarks(work, count)
    return [_numbered(pages) for pages in _by_size(work, count)]


def _listed(work: Work, count: int) -> Iterator[Sequence[int]]:
    chosen_pages(work.text("pages"), count, work.sources[0].name)  # says which are not there
    for first, last in parse_page_list(work.text("pages")) or [(page, page) for page in range(1, count + 1)]:
        if first <= count:
            yield range(first - 1, min(last, count))


def _at_bookmarks(work: Work, count: int) -> Sequence[Part]:
    """From each bookmark's page to the next one's; what stands before the first is a part of its own."""
    source, starts = work.sources[0], dict[int, str]()
    with opened(source.path, source.name, work.text("password")) as document:
        for bookmark in read_outline(document):
            if bookmark.level <= work.integer("bookmarkLevel"):
                starts.setdefault(bookmark.page - 1, bookmark.title)
    if not starts:
        raise Refused(
            "130001",
            _(
                "{name} has no bookmarks of that level that lead to its pages, so there is nowhere to split it.",
                name=source.name,
            ),
        )
    starts.setdefault(0, "")
    parts = [range(first, last) for first, last in pairwise([*sorted(starts), count])]
    return [Part(pages, starts[pages[0]] or _span(pages)) for pages in parts]


def _by_size(work: Work, count: int) -> Iterator[Sequence[int]]:
    """As many pages a file as fit; a page that is larger by itself is one, with a warning."""
    most, first = parse_size(work.text("maxSize")), 0
    while first < count:
        size = _size(work, range(first, first + 1))
        if size > most:
            work.warn(
                _(
                    "Page {page} alone makes a file of {size}, which is more than maxSize.",
                    page=first + 1,
                    size=format_size(size),
                )
            )
        fits = _most_pages(work, first, count - first, most) if size <= most else 1
        yield range(first, first + fits)
        first += fits


def _most_pages(work: Work, first: int, available: int, most: int) -> int:
    """Return how many pages from `first` on, of which one does, make a file of at most `most` bytes.

    Doubled until they are too many, then halved between: a part of n pages is written some 2 log n times.
    """
    fits, beyond = 1, 0
    while True:
        tried = (fits + beyond) // 2 if beyond else min(2 * fits, available)
        if tried == fits:
            return fits
        if _size(work, range(first, first + tried)) <= most:
            fits = tried
        else:
            beyond = tried


def _size(work: Work, indices: Sequence[int]) -> int:
    """The bytes of a file of these pages."""
    source, trial = work.sources[0], work.folder / "trial.tmp"
    with report.apart(), open_pdf(source.path, source.name, work.text("password")) as pdf:  # no part that anybody gets
        joiner = Joiner()
        taken = joiner.take(pdf, indices, source.name)
        joiner.save(trial, taken.pages, taken.shown)
    size = trial.stat().st_size
    trial.unlink()
    return size


def _numbered(indices: Sequence[int]) -> Part:
    return Part(indices, _span(indices))


def _span(indices: Sequence[int]) -> str:
    first, last = indices[0] + 1, indices[-1] + 1
    return f"{first}-{last}" if last > first else f"{first}"


def _names(work: Work, parts: Sequence[Part], template: str) -> list[str]:
    """Names that tell the parts apart, and stand in their order unless `partName` says otherwise.

    template: of the names; empty for the usual ones.
    """
    stem, digits = PurePosixPath(work.sources[0].name).stem, len(str(len(parts)))
    names: list[str] = []
    taken: set[str] = set()
    for number, part in enumerate(parts, start=1):
        name = f"{stem} {number:0{digits}} {part.label}"
        if template:
            values = {**values_of_code(part.code), STEM: stem, PAGES: _span(part.pages)}
            name, lacking = filled(template, values, number)
            if lacking:
                work.warn(
                    _(
                        "Part {number} (pages {pages}) has no {lacking}, which its name asks for.",
                        number=number,
                        pages=_span(part.pages),
                        lacking=", ".join(lacking),
                    )
                )
        names.append(_free(file_name(name, "pdf"), taken))
        taken.add(_alike(names[-1]))
    return names


def _free(name: str, taken: Container[str]) -> str:
    """The name, with a number where another is in `taken`, by `_alike`, that some system takes for the same."""
    path = PurePosixPath(name)
    tried = (path.name if number == 1 else f"{path.stem} ({number}){path.suffix}" for number in numbers(1))
    return next(one for one in tried if _alike(one) not in taken)


def _alike(name: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())
