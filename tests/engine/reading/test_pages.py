"""What the reader tells of pages and fonts, and what it repairs."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pikepdf
import pypdfium2 as pdfium
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperchute.engine import report
from paperchute.engine.reading.pdf import reader
from paperchute.engine.reading.pdf.chars import PageText
from paperchute.engine.reading.pdf.document import opened, rebuilt
from paperchute.engine.reading.pdf.styles import Fonts, is_bold
from paperchute.engine.reading.pdf.view import View
from paperchute.engine.work import Refused
from tests.engine.reading.printing import LOREM, blocks, picture, printed, read
from tests.engine.reading.sheets import written


@pytest.mark.parametrize(
    ("name", "weight", "bold"),
    [
        ("NotoSans-Regular", 625, False),  # PDFium's guess for a regular face
        ("NotoSerif-Bold", 400, True),
        ("NimbusRomNo9L-Medi", 400, True),
        ("Times-Italic", 1004, False),
        ("F1", 700, True),
        ("F1", 400, False),
    ],
)
def test_a_fonts_name_tells_more_than_the_width_of_its_stems(name: str, weight: int, bold: bool) -> None:
    assert is_bold(name, weight) == bold


def test_a_text_style_larger_than_most_of_a_tables_is_running_text(tmp_path: Path) -> None:
    cells = "".join(f"<tr><td>{word}</td><td>{n}</td></tr>" for n, word in enumerate(LOREM.split() * 3))
    html = f"<h2>Ports</h2><p>{LOREM}</p><table>{cells}</table><p>{LOREM}</p>"
    found = blocks(printed(tmp_path / "a.pdf", html, "td{font-size:7pt;border:1px solid}"))
    assert [b.kind for b in found if b.level] == ["doc_title"]


def _unmapped(path: Path, target: Path) -> Path:
    """The document with its fonts' Unicode maps taken away, and their glyphs named by number."""
    with pikepdf.open(path) as pdf:
        for item in pdf.objects:
            if isinstance(item, pikepdf.Dictionary) and "/ToUnicode" in item:
                del item["/ToUnicode"]
                item.Encoding = pikepdf.Dictionary(Differences=[0, *(pikepdf.Name(f"/glyph{n}") for n in range(256))])
        pdf.save(target)
    return target


def _unreadable(path: Path) -> float:
    document = pdfium.PdfDocument(path)
    try:
        page = document[0]
        text = PageText(page.get_textpage(), Fonts())
        assert text.words(View.of(page))
        return text.unreadable()
    finally:
        document.close()


def test_pages_know_what_share_of_their_characters_has_no_unicode_value(tmp_path: Path) -> None:
    path = printed(tmp_path / "a.pdf", f"<p>{LOREM}</p>")
    assert _unreadable(path) == 0.0
    assert _unreadable(_unmapped(path, tmp_path / "b.pdf")) > 0.9


@pytest.mark.parametrize("advance", [50, 200, 500])
@pytest.mark.parametrize("turn", ["1 0 0 1", "0 1 -1 0"])
def test_digits_that_pdfium_may_drop_are_not_believed(advance: int, turn: str, tmp_path: Path) -> None:
    """In a font of wide type and narrow characters it takes each second one of the same for a shadow of the first."""
    path = written(tmp_path / "a.pdf", [[]])
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        page, size = pdf.pages[0].obj, 5000 / advance
        font = page.Resources.Font.R
        font.BaseFont, font.FirstChar, font.LastChar = pikepdf.Name("/Narrow"), 32, 126
        font.Widths = pikepdf.Array([advance] * 95)
        page.Contents = pdf.make_stream(b"BT /R %g Tf %s 300 400 Tm (EUR 1000.00) Tj ET" % (size, turn.encode()))
        pdf.save(path)
    document = pdfium.PdfDocument(path)
    whole = "1000.00" in document[0].get_textpage().get_text_range()
    document.close()
    assert (_unreadable(path) > 0.5) is not whole


def test_an_empty_page_has_nothing_unreadable(tmp_path: Path) -> None:
    pdf = pikepdf.new()
    pdf.add_blank_page()
    pdf.save(tmp_path / "a.pdf")
    document = pdfium.PdfDocument(tmp_path / "a.pdf")
    text = PageText(document[0].get_textpage(), Fonts())
    assert (text.unreadable(), text.words(View.of(document[0]))) == (0.0, [])
    document.close()


def test_a_file_pdfium_cannot_open_is_repaired(tmp_path: Path) -> None:
    """An object without its end and no table of objects: PDFium gives up, qpdf finds the page."""
    objects = [
        b"1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n",
        b"2 0 obj\n<< /Type /Pages /Kids [ 3 0 R ] /Count 1 >>\n",
        b"3 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << >> >>\nendobj\n",
    ]
    broken = tmp_path / "a.pdf"
    broken.write_bytes(b"%PDF-1.3\n" + b"\n".join(objects) + b"\n")
    with pytest.raises(pdfium.PdfiumError):
        pdfium.PdfDocument(broken)
    with report.collected() as said, opened(broken, "a.pdf", "") as document:
        assert len(document) == 1
    assert said == ["a.pdf is damaged or cut off. 1 page was found in it: check whether any are missing."]


@pytest.mark.parametrize("lost", [30, 200, 350])
def test_a_truncated_file_gives_the_pages_it_still_has(tmp_path: Path, lost: int) -> None:
    path = printed(tmp_path / "a.pdf", f"<p>{LOREM}</p>")
    path.write_bytes(path.read_bytes()[:-lost])
    assert any(LOREM[:20] in block.text for block in blocks(path))


def test_nothing_is_made_of_a_file_without_pages(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(b"%PDF-1.7\n1 0 obj\n<</Type/Pages/Count 0/Kids[]>>\nendobj\n")
    with pytest.raises(Refused) as refused, opened(path, "a.pdf", ""):
        pass
    assert refused.value.code == "02207"


@given(st.binary(max_size=400), st.integers(0, 3000))
def test_whatever_is_in_a_damaged_file_the_rebuilding_ends(noise: bytes, at: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path, target = Path(folder) / "a.pdf", Path(folder) / "b.pdf"
        pdf = pikepdf.new()
        pdf.add_blank_page()
        pdf.save(path, object_stream_mode=pikepdf.ObjectStreamMode.generate)
        data = path.read_bytes()
        path.write_bytes(data[:at] + noise + data[at:-100])
        assert rebuilt(path, target) == target.exists()


@pytest.mark.parametrize("packed", [0, 10_000, 1 << 20])
def test_a_long_document_is_read_as_a_short_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, packed: int) -> None:
    """What is kept of its pages is packed, or read again; and its file is opened anew on the way."""
    looks = "serif", "sans-serif", "monospace"
    pages = "".join(
        f'<div style="break-after:page;font-family:{looks[n % 3]}"><h2>Part {n}</h2><p>{LOREM} <i>{n}</i></p>'
        f'<p><img src="{picture(60 + n)}"></p></div>'
        for n in range(6)
    )
    path = printed(tmp_path / "a.pdf", pages)
    with read(path) as short:
        monkeypatch.setattr(reader, "_MARKS_KEPT", 300)
        monkeypatch.setattr(reader, "_BYTES_PACKED", packed)
        monkeypatch.setattr(reader, "_MOST_OPENED", 2)
        with read(path) as long:
            assert len(long) >= 6
            assert long == short
