"""pdf-to-editable says what became of every word: what a page had, what was recognised, and what the result has."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pikepdf
import PIL.Image
import pytest

from paperchute.engine import ledger
from paperchute.engine.operations import implementation
from paperchute.engine.pdf.textlayer.layer import TextLayers
from tests.engine.operations.papers import paper, work
from tests.engine.reading.ocr.scanning import LETTER, scan_pdf, scanned, upper

OPERATION = "pdf-to-editable"


@pytest.fixture(scope="module")
def letter(tmp_path_factory: pytest.TempPathFactory) -> PIL.Image.Image:
    return upper(scanned(tmp_path_factory.mktemp("letter"), LETTER, dpi=120))


def _account(folder: Path, source: Path, **parameters: Any) -> ledger.Ledger:
    folder.mkdir()
    order = work(OPERATION, folder, source, ocrRecognitionLang="ENGLISH", **parameters)
    with ledger.kept() as book:
        implementation(OPERATION).run(order)
    return book


def test_the_words_of_pages_that_stay_as_they_are_are_counted(tmp_path: Path) -> None:
    source = paper(tmp_path / "a.pdf", "brick", "timber and slate", "mortar")
    for parameters in ({"enableOcr": 0}, {"enableOcr": 1, "ocrOption": "SCAN_PAGE"}):
        counts = _account(tmp_path / str(parameters["enableOcr"]), source, **parameters).counts()
        assert (counts["shown"], counts["written"], counts["unaccounted"]) == (5, 5, 0)


def test_chosen_pages_count_once(tmp_path: Path) -> None:
    source = paper(tmp_path / "a.pdf", "brick", "timber and slate", "mortar")
    counts = _account(tmp_path / "out", source, enableOcr=0, pageRanges="2,2,3").counts()
    assert (counts["shown"], counts["written"]) == (4, 4)


@pytest.mark.parametrize("transparent", [0, 1])
def test_recognised_words_are_counted_and_are_there(tmp_path: Path, letter: PIL.Image.Image, transparent: int) -> None:
    source = scan_pdf(tmp_path / "scan.pdf", letter, dpi=120)
    counts = _account(tmp_path / "out", source, transparentText=transparent).counts()
    assert counts["shown"] > 30
    assert (counts["written"], counts["unaccounted"]) == (counts["shown"], 0)


def test_an_earlier_layer_is_recognised_anew(tmp_path: Path, letter: PIL.Image.Image) -> None:
    source = scan_pdf(tmp_path / "scan.pdf", letter, dpi=120)
    first = _account(tmp_path / "one", source).counts()
    layered = next((tmp_path / "one").rglob("*.pdf"))
    again = _account(tmp_path / "two", layered, ocrOption="ALL").counts()
    assert again["recognised_anew"] == first["shown"]
    assert again["unaccounted"] == 0
    assert again["written"] == first["written"]


def test_words_that_the_result_lacks_are_told(
    tmp_path: Path, letter: PIL.Image.Image, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A layer that is never laid in, and a page whose own text is taken away."""
    source = scan_pdf(tmp_path / "scan.pdf", letter, dpi=120)
    with monkeypatch.context() as fault:
        fault.setattr(TextLayers, "add", lambda *_args, **_options: None)
        book = _account(tmp_path / "scanned", source)
    assert book.lost[1] == book.shown > 30
    assert "could not be placed" in next(book.sentences())

    def wipe(pdf: pikepdf.Pdf, page: pikepdf.Page, **_what: bool) -> None:
        page.obj.Contents = pdf.make_stream(b"")

    monkeypatch.setattr("paperchute.engine.pdf.textlayer.content.strip", wipe)
    book = _account(
        tmp_path / "own", paper(tmp_path / "a.pdf", "brick", "timber and slate"), isContainImg=0, enableOcr=0
    )
    assert (book.lost[1], book.lost[2]) == (1, 3)
