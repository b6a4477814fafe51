"""Reading order: columns, boxes, and what stands beside a text."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from paperchute.engine.document.geometry import Box
from paperchute.engine.reading.layout.columns import in_reading_order
from paperchute.engine.reading.layout.justified import with_justified
from paperchute.engine.reading.layout.lines import line_of
from paperchute.engine.reading.layout.marks import Font, Word
from paperchute.engine.reading.layout.sides import Piece
from tests.engine.reading.printing import blocks, printed

_WORDS = (
    "the older quays of the northern harbours had been rebuilt in brick while newer ones were still made of timber and "
    "needed repair after nearly every winter storm so that the council asked for a report on what it would cost to "
)


def _text(begin: str, words: int) -> str:
    """So many words, the first of which tells the text."""
    found = (_WORDS * (words // len(_WORDS.split()) + 1)).split()[:words]
    return " ".join([begin, *found])


def _box(left: int, top: int, width: int, html: str) -> str:
    return f'<div style="position:absolute;left:{left}pt;top:{top}pt;width:{width}pt">{html}</div>'


def _read(path: Path, *boxes: str) -> tuple[str, set[str]]:
    """All words in reading order, and the kinds of the blocks."""
    css = "@page{margin:50pt} body{font-size:10pt;line-height:13pt;text-align:justify} h2{font-size:10pt;margin:0}"
    found = blocks(printed(path, "".join(boxes), css))
    texts = [line.text for block in found for line in block.lines]
    texts += [line.text for block in found if block.table for cell in block.table.cells for line in cell.lines]
    return " ".join(" ".join(texts).split()), {block.kind for block in found}


def _order(text: str, *marks: str) -> list[str]:
    return sorted(marks, key=lambda mark: text.index(mark))


@pytest.mark.parametrize("words", [6, 12, 24])
def test_a_short_last_column_is_read_after_the_long_one(tmp_path: Path, words: int) -> None:
    left, right = _text("FIRST", 260), _text("SECOND", words)
    text, kinds = _read(tmp_path / "a.pdf", _box(0, 0, 235, left), _box(250, 0, 235, right))
    assert text.replace("- ", "") == f"{left} {right}"
    assert kinds == {"text"}


def test_three_columns_on_common_baselines_are_read_one_after_another(tmp_path: Path) -> None:
    columns = [_text(name, 150) for name in ("FIRST", "SECOND", "THIRD")]
    boxes = [_box(170 * number, 0, 155, column) for number, column in enumerate(columns)]
    text, kinds = _read(tmp_path / "a.pdf", *boxes)
    assert text.replace("- ", "") == " ".join(columns)
    assert kinds == {"text"}


def test_a_headline_over_two_of_three_columns_belongs_to_them(tmp_path: Path) -> None:
    boxes = [
        _box(0, 0, 155, _text("FIRST", 150)),
        _box(170, 0, 325, "<h2>HEADLINE of the second and of the third column of this page, and more</h2>"),
        _box(170, 30, 155, _text("SECOND", 120)),
        _box(340, 30, 155, _text("THIRD", 120)),
    ]
    text, _ = _read(tmp_path / "a.pdf", *boxes)
    marks = ("FIRST", "HEADLINE", "SECOND", "THIRD")
    assert _order(text, *marks) == list(marks)


def test_short_columns_under_a_long_text_are_columns(tmp_path: Path) -> None:
    boxes = [
        _box(0, 0, 485, _text("ACROSS", 600)),
        _box(0, 560, 235, _text("FIRST", 60)),
        _box(250, 560, 235, _text("SECOND", 60)),
    ]
    text, kinds = _read(tmp_path / "a.pdf", *boxes)
    assert text.replace("- ", "") == " ".join([_text("ACROSS", 600), _text("FIRST", 60), _text("SECOND", 60)])
    assert kinds == {"text"}


def test_the_short_end_of_a_text_is_none_of_the_column_below(tmp_path: Path) -> None:
    steps = _text("METHOD", 57)
    boxes = [
        _box(0, 0, 300, steps),
        _box(330, 0, 150, "FIRST list<br>one cup<br>two spoons<br>three grams of brick"),
        _box(0, 110, 150, "NEXT<br>" + "<br>".join(f"{n} cups of timber" for n in range(14))),
        _box(180, 110, 300, _text("BESIDE", 120)),
    ]
    text, _ = _read(tmp_path / "a.pdf", *boxes)
    assert text.replace("- ", "").startswith(steps)
    marks = ("METHOD", "FIRST", "NEXT", "BESIDE")
    assert _order(text, *marks) == list(marks)


@pytest.mark.parametrize("look", ["font-weight:bold;font-size:12pt", "font-style:italic"])
def test_headings_in_the_margin_stand_before_their_text(tmp_path: Path, look: str) -> None:
    heads = ["Scope of the survey", "Costs", "What the council of the northern harbours asked for"]
    texts = [_text(name, 45) for name in ("FIRST", "SECOND", "THIRD")]
    boxes = [
        box
        for n, (head, text) in enumerate(zip(heads, texts, strict=True))
        for box in (
            _box(0, 100 * n, 100, f'<div style="text-align:left;{look}">{head}</div>'),
            _box(120, 100 * n, 360, text),
        )
    ]
    text, kinds = _read(tmp_path / "a.pdf", *boxes)
    assert text.replace("- ", "") == " ".join(f"{head} {said}" for head, said in zip(heads, texts, strict=True))
    assert "table" not in kinds


def test_names_beside_what_they_say_begin_its_line(tmp_path: Path) -> None:
    boxes = [
        box
        for n, name in enumerate(("ANNA", "PETER", "MR GROSS"))
        for box in (_box(0, 60 * n, 80, name), _box(100, 60 * n, 380, _text("Says", 45)))
    ]
    path = tmp_path / "a.pdf"
    _read(path, *boxes)
    assert [block.lines[0].text.partition(" Says")[0] for block in blocks(path)] == ["ANNA", "PETER", "MR GROSS"]


def test_two_short_lists_beside_each_other_are_two_lists(tmp_path: Path) -> None:
    lists = [[f"{name} {thing}" for thing in ("cost", "size", "speed")] for name in ("FIRST", "SECOND")]
    boxes = [_box(250 * n, 0, 200, "".join(f"• {item}<br>" for item in items)) for n, items in enumerate(lists)]
    path = tmp_path / "a.pdf"
    _read(path, *boxes)
    found = [item for block in blocks(path) for item in block.items]
    assert ["".join(line.text for line in item.lines) for item in found] == lists[0] + lists[1]


def test_address_and_reference_beside_each_other_are_read_apart(tmp_path: Path) -> None:
    address = "Harbour Office<br>Old Quay Street 5<br>Northern Town 2041"
    reference = "Your letter of May<br>Our file seven hundred<br>Northern Town today"
    text, kinds = _read(tmp_path / "a.pdf", _box(0, 100, 200, address), _box(300, 100, 180, reference))
    assert text == f"{address} {reference}".replace("<br>", " ")
    assert "table" not in kinds


def test_the_addresses_of_an_invoice_are_read_apart(tmp_path: Path) -> None:
    boxes = [
        _box(330, 0, 150, "Invoice number 123<br>Created 1 May 2024<br>Due 31 May 2024"),
        _box(0, 90, 200, "Sender, Inc.<br>12345 Sunny Road<br>Sunnyville, CA 12345"),
        _box(330, 90, 150, "Acme Corp.<br>John Doe<br>john@example.com"),
    ]
    text, kinds = _read(tmp_path / "a.pdf", *boxes)
    marks = ("Invoice", "Due", "Sender", "Sunnyville", "Acme", "john@")
    assert _order(text, *marks) == list(marks)
    assert "table" not in kinds


def test_a_letter_goes_on_under_its_address_and_reference(tmp_path: Path) -> None:
    boxes = [
        _box(0, 80, 200, "Ms Jane Doe<br>Long Street 4<br>2040 Southern"),
        _box(330, 80, 150, "Date: 3 May 2024<br>Our ref: 12/345<br>Phone: 555 1234"),
        _box(0, 200, 480, "SUBJECT of the letter"),
        _box(0, 240, 480, _text("WE", 60)),
    ]
    text, kinds = _read(tmp_path / "a.pdf", *boxes)
    marks = ("Ms Jane Doe", "2040 Southern", "Date:", "Phone:", "SUBJECT", "WE")
    assert _order(text, *marks) == list(marks)
    assert "table" not in kinds


@pytest.mark.parametrize("gap", [0, 10])
def test_columns_with_a_rule_between_them_are_no_table(tmp_path: Path, gap: int) -> None:
    boxes = [
        _box(0, 50, 490, '<div style="border-top:1pt solid black"></div>'),
        _box(
            0, 50 + gap, 232, f'<div style="border-right:1pt solid black;padding-right:8pt">{_text("FIRST", 420)}</div>'
        ),
        _box(250, 50 + gap, 232, _text("SECOND", 400)),
        _box(0, 640, 490, '<div style="border-top:1pt solid black"></div>'),
    ]
    text, kinds = _read(tmp_path / "a.pdf", *boxes)
    assert kinds == {"text"}
    assert text.replace("- ", "") == f"{_text('FIRST', 420)} {_text('SECOND', 400)}"


def test_labels_and_what_they_name_stay_rows(tmp_path: Path) -> None:
    labels = "".join(f"<div>{label}:</div>" for label in ("Invoice number", "Invoice date", "Due date of it"))
    values = "".join(f"<div>{value}</div>" for value in ("2041 of us", "3 May 2024", "17 May 2024"))
    text, _ = _read(tmp_path / "a.pdf", _box(0, 0, 150, labels), _box(250, 0, 150, values))
    marks = ("Invoice number", "2041", "Invoice date", "3 May", "Due date", "17 May")
    assert _order(text, *marks) == list(marks)


def test_rows_of_boxes_are_read_row_by_row(tmp_path: Path) -> None:
    boxes = [
        _box(250 * (n % 2), 120 * (n // 2), 235, f"<h2>{n + 1}. BOX{n + 1} of four</h2>" + _text("begins", 40))
        for n in range(4)
    ]
    text, _ = _read(tmp_path / "a.pdf", *boxes)
    marks = [f"BOX{n + 1}" for n in range(4)]
    assert _order(text, *marks) == marks


def test_cells_with_several_lines_stay_rows(tmp_path: Path) -> None:
    rows = [
        _box(250 * column, 55 * row, 220, _text(f"CELL{2 * row + column}", 22 + 3 * (row + column) % 7))
        for row in range(6)
        for column in range(2)
    ]
    text, _ = _read(tmp_path / "a.pdf", *rows)
    marks = [f"CELL{number}" for number in range(12)]
    assert _order(text, *marks) == marks


def test_a_column_that_runs_to_the_left_is_read_after_its_right_neighbour(tmp_path: Path) -> None:
    words = "שלום עולם ספר גדול על השולחן הישן בבית הקטן ליד הים הכחול"
    left, right = f"שמאל {words * 6}", f"ימין {words * 6}"
    boxes = [_box(0, 0, 235, f'<div dir="rtl">{left}</div>'), _box(250, 0, 235, f'<div dir="rtl">{right}</div>')]
    text, _ = _read(tmp_path / "a.pdf", *boxes)
    assert text.index("ימין") < text.index("שמאל")


_LONG = (
    "Gewässereinzugsgebiete verringern mittelalterliche Urkunden während unabhängige Wirtschaftsprüfer beobachteten "
    "Häufigkeiten Straßenbrücken beeinflussen ist nicht Handelsabkommen im Durchschnitt ergänzen Lichtwellenleiter "
    "bestätigen die Windkraftanlagen noch um den Faktor"
)


@pytest.mark.parametrize("seed", range(6))
def test_narrow_columns_whose_spaces_are_as_wide_as_gutters_are_read_one_by_one(seed: int, tmp_path: Path) -> None:
    words = [random.Random(f"{seed}{column}").choices(_LONG.split(), k=90) for column in range(3)]
    boxes = [_box(180 * column, 0, 150, " ".join(own)) for column, own in enumerate(words)]
    text, kinds = _read(tmp_path / "a.pdf", *boxes)
    assert kinds == {"text"}
    assert text.split() == [word for own in words for word in own]


def test_a_row_of_one_word_in_pieces_far_apart_is_no_justified_line() -> None:
    def word(text: str, left: float, right: float, row: int, glued: bool = False) -> Word:
        y = 100.0 + 12 * row
        return Word(text, left, y - 8, right, y + 2, baseline=y, size=10, font=Font(), glued=glued)

    full = [[word("word", 50 + 50 * n, 95 + 50 * n, row) for n in range(5)] for row in range(4)]
    torn = [word("left", 50, 70, 4), word("right", 275, 295, 4, glued=True)]
    lines = [*map(line_of, full), line_of(torn[:1]), line_of(torn[1:])]
    assert with_justified(lines) == lines


def test_words_under_each_other_in_the_width_of_justified_text_are_a_table(tmp_path: Path) -> None:
    cells = "".join(f"<td style='text-align:{side}'>{{}}</td>" for side in ("left", "left", "left", "right"))
    rows = "".join(f"<tr>{cells}</tr>".format(*["abdc", "bcda", "cdab", "dabc"][n:], *["dcba"] * n) for n in range(4))
    style = "width:100%;border-collapse:collapse"
    text = f"<p>{_text('A', 60)}</p>"
    html = f"{text}<table style='{style}'>{rows}</table>{text}"
    _, kinds = _read(tmp_path / "a.pdf", _box(0, 0, 230, html))
    assert kinds == {"text", "table"}


def test_labels_and_figures_at_both_edges_of_justified_text_are_a_table(tmp_path: Path) -> None:
    pairs = [("Subtotal", "88.40"), ("Freight", "7.20"), ("Discount", "0.30"), ("Total", "95.30")]
    rows = "".join(f"<tr><td>{label}</td><td style='text-align:right'>{name}</td></tr>" for label, name in pairs)
    text = f"<p style='margin:0'>{_text('A', 61)}</p>"
    html = f"{text}<table style='width:100%;border-spacing:0'>{rows.replace('<td', '<td class=c')}</table>{text}"
    _, kinds = _read(tmp_path / "a.pdf", _box(0, 0, 230, f"<style>.c{{padding:0}}</style>{html}"))
    assert kinds == {"text", "table"}


def test_rules_at_the_head_and_the_foot_of_a_page_make_no_table_of_its_columns(tmp_path: Path) -> None:
    rule = "border-bottom:0.7pt solid black;height:1pt"
    names = "".join(f"<p style='margin:0'>{name}</p>" for name in ("Quay", "Storm", "Brick", "Timber", "Cost"))
    text, kinds = _read(
        tmp_path / "a.pdf",
        _box(0, 0, 490, f"<div style='{rule}'></div>"),
        _box(0, 12, 235, f"<h2>Lleft</h2>{_text('Lfirst', 150)} Llast{names}"),
        _box(255, 12, 235, f"<h2>Rhead</h2>{_text('Rfirst', 150)} Rlast{names}"),
        _box(0, 330, 490, f"<div style='{rule}'></div>"),
    )
    assert "table" not in kinds
    assert _order(text, "Lfirst", "Llast", "Rfirst", "Rlast") == ["Lfirst", "Llast", "Rfirst", "Rlast"]


def test_a_table_of_wrapped_cells_between_rules_stays_one(tmp_path: Path) -> None:
    rule = "border-bottom:0.7pt solid black"
    rows = "".join(
        f"<tr><td style='width:100pt'>Harbour {n}</td><td style='width:390pt'>{_text(f'M{n}', 24)}</td></tr>"
        for n in range(9)
    )
    table = f"<table style='{rule};border-collapse:collapse;width:490pt'><tr><th style='{rule}'>Name</th>"
    table += f"<th style='{rule}'>Report</th></tr>{rows}</table>"
    _, kinds = _read(tmp_path / "a.pdf", f"<div style='{rule};width:490pt'></div>{table}")
    assert "table" in kinds


@pytest.mark.parametrize(("down", "order"), [(150, ["TITLE", "MAIN", "NOTES"]), (0, ["NOTES", "TITLE", "MAIN"])])
def test_a_document_begins_with_its_title_and_not_with_notes_beside_its_text(
    down: int, order: list[str], tmp_path: Path
) -> None:
    title = '<div style="font-size:22pt;line-height:26pt;text-align:left">TITLE of the paper on the quays</div>'
    notes = "".join(f"<p>{text}</p>" for text in (_text("NOTES", 14), _text("Received", 8), _text("Cited", 14)))
    boxes = [_box(0, down, 110, f'<div style="font-size:8pt;text-align:left">{notes}</div>'), _box(140, 0, 345, title)]
    text, _ = _read(tmp_path / "a.pdf", *boxes, _box(140, 30, 345, _text("MAIN", 300)))
    assert _order(text, "TITLE", "MAIN", "NOTES") == order


def test_columns_of_a_table_beside_a_column_of_text_are_not_those_of_the_page() -> None:
    def line(text: str, left: float, down: float) -> Piece:
        words, right = [], float(left)
        for word in text.split():
            words.append(Word(word, right, down, right + 5 * len(word), down + 10, down + 8, 10.0, Font()))
            right += 5 * len(word) + 3
        found = line_of(words)
        return Piece(found.box, found)

    said = "the older quays of the northern harbours had been rebuilt"
    left = [line(said, 40, 60 + 13 * n) for n in range(6)]
    names = ["Timber", "Brick", "Stone", "Iron", "Sand", "Gravel", "Clay", "Slate", "Chalk", "Marl", "Peat", "Lime"]
    for n, name in enumerate(names):
        left += [
            line(f"{name} of the north", 40, 150 + 15 * n),
            line(f"{n} (0)", 160, 150 + 15 * n),
            line("12 (92)", 240, 150 + 15 * n),
        ]
    right = [line(said, 320, 60 + 13 * n) for n in range(21)]
    figure = Piece(Box(130, 350, 500, 796), [])  # over both columns
    below = [line("Figure", 40, 800), line(f"{said} {said} {said[:20]}", 130, 800)]
    groups = in_reading_order([*left, *right, figure, *below], lambda pieces: pieces)
    order = [piece for group in groups for piece in group]
    assert all(order.index(piece) < len(left) for piece in left)
