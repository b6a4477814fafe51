"""The words of files as other programs read them: poppler, python-docx, openpyxl, python-pptx, lxml, markdown-it.

Nothing here is the engine's own, so that what it says of its results has a second witness.
"""

from __future__ import annotations

import csv
import html
import io
import json
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

import docx
import lxml.etree
import lxml.html
import openpyxl
import pptx
from markdown_it import MarkdownIt

LONGEST = 60  # seconds for one file

_WORDS = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_DRAWING = "{http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing}docPr"
_WORD_PARTS = re.compile(r"/word/(document|header\d*|footer\d*|footnotes|endnotes|comments)\.xml")
_WORD_GAPS = {f"{_WORDS}tab": "\t", f"{_WORDS}br": " ", f"{_WORDS}noBreakHyphen": "-"}
_HTML_BLOCKS = (
    "td",
    "th",
    "p",
    "li",
    "br",
    "div",
    "tr",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "pre",
    "option",
    "dt",
    "dd",
)
_RTF_SIGN = re.compile(r"\\([a-z]+)(-?\d+)? ?|\\'([0-9a-fA-F]{2})|\\([^a-z])|([{}])|([^\\{}\r\n]+)|[\r\n]+")
_RTF_ASIDE = {
    "fonttbl",
    "colortbl",
    "stylesheet",
    "info",
    "pict",
    "listtable",
    "listoverridetable",
    "generator",
    "fldinst",
}
_RTF_SHOWN = {"shptxt", "annotation"}  # within what readers may leave out
_RTF_GAPS = {"par", "line", "cell", "row", "sect", "page", "tab", "footnote", "header", "footer"}


def text_of(paths: Sequence[Path], kind: str = "") -> str:
    """All text of the files. kind: of what has no suffix of its own."""
    records = [path for path in paths if path.suffix == ".json"]  # what stands beside them says the same again
    return "\n".join(text for path in records or paths for text in _texts(path, kind or path.suffix[1:].lower()))


def counted(paths: Sequence[Path]) -> int:
    """How many marks of lists and notes of a result its reader counts, so that they stand nowhere in its text."""
    count = 0
    for path in paths:
        match path.suffix:
            case ".docx":
                parts = (getattr(part, "element", None) for part in docx.Document(str(path)).part.package.iter_parts())
                marks = (f"{_WORDS}numPr", f"{_WORDS}footnoteReference", f"{_WORDS}footnoteRef")
                count += sum(1 for root in parts if root is not None for _mark in root.iter(*marks))
                count += _styled_lists(path)
            case ".md":
                count += len(re.findall(r"^\s*\d+[.)]\s", path.read_text("utf-8"), re.MULTILINE))
            case ".html":
                count += path.read_text("utf-8").count("<li")
            case ".rtf":
                text = path.read_text("ascii")
                count += text.count("\\chftn") + text.count("\\ls")
    return count


def can_read(kind: str) -> bool:
    """Whether what reads a kind of file is installed."""
    return kind != "pdf" or shutil.which("pdftotext") is not None


def _styled_lists(path: Path) -> int:
    return sum((each.style.name or "").startswith("List") for each in docx.Document(str(path)).paragraphs if each.style)


def _texts(path: Path, kind: str) -> Iterator[str]:
    match kind:
        case "pdf":
            yield _of_pdf(path)
        case "md":
            yield _of_html(MarkdownIt("gfm-like", {"linkify": False}).render(path.read_text("utf-8-sig")))
        case "html":
            yield _of_html(path.read_text("utf-8", "replace"))
        case "csv":
            rows = csv.reader(io.StringIO(path.read_text("utf-8-sig", "replace"), newline=""))
            yield from (cell for row in rows for cell in row)
        case "docx":
            yield from _of_word(path)
        case "xlsx":
            yield from _of_workbook(path)
        case "pptx":
            yield from _of_slides(path)
        case "rtf":
            yield _of_rtf(path.read_text("ascii"))
        case "json":
            yield from _of_record(json.loads(path.read_text("utf-8")))
        case "txt":
            yield path.read_text("utf-8-sig", "replace")


def _of_pdf(path: Path) -> str:
    given = ["pdftotext", "-q", "-enc", "UTF-8", str(path), "-"]
    return subprocess.run(given, capture_output=True, timeout=LONGEST, check=False).stdout.decode("utf-8", "replace")


def _of_html(text: str) -> str:
    if not text.strip():
        return ""
    tree: Any = lxml.html.fromstring(text.encode() if "<html" in text.lower() else f"<div>{text}</div>")
    for element in tree.xpath("//style|//script|//title|//comment()"):
        element.drop_tree()
    for element in tree.iter(*_HTML_BLOCKS):
        element.tail = f" {element.tail or ''}"
    spoken = " ".join(tree.xpath("//@alt|//@aria-label"))
    return f"{tree.text_content()} {spoken}"


def _of_word(path: Path) -> Iterator[str]:
    for part in docx.Document(str(path)).part.package.iter_parts():
        if _WORD_PARTS.fullmatch(str(part.partname)):
            root: Any = getattr(part, "element", None)
            for paragraph in (lxml.etree.fromstring(part.blob) if root is None else root).iter(f"{_WORDS}p"):
                yield "".join(
                    (each.text or "") if each.tag == f"{_WORDS}t" else _WORD_GAPS.get(str(each.tag), "")
                    for each in paragraph.iter()
                )
                yield from (str(each.get("descr") or "") for each in paragraph.iter(_DRAWING))


def _of_workbook(path: Path) -> Iterator[str]:
    for sheet in openpyxl.load_workbook(path, data_only=True):
        for row in sheet.iter_rows():
            for cell in row:
                if cell.value is not None:
                    yield _of_value(cell.value)
                    yield from re.findall(r'"([^"]*)"', cell.number_format.partition(";")[0])
                if cell.comment is not None:
                    yield cell.comment.text


def _of_value(value: object) -> str:
    if isinstance(value, datetime | date):
        day = f"{value.day} {value.month} {value.year} {value.year % 100} {value:%B %b}"
        return f"{day} {value:%H %M %S}" if isinstance(value, datetime) else day
    if isinstance(value, time):
        return f"{value:%H %M %S}"
    return f"{value:.12g}" if isinstance(value, float) else str(value)


def _of_slides(path: Path) -> Iterator[str]:
    for slide in pptx.Presentation(str(path)).slides:
        yield from (_of_shape(shape) for shape in slide.shapes)
        if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
            yield slide.notes_slide.notes_text_frame.text


def _of_shape(shape: Any) -> str:
    if shape.has_text_frame:
        return str(shape.text_frame.text)
    if getattr(shape, "has_table", False):
        return "\n".join(cell.text for row in shape.table.rows for cell in row.cells)
    return "\n".join(_of_shape(each) for each in getattr(shape, "shapes", ()))


def _of_record(record: dict[str, Any]) -> Iterator[str]:
    for page in record["result"]["pages"]:
        for item in page["content"]:
            if item["type"] == "table":
                yield html.unescape(re.sub(r"<[^<>]*>", " ", item["text"]))
            else:
                yield item["text"]


def _of_rtf(text: str) -> str:
    """Its text, by the groups that the RTF specification 1.9 names as destinations."""
    found: list[str] = []
    aside, stack, skip = False, [], 0
    for match in _RTF_SIGN.finditer(text):
        word, number, octet, sign, brace, plain = match.groups()
        if brace == "{":
            stack.append(aside)
        elif brace == "}":
            aside = stack.pop() if stack else False
        elif word in _RTF_SHOWN:
            aside = False
        elif word in _RTF_ASIDE or sign == "*":
            aside = True
        elif aside:
            continue
        elif word == "u" and number is not None:
            found.append(chr(int(number) % 65536))
            skip = 1
        elif word is not None:
            found.append(" " if word in _RTF_GAPS else "")
        elif octet is not None:
            found.append("" if skip else bytes.fromhex(octet).decode("cp1252", "replace"))
            skip = 0
        elif sign is not None:
            found.append({"~": " ", "_": "-"}.get(sign, sign))
        elif plain is not None:
            found.append(plain[skip:])
            skip = 0
    return "".join(found).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
