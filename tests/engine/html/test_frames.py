"""Pages within a page are not laid out, and a warning says so."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from paperchute.engine import report
from paperchute.engine.html.frames import tell_frames
from tests.engine.html.pages import rendered


def told(html: str, folder: Path) -> list[str]:
    with report.collected() as warnings:
        rendered(folder, html)
    return warnings


@pytest.mark.parametrize(
    ("frame", "place"),
    [
        ("<iframe src='https://example.com/terms'></iframe>", "https://example.com/terms"),
        ("<IFRAME width=400 SRC=terms.html></IFRAME>", "terms.html"),
        ("<iframe srcdoc='&lt;p&gt;You owe 40 EUR'></iframe>", "srcdoc"),
        (f"<iframe src='https://example.com/{'a' * 3000}'></iframe>", "https://example.com/aaa"),
    ],
)
def test_a_frame_that_is_left_out_is_told(frame: str, place: str, tmp_path: Path) -> None:
    (warning,) = told(f"<p>Invoice 17</p>{frame}", tmp_path)
    assert "iframe" in warning
    assert place in warning
    assert len(warning) < 250


def test_what_an_address_hands_over_is_not_told(tmp_path: Path) -> None:
    (warning,) = told("<iframe src='https://example.com/map?key=s3cret'></iframe>", tmp_path)
    assert "https://example.com/map" in warning
    assert "s3cret" not in warning


def test_many_frames_are_one_sentence(tmp_path: Path) -> None:
    (warning,) = told("".join(f"<iframe src=page{number}.html></iframe>" for number in range(5000)), tmp_path)
    assert warning.startswith("5000 frames")
    assert "page2.html" in warning
    assert "page3.html" not in warning


@pytest.mark.parametrize(
    "html",
    [
        "<p>Text</p>",
        "<!-- <iframe src=a.html> --><p>Text</p>",
        "<script>document.write('<iframe src=a.html>')</script><p>Text</p>",
        "<iframe src=count.html width=1 height=1></iframe><p>Text</p>",
        "<iframe src=count.html style='display: none'></iframe><p>Text</p>",
        "<iframe src=about:blank></iframe><iframe></iframe><p>Text</p>",
        "<p>&lt;iframe src=a.html&gt;</p>",
    ],
)
def test_what_nobody_sees_is_not_told(html: str, tmp_path: Path) -> None:
    assert not told(html, tmp_path)


@pytest.mark.parametrize("piece", ["<iframe ", "<!--", "<![x", "<iframe src=a></iframe>"])
def test_tags_without_end_cost_no_time(piece: str) -> None:
    began = time.process_time()
    tell_frames("<iframe src=a></iframe>" + piece * 100_000)
    assert time.process_time() - began < 5
