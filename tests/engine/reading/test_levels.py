"""What looks like a heading and is none takes no level away from those that are."""

from __future__ import annotations

from pathlib import Path

import pikepdf

from paperchute.engine.reading.layout.figures import labels_of_figures
from paperchute.engine.reading.layout.lines import segments
from paperchute.engine.reading.layout.marks import Font, PageMarks, Word
from paperchute.engine.reading.layout.survey import Survey
from tests.engine.reading.printing import blocks
from tests.engine.reading.sheets import Said, written

TEXT = [
    "The quick survey of the northern harbours showed that most of",
    "the older quays had been rebuilt in brick and stone.",
]
TITLE = [Said("Quays of timber and of brick in the", 72, 100, 20, "B"), Said("northern harbours", 72, 124, 20, "B")]
LEVELS = [
    (1, "Quays of timber and of brick in the northern harbours"),
    (2, "Introduction"),
    (2, "Results"),
    (2, "Discussion"),
]


def headings(path: Path) -> list[tuple[int, str]]:
    """Level and text of each heading."""
    return [(block.level, " ".join(line.text for line in block.lines)) for block in blocks(path) if block.level]


def paper(path: Path, head: list[Said], running: list[Said] | None = None, down: int = 170) -> Path:
    """Three pages with a section each, a head over the first and running heads over all."""
    pages = []
    for number, (_, title) in enumerate(LEVELS[1:]):
        top = down if number == 0 else 120
        lines = [*(head if number == 0 else []), *(running or []), Said(title, 72, top, 12, "B")]
        pages.append(lines + [Said(line, 72, top + 20 + 12 * n, 10) for n, line in enumerate(TEXT * 6)])
    return written(path, pages)


def test_a_journals_name_above_the_title_has_no_level(tmp_path: Path) -> None:
    assert headings(paper(tmp_path / "a.pdf", [Said("Harbour Bulletin", 72, 70, 15, "B"), *TITLE])) == LEVELS


def test_a_running_head_has_no_level(tmp_path: Path) -> None:
    running = [Said("Harbours", 72, 40, 16)]
    assert headings(paper(tmp_path / "a.pdf", TITLE, running)) == LEVELS


def test_a_title_over_each_page_of_a_document_without_another_keeps_its_level(tmp_path: Path) -> None:
    found = headings(paper(tmp_path / "a.pdf", [], [Said("Harbours", 72, 40, 16)]))
    assert found == [heading for _, title in LEVELS[1:] for heading in ((1, "Harbours"), (2, title))]


def test_an_outline_that_begins_with_a_title_of_two_lines_is_not_put_under_it(tmp_path: Path) -> None:
    path = paper(tmp_path / "a.pdf", TITLE)
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        with pdf.open_outline() as outline:
            outline.root.append(pikepdf.OutlineItem(LEVELS[0][1], 0))
            outline.root[0].children += [pikepdf.OutlineItem(text, n) for n, (_, text) in enumerate(LEVELS[1:])]
        pdf.save(path)
    assert headings(path) == LEVELS


def test_letters_of_a_picture_have_no_level() -> None:
    def words(text: str, down: float, size: float, confidence: float = 1.0) -> list[Word]:
        places = [(72 + 6 * size * n, word) for n, word in enumerate(text.split())]
        return [
            Word(word, left, down, left + 5 * size, down + size, down + size, size, Font("F"), confidence=confidence)
            for left, word in places
        ]

    found = words("Costs", 80, 16) + words("b", 240, 26, 0.9) + words("ab", 280, 18, 0.9)
    found += [word for n in range(9) for word in words(TEXT[n % 2], 110 + 12 * n, 10)]
    marks = PageMarks(1, 595, 842, words=found, has_insets=True)
    lines = segments(found)
    survey = Survey()
    survey.add(1, 842, lines, labels_of_figures(lines, marks))
    assert {one.face.size: level for one, level in survey.norms().levels.items()} == {16.0: 1}
