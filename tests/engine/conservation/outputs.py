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
from markdown_it import MarkdownIt

from paperchute.engine.readback import _plain_rtf

_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_BREAKS = {f"{_WORD}tab": "\t", f"{_WORD}br": " ", f"{_WORD}noBreakHyphen": "-"}
_WORD_PARTS = re.compile(r"word/(document|header\d*|footer\d*|footnotes|endnotes|comments)\.xml")
_FIELD = re.compile(r"(?<=fldinst \{)[^{}]*? (?:PAGE|NUMPAGES) |\\fldrslt \{[^{}]* 1\}")
_BLOCKS = ("td", "th", "p", "li", "br", "div", "tr", "h1", "h2", "h3", "h4", "h5", "h6", "pre")


def text_of(paths: Sequence[Path]) -> str:
    """All text of the files of a result."""
    records = [path for path in paths if path.suffix == ".json"]  # what stands beside them says the same again
    return "\n".join(part for path in records or paths for part in _read(path))


def _read(path: Path) -> Iterator[str]:
    match path.suffix:
        case ".md":
            yield _of_html(MarkdownIt("gfm-like", {"linkify": False}).render(path.read_text("utf-8")))
        case ".csv":
            yield path.read_text("utf-8-sig")
        case ".html":
            yield _of_html(path.read_text("utf-8"))
        case ".json":
            yield from _of_record(json.loads(path.read_text("utf-8")))
        case ".docx":
            yield from _of_word(path)
        case ".xlsx":
            yield from _of_workbook(path)
        case ".rtf":
            yield _plain_rtf(_FIELD.sub(" ", path.read_text("ascii")))


def _of_html(text: str) -> str:
    if not text.strip():
        return ""
    tree = lxml.html.fromstring(f"<div>{text}</div>" if "<html" not in text else text.encode())
    lxml.etree.strip_elements(tree, "style", "script", "title", with_tail=False)
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


def _of_word(path: Path) -> Iterator[str]:
    with zipfile.ZipFile(path) as parts:
        for name in parts.namelist():
            if _WORD_PARTS.fullmatch(name):
                for paragraph in lxml.etree.fromstring(parts.read(name)).iter(f"{_WORD}p"):
                    yield "".join(
                        (each.text or "") if each.tag == f"{_WORD}t" else _BREAKS.get(str(each.tag), "")
                        for each in paragraph.iter()
                    )


def _of_workbook(path: Path) -> Iterator[str]:
    for sheet in openpyxl.load_workbook(path):
        for row in sheet.iter_rows():
            for cell in row:
                if isinstance(cell.value, float | int) and cell.number_format != "General":
                    yield f"{cell.value:.2f}"
                elif cell.value is not None:
                    yield str(cell.value)
