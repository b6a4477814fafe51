"""Office files and texts as documents: what they state, at the places where their print has it."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from urllib.parse import urljoin
from xml.etree.ElementTree import ParseError

from lxml.etree import LxmlError
from pptx.exc import PythonPptxError

from paperchute.contract.kinds import BROKEN_ZIP
from paperchute.engine import ledger
from paperchute.engine.document.model import Block, Document, Facts, Image, Page, Trait
from paperchute.engine.html.fetch import NO_BASE, page_from
from paperchute.engine.html.fetch import Page as Html
from paperchute.engine.html.postprocess import with_meanings
from paperchute.engine.html.render import printable
from paperchute.engine.reading.languages import LanguageSurvey
from paperchute.engine.reading.office.blocks import Assembly, as_lines, without_piece_links
from paperchute.engine.reading.office.content import content_of, is_placed
from paperchute.engine.reading.office.encodings import text_of
from paperchute.engine.reading.office.left_out import LeftOut
from paperchute.engine.reading.office.markup import csv_html, markdown_html, text_html
from paperchute.engine.reading.office.package import check_bounds, sound
from paperchute.engine.reading.office.parts import Part
from paperchute.engine.reading.office.pictures import data_of, image_of
from paperchute.engine.reading.office.places import KeepingFetcher, Place, Places, find_beyond, look_at, print_page
from paperchute.engine.reading.office.sheets import workbook_html
from paperchute.engine.reading.office.slides import slides_html
from paperchute.engine.reading.office.word import document_html
from paperchute.engine.reading.pdf.document import OpenPdf, opened, opened_page
from paperchute.engine.reading.pdf.pictures import picture_of
from paperchute.engine.reading.pdf.reader import Options, Recogniser, read_pdf
from paperchute.engine.reading.pdf.view import View
from paperchute.engine.report import counted
from paperchute.engine.word_count import texts
from paperchute.engine.work import Refused, Source, Work, chosen_pages
from paperchute.language import _

_CONTROLS = re.compile("[\x00-\x08\x0e-\x1f]")
_MOST_CONTROLS = 0.01  # of a text's characters: what has more is none
_LANGUAGE = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*")  # BCP 47


@contextmanager
def opened_safely(path: Path, name: str) -> Iterator[None]:
    """Around the reading of an office file.

    Raises Refused: 02209 as `check_bounds` does, 02207 for whatever its reader stumbles over.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            check_bounds(archive, path.stat().st_size, name)
        yield
    except (
        *BROKEN_ZIP,
        *(LxmlError, ParseError, PythonPptxError),
        *(KeyError, AttributeError, TypeError, IndexError, OSError),
    ) as error:
        raise Refused(
            "02207", _("{name} cannot be opened: it is damaged, or not what its name says.", name=name)
        ) from error


@contextmanager
def office_document(
    work: Work, kind: str, options: Options, recogniser: Recogniser | None, whole: bool
) -> Iterator[Document]:
    """The document model of an office file or text, read from what it states; its print says where that stands.

    kind: one of PRINTED. whole: whether what goes on over pages stands on the first of them, else each page has its
    part. Pages are numbered as they are printed.

    Raises Refused: 02207 damaged, 02209 too large, 100105 too many pages, 110001 pages that are not there.
    """
    source = work.sources[0]
    page = page_of(source, kind, work)
    base = page.base or NO_BASE
    content = content_of(printable(page.html), page.base)
    fetcher = KeepingFetcher(page, work.fetch)
    path = work.folder / "printed.pdf"
    places = print_page(replace(page, html=content.printed), fetcher, path)
    is_foreign = kind in ("html", "md")
    if is_foreign and any(is_placed(piece) and piece not in places.of for piece in range(content.count)):
        find_beyond(
            places, replace(page, html=content.printed), KeepingFetcher(page, work.fetch), path.with_suffix(".small")
        )
    if options.words:
        with_meanings(path, page.html)
    if options.words or is_foreign:
        places.drawings = {part.piece for part in content.all_parts() if part.kind == "image" and not part.source}
        look_at(places, path, options.words, content.said() if is_foreign else None)
    selected = chosen_pages(work.text("pageRanges"), len(places.sheets), source.name)
    with opened(path, source.name, "") as pdf:
        assembly = Assembly(places, is_foreign, whole, options.words, partial(_image, pdf, fetcher, base))
        found = assembly.pages(content.parts)
        if assembly.has_hidden:
            work.note(_("Left out of {name}: {what}.", name=source.name, what=_("hidden text")))
        languages = LanguageSurvey()
        languages.add([word for page_blocks in found.values() for text in texts(page_blocks) for word in text.split()])
        language = content.language if _LANGUAGE.fullmatch(content.language) else ""
        facts = Facts(len(places.sheets), content.title, language=language, shows=languages.result)
        pages = [_page_of(index, places, found.get(index, []), options) for index in selected]
        if recogniser is not None:
            pages = _with_recognised(pages, path, options, recogniser)
        yield Document(facts, counted(pages, len(pages)))


def _page_of(index: int, places: Places, blocks: Sequence[Block], options: Options) -> Page:
    """A page with what is asked for. index: from 0."""
    if not options.images:
        blocks = [replace(block, kind="text", image=None) if block.image else block for block in blocks]
        blocks = [block for block in blocks if block.kind != "text" or block.lines]
    if not options.layout:
        blocks = [line for block in blocks for line in as_lines(block)]
    sheet = places.sheets[index]
    traits: set[Trait] = {"filled"} if not blocks and index in places.filled else set()
    ledger.enter(index + 1, sum(len(text.split()) for text in texts(blocks)))
    return Page(
        *(index + 1, sheet.width, sheet.height, 0, tuple(blocks)),
        words=sheet.words,
        unseen=sheet.unseen,
        hidden=sheet.hidden,
        unreadable=sheet.unreadable,
        traits=frozenset(traits),
    )


def _with_recognised(pages: Sequence[Page], path: Path, options: Options, recogniser: Recogniser) -> list[Page]:
    """The pages with the words of their pictures, as far as these are to be recognised."""
    pictured = [page.number - 1 for page in pages if any(block.image is not None for block in page.blocks)]
    if not pictured:
        return list(pages)
    read = {page.number: page for page in read_pdf(OpenPdf(path), pictured, options, recogniser).pages}
    made = []
    for page in pages:
        seen = read.get(page.number)
        if seen is None or not (seen.recognised or seen.unread_pictures):
            made.append(page)
        elif not any(block.image is None for block in page.blocks):  # a scan
            made.append(replace(seen, blocks=tuple(map(without_piece_links, seen.blocks)), traits=page.traits))
        else:
            boxes = [block.quad.box for block in page.blocks if block.image is not None]
            added = [b for b in seen.blocks if b.image is None and any(box.holds(*b.quad.box.center) for box in boxes)]
            blocks = (*page.blocks, *map(without_piece_links, added))
            recognised = seen.recognised and bool(added)
            made.append(
                replace(
                    page, blocks=blocks, recognised=recognised, unread_pictures=seen.unread_pictures, unsure=seen.unsure
                )
            )
    return made


def _image(document: OpenPdf, fetcher: KeepingFetcher, base: str, part: Part, place: Place) -> Image | None:
    """The picture of a part: as its file has it, a drawing as it is printed."""
    if not part.source:
        with opened_page(document, place.page) as page:
            return picture_of(page, place.box, View.of(page))
    content = data_of(part.source)
    if content is None:
        content = fetcher.kept.get(urljoin(base, part.source))
    return image_of(content) if content else None


def page_of(source: Source, kind: str, work: Work) -> Html:
    """Give a file of one of PRINTED as HTML, and say what that leaves out.

    Raises Refused: 02207 damaged, 02209 too large.
    """
    if kind == "html":
        return page_from(source.path.read_bytes())
    if kind in ("txt", "md", "csv"):
        text = _text(source, work)
        return Html({"txt": text_html, "md": markdown_html, "csv": csv_html}[kind](text))
    left = LeftOut()
    with opened_safely(source.path, source.name):
        path = sound(source.path, work.folder / f"sound.{kind}", work)
        if kind == "xlsx":
            html = workbook_html(path, source.name, left)
        else:
            html = document_html(path, left) if kind == "docx" else slides_html(path, left)
        left.tell(path, work)
    return Html(html)


def _text(source: Source, work: Work) -> str:
    """The text of a file, whose encoding is told where the file does not say it."""
    text, encoding, is_sure = text_of(source.path.read_bytes())
    if len(_CONTROLS.findall(text)) > _MOST_CONTROLS * len(text):
        raise Refused(
            "02207", _("{name} cannot be opened: it is damaged, or not what its name says.", name=source.name)
        )
    if source.kind == "unknown" and not is_sure:
        raise Refused(
            "02207",
            _(
                "{name} does not say which encoding its text is in, and no known one makes sense of it. Save it as "
                "UTF-8 first.",
                name=source.name,
            ),
        )
    if encoding and is_sure:
        work.note(_("{name} was read as {encoding}.", name=source.name, encoding=encoding))
    elif encoding:
        work.warn(
            _(
                "{name} does not say which encoding its text is in. It was read as {encoding}, and letters may be "
                "wrong: check it, or save it as UTF-8.",
                name=source.name,
                encoding=encoding,
            )
        )
    return text
