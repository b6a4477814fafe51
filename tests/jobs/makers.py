"""Rules and jobs for the tests of this room."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import Any

from paperchute.files.identity import key_of
from paperchute.files.names import natural_order
from paperchute.jobs.journal import Journal
from paperchute.jobs.model import Job, Member, NewJob
from paperchute.jobs.runner import Runner
from paperchute.jobs.work import Service, Settings
from paperchute.rules.model import Rule
from paperchute.rules.tables import Step
from tests.observers import Told
from tests.systems import UNDER_WINE


def make_rule(folder: Path, **changes: Any) -> Rule:
    """A rule that encrypts PDFs, with its record's fields changed as given."""
    fields: dict[str, Any] = {
        "name": "Lock",
        "folder": folder,
        "match": ("*",),
        "except_": (),
        "recursive": False,
        "gather": None,
        "steps": (Step("pdf-to-markdown", {}),),
        "output": "",
        "on_conflict": "number",
        "original": "done",
        "settle": 0.0,
        "retries": 3,
        "enabled": True,
        "line": 1,
        "fingerprint": "f" + str(sorted(changes.items(), key=str)),
    }
    return Rule(**{**fields, **changes})


def runner_over(journal: Journal, service: Callable[[], Service], work: Path, **settings: Any) -> Runner:
    """A runner that nobody watches, over the service that it is given."""
    return Runner(journal, lambda name: service(), Settings(work, **settings), Told())


def new_job(rule: Rule, path: Path) -> NewJob:
    """What the intake would hand over for the file at `path`."""
    key = key_of(path)
    assert key is not None
    return NewJob(rule, path, PurePosixPath(path.relative_to(rule.folder)), (Member(path, key),))


def set_job(journal: Journal, hot: Path, name: str = "set", **rule: Any) -> Job:
    """The job, taken up, for the sub-folder `name` with all of its files."""
    paths = natural_order(path for path in (hot / name).rglob("*") if path.is_file())
    members = tuple(Member(path, key) for path in paths if (key := key_of(path)))
    new = NewJob(make_rule(hot, **rule), hot / name, PurePosixPath(name), members, is_set=True)
    assert journal.inserts.open_job(new) is not None
    job = journal.queue.next()
    assert job is not None
    return job


def other_file_system(than: Path) -> Path | None:
    """A folder that lies on another file system, to be written to; None where there is none."""
    if sys.platform == "win32":  # Wine shows all that there is on Linux as one more drive
        return Path("Z:/dev/shm") if UNDER_WINE and than.drive != "Z:" else None
    here = than.stat().st_dev
    candidates = (Path("/dev/shm"), Path(os.environ.get("XDG_RUNTIME_DIR", "/tmp")), Path("/tmp"), Path.home())
    return next((p for p in candidates if p.is_dir() and os.access(p, os.W_OK) and p.stat().st_dev != here), None)
