"""The text of results, read by other means than the engine reads its results back."""

from __future__ import annotations

import html
import json
import re
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import lxml.etree
import lxml.html
import openpyxl
import pptx
from markdown_it import MarkdownIt

from paperchute.engine.readback import _plain_rtf
from tests.engine.writing.word_numbers import Numbers, count_of

_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_BREAKS = {f"{_WORD}tab": "\t", f"{_WORD}br": " ", f"{_WORD}noBreakHyphen": "-"}
_WORD_PARTS = re.compile(r"word/(document|header\d*|footer\d*|footnotes|endnotes|comments)\.xml")
_FIELD = re.compile(r"(?<=fldinst \{)[^{}]*? (?:PAGE|NUMPAGES) |\\fldrslt \{[^{}]* 1\}")
_STYLES = {
    "1": "decimal",
    "a": "lowerLetter",
    "A": "upperLetter",
    "i": "lowerRoman",
    "I": "upperRoman",
}
_BLOCKS = ("td", "th", "p", "li", "br", "div", "tr", "h1", "h2", "h3", "h4", "h5", "h6", "pre")


def text_of(paths: Sequence[Path]) -> str:
    """All text of the files of a result."""
    records = [path for path in paths if path.suffix == ".json"]  # what stands beside them says the same again
    return "\n".join(part for path in records or paths for part in _read(path))


def _read(path: Path) -> Iterator[str]:
    match path.suffix:
        case ".md":
            yield _of_html(_of_markdown(path.read_text("utf-8")))
        case ".csv" | ".txt":
            yield path.read_text("utf-8-sig")
        case ".html":
            yield _of_html(path.read_text("utf-8"))
        case ".json":
            yield from _of_record(json.loads(path.read_text("utf-8")))
        case ".docx":
            yield from _of_word(path)
        case ".pptx":
            yield from _of_slides(path)
        case ".xlsx":
            yield from _of_workbook(path)
        case ".rtf":
            yield _plain_rtf(_FIELD.sub(" ", path.read_text("ascii")))


def _of_markdown(text: str) -> str:
    """As HTML, items with the numbers that they have, though programs that show them count on."""
    reader = MarkdownIt("gfm-like", {"linkify": False})
    tokens = reader.parse(text)
    for token in tokens:
        if token.type == "list_item_open" and token.info:
            token.attrSet("value", token.info)
    return str(reader.renderer.render(tokens, reader.options, {}))


def _of_html(text: str) -> str:
    if not text.strip():
        return ""
    tree = lxml.html.fromstring(f"<div>{text}</div>" if "<html" not in text else text.encode())
    lxml.etree.strip_elements(tree, "style", "script", "title", with_tail=False)
    for listing in tree.iter("ol"):
        number = int(listing.get("start", "1")) - 1
        for item in listing.iterchildren("li"):
            number = int(item.get("value", number + 1))
            said = item.get("data-marker") or count_of(number, _STYLES[listing.get("type", "1")])
            item.text = f"{said} {item.text or ''}"
    for element in tree.iter(*_BLOCKS):
        element.tail = f" {element.tail or ''}"
    return str(tree.xpath("string()"))


def _of_record(record: dict[str, Any]) -> Iterator[str]:
    for page in record["result"]["pages"]:
        for item in page["content"]:
            if item["type"] == "table":
                yield re.sub(r"<[^<>]*>", " ", html.unescape(item["text"]))
            elif item["type"] != "image":
                yield item["text"]


def _of_slides(path: Path) -> Iterator[str]:
    for slide in pptx.Presentation(str(path)).slides:
        for shape in slide.shapes:
            frame: Any = shape
            if shape.has_text_frame:
                yield frame.text_frame.text
            if shape.has_table:
                yield from (cell.text for row in frame.table.rows for cell in row.cells)
        if slide.has_notes_slide:
            yield slide.notes_slide.notes_text_frame.text if slide.notes_slide.notes_text_frame else ""


def _of_word(path: Path) -> Iterator[str]:
    """Paragraphs with the numbers that Word counts, without what its fields would show on some page."""
    with zipfile.ZipFile(path) as parts:
        numbers = Numbers(lxml.etree.fromstring(parts.read("word/numbering.xml")))
        for name in filter(_WORD_PARTS.fullmatch, parts.namelist()):
            root = lxml.etree.fromstring(parts.read(name))
            lxml.etree.strip_elements(root, f"{_WORD}fldSimple", with_tail=False)
            for paragraph in root.iter(f"{_WORD}p"):
                said = (
                    (each.text or "") if each.tag == f"{_WORD}t" else _BREAKS.get(str(each.tag), "")
                    for each in paragraph.iter()
                )
                yield f"{numbers.label(paragraph)} {''.join(said)}"


def _of_workbook(path: Path) -> Iterator[str]:
    for sheet in openpyxl.load_workbook(path, data_only=True):
        for row in sheet.iter_rows():
            for cell in row:
                if isinstance(cell.value, float | int) and cell.number_format != "General":
                    yield " ".join([f"{cell.value:.2f}", *re.findall(r'"([^"]+)"', cell.number_format)])
                elif cell.value is not None:
                    yield str(cell.value)
