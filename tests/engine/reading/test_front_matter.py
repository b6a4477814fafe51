"""A paper's title among what journals print around it: their name, the kind of article, the authors."""

from __future__ import annotations

from pathlib import Path

import pytest

from paperchute.engine.document.geometry import Box
from paperchute.engine.reading.layout.front_matter import FrontLine, FrontMatter
from paperchute.engine.reading.layout.levels import Face, HeadingClass
from paperchute.engine.reading.layout.lines import segments
from paperchute.engine.reading.layout.marks import Font, PageMarks, Word
from paperchute.engine.reading.layout.page import PageLayout
from paperchute.engine.reading.layout.phrases import is_names
from paperchute.engine.reading.layout.survey import Survey
from tests.engine.reading.printing import blocks
from tests.engine.reading.sheets import Said, written

TEXT = [
    "The quick survey of the northern harbours showed that most of",
    "the older quays had been rebuilt in brick and stone.",
]
BODY = Face(10, False)


def titles(path: Path) -> list[str]:
    """The text of each heading."""
    return [" ".join(line.text for line in block.lines) for block in blocks(path) if block.level]


def article(path: Path, head: list[Said], down: int) -> Path:
    """Two pages: a head, an abstract from `down` on, text."""
    first = [*head, Said("Abstract", 72, down, 12, "B")]
    first += [Said(line, 72, down + 20 + 12 * n, 10) for n, line in enumerate(TEXT * 6)]
    second = [Said(line, 72, 90 + 12 * n, 10) for n, line in enumerate(TEXT * 9)]
    return written(path, [first, second])


def front(*lines: tuple[float, float, str]) -> Face | None:
    """The face of the title, of lines by top, size and text."""
    seen = [
        FrontLine(Box(72, top, 400, top + size), HeadingClass(Face(size, False), ""), len(text), False)
        for top, size, text in lines
    ]
    return FrontMatter.of(1, seen, BODY, {line.face for line in seen} - {BODY}).title


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Ada M. Lovelace1,2*, Alan Turing3 and Grace B. Hopper1†", 3),
        ("Federico Luvi1 · Awad Sham2 · Marieke L. W. Rutgers", 3),
        ("Hanne van der Berg, Miguel dos Santos", 2),
        ("Results and Discussion", 0),
        ("Deep Learning, Neural Networks and things that learn", 0),
        ("Timber, Brick and Stone", 0),
        ("Ada Lovelace", 1),
    ],
)
def test_names_of_persons(text: str, names: int) -> None:
    assert is_names(text, max(names, 1)) == bool(names)
    assert not is_names(text, names + 1)


def test_the_kind_of_article_and_bold_authors_are_no_headings(tmp_path: Path) -> None:
    head = [
        Said("Research Article", 72, 70, 14, "B"),
        Said("Quays of timber and of brick", 72, 100, 20, "B"),
        Said("Takuma Hino, Jun Arita, Keiichi Asano", 72, 125, 12, "B"),
    ]
    assert titles(article(tmp_path / "a.pdf", head, 170)) == ["Quays of timber and of brick", "Abstract"]


def test_a_title_of_six_large_lines_is_whole(tmp_path: Path) -> None:
    lines = [
        "Repairing the older quays",
        "of the northern harbours",
        "with timber, brick, stone",
        "and iron: a protocol for",
    ]
    lines += ["a survey of all of them", "that takes forty winters"]
    head = [Said(line, 72, 80 + 26 * n, 22) for n, line in enumerate(lines)]
    assert titles(article(tmp_path / "a.pdf", head, 270)) == [" ".join(lines), "Abstract"]


def test_a_journals_name_is_no_title() -> None:
    title = "Ross River virus in mosquito blood meals"
    assert front((32, 20, "HARBOURS"), (110, 18, title), (160, 10, "x" * 70)) == Face(18, False)
    assert front((90, 20, "HARBOURS"), (130, 18, title), (160, 10, "x" * 70)) == Face(20, False)  # below a margin
    assert front((32, 20, "HARBOURS"), (110, 12, title), (160, 10, "x" * 70)) == Face(20, False)  # over a subtitle


def test_a_journals_name_is_none_either_where_the_title_looks_like_headings_of_the_text() -> None:
    tops = ((32, 20.0, "HARBOURS"), (110, 18.0, "Ross River virus in mosquito blood meals"), (209, 12.0, "Ann Berg"))
    seen = [
        FrontLine(Box(72, top, 400, top + size), HeadingClass(Face(size, False), ""), len(text), False)
        for top, size, text in (*tops, (260, 10.0, "x" * 70))
    ]
    assert FrontMatter.of(1, seen, BODY, {Face(20, False), Face(12, False)}).title is None


def _said(text: str, down: float, size: float, confidence: float) -> list[Word]:
    found = []
    left = 72.0
    for word in text.split():
        right = left + size * len(word) / 2
        found.append(Word(word, left, down, right, down + size, down + size, size, Font("F"), confidence=confidence))
        left = right + size / 3
    return found


@pytest.mark.parametrize(("own", "headings"), [(1.0, ["Costs"]), (0.9, ["Costs", "Sound waves"])])
def test_what_was_recognised_in_a_picture_heads_nothing(own: float, headings: list[str]) -> None:
    words = _said("Costs", 80, 16, own) + _said("Sound waves", 240, 16, 0.9)
    words += [word for n in range(9) for word in _said(TEXT[n % 2], 110 + 12 * n, 10, own)]
    words += [word for n in range(9) for word in _said(TEXT[n % 2], 270 + 12 * n, 10, own)]
    marks = PageMarks(1, 595, 842, words=words, has_insets=True)
    survey = Survey()
    survey.add(1, 842, segments(words))
    found = [item.block for item in PageLayout(survey.norms()).blocks(marks)]
    assert [" ".join(line.text for line in block.lines) for block in found if block.level] == headings


@pytest.mark.parametrize(
    ("above", "title"),
    [
        ([(40, "Received: 29 November 2020 | Revised: 12 January 2021 | Accepted: 13 January 2021")], Face(18, False)),
        ([(40, "Journal of Northern Harbours, 2021, 51(3) 371 to 378, advance access")], Face(18, False)),
        ([(40, TEXT[0]), (52, TEXT[1])], None),
    ],
)
def test_where_a_paper_was_published_is_no_text_above_its_title(
    above: list[tuple[float, str]], title: Face | None
) -> None:
    rest = [(120, 18, "Quays of timber and of brick"), (160, 10, TEXT[0]), (172, 10, TEXT[1])]
    assert front(*((top, 10, text) for top, text in above), *rest) == title


def test_a_protocols_title_in_a_narrow_column_may_have_eight_lines() -> None:
    lines = [(60 + 26 * n, 22, "positioning-based cognitive fusion") for n in range(8)]
    assert front(*lines, (300, 10, TEXT[0]), (312, 10, TEXT[1])) == Face(22, False)


def test_front_matter_ends_where_chinese_text_begins_whose_lines_have_few_letters() -> None:
    text = "研究表明利率取代农村学校而土壤剖面证实河流水位改革之后"
    lines = [("养老基金概述", 60, 22), ("结果", 100, 16.5), *((text, 130 + 14 * n, 11) for n in range(4))]
    lines += [("数据与方法", 220, 16.5), *((text, 250 + 14 * n, 11) for n in range(4))]
    words = [
        Word(said, 72, down, 72 + size * len(said), down + size, down + 0.8 * size, size, Font("CJK"))
        for said, down, size in lines
    ]
    survey = Survey()
    survey.add(1, 842, segments(words))
    found = [item.block for item in PageLayout(survey.norms()).blocks(PageMarks(1, 595, 842, words=words))]
    assert [block.lines[0].text for block in found if block.level] == ["养老基金概述", "结果", "数据与方法"]
