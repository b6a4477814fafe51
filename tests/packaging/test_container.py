"""The container for hot folders: its files agree with each other and with the program, and its entry is careful.

packaging/container/build.sh builds the image and tries it; here the entry runs as a plain script.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from paperchute.cli.front import VERBS
from paperchute.rules.file import parse

PLACE = Path(__file__).parents[2] / "packaging" / "container"
FOLDERS = ("in", "out", "rules", "state")


def instructions(word: str) -> list[str]:
    text = (PLACE / "Containerfile").read_text("utf-8").replace("\\\n", " ")
    return [line.removeprefix(word).strip() for line in text.splitlines() if line.startswith(f"{word} ")]


def test_the_first_rules_are_good_and_stay_within_the_folders() -> None:
    rules = parse((PLACE / "rules.toml").read_text("utf-8"), Path("/rules/rules.toml")).rules
    assert len(rules) >= 3
    made = re.findall(r"/in/\w+", next(line for line in entry().splitlines() if "mkdir -p /in" in line))
    assert sorted(made) == sorted(rule.folder.as_posix() for rule in rules)
    assert all(str(rule.output).startswith("/out/") for rule in rules)


def test_folders_ports_and_verbs_agree() -> None:
    (volumes,) = map(json.loads, instructions("VOLUME"))
    assert volumes == [f"/{name}" for name in FOLDERS]
    (command,) = map(json.loads, instructions("CMD"))
    assert command[0] in VERBS
    given = dict(word.split("=", 1) for word in shlex.split(" ".join(instructions("ENV"))))
    (service,) = yaml.safe_load((PLACE / "compose.yaml").read_text("utf-8"))["services"].values()
    assert [one.split(":")[1] for one in service["volumes"]] == volumes
    (port,) = instructions("EXPOSE")
    assert given["PAPERCHUTE_PAGE_LISTEN"].endswith(f":{port}")
    assert service["ports"] == [f"{port}:{port}"]
    assert service["environment"].keys() >= {"PUID", "PGID", "PAPERCHUTE_PAGE_PASSWORD_FILE"}
    assert service["read_only"]
    assert int(given["PUID"]) > 0


def entry() -> str:
    return (PLACE / "entrypoint.sh").read_text("utf-8")


@pytest.fixture
def script() -> Iterator[Path]:
    """The entry with folders of its own, which another user may enter, and a program that says how it was called."""
    if sys.platform == "win32" or not shutil.which("setpriv"):
        pytest.skip("the container's own system is Linux")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder).resolve()
        place.chmod(0o711)
        yield _laid_out(place)


def _laid_out(place: Path) -> Path:
    text = entry()
    for name in (*FOLDERS, "usr/share/paperchute"):
        (place / name).mkdir(parents=True)
        text = re.sub(rf"(?<![\w.]){re.escape('/' + name)}\b", str(place / name), text)
    (place / "usr/share/paperchute/rules.toml").write_bytes((PLACE / "rules.toml").read_bytes())
    program = place / "bin" / "paperchute"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\necho "$(id -u):$(id -g) ${PAPERCHUTE_PAGE_LISTEN:-none} $*"\n', "utf-8")
    made = place / "entrypoint.sh"
    made.write_text(text, "utf-8")
    for path in place.rglob("*"):  # whatever the umask
        path.chmod(0o755)
    return made


def run(script: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {
        "PATH": f"{script.parent / 'bin'}:/usr/bin:/bin:/usr/sbin:/sbin",
        "PAPERCHUTE_RULES": str(script.parent / "rules" / "rules.toml"),
        "PAPERCHUTE_PAGE_LISTEN": "0.0.0.0:8765",
        **variables,
    }
    return subprocess.run(
        ["/bin/sh", script, *words], env=environment, capture_output=True, text=True, timeout=60, check=False
    )


def test_it_becomes_the_user_that_is_named_and_writes_the_first_rules_once(script: Path) -> None:
    is_root = os.geteuid() == 0
    done = run(script, "run", "--headless", PUID="4321", PGID="4322", PAPERCHUTE_PAGE_PASSWORD="of the test")
    who = "4321:4322" if is_root else f"{os.getuid()}:{os.getgid()}"
    assert (done.stdout, done.stderr) == (f"{who} 0.0.0.0:8765 run --headless\n", "")
    rules = script.parent / "rules" / "rules.toml"
    assert rules.read_bytes() == (PLACE / "rules.toml").read_bytes()
    assert (script.parent / "in" / "scans").is_dir()
    rules.write_text("# mine\n", "utf-8")
    run(script, "run", "--headless", PUID="4321", PGID="4322")
    assert rules.read_text("utf-8") == "# mine\n"


def test_without_a_password_there_is_no_page_and_that_is_told(script: Path) -> None:
    done = run(script, "run", "--headless", PUID="4321", PGID="4322")
    assert " none run" in done.stdout
    assert "PAPERCHUTE_PAGE_PASSWORD" in done.stderr
    (script.parent / "rules" / "rules.toml").write_text('[page]\nlisten = "0.0.0.0:8765"\n', "utf-8")
    assert " none run" not in run(script, "run", "--headless", PUID="4321", PGID="4322").stdout


@pytest.mark.parametrize("number", ["0", "-1", "root", "10 00", "1;id"])
def test_it_is_never_root(number: str, script: Path) -> None:
    if os.geteuid():
        pytest.skip("only root becomes somebody else")
    for wrong in ({"PUID": number}, {"PUID": "1000", "PGID": number}):
        done = run(script, "run", **wrong)
        assert (done.returncode, done.stdout) == (2, "")
        assert "PUID" in done.stderr


def test_folders_of_people_stay_theirs_and_one_that_cannot_be_written_is_named(script: Path) -> None:
    if os.geteuid():
        pytest.skip("only root has folders of others")
    theirs = script.parent / "in"
    (theirs / "letter.pdf").write_bytes(b"%PDF")
    done = run(script, "run", PUID="4321", PGID="4322")
    assert (theirs.stat().st_uid, (theirs / "letter.pdf").stat().st_uid) == (0, 0)
    assert done.returncode == 2
    assert str(theirs) in done.stderr
    assert "0:0" in done.stderr
