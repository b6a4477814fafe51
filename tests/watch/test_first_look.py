"""When a new file is first looked at: on Windows that keeps others from deleting its folder."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from paperchute.watch.interface import HotFolder
from paperchute.watch.judge import GRACE
from tests.watch.conftest import PDF
from tests.watch.filling import Filling


@pytest.fixture(name="filled")
def _filled(tmp_path: Path) -> Filling:
    (tmp_path / "a.pdf").write_bytes(PDF)
    return Filling(HotFolder(tmp_path))


def is_looked_at(filled: Filling, after: float) -> bool:
    filled.wait(after)
    return filled.root.table["a.pdf"].look is not None


def test_a_scan_that_was_begun_before_the_file_came_has_it_looked_at_no_sooner(filled: Filling) -> None:
    filled.tell("a.pdf", "appeared")
    filled.settler._gone(filled.root, "a.pdf")  # the scan has not seen it
    assert not is_looked_at(filled, GRACE / 2)
    assert is_looked_at(filled, GRACE)
    assert [ready.path.name for ready in filled.readies] == ["a.pdf"]


def test_what_a_scan_finds_is_looked_at_at_once_where_that_hinders_nobody(filled: Filling) -> None:
    filled.tell("a.pdf", "listed")
    assert is_looked_at(filled, GRACE / 2) is (sys.platform != "win32")
    assert is_looked_at(filled, GRACE)
