"""What pictures, codes, appearances and fonts have that a page does not show as text goes, too."""

from __future__ import annotations

import io
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pikepdf
import PIL.Image
import PIL.ImageDraw
import PIL.ImageFont
import pypdfium2
import pytest
import zxingcpp
from fontTools.pens.basePen import BasePen
from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont
from pikepdf import Array, Dictionary, Name, Page, Pdf, Stream, String

from paperchute.engine import fonts
from paperchute.engine.redaction.metrics import is_drawn
from paperchute.engine.work import Refused
from tests.engine.operations.papers import done, paper
from tests.engine.operations.pictures import photo

WORD = "Huberton"
_FONT = Path(fonts.__file__).parent / "LiberationSans-Regular.ttf"
_DRAWN = b"q 105 0 0 24 50 10 cm /I Do Q"


def _word(size: tuple[int, int] = (700, 160)) -> PIL.Image.Image:
    picture = PIL.Image.new("L", size, 255)
    place = size[0] // 2, size[1] // 2
    letters = PIL.ImageFont.truetype(str(_FONT), size[1] // 2)
    PIL.ImageDraw.Draw(picture).text(place, WORD, font=letters, fill=0, anchor="mm")
    return picture


def _image(pdf: Pdf, picture: PIL.Image.Image) -> Stream:
    return pdf.make_stream(
        zlib.compress(picture.tobytes()), Type=Name.XObject, Subtype=Name.Image, Filter=Name.FlateDecode,
        Width=picture.width, Height=picture.height, ColorSpace=Name.DeviceGray, BitsPerComponent=8,
    )  # fmt: skip


def _made(tmp_path: Path, change: Callable[[Pdf, Page], None], content: bytes = _DRAWN) -> Path:
    path = paper(tmp_path / "a.pdf", "alder")
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        page = pdf.pages[0]
        page.Resources.XObject = Dictionary(I=_image(pdf, _word()))
        page.contents_add(content)
        change(pdf, page)
        pdf.save(path)
    return path


def _nothing(_pdf: Pdf, _page: Page) -> None: ...


def _cropped(_pdf: Pdf, page: Page) -> None:
    page.CropBox = Array([0, 36, 200, 100])


def _off(pdf: Pdf, page: Page) -> None:
    layer = pdf.make_indirect(Dictionary(Type=Name.OCG, Name=String("x")))
    page.Resources.Properties = Dictionary(O=layer)
    pdf.Root.OCProperties = Dictionary(OCGs=Array([layer]), D=Dictionary(OFF=Array([layer])))


def _masked(pdf: Pdf, page: Page) -> None:
    page.Resources.XObject.I.SMask = _image(pdf, PIL.Image.new("L", (700, 160), 0))


@pytest.mark.parametrize(
    ("change", "content"),
    [
        pytest.param(_nothing, _DRAWN + b" 0 g 45 5 115 34 re f", id="under a black box"),
        pytest.param(_nothing, _DRAWN + b" 1 g 45 5 115 34 re f", id="under a white box"),
        pytest.param(_nothing, b"q 0 0 10 10 re W n " + _DRAWN + b" Q", id="clipped away"),
        pytest.param(_nothing, b"q 7 0 0 1.6 50 10 cm /I Do Q", id="tiny"),
        pytest.param(_nothing, b"q -105 0 0 24 155 10 cm /I Do Q", id="mirrored"),
        pytest.param(_cropped, _DRAWN, id="beyond the cut"),
        pytest.param(_off, b"/OC /O BDC " + _DRAWN + b" EMC", id="on a layer that is off"),
        pytest.param(_masked, _DRAWN, id="behind its own mask"),
    ],
)
def test_a_picture_that_is_not_shown_whole_is_black_where_the_word_was(
    tmp_path: Path, change: Callable[[Pdf, Page], None], content: bytes
) -> None:
    result = done("pdf-redact", tmp_path, _made(tmp_path, change, content), words=[WORD])
    with pikepdf.open(result) as pdf:
        pictures = [o for o in pdf.objects if isinstance(o, Stream) and o.get("/ColorSpace") == Name.DeviceGray]
        assert pictures
        for stream in pictures:
            levels = np.asarray(pikepdf.PdfImage(stream).as_pil_image().convert("L"))
            word = levels[
                levels.shape[0] * 2 // 5 : levels.shape[0] * 3 // 5, levels.shape[1] // 3 : -levels.shape[1] // 3
            ]
            assert (word.min(), word.max()) in ((0, 0), (255, 255))  # 255: its mask, opaque there


def test_a_picture_within_the_content_that_is_covered_goes(tmp_path: Path) -> None:
    data = _word((350, 80)).tobytes().hex().encode()
    inline = b"q 105 0 0 24 50 10 cm BI /W 350 /H 80 /CS /G /BPC 8 /F /AHx ID " + data + b"> EI Q"
    source = _made(tmp_path, _nothing, inline + b" 0 g 45 5 115 34 re f")
    result = done("pdf-redact", tmp_path, source, words=[WORD])
    assert b"/W 350" not in _content(result)


def _content(path: Path) -> bytes:
    with pikepdf.open(path) as pdf:
        pdf.pages[0].contents_coalesce()
        return bytes(pdf.pages[0].Contents.read_bytes())


@pytest.mark.parametrize("drawn", ["picture", "bars"])
def test_a_payment_code_does_not_keep_the_iban(tmp_path: Path, drawn: str) -> None:
    text = "BCD\n002\n1\nSCT\n\nMax Huberton\nDE89370400440532013000\nEUR12.30"
    levels = np.asarray(zxingcpp.create_barcode(text, zxingcpp.BarcodeFormat.QRCode).to_image(scale=1))
    side = 90 / len(levels)
    squares = [
        b"%.3f %.3f %.3f %.3f re" % (100 + x * side, 95 - (y + 1) * side, side, side)
        for y, x in np.argwhere(levels < 128)
    ]

    def change(pdf: Pdf, page: Page) -> None:
        page.Resources.XObject.I = _image(pdf, PIL.Image.fromarray(np.kron(levels, np.full((6, 6), 1, np.uint8))))

    content = b"q 90 0 0 90 100 5 cm /I Do Q" if drawn == "picture" else b"0 g " + b"\n".join(squares) + b" f"
    source = _made(tmp_path, change, content)
    assert text in _codes(source)
    assert _codes(done("pdf-redact", tmp_path, source, patterns=["iban"])) == []


def _codes(path: Path) -> list[str]:
    document = pypdfium2.PdfDocument(path)
    levels = document[0].render(scale=4).to_pil().convert("L")
    document.close()
    return [code.text for code in zxingcpp.read_barcodes(np.asarray(levels))]


class _Outline(BasePen):  # type: ignore[misc]
    """Glyphs as paths of a PDF."""

    def __init__(self, glyphs: object) -> None:
        super().__init__(glyphs)
        self.said = ""

    def _moveTo(self, pt: tuple[float, float]) -> None:  # noqa: N802
        self.said += f"{pt[0]} {pt[1]} m\n"

    def _lineTo(self, pt: tuple[float, float]) -> None:  # noqa: N802
        self.said += f"{pt[0]} {pt[1]} l\n"

    def _curveToOne(self, pt1: tuple[float, float], pt2: tuple[float, float], pt3: tuple[float, float]) -> None:  # noqa: N802
        self.said += " ".join(str(value) for point in (pt1, pt2, pt3) for value in point) + " c\n"

    def _closePath(self) -> None:  # noqa: N802
        self.said += "h\n"


def _outlined() -> bytes:
    font = TTFont(_FONT)
    glyphs, named, said = font.getGlyphSet(), font.getBestCmap(), "q .01 0 0 .01 5 8 cm\n"
    for letter in WORD:
        pen = _Outline(glyphs)
        glyphs[named[ord(letter)]].draw(pen)
        said += f"{pen.said} f 1 0 0 1 {glyphs[named[ord(letter)]].width} 0 cm\n"
    return (said + "Q").encode()


def _unsaid(pdf: Pdf) -> tuple[Dictionary, bytes]:
    """A font whose codes are the numbers of its glyphs, and that says of none which letter it is; the word in it."""
    font = TTFont(_FONT)
    subsetter = Subsetter(Options())
    subsetter.populate(text=WORD)
    subsetter.subset(font)
    order, named = font.getGlyphOrder(), font.getBestCmap()
    codes = "".join(f"{order.index(named[ord(letter)]):04x}" for letter in WORD).encode()
    del font["cmap"]
    font["post"].formatType = 3.0
    font.save(out := io.BytesIO())
    base = Name("/ABCDEF+X")
    descriptor = Dictionary(
        Type=Name.FontDescriptor, FontName=base, Flags=4, FontBBox=[0, -200, 1000, 900], ItalicAngle=0, Ascent=900,
        Descent=-200, CapHeight=700, StemV=80, FontFile2=pdf.make_stream(out.getvalue(), Length1=len(out.getvalue())),
    )  # fmt: skip
    widths = [font["hmtx"][glyph][0] * 1000 / 2048 for glyph in order]
    below = Dictionary(
        Type=Name.Font, Subtype=Name.CIDFontType2, BaseFont=base, FontDescriptor=descriptor,
        W=Array([0, Array(widths)]),
        CIDSystemInfo=Dictionary(Registry=String("Adobe"), Ordering=String("Identity"), Supplement=0),
        CIDToGIDMap=Name.Identity,
    )  # fmt: skip
    whole = Dictionary(
        Type=Name.Font, Subtype=Name.Type0, BaseFont=base, Encoding=Name("/Identity-H"),
        DescendantFonts=Array([pdf.make_indirect(below)]),
    )  # fmt: skip
    return pdf.make_indirect(whole), b"BT /Z 14 Tf 10 10 Td <" + codes + b"> Tj ET"


def test_glyphs_of_a_font_that_says_no_letters_are_recognised(tmp_path: Path) -> None:
    shown = b""

    def change(pdf: Pdf, page: Page) -> None:
        nonlocal shown
        page.Resources.Font.Z, shown = _unsaid(pdf)
        page.contents_add(shown)

    source = _made(tmp_path, change, b"")
    result = done("pdf-redact", tmp_path, source, words=[WORD])
    content = _content(result)
    assert shown[18:40] not in content
    assert b"alder" in content


@pytest.mark.parametrize("drawn", ["outlines", "inline", "unsaid"])
def test_an_annotation_that_shows_the_word_otherwise_than_as_text_goes(tmp_path: Path, drawn: str) -> None:
    def change(pdf: Pdf, page: Page) -> None:
        data = _word((350, 80)).tobytes().hex().encode()
        inline = b"q 120 0 0 28 0 0 cm BI /W 350 /H 80 /CS /G /BPC 8 /F /AHx ID " + data + b"> EI Q"
        font, shown = _unsaid(pdf)
        content = {"outlines": _outlined(), "inline": inline, "unsaid": shown}[drawn]
        look = pdf.make_stream(
            content, Type=Name.XObject, Subtype=Name.Form, BBox=Array([0, 0, 140, 36]),
            Resources=Dictionary(Font=Dictionary(Z=font)),
        )  # fmt: skip
        note = Dictionary(Type=Name.Annot, Subtype=Name.Stamp, Rect=Array([50, 0, 190, 36]), AP=Dictionary(N=look), F=4)
        page.Annots = Array([pdf.make_indirect(note)])

    result = done("pdf-redact", tmp_path, _made(tmp_path, change, b""), words=[WORD])
    with pikepdf.open(result) as pdf:
        assert "/Annots" not in pdf.pages[0] or len(pdf.pages[0].Annots) == 0


@pytest.mark.parametrize("place", ["a state that no click shows", "an icon", "hidden, and stretched"])
def test_a_picture_that_an_annotation_shows_to_nobody_goes(tmp_path: Path, place: str) -> None:
    def change(pdf: Pdf, page: Page) -> None:
        facts = {"Type": Name.XObject, "Subtype": Name.Form}
        image = Dictionary(XObject=Dictionary(I=page.Resources.XObject.I))
        page.Resources.XObject = Dictionary()
        size = b"100 0 0 75" if place.endswith("stretched") else b"105 0 0 24"
        look = pdf.make_stream(b"q %s 0 0 cm /I Do Q" % size, BBox=Array([0, 0, 105, 80]), Resources=image, **facts)
        nothing = pdf.make_stream(b"", BBox=Array([0, 0, 105, 80]), **facts)
        field = Dictionary(
            Type=Name.Annot, Subtype=Name.Widget, FT=Name.Btn, Ff=65536, T=String("b"), Rect=Array([9, 9, 114, 89]), F=2
        )
        field.AP = Dictionary(N=nothing) if place == "an icon" else Dictionary(N=nothing, D=look)
        if place == "an icon":
            field.MK = Dictionary(I=look)
        page.Annots = Array([pdf.make_indirect(field)])
        pdf.Root.AcroForm = Dictionary(Fields=page.Annots)

    result = done("pdf-redact", tmp_path, _made(tmp_path, change, b""), words=[WORD])
    with pikepdf.open(result) as pdf:
        assert not any(isinstance(o, Stream) and o.get("/Subtype") == Name.Image for o in pdf.objects)


def _pattern(pdf: Pdf, page: Page, image: Dictionary) -> None:
    page.Resources.Pattern = Dictionary(
        P=pdf.make_stream(
            b"q 105 0 0 24 0 0 cm /I Do Q", Type=Name.Pattern, PatternType=1, PaintType=1, TilingType=1, XStep=105,
            YStep=24, BBox=Array([0, 0, 105, 24]), Matrix=Array([1, 0, 0, 1, 50, 10]), Resources=image,
        )
    )  # fmt: skip
    page.contents_add(b"/Pattern cs /P scn 50 10 105 24 re f")


def _in_glyph(pdf: Pdf, page: Page, image: Dictionary) -> None:
    glyph = pdf.make_stream(b"5000 0 d0 q 5000 0 0 1100 0 0 cm /I Do Q")
    page.Resources.Font.T = Dictionary(
        Type=Name.Font, Subtype=Name.Type3, FontBBox=[0, 0, 5000, 1100], FontMatrix=[0.001, 0, 0, 0.001, 0, 0],
        CharProcs=Dictionary(a=glyph), FirstChar=97, LastChar=97, Widths=[5000], Resources=image,
        Encoding=Dictionary(Type=Name.Encoding, Differences=Array([97, Name.a])),
    )  # fmt: skip
    page.contents_add(b"BT /T 20 Tf 50 12 Td (a) Tj ET")


def _deep(pdf: Pdf, page: Page, image: Dictionary) -> None:
    facts = {"Type": Name.XObject, "Subtype": Name.Form, "BBox": Array([0, 0, 200, 100])}
    form = pdf.make_stream(_DRAWN, Resources=image, **facts)
    for _ in range(16):  # more than are followed
        form = pdf.make_stream(b"/F Do", Resources=Dictionary(XObject=Dictionary(F=form)), **facts)
    page.Resources.XObject = Dictionary(F=form)
    page.contents_add(b"/F Do")


@pytest.mark.parametrize("add", [_pattern, _in_glyph, _deep])
def test_a_picture_under_a_box_that_no_page_draws_by_itself_fails_the_file(
    tmp_path: Path, add: Callable[[Pdf, Page, Dictionary], None]
) -> None:
    def change(pdf: Pdf, page: Page) -> None:
        image = Dictionary(XObject=Dictionary(I=page.Resources.XObject.I))
        del page.Resources.XObject
        add(pdf, page, image)
        page.contents_add(b"0 g 45 5 115 34 re f")

    with pytest.raises(Refused, match="still found"):
        done("pdf-redact", tmp_path, _made(tmp_path, change, b""), words=[WORD])


@pytest.mark.parametrize("progressive", [False, True])
def test_a_picture_says_nothing_beside_its_pixels(tmp_path: Path, progressive: bool) -> None:
    properties = PIL.Image.Exif()
    properties[0x013B] = WORD
    out = io.BytesIO()
    shown = photo((160, 120))
    shown.save(out, "JPEG", comment=WORD.encode(), exif=properties, progressive=progressive)
    before = np.asarray(PIL.Image.open(io.BytesIO(out.getvalue())))
    out.write(b"another picture, of Huberton")

    def change(pdf: Pdf, page: Page) -> None:
        stream = _image(pdf, PIL.Image.new("L", shown.size))
        stream.ColorSpace = Name.DeviceRGB
        stream.write(out.getvalue(), filter=Name.DCTDecode)
        page.Resources.XObject.I = stream

    result = done("pdf-redact", tmp_path, _made(tmp_path, change), words=[WORD])
    assert WORD.encode() not in result.read_bytes()
    with pikepdf.open(result) as pdf:
        (stream,) = (o for o in pdf.objects if isinstance(o, Stream) and o.get("/Subtype") == Name.Image)
        assert (np.asarray(pikepdf.PdfImage(stream).as_pil_image()) == before).all()


def test_glyphs_that_show_the_word_in_another_font_are_empty(tmp_path: Path) -> None:
    def change(pdf: Pdf, page: Page) -> None:
        glyph = pdf.make_stream(b"5000 0 d0 BT /F1 1000 Tf (Huberton) Tj ET")
        page.Resources.Font.T = Dictionary(
            Type=Name.Font, Subtype=Name.Type3, FontBBox=[0, 0, 5000, 999], FontMatrix=[0.001, 0, 0, 0.001, 0, 0],
            CharProcs=Dictionary(a=glyph), FirstChar=97, LastChar=97, Widths=[5000],
            Resources=Dictionary(Font=Dictionary(F1=page.Resources.Font.F1)),
            Encoding=Dictionary(Type=Name.Encoding, Differences=Array([97, Name.a])),
        )  # fmt: skip

    source = _made(tmp_path, change, b"BT /T 14 Tf 10 10 Td (a) Tj ET")
    result = done("pdf-redact", tmp_path, source, words=[WORD])
    with pikepdf.open(result) as pdf:
        assert not any(isinstance(o, Stream) and WORD.encode() in o.read_bytes() for o in pdf.objects)


def test_links_name_no_place_with_the_word(tmp_path: Path) -> None:
    def change(pdf: Pdf, page: Page) -> None:
        pdf.Root.Dests = Dictionary({f"/{WORD}": Array([page.obj, Name.Fit])})
        far = Dictionary(S=Name.GoToR, F=String("b.pdf"), D=Name(f"/{WORD}"))
        links = ({"Dest": Name(f"/{WORD}")}, {"A": far})
        page.Annots = Array(
            Dictionary(Type=Name.Annot, Subtype=Name.Link, Rect=Array([0, 0, 9, 9]), **link) for link in links
        )

    result = done("pdf-redact", tmp_path, _made(tmp_path, change, b""), words=[WORD])
    with pikepdf.open(result) as pdf:
        assert not any(
            WORD.encode() in o.unparse(resolved=True) for o in pdf.objects if isinstance(o, Dictionary | Array)
        )


@pytest.mark.parametrize(
    ("names", "expected"), [((1, "/g12", "/g13"), True), ((1, "/H", "/u"), False), ((1, "/uni0041", "/one"), False)]
)
def test_names_that_only_count_glyphs_say_no_letters(names: tuple[object, ...], expected: bool) -> None:
    listed = Array(Name(name) if isinstance(name, str) else name for name in names)
    font = Dictionary(Type=Name.Font, Subtype=Name.Type1, Encoding=Dictionary(Differences=listed))
    assert is_drawn(font) is expected
