"""HTML: well formed, harmless, and saying what the document says."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperchute.engine.document.geometry import Box, Quad
from paperchute.engine.document.model import (
    UNSEEN,
    Block,
    Bookmark,
    Facts,
    Image,
    Line,
    ListItem,
    Note,
    Page,
    Span,
    Style,
)
from paperchute.engine.writing.html.box import font_family
from paperchute.engine.writing.html.writer import HtmlWriter
from tests.engine.writing.blocks import QUAD, lines, page, raised, table, text
from tests.engine.writing.sample import PASSWORD, outputs, rich_pdf

_VOID = {"meta", "img", "br", "link", "hr"}
_NASTY = st.text(st.sampled_from("ab1 <>&\"'=/;:()[]#\x00\x1b\n\t\u202eé漢\u05d0\ufffe`"), max_size=20)
_STYLES = st.builds(
    Style,
    bold=st.booleans(),
    mono=st.booleans(),
    font=_NASTY,
    color=_NASTY,
    size=st.sampled_from([0.0, 8.0, 11.0]),
    script=st.sampled_from(["", "super", "sub"]),
)
_LINKS = st.sampled_from(
    ["", "https://example.org/?a=1&b=\"'<x>", "javascript:alert(1)", "file:///etc/passwd", "data:text/html,x"]
)
_SPANS = st.lists(st.builds(Span, _NASTY, _STYLES, _LINKS), min_size=1, max_size=4).map(tuple)
PNG = Image(b"\x89PNG data", "png", 20, 10)


class Seen(HTMLParser):
    """What a browser would see: the tree checked, texts, tags with attributes."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self._open: list[str] = []
        self.feed(markup)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in _VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag, (tag, self._open)

    def handle_data(self, data: str) -> None:
        if self._open[-1:] != ["style"]:
            self.text += data

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for found, attributes in self.tags if found == tag]


def written(folder: Path, *pages: Page, facts: Facts | None = None, **options: Any) -> Seen:
    (path,) = HtmlWriter(folder, "a", facts or Facts(len(pages)), **options).write_one(pages)
    assert [p.name for p in folder.iterdir()] == ["a.html"]
    return Seen(path.read_text("utf-8"))


def squeezed(words: str) -> str:
    return re.sub(r"[\s\x00-\x1f\x7f\ufffe\u200b]", "", words)


@pytest.fixture(scope="module")
def rich(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return rich_pdf(tmp_path_factory.mktemp("rich"))


@pytest.mark.parametrize("boxed", [False, True])
@given(spans=_SPANS, title=_NASTY)
def test_any_text_is_shown_and_does_nothing(
    tmp_path_factory: pytest.TempPathFactory, boxed: bool, spans: tuple[Span, ...], title: str
) -> None:
    line = Line(QUAD, spans)
    blocks = (
        Block("paragraph_title", QUAD, (line,), level=2),
        Block("text", QUAD, (line,)),
        Block("list", QUAD, items=(ListItem(0, title or "-", True, QUAD, (line,)),)),
        replace(table(("x",)), table=None, lines=(line,)),
    )
    sheet = Page(1, 100, 100, blocks=blocks, notes=(Note(title or "text", QUAD, title, title),))
    folder = tmp_path_factory.mktemp("html")
    facts = Facts(1, title, outline=(Bookmark(1, title or "x", 1),), language="en")
    seen = written(folder, sheet, facts=facts, boxed=boxed, marked=True)
    words = squeezed("".join(span.text for span in spans))
    assert squeezed(seen.text).count(words) >= 4 or not words
    assert not {"script", "iframe", "object", "form", "base"} & {tag for tag, _ in seen.tags}
    assert not any(name.startswith("on") for _, attributes in seen.tags for name in attributes)
    for link in seen.all("a"):
        assert re.match(r"https://example\.org/|#", link["href"] or ""), link


def test_the_page_forbids_scripts(tmp_path: Path) -> None:
    (policy,) = [m for m in written(tmp_path, page(1, text("a"))).all("meta") if "http-equiv" in m]
    assert "script-src 'none'" in str(policy["content"])


def test_flow_joins_what_the_page_end_broke_and_marks_the_page(tmp_path: Path) -> None:
    first = Block("text", QUAD, (Line(QUAD, (Span("a divi-"),), ends="hyphen"),))
    (path,) = HtmlWriter(tmp_path, "a", Facts(2)).write_one([page(1, first), page(2, text("ded word", continues=True))])
    assert re.search(r'<p>a divi<span class="page" id="page-2"[^>]*></span>ded word</p>', path.read_text("utf-8"))


def test_footnotes_stand_at_the_end_and_are_linked_both_ways(tmp_path: Path) -> None:
    words = Block("text", QUAD, (Line(QUAD, (Span("Quays"), raised("1"), Span(" and ships"), raised("2"))),))
    note = Block("footnote", QUAD, (Line(QUAD, (raised("1"), Span("of brick"))),))
    seen = written(tmp_path, page(1, words, note), page(2, text("more")))
    (reference,) = [a for a in seen.all("a") if a.get("role") == "doc-noteref"]
    (back,) = [a for a in seen.all("a") if a.get("role") == "doc-backlink"]
    (foot,) = [p for p in seen.all("p") if p.get("role") == "doc-footnote"]
    assert reference["href"] == f"#{foot['id']}"
    assert back["href"] == f"#{reference['id']}"
    assert seen.text.index("more") < seen.text.index("of brick")


def test_lists_nest_and_keep_their_numbers(tmp_path: Path) -> None:
    def item(level: int, marker: str, ordered: bool, words: str) -> ListItem:
        return ListItem(level, marker, ordered, QUAD, lines(words))

    items = (
        item(0, "3.", True, "three"),
        item(1, "•", False, "dot"),
        item(0, "4.", True, "four"),
        item(0, "7.", True, "seven"),
        item(0, "(b)", True, "b"),
        item(0, "(c)", True, "c"),
    )
    folder = tmp_path
    written(folder, page(1, Block("list", QUAD, items=items)))
    markup = (folder / "a.html").read_text("utf-8")
    assert (
        '<ol start="3"><li>three<ul><li>dot</li></ul></li><li>four</li><li value="7">seven</li></ol>'
        '<ol type="a" start="2"><li data-marker="(b)">b</li><li data-marker="(c)">c</li></ol>'
    ) in markup


def test_right_to_left_text_says_so(tmp_path: Path) -> None:
    seen = written(tmp_path, page(1, text("שלום לכולם"), text("hello")))
    assert [p.get("dir") for p in seen.all("p")] == ["rtl", None]


def test_tables_keep_head_and_spans(tmp_path: Path) -> None:
    block = table(("Port", "Ships"), ("x", "1,200"), ("y", ""))
    assert block.table is not None
    wide = replace(block.table.cells[0], column_span=2)
    cells = (wide, *block.table.cells[2:])
    seen = written(tmp_path, page(1, replace(block, table=replace(block.table, cells=cells))))
    assert [th.get("colspan") for th in seen.all("th")] == ["2"]
    assert [td.get("class") for td in seen.all("td")] == [None, "n", None, None]


def test_flowing_text_keeps_colours_grounds_and_lines(tmp_path: Path) -> None:
    style = Style(color="#c80014", ground="#ffff00", underline=True, strike=True)
    words = text("marked")
    marked = replace(words, lines=(replace(words.lines[0], spans=(Span("marked", style),)),))
    shaded = table(("a", "b"), ("c", "d"))
    assert shaded.table is not None
    cells = tuple(replace(cell, shade="#203040") for cell in shaded.table.cells[:1]) + shaded.table.cells[1:]
    seen = written(tmp_path, page(1, marked, replace(shaded, table=replace(shaded.table, cells=cells))))
    assert [s.get("style") for s in seen.all("span") if s.get("style")] == ["color:#c80014;background:#ffff00"]
    assert (len(seen.all("u")), len(seen.all("s"))) == (1, 1)
    assert [th.get("style") for th in seen.all("th")] == ["background:#203040", None]


def test_bookmarks_follow_the_outline_else_the_headings_else_the_pages(tmp_path: Path) -> None:
    heading = text("Second part", kind="paragraph_title", level=1)
    outline = (Bookmark(1, "First", 1), Bookmark(2, "Second Part", 2), Bookmark(1, "Not here", 9))

    def links(name: str, facts: Facts, *pages: Page) -> list[str | None]:
        folder = tmp_path / name
        folder.mkdir()
        return [a["href"] for a in written(folder, *pages, facts=facts, marked=True).all("a")]

    pages = (page(1, text("a")), page(2, heading))
    assert links("outline", Facts(2, outline=outline), *pages) == ["#page-1", "#h-2-1"]
    assert links("headings", Facts(2), *pages) == ["#h-2-1"]
    assert links("pages", Facts(2), page(1, text("a")), page(2, text("b"))) == ["#page-1", "#page-2"]


def test_every_link_within_the_files_arrives(rich: Path, tmp_path: Path) -> None:
    for option in ("e_SinglePageWithBookmark", "e_MultiPageWithBookmark"):
        for layout in ("e_Flow", "e_Box"):
            folder = tmp_path / option / layout
            paths = outputs("pdf-to-html", rich, folder, password=PASSWORD, htmlOption=option, pageLayoutMode=layout)
            files = {p.name: Seen(p.read_text("utf-8")) for p in paths if p.suffix == ".html"}
            ids = {name: [str(a["id"]) for _, a in seen.tags if a.get("id")] for name, seen in files.items()}
            assert all(len(found) == len(set(found)) for found in ids.values())
            checked = 0
            for name, seen in files.items():
                for link in seen.all("a"):
                    file, _, anchor = str(link["href"]).partition("#")
                    assert not anchor or anchor in ids[file or name], (name, link)
                    assert not file or file in files
                    checked += 1
                for image in seen.all("img"):
                    source = str(image["src"])
                    assert source.startswith("data:image/") or (folder / source).is_file()
            assert checked >= 3


def test_many_files_lead_from_page_to_page(rich: Path, tmp_path: Path) -> None:
    paths = outputs("pdf-to-html", rich, tmp_path / "a", password=PASSWORD, htmlOption="e_MultiPageWithBookmark")
    assert [p.name for p in paths][:6] == ["index.html", *(f"rich-{n}.html" for n in range(1, 6))]
    second = Seen(paths[2].read_text("utf-8"))
    rels = {a["rel"]: a["href"] for a in second.all("a") if "rel" in a}
    assert rels == {"prev": "rich-1.html", "contents": "index.html", "next": "rich-3.html"}
    plain = outputs("pdf-to-html", rich, tmp_path / "b", password=PASSWORD, htmlOption="e_MultiPage")
    assert [p.name for p in plain][:5] == [f"rich-{n}.html" for n in range(1, 6)]
    assert not Seen(plain[1].read_text("utf-8")).all("nav")


def test_title_and_language_come_from_the_document(rich: Path, tmp_path: Path) -> None:
    (path,) = outputs("pdf-to-html", rich, tmp_path / "out", password=PASSWORD)
    seen = Seen(path.read_text("utf-8"))
    assert seen.all("html") == [{"lang": "en-GB"}]
    assert "Harbours of the north" in seen.text


def test_box_pages_show_each_line_where_it_stands_over_the_drawing(rich: Path, tmp_path: Path) -> None:
    (path,) = outputs("pdf-to-html", rich, tmp_path / "out", password=PASSWORD, pageLayoutMode="e_Box")
    seen = Seen(path.read_text("utf-8"))
    sheets = seen.all("section")
    assert [sheet["id"] for sheet in sheets] == [f"page-{n}" for n in range(1, 6)]
    assert "width:595.32pt" in str(sheets[0]["style"]) or "width:595" in str(sheets[0]["style"])
    assert len(seen.all("img")) >= 3  # pages with rules or pictures
    assert len(seen.all("details")) == 1
    title = seen.all("text")[0]
    assert float(str(title["x"])) == pytest.approx(66, abs=20)
    assert "Page 1" in seen.text  # page furniture belongs to the look


def test_box_keeps_words_under_a_scan_unseen_and_colours_others(tmp_path: Path) -> None:
    found = Block("text", QUAD, (Line(QUAD, (Span("found only", Style(color=UNSEEN)),)),))
    red = Block("text", QUAD, (Line(QUAD, (Span("red words", Style(color="#ff0000")),)),))
    seen = written(tmp_path, replace(page(1, found, red), backdrop=PNG), boxed=True)
    assert [t.get("fill-opacity") for t in seen.all("tspan")] == ["0", None]
    assert [t.get("fill") for t in seen.all("tspan")] == [None, "#ff0000"]
    assert len(seen.all("img")) == 1


def test_sideways_lines_are_turned(tmp_path: Path) -> None:
    quad = Quad.of(Box(10, 100, 22, 200), 270)
    seen = written(tmp_path, page(1, Block("aside_text", quad, (Line(quad, (Span("stamp"),)),))), boxed=True)
    (line,) = seen.all("text")
    assert str(line["transform"]).startswith("rotate(270 ")
    assert line["textlength"] == "100.00"
    assert float(str(line["y"])) == 200


def test_vertical_writing_stays_upright(tmp_path: Path) -> None:
    quad = Quad.of(Box(10, 100, 22, 200), 90)
    made = Line(quad, (Span("港の記録", Style(size=12, stacked=True)),))
    (line,) = written(tmp_path, page(1, Block("text", quad, (made,))), boxed=True).all("text")
    assert line["style"] == "writing-mode:vertical-rl"
    assert "transform" not in line
    assert (line["x"], line["y"]) == ("16.00", "100.00")


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("TimesNewRomanPS-BoldMT", "'Times New Roman','TimesNewRoman',serif"),
        ("Arial-BoldItalicMT", "'Arial',sans-serif"),
        ("LiberationSans", "'Liberation Sans','LiberationSans',sans-serif"),
        ("CourierNewPSMT", "'Courier New','CourierNew',monospace"),
        ("NotoSerif-Regular", "'Noto Serif','NotoSerif',serif"),
        ("SFRM1000", "'SFRM1000',serif"),
        ("LMMono10-Regular", "'LMMono10',monospace"),
        ("", "sans-serif"),
        ('x";}</style>', "'xstyle',sans-serif"),
    ],
)
def test_font_families(name: str, family: str) -> None:
    assert font_family(name, mono=False) == family
