"""Pictures that browsers show, and the layout does not by itself, are drawn, upright and in their colours."""

from __future__ import annotations

import base64
import io
from pathlib import Path

import pypdfium2
import pytest
from PIL import Image, features

from paperchute.engine import report
from paperchute.engine.html.fetch import NO_BASE, Page, Resource
from paperchute.engine.html.render import render
from paperchute.engine.work import FetchPolicy

FORMATS = ["PNG", "JPEG", "TIFF", "JPEG2000", "ICO", "WEBP", *(["AVIF"] if features.check("avif") else [])]


def red_at_left(form: str, mode: str = "RGB", turn: int = 1) -> bytes:
    """A white square with a red bar at its left; turn: how a reader has to turn it (EXIF)."""
    picture = Image.new("RGB", (64, 64), "white")
    picture.paste((255, 0, 0), (0, 0, 16, 64))
    out, options = io.BytesIO(), {}
    if turn != 1:
        exif = Image.Exif()
        exif[0x0112] = turn
        options["exif"] = exif
    picture.convert(mode).save(out, form, **options)
    return out.getvalue()


def drawn(folder: Path, content: bytes, kind: str, inline: bool) -> tuple[Image.Image, list[str]]:
    """The square as the page shows it, and what was warned of."""
    address = f"data:{kind};base64,{base64.b64encode(content).decode()}" if inline else "p.bin"
    css = "@page { size: 64px 64px; margin: 0 } body { margin: 0 } p { position: absolute; margin: 0; color: white }"
    html = f'<style>{css}</style><p>.</p><img style="display: block" src="{address}" width=64>'
    files = {} if inline else {f"{NO_BASE}p.bin": Resource(content, kind, "")}
    with report.collected() as warnings:
        render(Page(html, files=files), folder / "a.pdf", FetchPolicy())
    with pypdfium2.PdfDocument(folder / "a.pdf") as document:
        return document[0].render(scale=4 / 3).to_pil().convert("RGB").resize((64, 64)), warnings


def colour(picture: Image.Image, place: tuple[int, int]) -> tuple[int, int, int]:
    red, green, blue = picture.crop((*place, place[0] + 1, place[1] + 1)).tobytes()
    return red, green, blue


def is_red(picture: Image.Image, place: tuple[int, int]) -> bool:
    red, green, blue = colour(picture, place)
    return red > 180 and green < 90 and blue < 90


@pytest.mark.parametrize("inline", [True, False])
@pytest.mark.parametrize("form", FORMATS)
def test_pictures_of_every_kind_are_drawn(tmp_path: Path, form: str, inline: bool) -> None:
    kind = {"JPEG2000": "image/jp2", "ICO": "image/x-icon"}.get(form, f"image/{form.lower()}")
    shown, warnings = drawn(tmp_path, red_at_left(form), kind, inline)
    assert (is_red(shown, (6, 32)), is_red(shown, (50, 32))) == (True, False)
    assert warnings == []


@pytest.mark.parametrize("form", ["JPEG", "TIFF"])
def test_pictures_in_the_colours_of_print_are_drawn(tmp_path: Path, form: str) -> None:
    shown, _warnings = drawn(tmp_path, red_at_left(form, "CMYK"), f"image/{form.lower()}", True)
    assert is_red(shown, (6, 32))
    assert min(colour(shown, (50, 32))) > 200


@pytest.mark.parametrize(
    ("turn", "place"),
    [(2, (58, 32)), (3, (58, 32)), (4, (6, 32)), (5, (32, 6)), (6, (32, 6)), (7, (32, 58)), (8, (32, 58))],
)
@pytest.mark.parametrize("form", ["JPEG", "PNG"])
def test_photographs_stand_upright(tmp_path: Path, turn: int, place: tuple[int, int], form: str) -> None:
    shown, _warnings = drawn(tmp_path, red_at_left(form, turn=turn), f"image/{form.lower()}", True)
    assert is_red(shown, place)
    assert not is_red(shown, (64 - place[0], 64 - place[1]) if place[0] != 32 else (32, 64 - place[1]))


@pytest.mark.parametrize("inline", [True, False])
@pytest.mark.parametrize("content", [b"\0\0\0\x18ftypheic\0\0\0\0mif1heic", red_at_left("TIFF")[:20], b"no picture"])
def test_what_cannot_be_drawn_is_said(tmp_path: Path, content: bytes, inline: bool) -> None:
    _shown, warnings = drawn(tmp_path, content, "image/heic", inline)
    assert len(warnings) == 1
    assert "cannot be drawn" in warnings[0]


def test_a_drawing_stays_as_it_is(tmp_path: Path) -> None:
    bar = b"<rect width='16' height='64' fill='red'/>"
    svg = b"<svg xmlns='http://www.w3.org/2000/svg' width='64' height='64'>" + bar + b"</svg>"
    shown, warnings = drawn(tmp_path, svg, "image/svg+xml", False)
    assert is_red(shown, (6, 32))
    assert warnings == []
