"""What people fill into a PDF is read with it: fields, choices, ticks, stamps; not what no viewer shows."""

from __future__ import annotations

from pathlib import Path

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name, String

from paperchute.engine import ledger, report
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


def _look(pdf: pikepdf.Pdf, content: bytes, resources: object = None) -> pikepdf.Object:
    look = pdf.make_stream(content)
    look.update(Dictionary(Type=Name.XObject, Subtype=Name.Form, BBox=Array([0, 0, 12, 12])))
    if resources is not None:
        look.Resources = resources
    return look


def _with_tick(path: Path, *, state: str, kind: int, drawn: bytes, page: bytes = b"") -> Path:
    """A label with a box beside it. kind: its field flags. drawn: the mark of a ticked one; page: under it."""
    box: dict[str, object] = {"/FT": Name.Btn, "/Ff": kind, "/V": Name(state), "/AS": Name(state)}
    with pikepdf.open(_form(path, box, looks=False), allow_overwriting_input=True) as pdf:
        dingbats = Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.ZapfDingbats)
        marks = Dictionary(Font=Dictionary(Z=pdf.make_indirect(dingbats)))
        field = pdf.pages[0].obj.Annots[0]
        field.Rect = Array([58, 697, 70, 709])
        field.AP = Dictionary(N=Dictionary(Yes=_look(pdf, drawn, marks), Off=_look(pdf, b"")))
        pdf.pages[0].contents_add(page)
        pdf.save(path)
    return path


_CROSS = b"1 1 m 11 11 l 1 11 m 11 1 l S"
_SQUARE = b"58 697 12 12 re S"


@pytest.mark.parametrize("kind", [0, 1 << 15], ids=["check box", "radio button"])
@pytest.mark.parametrize("drawn", [_CROSS, b"BT /Z 12 Tf 1 1 Td (4) Tj ET"], ids=["as a drawing", "as a letter"])
@pytest.mark.parametrize("page", [b"", _SQUARE], ids=["alone", "on a square of the page"])
@pytest.mark.parametrize(("state", "sign"), [("/Yes", "☒"), ("/Off", "☐")])
def test_ticks_are_read_with_their_state(
    state: str, sign: str, kind: int, drawn: bytes, page: bytes, tmp_path: Path
) -> None:
    made = _with_tick(tmp_path / "a.pdf", state=state, kind=kind, drawn=drawn, page=page)
    assert markdown(made, tmp_path / "out") == f"{sign} Name:\n"


_PASSWORD = 1 << 13
_AS_AMOUNT = Dictionary(F=Dictionary(S=Name.JavaScript, JS=String('AFNumber_Format(2, 0, 0, 0, "EUR", true);')))


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({}, "\n\n> **Note** f0: 4711 Leith\n"),
        ({"/Ff": _PASSWORD}, "\n"),
        ({"/AA": _AS_AMOUNT}, "\n"),
        ({"/F": _HIDDEN}, "\n"),
    ],
    ids=["text", "password", "written otherwise by its program", "hidden"],
)
def test_what_a_field_holds_and_does_not_show_is_told(more: dict[str, object], told: str, tmp_path: Path) -> None:
    """Programs fill in values and leave the look of the ones before; viewers show the look."""
    shown = {**_TEXT, "/V": String("EUR 12"), **more}
    path = _form(tmp_path / "a.pdf", shown)
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        pdf.pages[0].obj.Annots[0].V = String("4711 Leith")
        pdf.save(path)
    with report.collected() as warnings:
        text = markdown(path, tmp_path / "out")
    assert text == ("Name:" if "/F" in more else "Name: EUR 12") + told
    assert ["hold words that they do not show" in said for said in warnings] == [True] * ("Note" in told)


def test_what_fields_hold_whose_form_was_taken_away_is_told(tmp_path: Path) -> None:
    """Programs that flatten take the form out of the document and leave fields that never had a look."""
    path = _form(tmp_path / "a.pdf", {**_TEXT, "/V": String("4711 Leith")})
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        field = pdf.pages[0].obj.Annots[0]
        if "/AP" in field:
            del field["/AP"]
        del pdf.Root["/AcroForm"]
        pdf.save(path)
    with report.collected() as warnings:
        text = markdown(path, tmp_path / "out")
    assert "4711 Leith" in text
    assert any("hold words that they do not show" in said for said in warnings)
