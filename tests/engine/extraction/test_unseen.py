"""An amount that a document holds and does not show is never told: of what nobody sees nothing is read out."""

from __future__ import annotations

import json
from pathlib import Path

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name, String

from paperchute.engine import ledger, report
from tests.engine.reading.sheets import HEIGHT, Said, written
from tests.engine.writing.sample import outputs

_SHOWN = [
    Said("Acme Tools Ltd", 60, 50, 12),
    Said("Invoice", 60, 100, 18),
    Said("Net: 150.00", 60, 240),
    Said("Tax: 0.00", 60, 254),
    Said("Total: EUR 150.00", 60, 268),
]
_LIES = (("Net: 950.00", 310), ("Tax: 0.00", 324), ("Total: EUR 950.00", 338))


def _text(before: str = "", size: float = 11, words: tuple[tuple[str, int], ...] = _LIES, x: int = 60) -> str:
    said = (f"q BT /R {size} Tf {before} {x} {HEIGHT - y} Td ({text}) Tj ET Q\n" for text, y in words)
    return "".join(said)


_WAYS = {
    "without ink": _text("3 Tr"),
    "white": _text("1 g"),
    "in a hidden layer": f"/OC /Off BDC {_text()} EMC",
    "minute": _text(size=0.5),
    "covered": f"{_text()} 1 g 50 {HEIGHT - 345} 300 60 re f",
    "clipped away": f"q 0 0 1 1 re W n {_text()} Q",
    "off the page": _text(x=700),
}


def _with(path: Path, more: str) -> Path:
    with pikepdf.open(written(path, [_SHOWN]), allow_overwriting_input=True) as pdf:
        page = pdf.pages[0]
        layer = pdf.make_indirect(Dictionary(Type=Name.OCG, Name=String("Off")))
        pdf.Root.OCProperties = Dictionary(OCGs=Array([layer]), D=Dictionary(OFF=Array([layer])))
        page.obj.Resources = Dictionary(Font=page.obj.Resources.Font, Properties=Dictionary(Off=layer))
        page.contents_add(more.encode())
        pdf.save(path)
    return path


def _total(path: Path, folder: Path) -> object:
    (result,) = outputs("document-extract", path, folder, extractFields="{}")
    return json.loads(result.read_text("utf-8"))["Document"]["total"]["value"]


@pytest.mark.parametrize("way", _WAYS)
def test_another_total_that_nobody_sees_changes_nothing(way: str, tmp_path: Path) -> None:
    with ledger.kept() as book, report.collected() as warnings:
        assert _total(_with(tmp_path / "a.pdf", _WAYS[way]), tmp_path / "out") == "150.00"
    reason = "outside" if way == "off the page" else "unseen"
    assert (book.left_out[reason], book.lost.total()) == (7, 0)
    said = "There are invisible words on page 1. They were left out of the search."
    assert (said in warnings) == (reason == "unseen")


_DARK = f"q 0 g 40 {HEIGHT - 345} 300 60 re f Q "


@pytest.mark.parametrize(
    ("drawn", "is_told"),
    [
        (_WAYS["without ink"], True),
        (_WAYS["white"], True),
        (_WAYS["minute"], True),
        (_WAYS["covered"], True),
        (_WAYS["in a hidden layer"], True),
        (f"{_text()} q 0 0 1 rg 50 {HEIGHT - 345} 300 60 re f Q", True),
        (f"1 0.9 0.5 rg 50 {HEIGHT - 345} 300 60 re f 0 g {_text()}", False),
        (_text("0 0 0 0.02 k"), True),
        (_DARK + _text("1 g"), False),
        (_text("0.8 g"), False),
        (_text("1 g 1 Tr"), False),  # whose outlines are black
    ],
)
def test_words_that_nobody_sees_are_told_of_where_they_stay(drawn: str, is_told: bool, tmp_path: Path) -> None:
    with report.collected() as warnings:
        (result,) = outputs("pdf-to-markdown", _with(tmp_path / "a.pdf", drawn), tmp_path / "out")
    assert "950.00" in result.read_text("utf-8")
    said = "There are invisible words on page 1, and they are in the result: check it."
    assert warnings == [said] * is_told


@pytest.mark.parametrize("ink", ["3 Tr", "1 g"])
def test_a_digit_that_nobody_sees_makes_no_larger_amount(ink: str, tmp_path: Path) -> None:
    line = (
        "BT /R 11 Tf 60 500 Td (Total due: EUR) Tj ET BT /R 11 Tf {} 140 500 Td (9) Tj 0 Tr 0 g 6.1 0 Td (151.00) Tj ET"
    )
    with pikepdf.open(written(tmp_path / "a.pdf", [_SHOWN[:2]]), allow_overwriting_input=True) as pdf:
        pdf.pages[0].contents_add(line.format(ink).encode())
        pdf.save(tmp_path / "a.pdf")
    assert _total(tmp_path / "a.pdf", tmp_path / "out") in ("151.00", None)


def test_what_is_pale_or_on_a_dark_ground_is_seen(tmp_path: Path) -> None:
    with pikepdf.open(written(tmp_path / "a.pdf", [_SHOWN[:2]]), allow_overwriting_input=True) as pdf:
        pdf.pages[0].contents_add(
            b"0.85 g BT /R 11 Tf 60 520 Td (Net: 150.00) Tj ET "
            b"0.1 g 50 490 200 20 re f 1 g BT /R 11 Tf 60 496 Td (Total: EUR 150.00) Tj ET"
        )
        pdf.save(tmp_path / "a.pdf")
    with ledger.kept() as book:
        assert _total(tmp_path / "a.pdf", tmp_path / "out") == "150.00"
    assert book.left_out["unseen"] == 0
