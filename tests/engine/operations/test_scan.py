"""scan: pages upright and straight, blank ones aside, none lost, text on its ink, broken ones left alone."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pikepdf
import PIL.Image
import pypdfium2
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from pikepdf import Array, Dictionary, Name

from paperchute.engine import report
from paperchute.engine.imaging.blank import DPI, ink_of, verdict_on
from paperchute.engine.operations import implementation
from paperchute.engine.work import Refused
from tests.engine.operations import stacks
from tests.engine.operations.papers import paper, words, work
from tests.engine.operations.pictures import scan
from tests.engine.operations.stacks import SPARSE, blank, printed, scanned, sparse, stack, with_back


@dataclass(frozen=True)
class Result:
    """What a call gave. beside: the pages that were taken out, None where none were."""

    main: Path
    beside: Path | None
    warnings: list[str]
    notes: list[str]


def run(folder: Path, source: Path, **parameters: Any) -> Result:
    """Check and run; qpdf and PDFium must be able to open what comes of it."""
    with report.collected() as warnings, report.noted() as notes:
        outputs = implementation("scan").run(work("scan", folder, source, **parameters))
    assert len(outputs) in (1, 2)
    return Result(outputs[0], outputs[1] if len(outputs) == 2 else None, warnings, notes)


def looks(path: Path, page: int, scale: float = 1.0) -> NDArray[np.uint8]:
    """A page as it is shown, in grey."""
    document = pypdfium2.PdfDocument(path)
    try:
        return np.asarray(document[page].render(scale=scale).to_pil().convert("L"))
    finally:
        document.close()


def pictures(path: Path) -> list[bytes]:
    """The stored data of each page's only picture."""
    with pikepdf.open(path) as pdf:
        return [
            picture.read_raw_bytes()
            for page in pdf.pages
            for _, picture in page.obj.Resources.XObject.items()
            if picture.get(Name.Subtype) == Name.Image
        ]


def lean(path: Path, page: int) -> float:
    """By how many degrees the lines of a page fall: the profile of its rows is sharpest where they are level."""
    ink = (looks(path, page, 2) < 128).astype(np.float32)
    middle = ink.shape[1] / 2, ink.shape[0] / 2

    def sharp(degrees: float) -> float:
        turned = cv2.warpAffine(ink, cv2.getRotationMatrix2D(middle, degrees, 1), ink.shape[::-1])
        return float(np.square(np.diff(turned.sum(axis=1))).sum())

    return max(np.arange(-4, 4.01, 0.05), key=lambda degrees: sharp(float(degrees)))


def off_ink(path: Path, page: int) -> list[str]:
    """The words of a page's text that have no ink in their place."""
    shown = looks(path, page, 2)
    document = pypdfium2.PdfDocument(path)
    try:
        sheet, found = document[page], []
        text = sheet.get_textpage()
        for word in re.finditer(r"\S+", text.get_text_range()):
            boxes = np.array([text.get_charbox(index, loose=True) for index in range(*word.span())])
            corners = (*boxes.min(axis=0)[:2], *boxes.max(axis=0)[2:])
            (x0, y0), (x1, y1) = (place(sheet, x, y, shown.shape) for x, y in (corners[:2], corners[2:]))
            part = shown[min(y0, y1) : max(y0, y1) + 1, min(x0, x1) : max(x0, x1) + 1]
            if not part.size or float((part < 128).mean()) < 0.08:
                found.append(word[0])
        return found
    finally:
        document.close()


def place(sheet: pypdfium2.PdfPage, x: float, y: float, shape: tuple[int, ...]) -> tuple[int, int]:
    """Where a point of a page is on its picture."""
    width, height = sheet.get_size()
    user = {0: (x, height - y), 90: (y, x), 180: (width - x, y), 270: (width - y, height - x)}[sheet.get_rotation()]
    return round(user[0] * shape[1] / width), round(user[1] * shape[0] / height)


LETTERS = 6
"""Lines of a letter: enough to tell its skew, and quickly read."""


@pytest.fixture(scope="module")
def feeder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A stack: letters as they came, blank backs, a page number, a sentence; the last page breaks off."""
    chance = random.Random(34)
    letter = printed(chance, LETTERS)
    path = stack(
        tmp_path_factory.mktemp("feeder") / "in.pdf",
        scanned(letter, chance),
        scanned(with_back(blank(), letter), chance, worn=True),
        scanned(printed(chance, LETTERS), chance, turn=90),
        scanned(blank(), chance, worn=True),
        scanned(printed(chance, LETTERS), chance, turn=180, skew=2.2),
        scanned(printed(chance, LETTERS), chance, turn=270, skew=-1.4),
        scanned(sparse("number"), chance),
        scanned(blank(), chance),
    )
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        broken = pdf.pages[7].obj.Resources.XObject.Im0
        broken.write(broken.read_raw_bytes()[:2000], filter=Name.DCTDecode)
        pdf.save(path)
    return path


@pytest.fixture(scope="module")
def made(feeder: Path, tmp_path_factory: pytest.TempPathFactory) -> Result:
    return run(tmp_path_factory.mktemp("made"), feeder, ocrRecognitionLang="ENGLISH")


def test_blank_backs_lie_in_a_document_beside_and_all_else_stays(feeder: Path, made: Result) -> None:
    before = pictures(feeder)
    assert made.beside is not None
    assert pictures(made.beside) == [before[1], before[3]]
    assert len(words(made.main)) == 6
    assert any("pages 2, 4" in note and made.beside.name in note for note in made.notes)
    after = pictures(made.main)
    assert [after[0], after[1], after[4], after[5]] == [before[0], before[2], before[6], before[7]]


def test_a_page_that_breaks_off_stays_and_is_told(made: Result) -> None:
    assert [warning for warning in made.warnings if "page 8" in warning and "cut off" in warning]


def test_pages_stand_upright_and_straight_with_their_text_on_its_ink(made: Result) -> None:
    for page in range(4):
        assert abs(lean(made.main, page)) <= 0.3, page
        assert len(words(made.main)[page].split()) > 30
        assert off_ink(made.main, page) == []
        height, width = looks(made.main, page).shape
        assert height > width
        assert looks(made.main, page)[: height // 4].min() < 128 < looks(made.main, page)[height // 2 :].min()
    with pikepdf.open(made.main) as pdf:
        assert [int(page.obj.get(Name.Rotate, 0)) for page in pdf.pages] == [0, 270, 180, 90, 0, 0]


def test_without_its_switches_nothing_changes(feeder: Path, tmp_path: Path) -> None:
    asked = {"upright": 0, "straight": 0, "searchable": 0, "blankPages": "keep"}
    found = run(tmp_path, feeder, **asked)
    assert found.beside is None
    assert pictures(found.main) == pictures(feeder)
    assert words(found.main) == [""] * 8


def test_background_and_level_change_the_pictures(tmp_path: Path) -> None:
    page = PIL.Image.fromarray(np.asarray(printed(random.Random(1), 3), np.uint8) // 2 + 90)
    source = stack(tmp_path / "a.pdf", page)
    still = {"upright": 0, "straight": 0, "searchable": 0}
    assert looks(source, 0).max() < 230
    white = run(tmp_path, source, background=1, **still).main
    assert np.median(looks(white, 0)) > 245
    small = run(tmp_path, source, level="small", **still).main
    assert small.stat().st_size < source.stat().st_size / 2


@pytest.mark.parametrize("bits", [False, True])
def test_dark_edges_and_holes_are_painted_over_and_print_beside_them_is_not(tmp_path: Path, bits: bool) -> None:
    chance = random.Random(9)
    page = scanned(printed(chance, 3), chance, worn=True)
    page.paste(60, (600, 0, 640, 30))  # a tab that reaches the edge is no band along it
    source = stack(tmp_path / "a.pdf", page)
    if bits:
        source = scan(tmp_path / "bits.pdf", page.point(lambda grey: 255 * (grey > 127)).convert("1"), dpi=stacks.DPI)
    still = {"upright": 0, "straight": 0, "searchable": 0, "blankPages": "keep"}
    made = run(tmp_path, source, edges=1, **still).main
    before, after = looks(source, 0, 2), looks(made, 0, 2)
    assert before[:, -8:].max() < 128 < after[:, -8:].min()
    assert before[600:1200, 30:110].min() < 60 < 128 < after[600:1200, 30:110].min()
    middle = np.s_[:500, 120:-60]
    assert np.abs(before[middle].astype(int) - after[middle]).max() < 40
    again = run(tmp_path, made, edges=1, **still).main
    assert pictures(again) == pictures(made)


def test_a_coloured_bar_along_an_edge_stays(tmp_path: Path) -> None:
    page = printed(random.Random(9), 3).convert("RGB")
    page.paste((160, 10, 20), (0, 0, page.width, 40))
    source = scan(tmp_path / "a.pdf", page, dpi=stacks.DPI)
    assert pictures(run(tmp_path, source, edges=1, upright=0, straight=0, searchable=0).main) == pictures(source)


def test_what_lies_over_the_picture_is_not_left_behind(tmp_path: Path) -> None:
    chance = random.Random(5)
    source = stack(tmp_path / "a.pdf", scanned(printed(chance, LETTERS), chance, skew=2))
    with pikepdf.open(source, allow_overwriting_input=True) as pdf:
        note = Dictionary(Type=Name.Annot, Subtype=Name.Square, Rect=Array([50, 50, 90, 90]))
        pdf.pages[0].obj.Annots = Array([pdf.make_indirect(note)])
        pdf.save(source)
    found = run(tmp_path, source, ocrRecognitionLang="ENGLISH", searchable=0)
    assert pictures(found.main) == pictures(source)
    assert any("askew: page 1" in warning for warning in found.warnings)


def test_ink_at_the_edge_is_not_turned_out_of_the_page(tmp_path: Path) -> None:
    chance = random.Random(6)
    letter = printed(chance, LETTERS)
    letter.paste(30, (stacks.SIZE[0] - 20, 8, stacks.SIZE[0] - 6, 60))
    letter.paste(30, (8, stacks.SIZE[1] - 60, 20, stacks.SIZE[1] - 8))
    turned = scanned(letter, chance).rotate(-3, PIL.Image.Resampling.BICUBIC, fillcolor=stacks.PAPER)
    turned.paste(30, (4, 4, 30, 40))
    source = stack(tmp_path / "a.pdf", turned)
    found = run(tmp_path, source, ocrRecognitionLang="ENGLISH", searchable=0)
    assert pictures(found.main) == pictures(source)
    assert any("askew: page 1" in warning for warning in found.warnings)


def test_a_document_that_is_all_blank_stays_whole(tmp_path: Path) -> None:
    chance = random.Random(2)
    source = stack(tmp_path / "a.pdf", scanned(blank(), chance), scanned(blank(), chance))
    found = run(tmp_path, source, upright=0, straight=0, searchable=0)
    assert found.beside is None
    assert len(words(found.main)) == 2
    assert any("none was taken out" in warning for warning in found.warnings)


def test_backs_come_behind_their_fronts(tmp_path: Path) -> None:
    source = paper(tmp_path / "a.pdf", "f1", "f2", "f3", "b3", "b2", "b1")
    with pikepdf.open(source, allow_overwriting_input=True) as pdf:
        pdf.pages[3].obj.Contents = pdf.make_stream(b"")
        pdf.save(source)
    found = run(tmp_path, source, collate=1, upright=0, straight=0, searchable=0)
    assert words(found.main) == ["f1", "b1", "f2", "b2", "f3"]
    assert found.beside is not None
    assert any("page 6:" in note for note in found.notes)
    odd = paper(tmp_path / "b.pdf", "f1", "f2", "b1")
    with pytest.raises(Refused, match="not as many backs as fronts"):
        run(tmp_path, odd, collate=1)


@pytest.mark.parametrize("dpi", [60, 600])
def test_a_wrong_resolution_makes_no_page_number_dust(tmp_path: Path, dpi: int) -> None:
    chance = random.Random(7)
    sheets = scanned(printed(chance, 3), chance), scanned(sparse("grey number"), chance), scanned(blank(), chance)
    found = run(tmp_path, stack(tmp_path / "a.pdf", *sheets, dpi=dpi), upright=0, straight=0, searchable=0)
    assert len(pictures(found.main)) == 2


@pytest.mark.parametrize("hidden", ["note", "layer", "missing picture", "white text"])
def test_a_page_that_may_hold_more_than_is_seen_stays(tmp_path: Path, hidden: str) -> None:
    source = paper(tmp_path / "a.pdf", "first", "second")
    with pikepdf.open(source, allow_overwriting_input=True) as pdf:
        page = pdf.pages[1].obj
        page.Contents = pdf.make_stream(b"")
        match hidden:
            case "note":
                popup = Dictionary(Type=Name.Annot, Subtype=Name.Text, Rect=Array([5, 5, 6, 6]), F=2)
                page.Annots = Array([pdf.make_indirect(popup)])
            case "layer":
                layer = pdf.make_indirect(Dictionary(Type=Name.OCG, Name="draft"))
                pdf.Root.OCProperties = Dictionary(OCGs=Array([layer]), D=Dictionary(OFF=Array([layer])))
                page.Resources.Properties = Dictionary(L=layer)
                page.Contents = pdf.make_stream(b"/OC /L BDC 20 20 50 50 re f EMC")
            case "missing picture":
                page.Contents = pdf.make_stream(b"q 200 0 0 100 0 0 cm /Im0 Do Q")
            case "white text":
                page.Contents = pdf.make_stream(b"1 g BT /F1 20 Tf 20 40 Td (third) Tj ET")
        pdf.save(source)
    assert run(tmp_path, source, upright=0, straight=0, searchable=0).beside is None


def seen(page: PIL.Image.Image) -> NDArray[np.uint8]:
    """A scan as it is looked at for ink."""
    share = DPI / stacks.DPI
    return np.asarray(page.resize((round(page.width * share), round(page.height * share)), PIL.Image.Resampling.BOX))


@given(
    kind=st.sampled_from(SPARSE),
    seed=st.integers(0, 10_000),
    turn=st.sampled_from((0, 90, 180, 270)),
    skew=st.floats(-2, 2),
    worn=st.booleans(),
    shines=st.sampled_from((0.0, 0.15, 0.3)),
)
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
def test_nothing_written_is_blank(kind: str, seed: int, turn: int, skew: float, worn: bool, shines: float) -> None:
    chance = random.Random(seed)
    front = printed(chance, 20)
    back = with_back(sparse(kind), front, shines) if shines else sparse(kind)
    page = ink_of(seen(scanned(back, chance, turn=turn, skew=skew, worn=worn)))
    other = ink_of(seen(scanned(front, chance, turn=-turn % 360, skew=-skew)))
    assert verdict_on(page, [other]) != "blank"


@pytest.mark.parametrize("written", [False, True])
def test_dark_edges_that_meet_in_a_corner_are_no_ink_and_what_stands_out_of_them_is(written: bool) -> None:
    page = blank()
    page.paste(60, (stacks.SIZE[0] - 14, 0, *stacks.SIZE))
    page.paste(60, (0, stacks.SIZE[1] - 20, *stacks.SIZE))
    if written:
        page.paste(60, (600, stacks.SIZE[1] - 60, 640, stacks.SIZE[1]))
    found = verdict_on(ink_of(seen(scanned(page, random.Random(1)))), [])
    assert (found == "blank") is not written


@pytest.mark.parametrize("kind", ["shadow", "area"])
def test_a_pale_area_ends_at_once_and_a_shadow_fades(kind: str) -> None:
    page = np.full(stacks.SIZE[::-1], stacks.PAPER, np.float32)
    if kind == "area":
        page[700:1100, 300:900] = 232
    else:
        page *= 1 - 0.12 * np.exp(-np.linspace(0, 12, stacks.SIZE[0]))
    found = verdict_on(ink_of(seen(scanned(PIL.Image.fromarray(page.astype(np.uint8)), random.Random(1)))), [])
    assert found == ("unsure" if kind == "area" else "blank")


@given(kinds=st.lists(st.sampled_from(("blank", "text", "line", "picture")), min_size=1, max_size=5))
@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
def test_each_page_comes_out_once(tmp_path_factory: pytest.TempPathFactory, kinds: list[str]) -> None:
    folder = tmp_path_factory.mktemp("pages")
    source = paper(folder / "in.pdf", *(f"w{number}" for number in range(len(kinds))))
    with pikepdf.open(source, allow_overwriting_input=True) as pdf:
        for number, (page, kind) in enumerate(zip(pdf.pages, kinds, strict=True)):
            page.obj.Number = number
            if kind == "line":
                page.obj.Contents = pdf.make_stream(b"20 20 m 90 60 l S")
            elif kind == "picture":
                image = pdf.make_stream(
                    bytes([255, 0, 0, 255]), Type=Name.XObject, Subtype=Name.Image, Width=2, Height=2,
                    ColorSpace=Name.DeviceGray, BitsPerComponent=8,
                )  # fmt: skip
                page.obj.Resources = Dictionary(XObject=Dictionary(Im0=image))
                page.obj.Contents = pdf.make_stream(b"q 180 0 0 80 10 10 cm /Im0 Do Q")
            elif kind == "blank":
                page.obj.Contents = pdf.make_stream(b"")
        pdf.save(source)
    found = run(folder, source, upright=0, straight=0, searchable=0)
    came: list[list[int]] = []
    for path in (found.main, found.beside):
        if path is not None:
            with pikepdf.open(path) as pdf:
                came.append([int(page.obj.Number) for page in pdf.pages])
    is_out = [number for number, kind in enumerate(kinds) if kind == "blank"] if set(kinds) != {"blank"} else []
    kept = [number for number in range(len(kinds)) if number not in is_out]
    assert came == ([kept, is_out] if is_out else [kept])
