"""Rules and jobs for the tests of this room."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath
from typing import Any

from paperchute.files.identity import key_of
from paperchute.jobs.records import Member, NewJob
from paperchute.rules.model import Rule, Step


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


def new_job(rule: Rule, path: Path) -> NewJob:
    """What the intake would hand over for the file at `path`."""
    key = key_of(path)
    assert key is not None
    return NewJob(rule, path, PurePosixPath(path.relative_to(rule.folder)), (Member(path, key),))


def other_file_system(than: Path) -> Path | None:
    """A folder that lies on another file system, to be written to; None where there is none."""
    here = than.stat().st_dev
    candidates = (Path("/dev/shm"), Path(os.environ.get("XDG_RUNTIME_DIR", "/tmp")), Path("/tmp"), Path.home())
    return next((p for p in candidates if p.is_dir() and os.access(p, os.W_OK) and p.stat().st_dev != here), None)
