"""Two Paperchutes on one folder hear of each other, and what others forge there stops nobody."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

import pytest

from paperchute.files.names import WATCHERS
from paperchute.jobs.marks import Mark, Marks, own_mark, told_of_others
from tests.journeys.daemon import Paperchute, wait_until

ANNA = Mark("anna", "office", "/home/anna/state", "office-0a1b2c3d")
BEN = Mark("ben", "server", "/state", "server-0a1b2c3d")
FORGED = "0123456789abcdef"


@pytest.fixture(name="hot")
def _hot(tmp_path: Path) -> Path:
    (tmp_path / "hot").mkdir()
    return tmp_path / "hot"


def test_each_hears_of_the_other_and_nothing_is_left(hot: Path) -> None:
    anna, ben = Marks(ANNA), Marks(BEN)
    assert anna.tend(hot, shared=False) == []
    assert ben.tend(hot, shared=False) == [ANNA]
    assert anna.tend(hot, shared=False) == [BEN]
    assert "ben@server (/state)" in told_of_others(hot, [BEN])
    ben.withdraw(hot)
    assert anna.tend(hot, shared=False) == []
    anna.withdraw(hot)
    assert list(hot.iterdir()) == []


def test_a_long_path_is_told_whole_and_known_again(hot: Path) -> None:
    state = Path("/home/anna") / ("d" * 70) / ("e" * 70) / "state"
    own = own_mark(state, "office-0a1b2c3d")
    Marks(own).tend(hot, shared=False)
    assert Marks(own).tend(hot, shared=False) == []
    assert str(state) in told_of_others(hot, Marks(ANNA).tend(hot, shared=False))


def test_those_who_both_share_it_have_nothing_to_be_told(hot: Path) -> None:
    anna, ben = Marks(ANNA), Marks(BEN)
    anna.tend(hot, shared=True)
    assert ben.tend(hot, shared=True) == []
    assert len(Marks(Mark("eve", "x", "y", "z")).tend(hot, shared=False)) == 2


def test_what_a_crash_left_is_nobody_else_and_old_marks_go(hot: Path) -> None:
    Marks(ANNA).tend(hot, shared=False)
    assert Marks(ANNA).tend(hot, shared=False) == []
    assert len(list((hot / WATCHERS).iterdir())) == 1
    _mark(hot, FORGED, json.dumps({"user": "b", "host": "h", "state": "s", "node": "n"}), age=3600)
    assert Marks(ANNA).tend(hot, shared=False) == [], "it has not been heard of for an hour"
    _mark(hot, FORGED, "{}", age=2 * 86_400)
    Marks(ANNA).tend(hot, shared=False)
    assert not (hot / WATCHERS / FORGED).exists()


def _mark(hot: Path, name: str, text: str, age: float = 0.0) -> None:
    (hot / WATCHERS).mkdir(exist_ok=True)
    path = hot / WATCHERS / name
    path.write_text(text, "utf-8")
    os.utime(path, (time.time() - age, time.time() - age))


@pytest.mark.parametrize(
    "text",
    [
        *("", "[", "[" * 5000, "null", "[]", "{}", '{"user": 1}', "x" * 10_000_000),
        json.dumps({"user": "\x1b[2J\u202eevil\n" * 100, "host": {}, "state": [], "node": None, "shared": "yes"}),
        json.dumps({"user": "a", "host": "b", "state": "c", "node": "d"})[:-1] + " " * 2000 + "}",
    ],
)
def test_a_forged_mark_is_told_of_in_plain_letters(hot: Path, text: str) -> None:
    _mark(hot, FORGED, text)
    (other,) = Marks(ANNA).tend(hot, shared=False)
    sentence = told_of_others(hot, [other])
    assert sentence.isprintable()
    assert len(sentence) < 1000


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right there that people lack")
def test_links_pipes_and_strange_names_are_left_alone(hot: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    (hot / WATCHERS).mkdir()
    (hot / WATCHERS / FORGED).symlink_to(tmp_path / "secret")
    os.mkfifo(hot / WATCHERS / FORGED[::-1])
    (hot / WATCHERS / "letter.pdf").write_text("x")
    assert Marks(ANNA).tend(hot, shared=False) == []
    other = tmp_path / "elsewhere"
    other.mkdir()
    (other / WATCHERS).symlink_to(tmp_path)
    assert Marks(ANNA).tend(other, shared=False) == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["elsewhere", "hot", "secret"]


@pytest.mark.skipif(sys.platform == "win32" or not hasattr(os, "geteuid") or os.geteuid() == 0, reason="as a user")
def test_a_read_only_folder_is_looked_at_all_the_same(hot: Path) -> None:
    Marks(BEN).tend(hot, shared=False)
    (hot / WATCHERS).chmod(0o555)
    try:
        assert Marks(ANNA).tend(hot, shared=False) == [BEN]
    finally:
        (hot / WATCHERS).chmod(0o755)


def test_two_daemons_with_states_of_their_own_both_say_so(tmp_path: Path) -> None:
    (tmp_path / "hot").mkdir()
    (tmp_path / "second").mkdir()
    rules = f"version = 1\n[[rule]]\nname = 'a'\nfolder = '{tmp_path / 'hot'}'\noperation = 'pdf-to-markdown'\n"
    both = Paperchute(tmp_path, rules), Paperchute(tmp_path / "second", rules)
    try:
        for one in both:
            one.start()
        for one, other in zip(both, reversed(both), strict=True):
            wait_until(lambda: any(own_mark(other.state, "").state in told for told in one.said()["troubles"]))  # noqa: B023
        both[1].stop()
        wait_until(lambda: not both[0].said()["troubles"])
        both[0].stop()
    finally:
        for one in both:
            one.close()
    assert list((tmp_path / "hot").iterdir()) == []
