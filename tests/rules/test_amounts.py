"""Page counts as people write them."""

from __future__ import annotations

import pytest

from paperchute.rules.values import ranges, within


@pytest.mark.parametrize(
    ("text", "yes", "no"),
    [
        ("1", [1], [0, 2]),
        ("1-3", [1, 3], [4]),
        (">=2", [2, 900], [1]),
        (">2", [3], [2]),
        ("<10", [1, 9], [10, 0]),
        ("<=3", [1, 3], [4]),
        ("1, 4-6 ,>100", [1, 5, 101], [2, 7, 100]),
    ],
)
def test_page_counts(text: str, yes: list[int], no: list[int]) -> None:
    assert all(within(number, ranges(text)) for number in yes)
    assert not any(within(number, ranges(text)) for number in no)


@pytest.mark.parametrize("wrong", ["", "0", "3-1", "a", "<1", "<=0", ">=", "1;2", "1-2-3", "٣-x"])
def test_what_is_no_page_count(wrong: str) -> None:
    with pytest.raises(ValueError, match="number of pages"):
        ranges(wrong)
