"""Files whose bytes are not here, or that somebody has hidden, by what each system says of them."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from paperchute.files.names import is_temporary, is_transfer
from paperchute.files.sets import ElsewhereError, HiddenError, inside, key_if_file
from paperchute.watch.interface import HotFolder
from paperchute.watch.judge import Wait, judge
from paperchute.watch.roots import Entry, Root
from tests.watch.interest import Interest

IN_THE_CLOUD = [
    {"st_file_attributes": stat.FILE_ATTRIBUTE_ARCHIVE | 0x0040_0000},  # OneDrive: RECALL_ON_DATA_ACCESS
    {"st_file_attributes": 0x0004_0000},  # RECALL_ON_OPEN
    {"st_file_attributes": stat.FILE_ATTRIBUTE_OFFLINE},
    {"st_flags": 0x4000_0000},  # macOS: SF_DATALESS
]
HIDDEN = [
    {"st_file_attributes": stat.FILE_ATTRIBUTE_HIDDEN},
    {"st_file_attributes": stat.FILE_ATTRIBUTE_SYSTEM | stat.FILE_ATTRIBUTE_ARCHIVE},
    {"st_flags": stat.UF_HIDDEN},
]
HERE: list[dict[str, int]] = [
    {},
    {"st_file_attributes": stat.FILE_ATTRIBUTE_ARCHIVE | stat.FILE_ATTRIBUTE_READONLY},
    {"st_file_attributes": stat.FILE_ATTRIBUTE_REPARSE_POINT | stat.FILE_ATTRIBUTE_ARCHIVE},  # OneDrive, and all here
    {"st_flags": 0x40},  # UF_TRACKED
]


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict[str, int]:
    """What the system says, besides, of b.pdf."""
    for name in ("a.pdf", "b.pdf"):
        (tmp_path / name).write_bytes(b"x")
    more: dict[str, int] = {}
    lstat = os.lstat

    def asked(path: Any, **options: Any) -> Any:
        status = lstat(path, **options)
        if Path(path).name != "b.pdf":
            return status
        fields = {name: getattr(status, name) for name in dir(status) if name.startswith("st_")}
        return SimpleNamespace(**{**fields, "st_file_attributes": 0, "st_flags": 0, **more})

    monkeypatch.setattr(os, "lstat", asked)
    return more


@pytest.mark.parametrize("says", IN_THE_CLOUD)
def test_what_is_in_the_cloud_is_waited_for_and_no_set_goes_without_it(
    says: dict[str, int], said: dict[str, int], tmp_path: Path
) -> None:
    said.update(says)
    with pytest.raises(ElsewhereError):
        key_if_file(str(tmp_path / "b.pdf"))
    with pytest.raises(ElsewhereError):
        inside(str(tmp_path))


@pytest.mark.parametrize("says", HIDDEN)
def test_what_is_hidden_is_left_alone_and_belongs_to_its_set(
    says: dict[str, int], said: dict[str, int], tmp_path: Path
) -> None:
    said.update(says)
    with pytest.raises(HiddenError):
        key_if_file(str(tmp_path / "b.pdf"))
    assert list(inside(str(tmp_path)).files) == ["a.pdf", "b.pdf"]


@pytest.mark.parametrize("says", HERE)
def test_what_is_here_is_taken(says: dict[str, int], said: dict[str, int], tmp_path: Path) -> None:
    said.update(says)
    assert key_if_file(str(tmp_path / "b.pdf")) is not None
    assert list(inside(str(tmp_path)).files) == ["a.pdf", "b.pdf"]


@pytest.mark.parametrize(("says", "reason"), [(IN_THE_CLOUD[0], "cloud"), (HIDDEN[0], "hidden")])
def test_a_person_hears_what_it_waits_for_and_it_is_taken_when_that_is_over(
    says: dict[str, int], reason: str, said: dict[str, int], tmp_path: Path
) -> None:
    root = Root(HotFolder(tmp_path), Interest(lambda folder, path: True))
    entry = Entry(False, "renamed", 0.0)
    said.update(says)
    verdict = judge(root, "b.pdf", entry, 0.0)
    assert isinstance(verdict, Wait)
    assert (verdict.reason, verdict.stuck) == (reason, True)
    assert verdict.pause > 0, "nothing else would look again"
    said.clear()
    assert judge(root, "b.pdf", entry, 1.0) == "ready"


def test_the_stand_ins_of_icloud_drive_hold_a_set_up() -> None:
    assert is_transfer(".Report.pdf.icloud")
    assert is_temporary(".Report.pdf.icloud")
