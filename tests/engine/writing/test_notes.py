"""Footnotes are the word processor's own: all their paragraphs, in their order, under its rule."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import lxml.etree
import pytest

from paperchute.engine.document.geometry import Box
from paperchute.engine.document.model import Block, Facts, Page, Shape, Span
from paperchute.engine.readback import Expected
from paperchute.engine.writing.docx.writer import write_docx
from paperchute.engine.writing.office.flow import Flow
from paperchute.engine.writing.office.parts import Paragraph, Section
from paperchute.engine.writing.office.ruling import rules_over
from paperchute.engine.writing.office.styles import Looks
from paperchute.engine.writing.rtf.writer import write_rtf
from tests.engine.writing.models import PLAIN, block, line, page

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
RAISED = replace(PLAIN, script="super", size=6)
RULE = Shape(Box(72, 690, 200, 691), "#000000")


def text(*said: str, top: float = 100) -> Block:
    """A paragraph; what is no word in it is the raised mark of a note."""
    return block(line([Span(part, PLAIN if part[-1].isalpha() else RAISED) for part in said], top))


def note(said: str, top: float = 700, hang: float = 0) -> Block:
    """A footnote of two lines."""
    return block(line(said, top), line("of old", top + 12, 72 + hang, 200), kind="footnote")


def notes(path: Path) -> list[list[str]]:
    """The paragraphs of each note of a Word file."""
    with zipfile.ZipFile(path) as parts:
        root = lxml.etree.fromstring(parts.read("word/footnotes.xml"))
    return [
        ["".join(t.text or "" for t in paragraph.iter(f"{W}t")).strip() for paragraph in one.iter(f"{W}p")]
        for one in root
        if one.get(f"{W}type") is None
    ]


def flowed(*pages: Page) -> tuple[list[Paragraph], Section]:
    """The paragraphs and the only section of pages."""
    parts = list(Flow(len(pages), Looks.of(Facts(len(pages)), None)).parts(pages))
    (section,) = [part for part in parts if isinstance(part, Section)]
    return [part for part in parts if isinstance(part, Paragraph)], section


def said(part: Paragraph) -> str:
    return "".join(run.text for run in part.runs)


@pytest.mark.parametrize("write", [write_docx, write_rtf])
def test_the_paragraphs_of_a_note_stay_together(write: Callable[..., Path], tmp_path: Path) -> None:
    first, second = note("1 The quay"), note("And the pier", 726)
    sheet = page(text("A claim", "1", " and another", "2"), first, second, note("2 The crane", 750))
    paragraphs, _ = flowed(sheet)
    assert [part.kind for part in paragraphs] == ["text"]
    path = write(Facts(1, "", 10), [sheet], tmp_path / f"a.{write.__name__.removeprefix('write_')}", boxed=False)
    expected = Expected(str)
    for one in sheet.blocks:
        expected.add(one)
    assert expected.missing([path]).lost.total() == 0
    if write is write_docx:
        assert notes(path) == [["The quay of old", "And the pier of old"], ["The crane of old"]]


def test_notes_with_one_mark_come_in_their_order(tmp_path: Path) -> None:
    sheet = page(text("A claim", "*", " and another", "*"), note("* The quay"), note("* The crane", 730))
    path = write_docx(Facts(1, "", 10), [sheet], tmp_path / "a.docx", boxed=False)
    assert notes(path) == [["* The quay of old"], ["* The crane of old"]]


@pytest.mark.parametrize(("marks", "start"), [(("57", "58"), "57"), (("1", "2"), None), (("*", "2"), "2")])
def test_notes_count_from_the_number_of_the_first(marks: tuple[str, str], start: str | None, tmp_path: Path) -> None:
    one, two = marks
    sheet = page(text("A claim", one, " and another", two), note(f"{one} The quay"), note(f"{two} The crane", 730))
    path = write_docx(Facts(1, "", 10), [sheet], tmp_path / "a.docx", boxed=False)
    with zipfile.ZipFile(path) as parts:
        settings = lxml.etree.fromstring(parts.read("word/settings.xml"))
        body = lxml.etree.fromstring(parts.read("word/document.xml"))
    assert [element.get(f"{W}val") for element in settings.iter(f"{W}numStart")] == ([start] if start else [])
    own = [element.get(f"{W}customMarkFollows") for element in body.iter(f"{W}footnoteReference")]
    assert own == ["1" if one == "*" else None, None]


def test_the_rule_above_notes_goes_with_them() -> None:
    sheet = replace(page(text("A claim", "1"), note("1 The quay")), shapes=(RULE,))
    assert [said(part) for part in flowed(sheet)[0]] == ["A claim1"]
    lone = replace(page(text("A claim"), note("7 Nobody refers to me")), shapes=(RULE,))
    paragraphs, _ = flowed(lone)
    assert [(part.kind, bool(part.sides.bottom)) for part in paragraphs] == [
        *[("text", False), ("footnote", True), ("footnote", False)]
    ]


@pytest.mark.parametrize("around", [block(line("A table", 640)), None])
def test_only_a_rule_goes_with_notes(around: Block | None) -> None:
    """A side of a frame stays, and what is far above."""
    frame = [Shape(Box(72, 640, 520, 641), "#000000"), Shape(Box(72, 690, 520, 691), "#000000")]
    frame += [Shape(Box(x, 640, x + 1, 691), "#000000") for x in (72, 519)]
    shapes = frame if around is not None else [Shape(Box(72, 600, 200, 601), "#000000")]
    sheet = replace(page(text("A claim", "1"), *([around] if around else []), note("1 The quay")), shapes=tuple(shapes))
    assert rules_over(sheet, [Box(72, 700, 520, 722)]) == []


def test_text_goes_on_behind_the_rule_above_notes() -> None:
    first = replace(page(text("It goes on"), note("* An aside")), shapes=(RULE,))
    second = page(block(line("to its end"), continues=True), number=2)
    assert [said(part) for part in flowed(first, second)[0] if part.kind == "text"] == ["It goes on to its end"]


def test_a_page_keeps_its_room_for_notes() -> None:
    """The text ends where the notes did, as they come out above its lower edge."""
    _, with_notes = flowed(page(text("A claim", "1"), note("1 The quay")), page(text("More", top=100), number=2))
    assert with_notes.bottom < 842 - 720


@pytest.mark.parametrize(("hang", "indent"), [(14, ("280", "280", None)), (-10, (None, None, "200"))])
def test_further_lines_of_notes_hang_as_printed(hang: float, indent: tuple[str | None, ...], tmp_path: Path) -> None:
    sheet = page(text("A claim", "1"), note("1 The quay", hang=hang))
    path = write_docx(Facts(1, "", 10), [sheet], tmp_path / "a.docx", boxed=False)
    with zipfile.ZipFile(path) as parts:
        (own,) = lxml.etree.fromstring(parts.read("word/footnotes.xml")).iter(f"{W}ind")
    assert tuple(own.get(f"{W}{name}") for name in ("left", "hanging", "firstLine")) == indent
