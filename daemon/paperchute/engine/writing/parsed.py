"""The writer of document parsing: result.json, written as it grows, result.md and images/."""

from __future__ import annotations

import base64
import codecs
import json
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from paperchute.engine.document.flow import Piece, flowed_text, pieces
from paperchute.engine.document.geometry import Quad
from paperchute.engine.document.headings import nested
from paperchute.engine.document.model import Block, Bookmark, Note, Page
from paperchute.engine.parse_options import Shape
from paperchute.engine.writing.markdown import MarkdownWriter
from paperchute.engine.writing.markdown_inline import escaped
from paperchute.engine.writing.pictures import PictureData, PictureFiles

_CHUNK = 1 << 18  # bytes; a multiple of 3 would not matter for text, base64 takes its own


def as_json(value: Any) -> str:
    """One value, compact, text as it is."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


class Spool:
    """Items of a JSON list, written down one after the other beside the result; memory does not grow with them."""

    def __init__(self, path: Path) -> None:
        """`path`: a scratch file. Raises OSError."""
        self._path = path
        self._file = path.open("w", encoding="utf-8", newline="\n")
        self.count = 0

    def add(self, item: Any) -> None:
        """One item more. Raises OSError."""
        self._file.write(("," if self.count else "") + as_json(item))
        self.count += 1

    def move_to(self, out: TextIO) -> None:
        """Write the list into `out` and take the scratch file away. Raises OSError."""
        self._file.close()
        out.write("[")
        for text in _text_of(self._path):
            out.write(text)
        out.write("]")
        self._path.unlink()


def write_text_of(path: Path, out: TextIO) -> None:
    """A text file's content as one JSON string. Raises OSError."""
    out.write('"')
    for text in _text_of(path):
        out.write(json.dumps(text, ensure_ascii=False)[1:-1])
    out.write('"')


def write_base64_of(path: Path, out: TextIO) -> None:
    """A file's bytes as one base64 JSON string. Raises OSError."""
    out.write('"')
    with path.open("rb") as file:
        while chunk := file.read(3 * _CHUNK):
            out.write(base64.b64encode(chunk).decode("ascii"))
    out.write('"')


def _text_of(path: Path) -> Iterator[str]:
    decoder = codecs.getincrementaldecoder("utf-8")()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            yield decoder.decode(chunk)


PIXELS = 2
"""Pixels a point: positions are those of a page image at 144 dpi."""
DPI = 72 * PIXELS
"""The same by the inch of 72 points."""
_LEFTWARD = frozenset({"ar", "arc", "ckb", "dv", "fa", "he", "iw", "ps", "sd", "ug", "ur", "yi"})
"""Languages that are written from right to left."""
_TYPES = {"list": "text", "code": "text"}


@dataclass(frozen=True, slots=True)
class Heading:
    """An entry of the catalog; `pos` in pixels, empty for one of the document's own outline."""

    level: int
    title: str
    page_id: int
    pos: tuple[int, ...] = ()


@dataclass(slots=True)
class ParseWriter:
    """Writes one parse result into `folder`.

    file_type: PDF, IMAGE, DOCX ... page_count: of the file. ignored: block kinds that the Markdown leaves out; they
    stay in the records with status 0. inline: pictures as base64 in the text. shape: how regions are given.
    concatenate: what a page end broke is one paragraph in `detail` and Markdown. workbook: a file that becomes
    `excel_base64`.
    """

    folder: Path
    file_type: str
    page_count: int
    ignored: frozenset[str]
    inline: bool = False
    shape: Shape = "auto"
    concatenate: bool = False
    language: str = ""
    """Of the document's text (BCP 47), empty where nothing tells it."""

    def write(self, pages: Iterable[Page], catalog: list[Heading] | None, workbook: Path | None = None) -> list[Path]:
        """Write the pages as they come; result.json, result.md, then the image files.

        catalog: filled by the time the pages have ended; None for an empty one. Raises OSError.
        """
        return _Writing(self).write(pages, catalog, workbook)


class _Writing:
    def __init__(self, order: ParseWriter) -> None:
        self._order = order
        folder = order.folder
        pictures = PictureData() if order.inline else PictureFiles(folder, "page")
        self._markdown = MarkdownWriter(folder, "result", html_tables=True, pictures=pictures)
        self._detail = Spool(folder / "detail.part")
        self._metrics = Spool(folder / "metrics.part")
        self._pages = 0
        self._known: dict[int, tuple[Block, _Item]] = {}  # by identity, from a page's record to its pieces

    def write(self, pages: Iterable[Page], catalog: list[Heading] | None, workbook: Path | None) -> list[Path]:
        path = self._order.folder / "result.json"
        with path.open("w", encoding="utf-8", newline="\n") as out:
            head = {"code": 200, "message": "Success", "x_request_id": "", "file_type": self._order.file_type}
            out.write(as_json(head)[:-1] + ',"result":{"pages":[')
            with self._markdown.path.open("w", encoding="utf-8", newline="\n") as text:
                self._walk(self._recorded(pages, out), text)
                if catalog and not self._detail.count:  # a table of contents was asked for, and none is printed
                    text.write("\n".join(_contents(catalog)) + "\n")
            out.write('],"detail":')
            self._detail.move_to(out)
            out.write(',"catalog":' + as_json({"children": _tree(catalog)} if catalog is not None else {}))
            out.write(',"markdown":')
            write_text_of(self._markdown.path, out)
            counts = {
                "valid_page_number": self._pages,
                "total_page_number": self._order.page_count,
                "total_count": self._order.page_count,
                "success_count": self._pages,
            }
            out.write("," + as_json(counts | _spoken(self._order.language))[1:-1] + ',"excel_base64":')
            if workbook is None:
                out.write('""')
            else:
                write_base64_of(workbook, out)
            out.write('},"metrics":')
            self._metrics.move_to(out)
            out.write(',"image_process":[]}\n')
        return [path, self._markdown.path, *self._markdown.images]

    def _walk(self, pages: Iterable[Page], text: Any) -> None:
        """Detail and Markdown, piece by piece."""
        first = True
        for piece in pieces(pages, self._joins):
            if piece.page is not None:
                continue
            if piece.note is not None:
                item = _note_item(piece.note)
                kind = "aside_text"
            else:
                known = [self._known.pop(id(block), None) for block in piece.blocks]
                alone = known[0] if len(known) == 1 else None
                item = alone[1] if alone is not None else self._item(piece.block, piece.numbers[0])
                kind = piece.block.kind
            kept = kind not in self._order.ignored
            self._add_detail(item, piece.numbers[0], kept)
            if kept and (markdown := self._text(piece, item)):
                text.write(markdown if first else "\n\n" + markdown)
                first = False
        if not first:
            text.write("\n")

    def _text(self, piece: Piece, item: _Item) -> str:
        """A piece for result.md. Lists are indented as they follow each other, all else is as in its record."""
        if piece.note is not None or piece.blocks[0].items:
            return self._markdown.text(piece)
        self._markdown.end_list()
        return item.markdown

    def _joins(self, before: Block, block: Block, page_end: bool) -> bool:
        """Tables were merged before, where that was asked for."""
        return block.table is None and (self._order.concatenate or not page_end)

    def _recorded(self, pages: Iterable[Page], out: Any) -> Iterator[Page]:
        """The pages, each written down as it passes."""
        begun = time.monotonic()
        for page in pages:
            seconds = round(time.monotonic() - begun, 4)
            out.write(("," if self._pages else "") + as_json(self._record(page, seconds)))
            self._metrics.add(_metrics(page, seconds))
            self._pages += 1
            yield page
            begun = time.monotonic()

    def _record(self, page: Page, seconds: float) -> dict[str, Any]:
        items = [self._item(block, page.number) for block in page.blocks]
        self._known.update((id(block), (block, item)) for block, item in zip(page.blocks, items, strict=True))
        items += [_note_item(note) for note in page.notes]
        return {
            "page_id": page.number,
            "angle": page.angle,
            "width": _pixels(page.width),
            "height": _pixels(page.height),
            "image_id": "",
            "durations": seconds,
            "status": "Success",
            "structured": [self._structured(number, item) for number, item in enumerate(items)],
            "content": [self._content(number, item) for number, item in enumerate(items)],
        }

    def _item(self, block: Block, page: int) -> _Item:
        markdown = self._markdown.block(block, page)
        kind = _TYPES.get(block.kind, block.kind)
        tags = ("background",) if block.background else ()
        plain = markdown if block.table is not None or block.image is not None else _plain(block)
        return _Item(kind, markdown, plain, block.quad, block.level or -1, block.confidence, tags, block)

    def _structured(self, number: int, item: _Item) -> dict[str, Any]:
        record = {
            "id": number,
            "type": item.kind,
            "text": item.markdown,
            "pos": self._pos(item.quad),
            "outline_level": item.level,
            "content": [number],
            "confidence": round(item.score, 4),
        }
        table = item.block.table if item.block is not None else None
        if table is not None:
            record |= {"rows": table.rows, "cols": table.columns, "sub_type": _borders(table.bordered)}
        return record

    def _content(self, number: int, item: _Item) -> dict[str, Any]:
        record = {"id": number, "type": item.kind, "text": item.plain, "pos": self._pos(item.quad)}
        if item.kind != "table":
            record |= {"score": round(item.score, 4), "angle": 0}
        return record | {"status": int(item.kind not in self._order.ignored)}

    def _add_detail(self, item: _Item, page: int, kept: bool) -> None:
        self._detail.add(
            {
                "paragraph_id": self._detail.count + 1,
                "page_id": page,
                "type": "paragraph",
                "sub_type": item.kind,
                "text": item.markdown,
                "position": self._pos(item.quad),
                "outline_level": item.level,
                "tags": list(item.tags),
                "content": 0,
                "status": int(kept),
            }
        )

    def _pos(self, quad: Quad) -> list[int]:
        return list(pos_of(Quad.of(quad.box) if self._order.shape == "rect" else quad))


@dataclass(frozen=True, slots=True)
class _Item:
    kind: str
    markdown: str
    plain: str
    quad: Quad
    level: int = -1
    score: float = 1.0
    tags: tuple[str, ...] = ()
    block: Block | None = None


def _spoken(language: str) -> dict[str, str]:
    """Language and direction of the text; both empty where nothing tells the language."""
    direction = "rtl" if language.partition("-")[0].lower() in _LEFTWARD else "ltr"
    return {"language": language, "direction": direction if language else ""}


def catalogued(pages: Iterable[Page], catalog: list[Heading], outline: Iterable[Bookmark]) -> Iterator[Page]:
    """The pages as they are; their headings go into `catalog`.

    Where they have none, the document's own outline of these pages stands for them.
    """
    numbers = set()
    for page in pages:
        numbers.add(page.number)
        for block in page.blocks:
            if block.level:
                title = " ".join(flowed_text(block.lines).split())
                catalog.append(Heading(block.level, title, page.number, pos_of(block.quad)))
        yield page
    if not catalog:
        catalog += [Heading(mark.level, mark.title, mark.page) for mark in outline if mark.page in numbers]


def pos_of(quad: Quad) -> tuple[int, ...]:
    """Corners in pixels: top left, top right, bottom right, bottom left."""
    return tuple(map(_pixels, quad))


def _pixels(points: float) -> int:
    return round(points * PIXELS)


def _metrics(page: Page, seconds: float) -> dict[str, Any]:
    """A page's numbers, under the names seen in answers and under those of the documentation."""
    width, height = _pixels(page.width), _pixels(page.height)
    return {
        "page_id": page.number,
        "page": page.number,
        "dpi": DPI,
        "angle": page.angle,
        "duration": seconds,
        "cost_time": seconds,
        "page_image_width": width,
        "page_image_height": height,
        "width": width,
        "height": height,
        "image_id": "",
        "status": "Success",
    }


def _plain(block: Block) -> str:
    if block.kind == "code":
        return block.text
    if block.items:
        return "\n".join(f"{item.marker} {flowed_text(item.lines)}".strip() for item in block.items)
    return flowed_text(block.lines)


def _note_item(note: Note) -> _Item:
    text = f"{note.author}: {note.text}" if note.author else note.text
    return _Item("aside_text", escaped(text), text, note.quad, tags=("annotation", note.kind))


def _borders(bordered: bool) -> str:
    return "bordered" if bordered else "borderless"


def _tree(catalog: list[Heading]) -> list[dict[str, Any]]:
    return nested(catalog, _node)


def _node(heading: Heading, children: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "title": heading.title,
        "level": heading.level,
        "page_id": heading.page_id,
        "pos": list(heading.pos),
        "children": children,
    }


def _contents(catalog: list[Heading]) -> Iterator[str]:
    """The catalog as a nested Markdown list."""
    highest = min(heading.level for heading in catalog)
    for heading in catalog:
        yield f"{'  ' * (heading.level - highest)}- {escaped(heading.title)}"
