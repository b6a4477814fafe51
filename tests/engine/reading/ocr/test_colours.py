"""Colours of recognised words, and what is left behind text that flows."""

from __future__ import annotations

import io
from collections.abc import Sequence

import numpy as np
import PIL.Image
import PIL.ImageDraw
import PIL.ImageFont
import pytest

from paperchute.engine.document.geometry import Box
from paperchute.engine.document.model import Image
from paperchute.engine.reading.layout.marks import Font, Ground, Word
from paperchute.engine.reading.ocr.colours import add_inks
from paperchute.engine.reading.ocr.figures import Figures
from paperchute.engine.reading.ocr.recognised import pixels
from tests.engine.reading.ocr.scanning import noisy

A_POINT = 150 / 72
_FONT = PIL.ImageFont.load_default(30)
_PLACES = {"title": 80, "plain": 150, "bar": 220}


def _page(bar: str = "#1f3864", on_bar: str = "white", panel: str = "white") -> PIL.Image.Image:
    page = PIL.Image.new("RGB", (1000, 1400), "white")
    draw = PIL.ImageDraw.Draw(page)
    draw.rectangle((80, 210, 900, 270), bar)
    draw.rectangle((200, 600, 600, 1000), panel)
    for (name, top), color in zip(_PLACES.items(), ("#c00000", "black", on_bar), strict=True):
        draw.text((100, top), name * 2, color, _FONT)
    return page


def _word(text: str, box: Box) -> Word:
    return Word(text, box.left, box.top, box.right, box.bottom, box.bottom, 14.0, Font())


def _words() -> dict[str, Word]:
    """The words at their ink, as recognition places them."""
    draw = PIL.ImageDraw.Draw(PIL.Image.new("L", (1, 1)))
    found = {}
    for name, top in _PLACES.items():
        left, high, right, low = (value / A_POINT for value in draw.textbbox((100, top), name * 2, font=_FONT))
        found[name] = _word(name * 2, Box(left, high, right, low))
    return found


def _inks(picture: PIL.Image.Image) -> tuple[dict[str, tuple[str, str]], list[Ground]]:
    page = pixels(np.asarray(picture))
    words = _words()
    grounds = add_inks(page, A_POINT, list(words.values()))
    return {name: (w.ink.color, w.ink.ground) if w.ink else ("", "") for name, w in words.items()}, grounds


def _near(one: str, other: str, by: int = 24) -> bool:
    a, b = ([int(color[place : place + 2], 16) for place in (1, 3, 5)] for color in (one, other))
    return all(abs(x - y) <= by for x, y in zip(a, b, strict=True))


@pytest.mark.parametrize("spoilt", [False, True])
def test_words_have_the_colours_that_they_are_printed_in(spoilt: bool) -> None:
    picture = _page()
    inks, (ground,) = _inks(noisy(picture, 6.0) if spoilt else picture)
    assert inks["plain"] == ("", "")
    color, behind = inks["title"]
    assert behind == ""
    assert _near(color, "#c00000", 40)
    color, behind = inks["bar"]
    assert _near(color, "#ffffff", 40)
    assert _near(behind, "#1f3864", 60 if spoilt else 24)
    assert ground.color == behind
    assert ground.box.height == pytest.approx(60 / A_POINT, abs=3)


def test_paper_in_shadow_is_no_ground() -> None:
    picture = noisy(_page(bar="white", on_bar="black"), 6.0)
    inks, grounds = _inks(picture)
    assert not grounds
    assert inks["plain"] == inks["bar"] == ("", "")


def _behind(picture: PIL.Image.Image, grounds: Sequence[Ground] = ()) -> Image | None:
    page = pixels(np.asarray(picture))
    words = [word.box for word in _words().values()]
    return Figures(page, A_POINT, words, []).background([], grounds)


def test_no_bar_stays_behind_text_that_flows() -> None:
    assert _behind(_page()) is None
    assert _behind(_page(bar="white", on_bar="black", panel="#e8d8f0")) is None


def test_what_is_printed_all_over_a_page_stays_behind_its_text() -> None:
    page = _page(bar="#101010")
    PIL.ImageDraw.Draw(page).rectangle((0, 0, 1000, 60), "#d8e4f8")
    image = _behind(page)
    assert image is not None
    with PIL.Image.open(io.BytesIO(image.data)) as opened:
        kept = np.asarray(opened.convert("RGB"), np.int32)
    assert (kept[5:50, 100:400, 2] - kept[5:50, 100:400, 0]).mean() > 15  # the band
    assert kept.min() > 150  # and not the bar, on which nothing could be read


def test_a_large_picture_is_cut_out_however_slowly_it_changes() -> None:
    page = np.full((1650, 1200, 3), 250, np.uint8)
    down = np.linspace(60, 140, 1000).astype(np.uint8)
    page[200:1200, 500:1100] = np.stack([down // 4, down // 2, down + 100], axis=-1)[:, None]
    (box,) = Figures(page, A_POINT, [Box(20, 20, 80, 32)], []).boxes()
    assert box.left == pytest.approx(500 / A_POINT, abs=4)
    assert box.bottom == pytest.approx(1200 / A_POINT, abs=4)


def test_thick_letters_in_a_tight_box_are_no_ground_of_their_own() -> None:
    picture = PIL.Image.new("RGB", (400, 200), "white")
    PIL.ImageDraw.Draw(picture).rectangle((100, 80, 220, 110), "#202080")
    picture.paste("white", (104, 88, 216, 92))  # what Otsu's level takes for letters
    places = {"Feedstuffs": (102, 82, 218, 108), "surveyed": (250, 82, 350, 108), "harbours": (250, 122, 350, 148)}
    words = [
        _word(text, Box(left / A_POINT, top / A_POINT, right / A_POINT, bottom / A_POINT))
        for text, (left, top, right, bottom) in places.items()
    ]
    assert add_inks(pixels(np.asarray(picture)), A_POINT, words) == []
