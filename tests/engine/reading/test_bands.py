"""Words in bands: the same ones whether words are looked at one by one, or as many as stand level at once."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from paperchute.engine.reading.layout.marks import Font, Word
from paperchute.engine.reading.layout.tables.bands import BANDS, Band, bands_of
from paperchute.engine.reading.layout.tables.evidence import TableWords
from paperchute.engine.reading.layout.typography import TYPOGRAPHY

_Look = tuple[str, int, int, float]


def word(look: _Look) -> Word:
    text, left, baseline, size = look
    return Word(text, left, baseline - size, left + 5, baseline + 2, baseline, size, Font())


looks = st.lists(
    st.tuples(
        st.sampled_from(["Sum", "$", "12", "(3", ")", "-", "4±", "...", "1.5"]),
        st.integers(0, 60),
        st.integers(100, 130),
        st.sampled_from([6.0, 10.0, 12.0]),
    ),
    max_size=40,
).map(lambda found: [word(look) for look in found])


def one_by_one(words: Sequence[Word]) -> list[list[Word]]:
    """The words of each band, taken from top to bottom."""
    result: list[list[Word]] = []
    for own in sorted(words, key=lambda word: word.baseline - BANDS.x_height * word.size):
        top = own.baseline - BANDS.x_height * own.size
        if result and top < max(word.baseline for word in result[-1]) - TYPOGRAPHY.hardly * own.size:
            result[-1].append(own)
        else:
            result.append([own])
    return result


def said(bands: Sequence[Band]) -> list[tuple[float, float, float, list[int]]]:
    return [(band.top, band.bottom, band.size, list(map(id, band.ordered))) for band in bands]


@given(looks)
def test_level_words_make_the_bands_that_they_make_one_by_one(words: list[Word]) -> None:
    bands = bands_of(words)
    assert [list(map(id, band.words)) for band in bands] == [list(map(id, own)) for own in one_by_one(words)]
    assert [band.size for band in bands] == [max(word.size for word in band.words) for band in bands]


@given(looks)
def test_what_is_asked_once_is_what_is_asked_anew(words: list[Word]) -> None:
    asked = TableWords(words)
    taken = {id(word) for word in words[::3]}
    assert said(asked.bands) == said(bands_of(words))
    assert said(asked.without(taken).bands) == said(bands_of(word for word in words if id(word) not in taken))
    left_out = {id(word) for word in asked.figures.leaders}
    kept = [word for band in asked.figures.bands for word in band.words]
    printed = [part for word in kept for part in asked.figures.parts.get(id(word), [word])]
    assert {id(word) for word in printed} | left_out == {id(word) for word in words}
