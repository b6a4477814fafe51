"""A stack and a photo in the folder of the scanner: one PDF each, blank backs beside, and all of it taken back."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.engine.operations.stacks import blank, printed, scanned, stack
from tests.journeys.daemon import Paperchute, names
from tests.journeys.documents import page_count

pytestmark = pytest.mark.slow


def test_what_the_scanner_saves_becomes_documents_and_can_be_taken_back(tmp_path: Path) -> None:
    hot, chance = tmp_path / "scans", random.Random(4)
    hot.mkdir()
    letters = [scanned(printed(chance, 5), chance, turn=turn) for turn in (180, 90)]
    stack(hot / "stack.pdf", letters[0], scanned(blank(), chance), letters[1])
    letters[1].save(hot / "photo.jpg", dpi=(150, 150))
    before = {path.name: path.read_bytes() for path in hot.iterdir()}
    office = Paperchute(
        tmp_path, f'version = 1\n[[rule]]\nname = "S"\nfolder = "{hot.as_posix()}"\noperation = "scan"\n'
    )
    done = office.run("run", "--once")
    made = tmp_path / "scans.out"
    assert done.returncode == 0, done.stderr
    assert {path.name for path in (made / "stack").iterdir()} == {"stack.pdf", "stack (blank pages).pdf"}, names(made)
    assert page_count(made / "stack" / "stack.pdf") == 2
    assert page_count(made / "stack" / "stack (blank pages).pdf") == 1
    assert page_count(made / "photo.pdf") == 1
    assert "Neither text nor ink was found on page 2" in office.run("jobs", "--json").stdout
    assert office.run("undo", "--rule", "S", "--yes").returncode == 0
    assert {path.name: path.read_bytes() for path in hot.iterdir() if path.is_file()} == before
