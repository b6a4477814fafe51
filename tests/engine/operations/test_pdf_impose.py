"""Pages on sheets: each once, in its place, looking as it did, and found by what led to it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pikepdf
import pypdfium2 as pdfium
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pikepdf import Array, Dictionary, Name, String
from PIL import Image, ImageChops

from paperchute.engine import report
from paperchute.engine.document.geometry import Box
from paperchute.engine.pdf.imposition import PAPERS, Imposing, Layout, lay_out
from paperchute.engine.work import Refused
from tests.engine.operations.papers import done, locked, opens, paper, with_field, with_link, words, work

A4, A5 = PAPERS["A4"], PAPERS["A5"]


def _pages(count: int) -> list[str]:
    return [f"k{number}." for number in range(1, count + 1)]


def _place(path: Path, word: str, sheet: int = 0) -> tuple[float, float]:
    """Where a word begins on a sheet, in points from the bottom left."""
    with pdfium.PdfDocument(path) as document:
        text = document[sheet].get_textpage()
        found = text.search(word).get_next()
        assert found is not None, word
        left, bottom, _right, _top = text.get_charbox(found[0])
    return left, bottom


def _picture(path: Path, sheet: int = 0, scale: float = 1.0) -> Image.Image:
    with pdfium.PdfDocument(path) as document:
        return document[sheet].render(scale=scale).to_pil().convert("L")


# ---------- where pages go ----------


@given(st.integers(1, 60), st.sampled_from([2, 4, 6, 8, 9, 16]), st.booleans(), st.sampled_from(list(PAPERS.values())))
def test_each_page_is_there_once_and_in_order(
    count: int, per_sheet: int, down: bool, size: tuple[float, float]
) -> None:
    layout = lay_out([size] * count, Imposing(per_sheet=per_sheet, paper=A4, gap=3, margin=5, down=down))
    assert [index for side in layout.sides for index in side] == list(range(count))
    assert len(layout.cells) == per_sheet
    assert all(len(side) == per_sheet for side in layout.sides[:-1])
    for nth, cell in enumerate(layout.cells):
        assert cell.left >= 4.9
        assert cell.top >= 4.9
        assert cell.right <= layout.size[0] - 4.9
        assert cell.bottom <= layout.size[1] - 4.9
        assert all(_are_apart(cell, other) for other in layout.cells[nth + 1 :])


def _are_apart(one: Box, other: Box) -> bool:
    return any(a.right < b.left or a.bottom < b.top for a, b in ((one, other), (other, one)))


def _folded(layout: Layout) -> list[int | None]:
    """The pages as somebody reads them who laid front on back, folded the stack and leafs through it."""
    fronts, backs = layout.sides[::2], layout.sides[1::2]
    first = [page for front, back in zip(fronts, backs, strict=True) for page in (front[1], back[0])]
    second = [page for front, back in zip(fronts, backs, strict=True) for page in (front[0], back[1])]
    return first + second[::-1]


@pytest.mark.parametrize("count", range(1, 18))
def test_a_booklet_is_read_in_order(count: int) -> None:
    layout = lay_out([A4] * count, Imposing(is_booklet=True))
    whole = -(-count // 4) * 4
    assert _folded(layout) == [index if index < count else None for index in range(whole)]
    other = lay_out([A4] * count, Imposing(is_booklet=True, binding_right=True))
    assert [side[::-1] for side in other.sides] == layout.sides


def test_sheets_are_turned_as_pages_fit_best() -> None:
    assert lay_out([A4] * 2, Imposing()).size == (A4[1], A4[0])
    assert lay_out([A4] * 4, Imposing(per_sheet=4)).size == A4
    assert lay_out([A4[::-1]] * 2, Imposing()).size == A4
    assert lay_out([A4[::-1]] * 6, Imposing(per_sheet=6)).size == A4
    mixed = lay_out([A4[::-1], *[A5] * 40], Imposing())
    assert mixed.size == (A4[1], A4[0]), "the many count, not the first"


# ---------- what sheets show ----------


@pytest.mark.parametrize(("parameters", "columns"), [({"pagesPerSheet": 4}, 2), ({"pagesPerSheet": 9}, 3)])
@pytest.mark.parametrize("order", ["across", "down"])
def test_words_are_in_their_cells(tmp_path: Path, parameters: dict[str, Any], columns: int, order: str) -> None:
    source = paper(tmp_path / "in.pdf", *_pages(columns**2 + 1))
    output = done("pdf-impose", tmp_path, source, order=order, **parameters)
    first, last = words(output)
    assert "".join(first.split()) == "".join(_pages(columns**2)), "read in their order"
    assert last == f"k{columns**2 + 1}."
    for number in range(columns**2):
        row, column = divmod(number, columns) if order == "across" else divmod(number, columns)[::-1]
        expected = (column * 200 + 20) / columns, 100 - (row * 100 + 60) / columns
        assert _place(output, f"k{number + 1}.") == pytest.approx(expected, abs=1.5)


def test_a_booklet_shows_its_cover_and_tells_the_printer(tmp_path: Path) -> None:
    output = done("pdf-impose", tmp_path, paper(tmp_path / "in.pdf", *_pages(5)), layout="booklet", paper="A4")
    assert [" ".join(side.split()) for side in words(output)] == ["k1.", "k2.", "k3.", "k4. k5."]
    assert _place(output, "k1.")[0] > A4[1] / 2 > _place(output, "k2.", 1)[0], "k1 at the right, its back at the left"
    with pikepdf.open(output) as pdf:
        assert pdf.Root.ViewerPreferences.Duplex == Name.DuplexFlipShortEdge
        assert [float(v) for v in pdf.pages[0].mediabox[2:]] == [A4[1], A4[0]]


def _odd(path: Path, turn: int, unit: float = 1) -> Path:
    """Two pages that are turned, cut and in units of their own, each with a note and a black square in a corner."""
    with pikepdf.open(paper(path, "one", "two"), allow_overwriting_input=True) as pdf:
        for page in pdf.pages:
            page.Rotate, page.CropBox = turn, Array([10, 10, 190, 90])
            if unit != 1:
                page.UserUnit = unit
            page.contents_add(b" 0.5 g 10 10 30 20 re f 0 g 150 70 100 100 re f")
            look = pdf.make_stream(b"0.2 g 0 0 8 4 re f", Type=Name.XObject, Subtype=Name.Form, BBox=[0, 0, 9, 9])
            note = Dictionary(
                Type=Name.Annot, Subtype=Name.Stamp, Rect=Array([100, 20, 140, 40]), F=4, AP=Dictionary(N=look)
            )
            page.Annots = pdf.make_indirect(Array([note]))
        pdf.save(path)
    return path


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
@pytest.mark.parametrize("unit", [1, 2])
def test_pages_look_as_they_did_however_they_are_turned_and_cut(tmp_path: Path, turn: int, unit: float) -> None:
    source = _odd(tmp_path / "in.pdf", turn, unit)
    output = done("pdf-impose", tmp_path, source, paper="A3")
    was = _picture(source, scale=8)
    sheet = _picture(output)
    layout = lay_out([was.size] * 2, Imposing(paper=PAPERS["A3"]))
    assert sheet.size == pytest.approx(layout.size, abs=1)
    for cell in layout.cells:
        scale = min(cell.width / was.width, cell.height / was.height)
        x, y = (cell.width - was.width * scale) / 2, (cell.height - was.height * scale) / 2
        left, top = round(cell.left + x), round(layout.size[1] - cell.bottom + y)
        seen = sheet.crop((left, top, round(left + was.width * scale), round(top + was.height * scale)))
        shown = was if cell == layout.cells[0] else _picture(source, sheet=1, scale=8)
        differs = ImageChops.difference(seen.resize((200, 200)), shown.resize((200, 200)))
        assert differs.point(lambda v: 255 * (v > 90)).histogram()[255] < 600, "but for edges"
    with pikepdf.open(output) as pdf:
        assert len(pdf.pages[0].Annots) == 2, "notes are notes still"


def test_pages_of_many_sizes_each_fill_their_place(tmp_path: Path) -> None:
    source = paper(tmp_path / "in.pdf", "wide", "tall")
    with pikepdf.open(source, allow_overwriting_input=True) as pdf:
        pdf.pages[1].MediaBox = Array([0, 0, 100, 200])
        pdf.pages[1].Resources = pdf.pages[0].Resources
        pdf.save(source)
    output = done("pdf-impose", tmp_path, source, margin=10, gap=20)
    with pikepdf.open(output) as pdf:
        assert [float(v) for v in pdf.pages[0].mediabox] == [0, 0, 200, 100], "the first page's"
    # two cells of 80 x 80: the first page is 80 x 40 in its middle, the second 40 x 80
    assert _place(output, "wide") == pytest.approx((10 + 20 * 0.4, 30 + 40 * 0.4), abs=1.5)
    assert _place(output, "tall") == pytest.approx((110 + 20 + 20 * 0.4, 10 + 40 * 0.4), abs=1.5)


# ---------- what belongs to pages ----------


def test_what_leads_to_a_page_leads_to_its_place(tmp_path: Path) -> None:
    source = with_link(paper(tmp_path / "in.pdf", *_pages(4), outline=True), on=0, to=3)
    with pikepdf.open(source, allow_overwriting_input=True) as pdf:
        pdf.Root.Dests = Dictionary(There=Array([pdf.pages[1].obj, Name.XYZ, 20, 40, None]))
        pdf.pages[2].Annots = pdf.pages[0].Annots  # as programs share a line of links
        pdf.save(source)
    output = done("pdf-impose", tmp_path, source)
    with pikepdf.open(output) as pdf:
        first, second = (sheet.Annots[0] for sheet in pdf.pages)
        for link in (first, second):
            sheet, kind, *place = link.Dest
            assert (sheet.objgen, kind) == (pdf.pages[1].obj.objgen, Name.FitR)
            assert [float(v) for v in place] == pytest.approx([100, 25, 200, 75])
            assert [float(v) for v in link.Rect] == pytest.approx([0, 25, 25, 50])
        point = pdf.Root.Dests.There
        assert point[0].objgen == pdf.pages[0].obj.objgen
        assert (float(point[2]), float(point[3])) == pytest.approx(_place(output, "k2."), abs=1.5)
        with pdf.open_outline() as tree:
            targets = [item.destination[0].objgen for item in tree.root if isinstance(item.destination, Array)]
        assert targets == [pdf.pages[number // 2].obj.objgen for number in range(4)]
        left = [item for item in pdf.objects if isinstance(item, Dictionary) and item.get("/Type") == Name.Page]
        assert len(left) == 2, "nothing is left of the pages themselves"


def test_notes_beside_what_was_shown_do_not_lie_on_the_next_page(tmp_path: Path) -> None:
    source = with_link(paper(tmp_path / "in.pdf", "a", "b"), on=0, to=1)
    with pikepdf.open(source, allow_overwriting_input=True) as pdf:
        far, half = (Dictionary(Type=Name.Annot, Subtype=Name.Link, Dest=pdf.pages[0].Annots[0].Dest) for _n in "ab")
        far.Rect = Array([210, 0, 260, 50])
        half.Rect, half.QuadPoints = Array([180, 0, 260, 50]), Array([180, 0, 200, 0, 180, 9, 200, 9])
        pdf.pages[0].Annots = Array([pdf.make_indirect(far), half])
        pdf.save(source)
    with pikepdf.open(done("pdf-impose", tmp_path, source)) as pdf:
        (note,) = pdf.pages[0].Annots
        assert [float(v) for v in note.Rect] == pytest.approx([90, 25, 100, 50])
        assert [float(v) for v in note.QuadPoints[:4]] == pytest.approx([90, 25, 100, 25])


def test_fields_are_drawn_and_told(tmp_path: Path) -> None:
    source = with_field(paper(tmp_path / "in.pdf", "a", "b"), "name")
    with pikepdf.open(source, allow_overwriting_input=True) as pdf:
        font = Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica)
        pdf.Root.AcroForm.DR = Dictionary(Font=Dictionary(Helv=font))
        pdf.Root.AcroForm.NeedAppearances = True
        pdf.Root.AcroForm.Fields[0].V = String("Leith")
        pdf.Root.AcroForm.Fields[0].DA = String("/Helv 9 Tf")
        pdf.save(source)
    with report.collected() as said:
        output = done("pdf-impose", tmp_path, source)
    assert "Leith" in words(output)[0]
    assert ["fields on page 1 became part" in one for one in said] == [True], said
    with pikepdf.open(output) as pdf:
        assert "/AcroForm" not in pdf.Root
    with pikepdf.open(source, allow_overwriting_input=True) as pdf:
        del pdf.Root.AcroForm.NeedAppearances
        pdf.save(source)
    with report.collected() as said:
        done("pdf-impose", tmp_path, source)
    assert "page 1 may not show all" in said[1], said


# ---------- odd documents ----------


@pytest.mark.parametrize(
    "wrong",
    [
        {"margin": -1},
        {"gap": 20_000},
        {"layout": "booklet", "pagesPerSheet": 4},
        {"layout": "booklet", "order": "down"},
        {"binding": "right"},
    ],
)
def test_what_cannot_be_done_is_refused_before(tmp_path: Path, wrong: dict[str, Any]) -> None:
    with pytest.raises(Refused):
        work("pdf-impose", tmp_path, paper(tmp_path / "in.pdf", "a"), **wrong)


def test_a_margin_that_leaves_no_room_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="no room"):
        done("pdf-impose", tmp_path, paper(tmp_path / "in.pdf", "a"), margin=50)


def test_a_locked_document_stays_locked(tmp_path: Path) -> None:
    source = locked(paper(tmp_path / "in.pdf", "a", "b"), user="u")
    output = done("pdf-impose", tmp_path, source, password="u")
    assert not opens(output)
    assert words(output, "u")[0].split() == ["a", "b"]


def test_content_in_parts_shared_inherited_or_missing(tmp_path: Path) -> None:
    source = paper(tmp_path / "in.pdf", "a", "b", "c", "d", "e")
    with pikepdf.open(source, allow_overwriting_input=True) as pdf:
        pages = [page.obj for page in pdf.pages]
        pages[1].Contents = pages[0].Contents
        pages[2].Contents = Array([pdf.make_stream(b"BT /F1 20 Tf 20 40 Td"), pdf.make_stream(b"(c) Tj ET")])
        del pages[3].Contents
        pdf.Root.Pages.Resources = pages[4].Resources
        del pages[4].Resources
        pdf.Root.Pages.Rotate = 180
        pdf.save(source)
    output = done("pdf-impose", tmp_path, source, pagesPerSheet=6)
    assert words(output)[0].split() == ["a", "a", "c", "e"]
    with pikepdf.open(output) as pdf:
        assert not pdf.pages[0].rotation
