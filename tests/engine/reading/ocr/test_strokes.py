"""Rules on pictures: found where they are pale, left out where letters look like them, and painted over."""

from __future__ import annotations

import numpy as np
import pytest

from paperchute.engine.document.geometry import Box
from paperchute.engine.reading.ocr.recognised import Pixels
from paperchute.engine.reading.ocr.strokes import drawn_on, without_rules

A_POINT = 2.0


def paper(grain: float = 0.0) -> Pixels:
    """A sheet of 300 x 200 points at 144 dpi."""
    noise = np.random.default_rng(3).normal(0, grain, (400, 600, 1)) if grain else 0.0
    return np.clip(np.full((400, 600, 3), 240.0) + noise, 0, 255).astype(np.uint8)


def inked(picture: Pixels, x: int, y: int, width: int, height: int, level: int = 30) -> None:
    grain = picture[y : y + height, x : x + width].astype(np.int16) - 240
    picture[y : y + height, x : x + width] = np.clip(level + grain, 0, 255).astype(np.uint8)


@pytest.mark.parametrize("grain", [0.0, 9.0])
def test_a_pale_rule_is_found_whole_where_letters_stand_close_to_it(grain: float) -> None:
    picture = paper(grain)
    inked(picture, 60, 200, 480, 1, 190)
    words = []
    for x in range(80, 500, 60):
        for stem in range(x, x + 30, 6):
            inked(picture, stem, 184, 2, 12)
        words.append(Box(x / A_POINT, 92, (x + 28) / A_POINT, 98))
    (rule,) = drawn_on(picture, A_POINT, words, 9.0).rules
    assert rule.horizontal
    assert not rule.edge
    assert abs(rule.x1 - 30) < 2.5
    assert abs(rule.x2 - 270) < 2.5
    assert abs(rule.y1 - 100.25) < 0.6


def test_rules_close_to_each_other_stay_two() -> None:
    picture = paper()
    inked(picture, 20, 200, 300, 1)
    inked(picture, 280, 203, 300, 1)
    rules = sorted(drawn_on(picture, A_POINT, [], 9.0).rules)
    assert [round(rule.x1) for rule in rules] == [10, 140]


def test_stems_of_letters_over_each_other_are_no_wall_and_do_not_lengthen_one() -> None:
    picture = paper()
    words = []
    for line in range(4):  # a word in each of four tight lines, an l over an l
        inked(picture, 100, 40 + 18 * line, 2, 16)
        words.append(Box(40, 20 + 9 * line, 60, 28.5 + 9 * line))
    inked(picture, 300, 100, 2, 160)
    inked(picture, 300, 82, 2, 16)  # the stem of a letter right above a wall
    words.append(Box(140, 40, 180, 49.5))
    (wall,) = drawn_on(picture, A_POINT, words, 9.0).rules
    assert not wall.horizontal
    assert wall.y1 >= 49.5
    assert abs(wall.y2 - 130) < 2.5


def test_what_is_measured_as_letters_has_no_walls_in_it() -> None:
    picture = paper()
    inked(picture, 100, 20, 2, 360)
    inked(picture, 110, 200, 3, 20)
    line = np.array([[95, 195], [160, 195], [160, 225], [95, 225]], np.float32)
    bare = without_rules(picture, [line])
    assert bare[:, 95:108].min() > 200
    assert np.array_equal(bare[200:220, 110:113], picture[200:220, 110:113])
    assert picture[200, 100, 0] == 30  # the picture itself stays


def test_a_picture_without_rules_is_not_copied() -> None:
    picture = paper()
    inked(picture, 110, 200, 3, 20)
    assert without_rules(picture, [np.array([[95, 195], [160, 195], [160, 225], [95, 225]], np.float32)]) is picture
    assert without_rules(picture, []) is picture
