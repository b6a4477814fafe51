"""Lists and clauses as word processors count them: what is shown is what was printed, whatever that was."""

from __future__ import annotations

import zipfile
from dataclasses import replace
from pathlib import Path

import lxml.etree
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paperchute.engine.document.model import Block, Facts
from paperchute.engine.readback import Expected
from paperchute.engine.writing.docx.writer import write_docx
from paperchute.engine.writing.office.counting import COUNTING
from paperchute.engine.writing.rtf.writer import write_rtf
from tests.engine.writing.models import block, items, line, page
from tests.engine.writing.word_numbers import labelled


def clause(text: str, top: float = 100, left: float = 72, hang: float = 0) -> Block:
    """A paragraph of two lines, the second `hang` points right of the first."""
    return block(line(text, top, left), line("and so on", top + 12, left + hang, 300))


def shown(folder: Path, *blocks: Block) -> list[tuple[str, str]]:
    """The numbers that Word counts, and what stands behind each."""
    path = write_docx(Facts(1, "", 10), [page(*blocks)], folder / "a.docx", boxed=False)
    return [(label, text.removesuffix(" and so on")) for label, text in labelled(path)]


W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"


def body(path: Path) -> lxml.etree._Element:
    with zipfile.ZipFile(path) as parts:
        return lxml.etree.fromstring(parts.read("word/document.xml"))


def numbering(path: Path) -> lxml.etree._Element:
    with zipfile.ZipFile(path) as parts:
        return lxml.etree.fromstring(parts.read("word/numbering.xml"))


def test_clauses_of_several_levels_are_one_list(tmp_path: Path) -> None:
    numbers = ["1.1", "1.2", "1.2.1", "1.2.2", "1.3", "2.1", "2.2"]
    found = shown(tmp_path, *(clause(f"{number} We mend it", 100 + 30 * n) for n, number in enumerate(numbers)))
    assert found == [(number, "We mend it") for number in numbers]


def test_items_below_a_clause_begin_anew_below_the_next(tmp_path: Path) -> None:
    made = [clause("4.1. We mend", 100), items((0, "(a)", "quays"), (0, "(b)", "piers"), top=130)]
    made += [clause("4.2. We sell", 160), items((0, "(a)", "ropes"), (1, "(i)", "of hemp"), top=190)]
    found = shown(tmp_path, *made)
    assert found == [
        *[("4.1.", "We mend"), ("(a)", "quays"), ("(b)", "piers")],
        *[("4.2.", "We sell"), ("(a)", "ropes"), ("(i)", "of hemp")],
    ]
    path = tmp_path / "a.docx"
    (numbers,) = {label.get(f"{W}val") for label in body(path).iter(f"{W}numId")}  # one list: it counts for itself
    assert numbers == "1"


def test_a_number_below_a_counted_one_counts_with_it(tmp_path: Path) -> None:
    made = [items((0, "7.", "Repairs")), clause("7.1 We mend", 120), clause("7.2 We sell", 150)]
    assert shown(tmp_path, *made, items((0, "8.", "Sales"), top=180)) == [
        *[("7.", "Repairs"), ("7.1", "We mend"), ("7.2", "We sell"), ("8.", "Sales")]
    ]
    texts = {element.get(f"{W}val") for element in numbering(tmp_path / "a.docx").iter(f"{W}lvlText")}
    assert {"%1.", "%1.%2"} <= texts


@pytest.mark.parametrize(
    "text", ["3.5 million people", "10.30 Opening", "1.1 A lone one", "12.50", "2.05 and more", "1.2.3", "1 and 2"]
)
def test_a_number_that_no_other_follows_is_text(text: str, tmp_path: Path) -> None:
    assert shown(tmp_path, clause(text), clause("It was so", 130)) == [("", text), ("", "It was so")]


def test_the_next_number_may_stand_far_below_but_not_anywhere(tmp_path: Path) -> None:
    def between(count: int) -> list[Block]:
        return [clause("It was so", 103 + n) for n in range(count)]

    near = shown(tmp_path, clause("1.1 One"), *between(COUNTING.ahead - 2), clause("1.2 Two", 600))
    far = shown(tmp_path, clause("1.1 One"), *between(COUNTING.ahead + 2), clause("1.2 Two", 600))
    assert [near[0], near[-1]] == [("1.1", "One"), ("1.2", "Two")]
    assert [far[0], far[-1]] == [("", "1.1 One"), ("", "1.2 Two")]


def test_an_item_alone_on_its_page_goes_on_with_the_list(tmp_path: Path) -> None:
    made = [items((0, "E.", "one"), (0, "F.", "two")), block(line("Some words", 140)), block(line("G. three", 152, 80))]
    assert shown(tmp_path, *made)[-1] == ("G.", "three")
    other = [*made[:2], block(line("K. Abbott wrote this", 152, 80)), block(line("G. Abbott wrote that", 170, 140))]
    assert [label for label, _ in shown(tmp_path, *other)[-2:]] == ["", ""]


def test_a_number_that_no_format_shows_is_text(tmp_path: Path) -> None:
    assert shown(tmp_path, items((0, "01.", "one"), (0, "02.", "two"))) == [("", "01.one"), ("", "02.two")]


def test_further_lines_hang_as_printed(tmp_path: Path) -> None:
    hanging = [clause("1.1 One", 100, 72, 30), clause("1.2 Two", 130, 72, 30), block(line("1.3 Three", 160))]
    flush = [clause("2.1 One", 200), clause("2.2 Two", 230)]
    shown(tmp_path, *hanging, *flush)
    indents = [
        tuple(element.get(f"{W}{name}") for name in ("left", "hanging", "firstLine"))
        for element in body(tmp_path / "a.docx").iter(f"{W}ind")
    ]
    assert indents == [("600", "600", None)] * 3 + [("0", None, "0")] * 2
    spaced = [level.find(f"{W}suff") is not None for level in numbering(tmp_path / "a.docx").iter(f"{W}lvl")]
    assert spaced[0::9] == [False, True]


def test_the_text_of_a_lone_line_begins_where_it_was_printed(tmp_path: Path) -> None:
    made = items((0, "(i)", "one"))
    item = replace(made.items[0], lines=(line("one", 100, 130),))
    shown(tmp_path, replace(made, items=(item,)))
    path = tmp_path / "a.docx"
    (indent,) = body(path).iter(f"{W}ind")
    assert indent.get(f"{W}hanging") == "1000"


def test_lines_under_a_marker_stay_there(tmp_path: Path) -> None:
    """The first one begins behind the marker as printed, not where those of other items do."""
    made = items((0, "1.", "one"), (0, "2.", "two"))
    first, second = made.items
    hanging = replace(first, lines=(line("one", 100, 130), line("more", 112, 130)))
    flush = replace(second, lines=(line("two", 124, 100), line("more", 136, 80)))
    shown(tmp_path, replace(made, items=(hanging, flush)))
    root = body(tmp_path / "a.docx")
    hangs = [(indent.get(f"{W}hanging"), indent.get(f"{W}firstLine")) for indent in root.iter(f"{W}ind")]
    assert hangs == [("1000", None), (None, "0")]
    (stop,) = root.iter(f"{W}tab")
    assert stop.get(f"{W}pos") == "400"


_ITEMS = "1. 2. 3. a) b) (i) (ii) I. II. A. B. • 1.1 1.2 01."
_CLAUSES = "1.1 1.2 1.3 1.1.1 1.1.2 2.1 2.2 2.1.1 1.2. 1.3. 2.3.4.1 3.5 G. (b)"
MARKERS = st.sampled_from(_ITEMS.split())
CLAUSES = st.sampled_from(_CLAUSES.split())


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.one_of(
            st.tuples(st.just("list"), st.lists(st.tuples(st.integers(0, 3), MARKERS), min_size=1, max_size=5)),
            st.tuples(st.just("text"), st.tuples(CLAUSES, st.sampled_from([72, 80, 90]), st.sampled_from([0, 20]))),
        ),
        max_size=8,
    )
)
def test_numbers_are_shown_as_they_were_printed(
    tmp_path_factory: pytest.TempPathFactory, made: list[tuple[str, object]]
) -> None:
    """Whatever is numbered how: in Word's own counting, in RTF as text beside it, and as the engine reads it back."""
    folder = tmp_path_factory.mktemp("a")
    blocks: list[Block] = []
    for n, (kind, what) in enumerate(made):
        if kind == "list":
            assert isinstance(what, list)
            blocks.append(items(*((level, marker, f"word{n}") for level, marker in what), top=100 + 60 * n))
        else:
            assert isinstance(what, tuple)
            number, left, hang = what
            blocks.append(clause(f"{number} word{n}", 100 + 60 * n, left, hang))
    printed = []
    for one in blocks:
        printed += [f"{item.marker}{item.lines[0].text}" for item in one.items] or [one.lines[0].text]
    counted = [f"{label}{text}".replace(" ", "") for label, text in shown(folder, *blocks) if text]
    assert counted == [text.replace(" ", "") for text in printed]
    expected = Expected(str, numbers=True)
    for one in blocks:
        expected.add(one)
    write_rtf(Facts(1, "", 10), [page(*blocks)], folder / "a.rtf", boxed=False)
    assert [expected.missing([folder / name]).lost.total() for name in ("a.docx", "a.rtf")] == [0, 0]
