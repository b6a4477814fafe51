"""A sign before an item of a list stays where it says something."""

from __future__ import annotations

from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from paperchute.engine.document.geometry import Box, Quad
from paperchute.engine.document.model import Block, Line, ListItem, Page, Span
from paperchute.engine.writing.html.flow import list_html
from paperchute.engine.writing.markdown import MarkdownWriter
from tests.engine.reading.printing import markdown, printed

QUAD = Quad.of(Box(0, 0, 10, 10))


def items(*said: str) -> tuple[ListItem, ...]:
    """Items of one level, or of the next where two spaces stand before them."""
    found = []
    for line in said:
        marker, text = line.split(maxsplit=1)
        level = (len(line) - len(line.lstrip())) // 2
        found.append(ListItem(level, marker, marker[:-1].isdigit(), QUAD, (Line(QUAD, (Span(text),)),)))
    return tuple(found)


def read_back(folder: Path, block: Block) -> list[str]:
    """What a reader sees of each item of the Markdown."""
    written = MarkdownWriter(folder, "a").write([Page(1, 100, 100, blocks=(block,))]).read_text("utf-8")
    tokens = MarkdownIt("commonmark").parse(written)
    return [token.children[0].content for token in tokens if token.type == "inline" and token.children]


@pytest.mark.parametrize(
    ("said", "right"),
    [
        (["+ 12.5 % revenue", "- 3.0 % costs"], ["+ 12.5 % revenue", "- 3.0 % costs"]),
        (["+ cheap", "+ quick", "- loud"], ["+ cheap", "+ quick", "- loud"]),
        (["− 2 degrees", "– 4 degrees"], ["− 2 degrees", "– 4 degrees"]),
        (["- 1,200.00 EUR paid", "- € 5 fee"], ["- 1,200.00 EUR paid", "- € 5 fee"]),
        (["✓ delivery", "✗ installation"], ["✓ delivery", "✗ installation"]),
        (["■ Express", "□ Standard"], ["■ Express", "□ Standard"]),
        (["○ agree", "● do not agree", "○ abstain"], ["○ agree", "● do not agree", "○ abstain"]),
        (["◆ open", "◇ closed"], ["◆ open", "◇ closed"]),
        (["• apples", "• pears"], ["apples", "pears"]),
        (["- 2019 founded", "- 2020 moved"], ["2019 founded", "2020 moved"]),
        (["● one", "  ○ below", "● two", "  ■ below"], ["one", "○ below", "two", "■ below"]),
        (["● one", "  ○ below", "    ■ deep"], ["one", "below", "deep"]),
        (["• a", "- b", "* c"], ["a", "b", "c"]),
        (["1. first", "■ second", "■ third"], ["first", "second", "third"]),
    ],
)
def test_a_marker_that_says_something_stays(tmp_path: Path, said: list[str], right: list[str]) -> None:
    block = Block("list", QUAD, items=items(*said))
    assert read_back(tmp_path, block) == right
    shown = list_html(block.items, lambda item: item.lines[0].text)
    for line, text in zip(said, right, strict=True):
        sign = line.split()[0]
        assert (f">{sign} " in shown) == any(each.startswith(f"{sign} ") for each in right)
        assert text in shown


@pytest.mark.parametrize(
    "lines",
    [
        ["+ 12.5 % revenue in the north", "- 3.0 % costs of transport", "+ 4 people"],
        ["✓ delivery to the door", "✗ installation", "✓ two years of guarantee"],
        ["■ Express", "□ Standard"],
    ],
)
def test_signs_typed_before_lines_are_read(tmp_path: Path, lines: list[str]) -> None:
    html = "<p>What there is to say of the year:</p>" + "".join(f"<p style='margin:2pt'>{line}</p>" for line in lines)
    result = markdown(printed(tmp_path / "a.pdf", html, "body { font-family: DejaVu Sans }"), tmp_path / "made")
    shown = result.replace("\\", "")
    assert [line for line in lines if line not in shown] == [], result
