"""Names come from outside and may hold anything."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from paperchute.desktop.lines import line_of, shortened
from paperchute.redaction import clean

names = st.text(st.characters(codec=None), max_size=200)


@given(names.map(clean), st.integers(0, 80))
def test_a_wide_name_breaks_the_layout(name: str, width: int) -> None:
    assert cell_len(shortened(name, width)) <= width
    assert cell_len(line_of(f"{name}: {name}", width + 1)) <= width + 1


def test_a_long_name_loses_its_number_and_suffix() -> None:
    name = "A very long report on everything that happened last year, part 17.pdf"
    assert shortened(name, 30).endswith("part 17.pdf")
    assert shortened(name, 30).startswith("A very long")


def test_a_short_name_is_shortened() -> None:
    assert shortened("a.pdf", 5) == "a.pdf"
