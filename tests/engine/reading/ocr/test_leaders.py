"""Leaders: the amount behind a row of dots is read as it stands, and the dots are words of their own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from paperchute.engine.reading.ocr.leaders import leaders_of, may_be_led, without_leaders
from paperchute.engine.reading.ocr.options import AUTO
from paperchute.engine.reading.ocr.page import see
from tests.engine.reading.ocr.scanning import scanned

_AMOUNTS = [
    "616.02",
    "9,919",
    "73.5%",
    "-118.67",
    "(898.57)",
    "7.27",
    "1,250.00",
    "4580.00",
    "0.15",
    "11.02",
    "9.36",
    "81",
]


@pytest.mark.parametrize("dot", [".", ". ", "…"])
def test_amounts_behind_leaders_are_read(tmp_path: Path, dot: str) -> None:
    rows = "".join(
        f"<tr><td>Harbour dues</td><td style='text-align:right'>{dot * (4 + n % 9)}{amount}</td></tr>"
        for n, amount in enumerate(_AMOUNTS)
    )
    page = scanned(tmp_path, f"<table style='width:60%;font:11pt serif'>{rows}</table>")
    words = [word.text for word in see(np.asarray(page.crop((0, 0, page.width, page.height // 3))), AUTO, 150.0).words]
    assert [word for word in words if any(map(str.isdecimal, word))] == _AMOUNTS
    assert any(set(word) == {"."} and len(word) > 3 for word in words)


def _dots(*places: int, digit: int | None = 160) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    ink = np.zeros((32, 220), np.bool_)
    for x in places:
        ink[22:25, x : x + 3] = True
    if digit is not None:
        ink[5:25, digit : digit + 11] = True
    return ink


def test_rows_of_dots_are_leaders() -> None:
    (leader,) = leaders_of(_dots(*range(20, 140, 10)), "dues............8")
    assert (leader.left, leader.right, leader.dots) == (20, 133, 12)


def test_omissions_and_points_are_none() -> None:
    assert leaders_of(_dots(100, 110, 120), "and...8") == []
    assert leaders_of(_dots(150), ".8") == []


def test_the_point_of_an_amount_behind_a_space_is_its_own() -> None:
    (leader,) = leaders_of(_dots(*range(20, 100, 10), 150), "........ .8")
    assert (leader.right, leader.dots) == (93, 8)


def test_what_the_edge_has_left_of_a_leader_is_one_before_a_figure() -> None:
    assert [leader.dots for leader in leaders_of(_dots(0, 10), ".375.60")] == [2]
    assert leaders_of(_dots(0, 10), "..and so on") == []


@pytest.mark.parametrize(("text", "dots"), [(".1,250.00", [1]), (".-8", [1]), (".€ 8", [1]), (".50", []), (".and", [])])
def test_a_lone_dot_before_a_figure_with_a_point_is_the_last_of_a_leader(text: str, dots: list[int]) -> None:
    assert [leader.dots for leader in leaders_of(_dots(10), text)] == dots


def test_letters_of_dots_are_no_leaders() -> None:
    ink = _dots(*range(20, 140, 10), digit=None)
    for y in range(4, 20, 5):
        ink[y : y + 3, 20:140:10] = ink[y : y + 3, 21:140:10] = True
    assert leaders_of(ink, "a............") == []


def test_leaders_are_painted_over_alone() -> None:
    ink = _dots(*range(20, 140, 10))
    picture = np.where(ink[..., None], 0, 230).astype(np.uint8).repeat(3, axis=2)
    bare = without_leaders(picture, leaders_of(ink, "............8"))
    assert (bare[:, :140] == 230).all()
    assert (bare[:, 150:] == picture[:, 150:]).all()


@pytest.mark.parametrize(
    ("text", "expected"), [("dues.....8", True), (".8", True), ("......", False), ("12.50", False)]
)
def test_what_was_read_tells_where_leaders_may_be(text: str, expected: bool) -> None:
    assert may_be_led(text) is expected
