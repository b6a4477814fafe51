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
    Path("--help.pdf").touch()
    open_path(Path("--help.pdf"))
    assert (desktop / "opened").read_text() == f"{desktop}/--help.pdf\n"


def test_a_file_that_is_gone_opens_something_else(desktop: Path) -> None:
    with pytest.raises(CannotOpen, match=r"gone\.pdf is no longer there"):
        open_path(desktop / "gone.pdf")
    assert not (desktop / "opened").exists()


def test_a_refusal_is_kept_quiet(desktop: Path) -> None:
    (desktop / "exit").write_text("3")
    with pytest.raises(CannotOpen, match="no program accepted it"):
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


@pytest.mark.parametrize("name", ["a.desktop", "a.exe", "a.sh", "a.pdf.lnk", "a", ".bashrc", "a.jar", "a.PDF.DESKTOP"])
def test_a_result_that_runs_is_run(name: str, desktop: Path) -> None:
    (desktop / "out").mkdir()
    (desktop / "out" / name).write_text("[Desktop Entry]")
    open_path(desktop / "out" / name)
    assert (desktop / "opened").read_text() == f"{desktop}/out\n", "the folder is shown, and nothing is run"


def test_a_link_to_what_runs_is_run(desktop: Path) -> None:
    (desktop / "a.desktop").write_text("[Desktop Entry]")
    (desktop / "a.pdf").symlink_to(desktop / "a.desktop")
    open_path(desktop / "a.pdf")
    assert (desktop / "opened").read_text() == f"{desktop}\n"


@pytest.mark.parametrize("name", ["a.pdf", "A.DOCX", "a.pdf.error.txt", "a.jpeg", "rules.toml", "paperchute.log"])
def test_a_document_is_only_shown_in_its_folder(name: str, desktop: Path) -> None:
    (desktop / name).touch()
    open_path(desktop / name)
    assert (desktop / "opened").read_text() == f"{desktop / name}\n"
