"""A page with its pictures in one MHTML file, and what only looks like one."""

from __future__ import annotations

import contextlib
import io
from email.message import Message
from email.mime.image import MIMEImage
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText
from pathlib import Path

import pypdfium2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from paperchute.engine.html.fetch import page_from
from paperchute.engine.work import Refused
from tests.engine.html.pages import rendered


def _archive(html: str, **files: str) -> bytes:
    """As a browser saves it. files: colour of a PNG, by its address below the page's."""
    whole = MIMEMultipart("related")
    whole.attach(_at(MIMEText(html, "html", "utf-8"), "https://shop.example/offer/index.html"))
    for name, colour in files.items():
        picture = io.BytesIO()
        Image.new("RGB", (40, 40), colour).save(picture, "PNG")
        part = _at(MIMEImage(picture.getvalue(), "png"), f"https://shop.example/pictures/{name}.png")
        part["Content-ID"] = f"<{name}@shop>"
        whole.attach(part)
    return b"From: <Saved by a browser>\r\nSubject: Offer\r\n" + whole.as_bytes()


def _at(part: Message, address: str) -> Message:
    part["Content-Location"] = address
    return part


def _colours(path: Path) -> set[tuple[int, int, int]]:
    document = pypdfium2.PdfDocument(path)
    try:
        counted = document[0].render().to_pil().convert("RGB").getcolors(1 << 20)
    finally:
        document.close()
    assert counted is not None
    return {colour for count, colour in counted if count > 100 and isinstance(colour, tuple)}


def test_the_pictures_of_a_saved_page_are_shown(tmp_path: Path) -> None:
    html = """<style>p { background: url(/pictures/blue.png); height: 40px }</style>
    <img src="../pictures/red.png"><img src="cid:lime@shop"><p>"""
    output = rendered(tmp_path, _archive(html, red="red", lime="lime", blue="blue"))
    assert {(255, 0, 0), (0, 255, 0), (0, 0, 255)} <= _colours(output)


def test_a_saved_page_brings_its_encoding_and_its_address() -> None:
    page = page_from(_archive("<p>Grüße"))
    assert page.html == "<p>Grüße"
    assert page.base == "https://shop.example/offer/index.html"


def test_an_archive_without_a_page_is_refused() -> None:
    with pytest.raises(Refused, match="contains no page"):
        page_from(
            b"Content-Type: multipart/related; boundary=x\r\n\r\n--x\r\nContent-Type: image/png\r\n\r\nx\r\n--x--"
        )


@pytest.mark.parametrize(
    "html", ["<p>Content-Type: multipart/related</p>", "\n<p>a: b\n", "a: b\n\n<p>multipart/related"]
)
def test_what_only_mentions_an_archive_is_a_page(html: str) -> None:
    assert page_from(html.encode()).html == html


@given(st.binary(max_size=300))
def test_any_damage_is_a_page_or_a_refusal(noise: bytes) -> None:
    whole = _archive("<p>x", red="red")
    for content in (noise, whole[:200] + noise + whole[300:], b"Content-Type: multipart/related\r\n" + noise):
        with contextlib.suppress(Refused):
            assert isinstance(page_from(content).html, str)
