"""Sizes and page counts as people write them."""

from __future__ import annotations

import pytest

from paperchute.rules.values import ranges, size, size_text, within


@pytest.mark.parametrize(
    ("text", "count"),
    [("10 MB", 10_000_000), ("500kB", 500_000), ("1.5 GiB", 1_610_612_736), ("7", 7), (0, 0), (12, 12), ("3 b", 3)],
)
def test_sizes(text: object, count: int) -> None:
    assert size(text) == count


@pytest.mark.parametrize("wrong", ["", "MB", "-1", -1, True, "1,5 MB", "10 XB", None, "1e3", "9" * 40, 1.5])
def test_what_is_no_size(wrong: object) -> None:
    with pytest.raises(ValueError, match="10 MB"):
        size(wrong)


def test_sizes_for_people() -> None:
    assert [size_text(n) for n in (12, 2000, 12_345_678, 3 * 10**9)] == ["12 bytes", "2 kB", "12.3 MB", "3 GB"]


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
