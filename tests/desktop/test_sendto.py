"""Entries in the menus of file managers: what is written, what it starts, and that no other's is harmed."""

from __future__ import annotations

import os
import plistlib
import shlex
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from configparser import ConfigParser
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paperchute.desktop.file_managers import file_managers
from paperchute.desktop.quick_actions import QuickActions
from paperchute.desktop.scripts_folder import ScriptsFolder
from paperchute.desktop.send_to_folder import SendToFolder
from paperchute.desktop.sendto import Entry, FileManager
from paperchute.desktop.service_menu import ServiceMenu
from paperchute.desktop.thunar import ThunarActions
from paperchute.errors import PaperchuteError
from paperchute.language import use
from paperchute.language.catalogue import ENGLISH

ODD = "Verträge & \"more\" 100% 'quoted' $HOME `id` \\ <x>"
THEIRS = """<?xml version="1.0" encoding="UTF-8"?>
<!-- mine -->
<actions>
<action>
\t<icon>utilities-terminal</icon>
\t<name>Open Terminal Here</name>
\t<unique-id>1700000000000000-1</unique-id>
\t<command>exo-open --working-directory %f --launch TerminalEmulator</command>
\t<directories/>
</action>
</actions>
<!-- the end -->
"""
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="file managers of Linux")


def entries(*titles: str) -> list[Entry]:
    return [Entry(title, ("/opt/a b/paperchute", "--rules", ODD, "drop", "--", title)) for title in titles]


def shortcut(link: Path, words: Sequence[str]) -> None:
    link.write_bytes(b"L\0\0\0" + "Paperchute sendto".encode("utf-16-le") + " ".join(words).encode("utf-16-le"))


def managers(folder: Path) -> list[FileManager]:
    (folder / "SendTo").mkdir(exist_ok=True)
    return [
        ScriptsFolder("Nautilus", folder / "scripts"),
        ServiceMenu(folder / "kio" / "paperchute.desktop"),
        ThunarActions(folder / "Thunar" / "uca.xml"),
        QuickActions(folder / "Services"),
        SendToFolder(folder / "SendTo", shortcut),
    ]


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("number", range(5), ids=("scripts", "Dolphin", "Thunar", "macOS", "Windows"))
def test_what_was_put_is_told_and_goes_again(number: int, tmp_path: Path) -> None:
    manager = managers(tmp_path)[number]
    assert manager.titles() == []
    assert manager.take_away() == []
    manager.put(entries("Scans", "Lock"))
    assert sorted(manager.titles()) == ["Lock", "Scans"]
    use("de")  # found again whatever the language
    try:
        assert manager.take_away() == []
        manager.put(entries("Scans"))
        assert manager.titles() == ["Scans"]
    finally:
        use(ENGLISH)
    assert manager.take_away() == []
    assert manager.titles() == []
    assert files(tmp_path) == {}


@pytest.mark.parametrize("number", range(5), ids=("scripts", "Dolphin", "Thunar", "macOS", "Windows"))
def test_rules_whose_names_differ_little_all_have_their_line(number: int, tmp_path: Path) -> None:
    manager = managers(tmp_path)[number]
    manager.put(entries("a/b", "a_b", "a:b", "ä" * 300))
    assert len(manager.titles()) == 4


@pytest.mark.parametrize("number", range(4), ids=("scripts", "Dolphin", "Thunar", "macOS"))
def test_what_somebody_has_changed_stays_and_is_told(number: int, tmp_path: Path) -> None:
    manager = managers(tmp_path)[number]
    manager.put(entries("Scans"))
    (path,) = [path for path in tmp_path.rglob("*") if path.is_file() and path.name != "Info.plist"]
    path.write_text(path.read_text("utf-8").replace("drop", "drop --mine"), "utf-8")
    before = files(tmp_path)
    assert len(manager.take_away()) == 1
    assert files(tmp_path) == before
    assert manager.titles() == []


@on_linux
@pytest.mark.parametrize("title", ["Scans", ODD, "-n", "../up"])
def test_a_script_hands_every_file_on_as_it_is_called(title: str, tmp_path: Path) -> None:
    said = tmp_path / "said"
    teller = tmp_path / "tell me"
    teller.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" >{shlex.quote(str(said))}\n')
    teller.chmod(0o755)
    ScriptsFolder("Nautilus", tmp_path / "scripts").put([Entry(title, (str(teller), "drop", "--", title))])
    (script,) = (path for path in (tmp_path / "scripts").rglob("*") if path.is_file())
    assert script.parent.parent == tmp_path / "scripts"
    subprocess.run([script, "a b.pdf", "$x.pdf"], check=True, cwd=tmp_path)
    assert said.read_text().splitlines() == ["drop", "--", title, "a b.pdf", "$x.pdf"]


@on_linux
def test_dolphin_reads_its_file(tmp_path: Path) -> None:
    menu = ServiceMenu(tmp_path / "paperchute.desktop")
    menu.put(entries("Scans", ODD))
    assert os.access(menu.path, os.X_OK)
    read = ConfigParser(interpolation=None, delimiters=("=",), comment_prefixes=("#",))
    read.read(menu.path, "utf-8")
    for action in read["Desktop Entry"]["actions"].strip(";").split(";"):
        assert read[f"Desktop Action {action}"]["exec"].endswith(" %F")
    assert menu.titles() == ["Scans", ODD]
    if shutil.which("desktop-file-validate"):
        done = subprocess.run(["desktop-file-validate", menu.path], capture_output=True, text=True, check=False)
        assert [line for line in done.stdout.splitlines() if "error" in line and "Service" not in line] == []


def test_thunar_keeps_every_byte_of_others(tmp_path: Path) -> None:
    thunar = ThunarActions(tmp_path / "uca.xml")
    thunar.path.write_bytes(THEIRS.replace("\n", "\r\n").encode())
    thunar.path.chmod(0o600)
    before, mode = thunar.path.read_bytes(), thunar.path.stat().st_mode
    thunar.put(entries("Scans", ODD))
    actions = ET.fromstring(thunar.path.read_bytes()).findall("action")
    assert [action.findtext("name") for action in actions] == ["Open Terminal Here", "Scans", ODD]
    assert "%%" in (actions[2].findtext("command") or "")
    assert (actions[2].findtext("command") or "").endswith(" %F")
    assert thunar.titles() == ["Scans", ODD]
    assert thunar.take_away() == []
    assert (thunar.path.read_bytes(), thunar.path.stat().st_mode) == (before, mode)


@settings(max_examples=40)
@given(st.lists(st.text(st.characters(exclude_categories=("C", "Z")), min_size=1), max_size=4, unique=True))
def test_thunar_reads_back_whatever_rules_are_called(titles: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        thunar = ThunarActions(Path(folder) / "uca.xml")
        thunar.path.write_bytes(THEIRS.encode())
        thunar.put(entries(*titles))
        assert thunar.titles() == titles
        assert thunar.take_away() == []
        assert thunar.path.read_bytes() == THEIRS.encode()


def test_thunar_begins_with_the_systems_actions_and_gives_them_back(tmp_path: Path) -> None:
    system = tmp_path / "xdg" / "Thunar" / "uca.xml"
    system.parent.mkdir(parents=True)
    system.write_text(THEIRS, "utf-8")
    thunar = ThunarActions(tmp_path / "mine" / "uca.xml", (tmp_path / "none", tmp_path / "xdg"))
    thunar.put(entries("Scans"))
    assert len(ET.fromstring(thunar.path.read_bytes()).findall("action")) == 2
    assert thunar.take_away() == []
    assert not thunar.path.exists()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"<actions><action></actions>",
        b"<other></other>",
        b"<actions/>",
        b'<!DOCTYPE a [<!ENTITY x "y">]><actions>&x;</actions>',
        THEIRS.replace("mine", "m\xefne").encode("latin-1"),
        b"<actions>" + b" " * (4 << 20) + b"</actions>",
    ],
    ids=("empty", "broken", "other", "bare", "entities", "latin-1", "huge"),
)
def test_what_is_no_file_of_thunar_is_left(content: bytes, tmp_path: Path) -> None:
    thunar = ThunarActions(tmp_path / "uca.xml")
    thunar.path.write_bytes(content)
    for change in (lambda: thunar.put(entries("Scans")), thunar.take_away, thunar.titles):
        with pytest.raises(ValueError, match=r".*"):
            change()
    assert thunar.path.read_bytes() == content


def test_macos_reads_both_files_of_a_quick_action(tmp_path: Path) -> None:
    QuickActions(tmp_path).put(entries(ODD))
    (info,) = tmp_path.glob("*.workflow/Contents/Info.plist")
    (service,) = plistlib.loads(info.read_bytes())["NSServices"]
    assert service["NSMenuItem"]["default"] == f"Send to Paperchute - {ODD}"
    flow = plistlib.loads((info.parent / "document.wflow").read_bytes())
    script = flow["actions"][0]["action"]["ActionParameters"]["COMMAND_STRING"]
    assert shlex.split(script) == ["exec", *entries(ODD)[0].words, "$@"]


def test_windows_leaves_the_shortcuts_of_others(tmp_path: Path) -> None:
    (tmp_path / "Paperchute - mine.lnk").write_bytes(b"L\0\0\0somebody's own")
    send_to = SendToFolder(tmp_path, shortcut)
    send_to.put(entries("Scans", "mine"))
    assert {*send_to.titles()} == {"Scans", "mine (2)"}  # in the order of the folder, which here knows no case
    assert send_to.take_away() == []
    assert [*files(tmp_path)] == ["Paperchute - mine.lnk"]


@on_linux
def test_only_those_that_are_installed_are_served(tmp_path: Path) -> None:
    found = file_managers(tmp_path, lambda program: program in ("nemo", "thunar"))
    assert [manager.name for manager in found] == ["Nemo", "Thunar"]
    with pytest.raises(PaperchuteError, match="Dolphin"):
        file_managers(tmp_path, lambda _program: False)
