"""What a document becomes: sheets, outline, links, language; and that naming the headings changes no look."""

from __future__ import annotations

import base64
import io
import re
import shutil
import subprocess
import sys
import zlib
from pathlib import Path

import pikepdf
import plutoprint
import pypdfium2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import ImageChops

from paperchute.engine import report
from paperchute.engine.html.encoding import decode, storable
from paperchute.engine.html.postprocess import repair
from paperchute.engine.html.preprocess import marked
from paperchute.engine.html.render import Paper
from paperchute.engine.html.resources import plain_sources_in
from paperchute.engine.work import Refused
from tests.engine.html.pages import links, rendered, sizes
from tests.engine.operations.papers import words
from tests.engine.pdf_parts import outline


@pytest.mark.parametrize("size", [(595, 842), (595.28, 841.89), (612, 792), (300.5, 150.25), (100, 50), (14400, 14400)])
def test_a_sheet_is_exactly_as_large_as_asked_for(size: tuple[float, float], tmp_path: Path) -> None:
    output = rendered(tmp_path, "<p>x", Paper(*size))
    assert sizes(output) == [size]
    assert words(output) == ["x"]


@pytest.mark.parametrize(
    ("css", "size"),
    [
        ("A4", (595.276, 841.89)),
        ("A5 landscape", (595.276, 419.528)),
        ("8.5in 11in", (612, 792)),
        ("62mm 29mm", (175.748, 82.205)),
        ("100pt 50pt", (100, 50)),
    ],
)
def test_a_style_sheet_s_size_is_kept_however_small(css: str, size: tuple[float, float], tmp_path: Path) -> None:
    output = rendered(tmp_path, f"<style>@page {{ size: {css} }} p {{ margin: 0 }}</style><p>x")
    assert sizes(output) == [size]
    assert words(output) == ["x"]


@pytest.mark.parametrize(
    ("css", "reason"),
    [
        ("size: 20000pt 20pt", "20000 x 20 points is larger than 14400"),
        ("size: 0 0", "no room"),
        ("margin: 500pt", "no room"),
    ],
)
def test_an_impossible_sheet_is_refused_with_the_reason(css: str, reason: str, tmp_path: Path) -> None:
    with pytest.raises(Refused, match=reason):
        rendered(tmp_path, f"<style>@page {{ {css} }}</style><p>x")


@pytest.mark.skipif(sys.platform == "win32", reason="PlutoBook takes the system's fonts there")
@pytest.mark.parametrize(
    ("family", "font"),
    [
        ("serif", "LiberationSerif"),
        ("sans-serif", "LiberationSans"),
        ("monospace", "LiberationMono"),
        ("'Nobody has this'", "LiberationSerif"),
    ],
)
def test_where_a_page_names_no_font_it_looks_the_same_on_every_machine(family: str, font: str, tmp_path: Path) -> None:
    output = rendered(tmp_path, f'<p style="font-family: {family}">office – “quoted” € ½</p>')
    with pikepdf.open(output) as pdf:
        fonts = {str(one.BaseFont).partition("+")[2] for one in pdf.pages[0].Resources.Font.values()}
    assert fonts == {font}


@pytest.mark.skipif(sys.platform == "win32", reason="PlutoBook takes the system's fonts there")
@pytest.mark.parametrize(("family", "font"), [("Calibri", "Carlito"), ("Cambria", "Caladea")])
def test_the_fonts_of_office_have_letters_of_their_widths(family: str, font: str, tmp_path: Path) -> None:
    output = rendered(tmp_path, f'<p style="font-family: {family}">office – <b>“quoted”</b> <i>€</i></p>')
    with pikepdf.open(output) as pdf:
        fonts = {str(one.BaseFont).partition("+")[2] for one in pdf.pages[0].Resources.Font.values()}
    assert {name.partition("-")[0] for name in fonts} in ({font}, {family}), "the machine's own where it has it"


def test_headings_become_the_outline_and_hidden_ones_do_not(tmp_path: Path) -> None:
    html = """<h1>One &amp; <b>only</b></h1><h3>Deep
    down</h3><h2 style="display:none">hidden</h2><h2>Two<br>lines</h2><template><h1>inert</h1></template>
    <div style="break-before:page"></div><h2 id="own">Three</h2><h1><img alt="Logo"> Four</h1><h1></h1>
    <!-- <h1>no</h1> --><script>"<h1>no</h1>"</script>"""
    assert outline(rendered(tmp_path, html)) == [
        (1, "One & only", 1),
        (2, "Deep down", 1),
        (2, "Two lines", 1),
        (2, "Three", 2),
        (1, "Logo Four", 2),
    ]


def test_links_within_the_document_lead_to_their_target_whatever_it_is_called(tmp_path: Path) -> None:
    html = """<a href="#plain">1</a><a href="#über%20uns">2</a><a href="#%E4%B8%AD">3</a><A class=x HREF='#old'>4</A>
    <a href="#empty">5</a><a href="#nowhere">6</a><a href="#">7</a>
    <div style="break-before:page"></div><p id=plain>a<h1 id="über uns">b</h1><p id="中">c<p><a name="old">d</a>
    <div style="break-before:page"></div><a id="empty"></a><p>e"""
    expected = ["#plain page 2", "#über uns page 2", "#中 page 2", "#old page 2", "#empty page 3"]
    assert links(rendered(tmp_path, html)) == expected


def test_links_out_of_the_document_are_kept_unless_they_could_start_something(tmp_path: Path) -> None:
    html = """<a href="https://a.example/x?y=(1)&amp;z">1</a><a href="mailto:a@b.example">2</a><a href="tel:+49">3</a>
    <a href="beside.html">4</a><a href="javascript:alert(1)">5</a><a href="file:///etc/passwd">6</a>
    <a href="data:text/html,x">7</a><a download href="file:///etc/hosts">8</a><a href="smb://a/b">9</a>"""
    output = rendered(tmp_path, html)
    assert links(output) == ["https://a.example/x?y=(1)&z", "mailto:a@b.example", "tel:+49", "beside.html"]
    assert words(output)[0].split() == ["123", "456", "789"]


def test_language_title_and_author_are_told(tmp_path: Path) -> None:
    html = '<html lang="de-AT"><title>Größe</title><meta name="author" content="A. Author"><p>x'
    with pikepdf.open(rendered(tmp_path, html)) as pdf:
        assert pdf.Root.Lang == "de-AT"
        assert pdf.Root.ViewerPreferences.DisplayDocTitle
        assert pdf.docinfo["/Title"] == "Größe"
        assert pdf.docinfo["/Author"] == "A. Author"
    with pikepdf.open(rendered(tmp_path, '<html lang="(/x)"><p>x')) as pdf:
        assert "/Lang" not in pdf.Root


def test_running_headers_page_numbers_and_table_heads_are_on_every_page(tmp_path: Path) -> None:
    rows = "".join(f"<tr><td>row {number}</td></tr>" for number in range(100))
    html = f"""<style>.top {{ position: running(top) }} @page {{ margin: 60pt; @top-left {{ content: element(top) }}
    @bottom-right {{ content: "page " counter(page) " of " counter(pages) }} }}</style>
    <div class="top">Running</div><table><thead><tr><th>Head</th></tr></thead><tbody>{rows}</tbody></table>"""
    pages = words(rendered(tmp_path, html))
    assert len(pages) > 2
    for number, text in enumerate(pages, 1):
        assert "Running" in text
        assert "Head" in text
        assert f"page {number} of {len(pages)}" in text


def test_a_long_document_is_whole(tmp_path: Path) -> None:
    html = "".join(f'<h1 style="break-after:page">Chapter {number}</h1>' for number in range(1, 71))
    output = rendered(tmp_path, html)
    assert words(output)[:70] == [f"Chapter {number}" for number in range(1, 71)]
    assert outline(output)[69] == (1, "Chapter 70", 70)


def test_flex_lays_out_side_by_side_and_breaks_are_kept(tmp_path: Path) -> None:
    html = """<div style="display:flex;gap:20pt"><div style="flex:1">left</div><div style="flex:2">right</div></div>
    <p style="break-before:page">next"""
    document = pypdfium2.PdfDocument(rendered(tmp_path, html))
    try:
        assert len(document) == 2
        text = document[0].get_textpage()
        boxes = [text.get_rect(index) for index in range(text.count_rects())]
    finally:
        document.close()
    (first, second) = boxes
    assert first[2] < second[0]
    assert abs(first[1] - second[1]) < 5


def _is_chinese_shown() -> bool:
    """Whether this machine has a font with Chinese letters; CI installs one."""
    program = shutil.which("fc-list")
    return bool(program and subprocess.run([program, ":lang=zh"], capture_output=True, check=False).stdout)


needs_chinese = pytest.mark.skipif(not _is_chinese_shown(), reason="no font here has Chinese letters")


@needs_chinese
def test_right_to_left_and_east_asian_text_can_be_read_back(tmp_path: Path) -> None:
    (text,) = words(rendered(tmp_path, '<p>发票总额</p><p lang="ja">請求書</p><p dir="rtl">שלום עולם</p>'))
    assert "发票总额" in text
    assert "請求書" in text
    assert "שלום" in text or "םולש" in text, "the order within a line is the reader's affair"


@needs_chinese
def test_glyphs_that_the_writer_did_not_know_get_their_meaning_back(tmp_path: Path) -> None:
    """A font without a character map for what it shows, as one for another language has; the text tells the rest."""
    said = "本合同一式两份，双方各执一份，具有同等法律效力，文本为准"
    output = rendered(tmp_path, f'<html lang="zh"><p>{said}</p><p dir="rtl" lang="ar">مرحبا</p>')
    (text,) = words(output)
    assert said in text


@pytest.mark.parametrize(("known", "missing"), [("abcdefg", "d"), ("abcdefg", "b"), ("aaabaaa", "b")])
def test_a_missing_meaning_is_seen_from_what_stands_around(known: str, missing: str, tmp_path: Path) -> None:
    html = f"<p>{known}</p>&#32;"
    output = rendered(tmp_path, html)
    with pikepdf.open(output, allow_overwriting_input=True) as pdf:
        (font,) = pdf.pages[0].Resources.Font.values()
        content = font.ToUnicode.read_bytes()
        font.ToUnicode.write(content.replace(f"> <{ord(missing):04x}>".encode(), b"> <fffd>"))
        assert font.ToUnicode.read_bytes() != content
        repair(pdf, html)
        assert font.ToUnicode.read_bytes() == content


LOOKS = {
    "right to left": '<html dir=rtl><h1>אב</h1><h2></h2><h3 align=left>x</h3><h4 style="display:flex">y</h4>',
    "aligned": '<h1 style="text-align:right">r</h1><h2 style="text-align:right"></h2><h3 align=center>c</h3>',
    "flex": "<div style='display:flex'><h1>a</h1><h2>b</h2></div><h1 style='display:flex'><i>a</i><b>b</b></h1>",
    "no flow": '<h1 style="display:inline-block">a</h1><h2 style="float:right">f</h2><h3 style="position:fixed">q</h3>',
    "pseudo": "<style>h1::first-letter{font-size:3em} h1 b:first-child{color:red}</style><h1>A<b>b</b></h1>",
    "own id": "<style>#k{color:red}</style><h1 id=k>a</h1><h2 id=k>b</h2>",
    "preformatted": "<style>h1{white-space:pre}</style><h1>  a\n  b</h1>",
    "columns": '<div style="columns:3">' + "<h2>t</h2><p>lorem ipsum dolor sit amet " * 40 + "</div>",
    "children": "<style>body>:first-child,body>:last-child{color:red} b:first-child{color:blue}</style>"
    "<section><h1>x<b>y</b></h1></section><h1>z</h1>",
    "body": "<!doctype html><html><head><style>.b{margin:30pt}</style></head><body class=b bgcolor=silver><h1>x",
    "no document type": "<html><body text=green><h1>x</h1><table><tr><td>y</table>",
}


@pytest.mark.parametrize("name", LOOKS)
def test_naming_the_headings_changes_no_pixel(name: str, tmp_path: Path) -> None:
    book = plutoprint.Book(plutoprint.PageSize(595, 842), plutoprint.PageMargins(72, 72, 72, 72))
    book.load_html(LOOKS[name])
    bare = io.BytesIO()
    book.write_to_pdf_stream(bare)
    output = rendered(tmp_path, LOOKS[name])
    assert outline(output)
    before, after = pypdfium2.PdfDocument(bare.getvalue()), pypdfium2.PdfDocument(output)
    assert len(before) == len(after)
    for one, other in zip(before, after, strict=True):
        assert ImageChops.difference(one.render().to_pil(), other.render().to_pil()).getbbox() is None


@given(
    st.lists(
        st.sampled_from(
            ["<h1>", "</h1>", "<a href='#", "x", "'>", "<a name=x>", "</a>", "<!--", "-->", "ü", "\n", "<h2 id='x'"]
        )
    )
)
def test_any_soup_is_only_added_to(pieces: list[str]) -> None:
    html = "".join(pieces)
    rest = iter(marked(html).html)
    assert all(character in rest for character in html), "what was there is there still, in the same order"


@given(st.text(), st.text(st.characters(categories=["Cs"]), max_size=3))
def test_any_text_can_be_stored(text: str, halves: str) -> None:
    stored = storable(text + halves + "\0")
    assert "\0" not in stored
    stored.encode()
    assert stored.startswith(text.replace("\0", "\ufffd"))


@given(st.binary(max_size=200), st.sampled_from(["", "latin-1", "nonsense", "base64", "utf-16"]))
def test_any_bytes_are_text(content: bytes, charset: str) -> None:
    decode(content, charset)
    decode(b'<meta charset="hex">' + content)


def _picture(width: int, height: int) -> str:
    """A data: address of a PNG that claims this size."""
    head = width.to_bytes(4, "big") + height.to_bytes(4, "big") + b"\x08\x02\0\0\0"
    body = b"\x89PNG\r\n\x1a\n"
    for chunk in (b"IHDR" + head, b"IDAT" + zlib.compress(bytes(1000)), b"IEND"):
        body += (len(chunk) - 4).to_bytes(4, "big") + chunk + zlib.crc32(chunk).to_bytes(4, "big")
    return "data:image/png;base64," + base64.b64encode(body).decode()


def test_a_picture_beyond_measure_is_refused_before_it_is_decoded(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="picture of more than 120 million pixels"):
        rendered(tmp_path, f'<img src="{_picture(60_000, 60_000)}">')
    with pytest.raises(Refused, match="more than 300 million pixels in total"):
        rendered(tmp_path, "".join(f'<img src="{_picture(10_000, 9_000 + number)}">' for number in range(4)))


@pytest.mark.parametrize("hint", ['format("woff2")', "format(woff2-variations) tech(variations)", ""])
def test_fonts_in_woff2_are_not_passed_over(hint: str) -> None:
    face = "@font-face { font-family: X; src: url(x.woff2) HINT, url(x.woff) format('woff') }"
    html = f"<style>{face}</style><p>{face}</p>".replace("HINT", hint)
    expected = f"<style>{face}</style>".replace("HINT", "") + f"<p>{face}</p>".replace("HINT", hint)
    assert plain_sources_in(html) == expected


def test_a_damaged_web_font_costs_its_look_only(tmp_path: Path) -> None:
    html = "<style>@font-face { font-family: X; src: url(data:font/woff2;base64,d09GMgABAAAA) } p { font-family: X }"
    assert words(rendered(tmp_path, html + "</style><p>still there")) == ["still there"]


def _meanings(path: Path) -> set[str]:
    """What the glyphs of a PDF mean, one text a glyph."""
    with pikepdf.open(path) as pdf:
        fonts = [item for item in pdf.objects if isinstance(item, pikepdf.Dictionary) and "/ToUnicode" in item]
        maps = b"\n".join(font.ToUnicode.read_bytes() for font in fonts)
    codes = re.findall(rb"^<[0-9a-f]+>\s*<((?:[0-9a-f]{4})+)>\s*$", maps, re.MULTILINE | re.IGNORECASE)
    return {bytes.fromhex(code.decode()).decode("utf-16-be") for code in codes}


@pytest.mark.parametrize("look", ["", "font-weight: bold", "font-style: italic", "opacity: 0.5"])
@pytest.mark.parametrize("family", ["sans-serif", "serif", "monospace", "DejaVu Sans", "Helvetica"])
def test_joined_letters_are_found_as_they_are_typed(tmp_path: Path, family: str, look: str) -> None:
    written = "office file flow affidavit waffle"
    with report.collected() as told_of:
        output = rendered(
            tmp_path, f"<p style='font-family: {family}; {look}'>{written} \ufb01nd o\ufb00er Sta\u017ftus</p>"
        )
    meanings = _meanings(output)
    assert "a" in meanings
    assert not any("\ufb00" <= letter <= "\ufb17" for meaning in meanings for letter in meaning)
    if told_of:
        pytest.skip("no font of this machine has all of these letters, which is told")
    assert words(output) == [f"{written} find offer Sta\u017ftus"]
    if shutil.which("pdftotext"):
        told = subprocess.run(["pdftotext", output, "-"], capture_output=True, encoding="utf-8", check=True).stdout
        assert told.strip() == f"{written} find offer Sta\u017ftus"


def test_letters_of_arabic_are_those_that_are_typed_whatever_their_shape(tmp_path: Path) -> None:
    written = "\u0639\u0644\u064a\u0643\u0645"
    meanings = _meanings(rendered(tmp_path, f"<p dir=rtl style='font-family: DejaVu Sans'>{written}"))
    if not any("\u0600" <= meaning <= "\u06ff" for meaning in meanings):
        pytest.skip("no font of this machine has Arabic letters")
    assert not any("\ufe80" <= meaning <= "\ufef4" for meaning in meanings)
