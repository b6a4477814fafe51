"""The files of a result read back: whether the words that they must have stand in them."""

from __future__ import annotations

import html
import json
import re
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cache
from itertools import count
from pathlib import Path
from typing import NamedTuple

from paperchute.engine.document.model import Block
from paperchute.engine.word_count import flowed_texts, joined, missing
from paperchute.engine.word_numbers import counted_numbers
from paperchute.engine.words import months

_WORD = re.compile(r"\w+")
_MOST_WORDS = 200_000
"""Different words that are remembered, some 20 MB: more than a language has. Beyond them nothing is compared."""
_MOST_BYTES = 256 << 20  # of a file that is read back

_STYLES = re.compile(r"<(style|head)\b.*?</\1>", re.DOTALL)
_SPOKEN = re.compile(r'<[^<>]*? (?:alt|descr)="([^"]*)"[^<>]*>')
_INLINE = re.compile(
    r"</?(?:span|b|i|u|s|em|strong|code|sup|sub|a|bdo|small|mark|w:r|w:t|w:rPr|w:hyperlink|a:r|a:t)\b[^<>]*>"
)
_RUN_LOOKS = re.compile(r"<w:rPr>.*?</w:rPr>", re.DOTALL)
_SLIDE_LOOKS = re.compile(r"<a:rPr\b[^<>]*/>|<a:rPr\b.*?</a:rPr>", re.DOTALL)
_TAG = re.compile(r"<[^<>]*>")
_MARKDOWN_TAG = re.compile(
    r"</?(?:table|tr|td|th|br|em|strong|code|sup|sub|header|footer)(?: (?:row|col)span=\"\d+\")*>"
)
_MARKDOWN_SIGN = re.compile(r"[<&\\]|\]\(")
_MARKDOWN_LINK = re.compile(r"\]\([^()\s]*\)")
_MARKDOWN_ESCAPE = re.compile(r"\\(?=[!-/:-@\[-`{-~])")
_COUNTED = re.compile(r"<w:footnoteReference w:id=\"\d+\"/>|<w:footnoteRef/>")
_NOTES_FROM = re.compile(r"<w:numStart w:val=\"(\d+)\"/>")
_RTF_NOTES_FROM = re.compile(r"\\ftnstart(\d+)")
_RTF_COUNTED = re.compile(r"\\chftn\b ?")
"""The mark of a footnote that the word processor counts: in the text, and in RTF right after it in the note too."""
_INITIAL = re.compile(
    r"(<w:framePr\b[^<>]*/>(?:(?!</w:p>).)*)</w:p><w:p(?: [^<>]*)?>(?:<w:pPr>.*?</w:pPr>)?", re.DOTALL
)
"""A large first letter, which is a paragraph of its own before the rest of its word."""
_RTF_PICTURE = re.compile(r"\{\\pict[^{}]*\}")
_RTF_SIGN = re.compile(r"\\u(-?\d+) ?\??|\\'([0-9a-f]{2})|\\([a-z]+)(-?\d+)? ?|\\([^a-z])|[{}]|[\r\n]+")
_XLSX_PARTS = re.compile(r"xl/(?:worksheets/sheet\d+|comments\d+|sharedStrings)\.xml")
_NUMBER_CELL = re.compile(r'<c r="\w+" s="(\d+)"(?: t="n")?><v>([^<>]+)</v>')
_NUMBER_FORMAT = re.compile(r'<numFmt numFmtId="(\d+)" formatCode="([^"]*)"')
_FORMATTED = re.compile(r'<xf numFmtId="(\d+)"')
_QUOTED = re.compile(r'"([^"]*)"')
_FIRST_DAY = datetime(1899, 12, 30)  # the day 0 of workbooks
_CELL_LOOKS = re.compile(r"<rPr>.*?</rPr>", re.DOTALL)
_DOCX_PARTS = re.compile(r"word/(?:document|header\d*|footer\d*|footnotes|endnotes|comments)\.xml")

_PPTX_PARTS = re.compile(r"ppt/(?:slides/slide|notesSlides/notesSlide)\d+\.xml")


class Missing(NamedTuple):
    """What a result lacks. lost: words by page, 0 for no one page. joined: pages with words that became one."""

    lost: Counter[int]
    joined: list[int]


@dataclass(slots=True)
class Expected:
    """The words that a result must have. readable: as both sides are made alike before they are compared.

    numbers: those of lists are among them. spaced: all words are told apart by spaces, not by their places as on
    slides. page: on which stands what is added.
    """

    readable: Callable[[str], str]
    figures: bool = True
    numbers: bool = False
    spaced: bool = True
    page: int = 0
    words: Counter[str] = field(default_factory=Counter)
    full: bool = False
    _places: dict[str, int] = field(default_factory=dict)
    """The page of each word; 0 for one that stands on several."""

    def add(self, block: Block) -> None:
        """The words of a block.

        Not those that a page end may have broken, nor formulas, whose signs are written by their names in LaTeX.
        """
        if block.latex:
            return
        found = self._of("\n".join(flowed_texts(block)))
        marked = " ".join(item.marker for item in block.items if item.ordered) if self.numbers else ""
        if block.continues:
            found = found[1:]
        if block.lines and block.lines[-1].ends == "hyphen":
            found.pop()
        if not self.full:
            found += self._of(marked)
            self.words.update(found)
            for word in found:
                if self._places.setdefault(word, self.page) != self.page:
                    self._places[word] = 0
            self.full = len(self.words) > _MOST_WORDS

    def missing(self, paths: Sequence[Path]) -> Missing:
        """Tell which of them no file of the result has, and which run into each other there."""
        if self.full:
            return Missing(Counter(), [])
        records = [path for path in paths if path.suffix == ".json"]  # which say all that the texts beside them say
        there = Counter(word for path in records or paths for text in _read(path) for word in self._of(text))
        lost = Counter(self._places.get(word, 0) for word in missing(self.words, there))
        run_on = joined(self.words, there) if self.spaced else []
        return Missing(lost, sorted({self._places[word] for word in run_on} - {0}))

    def _of(self, text: str) -> list[str]:
        words = _WORD.findall(self.readable(text))
        return words if self.figures else [word for word in words if word.isalpha()]


def _read(path: Path) -> Iterator[str]:
    """The texts of one file of a result."""
    if path.stat().st_size > _MOST_BYTES:
        return
    match path.suffix.lower():
        case ".md" | ".csv" | ".txt":
            yield path.read_text("utf-8-sig")
        case ".html":
            yield _plain_html(_STYLES.sub(" ", path.read_text("utf-8")))
        case ".json":
            yield from _parsed(path)
        case ".docx":
            yield from _parts(path, _DOCX_PARTS, _RUN_LOOKS)
            with zipfile.ZipFile(path) as parts:
                body, numbering = (parts.read(f"word/{name}.xml").decode() for name in ("document", "numbering"))
            yield from counted_numbers(body, numbering)
        case ".pptx":
            yield from _parts(path, _PPTX_PARTS, _SLIDE_LOOKS)
        case ".xlsx":
            yield from _parts(path, _XLSX_PARTS, _CELL_LOOKS)
            yield from _shown_by_formats(path)
        case ".rtf":
            yield _plain_rtf(path.read_text("ascii"))


def _parts(path: Path, wanted: re.Pattern[str], looks: re.Pattern[str]) -> Iterator[str]:
    with zipfile.ZipFile(path) as parts:
        settings = parts.read("word/settings.xml").decode() if wanted is _DOCX_PARTS else ""
        start = _first_note(_NOTES_FROM.search(settings))
        for name in parts.namelist():
            if wanted.fullmatch(name):
                yield _plain_html(_with_marks(_INITIAL.sub(r"\1", looks.sub("", parts.read(name).decode())), start))


def _shown_by_formats(path: Path) -> Iterator[str]:
    """The words that a workbook's cells show with a number: those of its format, and the month of a date."""
    with zipfile.ZipFile(path) as parts:
        styles = parts.read("xl/styles.xml").decode()
        codes = {number: html.unescape(code) for number, code in _NUMBER_FORMAT.findall(styles)}
        cells = styles.partition("<cellXfs")[2].partition("</cellXfs>")[0]
        shown = [codes.get(number, "").partition(";")[0] for number in _FORMATTED.findall(cells)]
        for name in parts.namelist():
            if _XLSX_PARTS.fullmatch(name) and "sheet" in name:
                for style, value in _NUMBER_CELL.findall(parts.read(name).decode()):
                    yield from _QUOTED.findall(shown[int(style)])
                    if "mmm" in shown[int(style)]:
                        yield _month_name((_FIRST_DAY + timedelta(days=float(value))).month)


def with_equal_months(text: str) -> str:
    """With one name for each month, whatever the language: in cells of dates readers choose it."""
    numbers = months()
    return _WORD.sub(
        lambda word: _month_name(numbers[word[0].lower()]) if word[0].lower() in numbers else word[0], text
    )


@cache
def _month_name(number: int) -> str:
    return next(name for name, month in months("en").items() if month == number)


def _with_marks(text: str, start: int) -> str:
    marks = count(start)
    return _COUNTED.sub(lambda _: str(next(marks)), text)


def _parsed(path: Path) -> Iterator[str]:
    for page in json.loads(path.read_text("utf-8"))["result"]["pages"]:
        for item in page["content"]:
            yield _plain_html(item["text"]) if item["type"] == "table" else item["text"]


def _plain_html(text: str) -> str:
    text = _SPOKEN.sub(r" \1 ", text)
    return html.unescape(_TAG.sub(" ", _INLINE.sub("", text)))


def plain_markdown(text: str) -> str:
    """Without the signs and tags of Markdown; a text without any stays as it is, but for its escapes."""
    if _MARKDOWN_SIGN.search(text) is None:  # as most paragraphs
        return text
    text = _MARKDOWN_TAG.sub(
        lambda tag: "" if tag[0].strip("</>") in ("em", "strong", "code", "sup", "sub") else " ", text
    )
    return _MARKDOWN_ESCAPE.sub("", html.unescape(_MARKDOWN_LINK.sub(" ", text)))


def _plain_rtf(text: str) -> str:
    head, _, body = text.partition("\\ftnbj\n")  # before it stand names of fonts and styles
    marks = (number for number in count(_first_note(_RTF_NOTES_FROM.search(head))) for _ in range(2))
    body = _RTF_COUNTED.sub(lambda _: f"{{{next(marks)}}}", _RTF_PICTURE.sub(" ", body))
    plain = _RTF_SIGN.sub(_rtf_sign, body)
    return plain.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")  # it writes halves of letters


def _first_note(said: re.Match[str] | None) -> int:
    return int(said[1]) if said is not None else 1


def _rtf_sign(match: re.Match[str]) -> str:
    code, octet, word, _, sign = match.groups()
    if code is not None:
        return chr(int(code) % 65536)
    if octet is not None:
        return bytes.fromhex(octet).decode("cp1252", "replace")
    if word is not None:
        return " " if word in ("par", "tab", "line", "cell", "row", "sect", "page", "footnote") else ""
    return {"~": " ", "_": "-"}.get(sign, sign) if sign else ""
