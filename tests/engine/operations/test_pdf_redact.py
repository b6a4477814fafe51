"""pdf-redact: what is looked for is gone for every reader, and all else is there."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pikepdf
import PIL.Image
import PIL.ImageDraw
import PIL.ImageFont
import pypdfium2
import pytest
from pikepdf import Array, Dictionary, Name, String

from paperchute.engine import report
from paperchute.engine.operations import pdf_redact
from paperchute.engine.redaction import redactor
from paperchute.engine.redaction.content import rewrite
from paperchute.engine.redaction.sight import Removal
from paperchute.engine.work import Refused
from tests.engine.operations.papers import done
from tests.engine.operations.pictures import photo, scan
from tests.engine.operations.planted import FILLERS, SECRETS, planted

_WANTED = re.compile("|".join(SECRETS), re.IGNORECASE)


def _readings(path: Path) -> list[str]:
    """The document as readers have it: PDFium, poppler where it is installed, and all its strings and streams."""
    document = pypdfium2.PdfDocument(path)
    readings = [page.get_textpage().get_text_range() for page in document]
    document.close()
    if shutil.which("pdftotext"):
        for how in ("-layout", "-raw"):
            made = subprocess.run(["pdftotext", how, str(path), "-"], capture_output=True, check=True).stdout
            readings.append(made.decode("utf-8", "replace"))
    with pikepdf.open(path) as pdf:
        for item in pdf.objects:
            dictionary = item.stream_dict if isinstance(item, pikepdf.Stream) else item
            raw = dictionary.unparse(resolved=True) if isinstance(dictionary, pikepdf.Object) else b""
            datas = [raw, *(bytes.fromhex(h.decode()) for h in re.findall(rb"<((?:[0-9a-f]{2})+)>", raw))]
            if isinstance(item, pikepdf.Stream) and item.get("/Subtype") != "/Image":
                data = item.read_bytes()
                shown = re.findall(rb"\(((?:[^()\\]|\\.)*)\)|<((?:[0-9A-Fa-f]{2})+)>", data)
                strings = [one or bytes.fromhex(other.decode()) for one, other in shown]
                datas += [data, b"".join(strings), bytes(byte - 7 for byte in b"".join(strings) if byte >= 7)]
            for data in datas:
                readings += [
                    data.decode("latin-1"),
                    data.decode("utf-16-be", "replace"),
                    data.replace(b"\0", b"").decode("latin-1"),
                ]
    return readings


def _gone(path: Path) -> None:
    for reading in _readings(path):
        plain = re.sub(r"[\s\xad\u0002\ufffe-]+", "", reading)
        assert not _WANTED.search(plain), reading[:300]


def _fillers(path: Path) -> list[Counter[str]]:
    document = pypdfium2.PdfDocument(path)
    pages = [page.get_textpage().get_text_range() for page in document]
    document.close()
    return [Counter(word for word in re.findall(r"[a-z]+", page) if word in FILLERS) for page in pages]


@pytest.mark.parametrize("seed", [1, *(pytest.param(n, marks=pytest.mark.slow) for n in range(2, 6))])
def test_no_reader_finds_a_planted_word_and_all_others_stay(tmp_path: Path, seed: int) -> None:
    source = tmp_path / "planted.pdf"
    made = planted(source, seed, 4)
    assert made.planted >= 100
    before = _fillers(source)
    assert before == [Counter(words) for words in made.stay]
    with report.collected() as warnings, report.noted() as notes:
        result = done("pdf-redact", tmp_path, source, words=list(SECRETS))
    _gone(result)
    assert _fillers(result) == before
    assert not _WANTED.search(" ".join([*warnings, *notes]))


def _page(path: Path, content: str, size: tuple[float, float] = (400, 300), **facts: object) -> Path:
    """A page with Helvetica as /H, and with these facts."""
    pdf = pikepdf.new()
    page = pdf.add_blank_page(page_size=size)
    font = Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica, Encoding=Name.WinAnsiEncoding)
    page.obj.Resources = Dictionary(Font=Dictionary(H=font))
    page.obj.Contents = pdf.make_stream(content.encode("latin-1"))
    for key, value in facts.items():
        page.obj[f"/{key}"] = value
    pdf.save(path)
    return path


def _text(path: Path) -> str:
    document = pypdfium2.PdfDocument(path)
    text = "\n".join(page.get_textpage().get_text_range() for page in document)
    document.close()
    return " ".join(text.split())


def _pictures(path: Path) -> list[PIL.Image.Image]:
    with pikepdf.open(path) as pdf:
        return [
            pikepdf.PdfImage(item).as_pil_image()
            for item in pdf.objects
            if isinstance(item, pikepdf.Stream) and item.get("/Subtype") == "/Image"
        ]


@pytest.mark.parametrize(
    ("rotate", "box"), [(0, "1: 95,20,145,45"), (90, "1: 250,95,285,145"), (270, "all: 15,255,45,305")]
)
def test_a_box_is_meant_as_the_page_is_shown(tmp_path: Path, rotate: int, box: str) -> None:
    source = _page(
        tmp_path / "a.pdf",
        "BT /H 12 Tf 1 0 0 1 20 265 Tm (stays here) Tj 1 0 0 1 100 265 Tm (secret) Tj ET",
        Rotate=rotate,
    )
    assert _text(done("pdf-redact", tmp_path, source, boxes=[box])) == "stays here"


def test_a_box_takes_notes_and_empties_fields_that_it_covers(tmp_path: Path) -> None:
    source = _page(tmp_path / "a.pdf", "BT /H 12 Tf 20 20 Td (stays) Tj ET")
    with pikepdf.open(source, allow_overwriting_input=True) as pdf:
        rect = Array([100, 200, 150, 220])
        field = pdf.make_indirect(
            Dictionary(Type=Name.Annot, Subtype=Name.Widget, FT=Name.Tx, T=String("f"), V=String("held"), Rect=rect)
        )
        note = pdf.make_indirect(Dictionary(Type=Name.Annot, Subtype=Name.Text, Contents=String("said"), Rect=rect))
        pdf.pages[0].obj.Annots = Array([field, note])
        pdf.Root.AcroForm = Dictionary(Fields=Array([field]))
        pdf.save(source)
    with pikepdf.open(done("pdf-redact", tmp_path, source, boxes=["1: 90,70,200,110"])) as pdf:
        (left,) = pdf.pages[0].obj.Annots
        assert left.T == "f"
        assert Name.V not in left


def test_nothing_of_a_note_in_a_box_stays_by_its_window_an_answer_or_a_tag(tmp_path: Path) -> None:
    source = _page(tmp_path / "a.pdf", "BT /H 12 Tf 20 20 Td (stays) Tj ET")
    with pikepdf.open(source, allow_overwriting_input=True) as pdf:

        def note(kind: str, rect: list[int], **facts: Any) -> pikepdf.Object:
            return pdf.make_indirect(Dictionary(Type=Name.Annot, Subtype=Name(kind), Rect=Array(rect), **facts))

        covered = note("/Text", [100, 200, 150, 220], Contents=String("kestrelby"), T=String("kestrelby"))
        covered.Popup = window = note("/Popup", [300, 20, 390, 60], Parent=covered)
        sound = note("/Sound", [300, 70, 320, 80], Contents=String("kestrelby"))
        answers = [note("/Text", [20, 40, 40, 60], Contents=String("answer"), IRT=one) for one in (covered, sound)]
        pdf.pages[0].obj.Annots = Array([covered, window, sound, *answers])
        tag = Dictionary(Type=Name.OBJR, Obj=covered, Pg=pdf.pages[0].obj)
        element = pdf.make_indirect(Dictionary(S=Name.Annot, K=Array([tag])))
        pdf.Root.StructTreeRoot = Dictionary(Type=Name.StructTreeRoot, K=Array([element]))
        hide = Dictionary(S=Name.Hide, T=covered)
        pdf.Root.OpenAction = hide
        pdf.save(source)
    result = done("pdf-redact", tmp_path, source, boxes=["1: 90,70,200,110"])
    _gone(result)
    with pikepdf.open(result) as pdf:
        assert [note.Contents for note in pdf.pages[0].obj.Annots] == ["answer", "answer"]


def test_what_tags_say_of_what_was_in_a_box_goes_with_it(tmp_path: Path) -> None:
    text = (
        "BT /H 12 Tf /P <</MCID 0>> BDC 1 0 0 1 20 265 Tm (stays) Tj EMC /P /M BDC 1 0 0 1 100 265 Tm (seen) Tj EMC ET"
    )
    source = _page(tmp_path / "a.pdf", text)
    with pikepdf.open(source, allow_overwriting_input=True) as pdf:
        page = pdf.pages[0].obj
        page.Resources.Properties = Dictionary(M=Dictionary(MCID=1))
        root = pdf.make_indirect(Dictionary(Type=Name.StructTreeRoot))
        above = pdf.make_indirect(Dictionary(S=Name.Figure, P=root, Alt=String("kestrelby")))
        mark = Dictionary(Type=Name.MCR, MCID=1, Pg=page)
        gone = pdf.make_indirect(Dictionary(S=Name.P, P=above, K=Array([mark]), ActualText=String("zander")))
        kept = pdf.make_indirect(Dictionary(S=Name.P, P=root, K=0, Pg=page, Alt=String("stays, too")))
        above.K, root.K = gone, Array([above, kept])
        pdf.Root.StructTreeRoot = root
        pdf.save(source)
    result = done("pdf-redact", tmp_path, source, boxes=["1: 95,20,145,45"])
    _gone(result)
    with pikepdf.open(result) as pdf:
        assert pdf.Root.StructTreeRoot.K[1].Alt == "stays, too"


@pytest.mark.parametrize("mode", ["1", "L", "RGB", "P"])
def test_pictures_are_black_in_their_own_pixels_and_nowhere_else(tmp_path: Path, mode: str) -> None:
    picture = photo((400, 300)).convert(mode)
    source = scan(tmp_path / "a.pdf", picture if mode != "P" else picture.convert("RGB"), dpi=72)
    shown = picture if mode != "P" else picture.convert("RGB")
    (made,) = _pictures(done("pdf-redact", tmp_path, source, boxes=["1: 100,100,200,150"]))
    before, after = np.asarray(shown.convert("L"), int), np.asarray(made.convert("L"), int)
    assert after[102:148, 102:198].max() == 0
    before[95:156, 95:206] = after[95:156, 95:206] = 0
    assert np.abs(before - after).max() == 0


def test_a_picture_of_other_pages_stays_as_it_is_on_them(tmp_path: Path) -> None:
    source = scan(tmp_path / "a.pdf", photo((400, 300)), jpeg=80, dpi=72)
    with pikepdf.open(source, allow_overwriting_input=True) as pdf:
        pdf.pages.append(pdf.pages[0])
        pdf.save(source)
    pictures = _pictures(done("pdf-redact", tmp_path, source, boxes=["2: 100,100,200,150"]))
    black = [np.asarray(picture.convert("L"))[110:140, 110:190].max() for picture in pictures]
    assert len(black) == 2
    assert min(black) == 0 < max(black)


@pytest.mark.parametrize("shared", ["appearance", "tag", "defaults", "form"])
def test_a_picture_that_was_blacked_out_stays_nowhere_else(tmp_path: Path, shared: str) -> None:
    """Not in the resources of a page that draws what is not there, of a stamp, or of a form, nor in a tag."""
    source = scan(tmp_path / "a.pdf", photo((400, 300)), dpi=72)
    with pikepdf.open(source, allow_overwriting_input=True) as pdf:
        first = pdf.pages[0].obj
        first.Resources = resources = pdf.make_indirect(first.Resources)
        page = pdf.add_blank_page(page_size=(400, 300)).obj
        page.Resources, page.Contents = resources, pdf.make_stream(b"/Nope Do")
        stamp = pdf.make_stream(b"0 0 5 5 re f", Type=Name.XObject, Subtype=Name.Form, BBox=Array([0, 0, 5, 5]))
        stamp.Resources = resources
        if shared == "appearance":
            note = Dictionary(Type=Name.Annot, Subtype=Name.Stamp, Rect=Array([9, 9, 15, 15]), AP=Dictionary(N=stamp))
            page.Annots = Array([pdf.make_indirect(note)])
        elif shared == "tag":
            tag = Dictionary(Type=Name.OBJR, Obj=resources.XObject.Im, Pg=first)
            figure = pdf.make_indirect(Dictionary(S=Name.Figure, K=Array([tag])))
            pdf.Root.StructTreeRoot = Dictionary(Type=Name.StructTreeRoot, K=Array([figure]))
        elif shared == "defaults":
            pdf.Root.AcroForm = Dictionary(Fields=Array([]), DR=resources)
        else:  # a form that draws the picture, itself of resources that others share
            stamp.write(b"q 400 0 0 300 0 0 cm /Im Do Q")
            stamp.BBox, stamp.Resources = Array([0, 0, 400, 300]), Dictionary(XObject=resources.XObject)
            resources.XObject = Dictionary(Fm=stamp)
            first.Contents = pdf.make_stream(b"/Fm Do")
            tag = Dictionary(Type=Name.MCR, MCID=0, Stm=stamp, Pg=first)
            figure = pdf.make_indirect(Dictionary(S=Name.Figure, K=tag, Alt=String("kestrelby")))
            pdf.Root.StructTreeRoot = Dictionary(Type=Name.StructTreeRoot, K=Array([figure]))
        pdf.save(source)
    result = done("pdf-redact", tmp_path, source, boxes=["1: 0,0,400,300"])
    (made,) = _pictures(result)
    assert np.asarray(made.convert("L")).max() == 0
    _gone(result)


def test_a_blacked_out_picture_that_stays_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf_redact, "drop_undrawn", lambda _pdf: None)
    source = scan(tmp_path / "a.pdf", photo((400, 300)), dpi=72)
    with pikepdf.open(source, allow_overwriting_input=True) as pdf:
        pdf.Root.StructTreeRoot = Dictionary(K=Dictionary(Type=Name.OBJR, Obj=pdf.pages[0].obj.Resources.XObject.Im))
        pdf.save(source)
    with pytest.raises(Refused, match="outside of its pages"):
        done("pdf-redact", tmp_path, source, boxes=["1: 0,0,400,300"])


def test_soft_masks_are_opaque_where_the_picture_is_black(tmp_path: Path) -> None:
    source = scan(tmp_path / "a.pdf", photo((400, 300)), dpi=72)
    with pikepdf.open(source, allow_overwriting_input=True) as pdf:
        mask = pdf.make_stream(bytes(200 * 150), Type=Name.XObject, Subtype=Name.Image, Width=200, Height=150)
        mask.ColorSpace, mask.BitsPerComponent = Name.DeviceGray, 8
        pdf.pages[0].obj.Resources.XObject.Im.SMask = mask
        pdf.save(source)
    pictures = _pictures(done("pdf-redact", tmp_path, source, boxes=["1: 100,100,200,150"]))
    (made,) = (picture for picture in pictures if picture.mode == "L" and picture.size == (200, 150))
    assert np.asarray(made)[55:70, 55:95].min() == 255


def test_letters_drawn_as_outlines_do_not_stay_below_the_text_that_says_them(tmp_path: Path) -> None:
    outline = "0 0 m 2 9 l 4 9 6 5 6 3 c 7 1 8 0 9 0 c h f"
    drawn = " ".join(f"q 1 0 0 1 {40 + 10 * n} 200 cm {outline} Q" for n in range(6))
    text = "BT 3 Tr /H 14 Tf 40 200 Td (secret) Tj 0 -60 Td (stays) Tj ET"
    with report.collected() as warnings:
        result = done("pdf-redact", tmp_path, _page(tmp_path / "a.pdf", f"{drawn} {text}"), words=["secret"])
    assert any("picture" in warning for warning in warnings)
    assert _text(result) == "stays"
    with pikepdf.open(result) as pdf:
        assert not any(str(one.operator) == "c" for one in pikepdf.parse_content_stream(pdf.pages[0]))


def test_frames_and_grounds_around_what_goes_leave_the_page_as_it_is(tmp_path: Path) -> None:
    ground = "0.9 g 20 180 m 300 180 l 320 180 320 240 300 240 c 20 240 l h f 0 g 20 190 280 1 re f"
    source = _page(tmp_path / "a.pdf", f"{ground} BT /H 12 Tf 40 200 Td (secret stays) Tj ET")
    with report.collected() as warnings:
        result = done("pdf-redact", tmp_path, source, words=["secret"])
    assert not warnings
    assert _text(result) == "stays"


_BARS = " ".join(f"{100 + 3 * n} 205 {1 + n % 2} 20 re f" for n in range(12))
_SIGNED = "100 205 m 110 225 l 120 208 l 130 222 l 145 206 l"
_PATH_OPERATORS = {"re", "m", "l", "c", "sh", "gs"}


@pytest.mark.parametrize(
    "drawn",
    [
        _BARS,
        f"{_SIGNED} S",
        "100 205 m 110 240 120 180 140 215 c S",
        "120 150 m 120 280 l S",  # which goes on beyond the box
        "30 w 80 170 m 80 280 l S",  # of which half of the width is in the box
        f"{_SIGNED} W n 0 0 400 300 re f",  # a ground that shows what clips it
        "q 110 205 2 20 re W n 0 0 400 300 re f Q",
        "q 110 205 2 20 re W n /S sh Q",
        "/S sh",
        "/Pattern cs /P scn 0 0 400 300 re f",
        "q /M gs 0 0 400 300 re f Q",
    ],
)
def test_a_box_leaves_no_drawing_below_it(tmp_path: Path, drawn: str) -> None:
    source = _page(tmp_path / "a.pdf", f"0.9 g {drawn} 0 g BT /H 12 Tf 40 40 Td (stays) Tj 60 170 Td (secret) Tj ET")
    with pikepdf.open(source, allow_overwriting_input=True) as pdf:
        resources = pdf.pages[0].obj.Resources
        blend = Dictionary(FunctionType=2, Domain=Array([0, 1]), C0=Array([0.8]), C1=Array([0.9]), N=1)
        shading = Dictionary(ShadingType=2, ColorSpace=Name.DeviceGray, Coords=Array([0, 0, 400, 0]), Function=blend)
        resources.Shading = Dictionary(S=shading)
        resources.Pattern = Dictionary(P=Dictionary(Type=Name.Pattern, PatternType=2, Shading=shading))
        mask = pdf.make_stream(f"1 g {_BARS}".encode(), Type=Name.XObject, Subtype=Name.Form)
        mask.BBox, mask.Group = Array([0, 0, 400, 300]), Dictionary(S=Name.Transparency, CS=Name.DeviceGray)
        resources.ExtGState = Dictionary(M=Dictionary(SMask=Dictionary(S=Name.Luminosity, G=mask)))
        pdf.save(source)
    with report.collected() as warnings:
        result = done("pdf-redact", tmp_path, source, boxes=["1: 90,70,200,100"])
    assert any("picture" in warning for warning in warnings)
    assert _text(result) == "stays"
    with pikepdf.open(result) as pdf:
        assert not _PATH_OPERATORS & {str(one.operator) for one in pikepdf.parse_content_stream(pdf.pages[0])}
    (made,) = _pictures(result)
    scale = made.width / 400
    assert (
        np.asarray(made.convert("L"))[int(72 * scale) : int(98 * scale), int(92 * scale) : int(198 * scale)].max() < 9
    )


@pytest.mark.parametrize(
    "ground",
    [
        "20 150 300 100 re f",
        "20 150 m 320 150 l 320 250 l 20 250 l h f",
        "q 20 150 300 100 re W n 0 0 400 300 re f Q",
        "q 0 1 -1 0 320 100 cm 0 0 180 310 re B Q",
        "100 20 m 140 60 l 200 20 l S 300 20 m 310 60 320 20 340 30 c S",  # elsewhere
    ],
)
def test_a_ground_that_holds_a_box_says_nothing_below_it(tmp_path: Path, ground: str) -> None:
    content = f"0.9 g {ground} 0 g BT /H 12 Tf 40 40 Td (stays) Tj 60 170 Td (secret) Tj ET"
    with report.collected() as warnings:
        result = done("pdf-redact", tmp_path, _page(tmp_path / "a.pdf", content), boxes=["1: 90,70,200,100"])
    assert not warnings
    assert _text(result) == "stays"
    assert not _pictures(result)


def test_a_form_that_pages_share_keeps_what_is_outside_of_the_box_on_each(tmp_path: Path) -> None:
    source = _page(tmp_path / "a.pdf", "")
    with pikepdf.open(source, allow_overwriting_input=True) as pdf:
        form = pdf.make_stream(b"BT /H 12 Tf (letter) Tj 0 -40 Td (head) Tj ET", Type=Name.XObject, Subtype=Name.Form)
        form.BBox, form.Resources = Array([0, -50, 200, 50]), pdf.pages[0].obj.Resources
        for height in (250, 150):
            page = pdf.add_blank_page(page_size=(400, 300))
            page.obj.Resources = Dictionary(XObject=Dictionary(F=form))
            page.obj.Contents = pdf.make_stream(f"1 0 0 1 20 {height} cm /F Do".encode())
        del pdf.pages[0]
        pdf.save(source)
    document = pypdfium2.PdfDocument(done("pdf-redact", tmp_path, source, boxes=["all: 0,30,200,60"]))
    assert [page.get_textpage().get_text_range().split() for page in document] == [["head"], ["letter", "head"]]
    document.close()


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["1", "RGB"])
def test_scans_are_recognised_and_black_where_it_stood(tmp_path: Path, mode: str) -> None:
    page = PIL.Image.new("L", (1240, 900), 255)
    draw, font = PIL.ImageDraw.Draw(page), PIL.ImageFont.load_default(40)
    for number, line in enumerate(
        ("Dear Mr Kestrelby,", "we have charged", "DE89 3704 0044 0532 0130 00", "with 12.50 EUR")
    ):
        draw.text((80, 80 + 80 * number), line, 0, font)
    source = scan(tmp_path / "a.pdf", page.convert(mode), jpeg=85 if mode == "RGB" else 0, dpi=150)
    with report.collected() as warnings:
        result = done("pdf-redact", tmp_path, source, words=["Kestrelby"], patterns=["iban"])
    assert not warnings
    (made,) = _pictures(result)
    ink = [np.asarray(made.convert("L"), int)[80 + 80 * n : 130 + 80 * n, 80:700] < 100 for n in range(4)]
    before = [np.asarray(page)[80 + 80 * n : 130 + 80 * n, 80:700] < 100 for n in range(4)]
    assert ink[0].sum() > 2 * before[0].sum()
    assert ink[2].sum() > 2 * before[2].sum()
    for number in (1, 3):
        assert (ink[number] == before[number]).mean() > 0.97


_TURNED = "[(Kes) 20 (trel) 20 (by)] TJ 0 -30 Td (Project ) Tj (Kestrelby) Tj 0 -30 Td (DE89 3704 ) Tj (0044 0532 ) Tj "
_TURNED += "(0130 00) Tj 0 -30 Td (what ) Tj (sta) Tj (ys) Tj"


@pytest.mark.parametrize("rotate", [0, 90, 180, 270])
@pytest.mark.parametrize(
    ("font", "matrix"),
    [
        ("/H 12 Tf", "1 0 0 1 100 250"),
        ("/H 12 Tf", "-1 0 0 -1 300 50"),
        ("/H 12 Tf", "0 1 -1 0 100 50"),
        ("/H 12 Tf", "0 -1 1 0 250 280"),
        ("/H -12 Tf", "1 0 0 1 300 150"),
    ],
)
def test_what_is_turned_goes_however_it_is_turned(tmp_path: Path, rotate: int, font: str, matrix: str) -> None:
    source = _page(tmp_path / "a.pdf", f"BT {font} {matrix} Tm {_TURNED} ET", Rotate=rotate)
    words = ["Kestrelby", "Project Kestrelby"]
    result = done("pdf-redact", tmp_path, source, words=words, patterns=["iban"])
    with pikepdf.open(result) as pdf:
        shown = b"".join(
            bytes(piece)
            for one in pikepdf.parse_content_stream(pdf.pages[0])
            if str(one.operator) in ("TJ", "Tj")
            for piece in (one.operands[0] if str(one.operator) == "TJ" else one.operands)
            if isinstance(piece, String)
        )
    assert re.sub(rb"\s+", b" ", shown).strip() == b"what stays"


def test_a_word_that_only_another_order_gives_stays(tmp_path: Path) -> None:
    source = _page(
        tmp_path / "a.pdf", "BT /H 12 Tf 40 200 Td (by ) Tj (Kes) Tj (trel) Tj -1 0 0 -1 340 100 Tm (x) Tj ET"
    )
    with report.collected() as warnings:
        assert _text(done("pdf-redact", tmp_path, source, words=["trel", "trel Kes"])) == "by Kestrel x"
    assert warnings == ["Nothing that was to be redacted was found."]


def test_nothing_found_is_a_warning(tmp_path: Path) -> None:
    source = _page(tmp_path / "a.pdf", "BT /H 12 Tf 40 200 Td (all stays) Tj ET")
    with report.collected() as warnings:
        assert _text(done("pdf-redact", tmp_path, source, words=["secret"])) == "all stays"
    assert warnings == ["Nothing that was to be redacted was found."]


def test_what_cannot_be_taken_out_fails_and_names_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redactor, "rewrite", lambda *_: None)
    monkeypatch.setattr(redactor, "make_picture", lambda *_: None)
    source = _page(tmp_path / "a.pdf", "BT /H 12 Tf 40 200 Td (a secret) Tj ET")
    with pytest.raises(Refused, match="page 1") as refused:
        done("pdf-redact", tmp_path, source, words=["secret"])
    assert refused.value.code == "02210"
    assert "secret" not in refused.value.reason


def test_a_page_that_would_look_otherwise_becomes_a_picture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As where a font's widths are not what its program says."""

    def move(pdf: pikepdf.Pdf, page: pikepdf.Page, removal: Removal) -> None:
        rewrite(pdf, page, removal)
        page.contents_add(b"1 0 0 1 30 0 cm", prepend=True)

    monkeypatch.setattr(redactor, "rewrite", move)
    source = _page(tmp_path / "a.pdf", "BT /H 12 Tf 40 200 Td (a secret and what stays) Tj ET")
    with report.collected() as warnings:
        result = done("pdf-redact", tmp_path, source, words=["secret"])
    assert any("picture" in warning for warning in warnings)
    assert _text(result) == "a and what stays"


def test_what_earlier_savings_left_is_gone(tmp_path: Path) -> None:
    source = _page(tmp_path / "a.pdf", "BT /H 12 Tf 40 200 Td (plain) Tj ET")
    data = source.read_bytes()
    source.write_bytes(data.replace(b"%%EOF", b"%%EOF") + b"\n99 0 obj\n(a secret of old)\nendobj\n")
    assert b"secret" not in done("pdf-redact", tmp_path, source, words=["secret"]).read_bytes()


@pytest.mark.slow
def test_a_stamp_that_is_a_picture_is_recognised_and_goes(tmp_path: Path) -> None:
    stamp = PIL.Image.new("L", (600, 160), 255)
    PIL.ImageDraw.Draw(stamp).text((30, 40), "Paid by Kestrelby", 0, PIL.ImageFont.load_default(60))
    drawn = scan(tmp_path / "stamp.pdf", stamp, dpi=216)
    source = _page(tmp_path / "a.pdf", "BT /H 12 Tf 40 250 Td (what stays) Tj ET")
    with pikepdf.open(source, allow_overwriting_input=True) as pdf, pikepdf.open(drawn) as other:
        form = pdf.copy_foreign(other.pages[0].as_form_xobject())
        note = Dictionary(Type=Name.Annot, Subtype=Name.Stamp, Rect=Array([40, 100, 240, 153]), AP=Dictionary(N=form))
        pdf.pages[0].obj.Annots = Array([pdf.make_indirect(note)])
        pdf.save(source)
    with report.collected() as warnings:
        result = done("pdf-redact", tmp_path, source, words=["Kestrelby"])
    assert not warnings
    assert _text(result) == "what stays"
    assert not _pictures(result)


@pytest.mark.parametrize(
    "address",
    [
        "https://x.example/?q=Project%20Heron",
        "https://x.example/Kes%74relby",
        "https://x.example/?q=Project+Heron",
        "mailto:ann%2Ekestrelby@example.org",
        "https://x.example/?to=https%3A%2F%2Fy.example%2FProject%2520Heron",
        "https://x.example/M%FCller",
        "https://x.example/M%C3%BCller",
    ],
)
def test_words_in_links_are_found_by_their_codes(tmp_path: Path, address: str) -> None:
    source = _page(tmp_path / "a.pdf", "BT /H 12 Tf 20 20 Td (stays) Tj ET")
    with pikepdf.open(source, allow_overwriting_input=True) as pdf:
        links = [
            Dictionary(Type=Name.Annot, Subtype=Name.Link, Rect=Array([1, 1, 9, 9]), A=Dictionary(S=Name.URI, URI=uri))
            for uri in map(String, (address, f"kestrelby {address}", "https://x.example/a%20b+c"))
        ]
        pdf.pages[0].obj.Annots = Array([pdf.make_indirect(link) for link in links])
        pdf.save(source)
    result = done("pdf-redact", tmp_path, source, words=["Project Heron", "Kestrelby", "M\u00fcller"])
    with pikepdf.open(result) as pdf:
        shown = [link.A.URI for link in pdf.pages[0].obj.Annots if "/A" in link and link.A.URI != ""]
        assert shown == ["https://x.example/a%20b+c"]


@pytest.mark.parametrize("in_stream", [False, True])
@pytest.mark.parametrize(
    "text",
    [
        "Mr Kes<b>trel</b>by",
        "&#75;estrelby",
        "Project<br/>Heron",
        "Kes<!-- a > b -->trelby",
        "Kestrelby, Kestrel<i>by</i>",
    ],
)
def test_words_in_rich_text_are_found_between_its_marks(tmp_path: Path, text: str, in_stream: bool) -> None:
    source = _page(tmp_path / "a.pdf", "BT /H 12 Tf 20 20 Td (stays) Tj ET")
    with pikepdf.open(source, allow_overwriting_input=True) as pdf:
        pdf.pages[0].obj.Annots = Array([])
        for rich in (f"<body><p>{text}</p></body>", "<body><p>all <b>stays</b></p></body>"):
            said = pdf.make_stream(rich.encode()) if in_stream else String(rich)
            note = Dictionary(Type=Name.Annot, Subtype=Name.FreeText, Rect=Array([1, 1, 9, 9]), RC=said)
            pdf.pages[0].obj.Annots.append(pdf.make_indirect(note))
        pdf.save(source)
    result = done("pdf-redact", tmp_path, source, words=["Project Heron", "Kestrelby"])
    with pikepdf.open(result) as pdf:
        first, second = (note.get("/RC", b"") for note in pdf.pages[0].obj.Annots)
        assert b"by" not in (first.read_bytes() if isinstance(first, pikepdf.Stream) else bytes(first))
        assert b"stays" in (second.read_bytes() if isinstance(second, pikepdf.Stream) else bytes(second))


def test_who_signed_is_said_nowhere(tmp_path: Path) -> None:
    source = _page(tmp_path / "a.pdf", "BT /H 12 Tf 40 200 Td (what stays) Tj ET")
    with pikepdf.open(source, allow_overwriting_input=True) as pdf:
        signature = Dictionary(Type=Name.Sig, Filter=Name("/Adobe.PPKLite"), Name=String("Ann Kestrelby"))
        signature.Contents, signature.ByteRange = String(bytes(20)), Array([0, 10, 20, 30])
        field = pdf.make_indirect(Dictionary(Type=Name.Annot, Subtype=Name.Widget, FT=Name.Sig, T=String("s")))
        field.V, field.Rect = pdf.make_indirect(signature), Array([100, 20, 250, 60])
        pdf.pages[0].obj.Annots = Array([field])
        pdf.Root.AcroForm = Dictionary(Fields=Array([field]), SigFlags=3)
        pdf.save(source)
    with report.collected() as warnings, report.noted() as notes:
        result = done("pdf-redact", tmp_path, source, words=["Kestrelby"])
    assert any("signed" in warning for warning in warnings)
    assert not _WANTED.search(" ".join([*warnings, *notes]))
    _gone(result)


def test_a_file_s_identity_is_made_anew_and_is_no_text(tmp_path: Path) -> None:
    source = _page(tmp_path / "a.pdf", "BT /H 12 Tf 20 20 Td (kestrelby stays) Tj ET")
    with pikepdf.open(source, allow_overwriting_input=True) as pdf:
        pdf.trailer.ID = Array([String("kestrelby"), String("kestrelby")])
        pdf.save(source)
    result = done("pdf-redact", tmp_path, source, words=["kestrelby"])
    with pikepdf.open(result) as pdf:
        assert all(b"kestrelby" not in bytes(part) for part in pdf.trailer.get("/ID", Array([])))
