"""pdf-compare: each difference told, at its place, in all ways that pages can lie; what is the same is never told."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pikepdf
import PIL.Image
import pypdfium2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperchute.engine import report
from paperchute.engine.comparison.differences import differences
from paperchute.engine.comparison.text import Text, Token
from paperchute.engine.document.geometry import Box
from paperchute.engine.operations import implementation
from paperchute.engine.work import Refused
from tests.engine.operations.papers import locked, opens, paper, work
from tests.engine.operations.pictures import photo, scan
from tests.engine.reading.printing import printed

RENT = """<h1>Lease</h1><p>The landlord lets the flat on the second floor, together with the cellar.</p>
<p>The rent is {rent} EUR, due on the first day of each month.</p>{pets}<h2>Term</h2>
<p>The agreement begins on 1 January and runs for an indefinite time.</p>{last}"""
PETS = "<p>Keeping of pets needs the consent of the landlord in writing.</p>"


def compared(tmp_path: Path, base: Path, other: Path, **parameters: Any) -> tuple[list[dict[str, Any]], list[Path]]:
    """(differences of the JSON, all results), each of which qpdf and PDFium open."""
    asked = {"mode": "content", "replaceColor": "#93B9FD", "insertColor": "#C0FFEC", **parameters}
    made = implementation("pdf-compare").run(work("pdf-compare", tmp_path, base, other, **asked))
    (data,) = (path for path in made if path.suffix == ".json")
    found = json.loads(data.read_text("utf-8"))
    assert (found["base"], found["compared"]) == (base.name, other.name)
    return found["differences"], made


def said(found: list[dict[str, Any]]) -> list[tuple[str, str, str]]:
    """(kind, text of the base, text of the other) of each difference."""
    return [(one["kind"], *((one[side] or {}).get("text", "") for side in ("base", "compared"))) for one in found]


def highlighted(path: Path) -> list[tuple[int, str, str]]:
    """(page, the words below a highlight as PDFium reads them, what it says) of each highlight."""
    found = []
    with pikepdf.open(path) as pdf, pypdfium2.PdfDocument(path) as shown:
        for index, page in enumerate(pdf.pages):
            text = shown[index].get_textpage()
            for note in page.obj.get("/Annots", []):
                if note.Subtype == "/Highlight":
                    quads = [float(value) for value in note.QuadPoints]
                    words = [
                        text.get_text_bounded(min(q[::2]) - 1, min(q[1::2]) - 1, max(q[::2]) + 1, max(q[1::2]) + 1)
                        for q in (quads[n : n + 8] for n in range(0, len(quads), 8))
                    ]
                    found.append((index, " ".join(" ".join(words).split()), str(note.Contents)))
    return found


@pytest.fixture
def versions(tmp_path: Path) -> tuple[Path, Path]:
    base = printed(tmp_path / "base.pdf", RENT.format(rent="1,250.00", pets=PETS, last=""))
    other = RENT.format(rent="1,350.00", pets="<p>Smoking is forbidden.</p>", last=PETS)
    return base, printed(tmp_path / "other.pdf", other)


def test_each_difference_is_told_and_a_moved_paragraph_as_moved(tmp_path: Path, versions: tuple[Path, Path]) -> None:
    found, made = compared(tmp_path, *versions)
    pets = "Keeping of pets needs the consent of the landlord in writing."
    assert sorted(said(found)) == [
        ("inserted", "", "Smoking is forbidden."),
        ("moved", pets, pets),
        ("replaced", "1,250.00", "1,350.00"),
    ]
    assert [path.name for path in made] == [
        "base - side by side.pdf", "base - differences.json", "base - base.pdf", "base - compared.pdf",
    ]  # fmt: skip
    for path in made:
        if path.suffix == ".pdf":
            with pikepdf.open(path) as pdf:
                assert pdf.check_pdf_syntax() == []


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
@pytest.mark.parametrize("is_cropped", [False, True])
def test_marks_lie_on_the_words_however_the_page_lies(
    tmp_path: Path, versions: tuple[Path, Path], turn: int, is_cropped: bool
) -> None:
    for path in versions:
        with pikepdf.open(path, allow_overwriting_input=True) as pdf:
            for page in pdf.pages:
                page.rotate(turn, relative=False)
                if is_cropped:
                    left, bottom, right, top = (float(side) for side in page.mediabox)
                    page.mediabox = pikepdf.Rectangle(left - 30, bottom - 20, right + 40, top + 10)
                    page.cropbox = pikepdf.Rectangle(left, bottom, right, top)
            pdf.save(path)
    _, made = compared(tmp_path, *versions)
    assert (0, "1,250.00", "In the other version: 1,350.00") in highlighted(made[2])
    assert (0, "Smoking is forbidden.", "Not in the other version") in highlighted(made[3])
    with pypdfium2.PdfDocument(made[0]) as both:
        page = both[0].render(scale=1).to_numpy().astype(int)
    half = page.shape[1] // 2
    for side in (page[:, :half], page[:, half:]):
        is_marked = (abs(side - (0xFD, 0xB9, 0x93)).max(axis=2) < 12).any()  # BGR of #93B9FD
        assert is_marked


def test_versions_that_are_the_same_differ_in_nothing(tmp_path: Path, versions: tuple[Path, Path]) -> None:
    with report.noted() as notes:
        found, made = compared(tmp_path, versions[0], versions[0])
    assert found == []
    assert "No differences were found." in notes
    assert highlighted(made[2]) == []


def test_other_line_and_page_ends_are_no_difference(tmp_path: Path) -> None:
    text = "<style>@page{size:%s}</style>" + "<p>" + "The northern harbours were small and busy. " * 60 + "</p>"
    base = printed(tmp_path / "wide.pdf", text % "A4")
    other = printed(tmp_path / "narrow.pdf", text % "A5")
    assert compared(tmp_path, base, other)[0] == []


def pictured(path: Path, picture: PIL.Image.Image, jpeg: int = 0) -> Path:
    """A page of text with a picture on it."""
    printed(path, RENT.format(rent="1,250.00", pets="", last=PETS))
    shown = scan(path.with_name(f"picture-{path.name}"), picture, jpeg=jpeg)
    with pikepdf.open(path, allow_overwriting_input=True) as pdf, pikepdf.open(shown) as one:
        pdf.pages[0].add_overlay(one.pages[0], pikepdf.Rectangle(100, 100, 300, 233))
        pdf.save(path)
    return path


def test_pictures_are_compared_by_what_they_show(tmp_path: Path) -> None:
    shown = photo((300, 200))
    base = pictured(tmp_path / "base.pdf", shown)
    assert compared(tmp_path, base, pictured(tmp_path / "again.pdf", shown, jpeg=60))[0] == []
    other = pictured(tmp_path / "other.pdf", shown.transpose(PIL.Image.Transpose.FLIP_LEFT_RIGHT))
    found, _ = compared(tmp_path, base, other)
    assert [(one["kind"], one["of"]) for one in found] == [("removed", "picture"), ("inserted", "picture")]


def test_overlaid_each_version_has_its_colour(tmp_path: Path) -> None:
    base, other = paper(tmp_path / "base.pdf", "one"), paper(tmp_path / "other.pdf", f"{' ' * 12}one", "two")
    parameters = {"overlayBaseColor": "#ff0000", "overlayCompareColor": "#0000ff"}
    (made,) = implementation("pdf-compare").run(
        work("pdf-compare", tmp_path, base, other, mode="overlay", **parameters)
    )
    with pypdfium2.PdfDocument(made) as pdf:
        assert len(pdf) == 2
        pages = [page.render(scale=2).to_numpy()[:, :, ::-1].astype(int) for page in pdf]
    for colour, is_there in (((255, 0, 0), [True, False]), ((0, 0, 255), [True, True]), ((0, 0, 0), [False, False])):
        assert [bool((abs(page - colour).max(axis=2) < 30).any()) for page in pages] == is_there
    assert [np.median(page) for page in pages] == [255, 255]


def test_locked_versions_stay_locked(tmp_path: Path) -> None:
    base, other = paper(tmp_path / "base.pdf", "one"), locked(paper(tmp_path / "other.pdf", "two"), user="secret")
    _, made = compared(tmp_path, base, other, comparePassword="secret")
    assert [opens(path) for path in made if path.suffix == ".pdf"] == [False] * 3
    with pytest.raises(Refused) as refused:
        compared(tmp_path, base, other, basePassword="secret")
    assert refused.value.code == "02201"


WORDS = st.lists(st.lists(st.sampled_from("abcdefg"), max_size=8), max_size=8)


def text_of(paragraphs: list[list[str]]) -> Text:
    tokens = [
        Token(word, ((0, Box(number, row, number + 1, row + 1)),), row)
        for row, words in enumerate(paragraphs)
        for number, word in enumerate(words)
    ]
    return Text(tokens)


@given(WORDS, WORDS)
def test_what_is_no_difference_is_the_same_on_both_sides(base: list[list[str]], other: list[list[str]]) -> None:
    left, right = text_of(base), text_of(other)
    found = differences(left, right)
    rest = [
        Counter(token.text for token in text.tokens) - Counter(" ".join(one.text for one in sides).split())
        for text, sides in (
            (left, [one.base for one in found]),
            (right, [one.compared for one in found]),
        )
    ]
    assert rest[0] == rest[1]
    places = [place for one in found for place in one.base.places]
    assert len(places) == len(set(places)), "no word is told twice"
    if base == other:
        assert found == []
