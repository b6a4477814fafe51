"""What is asked for often comes at once: `--help` and `status` load nothing that only a daemon needs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from paperchute.app.places import State
from paperchute.jobs.journal import Journal

HEAVY = ("httpx", "rich", "loguru", "tomlkit", "tree_sitter", "watchdog", "PIL", "filetype", "natsort")
OURS = ("contract", "rules", "service", "files", "watch", "desktop", "engine", "jobs.journal", "app.daemon")
_SCRIPT = """
import json, sys
from paperchute.cli import main
try:
    main()
except SystemExit as end:
    code = end.code
print(json.dumps({"code": code or 0, "modules": sorted(sys.modules)}), file=sys.stderr)
"""


def call(*arguments: object) -> tuple[str, set[str]]:
    """What it prints, and the modules that it has loaded."""
    done = subprocess.run(
        [sys.executable, "-P", "-c", _SCRIPT, *map(str, arguments)], capture_output=True, text=True, check=True
    )
    said = json.loads(done.stderr.splitlines()[-1])
    assert said["code"] == 0, done.stderr
    return done.stdout, set(said["modules"])


def heavy(modules: set[str]) -> set[str]:
    """Those among the modules that it should do without."""
    unwanted = (*HEAVY, *(f"paperchute.{room}" for room in OURS))
    return {name for name in unwanted if name in modules}


def test_the_list_of_what_is_heavy_is_not_out_of_date(tmp_path: Path) -> None:
    """A renamed module would never be found among those that were loaded."""
    _, modules = call("--state", tmp_path, "run", "--help")
    of_run = heavy(modules) | {"tomlkit", "PIL", "paperchute.engine"}  # what `run` itself loads late, or never
    assert of_run == {*HEAVY, *(f"paperchute.{room}" for room in OURS)}


def test_a_daemon_loads_nothing_that_reads_documents(tmp_path: Path) -> None:
    _, modules = call("--state", tmp_path, "run", "--help")
    assert "paperchute.app.daemon" in modules
    assert modules.isdisjoint({"pypdfium2", "PIL", "numpy", "lxml"})


def test_help_loads_no_verb() -> None:
    said, modules = call("--help")
    assert "status" in said
    assert heavy(modules) == set()
    assert "pydantic" not in modules  # Typer itself loads it, but for the help, to convert what options are given
    assert "sqlite3" not in modules


@pytest.mark.parametrize("as_json", [False, True])
def test_status_without_a_daemon_reads_the_journal_alone(tmp_path: Path, as_json: bool) -> None:
    state = State(tmp_path)
    journal = Journal(state.journal)
    journal.settings.set("paused", "1")
    journal.close()
    said, modules = call("--state", tmp_path, "status", *(["--json"] if as_json else []))
    assert json.loads(said)["running"] is False if as_json else "not running" in said
    assert heavy(modules) == set()


def test_a_list_of_jobs_loads_nothing_that_sends_or_moves_files(tmp_path: Path) -> None:
    Journal(State(tmp_path).journal).close()
    said, modules = call("--state", tmp_path, "jobs")
    assert said == "No jobs.\n"
    assert modules.isdisjoint(
        {"httpx", "tree_sitter", "tomlkit", "paperchute.jobs.originals", "paperchute.jobs.inputs"}
    )


def test_status_of_a_daemon_reads_its_file_alone(tmp_path: Path) -> None:
    state = State(tmp_path)
    state.status.write_text(json.dumps({"running": True, "jobs": {}, "troubles": []}), "utf-8")
    with state.lock():
        said, modules = call("--state", tmp_path, "status", "--json")
    assert json.loads(said)["running"] is True
    assert heavy(modules) == set()
