"""HTML to PDF and generation: the page asked for, and nothing fetched that was not allowed."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pikepdf
import pytest

from paperchute.engine.html.encoding import decode
from paperchute.engine.html.fetch import FetchRefused, fetch
from paperchute.engine.work import FetchPolicy, Refused
from tests.engine.operations.papers import done, words


@pytest.fixture
def trap() -> Iterator[tuple[str, list[str]]]:
    """A real server on loopback that must not be asked for anything."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(302 if "redirect" in self.path else 200)
            self.send_header("Location", "http://127.0.0.1/inside")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", asked
    server.shutdown()
    server.server_close()
    thread.join()


def page(tmp_path: Path, html: str | bytes) -> Path:
    path = tmp_path / "page.html"
    path.write_bytes(html.encode() if isinstance(html, str) else html)
    return path


def size(path: Path) -> tuple[int, int]:
    with pikepdf.open(path) as pdf:
        box = pdf.pages[0].mediabox
        return round(float(box[2])), round(float(box[3]))


def test_a_page_becomes_an_a4_pdf_with_its_text_and_title(tmp_path: Path) -> None:
    output = done("html-to-pdf", tmp_path, page(tmp_path, "<title>Offer</title><h1>Grüße</h1>"))
    assert words(output) == ["Grüße"]
    assert size(output) in ((595, 842), (596, 842))
    with pikepdf.open(output) as pdf:
        assert str(pdf.docinfo["/Title"]) == "Offer"


def test_the_document_s_own_page_size_wins(tmp_path: Path) -> None:
    html = "<style>@page { size: 300pt 200pt }</style><p>x</p>"
    assert size(done("html-to-pdf", tmp_path, page(tmp_path, html))) == (300, 200)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("ü".encode(), "ü"),
        (b"\xef\xbb\xbf\xc3\xbc", "ü"),
        ("ü".encode("utf-16"), "ü"),
        (b'<meta charset="windows-1251">\xef', "п"),
        (b"\xfc", "ü"),
    ],
)
def test_the_encoding_is_found(content: bytes, text: str) -> None:
    assert decode(content).endswith(text)


def test_nothing_is_fetched_from_anywhere(tmp_path: Path, trap: tuple[str, list[str]]) -> None:
    address, asked = trap
    secret = tmp_path / "secret.txt"
    secret.write_text("top secret words")
    html = f"""
    <link rel="stylesheet" href="{address}/a.css"><style>@import url("{address}/b.css");
    @font-face {{ font-family: X; src: url("{address}/c.woff") }}
    body {{ font-family: X; background: url({address}/d.png) }}
    </style><img src="{address}/e.png"><iframe src="{address}/f.html"></iframe><object data="{address}/g.svg"></object>
    <svg><image href="{address}/h.png"/></svg><img src="file://{secret}"><iframe src="file://{secret}"></iframe>
    <img src="{secret}"><embed src="../secret.txt"><p>shown</p>"""
    output = done("html-to-pdf", tmp_path, page(tmp_path, html))
    assert asked == []
    assert words(output) == ["shown"]


@pytest.mark.parametrize("address", ["127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "::ffff:10.0.0.1", "224.0.0.1"])
def test_an_allowed_name_at_an_inner_address_is_refused(address: str) -> None:
    with pytest.raises(FetchRefused, match="not at a public address"):
        fetch("http://good.example/x", FetchPolicy(("good.example",)), lambda host, port: ["93.184.216.34", address])


def test_hosts_that_are_not_listed_and_other_schemes_are_refused(trap: tuple[str, list[str]]) -> None:
    address, asked = trap
    for url in (address, "file:///etc/passwd", "ftp://good.example/x", "http://good.example.evil.example/"):
        with pytest.raises(FetchRefused):
            fetch(url, FetchPolicy(("good.example",)))
    assert asked == []


def test_a_template_is_filled_with_data_of_either_kind(tmp_path: Path) -> None:
    template = '<p>{{ name }}</p>{% for n in numbers %}<i>{{ n | money("EUR") }}</i> {% endfor %}'
    output = done("pdf-generate", tmp_path, template=template, data='{"name": "<b>A&B</b>", "numbers": [1, 2.5]}')
    assert words(output)[0].replace("\r\n", "\n").split("\n") == ["<b>A&B</b>", "€1.00 €2.50"]
    data = tmp_path / "d.json"
    data.write_text('{"name": "Z", "numbers": []}')
    assert words(done("pdf-generate", tmp_path, data, part="dataFile", template=template)) == ["Z"]


def test_page_sizes_in_points(tmp_path: Path) -> None:
    assert size(done("pdf-generate", tmp_path, html="<p>x</p>", pageWidth=300.0, pageHeight=150.0)) == (300, 150)
    assert size(done("pdf-generate", tmp_path, html="<p>x</p>", pageWidth=300.0)) == (300, 842)


@pytest.mark.parametrize(
    ("parameters", "code", "words_of_it"),
    [
        ({}, "03000", "exactly one of html"),
        ({"html": "x", "htmlUrl": "http://a.example/"}, "03000", "exactly one"),
        ({"html": "x", "template": "y"}, "03000", "cannot be used with"),
        ({"template": "x", "data": "{", "generationType": "template"}, "01006", "line 1, column 2"),
        ({"template": "x", "data": "[]"}, "01006", "must be a JSON object"),
        ({"template": "<p>\n{{ missing.name }}", "data": "{}"}, "03000", "line 2: 'missing' is undefined"),
        ({"template": "\n\n{% for %}", "data": "{}"}, "03000", "line 3"),
        ({"template": "{{ ''.__class__.__mro__ }}"}, "03000", ""),
        ({"template": "{{ self.__init__.__globals__ }}"}, "03000", ""),
        ({"template": "{% for i in range(10 ** 12) %}x{% endfor %}"}, "03000", ""),
        ({"htmlUrl": "http://127.0.0.1/"}, "03000", "htmlUrl: this engine may not fetch from the host 127.0.0.1"),
        ({"html": "x", "password": "y"}, "03000", "To lock the result, use pdf-encrypt"),
        ({"template": "x", "generationType": "html"}, "03000", "exactly one of html"),
        ({"html": "x", "generationType": "template"}, "03000", "exactly one of template"),
        ({"html": "x", "baseUri": "file:///etc/"}, "03000", "baseUri"),
        ({"html": "x", "baseUri": "http://a.example/"}, "03000", "baseUri"),
        ({"html": "x", "pageWidth": 0.5}, "03000", "pageWidth"),
    ],
)
def test_what_cannot_be_generated_is_refused_with_the_reason(
    tmp_path: Path, parameters: dict[str, Any], code: str, words_of_it: str
) -> None:
    with pytest.raises(Refused) as caught:
        done("pdf-generate", tmp_path, **parameters)
    assert caught.value.code == code
    assert words_of_it in caught.value.reason
