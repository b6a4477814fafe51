"""Which PDF pages are recognised, and what becomes of the text they have."""

from __future__ import annotations

import re
from pathlib import Path

import pikepdf
import PIL.Image
import pytest
from pikepdf import Array, Dictionary, Name

from tests.engine.reading.ocr.scanning import read, scan_pdf, scanned, text_of
from tests.engine.reading.printing import printed

SCAN = "<p style='font-size:16pt'>Harbour survey of the northern quays</p>"
TEXT = "<p style='font-size:16pt'>Timber stores along the canal</p>"


@pytest.fixture(scope="module")
def scan(tmp_path_factory: pytest.TempPathFactory) -> PIL.Image.Image:
    return scanned(tmp_path_factory.mktemp("scan"), SCAN, dpi=110).crop((0, 0, 909, 300))


def _joined(path: Path, *parts: Path) -> Path:
    with pikepdf.new() as pdf:
        for part in parts:
            with pikepdf.open(part) as source:
                pdf.pages.extend(source.pages)
        pdf.save(path)
    return path


def _garbled(path: Path, source: Path) -> Path:
    """The PDF with fonts that say nothing about their characters: their names and maps point to private use."""
    with pikepdf.open(source) as pdf:
        for font in pdf.objects:
            if isinstance(font, Dictionary) and Name.ToUnicode in font:
                old = font.ToUnicode.read_bytes().decode("latin-1")
                font.ToUnicode = pdf.make_stream(_to_private_use(old).encode("latin-1"))
        pdf.pages[0].MediaBox = Array([0, 600, 595, 842])  # the rest is empty, and takes seconds to look over
        pdf.save(path)
    return path


def _to_private_use(cmap: str) -> str:
    return re.sub(r"(<[0-9A-Fa-f]{2,4}>)\s*<00([0-9A-Fa-f]{2})>", r"\1 <E9\2>", cmap)


def test_a_scope_has_its_pages(scan: PIL.Image.Image, tmp_path: Path) -> None:
    path = _joined(
        tmp_path / "both.pdf",
        scan_pdf(tmp_path / "scan.pdf", scan, dpi=110),
        printed(tmp_path / "text.pdf", TEXT),
        _garbled(tmp_path / "bad.pdf", printed(tmp_path / "clear.pdf", "<p style='font-size:16pt'>Mooring posts</p>")),
    )
    seen = {}
    for scope in ("SCAN_PAGE", "INVALID_CHARACTER", "INVALID_CHARACTER_AND_SCAN_PAGE"):
        pages = read(path, tmp_path / "out", ocrOption=scope)
        seen[scope] = [text_of(page.blocks) for page in pages]
    survey, stores, posts = "Harbour survey of the northern quays", "Timber stores along the canal", "Mooring posts"
    assert seen["SCAN_PAGE"][:2] == [survey, stores]
    assert seen["SCAN_PAGE"][2] != posts
    assert seen["INVALID_CHARACTER"] == ["", stores, posts]
    assert seen["INVALID_CHARACTER_AND_SCAN_PAGE"] == [survey, stores, posts]


def test_recognising_all_pages_keeps_text_and_adds_what_only_pictures_say(tmp_path: Path) -> None:
    stamp = scanned(tmp_path, "<p style='font-size:30pt'>Sealed 1887</p>", dpi=100).crop((0, 30, 500, 200))
    path = _with_picture(tmp_path / "mixed.pdf", printed(tmp_path / "plain.pdf", TEXT + TEXT), stamp)
    (page,) = read(path, tmp_path / "out")
    text = text_of(page.blocks)
    assert text.count("Timber stores along the canal") == 2
    assert "Sealed 1887" in text
    own = [block for block in page.blocks if "Timber" in text_of([block])]
    assert all(block.lines[0].spans[0].style.font for block in own)  # OCR knows no font names


def _with_picture(path: Path, source: Path, picture: PIL.Image.Image) -> Path:
    with pikepdf.open(source) as pdf:
        image = pdf.make_stream(picture.tobytes())
        image.Type, image.Subtype, image.Width, image.Height = Name.XObject, Name.Image, picture.width, picture.height
        image.ColorSpace, image.BitsPerComponent = Name.DeviceRGB, 8
        name = pdf.pages[0].add_resource(image, Name.XObject)
        pdf.pages[0].contents_add(b"q\n", prepend=True)
        pdf.pages[0].contents_add(b"\nQ q 300 0 0 102 100 300 cm " + str(name).encode() + b" Do Q\n")
        pdf.save(path)
    return path


def test_an_earlier_invisible_layer_is_no_text_of_the_page(scan: PIL.Image.Image, tmp_path: Path) -> None:
    path = scan_pdf(tmp_path / "scan.pdf", scan, dpi=110)
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        font = Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica)
        pdf.pages[0].add_resource(font, Name.Font, Name("/F1"))
        pdf.pages[0].contents_add(b"\nBT 3 Tr /F1 16 Tf 60 760 Td (Barbour burvey) Tj ET\n")
        pdf.save(path)
    (page,) = read(path, tmp_path / "out", ocrOption="SCAN_PAGE")
    assert text_of(page.blocks) == "Harbour survey of the northern quays"


def test_an_empty_page_needs_no_recognition(tmp_path: Path) -> None:
    with pikepdf.new() as pdf:
        pdf.add_blank_page()
        pdf.save(tmp_path / "empty.pdf")
    (page,) = read(tmp_path / "empty.pdf", tmp_path / "out", ocrOption="SCAN_PAGE")
    assert page.blocks == ()


@pytest.mark.slow
def test_a_huge_page_is_read_in_bounds(scan: PIL.Image.Image, tmp_path: Path) -> None:
    path = scan_pdf(tmp_path / "huge.pdf", scan, dpi=8)  # a page of 114 inches
    (page,) = read(path, tmp_path / "out")
    assert page.width > 8_000
    assert "Harbour survey" in text_of(page.blocks)
