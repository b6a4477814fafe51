"""Markdown that reads back as the text that went in."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from paperchute.engine.document.geometry import Box, Quad
from paperchute.engine.document.model import Block, Cell, Line, ListItem, Page, Span, Style, Table
from paperchute.engine.writing.markdown import MarkdownWriter

QUAD = Quad.of(Box(0, 0, 10, 10))
GITHUB = MarkdownIt("commonmark").enable(["table", "strikethrough"])
NASTY = st.text(st.sampled_from("ab1 *_`[]()<>&#~!|\\-+=.:\"'é漢^{}$%@/\u00a0"), min_size=1, max_size=30)
STYLES = st.builds(
    Style, bold=st.booleans(), italic=st.booleans(), mono=st.booleans(), script=st.sampled_from(("", "super", "sub"))
)
SPANS = st.lists(
    st.builds(Span, NASTY, STYLES, st.sampled_from(("", "https://example.org/a_(b)?c=*d*&amp=1"))),
    min_size=1,
    max_size=5,
)


def line(*spans: Span) -> Line:
    return Line(QUAD, spans)


def written(folder: Path, *blocks: Block, boxed: bool = False) -> str:
    return MarkdownWriter(folder, "a", boxed).write([Page(1, 100, 100, blocks=blocks)]).read_text("utf-8")


def seen(markdown: str) -> str:
    """The text a reader sees, white space aside."""
    shown = re.sub(r"</?(?:sup|sub|strong|em|p|br|code|a|b)\b[^>]*>", "", GITHUB.render(markdown))
    return squeezed(html.unescape(shown))


def squeezed(text: str) -> str:
    return "".join(text.split())


def text_of(spans: list[Span]) -> str:
    return "".join(span.text for span in spans)


@given(spans=SPANS)
def test_any_text_survives_in_a_paragraph(tmp_path_factory: pytest.TempPathFactory, spans: list[Span]) -> None:
    folder = tmp_path_factory.mktemp("md")
    markdown = written(folder, Block("text", QUAD, (line(*spans),)))
    assert seen(markdown) == squeezed(text_of(spans)), markdown


@given(cells=st.lists(SPANS, min_size=4, max_size=4))
def test_any_text_survives_in_a_pipe_table(tmp_path_factory: pytest.TempPathFactory, cells: list[list[Span]]) -> None:
    folder = tmp_path_factory.mktemp("md")
    table = Table(2, 2, tuple(Cell(n // 2, n % 2, QUAD, (line(*spans),)) for n, spans in enumerate(cells)), True)
    rendered = GITHUB.render(written(folder, Block("table", QUAD, table=table)))
    found = re.findall(r"<t[hd]>(.*?)</t[hd]>", rendered, re.S)
    shown = [squeezed(html.unescape(re.sub(r"</?(?:sup|sub|strong|em|code|a)\b[^>]*>", "", cell))) for cell in found]
    assert shown == [squeezed(text_of(spans)) for spans in cells], rendered


@given(items=st.lists(st.tuples(st.integers(0, 3), st.booleans(), SPANS), min_size=1, max_size=6))
def test_any_text_survives_in_a_list(
    tmp_path_factory: pytest.TempPathFactory, items: list[tuple[int, bool, list[Span]]]
) -> None:
    folder = tmp_path_factory.mktemp("md")
    found = tuple(
        ListItem(level, f"{n}." if ordered else "•", ordered, QUAD, (line(*spans),))
        for n, (level, ordered, spans) in enumerate(items, 1)
    )
    rendered = GITHUB.render(written(folder, Block("list", QUAD, items=found)))
    assert rendered.count("<li>") == len(items)
    shown = re.sub(r"</?(?:sup|sub|strong|em|p|br|code|a|ul|ol|li)\b[^>]*>", "", rendered)
    assert squeezed(html.unescape(shown)) == squeezed("".join(text_of(spans) for _, _, spans in items))


@given(texts=st.lists(NASTY.filter(str.strip), min_size=1, max_size=4))
def test_any_code_survives_in_a_code_block(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> None:
    folder = tmp_path_factory.mktemp("md")
    block = Block("code", QUAD, tuple(line(Span(text, Style(mono=True))) for text in texts))
    (token,) = GITHUB.parse(written(folder, block))
    assert token.content == "".join(text + "\n" for text in texts)


def test_emphasis_is_written_so_that_it_works(tmp_path: Path) -> None:
    bold, slanted = Style(bold=True), Style(italic=True)
    block = Block("text", QUAD, (line(Span("say ", Style()), Span("so ", bold), Span("now", slanted), Span(".")),))
    assert written(tmp_path, block) == "say **so** *now*.\n"
    inside = Block("text", QUAD, (line(Span("un"), Span("(real)", bold), Span("istic")),))
    assert "<strong>(real)</strong>" in GITHUB.render(written(tmp_path, inside))


def test_headings_are_one_line_and_not_bold(tmp_path: Path) -> None:
    lines = (line(Span("1. Two", Style(bold=True))), line(Span("lines", Style(bold=True))))
    assert written(tmp_path, Block("paragraph_title", QUAD, lines, level=2)) == "## 1. Two lines\n"


def test_a_table_with_spans_becomes_html(tmp_path: Path) -> None:
    cells = (
        Cell(0, 0, QUAD, (line(Span("a < b")),), column_span=2, header=True),
        Cell(1, 0, QUAD, (line(Span("c")),)),
        Cell(1, 1, QUAD, (line(Span("d", link="https://example.org/?a=1&b=2")),)),
    )
    text = written(tmp_path, Block("table", QUAD, table=Table(2, 2, cells, True)))
    assert '<th colspan="2">a &lt; b</th>' in text
    assert '<a href="https://example.org/?a=1&amp;b=2">d</a>' in text
    assert "\n\n" not in text.strip()


def test_blocks_that_go_on_are_joined_across_pages(tmp_path: Path) -> None:
    first = Block("text", QUAD, (line(Span("broken by a page")),))
    header = Block("header", QUAD, (line(Span("Report")),))
    more = Block("text", QUAD, (line(Span("end")),), continues=True)
    pages = [Page(1, 9, 9, blocks=(first,)), Page(2, 9, 9, blocks=(header, more))]
    assert MarkdownWriter(tmp_path, "a").write(pages).read_text() == "broken by a page end\n\n<header>Report</header>\n"


def test_list_nesting_uses_the_width_of_the_marker(tmp_path: Path) -> None:
    items = tuple(
        ListItem(level, marker, marker != "•", QUAD, (line(Span(text)),))
        for level, marker, text in ((0, "9.", "nine"), (1, "•", "deep"), (0, "10.", "ten"), (1, "b)", "letter"))
    )
    assert written(tmp_path, Block("list", QUAD, items=items)) == "9. nine\n   - deep\n10. ten\n    - b) letter\n"


def test_items_with_tick_boxes_are_tasks(tmp_path: Path) -> None:
    items = tuple(
        ListItem(0, marker, False, QUAD, (line(Span(text)),))
        for marker, text in (("☐", "open"), ("☑", "b"), ("☒", "c"))
    )
    assert written(tmp_path, Block("list", QUAD, items=items)) == "- [ ] open\n- [x] b\n- [x] c\n"


def test_a_blank_page_is_an_empty_line_and_not_a_file_of_no_bytes(tmp_path: Path) -> None:
    assert written(tmp_path) == "\n"
