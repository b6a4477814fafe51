"""What pages do not hold though somebody expects it of them: text, and formulas where they were asked for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import pypdfium2.raw as pdfium_c

from paperchute.contract import contract, told_of_pages
from paperchute.contract.recognition import SCOPE
from paperchute.engine.document.model import Block, Page, Trait
from paperchute.engine.pdf.damage import damaged_pages
from paperchute.engine.pdf.document import say_damaged, unlocked
from paperchute.engine.reading.layout.typography import TYPOGRAPHY
from paperchute.engine.reading.ocr.options import ocr_options
from paperchute.engine.reading.pdf.document import OpenPdf
from paperchute.engine.work import Refused, Work
from paperchute.language import _, ngettext


@dataclass(frozen=True, slots=True)
class OmissionSettings:
    """What a page is said to lack."""

    partly: float = 0.08
    """Of a page's lines: where more was not read surely, somebody should look at them. Eight printed pages that were
    scanned, faxed and blurred give 0; a plan with notes by hand 0.4, a blackboard and a worn old print 0.1."""

    doubtful: float = 0.75
    """Confidence of a table below which the job says so: alignment alone tells it, and cells reach over its columns or
    many of its places are empty; or its words are badly recognised."""


OMISSIONS = OmissionSettings()


def watched(pages: Iterator[Page], work: Work, shows: Callable[[], str] = str) -> Iterator[Page]:
    """The pages as they are; once all were walked, `work.warn` is told what they lack.

    shows: gives the language that the words of the document show, for the note on what was recognised.
    """
    seen = _Seen()
    for page in pages:
        seen.add(page)
        yield page
    if seen.count == 0:
        work.warn(_("{name} has no pages.", name=work.sources[0].name))
    if seen.unsure:
        _tell_of_recognised(work, list(seen.unsure), shows())
    if seen.pictured:
        pictured = told_of_pages(seen.pictured)
        work.note(_("Words in charts or pictures on {pages} are not in the text.", pages=pictured))
    tell_of_unsure(work, seen.unsure)
    _tell_of_invisible(work, seen)
    _tell_of_traits(work, seen.traits)
    if seen.unreadable:
        _tell_of_unreadable(work, seen.unreadable)
    _tell_of_text(work, seen.silent if len(seen.silent) == seen.count else seen.scans, seen.scans)
    if work.flag("formulaToImage"):
        tell_of_formulas(work, seen.bare)
    if seen.doubtful:
        doubtful = told_of_pages(seen.doubtful)
        work.warn(_("The rows and columns of a table on {pages} are uncertain, so check them.", pages=doubtful))


@dataclass(slots=True)
class _Seen:
    """The numbers of pages, by what they have or lack."""

    count: int = 0
    silent: list[int] = field(default_factory=list)
    """Without text."""
    scans: list[int] = field(default_factory=list)
    """Those of them that are a picture."""
    unsure: dict[int, float] = field(default_factory=dict)
    """Recognised, with their `Page.unsure`."""
    unseen: list[int] = field(default_factory=list)
    hidden: list[int] = field(default_factory=list)
    unreadable: list[int] = field(default_factory=list)
    pictured: list[int] = field(default_factory=list)
    traits: defaultdict[Trait, list[int]] = field(default_factory=lambda: defaultdict(list))
    bare: list[int] = field(default_factory=list)
    """Without a formula."""
    doubtful: list[int] = field(default_factory=list)
    """With a table that is not sure."""

    def add(self, page: Page) -> None:
        self.count += 1
        if not any(map(_has_text, page.blocks)) and "filled" not in page.traits:
            self.silent.append(page.number)
            if _is_picture(page):
                self.scans.append(page.number)
        elif page.recognised:
            self.unsure[page.number] = page.unsure
        for has, numbers in (
            (page.unseen, self.unseen),
            (page.hidden, self.hidden),
            (page.unreadable, self.unreadable),
            (page.unread_pictures, self.pictured),
        ):
            if has:
                numbers.append(page.number)
        for trait in page.traits:
            self.traits[trait].append(page.number)
        if not any(block.kind == "formula" for block in page.blocks):
            self.bare.append(page.number)
        if any(block.table is not None and block.confidence < OMISSIONS.doubtful for block in page.blocks):
            self.doubtful.append(page.number)


@dataclass(slots=True)
class Damage:
    """What is known to be wrong with a PDF that is read all the same."""

    work: Work
    is_damaged: bool = False

    def repaired(self, name: str, pages: int) -> None:
        """It was put together anew of what was found of it."""
        self.is_damaged = True
        say_damaged(name, pages)

    def look_at(self, document: OpenPdf, pages: Sequence[int]) -> None:
        """Tell of the 0-based pages whose content is damaged, in the file itself where a repaired one is open."""
        path = self.work.sources[0].path
        own = partial(unlocked, path, self.work.text("password"))
        found = damaged_pages(document.plain if document.path == path else own, pages)
        if found is None and not self.is_damaged:
            self.repaired(self.work.sources[0].name, len(pages))
        if found:
            self.is_damaged = True
            numbers = [index + 1 for index in found]
            self.work.warn(
                _("The content of {pages} is damaged: words may be missing there.", pages=told_of_pages(numbers))
            )

    def seen(self, pages: Iterator[Page]) -> Iterator[Page]:
        """The pages as they are. Raises Refused 02207 where nothing was left of a damaged document."""
        empty = True
        for page in pages:
            empty = empty and not page.blocks and page.backdrop is None
            yield page
        if empty and self.is_damaged:
            raise Refused(
                "02207", _("{name} is damaged, and nothing could be read of it.", name=self.work.sources[0].name)
            )


def tell_of_parts(work: Work, document: OpenPdf, taken: int = 0) -> None:
    """Say of a PDF what it holds beside its pages: a form that only Adobe's programs show, files attached to it.

    taken: how many of the files are read all the same.
    """
    name = work.sources[0].name
    if document.get_formtype() == pdfium_c.FORMTYPE_XFA_FULL:
        work.warn(
            _(
                "{name} is a form that is put together only when it is opened (XFA), so its pages may not hold what "
                "people see in it. Print it to a PDF first.",
                name=name,
            )
        )
    files = pdfium_c.FPDFDoc_GetAttachmentCount(document) - taken
    if files <= 0:
        return
    sentence = ngettext(
        "{n} file is attached to {name}. It was not read.",
        "{n} files are attached to {name}. They were not read.",
        files,
        name=name,
    )
    if document.is_portfolio:
        work.warn(sentence)  # its pages are a cover
    else:
        work.note(sentence)


def _tell_of_recognised(work: Work, pages: Sequence[int], language: str) -> None:
    work.note(_("Text was recognised on {pages}.", pages=told_of_pages(pages)))
    if language:
        work.note(_("Judging by its words, the language is {language}.", language=language))


def tell_of_unsure(work: Work, pages: Mapping[int, float]) -> None:
    """Name the pages that were recognised badly. pages: by number, `Page.unsure`."""
    mostly = [number for number, share in pages.items() if share > TYPOGRAPHY.half]
    partly = [number for number, share in pages.items() if TYPOGRAPHY.half >= share > OMISSIONS.partly]
    if mostly:
        work.warn(
            _(
                "The text on {pages} could not be read with certainty, so check it: it is faint, full of"
                " specks, handwritten, or in a script that ocrRecognitionLang must name.",
                pages=told_of_pages(mostly),
            )
        )
    if partly:
        work.warn(
            _(
                "Some lines on {pages} could not be read with certainty, so check them, amounts above all: they may be"
                " faint or coarse, spoiled by specks or streaks, or handwritten.",
                pages=told_of_pages(partly),
            )
        )


def tell_of_formulas(work: Work, bare: Sequence[int]) -> None:
    """Formulas are to be pictures, and on these pages there are none that are recognised as such."""
    if bare:
        work.warn(_("No formula was recognised on {pages}. The text there stays text.", pages=told_of_pages(bare)))


def _tell_of_invisible(work: Work, seen: _Seen) -> None:
    if seen.unseen:
        work.warn(
            _(
                "There are invisible words on {pages}. They were left out of the search.",
                pages=told_of_pages(seen.unseen),
            )
        )
    if seen.hidden:
        work.warn(
            _(
                "There are invisible words on {pages}, and they are in the result: check it.",
                pages=told_of_pages(seen.hidden),
            )
        )


def _tell_of_traits(work: Work, pages: Mapping[Trait, Sequence[int]]) -> None:
    if "files" in pages:
        work.note(_("Files are attached on {pages}. They were not read.", pages=told_of_pages(pages["files"])))
    if "outside" in pages:
        work.note(
            _(
                "Some words lie beyond the edges of {pages}, where nobody sees them. They are not in the result.",
                pages=told_of_pages(pages["outside"]),
            )
        )
    if "redacted" in pages:
        work.warn(
            _(
                "Words on {pages} were marked for redaction and are still there: they may be in the result.",
                pages=told_of_pages(pages["redacted"]),
            )
        )
    if "unshown_values" in pages:
        work.warn(
            _(
                "Fields on {pages} hold words that they do not show; these are in the notes to the page, where "
                "isContainAnnot asks for them.",
                pages=told_of_pages(pages["unshown_values"]),
            )
        )


def _tell_of_text(work: Work, silent: Sequence[int], scans: Sequence[int]) -> None:
    if not silent:
        return
    if ocr_options(work) is not None:
        work.warn(_("No text was recognised on {pages}.", pages=told_of_pages(silent)))
    elif work.operation.startswith("img-"):
        return  # there the contract's default asks for the picture alone
    elif scans:
        work.warn(_("No text was found on {pages}. If this is a scan, set enableOcr = 1.", pages=told_of_pages(silent)))
    else:
        work.warn(_("No text was found on {pages}.", pages=told_of_pages(silent)))


def _tell_of_unreadable(work: Work, pages: Sequence[int]) -> None:
    ocr = ocr_options(work)
    can_do_more = contract().known(work.operation).parameter(SCOPE) is not None
    if work.sources[0].kind != "pdf":  # we printed it ourselves, and its text says which they are
        work.warn(
            _(
                "No font of this machine has some characters on {pages}, such as emoji, so they cannot be read. "
                "Install one that has them.",
                pages=told_of_pages(pages),
            )
        )
        return
    if not can_do_more or (ocr is not None and ocr.scope == "ALL"):
        work.warn(
            _("Characters on {pages} cannot be read: the file does not say which they are.", pages=told_of_pages(pages))
        )
        return
    work.warn(
        _(
            "Characters on {pages} cannot be read: the file does not say which they are. With enableOcr = 1 and "
            "ocrOption = ALL they are recognised.",
            pages=told_of_pages(pages),
        )
    )


def _has_text(block: Block) -> bool:
    lines = [*block.lines, *(line for item in block.items for line in item.lines)]
    if block.table is not None:
        lines += [line for cell in block.table.cells for line in cell.lines]
    return any(line.text.strip() for line in lines)


def _is_picture(page: Page) -> bool:
    if page.backdrop is not None:
        return True
    area = page.width * page.height
    boxes = (block.quad.box for block in page.blocks if block.image is not None)
    return any(box.width * box.height > TYPOGRAPHY.half * area for box in boxes)
