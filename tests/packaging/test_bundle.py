"""What is built for people without a Python: its program, the installer, and what macOS asks of an app.

Building takes minutes, and packaging/bundle/build.sh tries what it has built.
"""

from __future__ import annotations

import os
import plistlib
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from paperchute.language.catalogue import ENGLISH, FOLDER

PACKAGING = Path(__file__).parents[2] / "packaging"


def launch(*words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(PACKAGING / "bundle" / "launcher.py"), *words],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, **variables},
    )


def test_the_program_is_the_command_line_and_stands_in_for_python_with_modules_of_ours_alone() -> None:
    assert launch("--version").stdout.startswith("paperchute ")
    worker = launch("-P", "-m", "paperchute.engine", "--help")
    assert (worker.returncode, "--state" in worker.stdout) == (0, True)
    other = launch("-P", "-m", "json.tool", "--help")
    assert other.returncode == 2
    assert "json" not in other.stdout


def test_an_app_that_was_opened_runs_and_a_command_line_without_a_word_explains_itself() -> None:
    opened = launch(__CFBundleIdentifier="app.paperchute", PAPERCHUTE_RULES="/nowhere/rules.toml")
    assert opened.returncode != 0
    assert "/nowhere" in opened.stderr + opened.stdout
    assert "autostart" in launch(__CFBundleIdentifier="com.apple.Terminal").stderr


def test_what_macos_reads_of_the_app_is_whole_and_names_every_language() -> None:
    said = plistlib.loads((PACKAGING / "macos" / "Info.plist").read_bytes())
    assert said["LSUIElement"] is True
    assert {name.replace("-", "_") for name in said["CFBundleLocalizations"]} == {
        ENGLISH,
        *(file.stem for file in FOLDER.glob("*.po")),
    }
    allowed = plistlib.loads((PACKAGING / "macos" / "entitlements.plist").read_bytes())
    assert allowed
    assert all(name.startswith("com.apple.security.cs.") and value is True for name, value in allowed.items())


@pytest.mark.parametrize(
    "script", sorted(PACKAGING.rglob("*.sh")), ids=lambda script: str(script.relative_to(PACKAGING))
)
def test_each_script_can_be_read(script: Path) -> None:
    if not shutil.which("bash"):
        pytest.skip("bash is not installed")
    assert subprocess.run(["bash", "-n", str(script)], capture_output=True, text=True).stderr == ""


def test_the_installer_compiles(tmp_path: Path) -> None:
    if not shutil.which("makensis"):
        pytest.skip("makensis (NSIS) is not installed")
    folder = tmp_path / "paperchute"
    (folder / "_internal").mkdir(parents=True)
    for name in ("paperchute.exe", "paperchutew.exe", "_internal/python311.dll"):
        (folder / name).write_bytes(b"MZ")
    made = tmp_path / "paperchute-setup.exe"
    command = ["makensis", "-V2", "-WX", "-DVERSION=1.2.3", f"-DFOLDER={folder}", f"-DOUT={made}"]
    done = subprocess.run(
        [*command, str(PACKAGING / "windows" / "installer.nsi")], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert made.stat().st_size > 0
