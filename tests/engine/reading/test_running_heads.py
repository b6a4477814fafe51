"""Running heads, feet and page numbers leave the text only where the pages prove them, and their words stay once."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

import openpyxl
import pytest
from openpyxl.cell.rich_text import CellRichText

from paperchute.contract import Value
from paperchute.engine.document.running import is_number
from paperchute.engine.operations import implementation
from paperchute.engine.work import Source, Work
from tests.engine.reading.sheets import Said, words_of, written

BODY = (
    "Harbours of the north were rebuilt in brick after the storms of that winter,",
    "while timber quays needed repair in nearly every year that followed it, and",
    "the accounts of the harbour office show what each of these repairs had cost.",
)

FORMATS: dict[str, Callable[[list[Path]], str]] = {
    "pdf-to-markdown": lambda paths: paths[0].read_text("utf-8"),
    "pdf-to-html": lambda paths: re.sub(r"<style>.*?</style>|<[^>]+>", " ", paths[0].read_text("utf-8"), flags=re.S),
    "pdf-to-xlsx": lambda paths: _workbook(paths[0]),
    "pdf-to-docx": lambda paths: _parts(paths[0]),
    "pdf-to-rtf": lambda paths: paths[0].read_text("ascii"),
    "document-parsing": lambda paths: _blocks(paths[0]),
}


def _workbook(path: Path) -> str:
    """The texts of its cells, each run of one look by itself: a raised number is a word of its own."""
    book = openpyxl.load_workbook(path, rich_text=True)
    cells = (value for sheet in book for row in sheet.iter_rows(values_only=True) for value in row if value is not None)
    return "\n".join(" ".join(map(str, value)) if isinstance(value, CellRichText) else str(value) for value in cells)


def _blocks(path: Path) -> str:
    pages = json.loads(path.read_text("utf-8"))["result"]["pages"]
    return "\n".join(re.sub(r"<[^>]+>", " ", item["text"]) for page in pages for item in page["content"])


def _parts(path: Path) -> str:
    with zipfile.ZipFile(path) as parts:
        names = [n for n in parts.namelist() if re.match(r"word/(document|header|footer|footnotes)\d*\.xml", n)]
        xml = " ".join(parts.read(name).decode() for name in names)
    return re.sub(r"<[^>]+>", " ", re.sub(r"</w:t></w:r><w:r>(?:<w:rPr>.*?</w:rPr>)?<w:t[^>]*>", "", xml))


def _text(operation: str, pdf: Path, folder: Path, **parameters: Value) -> str:
    folder.mkdir()
    work = Work(operation, (Source("file", pdf, pdf.name, "pdf"),), parameters, folder)
    return FORMATS[operation](implementation(operation).run(work))


def _paragraph(y: float, number: int) -> list[Said]:
    return [Said(f"{line} ({number}.{n})", 72, y + 14 * n) for n, line in enumerate(BODY)]


def _access(pages: int = 5, rows: int = 40) -> list[list[Said]]:
    """A web server's log."""
    line = '10.0.0.{} - - [03/Mar/2026:10:{:02}:07 +0000] "GET /page/{} HTTP/1.1" 200 512'
    return [
        [Said(line.format(n % 9, n % 60, 1000 + n), 57, 66 + 17.6 * row, 10, "M") for row, n in enumerate(numbers)]
        for numbers in (range(rows * page, rows * (page + 1)) for page in range(pages))
    ]


def _parts_list(pages: int = 5, rows: int = 40) -> list[list[Said]]:
    line = "Part {} was shipped on 3 March 2026 for 4.20 EUR."
    return [
        [Said(line.format(10000 + rows * page + row), 57, 66 + 17.6 * row, 10) for row in range(rows)]
        for page in range(pages)
    ]


def _serial(pages: int = 3) -> list[list[Said]]:
    """Reminders, a page each."""
    return [
        [
            Said("Reminder", 72, 84, 18, "B"),
            Said("Dear customer,", 72, 112),
            Said(f"Your invoice {4100 + 37 * page} of {page + 3} March is still open.", 72, 140),
            Said("Please pay within ten days.", 72, 154),
            Said("Yours sincerely", 72, 182),
        ]
        for page in range(pages)
    ]


def _chapters() -> list[list[Said]]:
    heads = ("1 Scope", "2 Costs", "3 Risks")
    return [
        [Said(head, 72, 84, 16, "B"), Said("This chapter says what counts.", 72, 112), *_paragraph(140, n)]
        for n, head in enumerate(heads)
    ]


def _invoices(pages: int = 2) -> list[list[Said]]:
    return [
        [
            Said(f"Invoice {1001 + page}", 72, 84, 16, "B"),
            Said(f"Customer {310 + page} ordered {7 + page} cranes.", 72, 120),
            Said(f"Net {page + 4}50.00 EUR, payable in {page + 2}0 days.", 72, 134),
        ]
        for page in range(pages)
    ]


def _small_invoices() -> list[list[Said]]:
    """The number counts on with the pages, as a page number does, but it is none."""
    return [[Said(f"Invoice {1001 + n}", 72, 60), *_paragraph(110, n), *_paragraph(180, n + 7)] for n in range(4)]


def _footnotes() -> list[list[Said]]:
    """Notes at one height, one on each page, that count on with the pages."""
    return [
        [
            *_paragraph(84, n),
            *_paragraph(140, n),
            Said(f"{n + 1}", 72, 764, 9),
            Said(f"See the accounts of {1840 + 7 * n}.", 82, 764, 9),
        ]
        for n in range(4)
    ]


def _columns_of_numbers() -> list[list[Said]]:
    return [[Said(str(17 * (n + 9 * page)), 72, 70 + 26 * n) for n in range(26)] for page in range(3)]


DOCUMENTS = {
    "access": _access,
    "parts": _parts_list,
    "log": lambda: _access(3, 41),
    "serial": _serial,
    "chapters": _chapters,
    "v7": _invoices,
    "small invoices": _small_invoices,
    "footnotes": _footnotes,
    "numbers": _columns_of_numbers,
}


@pytest.mark.parametrize("operation", FORMATS)
@pytest.mark.parametrize("name", DOCUMENTS)
def test_no_word_of_the_text_is_lost(name: str, operation: str, tmp_path: Path) -> None:
    pages = DOCUMENTS[name]()
    text = _text(operation, written(tmp_path / "a.pdf", pages), tmp_path / "out")
    wanted = words_of(" ".join(line.text for page in pages for line in page))
    assert wanted - words_of(text) == {}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_it_stays_in_order(name: str, tmp_path: Path) -> None:
    pages = DOCUMENTS[name]()
    text = _text("pdf-to-markdown", written(tmp_path / "a.pdf", pages), tmp_path / "out")
    at = [text.index(re.findall(r"\w+", page[0].text)[-1]) for page in pages if page[0].text.startswith("Invoice")]
    assert at == sorted(at)


def _reports(pages: int, head: str = "Harbour report", foot: str = "{}") -> list[list[Said]]:
    return [
        [
            Said(head, 72, 50, 9),
            *(line for n in range(8) for line in _paragraph(100 + 60 * n, 10 * page + n)),
            Said(foot.format(page + 7), 290, 800, 9),
        ]
        for page in range(pages)
    ]


@pytest.mark.parametrize("pages", [2, 3, 6])
@pytest.mark.parametrize("operation", FORMATS)
def test_a_running_head_stands_once_and_page_numbers_go(operation: str, pages: int, tmp_path: Path) -> None:
    said = _reports(pages)
    text = _text(operation, written(tmp_path / "a.pdf", said), tmp_path / "out")
    every = operation == "document-parsing"  # whose result.json has all that is on a page, and says what it is
    assert text.count("Harbour report") == (pages if every else 1)
    assert (f"{pages + 6}" in text.split()) == every


def test_in_a_text_with_marks_it_is_marked(tmp_path: Path) -> None:
    pdf = written(tmp_path / "a.pdf", _reports(3))
    text = _text("pdf-to-markdown", pdf, tmp_path / "md")
    assert "\n\n<header>Harbour report</header>\n\n" in text
    assert not text.startswith("<header>")  # a document begins with its own text
    folder = tmp_path / "html"
    folder.mkdir()
    work = Work("pdf-to-html", (Source("file", pdf, "a.pdf", "pdf"),), {}, folder)
    assert implementation("pdf-to-html").run(work)[0].read_text("utf-8").count("<header>Harbour report</header>") == 1


def test_heads_that_change_stand_once_each_where_a_page_number_proves_them(tmp_path: Path) -> None:
    chapters = ("Piers", "Piers", "Cranes", "Cranes", "Dredging", "Lights")
    pages = [
        [Said(chapter, 72, 50, 9), Said(str(31 + n), 510, 50, 9)]
        + [line for k in range(8) for line in _paragraph(100 + 60 * k, 10 * n + k)]
        for n, chapter in enumerate(chapters)
    ]
    text = _text("pdf-to-markdown", written(tmp_path / "a.pdf", pages), tmp_path / "out")
    heads = re.findall(r"<header>(.*?)</header>", text)
    assert heads == ["Piers", "Cranes", "Dredging", "Lights"]


@pytest.mark.parametrize(
    ("head", "size", "font"),
    [
        ("Weekly exercises", 16, "R"),  # a slide's or sheet's title
        ("Weekly exercises", 11, "B"),
        ("Dear customer,", 11, "R"),
    ],
)
def test_what_may_be_a_title_or_a_salutation_stays_on_every_page(
    head: str, size: float, font: str, tmp_path: Path
) -> None:
    pages = [[Said(head, 72, 60, size, font), *_paragraph(110, n), *_paragraph(180, n + 9)] for n in range(4)]
    text = _text("pdf-to-markdown", written(tmp_path / "a.pdf", pages), tmp_path / "out")
    assert text.count(head) == 4


def test_lines_that_repeat_close_to_the_text_stay(tmp_path: Path) -> None:
    pages = [
        [Said("The watch reports no ship in sight.", 72, 60), *_paragraph(74, n), *_paragraph(116, n + 9)]
        for n in range(4)
    ]
    text = _text("pdf-to-markdown", written(tmp_path / "a.pdf", pages), tmp_path / "out")
    assert text.count("reports no ship") == 4


@pytest.mark.parametrize(
    ("text", "number"),
    [
        *(("7", True), ("- 7 -", True), ("Page 7 of 9", True), ("vii", True), ("XIV", True), ("3-12", True)),
        *(("civil", False), ("Li", False), ("ivi", False), ("Invoice 7", False), ("12345", False), ("mix", False)),
    ],
)
def test_what_is_a_page_number(text: str, number: bool) -> None:
    assert is_number(text) == number


def _numbers(pages: Sequence[Sequence[Said]], folder: Path) -> list[str]:
    text = _text("pdf-to-markdown", written(folder / "a.pdf", pages), folder / "out")
    return re.findall(r"^\d+$", text, re.M)


def test_a_lone_number_at_the_edge_under_the_text_is_the_page_s(tmp_path: Path) -> None:
    text = [line for n in range(9) for line in _paragraph(90 + 60 * n, n)]
    assert _numbers([[*text, Said("62", 270, 800)]], tmp_path) == []


@pytest.mark.parametrize("place", [(150.0, 800.0), (490.0, 660.0)])
def test_a_lone_number_elsewhere_stays(place: tuple[float, float], tmp_path: Path) -> None:
    text = [line for n in range(9) for line in _paragraph(90 + 60 * n, n)]
    assert _numbers([[*text, Said("62", *place)]], tmp_path) == ["62"]


def test_the_heads_of_a_small_book_stand_deep_and_on_its_empty_pages_too(tmp_path: Path) -> None:
    pages = []
    for number in range(4, 11):
        x, head = (460, 72) if number % 2 else (72, 300)
        title = "1.1. REPAIRS" if number % 2 else f"CHAPTER {number // 4}. HARBOURS"
        text = [] if number == 10 else [Said(BODY[0], 72, 190 + 14 * n) for n in range(8)]
        pages.append([Said(str(number), x, 148), Said(title, head, 148), *text])
    found = _text("pdf-to-markdown", written(tmp_path / "a.pdf", pages), tmp_path / "out")
    assert "#" not in found
    assert [found.count(head) for head in ("REPAIRS", "CHAPTER 1", "CHAPTER 2")] == [1, 1, 1]
    assert not re.search(r"^(?:[4-9]|10)\b", found, re.M)


def test_a_foot_in_the_type_of_the_text_is_one_where_it_stands_on_each_page(tmp_path: Path) -> None:
    """Word sets feet so, and most documents of offices number no pages."""
    pages = [[*_paragraph(72, n), *_paragraph(130, n + 9), Said("Notices of the office", 72, 806)] for n in range(3)]
    text = _text("pdf-to-markdown", written(tmp_path / "a.pdf", pages), tmp_path / "out")
    assert text.count("Notices of the office") == 1
    assert "<footer>Notices of the office</footer>" in text


def _headed(pages: int, first: str) -> list[list[Said]]:
    """Pages under a head in larger bold type, which begin with one line."""
    return [
        [
            Said("HARBOUR ADVANCES", 72, 40, 15, "B"),
            Said(f"{first} ({page})", 72, 80),
            *(line for n in range(8) for line in _paragraph(94 + 60 * n, n)),
        ]
        for page in range(pages)
    ]


@pytest.mark.parametrize(("pages", "first"), [(6, "Dear customer, the quay is closed from Monday on."), (2, BODY[1])])
def test_the_title_of_serial_letters_stays(pages: int, first: str, tmp_path: Path) -> None:
    text = _text("pdf-to-markdown", written(tmp_path / "a.pdf", _headed(pages, first)), tmp_path / "out")
    assert text.count("HARBOUR ADVANCES") == pages
