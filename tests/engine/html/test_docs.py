"""What docs/templates.md shows is what comes out."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from paperchute.engine.html.templates import fill
from paperchute.engine.work import Refused
from paperchute.jobs import lists
from paperchute.rules.file import load
from tests.engine.html.test_values import listed

PAGE = (Path(__file__).parents[3] / "docs" / "templates.md").read_text("utf-8")
EXAMPLES = [
    re.sub(r"^    ", "", block, flags=re.MULTILINE) for block in re.findall(r"(?:^    .*\n)+", PAGE, re.MULTILINE)
]


def plain(text: str) -> str:
    """Without the no-break spaces of CLDR."""
    return text.replace("\u00a0", " ").replace("\u202f", " ")


def test_the_invoice_is_filled_as_shown() -> None:
    template, data = EXAMPLES[1:3]
    text = plain(re.sub(r"<[^>]*>", " ", fill(template, data)))
    for shown in ("Müller &amp; Söhne", "21. November 2026", "1.240", "9.796,00 €", "594,00 €", "Rabatt: 5 %"):
        assert shown in text


def test_the_rule_for_a_web_page_is_a_rule_as_it_stands(tmp_path: Path) -> None:
    path = tmp_path / "rules.toml"
    path.write_text(f"version = 1\n{EXAMPLES[3]}", "utf-8")
    found = load(path)
    assert found.warnings == ()
    assert found.rules[0].hosts == ("intranet.example",)


@pytest.mark.parametrize("row", re.findall(r"^\| `\{\{.*$", PAGE, re.MULTILINE))
def test_the_filters_write_what_the_table_says(row: str) -> None:
    example, english, german = (cell.strip() for cell in re.split(r"(?<!\\)\|", row.strip("|")))
    template = example.split("`")[1].replace("\\|", "|")
    for locale, shown in (("en", english), ("de", german)):
        first = plain(fill(template, f'{{"locale": "{locale}"}}'))
        assert shown.startswith(first)


@pytest.mark.parametrize("row", re.findall(r"^\| `1[.,]250.*$", PAGE, re.MULTILINE))
def test_lists_are_read_as_the_table_says(row: str) -> None:
    held, *shown = (cell.strip() for cell in row.strip("|").split("|"))
    cells = re.findall("`(.*?)`", held)
    for language, meaning in zip(('<html lang="de">', '<html lang="en-US">', ""), shown, strict=True):
        template = language + "{{ amount | float }}"
        if meaning.startswith("refused"):
            with pytest.raises(Refused):
                listed(template, cells)
        else:
            values = [float(listed(template, cells, place).removeprefix(language)) for place in range(len(cells))]
            assert values == [float(one) for one in meaning.split(" and ")]


def test_the_bounds_of_a_list_are_those_of_the_code() -> None:
    bounds = f"{lists.MOST_ROWS:,} rows, {lists.MOST_COLUMNS:,} columns and {lists.MOST_CELLS:,} cells in"
    assert f"{bounds} {lists.MOST_BYTES >> 20} MB" in PAGE
