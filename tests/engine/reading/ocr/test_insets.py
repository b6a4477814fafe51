"""Pictures of text among a page's own text: their words are read, or it is said that they are not."""

from __future__ import annotations

import io
from base64 import b64encode
from pathlib import Path

import numpy as np
import PIL.Image
import PIL.ImageDraw
import pytest

from paperchute.contract import contract, kind_of
from paperchute.contract.recognition import defaults
from paperchute.engine import report
from paperchute.engine.document.model import UNSEEN, Page
from paperchute.engine.reading.ocr.insets import looks_written
from paperchute.engine.reading.source import document_of
from paperchute.engine.work import Source, Work
from tests.engine.reading.ocr.scanning import TABLE, scanned, text_of
from tests.engine.reading.printing import LOREM, printed


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> PIL.Image.Image:
    picture = scanned(tmp_path_factory.mktemp("table"), TABLE, dpi=110)
    return picture.crop((60, 60, 480, 280))


def _read(folder: Path, picture: PIL.Image.Image, *, looks: bool = False, **given: int | str) -> tuple[Page, str]:
    """The page that holds the picture 270 points wide between two paragraphs, and the notes."""
    data = io.BytesIO()
    picture.save(data, "png")
    source = f'<img style="width:270pt" src="data:image/png;base64,{b64encode(data.getvalue()).decode()}">'
    path = printed(folder / "a.pdf", f"<p>{LOREM}</p><p>{source}</p><p>After the picture.</p>")
    operation = "pdf-to-markdown"
    (folder / "out").mkdir()
    work = Work(
        operation,
        (Source("file", path, path.name, kind_of(path)),),
        {**defaults(contract().known(operation)), **given},
        folder / "out",
    )
    with report.noted() as notes, document_of(work, looks=looks) as document:
        (page,) = document.pages
    return page, " ".join(notes)


def _chart() -> PIL.Image.Image:
    """Bars and their labels."""
    picture = PIL.Image.new("RGB", (560, 400), "white")
    draw = PIL.ImageDraw.Draw(picture)
    for number, name in enumerate(["January", "February", "March", "April", "May", "June"]):
        draw.rectangle((20 + 90 * number, 40 * number, 80 + 90 * number, 350), fill="steelblue")
        draw.text((22 + 90 * number, 365), name, fill="black", font_size=18)
    draw.text((20, 2), "Ships that called at the northern ports", fill="black", font_size=20)
    return picture


def test_a_table_pasted_as_a_picture_is_read_where_it_stands(table: PIL.Image.Image, tmp_path: Path) -> None:
    page, notes = _read(tmp_path, table)
    found = text_of(page.blocks).split()
    assert page.recognised
    assert {"Aarhus", "Bergen", "4800", "2150", "310", "6950"} <= set(found)
    assert found.index("winter") < found.index("Aarhus") < found.index("After")
    assert any(block.image is not None for block in page.blocks)
    assert notes.startswith("Text was recognised on page 1.")


def test_where_the_look_is_kept_its_words_lie_unseen_over_the_picture(table: PIL.Image.Image, tmp_path: Path) -> None:
    page, _ = _read(tmp_path, table, looks=True)
    spans = [span for block in page.blocks if block.table for cell in block.table.cells for span in cell.lines[0].spans]
    spans += [span for block in page.blocks for line in block.lines for span in line.spans]
    inks = {span.style.color for span in spans if "Aarhus" in span.text}
    assert inks == {UNSEEN}


def test_a_zero_switches_it_off(table: PIL.Image.Image, tmp_path: Path) -> None:
    page, notes = _read(tmp_path, table, enableOcr=0)
    assert "Aarhus" not in text_of(page.blocks)
    assert notes == ""


def test_the_labels_of_a_chart_are_told_of_and_are_no_text(tmp_path: Path) -> None:
    page, notes = _read(tmp_path, _chart())
    assert "February" not in text_of(page.blocks)
    assert notes == "Words in charts or pictures on page 1 are not in the text."


def test_photographs_and_logos_are_not_even_looked_at() -> None:
    chance = np.random.default_rng(5)
    photograph = chance.normal(128, 60, (300, 400)).clip(0, 255).astype(np.uint8)
    y, x = np.mgrid[:300, :400]
    sky = (200 - y // 4 + x // 20).astype(np.uint8)
    logo = np.where((x - 200) ** 2 + (y - 150) ** 2 < 90**2, 40, 255).astype(np.uint8)
    assert not any(map(looks_written, (photograph, sky, logo)))


def test_writing_is_seen_on_paper_of_any_shade(table: PIL.Image.Image) -> None:
    grey = np.asarray(table.convert("L"))
    shaded = (grey * np.linspace(0.6, 1.0, grey.shape[1])).astype(np.uint8)
    assert all(map(looks_written, (grey, shaded, 255 - grey, grey.T)))
