"""A document of the model as a Word file, and the package around its body."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Any

import docx
from docx.document import Document
from docx.opc.constants import CONTENT_TYPE as CT
from docx.opc.constants import RELATIONSHIP_TYPE as RT
from docx.opc.packuri import PackURI
from docx.opc.part import XmlPart
from lxml.etree import _Element

from paperchute.engine.document.model import Facts, Page, Style
from paperchute.engine.writing.docx.body import Body
from paperchute.engine.writing.docx.boxes import Boxes
from paperchute.engine.writing.docx.inline import Inline
from paperchute.engine.writing.docx.styles import Numbering, sheet
from paperchute.engine.writing.docx.xml import element, twips
from paperchute.engine.writing.office.flow import Flow
from paperchute.engine.writing.office.notes import Footnote
from paperchute.engine.writing.office.pages import fitted, with_seen_words
from paperchute.engine.writing.office.parts import Section
from paperchute.engine.writing.office.styles import Looks, StyleBook


def empty_document(title: str, language: str) -> Document:
    """A document without content, and without what python-docx's template brings along."""
    document = docx.Document()
    body: Any = document.element.body
    for child in list(body):
        body.remove(child)
    part: Any = document.part
    for key, relation in list(part.rels.items()):
        if relation.reltype.endswith(("/stylesWithEffects", "/customXml", "/webSettings")):
            del part.rels[key]
    package: Any = part.package
    for key, relation in list(package.rels.items()):
        if relation.reltype.endswith("/thumbnail"):
            del package.rels[key]
    properties = document.core_properties
    now = datetime.now(UTC).replace(tzinfo=None)
    properties.title = title[:255]
    properties.language = language
    for name in ("author", "comments", "keywords", "subject", "last_modified_by"):
        setattr(properties, name, "")
    properties.created = properties.modified = now
    properties.revision = 1
    return document


def set_content(document: Document, reltype: str, content: _Element) -> None:
    """Give a part of the package other content."""
    part: Any = document.part.part_related_by(reltype)
    part._element = content


def settings(*, even: bool, notes: int) -> _Element:
    """The content of settings.xml. even: left and right pages have margins of their own.

    notes: the number that the first footnote has, 0 where there is none.
    """
    parts = [element("w:zoom", {"w:percent": 100})]
    if even:
        parts.append(element("w:evenAndOddHeaders"))
    parts.append(element("w:characterSpacingControl", {"w:val": "doNotCompress"}))
    if notes:
        separators = [element("w:footnote", {"w:id": number}) for number in (-1, 0)]
        start = [element("w:numStart", {"w:val": notes})] if notes > 1 else []
        parts.append(element("w:footnotePr", None, *start, *separators))
    uri = "http://schemas.microsoft.com/office/word"
    mode = {"w:name": "compatibilityMode", "w:uri": uri, "w:val": 15}
    parts.append(element("w:compat", None, element("w:compatSetting", mode)))
    return element("w:settings", None, *parts)


def add_footnotes(inline: Inline, notes: list[Footnote], look: Style) -> None:
    """The part with the notes; -1 and 0 are the lines above them."""
    separators = [
        element(
            "w:footnote",
            {"w:type": kind, "w:id": number},
            element("w:p", None, element("w:r", None, element(f"w:{kind}"))),
        )
        for number, kind in ((-1, "separator"), (0, "continuationSeparator"))
    ]
    content = element("w:footnotes", None, *separators)
    document: Any = inline.document.part
    part = XmlPart(PackURI("/word/footnotes.xml"), CT.WML_FOOTNOTES, content, document.package)  # type: ignore[arg-type]
    document.relate_to(part, RT.FOOTNOTES)
    for note in notes:
        content.append(element("w:footnote", {"w:id": note.number}, *_note_paragraphs(note, inline, look, part)))


def _note_paragraphs(note: Footnote, inline: Inline, look: Style, part: XmlPart) -> Iterator[_Element]:
    """The paragraphs of a note, the first with the mark; a tab behind it leads to where its lines hang."""
    reference = [element("w:rPr", None, element("w:rStyle", {"w:val": "FootnoteReference"}))] if note.raised else []
    mark = element("w:footnoteRef") if note.counted else element("w:t", text=note.mark)
    space = element("w:tab") if note.first < 0 else element("w:t", {"xml:space": "preserve"}, text=" ")
    for number, runs in enumerate(note.paragraphs):
        properties = [element("w:pStyle", {"w:val": "FootnoteText"})]
        if note.first < 0:
            hanging = {} if number else {"w:hanging": twips(-note.first)}
            properties.append(element("w:ind", {"w:left": twips(-note.first), **hanging}))
        elif note.first and not number:
            properties.append(element("w:ind", {"w:firstLine": twips(note.first)}))
        begin = [] if number else [element("w:r", None, *reference, mark), element("w:r", None, space)]
        yield element("w:p", None, element("w:pPr", None, *properties), *begin, *inline.runs(runs, look, part))


def write_docx(facts: Facts, pages: Iterable[Page], path: Path, *, boxed: bool) -> Path:
    """Write the pages, and return the path. boxed: keep every block at its place. Raises OSError."""
    walk = iter(pages)
    first = next(walk, None)
    looks = Looks.of(facts, first)
    flow = Flow(facts.page_count, looks)
    inline = Inline(empty_document(facts.title, facts.spoken), flow.notes.found)
    styles = StyleBook(Style(size=looks.size, font=looks.family))
    numbering = Numbering()
    sheets = (with_seen_words(fitted(page)) for page in (chain([first], walk) if first is not None else ()))
    even = False
    if boxed:
        boxes = Boxes(inline, styles, looks.family)
        for page, last in _with_last(sheets):
            boxes.page(page, last=last)
    else:
        body = Body(inline, styles, numbering)
        for part in flow.parts(sheets):
            even = even or (isinstance(part, Section) and part.even is not None)
            body.add(part)
        body.finish()
    document = inline.document
    notes = flow.notes.found
    if notes:
        add_footnotes(inline, notes, styles.note)
    set_content(document, RT.STYLES, sheet(styles, looks.pitch, facts.spoken))
    set_content(document, RT.NUMBERING, numbering.content())
    set_content(document, RT.SETTINGS, settings(even=even, notes=flow.notes.start if notes else 0))
    document.save(str(path))
    return path


def _with_last(pages: Iterable[Page]) -> Iterator[tuple[Page, bool]]:
    before: Page | None = None
    for page in pages:
        if before is not None:
            yield before, False
        before = page
    if before is not None:
        yield before, True
