"""The program is replaced while it works: the version that is in place then goes on, in the same process."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.journeys.daemon import SOURCE, Paperchute, names, wait_until

RULES = """
version = 1
[[rule]]
name = "Copies"
folder = "in"
operation = "html-to-pdf"
"""
_MARK = "version of the test"


@pytest.fixture(name="installed")
def _installed(tmp_path: Path) -> Iterator[Paperchute]:
    """One whose files are its own."""
    shutil.copytree(
        SOURCE / "paperchute", tmp_path / "site" / "paperchute", ignore=shutil.ignore_patterns("__pycache__")
    )
    paperchute = Paperchute(tmp_path, RULES)
    paperchute.environment["PYTHONPATH"] = str(tmp_path / "site")
    (tmp_path / "in").mkdir()
    yield paperchute
    paperchute.close()


@pytest.mark.skipif(sys.platform == "win32", reason="there a process cannot become another program")
def test_an_upgrade_while_it_works_loses_and_repeats_nothing(installed: Paperchute, tmp_path: Path) -> None:
    hot, results = tmp_path / "in", tmp_path / "in.out"
    installed.start()
    installed.until_it_runs()
    (hot / "before.html").write_text("<p>before</p>", "utf-8")
    wait_until(lambda: names(results) == ["before.pdf"])
    first = installed.said()

    place = tmp_path / "site" / "paperchute" / "__init__.py"
    place.write_text(f'__version__ = "{_MARK}"\n', "utf-8")
    log = tmp_path / "daemon.log"
    wait_until(lambda: "it drains" in log.read_text("utf-8"))
    (hot / "meanwhile.html").write_text("<p>meanwhile</p>", "utf-8")
    wait_until(lambda: installed.said()["started"] > first["started"])

    assert installed.said()["pid"] == first["pid"]
    wait_until(lambda: names(results) == ["before.pdf", "meanwhile.pdf"])
    jobs = installed.json("jobs")
    assert sorted((Path(job["path"]).name, job["state"]) for job in jobs) == [
        ("before.html", "done"),
        ("meanwhile.html", "done"),
    ]
    assert _MARK in installed.run("--version").stdout
    assert installed.stop() == 0
