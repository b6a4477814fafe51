"""The menu must lead to everything, and from a click on the icon to what is most wanted."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from paperchute.desktop.lines import line_of
from paperchute.desktop.menu import LINE_WIDTH, SEPARATOR, Command, Entry, entries, headline
from paperchute.events import Status
from paperchute.redaction import printable

BUSY = Status(
    "attention",
    done=3,
    total=9,
    attention=3,
    now=("a.pdf: pdf-to-markdown", "b.pdf: pdf-merge"),
    results=((2, Path("/hot/md.out/new.md")), (1, Path("/hot/md.out/old.md"))),
    failures=(("job-1", "c.pdf: the password is missing"), ("job-2", "d.pdf: damaged")),
    troubles=("The disk is full.",),
    hot_folders=(Path("/home/me/Hot/md"), Path("/home/me/Hot/merge")),
)


def everything(menu: tuple[Entry, ...]) -> Iterator[Entry]:
    for entry in menu:
        yield entry
        yield from everything(entry.children)


def commands(status: Status) -> set[Command]:
    return {entry.command for entry in everything(entries(status)) if entry.command}


def default(status: Status) -> Command | None:
    (entry,) = (entry for entry in everything(entries(status)) if entry.default)
    return entry.command


def opening(path: str) -> Command:
    return Command("open", str(Path(path)))  # as this system writes it


def test_something_cannot_be_reached_from_the_menu() -> None:
    assert commands(BUSY) == {
        opening("/hot/md.out/new.md"),
        opening("/hot/md.out/old.md"),
        Command("show", "job-1"),
        Command("retry", "job-1"),
        Command("show", "job-2"),
        Command("retry", "job-2"),
        Command("retry"),
        Command("page", "needs"),
        Command("page"),
        Command("pause"),
        Command("pause", "hour"),
        Command("pause", "tomorrow"),
        opening("/home/me/Hot"),
        opening("/home/me/Hot/md"),
        opening("/home/me/Hot/merge"),
        Command("edit-rules"),
        Command("quit"),
    }


def test_a_paused_daemon_cannot_be_resumed() -> None:
    assert Command("resume") in commands(Status("paused"))
    assert Command("pause") not in commands(Status("paused"))


def test_nobody_can_see_what_runs_now() -> None:
    (at_work,) = (entry for entry in entries(BUSY) if entry.text == "At work")
    assert [entry.text for entry in at_work.children] == ["a.pdf: pdf-to-markdown", "b.pdf: pdf-merge"]
    assert [entry.text for entry in entries(BUSY)][:2] == [
        "3 things need your attention; 3 of 9 done",
        "The disk is full.",
    ]


def test_an_entry_moves_under_the_pointer() -> None:
    busier = dataclasses.replace(BUSY, now=BUSY.now * 4, failures=BUSY.failures * 9, untaken=((Path("/hot"), "x"),))
    calm = Status("idle", hot_folders=BUSY.hot_folders)
    places = [[entry.command for entry in entries(status, True)][3:] for status in (BUSY, busier, calm)]
    assert places[0] == places[1] == places[2]


def test_a_long_path_hides_the_reason() -> None:
    reason = "the quote at the end of this text is missing, and so is the one at its beginning"
    for text in (
        f"/home/me/.config/paperchute/rules.toml:77:9: {reason}",
        f"A very long report on everything that happened last year, part 17.pdf: {reason}",
        f"C:\\Users\\me\\AppData\\Roaming\\paperchute\\rules.toml:77:9: {reason}",
    ):
        assert line_of(text, 100).endswith(reason)
    assert line_of("/a/b/rules.toml: all well", 100) == "/a/b/rules.toml: all well"


def test_a_click_on_a_calm_icon_leads_nowhere() -> None:
    assert default(Status("idle", hot_folders=BUSY.hot_folders)) == opening("/home/me/Hot")
    assert default(Status("working", hot_folders=(Path("/hot/md"),))) == opening("/hot/md")
    assert default(Status("idle")) == Command("show")


def test_a_click_on_a_warning_does_not_show_its_reason() -> None:
    assert default(BUSY) == Command("page", "needs")
    assert default(Status("down", hot_folders=BUSY.hot_folders)) == Command("page", "needs")
    at_work = Status("working", total=2, attention=1, troubles=("x",), hot_folders=BUSY.hot_folders)
    assert default(at_work) == Command("page", "needs")


def test_a_thousand_failures_make_a_menu_longer_than_the_screen() -> None:
    many = Status("attention", failures=tuple((str(n), f"{n}.pdf: damaged") for n in range(1000)), attention=1000)
    (failed,) = (entry for entry in everything(entries(many)) if entry.text == "Failed (1000)")
    assert len(failed.children) < 20
    assert "and 985 more" in [entry.text for entry in failed.children]


def test_warnings_can_be_looked_at_and_put_away() -> None:
    status = Status("attention", attention=1, warned=(("7", "c.pdf: its signature is gone"),))
    assert {Command("show", "7"), Command("seen", "7"), Command("seen")} <= commands(status)
    assert "Done with warnings (1)" in [entry.text for entry in everything(entries(status))]


texts = st.text(st.characters(codec=None), max_size=300)
paths = st.builds(Path, texts.filter(lambda text: "\0" not in text).map(lambda text: f"/hot/{text}"))
statuses = st.builds(
    Status,
    activity=st.sampled_from(("idle", "working", "paused", "attention", "down")),
    done=st.integers(0, 10**6),
    total=st.integers(0, 10**6),
    attention=st.integers(0, 10**6),
    now=st.lists(texts).map(tuple),
    results=st.lists(st.tuples(st.integers(), paths)).map(tuple),
    failures=st.lists(st.tuples(texts, texts)).map(tuple),
    warned=st.lists(st.tuples(texts, texts)).map(tuple),
    troubles=st.lists(texts).map(tuple),
    hot_folders=st.lists(paths).map(tuple),
)


@given(statuses)
def test_a_strange_face_breaks_the_menu(status: Status) -> None:
    menu = entries(status)
    default(status)
    assert menu[0].text == headline(status)
    assert len(headline(status)) <= 80
    assert headline(status).isascii()
    assert all(first is not SEPARATOR or second is not SEPARATOR for first, second in itertools.pairwise(menu))
    for entry in everything(menu):
        assert entry is SEPARATOR or entry.text
        assert printable(entry.text) == entry.text
        assert cell_len(entry.text) <= LINE_WIDTH


def test_a_file_that_no_rule_takes_lies_there_unsaid() -> None:
    status = Status("idle", untaken=((Path("/hot/in"), "/hot/in: 1 file not taken: why (a.docx)"),))
    (entry,) = (entry for entry in everything(entries(status)) if entry.command == opening("/hot/in"))
    assert entry.text == entries(status)[1].text == "/hot/in: 1 file not taken: why (a.docx)"
    assert "Not taken by any rule (1)" in [entry.text for entry in everything(entries(status))]


@pytest.mark.parametrize("why", ["auth", "quota"])
def test_a_service_that_refuses_is_said_not_to_answer(why: Literal["auth", "quota"]) -> None:
    line = headline(Status("down", stopped_by=why))
    assert "does not answer" not in line
    assert line.isascii()
    assert len(line) <= 60
