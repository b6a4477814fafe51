"""Progress must fit the terminal it is shown in, and stay plain where no one watches."""

from __future__ import annotations

import io
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from paperchute.desktop.progress import TerminalProgress
from paperchute.events import Status

STEERING = re.compile(r"\x1b\[(?:2K|1A|\?25l|\?25h)|[\r\n]")
"""All that a live display without colours sends besides text: clear the line, one up, cursor off and on."""

names = st.text(st.characters(codec="utf-8"), max_size=150)


def on_terminal(width: int, *statuses: Status, line: str = "") -> str:
    written = io.StringIO()
    console = Console(file=written, force_terminal=True, color_system=None, width=width, height=30)
    with TerminalProgress(console) as progress:
        for status in statuses:
            progress.show(status)
        progress.line(line)
    return written.getvalue()


def plain(*statuses: Status, line: str = "") -> list[str]:
    written = io.StringIO()
    with TerminalProgress(Console(file=written, width=40)) as progress:
        for status in statuses:
            progress.show(status)
        progress.line(line)
    return written.getvalue().splitlines()


@settings(max_examples=60, deadline=None)
@given(st.lists(names, max_size=12), names, st.integers(20, 120))
def test_a_file_name_steers_the_terminal_or_breaks_the_lines(now: list[str], line: str, width: int) -> None:
    written = on_terminal(width, Status("working", done=1, total=3, now=tuple(now)))
    text = STEERING.sub("\n", written)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]", text)
    assert max(cell_len(row) for row in text.split("\n")) <= width
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", STEERING.sub("\n", on_terminal(width, line=line)))


@settings(max_examples=60, deadline=None)
@given(names)
def test_an_event_in_a_log_takes_more_than_one_line(name: str) -> None:
    assert len(plain(line=name)) == 1


def test_markup_in_a_file_name_is_obeyed() -> None:
    assert plain(line="[red]a[/red] :smile: 12.pdf") == ["[red]a[/red] :smile: 12.pdf"]


def test_the_bar_hides_how_much_is_done_and_failed() -> None:
    status = Status("working", done=3, total=9, now=("a.pdf: pdf-merge",), failures=(("job", "b.pdf: damaged"),))
    written = on_terminal(100, status)
    assert "3 of 9 done, 1 failed" in written
    assert "a.pdf: pdf-merge" in written


def test_a_hundred_running_jobs_push_the_bar_out_of_sight() -> None:
    written = on_terminal(100, Status("working", total=100, now=tuple(f"{n}.pdf" for n in range(100))))
    assert "and 92 more" in written
    assert "50.pdf" not in written


def test_a_log_is_filled_with_progress() -> None:
    statuses = [Status("working", done=done, total=100) for done in range(100)]
    assert plain(*statuses, Status("down"), Status("down"), line="end") == [
        "The service does not answer; work continues when it is back",
        "end",
    ]


@pytest.mark.parametrize(
    "status", [Status("working", done=-1, total=-5), Status("idle"), Status("working", done=9, total=1)]
)
def test_numbers_nobody_expects_break_the_bar(status: Status) -> None:
    on_terminal(10, status)
