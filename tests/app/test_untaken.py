"""What lies in hot folders and no rule takes is counted and said, with the reason."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from paperchute.app import untaken
from paperchute.app.selection import hot_folders, wanted
from paperchute.app.untaken import Untaken, told_of_waiting, untaken_in
from paperchute.rules.file import load
from tests.watch.conftest import PDF

LATER = 61.0
RULES = """version = 1
[[rule]]
name = "scans"
folder = "in"
match = ["*.pdf", "*.png"]
except = "draft-*"
operation = "pdf-to-markdown"
"""


@pytest.fixture(name="hot")
def _hot(tmp_path: Path) -> Path:
    (tmp_path / "in").mkdir()
    return tmp_path / "in"


def _found(hot: Path, rules: str = RULES, later: float = LATER) -> dict[str, tuple[int, tuple[str, ...]]]:
    file = hot.with_name("rules.toml")
    file.write_text(rules, "utf-8")
    read = load(file).rules
    now = time.time() + later
    (folder,) = hot_folders(read)
    return {one.reason: (one.files, one.names) for one in untaken_in(folder, read, now)}


def _put(hot: Path, *names: str) -> None:
    for name in names:
        (hot / name).parent.mkdir(parents=True, exist_ok=True)
        (hot / name).write_bytes(b"x")


def test_each_reason_is_said_once_with_its_files(hot: Path) -> None:
    _put(hot, "a.docx", "b.xlsx", "c.txt", "d.eml", "draft-1.pdf", "taken.pdf", "below/e.pdf")
    assert _found(hot) == {
        "not matched by *.pdf *.png": (4, ("a.docx", "b.xlsx", "c.txt")),
        "left out by rule 'scans'": (1, ("draft-1.pdf",)),
        "sub-folders are not looked into": (1, (f"below{os.sep}e.pdf",)),
    }


def test_a_whole_document_under_the_name_of_a_temporary_file_is_said(hot: Path) -> None:
    _put(hot, "b.pdf~", "~$c.pdf", "#d.pdf#")  # leftovers of programs, which nobody misses
    assert _found(hot) == {}
    for name in ("#4711 Invoice Miller.pdf", "a.pdf~", "~$plan.pdf", "letter.tmp"):
        (hot / name).write_bytes(PDF)
    (hot / "Offer.tmp").mkdir()
    assert _found(hot) == {
        "it has the name of a program's own or unfinished file; give it another one": (
            4,
            ("Offer.tmp", "a.pdf~", "letter.tmp"),
        )
    }


def test_hidden_files_are_taken_where_match_names_them_and_said_where_only_the_dot_is_in_the_way(hot: Path) -> None:
    _put(hot, ".in.a.pdf", ".note.txt", ".inbox/b.pdf", "@eaDir/c.pdf/SYNOPHOTO.png", "#recycle/d.pdf", ".zfs/e.pdf")
    deep = RULES + "recursive = true\n"
    assert _found(hot, deep) == {"hidden, and no `match` names it": (1, (".in.a.pdf",))}
    named = deep.replace('["*.pdf", "*.png"]', '["*.pdf", ".*.pdf", ".inbox/*.pdf", ".zfs/*.pdf", "**/*.png"]')
    file = hot.with_name("rules.toml")
    assert _found(hot, named) == {}
    rules = load(file).rules
    (folder,) = hot_folders(rules)
    taken = {str(at) for entry, at in untaken.lying(folder, rules) if wanted(rules, folder, hot / at)}
    assert taken == {".in.a.pdf", f".inbox{os.sep}b.pdf"}


def test_what_is_young_hidden_or_a_programs_own_is_not_said(hot: Path) -> None:
    _put(hot, "~$a.docx", ".DS_Store", "Thumbs.db", ".hidden", "a.crdownload", ".git/config")
    assert _found(hot) == {}
    _put(hot, "a.docx")
    assert _found(hot, later=0.0) == {}


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right there that people lack")
def test_a_link_is_not_followed_and_that_is_said(hot: Path) -> None:
    _put(hot.parent, "elsewhere/a.pdf")
    (hot / "a.pdf").symlink_to(hot.parent / "elsewhere/a.pdf")
    (hot / "folder").symlink_to(hot.parent / "elsewhere")
    assert _found(hot) == {"links are not followed": (2, ("a.pdf", "folder"))}


def test_what_rules_write_into_a_hot_folder_was_not_dropped(hot: Path) -> None:
    _put(hot, "made/2026/a.md", "old/a.pdf", "other/a.md")
    rules = RULES + f"output = '{hot / 'made'}/{{date:%Y}}/{{stem}}.{{ext}}'\noriginal = '{hot / 'old'}'\n"
    assert _found(hot, rules) == {"sub-folders are not looked into": (1, (f"other{os.sep}a.md",))}


def test_where_sub_folders_are_sets_only_a_single_file_stays(hot: Path) -> None:
    _put(hot, "single.pdf", "set/a.pdf", "set/b.docx")
    rules = RULES.replace('"pdf-to-markdown"', '"pdf-merge"\ngather = "folder"')
    assert _found(hot, rules) == {"only sub-folders are taken here": (1, ("single.pdf",))}


def test_a_folder_of_too_many_files_says_at_least(hot: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(untaken, "_MOST_FILES", 3)
    _put(hot, *(f"{n}.docx" for n in range(5)))
    assert _found(hot)["not matched by *.pdf *.png"][0] == 3
    line = Untaken(hot, "why", 3, ("a", "b", "c"), more=True).line()
    assert line == f"{hot}: at least 3 files not taken: why (a, b, c)"


def test_what_a_new_rule_would_take_of_a_full_folder_is_at_least_so_much(
    hot: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(untaken, "_MOST_FILES", 3)
    hot.with_name("rules.toml").write_text(RULES, "utf-8")
    rules = load(hot.with_name("rules.toml")).rules
    _put(hot, *(f"{n}.pdf" for n in range(3)))
    assert told_of_waiting(rules[0], rules) == f"3 files are in {hot} already and will be taken, too."
    _put(hot, "3.pdf")
    assert told_of_waiting(rules[0], rules) == f"At least 3 files are in {hot} already and will be taken, too."
    for path in hot.iterdir():
        path.rename(path.with_suffix(".docx"))
    told = f"More than 3 files are in {hot} already; those that fit will be taken, too."
    assert told_of_waiting(rules[0], rules) == told
