"""Stacks that a feeder gives, split at sheets, labels, blank pages and words: no page is lost, none in two parts."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pikepdf
import PIL.Image
import PIL.ImageDraw
import PIL.ImageFont
import pypdfium2
import pytest
import zxingcpp
from hypothesis import given, settings
from hypothesis import strategies as st
from pikepdf import Array, Dictionary, Name

from paperchute.app.separator_sheets import Sheet, write_sheets
from paperchute.engine import report
from paperchute.engine.operations import implementation
from paperchute.engine.pdf.separators import Fate, _divided
from paperchute.engine.work import Refused
from tests.engine.operations.papers import paper, words, work
from tests.engine.operations.stacks import DPI, SIZE, blank, printed, scanned, sparse, stack, with_back

QR, MATRIX = zxingcpp.BarcodeFormat.QRCode, zxingcpp.BarcodeFormat.DataMatrix
LINEAR = zxingcpp.BarcodeFormat.Code39, zxingcpp.BarcodeFormat.Code128
EURO = "BCD\n002\n1\nSCT\n\nHarbour Office\nDE02120300000000202051\nEUR12.50"
SWISS = "SPC\r\n0200\r\n1\r\nCH4431999123000889012"


def with_code(page: PIL.Image.Image, text: str, kind: zxingcpp.BarcodeFormat = QR, turn: float = 0) -> PIL.Image.Image:
    """A page with a label on it."""
    picture = PIL.Image.fromarray(np.array(zxingcpp.create_barcode(text, kind).to_image(scale=1)))
    size = (260, 260) if kind in (QR, MATRIX) else (picture.width * 3, 70)
    label = picture.resize(size, PIL.Image.Resampling.NEAREST)
    if turn:
        label = label.rotate(turn, PIL.Image.Resampling.BICUBIC, expand=True, fillcolor=255)
    page = page.copy()
    page.paste(label, (SIZE[0] - label.width - 100, 40))
    return page


def sheet(folder: Path, code: str = "", turn: int = 0) -> PIL.Image.Image:
    """A separator sheet as `paperchute sheets` prints it."""
    path = folder / f"sheet-{random.randrange(1 << 60)}.pdf"
    write_sheets(path, [Sheet(code)], "a4")
    document = pypdfium2.PdfDocument(path)
    printed_sheet = document[0].render(scale=DPI / 72, grayscale=True).to_pil().convert("L").resize(SIZE)
    document.close()
    return printed_sheet.rotate(turn, expand=turn % 180 == 90)


class Split:
    """What came of a stack: the pages of each part, by their place in the stack, its names, and what was said."""

    def __init__(self, folder: Path, source: Path, **parameters: Any) -> None:
        with report.noted() as self.notes, report.collected() as self.warnings:
            outputs = implementation("pdf-split").run(work("pdf-split", folder, source, **parameters))
        self.names = [output.stem for output in outputs]
        whole = _looks(source)
        self.parts = [[whole.index(look) for look in _looks(output)] for output in outputs]


def _looks(path: Path) -> list[bytes]:
    document = pypdfium2.PdfDocument(path)
    looks = [page.render(scale=0.5).to_numpy().tobytes() for page in document]
    document.close()
    return looks


def _letters(seed: int, count: int) -> list[PIL.Image.Image]:
    chance = random.Random(seed)
    return [scanned(printed(chance), chance) for _ in range(count)]


def test_sheets_at_four_turns_go_out_and_name_what_follows(tmp_path: Path) -> None:
    a, b, c, d, e = _letters(1, 5)
    chance = random.Random(2)
    sheets = [scanned(sheet(tmp_path, code), chance, turn=turn, skew=2.5) for code, turn in zip(
        ("", "customer=Hübér/..\\x\nnumber=7", '{"customer": "B", "n": 3}', ""), (0, 90, 180, 270), strict=True
    )]  # fmt: skip
    source = stack(tmp_path / "Post.pdf", a, sheets[0], b, sheets[1], c, sheets[2], d, sheets[3], e)
    found = Split(tmp_path, source, separatorCode="PATCHT")
    assert found.parts == [[0], [2], [4], [6], [8]]
    assert found.names == [f"Post 0{number}" for number in range(1, 6)]
    assert found.notes == ["Taken out as separators: pages 2, 4, 6, 8."]
    assert not found.warnings
    named = Split(tmp_path, source, separatorCode="PATCHT", partName="{code.Customer}-{part}")
    assert named.names == ["unknown-1", "unknown-2", "Hübér_.._x-3", "B-4", "unknown-5"]
    assert len(named.warnings) == 3


@pytest.mark.parametrize("kind", [QR, MATRIX, *LINEAR])
@pytest.mark.parametrize("turn", [0, 37, 200])
def test_a_label_parts_before_its_page_which_stays(tmp_path: Path, kind: zxingcpp.BarcodeFormat, turn: int) -> None:
    a, b, c = _letters(3, 3)
    source = stack(tmp_path / "a.pdf", a, with_code(b, "AB-12", kind, turn), c)
    assert Split(tmp_path, source, separatorCode=r"AB-\d+", partName="{code}").parts == [[0], [1, 2]]


def test_codes_for_payment_part_nothing_unless_the_pattern_names_them(tmp_path: Path) -> None:
    a, b, c, d = _letters(4, 4)
    pages = (a, with_code(b, EURO), with_code(c, SWISS), with_code(d, "https://example.com"))
    source = stack(tmp_path / "a.pdf", *pages)
    assert Split(tmp_path, source, separatorCode=".*").parts == [[0, 1, 2], [3]]
    assert Split(tmp_path, source, separatorCode="BCD.*").parts == [[0], [1, 2, 3]]
    assert Split(tmp_path, source, separatorCode="SPC.*").parts == [[0, 1], [2, 3]]
    whole = Split(tmp_path, source, separatorCode="PATCHT")
    assert whole.parts == [[0, 1, 2, 3]]
    assert "stays whole" in whole.warnings[0]


def test_a_sheet_counts_once_with_what_shows_through_on_its_back(tmp_path: Path) -> None:
    chance = random.Random(5)
    front = sheet(tmp_path)
    a, b = _letters(6, 2)
    back = scanned(with_back(blank(), front, 0.3), chance)
    source = stack(tmp_path / "a.pdf", a, scanned(front, chance), back, b, scanned(blank(), chance))
    found = Split(tmp_path, source, separatorCode="PATCHT")
    assert found.parts == [[0], [3, 4]], "a blank page elsewhere is not the sheet's back"
    assert found.notes == ["Taken out as separators: pages 2-3."]
    assert Split(tmp_path, source, separatorCode="PATCHT", separatorPage="keep").parts == [[0], [1, 2, 3, 4]]


def test_a_label_that_shows_through_on_the_back_of_its_page_parts_nothing(tmp_path: Path) -> None:
    chance = random.Random(7)
    front = with_code(printed(chance), "customer=Huber")
    back = scanned(with_back(blank(), front, 0.3), chance)
    again = scanned(with_code(printed(chance), "customer=Huber"), chance)
    source = stack(tmp_path / "a.pdf", scanned(front, chance), back, again)
    assert Split(tmp_path, source, separatorCode="customer=.*").parts == [[0, 1], [2]]


@pytest.mark.parametrize("kind", ["tick", "number", "pencil", "pale"])
def test_what_somebody_wrote_behind_a_sheet_stays(tmp_path: Path, kind: str) -> None:
    chance = random.Random(8)
    a, b = _letters(9, 2)
    source = stack(tmp_path / "a.pdf", a, scanned(sheet(tmp_path), chance), scanned(sparse(kind), chance), b)
    assert Split(tmp_path, source, separatorCode="PATCHT").parts == [[0], [2, 3]]


def test_a_page_with_nothing_but_a_code_is_a_sheet_and_one_with_a_word_a_label(tmp_path: Path) -> None:
    a, b, c = _letters(10, 3)
    alone, written = with_code(blank(), "customer=A"), with_code(sparse("tick"), "customer=B")
    source = stack(tmp_path / "a.pdf", a, alone, b, written, c)
    found = Split(tmp_path, source, separatorCode="customer=.*", partName="{part} {code.customer}")
    assert found.parts == [[0], [2], [3, 4]]
    assert found.names == ["1 unknown", "2 A", "3 B"]
    assert Split(tmp_path, source, separatorCode="customer=.*", separatorPage="remove").parts == [[0], [2], [4]]


def test_sheets_without_pages_behind_them_are_told_and_a_stack_of_sheets_alone_is_refused(tmp_path: Path) -> None:
    (a,) = _letters(11, 1)
    lone = stack(tmp_path / "a.pdf", sheet(tmp_path, "to=A"), sheet(tmp_path, "to=B"), a, sheet(tmp_path, "to=C"))
    found = Split(tmp_path, lone, separatorCode="PATCHT", partName="{code.to}")
    assert (found.parts, found.names) == ([[2]], ["B"])
    assert "pages 1, 4" in found.warnings[0]
    with pytest.raises(Refused, match="130001"):
        Split(tmp_path, stack(tmp_path / "b.pdf", sheet(tmp_path), sheet(tmp_path)), separatorCode="PATCHT")


def test_blank_pages_part_a_stack_and_so_many_as_are_asked_for(tmp_path: Path) -> None:
    chance = random.Random(12)
    a, b, c = _letters(13, 3)
    empty = [scanned(blank(), chance) for _ in range(4)]
    source = stack(tmp_path / "a.pdf", empty[0], a, empty[1], b, scanned(sparse("tick"), chance), empty[2], empty[3], c)
    assert Split(tmp_path, source, blankPages=1).parts == [[1], [3, 4], [7]]
    assert Split(tmp_path, source, blankPages=2).parts == [[0, 1, 2, 3, 4], [7]]
    assert Split(tmp_path, source, blankPages=2, separatorPage="keep").parts == [[0, 1, 2, 3, 4], [5, 6, 7]]


def _break(pdf: pikepdf.Pdf, page: int) -> None:
    """Leave nothing of a page's picture that any reader could show."""
    picture = pdf.pages[page].obj.Resources.XObject.Im0
    picture.write(picture.read_raw_bytes()[:300], filter=Name.DCTDecode)


def _lose(pdf: pikepdf.Pdf, page: int) -> None:
    del pdf.pages[page].obj.Resources.XObject.Im0


def _note(pdf: pikepdf.Pdf, page: int) -> None:
    note = Dictionary(Type=Name.Annot, Subtype=Name.Text, Rect=[50, 50, 50, 50], F=2, Contents="Paid twice")
    pdf.pages[page].obj.Annots = Array([pdf.make_indirect(note)])


@pytest.mark.parametrize(("harm", "is_told"), [(_break, True), (_lose, True), (_note, False)])
@pytest.mark.parametrize("kind", ["page", "back"])
def test_a_page_that_may_hold_more_than_it_shows_is_no_blank_one(
    tmp_path: Path, harm: Callable[[pikepdf.Pdf, int], None], kind: str, *, is_told: bool
) -> None:
    a, lost, b = _letters(14, 3)
    front = scanned(sheet(tmp_path), random.Random(15))
    source = stack(tmp_path / "a.pdf", a, *([] if kind == "page" else [front]), lost, b)
    page = 1 if kind == "page" else 2
    with pikepdf.open(source, allow_overwriting_input=True) as pdf:
        if harm is _note:
            pdf.pages[page].Contents = pdf.make_stream(b"")
        harm(pdf, page)
        pdf.save(source)
    asked = {"blankPages": 1} if kind == "page" else {"separatorCode": "PATCHT"}
    found = Split(tmp_path, source, **asked)
    assert any(page in part for part in found.parts)
    assert any("Damaged or cut off" in said for said in found.warnings) == is_told


def test_words_of_the_text_layer_part_a_document_in_any_line(tmp_path: Path) -> None:
    source = paper(tmp_path / "a.pdf", "Cover", "Invoice 7", "more", "my Invoice", "invoice 8")
    assert Split(tmp_path, source, separatorText=r"^Invoice \d").parts == [[0], [1, 2, 3], [4]]
    assert Split(tmp_path, source, separatorText=r"^Invoice \d", separatorPage="remove").parts == [[0], [2, 3]]


@pytest.mark.slow
def test_words_of_a_scan_are_recognised(tmp_path: Path) -> None:
    pages = []
    for text in ("Rechnung Nr. 11", "Seite zwei", "Rechnung Nr. 12"):
        page = blank()
        PIL.ImageDraw.Draw(page).text((150, 300), text, 20, PIL.ImageFont.load_default(50))
        pages.append(page)
    source = stack(tmp_path / "a.pdf", *pages)
    assert Split(tmp_path, source, separatorText=r"^Rechnung Nr").parts == [[0, 1], [2]]


def test_a_tiff_of_many_pages_is_a_stack(tmp_path: Path) -> None:
    a, b, c = _letters(14, 3)
    source = tmp_path / "scan.tiff"
    a.save(source, save_all=True, append_images=[sheet(tmp_path), b, c], dpi=(DPI, DPI), compression="tiff_lzw")
    outputs = implementation("pdf-split").run(work("pdf-split", tmp_path, source, separatorCode="PATCHT"))
    assert [(output.name, len(words(output))) for output in outputs] == [("scan 01.pdf", 1), ("scan 02.pdf", 2)]


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"separatorCode": "("}, "separatorCode is not a pattern"),
        ({"separatorText": "(?=x)"}, "separatorText is not a pattern"),
        ({"every": 2, "partName": "{customer}"}, "no placeholder"),
        ({"every": 2, "partName": "{part:x}"}, "cannot be filled in"),
        ({"every": 2, "partName": "a/{part}"}, "without folders"),
        ({"every": 2, "partName": "{part"}, "brace"),
        ({"blankPages": 0}, "1 or more"),
        ({"every": 2, "separatorPage": "keep"}, "separatorPage needs"),
    ],
)
def test_what_cannot_work_is_refused_before(tmp_path: Path, parameters: dict[str, Any], said: str) -> None:
    with pytest.raises(Refused, match="03000") as refused:
        work("pdf-split", tmp_path, paper(tmp_path / "a.pdf", "a", "b"), **parameters)
    assert said in refused.value.reason


def test_names_that_some_system_takes_for_one_are_told_apart(tmp_path: Path) -> None:
    source = paper(tmp_path / "a.pdf", *"abc")
    assert Split(tmp_path, source, every=1, partName="same").names == ["same", "same (2)", "same (3)"]


_fates = st.lists(st.tuples(st.sampled_from(["sheet", "back", "first", "plain"]), st.sampled_from(["", "A", "B"])))


@given(_fates, st.booleans())
def test_whatever_pages_are_each_is_in_one_part_or_taken_out(fates: list[tuple[Fate, str]], stays: bool) -> None:
    division = _divided(fates, stays=stays)
    pages = [page for part in division.parts for page in part.pages]
    assert sorted([*pages, *division.taken_out]) == list(range(len(fates)))
    assert pages == sorted(pages)
    assert all(part.pages for part in division.parts)
    for page in division.taken_out:
        assert fates[page][0] in ("sheet", "back")
        assert not stays
    starts = {part.pages[0] for part in division.parts}
    if not stays:
        assert {page for page, (fate, _code) in enumerate(fates) if fate == "first"} <= starts


_kinds = st.lists(st.sampled_from(["page", "page", "sheet", "back", "label", "blank"]), max_size=6).map(
    lambda kinds: ["page", *kinds]  # so that something is left
)


@settings(max_examples=4)
@given(_kinds, st.sampled_from(["auto", "keep", "remove"]))
def test_pages_in_are_pages_out_and_pages_told(kinds: Sequence[str], fate: str) -> None:
    chance = random.Random("".join(kinds))
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        front = sheet(folder)
        made = {
            "sheet": lambda: front,
            "back": lambda: with_back(blank(), front),
            "blank": blank,
            "page": lambda: printed(chance, 8),
            "label": lambda: with_code(printed(chance, 8), "PAGE-1"),
        }
        source = stack(folder / "a.pdf", *(scanned(made[kind](), chance) for kind in kinds))
        found = Split(folder, source, separatorCode="PATCHT|PAGE-1", separatorPage=fate)
    pages = [page for part in found.parts for page in part]
    told = _told(found.notes)
    assert sorted([*pages, *told]) == list(range(len(kinds)))
    assert pages == sorted(pages)
    assert all(kinds[page] not in ("page", *(("label",) if fate == "auto" else ())) for page in told)
    if fate == "auto":
        assert {page for page, kind in enumerate(kinds) if kind == "label"} <= {part[0] for part in found.parts}


def _told(notes: Sequence[str]) -> list[int]:
    found: list[int] = []
    for note in notes:
        for span in note.rstrip(".").split("page", 1)[1].lstrip("s ").split(", "):
            first, _, last = span.partition("-")
            found += range(int(first) - 1, int(last or first))
    return found
