"""Drawings that repeat their parts: those of people stay whole, those that would fill all memory lose the repeats."""

from __future__ import annotations

import base64

import pytest

from paperchute.engine import report
from paperchute.engine.html.pictures import Pixels, drawable, kind_of
from paperchute.engine.html.repeats import without_repeats


def _tree(levels: int, times: int, link: str = "xlink:href='#{}'") -> str:
    """Each of the levels repeats the one below so many times."""
    uses = [f"<use {link.format(f'a{level}')} />" for level in range(levels + 1)]
    parts = "".join(f"<g id='a{level + 1}'>{uses[level] * times}</g>" for level in range(levels))
    return f"<svg xmlns='x'><g id='a0'><rect width='9'/></g>{parts}{uses[levels]}</svg>"


@pytest.mark.parametrize(
    "drawing",
    [
        pytest.param(_tree(7, 10), id="tens"),
        pytest.param(_tree(13, 2, "href=#{}"), id="twos"),
        pytest.param(_tree(7, 10, "title='>' HREF='&#35;{}'"), id="spelled otherwise"),
        pytest.param(
            "<svg><g id=a>" + "<i/>" * 400 + "</g>" + "<use href='#a'/>" * 400 + "</svg>", id="one large part"
        ),
    ],
)
def test_what_would_fill_all_memory_is_drawn_once(drawing: str) -> None:
    with report.collected() as said:
        made = without_repeats(drawing)
    assert "<use" not in made
    assert made == drawing.replace("<use", "<g").replace("</use", "</g")
    assert len(said) == 1


@pytest.mark.parametrize(
    "drawing",
    [
        pytest.param("<svg><symbol id=a><path/></symbol>" + "<use href='#a'/>" * 5_000 + "</svg>", id="a map's signs"),
        pytest.param("<p>x" * 120_000 + _tree(2, 3), id="a long document"),
        pytest.param("<svg><g id=a><use href='#b'/></g><g id=b><use href='#a'/></g></svg>", id="a circle"),
    ],
)
def test_drawings_of_people_stay(drawing: str) -> None:
    with report.collected() as said:
        assert without_repeats(drawing) is drawing
    assert not said


@pytest.mark.parametrize("inlined", [False, True])
def test_pictures_too(inlined: bool) -> None:
    content = _tree(7, 10).encode()
    made = _inlined(content) if inlined else drawable(content, "image/svg+xml")
    assert made is not None
    assert b"<use" not in made
    assert kind_of(made) == "image/svg+xml"


def _inlined(content: bytes) -> bytes:
    text = Pixels().inline(f"<img src='data:image/svg+xml;base64,{base64.b64encode(content).decode()}'>")
    return base64.b64decode(text.partition("base64,")[2].removesuffix("'>"))
