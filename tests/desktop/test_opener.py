"""Opening must never run a shell, and say what went wrong."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from paperchute.desktop.opener import CannotOpen, open_path

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="xdg-open is the opener of Linux")


@pytest.fixture
def desktop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A desktop whose opener writes down what it was given, one argument a line, and obeys `exit`."""
    programs = tmp_path / "programs"
    programs.mkdir()
    opener = programs / "xdg-open"
    opener.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > "{tmp_path}/opened"\nexit $(cat "{tmp_path}/exit")\n')
    opener.chmod(0o755)
    (tmp_path / "exit").write_text("0")
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    monkeypatch.setenv("DISPLAY", ":0")
    return tmp_path


def test_a_name_is_read_by_a_shell(desktop: Path) -> None:
    name = "$(touch x); `touch y` & 'z' \"w\".pdf"
    (desktop / name).touch()
    open_path(desktop / name)
    assert (desktop / "opened").read_text() == f"{desktop / name}\n"


def test_a_name_is_taken_for_an_option(desktop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(desktop)
    Path("--help").touch()
    open_path(Path("--help"))
    assert (desktop / "opened").read_text() == f"{desktop}/--help\n"


def test_a_file_that_is_gone_opens_something_else(desktop: Path) -> None:
    with pytest.raises(CannotOpen, match=r"gone\.pdf is not there any more"):
        open_path(desktop / "gone.pdf")
    assert not (desktop / "opened").exists()


def test_a_refusal_is_kept_quiet(desktop: Path) -> None:
    (desktop / "exit").write_text("3")
    with pytest.raises(CannotOpen, match="no program took it"):
        open_path(desktop)


def test_a_missing_opener_is_a_crash(desktop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(desktop))
    with pytest.raises(CannotOpen, match="xdg-utils"):
        open_path(desktop)


def test_a_server_without_a_desktop_starts_a_text_browser(desktop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DISPLAY")
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    with pytest.raises(CannotOpen, match="there is no desktop"):
        open_path(desktop)
    assert not (desktop / "opened").exists()
