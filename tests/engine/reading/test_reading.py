"""The model the PDF reader makes."""

from __future__ import annotations

import textwrap
from collections import Counter
from pathlib import Path

import pikepdf
import pytest

from paperchute.engine.document.flow import flowed_text
from paperchute.engine.document.model import Block
from paperchute.engine.reading.layout.lines import line_of
from paperchute.engine.reading.layout.marks import Font, Word
from paperchute.engine.reading.pdf.reader import Options
from paperchute.engine.work import Refused
from tests.engine.reading.printing import LOREM, blocks, markdown, picture, printed, read

GRID = "table{border-collapse:collapse} td,th{border:1px solid #000;padding:4px}"


def flow(path: Path) -> list[Block]:
    return [b for b in blocks(path) if b.kind not in ("header", "footer", "number")]


def cells(block: Block) -> dict[tuple[int, int], str]:
    assert block.table is not None
    return {(c.row, c.column): flowed_text(c.lines) for c in block.table.cells}


def test_headings_get_levels_by_size_and_body_text_none(tmp_path: Path) -> None:
    html = f"<h1>Harbours</h1><p>{LOREM}</p><h2>Quays</h2><p>{LOREM}</p><h3>Timber</h3><p>{LOREM}</p>"
    found = flow(printed(tmp_path / "a.pdf", html))
    assert [(b.kind, b.level) for b in found] == [
        ("doc_title", 1), ("text", 0), ("paragraph_title", 2), ("text", 0), ("paragraph_title", 3), ("text", 0),
    ]  # fmt: skip
    assert found[2].text == "Quays"


def test_a_bold_sentence_inside_a_paragraph_is_no_heading(tmp_path: Path) -> None:
    found = flow(printed(tmp_path / "a.pdf", f"<p>{LOREM}<b>Repair was dear.</b> {LOREM}</p><p>{LOREM}</p>"))
    assert [b.kind for b in found] == ["text", "text"]


def test_lists_keep_their_nesting_and_numbers(tmp_path: Path) -> None:
    nested = "<ul><li>quays<ul><li>of brick</li><li>of timber</li></ul></li><li>cranes</li></ul>"
    html = f"<p>{LOREM}</p>{nested}<p>{LOREM}</p><ol><li>north</li><li>south</li></ol>"
    lists = [b for b in flow(printed(tmp_path / "a.pdf", html)) if b.kind == "list"]
    assert [(i.level, flowed_text(i.lines)) for i in lists[0].items] == [
        (0, "quays"), (1, "of brick"), (1, "of timber"), (0, "cranes"),
    ]  # fmt: skip
    assert [(i.ordered, i.marker) for i in lists[1].items] == [(True, "1."), (True, "2.")]


def test_a_wrapped_list_item_stays_one_item(tmp_path: Path) -> None:
    html = f"<ul><li>{LOREM}{LOREM}</li><li>short</li></ul>"
    (block,) = flow(printed(tmp_path / "a.pdf", html))
    assert [flowed_text(i.lines).split()[0] for i in block.items] == ["The", "short"]


def test_a_ruled_table_keeps_spans_and_wrapped_cells(tmp_path: Path) -> None:
    html = f"""<table><tr><th>Port</th><th colspan=2>Ships</th></tr>
    <tr><td rowspan=2>North</td><td>12</td><td>{LOREM}</td></tr><tr><td>14</td><td>fewer</td></tr></table>"""
    (block,) = flow(printed(tmp_path / "a.pdf", html, GRID))
    assert block.table is not None
    assert block.table.bordered
    assert (block.table.rows, block.table.columns) == (3, 3)
    spans = {(c.row, c.column): (c.row_span, c.column_span) for c in block.table.cells}
    assert spans[0, 1] == (1, 2)
    assert spans[1, 0] == (2, 1)
    assert cells(block)[1, 2] == LOREM.strip()
    assert [c.header for c in block.table.cells if c.row == 0] == [True, True]


def test_rows_that_no_rule_parts_are_still_rows(tmp_path: Path) -> None:
    names = "<br>".join(("Kiel", "Bergen", "Turku", "Riga"))
    html = f"<table><tr><th>Port</th><th>Ships</th></tr><tr><td>{names}</td><td>{'<br>'.join('1234')}</td></tr></table>"
    (block,) = flow(printed(tmp_path / "a.pdf", html, GRID))
    assert block.table is not None
    assert (block.table.rows, block.table.columns) == (5, 2)
    assert cells(block)[4, 0] == "Riga"
    assert cells(block)[2, 1] == "2"


def test_a_wrapped_row_is_not_torn_apart(tmp_path: Path) -> None:
    html = f"<table><tr><th>Port</th><th>Remark</th></tr><tr><td>{LOREM}</td><td>{LOREM}</td></tr></table>"
    (block,) = flow(printed(tmp_path / "a.pdf", html, GRID))
    assert block.table is not None
    assert block.table.rows == 2


def test_an_unruled_table_is_found_by_its_alignment(tmp_path: Path) -> None:
    rows = "".join(
        f"<tr><td>{name}</td><td>{n}</td><td>{n * 7}</td></tr>"
        for n, name in enumerate(("Kiel", "Bergen", "Turku", "Riga"), 11)
    )
    html = f"<p>{LOREM}</p><table><tr><th>Port</th><th>Ships</th><th>Crew</th></tr>{rows}</table><p>{LOREM}</p>"
    found = flow(printed(tmp_path / "a.pdf", html, "td,th{padding:3px 20px;text-align:left}"))
    assert [b.kind for b in found] == ["text", "table", "text"]
    assert cells(found[1])[2, 0] == "Bergen"
    assert cells(found[1])[4, 2] == "98"
    assert found[1].confidence < 1


def test_a_table_with_lines_only_between_its_rows_keeps_its_columns(tmp_path: Path) -> None:
    rows = "".join(
        f"<tr><td>{name}</td><td>{LOREM[: 40 * n]}</td></tr>" for n, name in enumerate(("Kiel", "Bergen", "Turku"), 2)
    )
    html = f"<table><tr><th>Port</th><th>Remark</th></tr>{rows}</table>"
    css = "table{border-collapse:collapse;width:100%} td,th{border-bottom:1px solid #888;padding:4px 12px}"
    (block,) = flow(printed(tmp_path / "a.pdf", html, css))
    assert block.table is not None
    assert (block.table.rows, block.table.columns) == (4, 2)
    assert cells(block)[3, 1] == LOREM[:160].strip()


def test_two_columns_are_read_one_after_the_other(tmp_path: Path) -> None:
    words = [f"w{n}x" for n in range(400)]
    html = f"<h1>Across the page</h1><div class=c>{' '.join(words)}</div>"
    found = flow(printed(tmp_path / "a.pdf", html, ".c{column-count:2;column-gap:24pt}"))
    text = " ".join(flowed_text(b.lines) for b in found if b.kind == "text")
    assert text.split() == words
    assert found[0].kind == "doc_title"


def test_running_heads_and_page_numbers_leave_the_flow(tmp_path: Path) -> None:
    css = "@page{margin:60pt; @top-left{content:'Harbour report'} @bottom-center{content:'Page ' counter(page)}}"
    path = printed(tmp_path / "a.pdf", "".join(f"<p>{n} {LOREM * 3}</p>" for n in range(40)), css)
    with read(path) as pages:
        assert len(pages) > 2
        for page in pages:
            kinds = {b.text: b.kind for b in page.blocks}
            assert kinds["Harbour report"] == "header"
            assert kinds[f"Page {page.number}"] == "number"


def test_a_divided_word_is_closed_and_a_compound_keeps_its_hyphen(tmp_path: Path) -> None:
    narrow = f"<p style='width:150pt'>The har&shy;bour masters of the north met in well-known inns. {LOREM}</p>"
    html = narrow + "<p>A well-known harbour.</p>"
    text = flowed_text(flow(printed(tmp_path / "a.pdf", html, "p{hyphens:manual}"))[0].lines)
    assert "harbour" in text
    assert "well-known" in text


def test_text_that_was_broken_by_counting_characters_flows_and_a_poem_does_not(tmp_path: Path) -> None:
    mail = textwrap.wrap(f"{LOREM} Will it still fill the ill lit till if I tilt it a little, Willi? {LOREM}", 60)
    poem = ["the quay is dark, and the lamps are few", "the ships", "have gone where the west wind blew"] * 2
    html = "".join(f"<p>{'<br>'.join(lines)}</p>" for lines in (mail, poem))
    letter, verses = flow(printed(tmp_path / "a.pdf", html))
    assert "hard" not in [line.ends for line in letter.lines]
    assert [line.ends for line in verses.lines].count("hard") > 1


def test_styles_and_links_become_spans(tmp_path: Path) -> None:
    link = "<a href='https://example.org/x'>linked</a>"
    html = f"<p>{LOREM} <b>bold</b> <i>slanted</i> <code>typed</code> {link} x<sup>2</sup></p>"
    (block,) = flow(printed(tmp_path / "a.pdf", html, "code{font-family:monospace} sup{font-size:60%}"))
    spans = {s.text.strip(): s for line in block.lines for s in line.spans}
    assert spans["bold"].style.bold
    assert spans["slanted"].style.italic
    assert spans["typed"].style.mono
    assert spans["linked"].link == "https://example.org/x"
    assert spans["2"].style.script == "super"


def test_letters_of_formulas_are_raised_and_lowered_like_others() -> None:
    def word(text: str, left: float, baseline: float, size: float, math: bool = True) -> Word:
        width = 0.5 * size * len(text)
        return Word(text, left, baseline - size, left + width, baseline, baseline, size, Font(math=math))

    parts = [word("GF(", 0, 100, 10, math=False), word("p", 15, 100, 10), word("m", 20, 96, 7), word("x", 30, 100, 10)]
    line = line_of([*parts, word("i", 35, 102, 7), word("of the field", 42, 100, 10, math=False)])
    assert [part.script for part in line.words] == ["", "", "super", "", "sub", ""]


def test_arabic_and_hebrew_come_out_in_logical_order(tmp_path: Path) -> None:
    arabic, hebrew = "مرحبا بكم في الميناء", "שלום לכל הספנים"
    found = flow(printed(tmp_path / "a.pdf", f"<p dir=rtl>{arabic}</p><p dir=rtl>{hebrew}</p>"))
    text = "\n".join(flowed_text(b.lines) for b in found)
    if "\ufffd" in text or not any("\u0590" <= c <= "\u06ff" for c in text):
        pytest.skip("this machine has no Arabic or Hebrew font to print with")
    assert hebrew in text


@pytest.mark.parametrize("turn", [90, 180, 270])
def test_rotated_pages_read_like_upright_ones(tmp_path: Path, turn: int) -> None:
    path = printed(tmp_path / "a.pdf", f"<h1>Harbours</h1><p>{LOREM}</p>")
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        pdf.pages[0].Rotate = turn
        pdf.save(path)
    with read(path) as (page,):
        assert [b.kind for b in page.blocks] == ["doc_title", "text"]
        assert flowed_text(page.blocks[1].lines) == LOREM.strip()
        assert page.angle == -turn % 360
        assert all(0 <= c <= page.height for b in page.blocks for c in b.quad)


def test_each_line_of_a_narrow_list_is_kept_though_the_next_would_not_have_fitted(tmp_path: Path) -> None:
    items = [
        "3 cups of old timber",
        "250 grams of brick,<br>sifted",
        "2 quays of old slate",
        "1 spoon of salt",
        "4 storms",
    ]
    (found,) = flow(printed(tmp_path / "a.pdf", "<br>".join(items)))
    assert flowed_text(found.lines).split("\n") == [item.replace("<br>", " ") for item in items]


def test_the_next_term_of_a_glossary_is_no_end_of_the_last_ones_text(tmp_path: Path) -> None:
    terms = [6 * word for word in ("Brick", "Quayside", "Timber")]  # they would not have fitted on the line above
    text = f"{LOREM[:170].rpartition(' ')[0]}."
    entries = "".join(f"<dt><b>{term}</b></dt><dd>{text}</dd>" for term in terms)
    css = "dt, dd {margin: 0; line-height: 14pt} dd {margin-left: 30pt}"
    found = flow(printed(tmp_path / "a.pdf", f"<dl>{entries}</dl>", css))
    assert [flowed_text(block.lines) for block in found] == [part for term in terms for part in (term, text)]


def test_code_keeps_indentation_and_empty_lines(tmp_path: Path) -> None:
    code = "def go():\n    if True:\n        return 1\n\nprint(go())"
    html = f"<p>{LOREM}</p><pre>{code}</pre><p>{LOREM}</p>"
    found = flow(printed(tmp_path / "a.pdf", html, "pre{font-family:monospace}"))
    assert [b.kind for b in found] == ["text", "code", "text"]
    assert found[1].text == code


def test_a_paragraph_over_a_page_end_is_marked_as_going_on(tmp_path: Path) -> None:
    css = "@page{size:300pt 300pt;margin:40pt}"
    found = flow(printed(tmp_path / "a.pdf", f"<p>{LOREM.replace('.', '') * 8}</p>", css))
    assert [b.continues for b in found] == [False] + [True] * (len(found) - 1)
    assert len(found) > 1


def test_pictures_are_blocks_with_their_own_bytes(tmp_path: Path) -> None:
    path = printed(tmp_path / "a.pdf", f"<p>{LOREM}</p><img src='{picture()}' width=200><p>{LOREM}</p>")
    found = [b for b in blocks(path) if b.kind == "image"]
    assert len(found) == 1
    image = found[0].image
    assert image is not None
    assert image.data.startswith(b"\x89PNG")
    assert (image.width, image.height) == (60, 40)
    assert not [b for b in blocks(path, Options(images=False)) if b.kind == "image"]


def test_broken_and_locked_files_are_refused_with_their_codes(tmp_path: Path) -> None:
    broken = tmp_path / "broken.pdf"
    broken.write_bytes(b"%PDF-1.7\nnothing here")
    locked = tmp_path / "locked.pdf"
    with pikepdf.open(printed(tmp_path / "a.pdf", LOREM)) as pdf:
        pdf.save(locked, encryption=pikepdf.Encryption(owner="o", user="secret", R=6))
    for path, password, code in ((broken, "", "02207"), (locked, "", "02201"), (locked, "wrong", "120002")):
        with pytest.raises(Refused) as refused, read(path, password=password):
            pass
        assert refused.value.code == code
        assert str(tmp_path) not in refused.value.reason
        assert "wrong" not in refused.value.reason.replace("is wrong", "")
    with read(locked, password="secret") as pages:
        assert pages[0].blocks


def test_a_document_without_pages_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "none.pdf"
    pikepdf.new().save(path)
    with pytest.raises(Refused) as refused, read(path):
        pass
    assert refused.value.code == "02207"


def test_no_character_is_lost_or_doubled_by_layout(tmp_path: Path) -> None:
    """Columns, ruled and unruled tables, lists, code, heads and sideways text on the same pages."""
    table = "<table class=%s>" + "".join(f"<tr><td>c{n}</td><td>d{n}<td>e{n}</td></tr>" for n in range(5)) + "</table>"
    body = f"<h2>Part</h2><p>{LOREM * 2}</p><ul><li>one<li>two</ul>{table % 'g'}{table % 'n'}<pre>code here</pre>"
    html = f"<div class=c>{body * 6}</div><p style='writing-mode:vertical-rl'>along the side</p>{body}"
    css = ".c{column-count:2} .g td{border:1px solid #000} td{padding:2px 12px} @page{@top-left{content:'Report'}}"
    path = printed(tmp_path / "a.pdf", html, css)

    def characters(options: Options) -> Counter[str]:
        found: Counter[str] = Counter()
        for block in blocks(path, options):
            lines = [*block.lines, *(line for item in block.items for line in item.lines)]
            lines += [line for cell in (block.table.cells if block.table else ()) for line in cell.lines]
            for line in lines:
                found.update("".join(line.text.split()))
            found.update(item.marker for item in block.items)
        return found

    assert characters(Options()) == characters(Options(layout=False))


def test_a_title_larger_than_all_headings_is_the_documents_title(tmp_path: Path) -> None:
    html = f"<h1>Harbours</h1><h2>Quays</h2><p>{LOREM}</p><h2>Cranes</h2><p>{LOREM}</p>"
    assert [b.kind for b in flow(printed(tmp_path / "a.pdf", html))][:2] == ["doc_title", "paragraph_title"]


def test_hostile_pages_end(tmp_path: Path) -> None:
    """A page of a million characters, a thousand nested forms, a page larger than a country."""
    pdf = pikepdf.new()
    font = pikepdf.Dictionary(Type=pikepdf.Name.Font, Subtype=pikepdf.Name.Type1, BaseFont=pikepdf.Name.Helvetica)
    pdf.add_blank_page(page_size=(14400, 14400))
    line = b"(" + b"many words in a row " * 50 + b") Tj 0 -12 Td\n"
    pdf.pages[0].Contents = pdf.make_stream(b"BT /F 1 Tf 10 14000 Td " + line * 1000 + b"ET")
    form = pdf.make_stream(b"0 0 10 10 re f", Type=pikepdf.Name.XObject, Subtype=pikepdf.Name.Form, BBox=[0, 0, 9, 9])
    for _ in range(300):
        inner = pikepdf.Dictionary(XObject=pikepdf.Dictionary(X=form))
        form = pdf.make_stream(
            b"/X Do", Type=pikepdf.Name.XObject, Subtype=pikepdf.Name.Form, BBox=[0, 0, 9, 9], Resources=inner
        )
    pdf.pages[0].Resources = pikepdf.Dictionary(Font=pikepdf.Dictionary(F=font))
    pdf.add_blank_page()
    pdf.pages[1].MediaBox = [0, 0, 10**7, 10**7]
    pdf.pages[1].Resources = pikepdf.Dictionary(XObject=pikepdf.Dictionary(X=form))
    pdf.pages[1].Contents = pdf.make_stream(b"/X Do " * 2000 + b"0 0 m 1e30 1e30 l S " * 1000)
    pdf.save(tmp_path / "a.pdf")
    with read(tmp_path / "a.pdf") as pages:
        assert len(pages) == 2


def test_ragged_lines_that_stop_before_long_words_flow(tmp_path: Path) -> None:
    word = "unanimous"
    lines = [" ".join([word] * 6), *[" ".join([*[word] * 5, "nu"])] * 3]  # an eighth shorter: no room for another
    wide = (
        "What stands above is a good deal narrower than the column in which it stands, as this line shows to all. " * 4
    )
    text, _wide = flow(printed(tmp_path / "a.pdf", f"<p>{'<br>'.join(lines)}</p><p>{wide}</p>"))
    assert "hard" not in [line.ends for line in text.lines[:-1]]


def test_lines_that_are_spaced_doubly_are_paragraphs(tmp_path: Path) -> None:
    css = "p{line-height:2.3;text-indent:36pt;margin:0}"
    found = blocks(printed(tmp_path / "a.pdf", f"<p>{LOREM * 2}</p><p>{LOREM * 3}</p>", css))
    assert [" ".join(block.text.split()) for block in found] == [(LOREM * 2).strip(), (LOREM * 3).strip()]


def test_the_hyphens_of_browsers_divide_words_as_others_do(tmp_path: Path) -> None:
    words = ["interdepartmental", "administrative", "responsibilities", "transportation", "organisational"]
    text = "A report of " + " ".join(f"{word[:6]}\u2010<br>{word[6:]}" for word in words)
    made = markdown(printed(tmp_path / "a.pdf", f"<p style='width:40mm'>{text}</p>"), tmp_path / "out")
    assert made.split()[3:] == words
