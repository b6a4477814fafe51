"""What lies beside an HTML file goes along within it, and nothing else does."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperchute.service.html_assets import with_neighbours
from paperchute.service.model import Call
from paperchute.service.upload import Form


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A page's folder with a picture and style sheets, and a secret beside it."""
    hot = tmp_path / "hot"
    (hot / "sub").mkdir(parents=True)
    (hot / "a b.png").write_bytes(b"picture")
    (hot / "größe.png").write_bytes(b"umlaut")
    (hot / "sub" / "main.css").write_text('@import "more.css"; p { background: url("../a b.png") }')
    (hot / "sub" / "more.css").write_text("@font-face { src: url(font.woff2) } q { background: url(../../secret.txt) }")
    (hot / "sub" / "font.woff2").write_bytes(b"font")
    (tmp_path / "secret.txt").write_text("secret")
    (hot / "link.png").symlink_to(tmp_path / "secret.txt")
    return hot


def taken_in(folder: Path, html: str) -> str:
    return with_neighbours(html.encode(), folder / "page.html", None, {}).decode()


PICTURE = "data:image/png;base64," + base64.b64encode(b"picture").decode()


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ('<img alt="x" src="a b.png">', f'<img alt="x" src="{PICTURE}">'),
        ("<IMG SRC='a%20b.png?v=1#x'>é", f'<IMG SRC="{PICTURE}">é'),
        ("<svg><image xlink:href='a b.png'/></svg>", f'<svg><image xlink:href="{PICTURE}"/></svg>'),
        ("<style>p{background:url(a%20b.png)}</style>", f"<style>p{{background:url({PICTURE})}}</style>"),
        ("<p style=\"background: url('a b.png')\">", f'<p style="background: url({PICTURE})">'),
        ('<img src="größe.png">', '<img src="data:image/png;base64,' + base64.b64encode(b"umlaut").decode() + '">'),
    ],
)
def test_what_lies_beside_goes_along(html: str, expected: str, folder: Path) -> None:
    assert taken_in(folder, html) == expected


def test_style_sheets_bring_what_they_name_in_turn(folder: Path) -> None:
    sheet = taken_in(folder, '<link rel="stylesheet" href="sub/main.css">').partition("base64,")[2].rstrip('">')
    css = base64.b64decode(sheet).decode()
    assert PICTURE in css
    inner = base64.b64decode(css.partition('@import "data:text/css;base64,')[2].partition('"')[0]).decode()
    assert base64.b64encode(b"font").decode() in inner
    assert "url(../../secret.txt)" in inner, "what leads out of the folder stays as it is"


@pytest.mark.parametrize(
    "html",
    [
        '<img src="../secret.txt">',
        '<img src="sub/../../secret.txt">',
        '<img src="%2e%2e/secret.txt">',
        '<img src="link.png">',
        '<img src="/etc/passwd">',
        '<img src="file:///etc/passwd">',
        '<img src="https://a.example/a%20b.png">',
        '<img src="//a.example/a b.png">',
        '<img src="none.png">',
        '<img src="sub">',
        '<img src="">',
        '<img src="a\0b.png">',
        '<a href="a b.png">x</a>',
        '<link rel="icon" href="a b.png">',
        "<!-- <img src='a b.png'> -->",
        "<p>url(a%20b.png) <code>&lt;img src='a b.png'></code>",
        "<script>\"<img src='a b.png'>\"</script>",
    ],
)
def test_all_else_stays_as_it_is(html: str, folder: Path) -> None:
    assert taken_in(folder, html) == html


def test_what_is_too_large_stays_behind(folder: Path) -> None:
    with (folder / "huge.png").open("wb") as file:
        file.truncate(21 << 20)
    assert taken_in(folder, '<img src="huge.png">') == '<img src="huge.png">'


def test_the_call_carries_them_and_the_hash_is_of_the_file_alone(folder: Path) -> None:
    page = folder / "page.html"
    page.write_text('<p>x<img src="a b.png">')
    for operation, part, carried in (("html-to-pdf", "file", True), ("pdf-merge", "file", False)):
        with Form(Call(operation, ((part, page),), {}, "key")) as form:
            length = int(form.headers["Content-Length"])
            body = b"".join(form)
            assert len(body) == length
            assert (PICTURE.encode() in body) is carried
            assert form.hashes == (hashlib.sha256(page.read_bytes()).hexdigest(),)


_SOUP = ("<img src=", '"', "'", "a b.png", ">", "<style>", "</style>", "url(", ")", "<!--", "-->", "\n", "é", "style=")


@given(st.lists(st.sampled_from(_SOUP)))
def test_any_soup_goes_through(pieces: list[str]) -> None:
    html = "".join(pieces).encode()
    assert with_neighbours(html, Path("nowhere/page.html"), None, {}) == html
