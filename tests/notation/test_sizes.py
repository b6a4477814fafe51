"""Sizes as people write them."""

from __future__ import annotations

import pytest

from paperchute.notation.sizes import format_size, parse_size


@pytest.mark.parametrize(
    ("text", "count"),
    [("10 MB", 10_000_000), ("500kB", 500_000), ("1.5 GiB", 1_610_612_736), ("7", 7), (0, 0), (12, 12), ("3 b", 3)],
)
def test_sizes(text: object, count: int) -> None:
    assert parse_size(text) == count


@pytest.mark.parametrize("wrong", ["", "MB", "-1", -1, True, "1,5 MB", "10 XB", None, "1e3", "9" * 40, 1.5])
def test_what_is_no_size(wrong: object) -> None:
    with pytest.raises(ValueError, match="10 MB"):
        parse_size(wrong)


def test_sizes_for_people() -> None:
    assert [format_size(n) for n in (12, 2000, 12_345_678, 3 * 10**9)] == ["12 bytes", "2 kB", "12.3 MB", "3 GB"]
