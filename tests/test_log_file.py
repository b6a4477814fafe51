"""A log whose disk is full stops nobody, says nothing of it line by line, and goes on when there is room."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from pathlib import Path

import pytest

from paperchute import log_file
from paperchute.log_file import LogFile
from tests.systems import posix

_PROGRAM = """
import resource, sys
from pathlib import Path
from loguru import logger
from {module} import {set_up}

{set_up}(Path(sys.argv[1]))
free = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (600, free[1]))
for number in range(100):
    logger.info("line {{}}", number)
if sys.argv[2] == "room":
    resource.setrlimit(resource.RLIMIT_FSIZE, free)
logger.info("the last one")
"""


@posix
@pytest.mark.parametrize("end", ["room", "full"])
@pytest.mark.parametrize(
    ("module", "set_up"), [("paperchute.app.log", "set_up"), ("paperchute.engine.log", "set_up_log")]
)
def test_a_full_disk_buries_the_terminal_in_traces(tmp_path: Path, module: str, set_up: str, end: str) -> None:
    path = tmp_path / "a.log"
    program = _PROGRAM.format(module=module, set_up=set_up)
    done = subprocess.run(
        [sys.executable, "-c", program, path, end], capture_output=True, text=True, check=True, timeout=120
    )
    assert (done.stdout, done.stderr) == ("", "")
    text = path.read_text("utf-8")
    assert "line 2" in text
    assert ("the last one" in text) == (end == "room")


def test_what_was_logged_before_is_kept_in_five_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_file, "_MOST_BYTES", 100)
    folder = tmp_path / "not" / "there"
    file = LogFile(folder / "a.log")
    for number in range(60):
        file.handle(logging.makeLogRecord({"msg": json.dumps({"number": number}) + "\n"}))
    file.close()
    names = ["a.log", *(f"a.log.{number}" for number in range(1, 6))]
    assert sorted(path.name for path in folder.iterdir()) == names
    lines = [line for name in reversed(names) for line in (folder / name).read_text("utf-8").splitlines()]
    assert [json.loads(line)["number"] for line in lines] == list(range(60 - len(lines), 60))
