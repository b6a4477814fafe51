"""Words painted over in a page's picture."""

from __future__ import annotations

import io

import numpy as np
from PIL import Image as Pillow

from paperchute.engine.document.geometry import Box
from paperchute.engine.document.model import Image
from paperchute.engine.imaging.planes import without_words
from tests.engine.imaging.pages import clean_page


def stored(picture: Pillow.Image) -> Image:
    buffer = io.BytesIO()
    picture.save(buffer, "png")
    return Image(buffer.getvalue(), "png", picture.width, picture.height)


def test_words_go_and_the_rest_stays() -> None:
    page = clean_page()
    page.paste((200, 30, 40), (500, 700, 560, 760))
    lines = [Box(25, row / 2, 300, row / 2 + 9) for row in range(60, 600, 22)]
    found = without_words(stored(page), Box(0, 0, page.width / 2, page.height / 2), lines)
    result = np.asarray(Pillow.open(io.BytesIO(found.data)).convert("RGB"))
    assert result[60:590].min() > 200
    assert result[640:800, :490].min() < 100
    assert abs(int(result[730, 530, 0]) - 200) < 20


def test_a_picture_without_words_is_the_same() -> None:
    plain = stored(Pillow.new("RGB", (200, 300), (240, 230, 210)))
    assert without_words(plain, Box(0, 0, 100, 150), [Box(10, 10, 90, 20)]) is plain


def test_what_cannot_be_decoded_is_the_same() -> None:
    broken = Image(b"\xff\xd8nonsense", "jpg", 10, 10)
    assert without_words(broken, Box(0, 0, 10, 10), [Box(1, 1, 9, 3)]) is broken
