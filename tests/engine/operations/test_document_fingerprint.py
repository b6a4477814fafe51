"""document-fingerprint: papers that are scanned again are known, and one digit, tick or signature makes another."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pikepdf
import PIL.Image
import PIL.ImageDraw
import PIL.ImageFont
import pytest
from pikepdf import Dictionary, Name, String

from paperchute.engine.operations import implementation
from paperchute.jobs.likeness import likeness_of
from tests.engine.operations.papers import work
from tests.engine.operations.stacks import blank, scanned, stack

_LINES = (
    *("Harbour Timber Ltd", "Quay Road 12, 4021 Port", "To: {name}", "Invoice {number}", "Date {day}"),
    *("Oak boards planed 12 pieces 640.00", "Pine beams rough 30 pieces 540.00", "Carriage to the site 104.50"),
    *("Total EUR {total}", "Please pay within thirty days of the invoice date.", "Thank you for your patience."),
)
_USUAL = {"name": "Anna Schmidt", "number": "RE-20417", "day": "14.11.2026", "total": "1,284.50"}


def found(folder: Path, source: Path) -> dict[str, Any]:
    (output,) = implementation("document-fingerprint").run(work("document-fingerprint", folder, source))
    return dict(json.loads(output.read_text()))


def likeness(folder: Path, one: Path, other: Path) -> str:
    first, second = found(folder, one), found(folder, other)
    assert likeness_of(first, second) == likeness_of(second, first)
    return likeness_of(first, second)


def invoice(**words: str) -> PIL.Image.Image:
    page, font = blank(), PIL.ImageFont.load_default(28)
    for number, line in enumerate(_LINES):
        PIL.ImageDraw.Draw(page).text((140, 200 + 58 * number), line.format(**_USUAL | words), 30, font)
    return page


def letter(path: Path, *lines: str) -> Path:
    """A page of text that is printed, not scanned."""
    pdf = pikepdf.new()
    page = pdf.add_blank_page(page_size=(595, 842))
    page.Resources = Dictionary(
        Font=Dictionary(F1=Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica))
    )
    shown = "".join(f"1 0 0 1 72 {700 - 30 * number} Tm ({line}) Tj " for number, line in enumerate(lines))
    page.Contents = pdf.make_stream(f"BT /F1 12 Tf {shown} ET".encode())
    pdf.save(path)
    return path


def drawn(*points: tuple[int, int]) -> PIL.Image.Image:
    """The invoice with a line by a pen through these points."""
    page = invoice()
    PIL.ImageDraw.Draw(page).line(points, 80, 4, joint="curve")
    return page


def test_pages_with_text_are_known_by_words_and_ink(tmp_path: Path) -> None:
    texts = "Invoice 20417 of Harbour Timber for oak boards", "Total 1284.50 due on Friday or before that day"
    first, again = (letter(tmp_path / name, *texts) for name in ("a.pdf", "b.pdf"))
    with pikepdf.open(again, allow_overwriting_input=True) as pdf:
        pdf.docinfo["/Title"] = "again"
        pdf.pages[0].rotate(180, relative=True)
        pdf.save(again)
    assert first.read_bytes() != again.read_bytes()
    assert likeness(tmp_path, first, again) == "same"
    other = letter(tmp_path / "c.pdf", texts[0], texts[1].replace("50", "60"))
    assert likeness(tmp_path, first, other) == "other"


@pytest.mark.parametrize("added", ["file", "signature", "line"])
def test_what_stands_beside_the_words_counts(tmp_path: Path, added: str) -> None:
    texts = "Invoice 20417 of Harbour Timber for oak boards"
    first, other = (letter(tmp_path / name, texts) for name in ("a.pdf", "b.pdf"))
    with pikepdf.open(other, allow_overwriting_input=True) as pdf:
        match added:
            case "file":
                pdf.attachments["invoice.xml"] = b"<Invoice/>"
            case "signature":
                pdf.Root.Proof = pdf.make_indirect(
                    Dictionary(Type=Name.Sig, ByteRange=[0, 1, 2, 3], Contents=String("x"))
                )
            case "line":
                pdf.pages[0].contents_add(b"1 w 300 400 m 320 380 l 360 430 l S")
        pdf.save(other)
    assert likeness(tmp_path, first, other) == "other"


@pytest.mark.slow
def test_scans_of_one_paper_are_the_same_and_those_of_another_are_not(tmp_path: Path) -> None:
    def scan(name: str, page: PIL.Image.Image, seed: int, **lies: Any) -> dict[str, Any]:
        return found(tmp_path, stack(tmp_path / f"{name}.pdf", scanned(page, random.Random(seed), **lies)))

    first = scan("first", invoice(), 1, skew=-0.4)
    assert likeness_of(first, scan("askew", invoice(), 2, skew=1.8)) == "same"
    assert likeness_of(first, scan("turned", invoice(), 3, skew=0.6, turn=180)) == "same"
    others = {
        "number": invoice(number="RE-20418"),
        "day": invoice(day="15.11.2026"),
        "total": invoice(total="1,284.60"),
        "tick": drawn((1000, 700), (1015, 722), (1050, 670)),
        "signature": drawn((700, 1500), (730, 1440), (760, 1510), (800, 1450), (870, 1500)),
    }
    for seed, (name, page) in enumerate(others.items(), start=4):
        assert likeness_of(first, scan(name, page, seed, skew=0.5)) == "other", name
    assert likeness_of(first, scan("name", invoice(name="Otto Schmidt"), 9, skew=0.5)) != "same"
