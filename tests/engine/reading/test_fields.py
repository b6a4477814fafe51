"""What people fill into a PDF is read with it: fields, choices, ticks, stamps; not what no viewer shows."""

from __future__ import annotations

from pathlib import Path

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name, String

from paperchute.engine import ledger
from paperchute.engine.reading.pdf.reader import Options
from tests.engine.reading.printing import markdown, read
from tests.engine.reading.sheets import Said, written

_LABEL = Said("Name:", 72, 142)
_BESIDE = (120, 695, 300, 712)
_HIDDEN, _PRINTED = 2, 4  # annotation flags, ISO 32000-1 table 165


def _form(path: Path, *fields: dict[str, object], looks: bool = True) -> Path:
    """A page with a label and fields. looks: with their appearances, as programs write them; else viewers make them."""
    with pikepdf.open(written(path, [[_LABEL]]), allow_overwriting_input=True) as pdf:
        page = pdf.pages[0]
        made = [
            pdf.make_indirect(
                Dictionary(
                    {
                        "/Type": Name.Annot,
                        "/Subtype": Name.Widget,
                        "/F": _PRINTED,
                        "/T": String(f"f{n}"),
                        "/Rect": Array(_BESIDE),
                        "/DA": String("/R 11 Tf 0 g"),
                        **given,
                    }
                )
            )
            for n, given in enumerate(fields)
        ]
        page.obj.Annots = Array(made)
        pdf.Root.AcroForm = Dictionary(Fields=Array(made), DR=page.obj.Resources, DA=String("/R 11 Tf 0 g"))
        if looks:
            pdf.Root.AcroForm.NeedAppearances = True  # else qpdf makes none
            pdf.generate_appearance_streams()
        pdf.save(path)
    return path


_TEXT: dict[str, object] = {"/FT": Name.Tx, "/V": String("Grace Höpper")}


@pytest.mark.parametrize("looks", [True, False])
def test_what_stands_in_a_field_is_read_beside_its_label(looks: bool, tmp_path: Path) -> None:
    with ledger.kept() as book:
        text = markdown(_form(tmp_path / "a.pdf", _TEXT, looks=looks), tmp_path / "out")
    assert text == "Name: Grace Höpper\n"
    assert (book.shown, book.lost.total()) == (3, 0)


def test_of_a_choice_its_words_are_read(tmp_path: Path) -> None:
    options = Array([Array([String("a"), String("Alpha")]), Array([String("b"), String("Beta")])])
    chosen: dict[str, object] = {"/FT": Name.Ch, "/Ff": 1 << 17, "/V": String("b"), "/Opt": options}
    assert markdown(_form(tmp_path / "a.pdf", chosen, looks=False), tmp_path / "out") == "Name: Beta\n"


def test_hidden_fields_and_empty_ones_say_nothing(tmp_path: Path) -> None:
    hidden = {**_TEXT, "/F": _HIDDEN}
    empty: dict[str, object] = {"/FT": Name.Tx, "/V": String("")}
    assert markdown(_form(tmp_path / "a.pdf", hidden, empty, looks=False), tmp_path / "out") == "Name:\n"


def _with_stamp(path: Path, contents: str) -> Path:
    with pikepdf.open(_form(path), allow_overwriting_input=True) as pdf:
        page = pdf.pages[0]
        look = pdf.make_stream(b"BT /R 11 Tf 2 4 Td (APPROVED) Tj ET")
        look.update(Dictionary(Type=Name.XObject, Subtype=Name.Form, BBox=Array([0, 0, 180, 17])))
        look.Resources = page.obj.Resources
        stamp = Dictionary(Type=Name.Annot, Subtype=Name.Stamp, F=_PRINTED, Rect=Array([120, 500, 300, 517]))
        stamp.AP = Dictionary(N=look)
        if contents:
            stamp.Contents = String(contents)
        page.obj.Annots = Array([pdf.make_indirect(stamp)])
        pdf.save(path)
    return path


@pytest.mark.parametrize(
    ("contents", "wanted", "text"),
    [
        ("", True, "Name:\n\nAPPROVED\n"),
        ("signed by Ada", True, "Name:\n\nAPPROVED\n\n> **Note** signed by Ada\n"),
        ("", False, "Name:\n"),
    ],
)
def test_a_stamp_is_read_where_annotations_are_wanted(contents: str, wanted: bool, text: str, tmp_path: Path) -> None:
    assert markdown(_with_stamp(tmp_path / "a.pdf", contents), tmp_path / "out", isContainAnnot=wanted) == text


@pytest.mark.parametrize("notes", [True, False])
def test_over_a_pages_look_fields_are_words_and_not_drawn(notes: bool, tmp_path: Path) -> None:
    with read(_form(tmp_path / "a.pdf", _TEXT), Options(looks=True, notes=notes)) as pages:
        spans = [span for block in pages[0].blocks for line in block.lines for span in line.spans]
        assert pages[0].backdrop is None
    assert [(span.text.strip(), span.style.color) for span in spans] == [("Name: Grace Höpper", "")]


def test_fields_that_share_their_kids_end(tmp_path: Path) -> None:
    """PDFium would go through 2 ** 30 of them."""
    with pikepdf.open(_form(tmp_path / "a.pdf", _TEXT), allow_overwriting_input=True) as pdf:
        last = pdf.Root.AcroForm.Fields[0]
        for _ in range(30):
            last = pdf.make_indirect(Dictionary(Kids=Array([last, last])))
        pdf.Root.AcroForm.Fields = Array([last])
        pdf.save(tmp_path / "a.pdf")
    assert markdown(tmp_path / "a.pdf", tmp_path / "out") == "Name: Grace Höpper\n"


@pytest.mark.parametrize(("ink", "found"), [("0 g", ["Name:", "Grace", "Höpper"]), ("1 g", ["Name:"])])
def test_what_is_filled_in_unseen_is_not_searched(ink: str, found: list[str], tmp_path: Path) -> None:
    pdf = _form(tmp_path / "a.pdf", {**_TEXT, "/DA": String(f"/R 11 Tf {ink}")})
    with read(pdf, Options(words=True)) as pages:
        assert [word.text for word in pages[0].words] == found
