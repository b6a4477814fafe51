"""Names come from outside and may hold anything."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from paperchute.desktop.wording import printable, shortened

names = st.text(st.characters(codec=None), max_size=200)


@given(names)
def test_a_file_name_steers_the_terminal(name: str) -> None:
    shown = printable(name)
    assert len(shown) == len(name)
    assert not any(unicodedata.category(mark) in ("Cc", "Cs", "Zl", "Zp") for mark in shown)


def test_a_file_name_pretends_to_be_another_kind_of_file() -> None:
    assert printable("invoice\u202efdp.exe") == "invoice\ufffdfdp.exe"


def test_names_in_scripts_with_joiners_are_mangled() -> None:
    assert printable("می‌خواهم 👩‍🔬 契約書 (改).pdf") == "می‌خواهم 👩‍🔬 契約書 (改).pdf"


@given(names.map(printable), st.integers(0, 80))
def test_a_wide_name_breaks_the_layout(name: str, width: int) -> None:
    assert cell_len(shortened(name, width)) <= width


def test_a_long_name_loses_its_number_and_suffix() -> None:
    name = "A very long report on everything that happened last year, part 17.pdf"
    assert shortened(name, 30).endswith("part 17.pdf")
    assert shortened(name, 30).startswith("A very long")


def test_a_short_name_is_shortened() -> None:
    assert shortened("a.pdf", 5) == "a.pdf"
