"""What a desktop and a shell know Paperchute by: made from the command line, and read by the systems' own programs.

Packages are built, and tried, by the scripts in packaging/linux/.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from configparser import ConfigParser
from pathlib import Path

import pytest
from PIL import Image

from paperchute.cli.front import VERBS
from paperchute.language.catalogue import FOLDER

LINUX = Path(__file__).parents[2] / "packaging" / "linux"
ENTRY = "applications/paperchute.desktop"
MANUAL = "man/man1/paperchute.1"
BASH = "bash-completion/completions/paperchute"
ZSH = "zsh/vendor-completions/_paperchute"
FISH = "fish/vendor_completions.d/paperchute.fish"


@pytest.fixture(scope="module")
def share(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What lies below /usr/share, made as the scripts make it."""
    made = tmp_path_factory.mktemp("share")
    subprocess.run([sys.executable, str(LINUX / "share.py"), str(made)], check=True, timeout=120)
    return made


def called(program: str, *words: str | Path) -> str:
    """What the program says; the test is left out where it is not installed."""
    if not shutil.which(program):
        pytest.skip(f"{program} is not installed")
    done = subprocess.run(
        [program, *map(str, words)],
        env={**os.environ, "LC_ALL": "C.UTF-8"},  # some warn of a locale that is not installed
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_the_menu_entry_speaks_every_language_and_names_an_icon_that_is_there(share: Path) -> None:
    read = ConfigParser(interpolation=None)
    read.optionxform = str  # type: ignore[assignment,method-assign]
    read.read(share / ENTRY, "utf-8")
    entry = dict(read["Desktop Entry"])
    comments = {name: text for name, text in entry.items() if name.startswith("Comment")}
    assert len(comments) == len(set(comments.values())) == 1 + len([*FOLDER.glob("*.po")])
    assert set(entry["Exec"].split('"')[1].split()) & {*VERBS} == {"open", "run"}
    for icon in share.glob(f"icons/hicolor/*/apps/{entry['Icon']}.png"):
        size = icon.parts[-3]
        assert "{}x{}".format(*Image.open(icon).size) == size
    assert (share / f"icons/hicolor/48x48/apps/{entry['Icon']}.png").is_file()


def test_the_desktop_takes_the_menu_entry(share: Path) -> None:
    assert called("desktop-file-validate", share / ENTRY) == ""


def test_the_manual_page_is_read_without_a_warning_and_has_every_verb(share: Path) -> None:
    if sys.platform != "linux":
        pytest.skip("man of other systems has other flags")
    text = called("man", "--warnings", "-E", "UTF-8", "-l", share / MANUAL)
    assert "warning" not in text
    missing = [verb for verb in VERBS if f"paperchute {verb}" not in " ".join(text.split())]
    assert missing == []


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["sta"], ["status"]),
        (["rule", ""], ["list", "add", "remove", "on", "off"]),
        (["--rules", "on", "rule", "o"], ["on", "off"]),
        (["autostart", "s"], ["status"]),
        (["run", "--on"], ["--once"]),
        (["do", "pdf-me"], ["pdf-merge", "pdf-metadata"]),
        (["do", "-o", "p"], []),
        (["explain", ""], []),
    ],
)
def test_bash_completes(words: list[str], offered: list[str], share: Path) -> None:
    script = '. "$1"; shift; COMP_WORDS=(paperchute "$@"); COMP_CWORD=$#; _paperchute; echo "${COMPREPLY[@]}"'
    assert called("bash", "-uc", script, "bash", share / BASH, *words).split() == offered


def test_zsh_completes(share: Path) -> None:
    script = (
        "_describe() { print -l ${(P)2} }; _files() { print files };"
        'words=(paperchute "${@[2,-1]}"); CURRENT=$#words; PREFIX=$words[-1]; . $1'
    )
    offered = called("zsh", "-fc", script, "zsh", share / ZSH, "rule", "")
    assert [line.split(":")[0] for line in offered.splitlines()] == ["list", "add", "remove", "on", "off"]
    assert called("zsh", "-fc", script, "zsh", share / ZSH, "do", "-o", "") == "files\n"


def test_fish_completes(share: Path) -> None:
    offered = called("fish", "--no-config", "-c", f'source {share / FISH}; complete -C "paperchute rule "')
    assert {line.split("\t")[0] for line in offered.splitlines()} == {"list", "add", "remove", "on", "off"}
