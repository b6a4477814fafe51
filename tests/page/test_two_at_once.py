"""A rule file that others write, too: nobody's text is lost, and who comes second is told and shown what changed."""

from __future__ import annotations

import json
import os
import stat
import sys
import threading
import tomllib
from pathlib import Path
from typing import Any

import pytest

from paperchute.app import rule_changes, workshop
from paperchute.app.rule_changes import ChangedMeanwhileError, digest_of, text_of
from paperchute.app.workshop import Draft
from paperchute.errors import PaperchuteError
from paperchute.files import placement
from paperchute.rules import edit
from paperchute.rules.toml import Places
from tests.page.conftest import RULES, Shown

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="it has neither these links nor these owners")


@pytest.fixture(name="path")
def _path(tmp_path: Path) -> Path:
    (tmp_path / "rules.toml").write_text(RULES, "utf-8")
    return tmp_path / "rules.toml"


def off(path: Path) -> None:
    """Switch a rule off, as a page does that has just looked."""
    workshop.switch(path, digest_of(text_of(path)), "Read PDFs", on=False)


def ask(shown: Shown, verb: str, **more: Any) -> Any:
    return shown.client.post(f"/api/workshop/{verb}", content=json.dumps(more))


def test_the_second_is_told_and_shown_the_difference(shown: Shown) -> None:
    shown.enter()
    digest = shown.client.get("/api/workshop").json()["digest"]
    file = shown.daemon.rules.path
    theirs = RULES.replace('"in"', '"inbox"  # moved') + '[notify]\nntfy = "https://me:s3cret-pw@ntfy.example/t"\n'
    file.write_text(theirs, "utf-8")
    for verb, more in (("save", {"draft": {"rule": "Off", "keys": {}}}), ("off", {"name": "Read PDFs"})):
        answer = ask(shown, verb, digest=digest, **more)
        assert answer.status_code == 409
        changes = answer.json()["changes"]
        assert '-folder = "in"' in changes
        assert '+folder = "inbox"  # moved' in changes
        assert "s3cret" not in answer.text
    assert file.read_text("utf-8") == theirs
    assert ask(shown, "off", digest="another", name="Off").json()["changes"] == []


def test_of_many_that_save_at_once_each_is_in_the_file_or_told(path: Path) -> None:
    told: list[str] = []

    def add(name: str) -> None:
        draft = Draft.model_validate(
            {"keys": {key: {"kind": "text", "text": name} for key in ("name", "folder")},
             "steps": [{"operation": "pdf-to-markdown"}]}
        )  # fmt: skip
        try:
            workshop.save(path, digest_of(text_of(path)), draft)
        except ChangedMeanwhileError:
            told.append(name)

    threads = [threading.Thread(target=add, args=(f"n{number}",)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    names = [rule["name"] for rule in tomllib.loads(path.read_text("utf-8"))["rule"]]
    assert sorted(names[2:] + told) == sorted(f"n{number}" for number in range(12))


@POSIX
def test_what_another_program_saves_in_the_last_moment_stays(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    theirs = RULES + "# theirs\n"

    def swap(new: Path, real: Path) -> bool:
        monkeypatch.undo()
        (path.parent / "editor.tmp").write_text(theirs, "utf-8")
        (path.parent / "editor.tmp").replace(path)
        return placement.swap(new, real)

    monkeypatch.setattr(rule_changes, "swap", swap)
    with pytest.raises(ChangedMeanwhileError):
        off(path)
    assert path.read_text("utf-8") == theirs
    assert [one.name for one in path.parent.iterdir()] == ["rules.toml"]


def test_a_write_protected_file_is_left_alone_and_that_is_said(path: Path) -> None:
    path.chmod(0o444)
    with pytest.raises(PaperchuteError, match="write-protected"):
        off(path)
    assert path.read_text("utf-8") == RULES
    path.chmod(0o644)
    off(path)
    assert [one.name for one in path.parent.iterdir()] == ["rules.toml"]


@POSIX
def test_a_link_stays_a_link_and_the_file_keeps_its_mode_and_owner(path: Path) -> None:
    real = path.parent / "dotfiles/rules.toml"
    real.parent.mkdir()
    path.rename(real)
    path.symlink_to("dotfiles/rules.toml")
    real.chmod(0o640)
    if os.geteuid() == 0:
        os.chown(real, 1234, 1234)
    was = real.stat()
    off(path)
    assert path.is_symlink()
    now = real.stat()
    assert (stat.S_IMODE(now.st_mode), now.st_uid, now.st_gid) == (0o640, was.st_uid, was.st_gid)
    assert "enabled = false" in real.read_text("utf-8")


def test_where_there_was_no_file_one_that_came_meanwhile_stays(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path.unlink()
    digest = digest_of(text_of(path))
    draft = Draft.model_validate(
        {"keys": {key: {"kind": "text", "text": "n"} for key in ("name", "folder")},
         "steps": [{"operation": "pdf-to-markdown"}]}
    )  # fmt: skip
    place_new = placement.place_new

    def late(new: Path, real: Path) -> bool:
        path.write_text(RULES, "utf-8")
        return place_new(new, real)

    monkeypatch.setattr(rule_changes, "place_new", late)
    with pytest.raises(ChangedMeanwhileError):
        workshop.save(path, digest, draft)
    assert path.read_text("utf-8") == RULES


def test_a_rule_that_is_off_by_default_is_switched_on(path: Path) -> None:
    path.write_text("version = 1\n[defaults]\nenabled = false\n" + RULES.partition("\n")[2], "utf-8")
    workshop.switch(path, digest_of(text_of(path)), "Read PDFs", on=True)
    rules = {rule["name"]: rule["on"] for rule in workshop.shelf(path, text_of(path))["rules"]}
    assert rules == {"Read PDFs": True, "Off": False}


def test_five_hundred_rules_are_read_once_and_not_once_a_rule(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rule = '[[rule]]\nname = "R{n}"\nfolder = "f{n}"\noperation = "pdf-to-markdown"\n'
    path.write_text("version = 1\n" + "".join(rule.replace("{n}", str(n)) for n in range(500)), "utf-8")
    read: list[str] = []
    monkeypatch.setattr(edit, "Places", lambda text: read.append(text) or Places(text))
    shown = workshop.shelf(path, text_of(path))["rules"]
    assert (len(shown), shown[499]["text"][0]) == (500, "[[rule]]")
    assert 'name = "R499"' in shown[499]["text"]
    assert len(read) <= 2
