"""Broken blocks are put together, and only those."""

from __future__ import annotations

from collections.abc import Iterator

from paperchute.engine.document.flow import pieces, with_levels, with_merged_tables
from paperchute.engine.document.model import Block, Page
from tests.engine.writing.blocks import page, table, text

HEAD = ("Port", "Ships")


def _rows(block: Block) -> list[list[str]]:
    assert block.table is not None
    grid = [[""] * block.table.columns for _ in range(block.table.rows)]
    for cell in block.table.cells:
        grid[cell.row][cell.column] = cell.lines[0].text
    return grid


def _tables(pages: list[Page]) -> list[tuple[int, list[list[str]]]]:
    merged = list(with_merged_tables(pages))
    assert [p.number for p in merged] == [p.number for p in pages]
    return [(p.number, _rows(b)) for p in merged for b in p.blocks if b.table is not None]


def test_a_paragraph_goes_on_behind_footnotes_and_page_feet() -> None:
    first = page(1, text("one", "two"), text("1 a note", kind="footnote"), text("1", kind="number"))
    second = page(2, text("head", kind="header"), text("three", continues=True), text("four"))
    found = [(p.block.text, p.numbers) for p in pieces([first, second]) if p.blocks]
    assert found == [
        ("one\ntwo\nthree", (1, 2)),
        ("1 a note", (1,)),
        ("1", (1,)),
        ("head", (2,)),
        ("four", (2,)),
    ]


def test_what_does_not_go_on_stays_apart() -> None:
    found = [
        p.block.text
        for p in pieces([page(1, text("one"), text("two"), table(HEAD), text("x", continues=True))])
        if p.blocks
    ]
    assert found == ["one", "two", "", "x"]


def test_a_table_over_three_pages_stands_whole_on_the_first() -> None:
    pages = [
        page(1, text("a"), table(HEAD, ("x", "1"))),
        page(2, table(HEAD, ("y", "2"), continues=True)),
        page(3, table(("z", "3"), heads=0, continues=True), text("b"), table(HEAD, ("w", "4"))),
        page(4, text("c")),
    ]
    assert _tables(pages) == [
        (1, [["Port", "Ships"], ["x", "1"], ["y", "2"], ["z", "3"]]),
        (3, [["Port", "Ships"], ["w", "4"]]),
    ]


def test_tables_broken_by_a_column_are_merged_within_the_page() -> None:
    pages = [page(1, table(HEAD, ("x", "1")), table(HEAD, ("y", "2"), continues=True), table(HEAD, ("z", "3")))]
    assert _tables(pages) == [
        (1, [["Port", "Ships"], ["x", "1"], ["y", "2"]]),
        (1, [["Port", "Ships"], ["z", "3"]]),
    ]


def test_pages_do_not_wait_for_a_table_that_has_ended() -> None:
    def source() -> Iterator[Page]:
        yield page(1, table(HEAD, ("x", "1")), text("a"))
        yield page(2, text("b"))
        raise AssertionError("page 1 waits for page 3")

    merged = with_merged_tables(source())
    assert next(merged).number == 1


def _levels(*headings: tuple[int, str]) -> list[int]:
    pages = [page(n, text(words, kind="paragraph_title", level=level)) for n, (level, words) in enumerate(headings)]
    return [b.level for p in with_levels(pages) for b in p.blocks]


def test_levels_without_gaps() -> None:
    assert _levels((2, "a"), (5, "b"), (5, "c"), (3, "d"), (2, "e"), (1, "f"), (2, "g")) == [1, 2, 2, 2, 1, 1, 2]


def test_printed_numbers_decide_over_looks() -> None:
    assert _levels((1, "Report"), (2, "1 Quays"), (2, "1.1 North"), (2, "1.2 South"), (2, "2 Ships")) == [1, 2, 3, 3, 2]
