"""Two paths to one folder: what they hide is found by what the folders are, and said before anything is paid."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from paperchute.files.whereabouts import chain
from paperchute.rules.file import load
from paperchute.rules.requirements import led_on, missing
from tests.watch.test_namespaces import inside, mount

RULE = """[[rule]]
name = "{name}"
folder = "{folder}"
match = "{match}"
operation = "pdf-to-editable"
"""
links = pytest.mark.skipif(sys.platform == "win32", reason="links need a right there that people lack")


def _said(base: Path, *rules: str) -> tuple[list[str], list[str]]:
    """What is wrong, and what is odd."""
    file = base / "rules.toml"
    file.write_text("version = 1\n" + "".join(rules), "utf-8")
    read = load(file)
    return [one.message for one in missing(read)], [one.message for one in led_on(read)]


def _rule(name: str, folder: str, output: str = "", match: str = "*.pdf", more: str = "") -> str:
    rule = RULE.format(name=name, folder=folder, match=match) + more
    return rule + (f'output = "{output}"\n' if output else "")


def _endless(wrong: list[str]) -> bool:
    return any("endlessly" in one for one in wrong)


@links
@pytest.mark.parametrize(
    ("link", "to", "output"), [("up", ".", "up/hot/{stem}.{ext}"), ("way", "hot", "way/{stem}_ocr.{ext}")]
)
def test_results_that_come_back_through_a_link_are_refused(tmp_path: Path, link: str, to: str, output: str) -> None:
    (tmp_path / "hot").mkdir()
    (tmp_path / link).symlink_to(to)
    wrong, _ = _said(tmp_path, _rule("a", "hot", output))
    assert _endless(wrong)


@links
def test_the_hot_folder_itself_may_be_the_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "hot").symlink_to("real")
    wrong, _ = _said(tmp_path, _rule("a", "hot", "real/{stem}.{ext}"))
    assert _endless(wrong)


@links
def test_a_circle_of_two_rules_with_a_link_in_it_is_refused_before_the_folders_are_there(tmp_path: Path) -> None:
    (tmp_path / "up").symlink_to(".")
    wrong, _ = _said(tmp_path, _rule("a", "one", "two/{stem}.{ext}"), _rule("b", "two", "up/one/{stem}.{ext}"))
    assert _endless(wrong)
    wrong, odd = _said(tmp_path, _rule("a", "one", "two/{stem}.{ext}"), _rule("b", "two", "up/three/{stem}.{ext}"))
    assert (wrong, odd) == ([], [])


@links
def test_a_chain_through_a_link_is_allowed_and_said(tmp_path: Path) -> None:
    (tmp_path / "up").symlink_to(".")
    wrong, odd = _said(tmp_path, _rule("a", "one", "up/two/{stem}.{ext}"), _rule("b", "two"))
    assert wrong == []
    assert any("may be taken on by rule 'b'" in one for one in odd)


@links
def test_two_rules_on_one_folder_under_two_names_are_told_where_both_take_a_file(tmp_path: Path) -> None:
    (tmp_path / "hot").mkdir()
    (tmp_path / "other").symlink_to("hot")
    wrong, _ = _said(tmp_path, _rule("a", "hot"), _rule("b", "other"))
    assert any("are one folder" in one for one in wrong)
    wrong, _ = _said(tmp_path, _rule("a", "hot"), _rule("b", "other", match="*.docx"))
    assert wrong == []


def bound(base: Path) -> None:
    """The hot folder, a part of it, and the folder above it, each bound to another place."""
    hot, there = base / "hot", base / "there"
    for folder in (hot / "in", there):
        folder.mkdir(parents=True)
    for what, output, more in (
        (hot, "there/{stem}.{ext}", ""),
        (base, "there/hot/{stem}.{ext}", ""),
        (hot / "in", "there/{stem}.{ext}", "recursive = true\n"),
    ):
        wrong, _ = _said(base, _rule("a", "hot", output, more=more))
        assert not _endless(wrong)
        mount("--bind", what, there)
        wrong, _ = _said(base, _rule("a", "hot", output, more=more))
        assert _endless(wrong), what
        mount("-o", "remount,ro,bind", there)
        wrong, _ = _said(base, _rule("a", "hot", output, more=more))
        assert _endless(wrong), "a read-only one is told as well"
        subprocess.run(["umount", str(there)], check=True)
    mount("--bind", hot, there)
    wrong, _ = _said(base, _rule("a", "hot"), _rule("b", "there"))
    assert any("are one folder" in one for one in wrong)


def overlaid(base: Path) -> None:
    """What is written behind an overlay shows in it."""
    mount("-t", "tmpfs", "none", base)
    parts = ("lower", "upper", "work")
    for name in (*parts, "merged"):
        (base / name).mkdir()
    options = ",".join(f"{name}dir={base / name}" for name in parts)
    mount("-t", "overlay", "overlay", "-o", options, base / "merged")
    wrong, _ = _said(base, _rule("a", "merged/hot", f"{base}/upper/hot/{{stem}}.{{ext}}"))
    assert _endless(wrong)
    wrong, _ = _said(base, _rule("a", "merged/hot", f"{base}/elsewhere/hot/{{stem}}.{{ext}}"))
    assert not _endless(wrong)


@pytest.mark.skipif(sys.platform != "linux", reason="namespaces are Linux's")
@pytest.mark.parametrize("body", ["bound", "overlaid"])
def test_mounts_hide_nothing(tmp_path: Path, body: str) -> None:
    inside("--mount --propagation private", body, tmp_path, __name__)


def test_a_folder_is_itself_and_lies_in_those_above_it(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    keys = chain(tmp_path / "a" / "b" / "c")
    assert {keys[key] for key, level in chain(tmp_path / "a").items() if level == 0 and key in keys} == {2}
    assert not {key for key, level in chain(tmp_path / "d").items() if level == 0} & keys.keys()
