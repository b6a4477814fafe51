"""Characters without a Unicode value, which are read by the names that their fonts give them."""

from __future__ import annotations

import string
from collections.abc import Mapping
from pathlib import Path

import pikepdf
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pikepdf import Array, Dictionary, Name

from paperchute.engine.reading.pdf.document import opened
from paperchute.engine.reading.pdf.glyph_names import listed, meaning
from paperchute.engine.reading.pdf.reader import Options, read_pdf
from paperchute.engine.reading.pdf.spelling import printed
from paperchute.engine.reading.pdf.unmapped import meaning_of
from tests.engine.reading.box_font import Box, box_font
from tests.engine.reading.sheets import Said, written


def _font(names: dict[int, str], base: str = "/ABCDEF+Some-Regular") -> Dictionary:
    differences = Array([part for code, name in names.items() for part in (code, Name(f"/{name}"))])
    return Dictionary(
        Type=Name.Font,
        Subtype=Name.Type1,
        BaseFont=Name(base),
        FirstChar=0,
        LastChar=255,
        Widths=Array([500] * 256),
        FontDescriptor=Dictionary(
            Type=Name.FontDescriptor,
            FontName=Name(base),
            Flags=32,
            FontBBox=Array([0, -200, 900, 800]),
            ItalicAngle=0,
            Ascent=800,
            Descent=-200,
            CapHeight=700,
            StemV=80,
        ),
        Encoding=Dictionary(Type=Name.Encoding, BaseEncoding=Name.WinAnsiEncoding, Differences=differences),
    )


def _page(path: Path, content: bytes, fonts: dict[str, Dictionary], in_form: bool = False) -> Path:
    pdf = pikepdf.new()
    page = pdf.add_blank_page(page_size=(595, 842)).obj
    resources = Dictionary(Font=Dictionary({f"/{name}": font for name, font in fonts.items()}))
    if in_form:
        form = pdf.make_stream(
            content, Type=Name.XObject, Subtype=Name.Form, BBox=Array([0, 0, 595, 842]), Resources=resources
        )
        page.Resources, content = Dictionary(XObject=Dictionary(F=form)), b"/F Do"
    else:
        page.Resources = resources
    page.Contents = pdf.make_stream(content)
    pdf.save(path)
    return path


def _text(path: Path, password: str = "") -> str:
    with opened(path, path.name, password) as document:
        found = read_pdf(document, [0], Options())
        return "\n".join(line.text for page in found.pages for block in page.blocks for line in block.lines)


_NAMES = {27: "f_i", 28: "f_f_i", 29: "T_h", 0x55: "f_f.alt", 0xE1: "uni0431", 0x20: "space", 9: "s_t"}
_CONTENT = rb"BT /R 11 Tf 72 700 Td (de\033nition o\034ce o\125er \035e \341 la\011) Tj ET"
_SAID = "definition office offer The б last"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("f_i", "fi"),
        ("f_f_i", "ffi"),
        ("f_l.alt", "fl"),
        ("ff_i", "ffi"),
        ("T_h", "Th"),
        ("one_two", "12"),
        ("uni0431", "б"),
        ("uni00660069", "fi"),
        ("u1F600", "😀"),
        ("uni0066_i", "fi"),
        ("angbracketleft", "⟨"),
        ("a", None),
        ("Aacute", None),
        ("a.sc", None),
        ("g27", ""),
        ("f_", ""),
        ("_", ""),
        ("f_g27", ""),
        (".notdef", ""),
        ("uniD800", ""),
        ("uni0007", ""),
        ("u110000", ""),
        ("uni043", ""),
        ("f_" * 70 + "f", ""),
    ],
)
def test_what_names_of_glyphs_mean(name: str, text: str | None) -> None:
    assert meaning(name) == text


@given(st.text(max_size=30))
def test_any_name_means_printable_text_or_nothing(name: str) -> None:
    assert (meaning(name) or " ").isprintable()


@given(st.text(string.ascii_letters, min_size=2, max_size=4))
def test_a_ligature_means_its_letters(letters: str) -> None:
    assert meaning("_".join(letters)) == letters


@pytest.mark.parametrize("in_form", [False, True])
def test_words_have_the_letters_of_their_ligatures(in_form: bool, tmp_path: Path) -> None:
    assert _text(_page(tmp_path / "a.pdf", _CONTENT, {"R": _font(_NAMES)}, in_form)) == _SAID


def test_locked_files_have_their_ligatures_too(tmp_path: Path) -> None:
    path = _page(tmp_path / "a.pdf", _CONTENT, {"R": _font(_NAMES)})
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        pdf.save(path, encryption=pikepdf.Encryption(user="open", owner="owner"))
    assert _text(path, "open") == _SAID


def test_names_of_another_font_with_the_same_name_count_where_they_agree(tmp_path: Path) -> None:
    content = _CONTENT + rb" BT /S 11 Tf 72 500 Td (\033Voice) Tj ET"
    for name, text in (("f_i", "fiVoice"), ("f_l", "\ufffdVoice")):
        fonts = {"R": _font({27: "f_i", 0x56: "f_f"}), "S": _font({27: name})}
        assert _text(_page(tmp_path / "a.pdf", content, fonts)).split()[-1] == text


@pytest.mark.parametrize(
    ("font", "code", "text"),
    [("CMSY10", "h", "⟨"), ("CMSY7", "i", "⟩"), ("CMSY10", "7", ""), ("CMSY10", "a", ""), ("CMR10", "h", "")],
)
def test_tex_s_font_of_symbols_has_its_codes_where_the_file_does_not_name_them(font: str, code: str, text: str) -> None:
    assert meaning_of(font, code, {("CMSY10", ord("7")): ""}) == text


def test_a_letter_that_nothing_tells_is_not_taken_for_a_space(tmp_path: Path) -> None:
    path = _page(tmp_path / "a.pdf", rb"BT /R 11 Tf 72 700 Td (de\033nition) Tj ET", {"R": _font({27: "g27"})})
    assert _text(path) == "de\ufffdnition"


def test_fonts_that_are_damaged_leave_the_other_letters(tmp_path: Path) -> None:
    path = _page(tmp_path / "a.pdf", _CONTENT, {"R": _font(_NAMES)})
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        resources = pdf.pages[0].obj.Resources
        form = pdf.make_stream(b"", Type=Name.XObject, Subtype=Name.Form, BBox=Array([0, 0, 9, 9]), Resources=resources)
        resources.XObject = Dictionary({f"/F{n}": form for n in range(9)})  # each holds all of them once more
        resources.Font["/S"] = Dictionary(BaseFont=7, Encoding=Dictionary(Differences=Array([Name.f_i, -9, "x"])))
        pdf.save(path)
    assert "nition" in _text(path)


def test_a_page_that_has_all_its_letters_does_not_open_the_file_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("paperchute.engine.reading.pdf.page_glyphs.unlocked", pytest.fail)
    path = written(tmp_path / "a.pdf", [[Said("All of the letters, fine as they are", 72, 90)]])
    assert _text(path).startswith("All of the letters")


@pytest.mark.parametrize(("signs", "text"), [("\uf731\uf739", "19"), ("\uf761\uf77a", "az"), ("\uf73a\ue030", "��")])
def test_old_style_figures_and_small_capitals_are_read_and_no_other_private_signs(signs: str, text: str) -> None:
    assert printed([signs], signs) == [text]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        *(("a", "a"), ("five", "5"), ("comma", ","), ("ffi", "ffi"), ("eacute", "é"), ("Udieresis", "Ü")),
        *(("alpha", "α"), ("Sigma", "Σ"), ("Euro", "€"), ("minus", "−"), ("heart", ""), ("acute", "")),
    ],
)
def test_letters_that_are_drawn_mean_what_the_list_says(name: str, text: str) -> None:
    assert listed(name) == text


def test_a_font_whose_letters_are_drawn_is_read_by_their_names(tmp_path: Path) -> None:
    """Type 3: of these PDFium takes no names."""
    path = written(tmp_path / "a.pdf", [[Said("()*", 72, 100)]])
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        box = pdf.make_stream(b"500 0 50 0 450 700 d1 50 0 400 700 re f")
        names = {40: "P", 41: "ocircumflex", 42: "one"}
        font = _font(names)
        font.Subtype, font.FontBBox, font.FontMatrix = (
            Name.Type3,
            Array([0, 0, 500, 700]),
            Array([0.001, 0, 0, 0.001, 0, 0]),
        )
        font.CharProcs = Dictionary({f"/{name}": box for name in names.values()})
        del font["/BaseFont"], font["/FontDescriptor"]
        pdf.pages[0].obj.Resources.Font.R = pdf.make_indirect(font)
        pdf.save(path)
    with opened(path, path.name, "") as document:
        (page,) = read_pdf(document, [0], Options()).pages
    assert [line.text for block in page.blocks for line in block.lines] == ["Pô1"]


@pytest.mark.parametrize(
    ("base", "names", "content", "text"),
    [
        ("AdvP4C4E74", {1: "C0", 2: "C14", 3: "C6"}, rb"0.9 \001 0.3 30 \002 4 \003 1", "0.9 − 0.3 30 ° 4 ± 1"),
        ("AdvMacMthSyN", {1: "C0", 0xBC: "onequarter"}, rb"x \274 \001", "x = −"),
        (
            "WpwswmAdvP4C4E74",
            {0xF0: "eth", 0xDE: "Thorn", 0xFE: "thorn", 33: "exclam"},
            rb"\360 1 \376 2 \336 !",
            "( 1 + 2 ) →",
        ),
        ("AdvP4C4E46", {2: "C16", 3: "C17", 88: "X"}, rb"\002 X \003", "( ∑ )"),
        ("AdvPSSym", {2: "C176", 3: "C211"}, rb"4 \002 \003", "4 ° ©"),
    ],
)
def test_publishers_fonts_of_signs_are_read_by_what_they_show(
    tmp_path: Path, base: str, names: dict[int, str], content: bytes, text: str
) -> None:
    """The signs in such a font, letters and digits of the content in a usual one."""
    parts = content.split()
    shown = [
        b"/" + (b"S" if part[0] in b"\\!X" and part != b"x" else b"R") + b" 11 Tf (" + part + b") Tj" for part in parts
    ]
    lines = b" ".join(b"1 0 0 1 %d 700 Tm " % (72 + 20 * n) + one for n, one in enumerate(shown))
    fonts = {"S": _font(names, f"/ABCDEF+{base}"), "R": _font({})}
    assert _text(_page(tmp_path / "a.pdf", b"BT " + lines + b" ET", fonts)).split() == text.split()


_LIES, _BROAD = (50, 300, 550, 360), (50, 100, 550, 600)
_PI = {"2": _LIES, "5": _LIES, **dict.fromkeys("13468,.", _BROAD)}
_SHAPES = {"AdvPS7DA6": _PI, "MathematicalPi-One": _PI, "AdvPi1": dict.fromkeys("458", _BROAD)}
"""What signs look like that claim to be figures: they lie, or are as broad as high."""


def _shown(
    path: Path, base: str, content: bytes, unicode: str = "", shapes: Mapping[str, Box] | None = None
) -> list[str]:
    """The words of a content in a font of that name, which has names for none of its glyphs."""
    font = _font({}, f"/ABCDEF+{base}")
    del font.Encoding["/Differences"]
    with pikepdf.open(_page(path, b"BT /S 11 Tf 72 700 Td (" + content + b") Tj ET", {"S": font})) as pdf:
        own = pdf.pages[0].obj.Resources.Font.S
        if unicode:
            codes = [
                f"<{code:02x}> <{ord(sign):04x}>" for code, sign in zip(content, unicode, strict=True) if code != 32
            ]
            cmap = f"begincmap {len(codes)} beginbfchar\n{chr(10).join(codes)}\nendbfchar endcmap"
            own.ToUnicode = pdf.make_stream(cmap.encode())
        if shapes is not None:
            own.Subtype, own.FontDescriptor.FontFile2 = Name.TrueType, pdf.make_stream(box_font(shapes))
        pdf.save(path.with_suffix(".told.pdf"))
    return _text(path.with_suffix(".told.pdf")).split()


@pytest.mark.parametrize(
    ("base", "content", "text"),
    [
        ("AdvPS7DA6", b"25.7 ,3", "−=>7 <×"),
        ("AdvPSMP13", b"lL a b c", "μΜ α β γ"),
        ("AdvPi1", b"48m5", ">°μ<"),
        ("MathematicalPi-One", b"m 152", "μ +=−"),
        ("AdvP4C4E51", b"1=2;3:4", "1/2,3.4"),
        ("TeX_CM_Maths_Symbols12", b"\xbcp", "=√"),
        ("Symbol", b"mg \xb3 \xb5 \xb0 5", "μγ ≥ µ ° 5"),
        ("SymbolMT,Italic", b"Dx", "Δξ"),
        ("Wingdings-Regular", b"x \xfe o *", "☒ ☑ ☐ ✉"),
        ("Wingdings2", b"R \xa3", "☑ ☐"),
        ("Symbolic", b"mg", "mg"),
        ("AdvPTimes", b"25.7 lL", "25.7 lL"),
    ],
)
def test_fonts_of_signs_show_other_characters_than_they_claim(
    tmp_path: Path, base: str, content: bytes, text: str
) -> None:
    assert _shown(tmp_path / "a.pdf", base, content, shapes=_SHAPES.get(base)) == text.split()


@pytest.mark.parametrize("base", ["AdvPS7DA6", "MathematicalPi-One"])
def test_an_amount_stays_one_in_a_font_that_only_bears_the_name_of_signs(tmp_path: Path, base: str) -> None:
    assert _shown(tmp_path / "a.pdf", base, b"1234.50", shapes={".": (50, 0, 150, 100)}) == ["1234.50"]


@pytest.mark.parametrize(
    ("base", "claimed", "text"),
    [
        ("SymbolMT", "\uf06d\uf067 \uf0b3", "μγ ≥"),
        ("Wingdings", "\uf0fe\uf06f \uf0fc", "☑☐ ✓"),
        ("SymbolMT", "μγ ≥", "μγ ≥"),
        ("Arial", "\uf06d\uf067 \uf033", "mg 3"),
    ],
)
def test_private_characters_are_read_by_the_font_they_are_of(
    tmp_path: Path, base: str, claimed: str, text: str
) -> None:
    assert _shown(tmp_path / "a.pdf", base, b"ab c", claimed) == text.split()


@pytest.mark.parametrize(
    ("name", "sign"), [("H9262", "μ"), ("H11002", "−"), ("H11005", "="), ("H11006.x", "±"), ("H1", ""), ("H99999", "")]
)
def test_numbers_of_linotype_s_glyphs(name: str, sign: str) -> None:
    assert (meaning(name) or "") == sign


def test_a_figure_that_lies_is_no_figure(tmp_path: Path) -> None:
    """A minus that a font no one knows claims to be a 2; its glyph is drawn, as fonts of that kind are embedded."""
    pdf = pikepdf.new()
    page = pdf.add_blank_page(page_size=(595, 842)).obj
    drawn = {
        "two": b"800 0 100 250 700 310 d1 100 250 600 60 re f",
        "five": b"800 0 100 0 700 700 d1 100 0 600 700 re f",
    }
    own = Dictionary(
        Type=Name.Font,
        Subtype=Name.Type3,
        FontBBox=Array([0, -200, 900, 800]),
        FontMatrix=Array([0.001, 0, 0, 0.001, 0, 0]),
        FirstChar=0x32,
        LastChar=0x35,
        Widths=Array([800] * 4),
        CharProcs=Dictionary({f"/{name}": pdf.make_stream(content) for name, content in drawn.items()}),
        Encoding=Dictionary(Type=Name.Encoding, Differences=Array([0x32, Name.two, 0x35, Name.five])),
    )
    page.Resources = Dictionary(Font=Dictionary(S=pdf.make_indirect(own), R=_font({})))
    page.Contents = pdf.make_stream(
        b"BT /R 11 Tf 72 700 Td (about ) Tj /S 11 Tf (2) Tj /R 11 Tf (25.7) Tj /S 11 Tf (5) Tj ET"
    )
    pdf.save(tmp_path / "a.pdf")
    assert _text(tmp_path / "a.pdf") == "about \ufffd25.75"
