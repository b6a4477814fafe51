"""The Word writer: what Word and python-docx find in its files."""

from __future__ import annotations

import re
import zipfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import docx
import pytest
from docx.document import Document
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from lxml import etree

from paperchute.engine.document.geometry import Box, Quad
from paperchute.engine.document.model import UNSEEN, Facts, Line, Note, Page, Span, Style
from paperchute.engine.writing.docx.writer import write_docx
from tests.engine.writing.models import PLAIN, block, items, line, page, picture, table
from tests.engine.writing.word_numbers import labelled

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"


def written(path: Path, pages: Sequence[Page], boxed: bool = False) -> Document:
    write_docx(Facts(len(pages), "A title", 10), iter(pages), path, boxed=boxed)
    check_package(path)
    return docx.Document(str(path))


def check_package(path: Path) -> None:
    """Every part is well-formed XML, every relation has its target, ids of drawings and bookmarks are unique."""
    with zipfile.ZipFile(path) as package:
        names = set(package.namelist())
        assert len(names) == len(package.namelist())
        types = package.read("[Content_Types].xml").decode()
        for name in names:
            if name.endswith((".xml", ".rels")):
                etree.fromstring(package.read(name))
        for name in (n for n in names if n.endswith(".rels")):
            folder = name.replace("_rels/", "").rsplit("/", 1)[0] if "/" in name.replace("_rels/", "") else ""
            ids = []
            for relation in etree.fromstring(package.read(name)):
                ids.append(relation.get("Id"))
                target = relation.get("Target", "")
                if relation.get("TargetMode") != "External":
                    full = target.lstrip("/") if target.startswith("/") else f"{folder}/{target}".lstrip("/")
                    assert full in names, target
                    assert full in types or full.rsplit(".", 1)[1] in types
            assert max(Counter(ids).values(), default=0) < 2
        body = etree.fromstring(package.read("word/document.xml"))
        drawn = [e.get("id") for e in body.iter("{*}docPr")]
        assert len(drawn) == len(set(drawn))
        for cell in body.iter(f"{W}tc"):
            assert cell[-1].tag == f"{W}p"
        used = {e.get(f"{W}val") for e in body.iter(f"{W}pStyle", f"{W}rStyle")}
        known = {e.get(f"{W}styleId") for e in etree.fromstring(package.read("word/styles.xml")).iter(f"{W}style")}
        assert used <= known


def texts(document: Document) -> list[str]:
    return [paragraph.text for paragraph in document.paragraphs]


def body_of(document: Document) -> Any:
    return document.element.body


def plain(element: Any) -> str:
    """The text inside an element; python-docx's own classes make `itertext` say it several times."""
    return "".join(e.text or "" for e in element.iter(f"{W}t"))


def test_wrapped_lines_become_one_paragraph_and_words_are_whole_again(tmp_path: Path) -> None:
    first = replace(line("The quick sur-"), ends="hyphen")
    document = written(tmp_path / "a.docx", [page(block(first, line("vey of the north", 112)))])
    assert texts(document) == ["The quick survey of the north"]


def test_what_a_page_end_broke_is_one_paragraph(tmp_path: Path) -> None:
    more = block(line("to the end.", 72), continues=True)
    document = written(tmp_path / "a.docx", [page(block(line("It goes on", 760))), page(more, number=2)])
    assert texts(document) == ["It goes on to the end."]


def test_headings_have_styles_that_look_as_printed(tmp_path: Path) -> None:
    big, small = Style(bold=True, size=20, font="Arial-BoldMT"), Style(italic=True, size=13, font="Arial-ItalicMT")
    blocks = [
        block(line("Title", 50, style=big), kind="doc_title", level=1),
        block(line("Part", 100, style=small), kind="paragraph_title", level=2),
        block(line("Text", 130)),
    ]
    document = written(tmp_path / "a.docx", [page(*blocks)])
    assert [p.style.name for p in document.paragraphs if p.style] == ["Title", "Heading 2", "Normal"]
    heading: Any = document.styles["Heading 2"]
    assert (heading.font.size.pt, heading.font.bold, heading.font.italic) == (13, None, True)
    assert document.paragraphs[1].runs[0].font.size is None  # the style says it


def test_runs_keep_their_looks(tmp_path: Path) -> None:
    spans = [
        Span("a ", PLAIN),
        Span("b", replace(PLAIN, bold=True)),
        Span("c", replace(PLAIN, italic=True)),
        Span("2", replace(PLAIN, script="super")),
        Span("x()", Style(mono=True, size=10)),
        Span("big", replace(PLAIN, size=14)),
    ]
    document = written(tmp_path / "a.docx", [page(block(line(spans)), block(line("plain " * 20, 130)))])
    runs = {run.text: run.font for run in document.paragraphs[0].runs}
    assert runs["b"].bold
    assert runs["c"].italic
    assert runs["2"].superscript
    assert runs["x()"].name == "Courier New"
    assert document.paragraphs[1].runs[0].font.size is None


def test_links_go_where_they_went(tmp_path: Path) -> None:
    target = "https://a.example/?x=1&y=2"
    bold = replace(PLAIN, bold=True)
    spans = [Span("see ", PLAIN), Span("the ", PLAIN, target), Span("page", bold, target)]
    document = written(tmp_path / "a.docx", [page(block(line(spans)))])
    (link,) = document.paragraphs[0].hyperlinks
    assert (link.text, link.url) == ("the page", target)


def test_lists_are_counted_by_word_and_start_where_they_did(tmp_path: Path) -> None:
    one = items((0, "3.", "third"), (1, "a)", "nested"), (1, "b)", "more"), (0, "4.", "fourth"), (0, "•", "dot"))
    two = items((0, "5.", "fifth"), top=300)
    document = written(tmp_path / "a.docx", [page(one, block(line("between", 280)), two)])
    assert [entry for entry in labelled(tmp_path / "a.docx") if entry[0]] == [
        ("3.", "third"),
        ("a)", "nested"),
        ("b)", "more"),
        ("4.", "fourth"),
        ("•", "dot"),
        ("5.", "fifth"),
    ]
    numbers = [str(e.get(f"{W}val")) for e in body_of(document).iter(f"{W}numId")]
    assert numbers == ["1", "1", "1", "1", "2", "1"]


def test_tables_keep_spans_and_heads(tmp_path: Path) -> None:
    made = table(
        [["Port", "Ships", "Price"], ["Narvik", "3", "1,000"], ["<", "14", "7"], ["Total", "<", "9"]],
        {(1, 0): (2, 1), (3, 0): (1, 2)},
    )
    document = written(tmp_path / "a.docx", [page(made)])
    (found,) = document.tables
    assert [[cell.text for cell in row.cells] for row in found.rows] == [
        ["Port", "Ships", "Price"],
        ["Narvik", "3", "1,000"],
        ["Narvik", "14", "7"],
        ["Total", "Total", "9"],
    ]
    assert found.cell(1, 0)._tc is found.cell(2, 0)._tc
    heads = [row._tr.find(f".//{W}tblHeader") is not None for row in found.rows]
    assert heads == [True, False, False, False]


def test_pictures_are_stored_once_even_when_they_have_no_jfif_head(tmp_path: Path) -> None:
    bare = picture(kind="jpg")
    assert bare.image is not None
    data = bare.image.data
    cut = data[:2] + data[2 + 2 + int.from_bytes(data[4:6], "big") :]  # without the APP0 segment
    bare = replace(bare, image=replace(bare.image, data=cut))
    path = tmp_path / "a.docx"
    written(path, [page(bare, block(line("between", 400)), bare, picture("blue"))])
    with zipfile.ZipFile(path) as package:
        assert sorted(n for n in package.namelist() if "media" in n) == [
            "word/media/image1.jpg",
            "word/media/image2.png",
        ]
        xml = package.read("word/document.xml").decode()
    assert xml.count("<wp:inline") == 3
    assert 'cx="1270000" cy="635000"' in xml


def test_a_picture_s_line_is_as_high_as_it_where_lines_are_set_close(tmp_path: Path) -> None:
    close = block(*(line(f"line {n}", 100 + 10 * n) for n in range(6)))
    document = written(tmp_path / "a.docx", [page(close, picture())])
    (usual,) = document.styles.element.iterfind(f"{W}docDefaults/{W}pPrDefault/{W}pPr/{W}spacing")
    assert int(usual.get(f"{W}line")) < 240
    (own,) = (p for p in body_of(document).iter(f"{W}p") if p.find(f".//{W}drawing") is not None)
    spacing = own.find(f"{W}pPr/{W}spacing")
    assert spacing is not None
    assert (spacing.get(f"{W}line"), spacing.get(f"{W}lineRule")) == ("240", "auto")


def test_a_picture_behind_the_page_stays_behind_it(tmp_path: Path) -> None:
    back = picture(box=Box(0, 0, 595, 842), background=True)
    path = tmp_path / "a.docx"
    document = written(path, [page(back, block(line("over it")))])
    (anchor,) = body_of(document).iter("{*}anchor")
    assert anchor.get("behindDoc") == "1"
    assert texts(document) == ["over it"]


def test_annotations_are_comments_at_their_paragraph(tmp_path: Path) -> None:
    note = Note("text", Quad.of(Box(80, 130, 90, 140)), "Check <this>\nand that", "Ada")
    made = replace(page(block(line("one", 100)), block(line("two", 130))), notes=(note,))
    document = written(tmp_path / "a.docx", [made])
    (comment,) = list(document.comments)
    assert (comment.text, comment.author) == ("Check <this>\nand that", "Ada")
    assert [p._p.find(f"{W}commentRangeStart") is not None for p in document.paragraphs] == [False, True]


def footnoted() -> Page:
    mark = replace(PLAIN, script="super", size=6)
    text = line([Span("A claim", PLAIN), Span("1", mark), Span(" and another", PLAIN), Span("†", mark)])
    notes = [
        block(line([Span("1", mark), Span(" First note", PLAIN)], 700), kind="footnote"),
        block(line([Span("†", mark), Span(" Second note", PLAIN)], 720), kind="footnote"),
        block(line([Span("7", mark), Span(" Nobody refers to me", PLAIN)], 740), kind="footnote"),
    ]
    return page(block(text), *notes)


def test_footnotes_are_words_own_and_none_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "a.docx"
    document = written(path, [footnoted()])
    with zipfile.ZipFile(path) as package:
        notes = etree.fromstring(package.read("word/footnotes.xml"))
    found = {n.get(f"{W}id"): "".join(map(str, n.itertext())).strip() for n in notes}
    assert found == {"-1": "", "0": "", "1": "First note", "2": "† Second note"}
    references = [e.get(f"{W}id") for e in body_of(document).iter(f"{W}footnoteReference")]
    assert references == ["1", "2"]
    assert texts(document) == ["A claim and another†", "7 Nobody refers to me"]


@pytest.mark.parametrize("at_the_end", [False, True])
def test_text_behind_the_mark_of_a_note_is_as_large_as_before_and_parted_by_a_space(
    at_the_end: bool, tmp_path: Path
) -> None:
    mark = replace(PLAIN, script="super", size=6.5)
    claim, more = Span("A claim.", PLAIN), Span("The next one", PLAIN)
    within = [line([claim, Span("1 ", mark), more])]
    lines = [line([claim, Span("1", mark)]), line([more], 112)] if at_the_end else within
    note = block(line([Span("1", mark), Span(" First note", PLAIN)], 700), kind="footnote")
    document = written(tmp_path / "a.docx", [page(block(*lines), note)])
    (paragraph,) = document.paragraphs
    assert paragraph.text == "A claim. The next one"
    assert [run.font.size for run in paragraph.runs if run.text.strip()] == [None, None]


def test_headers_footers_and_page_numbers_belong_to_the_section(tmp_path: Path) -> None:
    def numbered(number: int) -> Page:
        left, right = ("Report", "Ada") if number % 2 else ("Left", "Bob")
        return page(
            block(line(left, 30, 72, 120), kind="header"),
            block(line(right, 30, 480, 520), kind="header"),
            block(line("text", 100 + number)),
            block(line(f"Page {number} of 4", 800, 270, 320), kind="number"),
            number=number,
        )

    document = written(tmp_path / "a.docx", [numbered(n) for n in (1, 2, 3, 4)])
    (section,) = document.sections
    assert section.header.paragraphs[0].text == "Report\t\tAda"
    assert section.even_page_header.paragraphs[0].text == "Left\t\tBob"
    assert document.settings.odd_and_even_pages_header_footer
    footer = section.footer._element
    assert [e.get(f"{W}instr").strip() for e in footer.iter(f"{W}fldSimple")] == ["PAGE", "NUMPAGES"]
    assert plain(footer) == "Page 1 of 1"
    assert "Report" not in texts(document)


def test_heads_that_differ_in_a_number_which_is_not_the_page_s_are_all_kept(tmp_path: Path) -> None:
    def headed(number: int) -> Page:
        head = block(line(f"Chapter {(number + 3) // 2}", 30, 72, 120), kind="header")
        return page(head, block(line(f"text {number}", 100)), number=number)

    path = tmp_path / "a.docx"
    document = written(path, [headed(n) for n in range(1, 7)])
    margins = {p.text for section in document.sections for p in section.header.paragraphs}
    margins |= {p.text for section in document.sections for p in section.even_page_header.paragraphs}
    said = " ".join([*margins, *texts(document)])
    assert [said.count(f"Chapter {n}") for n in (2, 3, 4)] == [1, 1, 1]


def test_every_page_size_is_a_section(tmp_path: Path) -> None:
    pages = [
        page(block(line("a"))),
        page(block(line("b")), number=2, width=842, height=595),
        page(block(line("c")), number=3),
    ]
    document = written(tmp_path / "a.docx", pages)
    sizes = [
        (round(s.page_width.pt), round(s.page_height.pt)) for s in document.sections if s.page_width and s.page_height
    ]
    assert sizes == [(595, 842), (842, 595), (595, 842)]


def columns_page() -> Page:
    left = [line(f"left {n} " * 6, 100 + 12 * n, 72, 280) for n in range(20)]
    right = [line(f"right {n} " * 6, 100 + 12 * n, 310, 520) for n in range(20)]
    head = block(line("A head over all of it", 70), kind="paragraph_title", level=1)
    foot = block(*(line(f"wide {n} " * 14, 360 + 12 * n) for n in range(3)))
    return page(head, block(*left), block(*right), foot)


def test_columns_are_sections_of_their_own_on_the_same_page(tmp_path: Path) -> None:
    document = written(tmp_path / "a.docx", [columns_page()])
    found = []
    for section in body_of(document).iter(f"{W}sectPr"):
        columns = section.find(f"{W}cols").get(f"{W}num")
        found.append((columns, section.find(f"{W}type").get(f"{W}val")))
    assert found == [(None, "nextPage"), ("2", "continuous"), (None, "continuous")]
    assert texts(document)[1].startswith("left 0")
    assert texts(document)[2].startswith("right 0")


def test_a_page_left_early_ends_where_it_did(tmp_path: Path) -> None:
    full = block(*(line(f"line {n}", 72 + 12 * n) for n in range(58)))
    pages = [page(full), page(block(line("short", 72)), number=2), page(block(line("new", 72)), number=3)]
    document = written(tmp_path / "a.docx", pages)
    assert [p.paragraph_format.page_break_before for p in document.paragraphs] == [None, None, True]


@pytest.mark.parametrize(("last", "begins"), [(90, True), (400, True), (620, None)])
def test_short_pages_end_where_they_did_though_no_page_is_full(
    last: float, begins: bool | None, tmp_path: Path
) -> None:
    """Notices, slides and letters of which none reaches the lower margin."""
    pages = [page(block(line("first", 72)), block(line("last", last)), number=n) for n in (1, 2, 3)]
    document = written(tmp_path / "a.docx", pages)
    assert [p.paragraph_format.page_break_before for p in document.paragraphs] == [
        None,
        None,
        begins,
        None,
        begins,
        None,
    ]


def test_right_to_left_text_runs_from_right_to_left(tmp_path: Path) -> None:
    document = written(tmp_path / "a.docx", [page(block(line("مرحبا بالعالم abc 123")))])
    paragraph = document.paragraphs[0]
    assert paragraph._p.find(f".//{W}bidi") is not None
    assert [(run.text, run.font.rtl) for run in paragraph.runs] == [("مرحبا بالعالم ", True), ("abc 123", None)]


def test_boxes_stand_where_they_were_printed(tmp_path: Path) -> None:
    blocks = [
        block(line("one two", 100, 72, 110)),
        table([["a", "b"]]),
        picture(),
        picture(box=Box(0, 0, 595, 842), background=True),
    ]
    head = block(line("Head", 30, 72, 120), kind="header")
    document = written(tmp_path / "a.docx", [page(head, *blocks), page(block(line("next")), number=2)], boxed=True)
    assert len(document.sections) == 2
    anchors = list(body_of(document).iter("{*}anchor"))
    places = [tuple(int(e.text) / 12700 for e in a.iter("{*}posOffset")) for a in anchors]
    assert places == [(0, 0), (72, 30), (72, 100), (72, 200), (72, 300), (72, 100)]
    assert [a.get("behindDoc") for a in anchors] == ["1", "0", "0", "0", "0", "0"]
    box = anchors[2]
    assert plain(box) == "one two"
    assert [e.get(f"{W}lineRule") for e in box.iter(f"{W}spacing")] == ["exact"]


@pytest.mark.parametrize(("angle", "turn"), [(0, None), (90, "vert"), (270, "vert270")])
def test_sideways_text_is_turned(tmp_path: Path, angle: int, turn: str | None) -> None:
    box = Box(20, 200, 32, 400) if angle else Box(20, 200, 220, 212)
    made = Line(Quad.of(box, angle), (Span("a stamp along the margin", PLAIN),))
    document = written(tmp_path / "a.docx", [page(block(made, kind="aside_text"))], boxed=True)
    (properties,) = body_of(document).iter("{*}bodyPr")
    assert properties.get("vert") == turn


def test_flowing_text_keeps_colours_grounds_and_lines(tmp_path: Path) -> None:
    style = replace(PLAIN, color="#c80014", ground="#ffff00", underline=True, strike=True)
    spans = [
        Span("plain ", PLAIN),
        Span("marked", style),
        Span(" link", replace(style, ground=""), "https://example.org"),
    ]
    shaded = table([["a", "b"], ["c", "d"]])
    assert shaded.table is not None
    cells = tuple(replace(cell, shade="#203040" if cell.row == 0 else "") for cell in shaded.table.cells)
    shaded = replace(shaded, table=replace(shaded.table, cells=cells))
    document = written(tmp_path / "a.docx", [page(block(line(spans)), shaded)])
    (paragraph,) = [p for p in document.paragraphs if "marked" in p.text]
    plain_run, marked = paragraph.runs[:2]
    assert (plain_run.font.color.rgb, plain_run.font.underline, plain_run.font.strike) == (None, None, None)
    assert (str(marked.font.color.rgb), marked.font.underline, marked.font.strike) == ("C80014", True, True)
    fills = [e.get(f"{W}fill") for e in body_of(document).iter(f"{W}shd")]
    assert fills == ["FFFF00", "203040", "203040"]
    assert [e.get(f"{W}val") for e in body_of(document).iter(f"{W}color")] == [
        "C80014"
    ]  # links have a style of their own


def test_lines_of_vertical_writing_stand_in_boxes_of_their_own(tmp_path: Path) -> None:
    style = replace(PLAIN, stacked=True)
    lines = [Line(Quad.of(Box(left, 80, left + 12, 300), 90), (Span("港の記録", style),)) for left in (200, 180)]
    document = written(tmp_path / "a.docx", [page(block(*lines))], boxed=True)
    assert [properties.get("vert") for properties in body_of(document).iter("{*}bodyPr")] == ["eaVert"] * 2


def test_colours_and_the_drawing_behind(tmp_path: Path) -> None:
    drawn = picture(kind="jpg").image
    spans = [Span("red", replace(PLAIN, color="#c80014")), Span(" hidden", replace(PLAIN, color=UNSEEN))]
    made = replace(page(block(line(spans)), table([["a", "b"]])), backdrop=drawn)
    document = written(tmp_path / "a.docx", [made], boxed=True)
    behind, *_ = body_of(document).iter("{*}anchor")
    assert behind.get("behindDoc") == "1"
    assert [e.get(f"{W}val") for e in body_of(document).iter(f"{W}color")] == ["C80014"]
    assert "hidden" in plain(body_of(document))
    assert not list(body_of(document).iter(f"{W}tblBorders"))


def test_printed_lines_stay_lines_in_boxes(tmp_path: Path) -> None:
    divided = replace(line("The quick sur-"), ends="hyphen")
    document = written(tmp_path / "a.docx", [page(block(divided, line("vey", 112)))], boxed=True)
    (content,) = body_of(document).iter(f"{W}txbxContent")
    assert [plain(p) for p in content] == ["The quick sur-", "vey"]


@pytest.mark.parametrize("boxed", [False, True])
def test_pages_of_any_size_are_within_words_limits(tmp_path: Path, boxed: bool) -> None:
    for size in ((0.24, 0.24), (7200, 20), (9000, 9000)):
        made = page(block(line("x", 0, 0, 1)), picture(box=Box(0, 0, *size)), width=size[0], height=size[1])
        document = written(tmp_path / "a.docx", [made], boxed)
        for section in document.sections:
            assert section.page_width is not None
            assert section.page_height is not None
            assert 36 <= section.page_width.pt <= 1584
            assert 36 <= section.page_height.pt <= 1584


@pytest.mark.parametrize("boxed", [False, True])
def test_nothing_at_all_is_an_empty_document(tmp_path: Path, boxed: bool) -> None:
    assert "".join(texts(written(tmp_path / "a.docx", [page()], boxed))) == ""


texts_of_any_kind = st.text(max_size=40)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(texts_of_any_kind, min_size=1, max_size=6), st.booleans(), st.sampled_from(["super", "sub", ""]))
@example(["\ue000PAGE", "\0NUMPAGES"], False, "")
def test_any_text_comes_through_but_what_xml_forbids(
    tmp_path: Path, words: list[str], boxed: bool, script: Any
) -> None:
    spans = [
        Span(word, replace(PLAIN, script=script), "https://a.example/" if n % 2 else "") for n, word in enumerate(words)
    ]
    made = Line(Quad.of(Box(72, 100, 500, 110)), tuple(spans))
    document = written(tmp_path / "a.docx", [page(block(made))], boxed)
    allowed = re.compile(r"[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
    expected = allowed.sub("", "".join(words).replace("\r\n", "\n").replace("\r", "\n"))
    found = plain(body_of(document))
    assert found.split() == expected.split() or "".join(found.split()) == "".join(expected.split())
