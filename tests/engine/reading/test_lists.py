"""Lists, and what only looks like one: initials, line numbers, entries of bibliographies."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pikepdf
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pikepdf import Dictionary, Name

from paperchute.engine.document.flow import flowed_text, pieces
from paperchute.engine.reading.layout.line_numbers import take_line_numbers
from paperchute.engine.reading.layout.marks import Font, PageMarks, Word
from tests.engine.reading.placing import Sheet
from tests.engine.reading.printing import LOREM, blocks, convert, printed, read


def items(path: Path) -> list[str]:
    """The items of all lists, with their markers."""
    return [f"{item.marker} {flowed_text(item.lines)}" for block in blocks(path) for item in block.items]


def texts(path: Path) -> list[str]:
    """The texts of all other blocks."""
    return [flowed_text(block.lines) for block in blocks(path) if block.lines]


def lines(*texts: str) -> str:
    """Paragraphs, with text above and below."""
    return f"<p>{LOREM}</p>{''.join(f'<p>{text}</p>' for text in texts)}<p>{LOREM * 3}</p><p>{LOREM * 3}</p>"


@pytest.mark.parametrize("names", [["F. Abbott"], ["F. Abbott", "G. Brandt"], ["J. R. Okafor", "V. Putnam", "A. Diaz"]])
def test_initials_are_no_markers(tmp_path: Path, names: list[str]) -> None:
    path = printed(tmp_path / "a.pdf", lines(*names))
    assert items(path) == []
    assert set(names) <= set(texts(path))


@pytest.mark.parametrize(
    "markers", [["(a)", "(b)", "(c)"], ["a.", "b."], ["A.", "B.", "C."], ["i.", "ii.", "iii."], ["IV.", "V.", "VI."]]
)
def test_markers_that_count_are_a_list(tmp_path: Path, markers: list[str]) -> None:
    path = printed(tmp_path / "a.pdf", lines(*(f"{marker} The quay is repaired." for marker in markers)))
    assert items(path) == [f"{marker} The quay is repaired." for marker in markers]


_TWO = ("put up shelves", "paint the walls")


@pytest.mark.parametrize("gap", ["0", "4pt"])
@pytest.mark.parametrize("markers", ["a) b)", "1. 2.", "(i) (ii)", "- -", "– –", "A. B.", "1) 2) 3)"])
def test_short_lists_of_a_page_without_other_text_are_whole(tmp_path: Path, markers: str, gap: str) -> None:
    wanted = [f"{marker} {item}" for marker, item in zip(markers.split(), (*_TWO, "drill holes"), strict=False)]
    intro = "The tenant may do the following without asking the owner first:"
    content = "".join(f"<p>{text}</p>" for text in (intro, *wanted))
    path = printed(tmp_path / "a.pdf", content, f"p {{ margin: {gap} 0 }}")
    assert (texts(path), items(path)) == ([intro], wanted)


def test_an_item_of_two_lines_that_are_set_in_is_of_the_list_below_it(tmp_path: Path) -> None:
    css = "p { margin: 0; width: 220pt } p + p { margin-left: 20pt; text-indent: -20pt }"
    long = "1. put up shelves in all of the rooms that look onto the yard"
    path = printed(
        tmp_path / "a.pdf", f"<p>The tenant may do without asking the owner</p><p>{long}</p><p>2. drill</p>", css
    )
    assert items(path) == [long, "2. drill"]


@pytest.mark.parametrize("words", ["- 7.5 degrees in", "– as he said –"])
def test_a_dash_at_two_line_starts_of_a_sentence_begins_no_list(tmp_path: Path, words: str) -> None:
    path = printed(
        tmp_path / "a.pdf", f"<p>The old ship of the harbour had<br>{words}<br>{words}<br>the month of March</p>"
    )
    assert texts(path)[0].startswith(f"The old ship of the harbour had {words[0]}")


@pytest.mark.parametrize("date", ["16. Februar 2018", "1. ledna 2026", "2. Quartal 2019 und danach"])
def test_a_day_of_a_month_is_no_marker(tmp_path: Path, date: str) -> None:
    path = printed(tmp_path / "a.pdf", lines(date))
    assert items(path) == []
    assert date in texts(path)


@pytest.mark.parametrize(
    "rows",
    [
        ["(68) 20% 31%", "(69) 12% 8%"],
        ["- 41,035.33", "- 16,337.80"],
        ["– 20 31", "+ 12 8"],
        ["- €9.50", "- €3.20"],
    ],
)
def test_the_sign_of_a_figure_is_no_marker(tmp_path: Path, rows: list[str]) -> None:
    path = printed(tmp_path / "a.pdf", lines(*rows))
    assert items(path) == []
    assert all(word in " ".join(texts(path)) for row in rows for word in row.split())


def test_a_marker_that_stands_elsewhere_is_none_of_a_list(tmp_path: Path) -> None:
    html = lines("B. Abbott wrote this.", "<span style='margin-left:90pt'>C. Brandt wrote that.</span>")
    assert items(printed(tmp_path / "a.pdf", html)) == []


def test_clauses_keep_their_numbers_and_levels(tmp_path: Path) -> None:
    clause = "<p style='margin-left:{}pt'>{} The seller repairs the quay.</p>"
    rows = [(0, "1."), (20, "(a)"), (40, "(i)"), (40, "(ii)"), (20, "(b)"), (0, "2.")]
    path = printed(
        tmp_path / "a.pdf", f"<p>{LOREM}</p>" + "".join(clause.format(*row) for row in rows) + f"<p>{LOREM * 4}</p>"
    )
    (block,) = [block for block in blocks(path) if block.items]
    assert [(item.level, item.marker) for item in block.items] == [(left // 20, marker) for left, marker in rows]


def test_each_clause_with_a_number_of_several_parts_is_a_paragraph(tmp_path: Path) -> None:
    """However short the one before it is, and wherever its further lines stand."""
    said = [
        *[("2.1", 0, "The seller repairs the quay."), ("2.1.1", 8, f"It is mended within {LOREM * 2}")],
        *[("2.1.2", 8, "The buyer pays for it."), ("2.2", 0, f"The buyer sees to the {LOREM}")],
    ]
    row = "<div style='padding-left:{}pt;text-indent:-28pt'>{} {}</div>"
    html = "".join(row.format(28 + left, number, text) for number, left, text in said)
    found = texts(printed(tmp_path / "a.pdf", html))
    assert [text.split() for text in found] == [[number, *text.split()] for number, _, text in said]
    html = (
        f"<p>{LOREM * 2} as clause 2.4 says; see also clause 2.5 of the lease, and clauses 2.6 and 2.7 {LOREM * 2}</p>"
    )
    assert len(texts(printed(tmp_path / "b.pdf", html))) == 1


def test_each_entry_of_a_bibliography_is_a_paragraph(tmp_path: Path) -> None:
    entries = [f"[{n}] F. Abbott and J. Okafor. {LOREM * (1 + n % 2)}" for n in range(1, 5)]
    html = "".join(
        f"<div style='padding-left:18pt;text-indent:-18pt;text-align:justify'>{entry}</div>" for entry in entries
    )
    found = texts(printed(tmp_path / "a.pdf", html))
    assert [text.split() for text in found] == [entry.split() for entry in entries]
    plain = [entry.partition("] ")[2] for entry in entries]
    html = "".join(
        f"<div style='padding-left:18pt;text-indent:-18pt;text-align:justify'>{entry}</div>" for entry in plain
    )
    assert [text.split() for text in texts(printed(tmp_path / "b.pdf", html))] == [entry.split() for entry in plain]


@pytest.mark.parametrize("size", [6, 11])
def test_numbers_of_lines_go_aside(tmp_path: Path, size: int) -> None:
    sheet = Sheet()
    words = LOREM.split()
    for n in range(25):
        sheet.put(str(n + 1), 40 if n < 9 else 40 - 0.5 * size, 60 + 28 * n, size)
        sheet.put(" ".join(words[n : n + 12]), 72, 60 + 28 * n)
    found = blocks(sheet.save(tmp_path / "a.pdf"))
    assert flowed_text(next(b for b in found if b.kind == "aside_text").lines) == " ".join(
        str(n + 1) for n in range(25)
    )
    text = " ".join(flowed_text(b.lines) for b in found if b.kind != "aside_text")
    assert text.split() == [word for n in range(25) for word in words[n : n + 12]]


def test_every_fifth_number_beside_verses_goes_aside(tmp_path: Path) -> None:
    sheet = Sheet()
    for n in range(1, 21):
        sheet.put("The quays of the north were rebuilt in brick", 72, 60 + 14 * n)
        if n % 5 == 0:
            sheet.put(str(n), 320, 60 + 14 * n, 8)
    found = blocks(sheet.save(tmp_path / "a.pdf"))
    assert [flowed_text(b.lines) for b in found if b.kind == "aside_text"] == ["5 10 15 20"]


def test_every_fifth_number_between_columns_goes_aside(tmp_path: Path) -> None:
    """As patents have them: each was read as a word of the left column's line, and of some a table was made."""
    sheet = Sheet()
    words = LOREM.split() * 3
    for n in range(1, 31):
        sheet.put(" ".join(words[6 * n : 6 * n + 6]), 60, 60 + 13 * n, 8)
        sheet.put(" ".join(words[6 * n + 1 : 6 * n + 7]), 330, 60 + 13 * n, 8)
    for n in range(5, 46, 5):
        sheet.put(str(n), 280 if n < 10 else 278, 60 + 13 * n, 8)
    found = blocks(sheet.save(tmp_path / "a.pdf"))
    assert [flowed_text(b.lines) for b in found if b.kind == "aside_text"] == ["5 10 15 20 25 30 35 40 45"]
    text = " ".join(flowed_text(b.lines) for b in found if b.kind != "aside_text")
    assert text.split() == words[6:186] + [w for n in range(1, 31) for w in words[6 * n + 1 : 6 * n + 7]]


@pytest.mark.parametrize("step", [1, 5])
def test_numbers_between_names_and_their_figures_stay(tmp_path: Path, step: int) -> None:
    sheet = Sheet()
    for n in range(1, 21):
        sheet.put("Quays of the north", 60, 60 + 13 * n)
        sheet.put(str(step * n), 300 if step * n < 10 else 298, 60 + 13 * n, 8)
        sheet.put("Rebuilt in brick", 330, 60 + 13 * n)
    assert [b for b in blocks(sheet.save(tmp_path / "a.pdf")) if b.kind == "aside_text"] == []


def test_rising_figures_beside_lines_stay(tmp_path: Path) -> None:
    sheet = Sheet()
    for n in range(1, 21):
        sheet.put("Quays of the north rebuilt in brick", 72, 60 + 14 * n)
        if n % 3 == 0:
            sheet.put(str(5 * n // 3), 320, 60 + 14 * n, 8)
    assert [b for b in blocks(sheet.save(tmp_path / "a.pdf")) if b.kind == "aside_text"] == []


def test_numbers_of_a_list_or_table_stay(tmp_path: Path) -> None:
    sheet = Sheet()
    for n in range(25):
        sheet.put(str(n + 1), 40, 60 + 28 * n, 8)
        sheet.put("Harbour of the north with all its quays", 72, 60 + 28 * n)
        sheet.put(str(17 * n), 400, 60 + 28 * n)
    assert [b for b in blocks(sheet.save(tmp_path / "a.pdf")) if b.kind == "aside_text"] == []


def _word(text: str, left: float, baseline: float, size: float) -> Word:
    return Word(text, left, baseline - size, left + size * len(text) / 2, baseline, baseline, size, Font())


_PLACES = st.tuples(
    st.text(alphabet="0123456789ab.", min_size=1, max_size=4),
    st.integers(0, 5).map(lambda n: 40.0 * n),
    st.integers(1, 60).map(lambda n: 12.0 * n),
    st.sampled_from([6.0, 11.0]),
)


@given(st.lists(_PLACES, max_size=60))
def test_no_word_is_lost_or_doubled_among_line_numbers(places: list[tuple[str, float, float, float]]) -> None:
    words = [_word(*place) for place in places]
    marks = PageMarks(1, 595, 842, words=list(words))
    take_line_numbers(marks)
    assert {id(word) for word in [*marks.words, *marks.line_numbers]} == set(map(id, words))
    assert len(marks.words) + len(marks.line_numbers) == len(words)


def test_an_algorithm_keeps_its_lines(tmp_path: Path) -> None:
    steps = ["for each quay do", "measure its length and that of its neighbours", "if it is new then", "repair it"]
    html = "".join(f"<div style='text-indent:{8 * n}pt'>{n + 1}: {step}</div>" for n, step in enumerate(steps))
    (block,) = [b for b in blocks(printed(tmp_path / "a.pdf", f"<p>{LOREM}</p>{html}<p>{LOREM}</p>")) if "1:" in b.text]
    assert flowed_text(block.lines).split("\n") == [f"{n + 1}: {step}" for n, step in enumerate(steps)]


def _slide(number: int, lines: list[str], marked: bool) -> bytes:
    """A slide: its title, lines with a ball before each (and a number in it), a foot with more letters than they."""
    foot = f"BT /R 6 Tf 10 5 Td (Alice Abbott of the northern harbours, a lecture on quays and cranes {number}) Tj ET"
    parts = [f"BT /R 14 Tf 20 240 Td (Quays of the {number}th year) Tj ET", foot]
    for n, line in enumerate(lines):
        y = 180 - 16 * n
        parts.append(f"q 22 {y + 1} 6 6 re W n /S sh Q")
        parts += [f"BT /R 5 Tf 23.6 {y + 2.5} Td ({n + 1}) Tj ET"] if marked else []
        parts.append(f"BT /R 11 Tf 32 {y} Td ({line}) Tj ET")
    return " ".join(parts).encode()


@pytest.mark.parametrize(("marked", "markers"), [(False, ["•", "•", "•"]), (True, ["1.", "2.", "3."])])
def test_balls_of_slides_are_bullets_and_few_words_over_a_long_foot_no_headings(
    marked: bool, markers: list[str], tmp_path: Path
) -> None:
    pdf = pikepdf.new()
    points = ["Brick", "Timber and stone", "Steel"]
    function = Dictionary(FunctionType=2, Domain=[0, 1], C0=[0, 0, 1], C1=[1, 1, 1], N=1)
    shading = Dictionary(ShadingType=2, ColorSpace=Name.DeviceRGB, Coords=[0, 0, 300, 0], Function=function)
    font = Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica)
    for number in range(4, 9):
        page = pdf.add_blank_page(page_size=(363, 272)).obj
        page.Resources = Dictionary(Font=Dictionary(R=font), Shading=Dictionary(S=shading))
        page.Contents = pdf.make_stream(_slide(number, points, marked))
    pdf.save(tmp_path / "a.pdf")
    found = blocks(tmp_path / "a.pdf")
    assert [item.marker for block in found for item in block.items] == 5 * markers
    assert [flowed_text(item.lines) for block in found for item in block.items] == 5 * points
    assert sum(block.level > 0 for block in found) == 5


@pytest.mark.parametrize("pages", [2, 3])
def test_an_item_that_goes_on_over_page_ends_is_one(tmp_path: Path, pages: int) -> None:
    long = (LOREM * (2 + 8 * (pages - 1))).replace(".", "")
    css = "@page{size:300pt 300pt;margin:30pt} p,li{margin:0 0 6pt}"
    html = f"<p>{LOREM}</p><ul><li>Timber.</li><li>{long}.</li><li>Brick.</li></ul><p>{LOREM}</p>"
    path = printed(tmp_path / "a.pdf", html, css)
    with read(path) as read_pages:
        assert len(read_pages) >= pages
        found = [piece.block for piece in pieces(read_pages) if piece.blocks]
    whole = " ".join(f"{long}.".split())
    told = [" ".join(flowed_text(item.lines).split()) for block in found for item in block.items]
    assert told == ["Timber.", whole, "Brick."]
    (made,) = convert(path, tmp_path / "out")
    assert f"- {whole}\n" in made.read_text("utf-8")


def test_what_begins_anew_behind_a_list_is_none_of_its_items(tmp_path: Path) -> None:
    css = "@page{size:300pt 300pt;margin:30pt} ul{break-after:page}"
    path = printed(tmp_path / "a.pdf", f"<p>{LOREM}</p><ul><li>Timber</li><li>Brick</li></ul><p>{LOREM}</p>", css)
    with read(path) as read_pages:
        found = [piece.block for piece in pieces(read_pages) if piece.blocks]
    assert [block.kind for block in found] == ["text", "list", "text"]


def _beside(shapes: Sequence[tuple[float, float, float]], path: Path, box: float = 0) -> list[str]:
    """The markers of what is read of two lines beside filled squares, with a drawn box of a width around them."""
    sheet = Sheet()
    if box:
        sheet.square(54, 274, box)
    for x, y, side in shapes:
        sheet.filled(x, y, side)
    for n in range(12):
        sheet.put("quays of the northern harbours had been rebuilt in brick", 72, 60 + 14 * n)
    sheet.put("A study of the quays", 72, 300, 22)
    sheet.put("of the north", 72, 326, 22)
    return [item.marker for block in blocks(sheet.save(path)) for item in block.items]


def test_the_letters_of_a_drawn_name_are_no_bullets(tmp_path: Path) -> None:
    assert _beside([(46, 289, 6)], tmp_path / "a.pdf") == _beside([(46, 289, 6)], tmp_path / "c.pdf", 300) == ["•"]
    assert _beside([(38, 289, 6), (46, 289, 6), (54, 289, 6)], tmp_path / "b.pdf") == []


def test_the_round_corners_of_a_frame_are_no_bullets_of_the_column_beside_it(tmp_path: Path) -> None:
    left = [
        "The books of the harbour office are kept by the",
        "library of the town.",
        "",
        "Further file: Accounts.",
        "",
    ]
    left += [
        "The office thanks the boatmen for all their help",
        "in the storms of that winter and of the next one.",
    ] * 5
    right = ["and of the further books some are kept by a school", "which has had them since the storms of that winter"]
    sheet = Sheet()
    for n, line in enumerate(left):
        sheet.put(line, 60, 80 + 12 * n, 10)
    for n in range(8):
        sheet.put(right[n % 2], 304, 80 + 12 * n, 10)
    x1, y1, x2, y2 = 56.0, 104.0, 284.0, 120.0
    for x in (x1, x2):
        sheet.line(x + 1.5, y1 + 3, x + 1.5, y2)
        for y in (y1, y2):
            sheet.filled(x, y, 3)
    for y in (y1, y2):
        sheet.line(x1 + 3, y + 1.5, x2, y + 1.5)
    found = texts(sheet.save(tmp_path / "a.pdf"))
    assert items(tmp_path / "a.pdf") == []
    assert " ".join(found).index("in the storms") < " ".join(found).index("and of the further books")
