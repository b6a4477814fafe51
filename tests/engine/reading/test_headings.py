"""Which paragraphs are headings, and of which level."""

from __future__ import annotations

from pathlib import Path

import pytest

from paperchute.engine.reading.layout.levels import Face, HeadingClass, heading_levels
from paperchute.engine.reading.layout.numbering import SectionNumber, section_number
from paperchute.engine.reading.layout.phrases import is_caption, is_statement, is_usual_title, may_begin_phrase
from paperchute.engine.reading.pdf.styles import is_bold
from tests.engine.reading.placing import Sheet
from tests.engine.reading.printing import LOREM, blocks, printed
from tests.engine.reading.sheets import Said, written
from tests.engine.reading.tagging import Tagged

CENTRED = "text-align:center;font-size:11pt;font-weight:normal;margin:1.4em 0 0.7em"
TEXT = f"<p>{LOREM * 2}</p><p>{LOREM}</p>"


def headings(path: Path) -> list[tuple[int, str]]:
    """Level and text of each heading."""
    return [(b.level, " ".join(line.text for line in b.lines)) for b in blocks(path) if b.level]


@pytest.mark.parametrize(
    "text",
    [
        *("References", "Works Cited:", "F A Z I T", "table of contents", "Competing interests statement"),
        *("Fig. 2", "TABLE II", "Abbildung 3: Ertrag", "Algorithm 1", "Scheme 4"),
        *("Theorem 4 (Gauss).", "Beweis.", "Key words: river, bank", "Index terms - rivers", "keywords: river"),
    ],
)
def test_the_first_word_of_a_phrase_lets_it_be_one(text: str) -> None:
    assert is_usual_title(text) or is_caption(text) or is_statement(text)
    assert may_begin_phrase(text.split()[0].strip(".:"))


def test_few_words_begin_a_phrase() -> None:
    assert not any(map(may_begin_phrase, ("The", "Rivers", "notes", "However", "Sums", "und")))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("III. A FAILURE PHASE DIAGRAM", SectionNumber("roman", 1, "A FAILURE PHASE DIAGRAM")),
        ("IV.B. Results", SectionNumber("roman", 2, "Results")),
        ("A. Methods", SectionNumber("letter", 1, "Methods")),
        ("1 Scope", SectionNumber("decimal", 1, "Scope")),
        ("1.2.3 Title", SectionNumber("decimal", 3, "Title")),
        ("A.1 Proofs", SectionNumber("decimal", 2, "Proofs")),
        ("§ 3 Haftung", SectionNumber("§", 1, "Haftung")),
        ("Art. 12", SectionNumber("article", 1, "")),
        ("Artikel 12: Dauer", SectionNumber("article", 1, "Dauer")),
        ("Appendix A. More proofs", SectionNumber("appendix", 1, "More proofs")),
        ("第三章 方法", SectionNumber("章", 1, "方法")),
        ("Sections 4 and 5 apply", None),
        ("Partly 3 of them", None),
        ("I am here", None),
        ("IIII. No numeral", None),
        ("2024 was a year", None),
    ],
)
def test_numbers_of_sections(text: str, expected: SectionNumber | None) -> None:
    assert section_number(text) == expected


def test_numbers_decide_levels_and_looks_where_there_are_none() -> None:
    large, bold, small = Face(14, True), Face(10, True), Face(10, False, "small caps")
    classes = [
        HeadingClass(large, ""),
        HeadingClass(small, "decimal 1"),
        HeadingClass(bold, "decimal 2"),
        HeadingClass(small, "appendix 1"),
    ]
    levels = heading_levels(classes, classes[0])
    assert [levels[one] for one in classes] == [1, 2, 3, 2]
    roman, letter, plain = (HeadingClass(bold, number) for number in ("roman 1", "letter 1", "usual"))
    assert heading_levels([letter, roman, plain], None) == {letter: 1, plain: 1, roman: 2}
    assert heading_levels([roman, letter], None) == {roman: 1, letter: 2}


def test_roman_and_lettered_numbers_are_headings_and_no_bullets(tmp_path: Path) -> None:
    html = (
        "<h1 style='text-align:center;font-size:14pt'>Failure of rings</h1>"
        f"<p style='{CENTRED};font-weight:bold;font-size:10pt'>I. INTRODUCTION</p>{TEXT}"
        f"<p style='{CENTRED};font-weight:bold;font-size:10pt'>II. A FAILURE PHASE DIAGRAM</p>{TEXT}"
        f"<p style='{CENTRED};font-weight:bold;font-size:10pt'>A. Methods</p>{TEXT}"
        f"<p style='{CENTRED};font-weight:bold;font-size:10pt'>B. Results</p>{TEXT}"
        f"<p style='{CENTRED};font-weight:bold;font-size:10pt'>REFERENCES</p><p>[1] F. Abbott, <i>Rings</i>.</p>"
    )
    assert headings(printed(tmp_path / "a.pdf", html)) == [
        (1, "Failure of rings"),
        (2, "I. INTRODUCTION"),
        (2, "II. A FAILURE PHASE DIAGRAM"),
        (3, "A. Methods"),
        (3, "B. Results"),
        (2, "REFERENCES"),
    ]


def test_capitals_and_italics_of_the_texts_size_are_headings_where_a_number_tells(tmp_path: Path) -> None:
    html = (
        f"<p style='{CENTRED}'>I. INTRODUCTION</p>{TEXT}<p style='{CENTRED}'>II. METHODS OF WORK</p>{TEXT}"
        f"<p style='font-style:italic;margin-top:1.5em'>A. A survey of quays</p>{TEXT}"
        f"<p style='{CENTRED}'>ACKNOWLEDGMENT</p>{TEXT}"
    )
    assert headings(printed(tmp_path / "a.pdf", html)) == [
        (1, "I. INTRODUCTION"),
        (1, "II. METHODS OF WORK"),
        (2, "A. A survey of quays"),
        (1, "ACKNOWLEDGMENT"),
    ]


def test_an_italic_heading_ends_where_the_text_begins(tmp_path: Path) -> None:
    html = f"<h2>2. Data</h2><p><i>2.1. Policy of harbours</i><br>{LOREM * 2}</p><p><i>2.2. Quays</i><br>{LOREM}</p>"
    assert headings(printed(tmp_path / "a.pdf", html)) == [
        (1, "2. Data"),
        (2, "2.1. Policy of harbours"),
        (2, "2.2. Quays"),
    ]


def test_authors_places_and_dates_under_a_title_are_no_headings(tmp_path: Path) -> None:
    html = (
        "<div style='text-align:center'><p style='font-size:20pt'>On the growth of quays</p>"
        "<p style='font-size:14pt'>F. Abbott</p><p style='font-size:14pt'>University of Somewhere</p>"
        "<p style='font-size:14pt'>22 November 2026</p></div>"
        f"<p style='text-align:center;font-weight:bold;font-size:10pt'>Abstract</p>{TEXT}<h2>1 Introduction</h2>{TEXT}"
    )
    assert headings(printed(tmp_path / "a.pdf", html)) == [
        (1, "On the growth of quays"),
        (2, "Abstract"),
        (2, "1 Introduction"),
    ]


@pytest.mark.parametrize(
    "line",
    [
        "<b>Figure 3: The harbour</b>",
        "<b>TABLE II. QUAYS AND WALLS</b>",
        "<b>Account holder: F. Abbott</b>",
        "<b>Theorem 3.1.</b> <b>Quays last.</b>",
        "<span style='font-size:12.5pt'>Account holder: F. Abbott</span>",
        "<i>1. A lead in italics without a place of its own, which ends like a sentence.</i>",
        "<b>A lead in bold.</b> " + LOREM,
    ],
)
def test_captions_labels_and_leads_are_no_headings(tmp_path: Path, line: str) -> None:
    assert headings(printed(tmp_path / "a.pdf", f"{TEXT}<p>{line}</p>{TEXT}")) == []


def test_sections_of_laws_and_contracts_are_headings_and_their_clauses_are_none(tmp_path: Path) -> None:
    html = (
        f"<p><b>§ 1 Vertragsgegenstand</b></p><p>(1) {LOREM}</p><p>(2) {LOREM}</p>"
        f"<p style='text-align:center;margin-top:2em'>Article 5</p><p>1. {LOREM}</p><p>2. {LOREM}</p>"
        f"<p>1.1 The seller delivers.</p>"
    )
    assert [text for _, text in headings(printed(tmp_path / "a.pdf", html))] == ["§ 1 Vertragsgegenstand", "Article 5"]


def test_usual_titles_stand_as_high_as_the_first_numbers(tmp_path: Path) -> None:
    html = (
        f"<p style='text-align:center;font-weight:bold;font-size:10pt'>Abstract</p>{TEXT}"
        f"<h2>1 Quays</h2>{TEXT}<h3>1.1 Walls</h3>{TEXT}<p style='margin-top:2em'>References</p>{TEXT}"
    )
    assert headings(printed(tmp_path / "a.pdf", html)) == [
        (1, "Abstract"),
        (1, "1 Quays"),
        (2, "1.1 Walls"),
        (1, "References"),
    ]


def test_a_number_alone_and_the_title_under_it_are_one_heading(tmp_path: Path) -> None:
    chapter = (
        "<p style='font-size:20pt;font-weight:bold'>Chapter {}</p><p style='font-size:24pt;font-weight:bold'>{}</p>"
    )
    html = f"{chapter.format(1, 'Limitations')}{TEXT}{chapter.format(2, 'Quays')}{TEXT}<h3>2.1 Walls</h3>{TEXT}"
    assert headings(printed(tmp_path / "a.pdf", html)) == [
        (1, "Chapter 1 Limitations"),
        (1, "Chapter 2 Quays"),
        (2, "2.1 Walls"),
    ]


def test_labels_under_each_other_are_no_headings(tmp_path: Path) -> None:
    labels = "".join(f"<p><b>{label}</b></p>" for label in ("First name", "Family name", "Place of birth"))
    assert headings(printed(tmp_path / "a.pdf", f"{TEXT}{labels}{TEXT}")) == []
    assert headings(printed(tmp_path / "b.pdf", f"{TEXT}<p><b>First quay</b></p>{TEXT}")) == [(1, "First quay")]


def test_signs_of_formulas_in_large_type_are_no_headings(tmp_path: Path) -> None:
    html = f"{TEXT}<p style='font-size:15pt'>∇ × E = −</p><p style='font-size:15pt'>ε</p>{TEXT}"
    assert headings(printed(tmp_path / "a.pdf", html)) == []


@pytest.mark.parametrize("place", ["left", "center"])
def test_a_heading_right_under_the_title_is_no_front_matter(tmp_path: Path, place: str) -> None:
    style = f"<style>h1,h2{{text-align:{place}}} h2{{font-size:15pt}}</style>"
    html = f"{style}<h1>On the growth of quays</h1><h2>Materials</h2><p>{LOREM * 2}</p>"
    assert headings(printed(tmp_path / "a.pdf", html)) == [(1, "On the growth of quays"), (2, "Materials")]
    light = html.replace("h2{", "h2{font-weight:normal;")
    expected = [(1, "On the growth of quays")] + [(2, "Materials")] * (place == "left")
    assert headings(printed(tmp_path / "b.pdf", light)) == expected


def test_a_heading_whose_first_line_reaches_over_the_columns_stays_whole(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.put("Do the surveys of the north matter for the", 60, 90, 24, bold=True)
    sheet.put("harbours?", 60, 118, 24, bold=True)
    for left in (60, 320):
        for n in range(20):
            sheet.put(" ".join(LOREM.split()[n : n + 7]), left, 160 + 14 * n)
    assert [text for _, text in headings(sheet.save(tmp_path / "a.pdf"))] == [
        "Do the surveys of the north matter for the harbours?"
    ]


def test_large_typewriter_type_is_a_heading_and_code_is_none(tmp_path: Path) -> None:
    style = (
        "<style>body,h1,h2,pre{font-family:monospace} h1{font-size:20pt} h2{font-size:15pt} pre{font-size:11pt}</style>"
    )
    html = f"{style}<h1>The quays</h1><h2>INT. HARBOUR</h2><p>{LOREM}</p><pre><b>import quays</b>\nquays.build()</pre>"
    found = blocks(printed(tmp_path / "a.pdf", html))
    assert [b.text for b in found if b.level] == ["The quays", "INT. HARBOUR"]


def test_a_heading_of_many_short_lines_is_one_in_large_bold_type(tmp_path: Path) -> None:
    narrow = "<div style='width:90pt'><h2>How most of the people that were asked precede the yearly surveys</h2></div>"
    assert len(headings(printed(tmp_path / "a.pdf", f"{narrow}{TEXT}"))) == 1


@pytest.mark.parametrize(
    "text", ["\u017fection 1 Scope", "art\u0130culo 2", "C\u0130LT 3", "Section", "section ", "§", "1."]
)
def test_no_letter_that_only_looks_like_one_of_a_known_word_ends_the_reading(text: str) -> None:
    found = section_number(text)
    assert found is None or found.title in text


def test_entries_of_a_table_of_contents_are_no_rank_of_headings(tmp_path: Path) -> None:
    entries = [("1", "Quays"), ("2", "Piers"), ("3", "Cranes"), ("4", "Ferries")]
    sheet = Sheet()
    sheet.put("Contents", 72, 90, 20, bold=True)
    for n, (number, title) in enumerate(entries):
        sheet.put(f"{number} {title}", 72, 130 + 24 * n, bold=True)
        sheet.put(str(5 + n), 510, 130 + 24 * n, bold=True)
    sheet.put("Chapter 1", 72, 300, 18, bold=True)
    sheet.put("Quays", 72, 330, 20, bold=True)
    sheet.put("1.1 Brick", 72, 400, 14, bold=True)
    for n in range(12):
        sheet.put("The survey of the northern harbours showed that most of the older quays had been", 72, 430 + 13 * n)
    found = headings(sheet.save(tmp_path / "a.pdf"))
    assert found == [(1, "Contents"), (1, "Chapter 1 Quays"), (2, "1.1 Brick")]


_LINES = (
    "Harbours of the north were rebuilt in brick after the storms of that winter, while quays",
    "of timber needed repair in nearly every year that followed it, as the accounts that were",
    "kept by the harbour office show, which also tell what each repair had cost.",
)


def _under(title: str, y: float, size: float = 10) -> list[Said]:
    """Text in serifs right under a line without any, in the same size and at the same distance as its own lines."""
    return [Said(title, 72, y, size), *(Said(line, 72, y + 12 * n, size, "S") for n, line in enumerate(_LINES, 1))]


def test_lines_in_a_typeface_of_their_own_over_text_are_headings(tmp_path: Path) -> None:
    titles = ["Study design", "Setting of the study", "Funding"]
    sheet = [said for n, title in enumerate(titles) for said in _under(title, 100 + 60 * n, 8 if n == 2 else 10)]
    sheet += _under("Availability of data", 280, 8)
    assert [title for _, title in headings(written(tmp_path / "a.pdf", [sheet]))] == [*titles, "Availability of data"]


def test_names_and_boxes_in_another_typeface_are_none(tmp_path: Path) -> None:
    once = _under("Harbour office", 100)
    box = [
        Said(f"{name}, {n} boats", 72, 300 + 14 * n, 10) for n, name in enumerate(("Amrum", "Föhr", "Sylt", "Rügen"))
    ]
    assert headings(written(tmp_path / "a.pdf", [[*once, *box, *_under("of the north", 380)]])) == []


@pytest.mark.parametrize(("name", "bold"), [("QxAdvTTaf7f9f4f.B", True), ("AdvTT7329.BI+20", True), ("AdvP.I", False)])
def test_typesetters_say_bold_at_the_end_of_a_name(name: str, bold: bool) -> None:
    assert is_bold(name, 0) == bold


def test_long_lines_of_authors_under_the_title_are_no_headings(tmp_path: Path) -> None:
    names = "Takuma Hino, Jun Arita, Keiichi Asano, Tomohiro Takada, Noboru Mori, Tsutomu Yoshida"
    authors = [Said(f"{names},", 72, 110, 11), Said("Akiko Fujii and Atsushi Nakamura", 72, 124, 11)]
    first = [Said("Quays of timber and brick", 72, 80, 20), *authors, Said("Abstract", 72, 170, 12, "B")]
    first += [Said(line, 72, 190 + 12 * n, 10) for n, line in enumerate(_LINES * 6)]
    second = [Said(line, 72, 90 + 12 * n, 10) for n, line in enumerate(_LINES * 9)]
    titles = [title for _, title in headings(written(tmp_path / "a.pdf", [first, second]))]
    assert titles == ["Quays of timber and brick", "Abstract"]


def test_a_title_that_is_tagged_as_a_paragraph_is_the_first_heading(tmp_path: Path) -> None:
    sheet = Tagged()
    elements = [sheet.element("P", sheet.put("Quays of timber", 72, 80, size=22))]
    for top, title in ((120, "Repairs"), (300, "Costs")):
        elements.append(sheet.element("H1", sheet.put(title, 72, top, bold=True)))
        elements += [sheet.element("P", sheet.put(line, 72, top + 20 + 14 * n)) for n, line in enumerate(_LINES)]
    titles = [title for _, title in headings(sheet.save(tmp_path / "a.pdf", *elements))]
    assert titles == ["Quays of timber", "Repairs", "Costs"]


def test_a_title_under_the_head_of_a_journal_is_no_row_of_a_table(tmp_path: Path) -> None:
    head = [Said("Open access", 72, 60, 10, "B"), Said("Protocol", 480, 60, 10, "B")]
    title = [Said("*", 60, 100, 22), Said("Quays of timber and of brick", 160, 100, 22)]
    text = [Said(line, 72, 140 + 12 * n, 10) for n, line in enumerate(_LINES * 6)]
    assert not any(block.table for block in blocks(written(tmp_path / "a.pdf", [[*head, *title, *text]])))


def test_a_section_in_small_type_under_raised_numbers_is_no_footnote(tmp_path: Path) -> None:
    small = "font-size: 9.5pt"
    html = f"""<p>{LOREM * 9}</p><p>{LOREM * 9}</p><div style="{small}"><p><b>Competing interests</b></p>
    <p>None.</p><p><b>Author details</b></p><p><sup>1</sup> Chair of Rivers, Graz.</p><p><b>References</b></p>
    <p>1. Moor C. Water of the rivers. 2019.</p><p>2. Berg A. The boats. 2020.</p></div>"""
    found = [
        (block.level > 0, block.lines[0].text) for block in blocks(printed(tmp_path / "a.pdf", html)) if block.lines
    ]
    assert [text for level, text in found if level] == ["Competing interests", "Author details", "References"]


_ITALIC = "h2 {font-size: 15pt} h3 {font: italic 11pt serif; margin: 12pt 0 4pt} p {margin: 0 0 8pt}"


def test_lines_in_italics_over_text_are_headings_under_those_in_larger_type(tmp_path: Path) -> None:
    def section(title: str) -> str:
        return f"<h3>{title}</h3><p>{LOREM}</p>"

    html = f"<h2>Quays</h2>{section('Timber')}{section('Brick and stone')}<h2>Piers</h2><p>{LOREM}</p>{section('Iron')}"
    found = headings(printed(tmp_path / "a.pdf", html, _ITALIC))
    assert found == [(1, "Quays"), (2, "Timber"), (2, "Brick and stone"), (1, "Piers"), (2, "Iron")]


@pytest.mark.parametrize(
    "lines",
    [
        ["By Frieda Abbott", "By Emil Moor"],  # who wrote it
        ["Answer all questions.", "Write on one side."],
        ["For example:", "In the words of the office:"],
        ["that were built of brick", "and those of timber"],  # words in the middle of a sentence
        ["Frieda Abbott", "Emil Moor", "Frieda Abbott", "Emil Moor"],  # who speaks
    ],
)
def test_other_lines_in_italics_over_text_are_none(lines: list[str], tmp_path: Path) -> None:
    parts = [f"<h2>Part {n}</h2><h3>{line}</h3><p>{LOREM}</p>" for n, line in enumerate(lines)]
    found = headings(printed(tmp_path / "a.pdf", "".join(parts), _ITALIC))
    assert [title for _, title in found] == [f"Part {n}" for n in range(len(lines))]
