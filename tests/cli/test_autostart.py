"""`autostart` writes what starts this very Paperchute, and says what it would start."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from paperchute.desktop.autostart import DesktopEntry

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="its place here is a Linux desktop's")
RULES = 'version = 1\n[[rule]]\nname = "read"\nfolder = "in"\noperation = "pdf-to-markdown"\n'


def _said(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [
        sys.executable,
        "-m",
        "paperchute",
        "--rules",
        str(home / "my rules.toml"),
        "--state",
        str(home / "state"),
    ]
    settings = {"HOME": str(home), "XDG_CURRENT_DESKTOP": "KDE", "LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"}
    return subprocess.run([*command, "autostart", *words], env=settings, capture_output=True, text=True, check=False)


def test_on_says_what_it_starts_and_off_takes_it_away(tmp_path: Path) -> None:
    entry = DesktopEntry(tmp_path / ".config/autostart/paperchute.desktop")
    assert "does not start" in _said(tmp_path).stdout
    refused = _said(tmp_path, "on")
    assert (refused.returncode, "there is no such file" in refused.stderr, entry.words()) == (2, True, None)

    (tmp_path / "my rules.toml").write_text(RULES, "utf-8")
    assert _said(tmp_path, "on").returncode == 0
    words = entry.words()
    assert words is not None
    assert words[words.index("--rules") + 1] == str(tmp_path / "my rules.toml")
    assert words[-1] == "run"

    assert entry.changed() is False
    (tmp_path / "my rules.toml").rename(tmp_path / "elsewhere.toml")
    assert "my rules.toml is no longer there" in _said(tmp_path).stdout
    entry.path.write_text("[Desktop Entry]\nExec=something\n", "utf-8")
    assert "is not as Paperchute wrote it" in _said(tmp_path).stderr
    assert "left alone" in _said(tmp_path, "off").stderr
    assert entry.path.read_text("utf-8") == "[Desktop Entry]\nExec=something\n"
    entry.path.unlink()
    assert "does not start" in _said(tmp_path, "off").stdout
