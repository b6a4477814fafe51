"""What people open and choose on a screen, on paper."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperchute.engine.html.controls import on_paper
from tests.engine.html.pages import rendered
from tests.engine.operations.papers import words

_SOUP = ("<details", "<select>", "<option selected>", "</select>", "<input type=password value=a>", "\n", ">", "é")


@pytest.mark.parametrize(
    ("html", "shown"),
    [
        ("<details><div>brick</div></details>", "brick"),
        ("<details><summary>Quays</summary>\n<p>brick</p></details>", "Quays brick"),
        ("<select><option>brick<option selected>timber</select>", "timber"),
        ("<p>a\n<select><option selected>brick</option><option selected>timber</option></select>", "a timber"),
        ("<select><option>brick<option>timber</select>", "brick"),
        ("<select><option style='color:red'>brick<option selected>timber", "timber"),
        ("<input type=password value=secret>", "••••••••"),
        ("<input type=text value=brick>", "brick"),
    ],
)
def test_paper_shows_what_is_open_and_chosen(html: str, shown: str, tmp_path: Path) -> None:
    found = " ".join(words(rendered(tmp_path, html))).replace("▾", "").replace("▸", "")
    assert " ".join(found.split()) == shown


def test_the_chosen_of_several_stay_all() -> None:
    html = "<select multiple><option>brick<option selected>timber</select>"
    assert on_paper(html) == html


@given(
    st.lists(
        st.sampled_from(
            ["<details", "<select>", "<option selected>", "</select>", "<input type=password value=a>", "\n", ">", "é"]
        )
    )
)
def test_any_soup_is_only_added_to(pieces: list[str]) -> None:
    left = iter(on_paper("".join(pieces)))
    assert all(letter in left for letter in "".join(pieces))
