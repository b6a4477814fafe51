"""What starts Paperchute at log-in holds the command as it is, and is gone when it is taken away."""

from __future__ import annotations

import plistlib
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperchute.desktop.autostart import (
    Autostart,
    DesktopEntry,
    LaunchAgent,
    UserUnit,
    autostart,
    switch_off,
    switch_on,
)
from paperchute.errors import PaperchuteError

WORDS = ["/opt/My Programs/python", "-m", "paperchute", "--rules", '/home/a $HOME `b` "c" \\d %f/ü.toml', "run"]
PRINTABLE = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1)

if sys.platform == "win32":
    pytest.skip("the registry is not a place of its own for a test", allow_module_level=True)


@pytest.fixture(name="ways", params=["entry", "unit", "agent"])
def _ways(request: pytest.FixtureRequest, tmp_path: Path) -> Autostart:
    folder = tmp_path / "made with it"
    ways: dict[str, Autostart] = {
        "entry": DesktopEntry(folder / "paperchute.desktop"),
        "unit": UserUnit(folder / "paperchute.service"),
        "agent": LaunchAgent(folder / "paperchute.plist"),
    }
    return ways[request.param]


def test_on_and_off_twice(ways: Autostart) -> None:
    assert ways.words() is None
    for _ in range(2):
        ways.put(WORDS)
        assert ways.words() == WORDS
    for _ in range(2):
        ways.take_away()
        assert ways.words() is None


def test_what_was_switched_on_cannot_be_switched_off_without_systemd(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unit = UserUnit(tmp_path / "paperchute.service")
    unit.put(WORDS)
    monkeypatch.setenv("PATH", str(tmp_path))
    switch_off(unit)
    assert unit.words() is None


@given(st.lists(PRINTABLE, min_size=1, max_size=4))
def test_any_word_comes_back_as_it_went(tmp_path_factory: pytest.TempPathFactory, words: list[str]) -> None:
    folder = tmp_path_factory.mktemp("autostart", numbered=True)
    for way in (DesktopEntry(folder / "a.desktop"), LaunchAgent(folder / "a.plist")):
        way.put(words)
        assert way.words() == words


def test_a_line_break_cannot_smuggle_a_line_in(tmp_path: Path) -> None:
    for way in (DesktopEntry(tmp_path / "a.desktop"), UserUnit(tmp_path / "a.service")):
        with pytest.raises(PaperchuteError, match="line break"):
            way.put(["/bin/python\nExecStartPost=/bin/evil", "run"])


def test_a_file_that_is_not_ours_is_said(tmp_path: Path) -> None:
    for way in (DesktopEntry(tmp_path / "a.desktop"), LaunchAgent(tmp_path / "a.plist")):
        Path(way.where).write_text("something else", "utf-8")
        with pytest.raises(ValueError, match=r"a\."):
            way.words()


def test_off_takes_away_what_on_wrote_and_nothing_that_somebody_changed(ways: Autostart) -> None:
    switch_off(ways)
    switch_on(ways, WORDS)
    path = Path(ways.where)
    ours = path.read_bytes()
    for theirs in (ours + b"# mine\n", ours[:-9], b"something else", b""):
        path.write_bytes(theirs)
        for switch in (lambda: switch_off(ways), lambda: switch_on(ways, WORDS)):
            with pytest.raises(PaperchuteError, match="left alone"):
                switch()
            assert path.read_bytes() == theirs
    path.write_bytes(ours)
    switch_on(ways, WORDS[:-1])
    assert ways.words() == WORDS[:-1]
    switch_off(ways)
    assert not any(one for one in path.parent.rglob("*") if not one.is_dir())


@pytest.mark.parametrize("line", ["Hidden=true", "X-GNOME-Autostart-enabled=false"])
def test_the_desktops_own_switch_is_seen_and_no_change(line: str, tmp_path: Path) -> None:
    entry = DesktopEntry(tmp_path / "a.desktop")
    entry.put(WORDS)
    entry.path.write_text(entry.path.read_text("utf-8") + line + "\n", "utf-8")
    assert (entry.words(), entry.changed()) == (None, False)
    switch_on(entry, WORDS)
    assert entry.words() == WORDS


def test_the_agent_is_a_property_list(tmp_path: Path) -> None:
    LaunchAgent(tmp_path / "a.plist").put(WORDS)
    agent = plistlib.loads((tmp_path / "a.plist").read_bytes())
    assert (agent["ProgramArguments"], agent["RunAtLoad"], agent["KeepAlive"]) == (WORDS, True, False)


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not here to read its unit")
def test_systemd_reads_the_unit(tmp_path: Path) -> None:
    unit = UserUnit(tmp_path / "paperchute.service")
    unit.put([sys.executable, *WORDS[1:]])
    checked = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", unit.where], capture_output=True, text=True, check=False
    )
    assert "paperchute.service" not in checked.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="on Linux there are two ways")
def test_a_desktop_has_an_entry_and_a_server_a_unit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("XDG_CURRENT_DESKTOP", "WAYLAND_DISPLAY", "DISPLAY", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("shutil.which", lambda name: f"/usr/bin/{name}")
    unit = autostart(tmp_path)
    assert (unit.headless, unit.where) == (True, str(tmp_path / ".config/systemd/user/paperchute.service"))
    monkeypatch.setattr("shutil.which", lambda name: None)
    with pytest.raises(PaperchuteError, match="neither a desktop nor systemd"):
        autostart(tmp_path)
    monkeypatch.setenv("XDG_CURRENT_DESKTOP", "KDE")
    entry = autostart(tmp_path)
    assert (entry.headless, entry.where) == (False, str(tmp_path / ".config/autostart/paperchute.desktop"))
    entry.put(WORDS)
    monkeypatch.delenv("XDG_CURRENT_DESKTOP")
    assert autostart(tmp_path).where == entry.where  # asked over a connection without a desktop
