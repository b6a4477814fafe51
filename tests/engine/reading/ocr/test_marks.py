"""Words that recognition gives row by row, parted at gutters."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from paperchute.engine.reading.layout.lines import segments
from paperchute.engine.reading.layout.marks import Font, Word
from paperchute.engine.reading.ocr.marks import in_columns

SIZE = 10.0


def word(text: str, left: float, right: float, baseline: float) -> Word:
    return Word(text, left, baseline - 7.8, right, baseline + 2.2, baseline, SIZE, Font())


def page(rows: int, gap: float) -> list[Word]:
    """Rows straight across two columns of justified text."""
    found = []
    for row in range(rows):
        y = 50.0 + 12 * row
        inner = 3.0 + row * 37 % 40  # where a word ends differs from line to line
        for column, left in (("a", 50.0), ("b", 150.0 + gap)):
            found.append(word(f"{column}{row}", left, left + 40 + inner, y))
            found.append(word(f"{column}{row}x", left + 44 + inner, left + 100, y))
    return found


def test_lines_do_not_go_on_over_a_narrow_gutter() -> None:
    words = page(8, 0.9 * SIZE)
    assert max(len(line.words) for line in segments(words)) == 4  # as wide as in justified text
    assert {len(line.words) for line in segments(in_columns(words))} == {2}


def test_a_few_lines_make_no_gutter() -> None:
    words = page(4, 0.9 * SIZE)
    assert in_columns(words) == words


def test_a_line_across_ends_a_gutter() -> None:
    words = page(16, 0.9 * SIZE)
    wide = word("heading", 60, 240, 50.0 + 12 * 16)
    below = [word(f"c{n}", 50, 140, 280.0 + 12 * n) for n in range(3)]
    ordered = in_columns([*words, wide, *below])
    assert [w.text for w in ordered if w.text[0] in "ch"] == ["heading", "c0", "c1", "c2"]
    assert ordered.index(wide) < next(n for n, w in enumerate(ordered) if w.text == "b0")


def test_words_on_one_row_of_a_column_have_one_baseline() -> None:
    words = [word("aa", 50, 70, 100), word("bb", 90, 120, 100.9), word("cc", 150, 160, 99.4), word("dd", 50, 70, 112)]
    assert [w.baseline for w in in_columns(words)] == [100, 100, 100, 112]
    assert {round(w.bottom - w.baseline, 6) for w in words} == {2.2}  # the whole word moves


@given(st.lists(st.tuples(st.integers(0, 300), st.integers(1, 90), st.integers(0, 40)), max_size=60))
def test_no_word_is_lost(places: list[tuple[int, int, int]]) -> None:
    words = [word(str(n), x, x + w, 20 + 6.0 * y) for n, (x, w, y) in enumerate(places)]
    assert sorted(map(id, in_columns(words))) == sorted(map(id, words))
