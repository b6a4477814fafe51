"""Page pictures become the same document model as PDF text, however they were laid in."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import PIL.Image
import pytest

from paperchute.engine.document.model import Page
from paperchute.engine.imaging.sheets import pixels_a_point
from paperchute.engine.work import Refused
from tests.engine.reading.ocr.scanning import LETTER, TABLE, noisy, read, saved, scanned, skewed, text_of, upper


@pytest.fixture(scope="module")
def letter(tmp_path_factory: pytest.TempPathFactory) -> PIL.Image.Image:
    return scanned(tmp_path_factory.mktemp("letter"), LETTER)


@pytest.fixture(scope="module")
def clean(letter: PIL.Image.Image, tmp_path_factory: pytest.TempPathFactory) -> Page:
    """The letter as it is read."""
    folder = tmp_path_factory.mktemp("clean")
    (page,) = read(saved(folder / "a.png", letter), folder / "out")
    return page


def _is_letter(page: Page) -> None:
    kinds = [block.kind for block in page.blocks]
    assert kinds == ["doc_title", "text", "list"]
    assert page.blocks[0].text == "Harbour survey"
    assert [item.lines[0].text for item in page.blocks[2].items] == [
        "Repair the eastern pier",
        "Count the mooring posts",
    ]
    assert "most of the older quays had been" in text_of(page.blocks).replace("\n", " ")


def test_a_clean_scan_has_title_paragraph_and_list(clean: Page) -> None:
    _is_letter(clean)
    assert abs(clean.width - 595.3) < 1
    assert abs(clean.height - 841.9) < 1
    assert all(0.8 < block.confidence <= 1.0 for block in clean.blocks if block.lines)


@pytest.mark.parametrize("turn", [90, pytest.param(180, marks=pytest.mark.slow), 270])
def test_a_turned_page_is_turned_back(letter: PIL.Image.Image, tmp_path: Path, turn: int) -> None:
    (page,) = read(saved(tmp_path / "a.png", upper(letter).rotate(turn, expand=True)), tmp_path / "out")
    _is_letter(page)
    assert page.angle == turn  # PIL turns counter-clockwise, the model back clockwise


@pytest.mark.parametrize("degrees", [-2.5, pytest.param(7.0, marks=pytest.mark.slow)])
def test_a_page_laid_in_askew_is_laid_straight(letter: PIL.Image.Image, tmp_path: Path, degrees: float) -> None:
    (page,) = read(saved(tmp_path / "a.png", skewed(upper(letter), degrees)), tmp_path / "out")
    assert text_of(page.blocks).startswith("Harbour survey\n")
    first, second = (line.quad.box for line in page.blocks[1].lines[:2])
    assert abs(first.left - second.left) < 1.5  # points


def test_noise_and_shadow_do_not_matter(letter: PIL.Image.Image, tmp_path: Path) -> None:
    (page,) = read(saved(tmp_path / "a.jpg", noisy(upper(letter))), tmp_path / "out")
    _is_letter(page)


def test_a_ruled_table_has_its_cells_and_spans(tmp_path: Path) -> None:
    (page,) = read(saved(tmp_path / "a.png", scanned(tmp_path, TABLE)), tmp_path / "out")
    (table,) = [block.table for block in page.blocks if block.table is not None]
    cells = {(c.row, c.column): (c.lines[0].text, c.column_span) for c in table.cells}
    assert cells[0, 0] == ("Port", 1)
    assert cells[2, 2] == ("2150", 1)
    assert cells[3, 1] == ("-", 1)
    assert cells[4, 0] == ("Together", 2)
    assert table.bordered


def test_a_table_with_pale_rules_between_rows_only_has_its_rows_and_columns(tmp_path: Path) -> None:
    rows = [
        ["Cargo", "Class", "Held at", "Lots"],
        ["Barley and oats from the north", "a", "old quay and new quay, both sides", "12"],
        ["Copper ore", "-", "new quay", "7"],
        ["Sailcloth", "b", "old quay, until it is wanted by its owner", "105"],
    ]
    css = (
        "table{border-collapse:collapse;width:300pt}"
        "td,th{padding:4pt 10pt;border-bottom:.75pt solid #bbb;text-align:left;vertical-align:middle}"
    )
    html = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    picture = noisy(scanned(tmp_path, f"{LETTER}<table>{html.replace('td>', 'th>', 8)}</table>", css=css), 9.0)
    (page,) = read(saved(tmp_path / "a.jpg", picture), tmp_path / "out")
    (table,) = [block.table for block in page.blocks if block.table is not None]
    found = {(c.row, c.column): " ".join(line.text for line in c.lines) for c in table.cells}
    assert [[found.get((r, c), "") for c in range(4)] for r in range(4)] == rows


def test_words_lie_on_their_ink(letter: PIL.Image.Image, clean: Page) -> None:
    line = clean.blocks[1].lines[0].quad.box
    k = 150 / 72
    grey = np.asarray(letter.convert("L"))[round(line.top * k) : round(line.bottom * k)]
    inked = np.flatnonzero((grey < 128).any(axis=0))
    assert abs(inked[0] / k - line.left) < 1.0
    assert abs((inked[-1] + 1) / k - line.right) < 1.0


def test_a_picture_on_the_page_is_cut_out(tmp_path: Path) -> None:
    page_picture = upper(scanned(tmp_path, LETTER))
    noise = np.random.default_rng(3).integers(0, 255, (25, 40, 3), np.uint8)
    page_picture.paste(PIL.Image.fromarray(noise).resize((400, 250)), (300, 430))
    (page,) = read(saved(tmp_path / "a.png", page_picture), tmp_path / "out")
    (image,) = [block for block in page.blocks if block.kind == "image"]
    box = image.quad.box
    k = 72 / 150
    assert abs(box.left - 300 * k) < 4
    assert abs(box.bottom - 680 * k) < 4
    assert image.image is not None
    assert not read(saved(tmp_path / "b.png", page_picture), tmp_path / "none", isContainImg=0)[0].blocks[-1].image


@pytest.mark.parametrize("kept", [1, 0])
def test_boxes_have_the_paper_of_a_page_or_its_pictures_alone(
    letter: PIL.Image.Image, tmp_path: Path, kept: int
) -> None:
    """containPageBackgroundImage: the shadow on the paper stays or goes; the picture on the page stays."""
    page_picture = noisy(letter, 4)
    noise = np.random.default_rng(3).integers(0, 255, (25, 40, 3), np.uint8)
    page_picture.paste(PIL.Image.fromarray(noise).resize((400, 250)), (300, 900))
    path = saved(tmp_path / "a.png", page_picture)
    (page,) = read(path, tmp_path / "out", looks=True, containPageBackgroundImage=kept)
    assert (page.backdrop is not None) == bool(kept)
    images = [block for block in page.blocks if block.image is not None]
    assert len(images) == 1 - kept
    assert all(block.quad.box.width < 300 for block in images)
    assert "Harbour survey" in text_of(page.blocks)


def test_every_page_of_a_tiff_is_read(letter: PIL.Image.Image, tmp_path: Path) -> None:
    table = scanned(tmp_path, TABLE)
    pages = read(saved(tmp_path / "a.tiff", letter, table), tmp_path / "out")
    assert [page.number for page in pages] == [1, 2]
    assert "Bergen" in text_of(pages[1].blocks)


def test_without_recognition_a_picture_is_a_picture(letter: PIL.Image.Image, tmp_path: Path) -> None:
    path = saved(tmp_path / "a.png", letter)
    for parameters in ({"enableOcr": 0}, {"ocrOption": "INVALID_CHARACTER"}):
        (page,) = read(path, tmp_path / "out", **parameters)
        assert [block.kind for block in page.blocks] == ["image"]


def test_a_blank_page_is_a_page_without_blocks(tmp_path: Path) -> None:
    noise = np.random.default_rng(5).normal(245, 4, (900, 640)).clip(0, 255).astype(np.uint8)
    (page,) = read(saved(tmp_path / "a.png", PIL.Image.fromarray(noise)), tmp_path / "out")
    assert page.blocks == ()


def test_modes_of_pictures_do_not_matter(tmp_path: Path) -> None:
    wide = scanned(tmp_path, "<p style='font-size:20pt'>Harbour survey</p>").crop((0, 0, 700, 320))
    deep = PIL.Image.fromarray(np.asarray(wide.convert("L"), np.uint16) * 257)
    for name, picture in {"cmyk.jpg": wide.convert("CMYK"), "deep.png": deep, "two.png": wide.convert("1")}.items():
        (page,) = read(saved(tmp_path / name, picture), tmp_path / "out")
        assert text_of(page.blocks) == "Harbour survey", name


@pytest.mark.parametrize(("width", "height"), [(1, 1), (3, 2000), (30_000, 40), (5, 5)])
def test_odd_sizes_are_read_or_empty(tmp_path: Path, width: int, height: int) -> None:
    (page,) = read(saved(tmp_path / "a.png", PIL.Image.new("L", (width, height), 255)), tmp_path / "out")
    assert page.blocks == ()


@pytest.mark.slow
def test_a_long_strip_is_read_in_pieces(tmp_path: Path) -> None:
    part = scanned(tmp_path, "<p>Harbour survey of the northern quays</p>").crop((0, 50, 900, 300))
    strip = PIL.Image.new("RGB", (900, 3_000), "white")
    for n in range(12):
        strip.paste(part, (0, 250 * n))
    (page,) = read(saved(tmp_path / "a.png", strip), tmp_path / "out")
    assert text_of(page.blocks).count("Harbour survey of the northern quays") == 12


def test_a_cut_off_picture_is_refused(letter: PIL.Image.Image, tmp_path: Path) -> None:
    path = saved(tmp_path / "a.jpg", letter)
    path.write_bytes(path.read_bytes()[:20_000])
    with pytest.raises(Refused) as refused:
        read(path, tmp_path / "out")
    assert refused.value.code == "190010"


@pytest.mark.parametrize(
    ("size", "dpi", "wanted"),
    [
        ((1240, 1754), (150, 150), 150 / 72),
        ((3000, 4000), (72, 72), 3000 / 595.44),  # a photo: a page of 42 x 56 inches is none
        ((413, 584), (5, 5), 1.0),
        ((100, 50), (0, 0), 1.0),
    ],
)
def test_a_page_has_the_size_of_paper(size: tuple[int, int], dpi: tuple[float, float], wanted: float) -> None:
    assert pixels_a_point(*size, dpi) == pytest.approx(wanted, rel=0.06)
