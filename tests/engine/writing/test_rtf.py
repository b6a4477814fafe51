"""The RTF writer, seen through a small reader of RTF's own grammar."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from paperchute.engine.document.geometry import Box, Quad
from paperchute.engine.document.model import Facts, Line, Note, Page, Span
from paperchute.engine.writing.rtf.writer import write_rtf
from tests.engine.writing.models import PLAIN, block, items, line, page, picture, table

_TOKEN = re.compile(r"\\u(-?\d+)\?|\\([a-z]+)(-?\d+)? ?|\\'([0-9a-f]{2})|\\([^a-z])|([{}])|\n|([^\\{}\n]+)")
_SILENT = {
    "fonttbl",
    "colortbl",
    "stylesheet",
    "info",
    "*",
    "listtext",
    "pict",
    "sn",
    "sv",
    "shp",
    "footnote",
    "header",
    "footer",
    "headerl",
}


@dataclass
class Group:
    """words: control words in order. text: what shows, notes and headers in groups of their own."""

    parent: Group | None = None
    words: list[str] = field(default_factory=list)
    text: str = ""
    groups: list[Group] = field(default_factory=list)

    def all(self) -> Iterator[Group]:
        yield self
        for group in self.groups:
            yield from group.all()

    def having(self, word: str) -> list[Group]:
        return [group for group in self.all() if word in group.words]


def parsed(rtf: str) -> Group:
    """The root group; fails where the grammar is broken."""
    assert rtf.isascii()
    root = group = Group()
    place = 0
    while place < len(rtf):
        match = _TOKEN.match(rtf, place)
        assert match is not None, rtf[place : place + 40]
        place = match.end()
        unit, word, number, _, symbol, brace, text = match.groups()
        if brace == "{":
            group.groups.append(Group(group))
            group = group.groups[-1]
        elif brace == "}":
            assert group.parent is not None, "too many closing braces"
            parent = group.parent
            if not _SILENT & set(group.words):
                parent.text += group.text
            group = parent
        elif unit:
            group.text += chr(int(unit) % 0x10000)
        elif word:
            group.words += [word, word + number] if number else [word]
            group.text += {"par": "\n", "line": "\v", "tab": "\t", "cell": "|", "row": "\n"}.get(word, "")
        elif symbol:
            group.text += symbol if symbol in "\\{}" else ""
            group.words += [symbol]
        elif text:
            group.text += text
    assert group is root, "open groups"
    for found in root.all():
        found.text = found.text.encode("utf-16", "surrogatepass").decode("utf-16")
    return root


def written(path: Path, pages: Sequence[Page], boxed: bool = False) -> Group:
    write_rtf(Facts(len(pages), "A {title}", 10), iter(pages), path, boxed=boxed)
    return parsed(path.read_text("ascii"))


def lines_of(root: Group) -> list[str]:
    return [text for text in root.text.split("\n") if text.strip()]


def test_text_reflows_and_every_character_is_written(tmp_path: Path) -> None:
    first = replace(line("Größe {a} \\b sur-"), ends="hyphen")
    root = written(tmp_path / "a.rtf", [page(block(first, line("vey 漢字 😀", 112)))])
    assert lines_of(root) == ["Größe {a} \\b survey 漢字 😀"]


def test_flowing_text_keeps_colours_grounds_and_lines(tmp_path: Path) -> None:
    style = replace(PLAIN, color="#c80014", ground="#ffff00", underline=True, strike=True)
    shaded = table([["a", "b"]])
    assert shaded.table is not None
    cells = (replace(shaded.table.cells[0], shade="#203040"), shaded.table.cells[1])
    shaded = replace(shaded, table=replace(shaded.table, cells=cells))
    spans = [Span("plain ", PLAIN), Span("marked", style)]
    root = written(tmp_path / "a.rtf", [page(block(line(spans)), shaded)])
    (marked,) = root.having("strike")
    assert marked.text == "marked"
    assert {"cf2", "chcbpat3", "ul"} <= set(marked.words)
    (colors,) = root.having("colortbl")
    at = colors.words.index("red200")
    assert [word for word in colors.words[at:] if word[-1].isdigit()] == [
        "red200", "green0", "blue20", "red255", "green255", "blue0", "red32", "green48", "blue64",
    ]  # fmt: skip
    assert sum("clcbpat4" in group.words for group in root.all()) == 1


def test_looks_links_and_headings(tmp_path: Path) -> None:
    spans = [Span("a ", PLAIN), Span("b", replace(PLAIN, bold=True)), Span("2", replace(PLAIN, script="super"))]
    spans.append(Span("go", PLAIN, 'https://a.example/"x"?y=1'))
    head = block(line("Part", 60, style=replace(PLAIN, size=18)), kind="paragraph_title", level=2)
    root = written(tmp_path / "a.rtf", [page(head, block(line(spans)))])
    assert [group.text for group in root.having("b")][-1] == "b"
    assert [group.text for group in root.having("super")] == ["2"]
    (instruction,) = root.having("fldinst")
    assert instruction.text.strip() == 'HYPERLINK "https://a.example/%22x%22?y=1"'
    assert {"s2", "outlinelevel1"} <= set(root.groups[0].words)
    (style,) = [group for group in root.having("s2") if "heading 2" in group.text]
    assert "fs36" in style.words


def test_lists_are_counted_by_the_reader(tmp_path: Path) -> None:
    made = items((0, "3.", "third"), (1, "(b)", "nested"), (0, "4.", "fourth"), (0, "•", "dot"))
    root = written(tmp_path / "a.rtf", [page(made)])
    (tables,) = root.having("listtable")
    starts = [
        [word for word in level.words if word.startswith("levelstartat") and word != "levelstartat"]
        for level in tables.having("listlevel")
        if "levelnfc4" in level.words or "levelstartat3" in level.words
    ]
    assert starts == [["levelstartat3"], ["levelstartat2"]]
    assert len([word for word in root.groups[0].words if re.fullmatch(r"ls\d+", word)]) == 4
    assert lines_of(root) == ["third", "nested", "fourth", "dot"]


def test_tables_merge_cells_and_repeat_heads(tmp_path: Path) -> None:
    made = table(
        [["Port", "Ships", "Price"], ["Narvik", "3", "1,000"], ["<", "14", "7"], ["Total", "<", "9"]],
        {(1, 0): (2, 1), (3, 0): (1, 2)},
    )
    root = written(tmp_path / "a.rtf", [page(made)])
    cells = re.sub(r"\n", "", root.text).split("|")
    assert cells[:-1] == ["Port", "Ships", "Price", "Narvik", "3", "1,000", "", "14", "7", "Total", "9"]
    words = root.groups[0].words
    assert (words.count("trhdr"), words.count("clvmgf"), words.count("clvmrg")) == (1, 1, 1)
    edges = [int(word[5:]) for word in words if re.fullmatch(r"cellx\d+", word)]
    assert edges[:3] == [1940, 3940, 5940]  # its text stands at the edge of the page's, and its rules 3 points outside
    assert edges[-2:] == [3940, 5940]


def test_pictures_keep_their_bytes(tmp_path: Path) -> None:
    made = picture(kind="jpg")
    root = written(tmp_path / "a.rtf", [page(made, picture("blue"))])
    first, second = root.having("pict")
    assert made.image is not None
    assert bytes.fromhex(first.text) == made.image.data
    assert {"jpegblip", "picw20", "pich10", "picwgoal2000", "pichgoal1000"} <= set(first.words)
    assert "pngblip" in second.words


def test_footnotes_and_comments(tmp_path: Path) -> None:
    mark = replace(PLAIN, script="super", size=6)
    text = block(line([Span("A claim", PLAIN), Span("1", mark), Span(" more", PLAIN)]))
    note = block(line([Span("1", mark), Span(" The note", PLAIN)], 700), kind="footnote")
    comment = Note("text", Quad.of(Box(80, 100, 90, 110)), "Check\nthis", "Ada")
    root = written(tmp_path / "a.rtf", [replace(page(text, note), notes=(comment,))])
    (found,) = root.having("footnote")
    assert found.text.strip() == "The note"
    assert len(root.having("chftn")) == 2
    (annotation,) = root.having("annotation")
    assert annotation.text == "Check\nthis"
    assert [group.text for group in root.having("atnauthor")] == ["Ada"]


def test_headers_numbers_and_sections(tmp_path: Path) -> None:
    def numbered(number: int, width: float = 595) -> Page:
        head = block(line("Report", 30, 72, 120), kind="header")
        foot = block(line(f"- {number} -", 800, 280, 310), kind="number")
        return page(head, block(line("text")), foot, number=number, width=width)

    root = written(tmp_path / "a.rtf", [numbered(5), numbered(6, 842), numbered(7, 842)])
    words = root.groups[0].words
    assert [word for word in words if re.fullmatch(r"pgwsxn\d+", word)] == ["pgwsxn11900", "pgwsxn16840"]
    assert [word for word in words if re.fullmatch(r"pgnstarts\d+", word)] == ["pgnstarts5", "pgnstarts6"]
    assert [group.text.strip() for group in root.having("header")] == ["Report", "Report"]
    assert [group.text.strip() for group in root.having("fldinst")] == ["PAGE", "PAGE"]


def test_boxes_stand_where_they_were_printed(tmp_path: Path) -> None:
    blocks = [
        block(line("one", 100), line("two", 130)),
        table([["a", "b"]]),
        picture(box=Box(0, 0, 595, 842), background=True),
    ]
    root = written(tmp_path / "a.rtf", [page(*blocks), page(block(line("next")), number=2)], boxed=True)
    shapes = root.having("shpinst")
    places = [re.sub(r"\D+", "", w) for s in shapes for w in s.words if re.fullmatch(r"shp(left|top)-?\d+", w)]
    assert places == ["0", "0", "1440", "2000", "1440", "4000", "1440", "2000"]
    assert shapes[0].having("shptxt") == []
    texts = [shape.having("shptxt")[0].text for shape in shapes[1:]]
    assert texts[0] == "one\ntwo\n"
    assert texts[1].strip() == "a|b|"
    (content, *_) = shapes[1].having("shptxt")
    assert [w for w in content.words if re.fullmatch(r"sl-\d+", w)] == ["sl-200", "sl-600"]
    assert root.groups[0].words.count("sbkpage") == 2


@pytest.mark.parametrize("boxed", [False, True])
def test_nothing_at_all_is_an_empty_document(tmp_path: Path, boxed: bool) -> None:
    assert lines_of(written(tmp_path / "a.rtf", [page()], boxed)) == []


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.text(max_size=40), min_size=1, max_size=5), st.booleans())
def test_any_text_comes_through(tmp_path: Path, words: list[str], boxed: bool) -> None:
    spans = tuple(Span(word, replace(PLAIN, bold=n % 2 == 0)) for n, word in enumerate(words))
    made = Line(Quad.of(Box(72, 100, 500, 110)), spans)
    root = written(tmp_path / "a.rtf", [page(block(made))], boxed)
    allowed = re.compile(r"[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
    expected = allowed.sub("", "".join(words).replace("\r\n", "\n").replace("\r", "\n"))
    found = "".join(group.text for group in root.having("shptxt")) if boxed else root.text
    assert "".join(found.split()) == "".join(expected.split())
