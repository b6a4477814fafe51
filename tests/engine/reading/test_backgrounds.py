"""Pictures behind the text of a page, in one piece or cut into strips."""

from __future__ import annotations

import pytest

from paperchute.engine.document.geometry import Box
from paperchute.engine.reading.layout.backgrounds import is_background
from paperchute.engine.reading.layout.marks import Font, PageMarks, Picture, Word

_WORD = Word("Harbour", 72, 100, 120, 110, 108, 10, Font())


def _page(*boxes: Box, words: bool = True) -> list[bool]:
    """Which of the pictures at these places are the background of a page."""
    pictures = [Picture(box, key) for key, box in enumerate(boxes)]
    marks = PageMarks(1, 600, 900, words=[_WORD] if words else [], pictures=pictures)
    return [is_background(picture, marks) for picture in pictures]


def _strips(count: int, gap: float = 0.0, left: float = 0.0, right: float = 600.0) -> list[Box]:
    height = 900 / count
    return [Box(left, n * height, right, (n + 1) * height - gap) for n in range(count)]


def test_a_picture_over_the_page_and_its_strips_are_background() -> None:
    assert _page(Box(0, 0, 600, 900)) == [True]
    assert _page(*_strips(9)) == [True] * 9
    assert _page(*reversed(_strips(9)), Box(100, 100, 300, 300)) == [True] * 9 + [False]


@pytest.mark.parametrize("strips", [_strips(9, gap=12.0), _strips(9, right=300.0), _strips(9)[:5]])
def test_pictures_that_only_stand_one_under_the_other_are_none(strips: list[Box]) -> None:
    assert not any(_page(*strips))


def test_a_page_without_text_is_its_pictures() -> None:
    assert _page(*_strips(3), words=False) == [False] * 3
