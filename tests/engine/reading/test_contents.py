"""Tables of contents and listings with numbered lines: lines of text and of code, and no tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from paperchute.engine.reading.layout.contents import is_entry
from paperchute.engine.reading.layout.lines import rows, segments
from paperchute.engine.reading.layout.listings import numbered_listings
from paperchute.engine.reading.layout.marks import Font, Word
from paperchute.engine.reading.layout.paragraphs import paragraphs
from tests.engine.reading.candidates import found_by

ROMAN, BOLD, MONO = Font("serif"), Font("serif", bold=True), Font("mono", mono=True)

Row = tuple[Font, str, str, str]


def words(text: str, left: float, y: float, font: Font, size: float = 10) -> list[Word]:
    """A text in words of half their size a letter."""
    found = []
    for part in text.split():
        right = left + len(part) * size / 2
        found.append(Word(part, left, y - size, right, y + 2, y, size, font))
        left = right + size / 4
    return found


def page(entries: Sequence[Row]) -> list[Word]:
    """Rows of number, title and page number."""
    return [
        word
        for n, (font, number, title, leaf) in enumerate(entries)
        for text, left in ((number, 50), (title, 80), (leaf, 400))
        for word in words(text, left, 100 + 14 * n, font)
    ]


NESTED = [
    (ROMAN, "1", "Scope of the survey", "1"),
    (ROMAN, "1.1", "Quays", "1"),
    (ROMAN, "1.2", "Harbours of the north", "3"),
    (ROMAN, "2", "Costs", "4"),
    (ROMAN, "2.1", "Timber", "4"),
]
FLAT = [(BOLD, str(n), f"The {title}", str(2 * n)) for n, title in enumerate(("quays", "harbours", "costs"), 1)]
ITEMS = [(ROMAN, str(n), f"The {title}", str(2 * n)) for n, title in enumerate(("quays", "harbours", "costs"), 1)]


@pytest.mark.parametrize(
    ("entries", "tables"),
    [
        (NESTED, 0),
        (FLAT, 0),
        (ITEMS, 1),  # a list of items with their quantities looks the same but for its type
        ([(ROMAN, "No", "Item", "Pieces"), *NESTED], 1),
        ([(font, number, title, str(9 - n)) for n, (font, number, title, _) in enumerate(NESTED)], 1),
        ([(font, f"{n * 7}.{n}", title, leaf) for n, (font, _, title, leaf) in enumerate(NESTED)], 1),
    ],
    ids=["nested", "bold", "items", "with a head", "falling", "not counting"],
)
def test_a_table_of_contents_is_no_table(entries: list[Row], tables: int) -> None:
    found = page(entries)
    assert len(found_by("figures", found) or found_by("alignment", found)) == tables


@pytest.mark.parametrize(
    ("title", "gap", "leaf", "entry"),
    [
        ("1.1 Quays . . . . . .", 2, "3", True),
        ("Preface ...........", 2, "iv", True),
        ("2 Harbours", 200, "7", True),
        ("2 Harbours", 2, "7", False),
        ("Chapter", 200, "7", False),
        ("It was so ...", 2, "in", False),
    ],
)
def test_entries_end_in_a_page_number(title: str, gap: float, leaf: str, entry: bool) -> None:
    said = words(title, 50, 100, ROMAN)
    (line,) = rows(segments([*said, *words(leaf, said[-1].right + gap, 100, ROMAN)]))
    assert is_entry(line) is entry


def test_a_title_of_two_lines_is_one() -> None:
    lead = " . . . . . ."
    said = [
        "Part One",
        f"Scope of the survey{lead} 1",
        "Of the older quays in the north and of",
        f"Slate roofs{lead} 9",
    ]
    lines = rows(segments([word for n, text in enumerate(said) for word in words(text, 50, 100 + 12 * n, ROMAN)]))
    first, second = paragraphs(lines)
    assert [line.text for line in second.lines] == said[2:]
    assert (first.hard, second.hard) == ({0}, set())
    (part,) = paragraphs(lines[:2])
    assert part.hard == {0}


def listing(numbers: Sequence[int], font: Font = MONO, size: float = 5) -> list[Word]:
    """Lines of code behind their numbers; the third line is empty."""
    return [
        word
        for n, number in enumerate(numbers)
        for word in (
            *words(str(number), 50, 100 + 12 * n, ROMAN, size),
            *(words("let it be", 60, 100 + 12 * n, font) if n != 2 else []),
        )
    ]


def test_numbered_lines_of_code_are_a_listing() -> None:
    found = listing([8, 9, 10, 11])
    (run,) = numbered_listings(segments(found))
    assert [word.text for line in run for word in line.words] == [word.text for word in found]


@pytest.mark.parametrize(
    "found",
    [listing([8, 10, 12, 14]), listing([1, 2]), listing([1, 2, 3, 4], ROMAN), listing([1, 2, 3, 4], size=10)],
    ids=["not counting", "few", "text", "large numbers"],
)
def test_what_only_looks_like_one_stays(found: list[Word]) -> None:
    assert numbered_listings(segments(found)) == []


def test_a_listing_goes_on_behind_text() -> None:
    text = words("This is said between.", 50, 148, ROMAN)
    code = listing([8, 9, 10, 11, 12, 13])
    below = [replace(word, top=word.top + 12, bottom=word.bottom + 12, baseline=word.baseline + 12) for word in code]
    found = [word for word in code if word.baseline < 148] + [word for word in below if word.baseline > 148]
    runs = numbered_listings(segments([*found, *text]))
    assert [[line.words[0].text for line in run] for run in runs] == [["8", "9", "10", "11"], ["12", "13"]]


def test_a_line_that_did_not_fit_stays_in_its_listing() -> None:
    code = listing([8, 9, 10, 11, 12])
    rest = words("or not", 60, 148, MONO)
    below = [replace(word, top=word.top + 12, bottom=word.bottom + 12, baseline=word.baseline + 12) for word in code]
    found = [word for word in code if word.baseline < 148] + [word for word in below if word.baseline > 148]
    (run,) = numbered_listings(segments([*found, *rest]))
    assert [line.words[0].text for line in run] == ["8", "9", "10", "11", "or", "12"]
    (ended,) = numbered_listings(segments([*(word for word in found if word.baseline < 148), *rest]))
    assert ended[-1].words[0].text == "or"
