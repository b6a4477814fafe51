"""Pictures in the cells of tables stay in these cells: in Word, RTF and HTML that flows."""

from __future__ import annotations

import re
from pathlib import Path

import docx
import lxml.html
import pytest

from paperchute.engine.document.cell_pictures import with_cell_pictures
from paperchute.engine.document.geometry import Box
from tests.engine.reading.printing import picture as red
from tests.engine.reading.printing import printed, read
from tests.engine.writing.models import block, line, page, picture, table
from tests.engine.writing.sample import outputs

ITEMS = ("Mooring ring", "Brass cleat", "Oak post", "Iron bollard", "Rope guard")
RULED = "table {border-collapse:collapse; width:100%} td, th {border:1px solid black; padding:3pt}"
PLAIN = "table {border-collapse:collapse; width:100%} td, th {padding:3pt; text-align:left}"


def _price_list(folder: Path, css: str, *, first: bool = False, head: str = "Picture") -> Path:
    """Five items, a picture with each. first: it stands in the first column."""
    rows = [("Number", head, "Item", "Price")]
    rows += [(f"10{n}", f"<img src='{red(40 + n)}'>", name, f"1{n}.50") for n, name in enumerate(ITEMS)]
    order = (1, 0, 2, 3) if first else (0, 1, 2, 3)
    made = "".join(f"<tr>{''.join(f'<td>{row[n]}</td>' for n in order)}</tr>" for row in rows)
    text = f"<h1>Price list</h1><p>In euro.</p><table>{made}</table><p>Ask for other sizes.</p>"
    return printed(folder / "a.pdf", text, f"{css} img {{width:45pt; height:30pt}}")


@pytest.mark.parametrize(
    ("css", "first", "head"),
    [
        (RULED, False, "Picture"),
        (RULED, False, ""),
        (RULED, True, ""),
        (PLAIN, False, "Picture"),
        (PLAIN, False, ""),
        (PLAIN, True, ""),
    ],
)
def test_each_picture_stands_beside_its_item(tmp_path: Path, css: str, first: bool, head: str) -> None:
    pdf = _price_list(tmp_path, css, first=first, head=head)
    document = docx.Document(str(outputs("pdf-to-docx", pdf, tmp_path / "docx")[0]))
    rows = [row for row in document.tables[-1].rows if row.cells[2].text in ITEMS]
    drawn = [[len(cell._tc.findall(".//{*}drawing")) for cell in row.cells] for row in rows]
    assert drawn == [[1, 0, 0, 0] if first else [0, 1, 0, 0]] * len(ITEMS)
    assert len(document.inline_shapes) == len(ITEMS)
    page = lxml.html.parse(outputs("pdf-to-html", pdf, tmp_path / "html")[0]).getroot()
    assert [
        (cell.getparent().findall("td")[2].text_content(), len(page.findall(".//figure")))
        for cell in page.iterfind(".//td[img]")
    ] == [(name, 0) for name in ITEMS]
    rtf = outputs("pdf-to-rtf", pdf, tmp_path / "rtf")[0].read_text("ascii")
    cells = [cell for cell in re.split(r"\\cell\b", rtf) if "\\pict" in cell]
    assert len(cells) == len(ITEMS)
    assert all(re.search(r"\\intbl[^{}]*\{\\pict", cell) for cell in cells)


def test_a_picture_over_or_beside_a_cells_words_stays_there(tmp_path: Path) -> None:
    text = f"<td>Beside</td><td><img src='{red()}' style='width:30pt'> words</td>"
    under = f"<td>Under</td><td>words<br><img src='{red(50)}' style='width:30pt'></td>"
    over = f"<td>Over</td><td><img src='{red(70)}' style='width:30pt'><br>words</td>"
    rows = "".join(f"<tr>{row}</tr>" for row in (text, under, over))
    pdf = printed(tmp_path / "a.pdf", f"<table>{rows}</table>", RULED)
    document = docx.Document(str(outputs("pdf-to-docx", pdf, tmp_path / "out")[0]))
    cells = [row.cells[1] for row in document.tables[0].rows]
    said = [
        ["".join("picture" if e.tag.endswith("drawing") else e.text or "" for e in p._p.iter("{*}drawing", "{*}t"))
         for p in cell.paragraphs]
        for cell in cells
    ]  # fmt: skip
    assert said == [["picturewords"], ["words", "picture"], ["picture", "words"]]


def test_a_picture_that_stands_in_no_cell_stays_where_it_is() -> None:
    grid = table([["Item", "Price"], ["Quay", "12.50"], ["Post", "4.20"]])
    over_words = picture(box=Box(74, 222, 94, 238))
    below, beside = picture(box=Box(72, 300, 172, 350)), picture(box=Box(300, 222, 320, 238))
    found = with_cell_pictures(page(grid, over_words, below, beside)).blocks
    assert list(found) == [grid, over_words, below, beside]


def test_two_pictures_beside_rows_are_no_column_where_they_stand_under_each_other_by_chance(tmp_path: Path) -> None:
    """One beside a row, one beside the text below the table."""
    grid = table([["Item", "Price"], ["Quay", "12.50"], ["Post", "4.20"]])
    beside, lower = picture(box=Box(300, 222, 330, 238)), picture(box=Box(300, 280, 330, 298))
    text = block(line("Ask for other sizes.", 285))
    assert list(with_cell_pictures(page(grid, beside, lower, text)).blocks) == [grid, beside, lower, text]


@pytest.mark.parametrize(("rows", "joins"), [(3, True), (6, False)])
def test_few_pictures_beside_a_long_table_are_none_of_it(rows: int, joins: bool) -> None:
    grid = table([["Item", "Price"], *([f"Quay {n}", "12.50"] for n in range(rows))])
    beside = [picture(box=Box(300, 221 + 20 * n, 330, 239 + 20 * n)) for n in range(2)]
    found = with_cell_pictures(page(grid, *beside)).blocks
    assert len(found) == (1 if joins else 3)
    assert found[0].table is not None
    assert found[0].table.columns == (3 if joins else 2)


def test_a_table_is_read_where_its_first_picture_stands(tmp_path: Path) -> None:
    with read(_price_list(tmp_path, PLAIN, first=True, head="")) as pages:
        blocks = with_cell_pictures(pages[0]).blocks
    kinds = [one.kind for one in blocks]
    assert kinds.index("table") < len(kinds) - 1
    assert blocks[-1].text == "Ask for other sizes."
