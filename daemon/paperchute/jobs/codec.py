"""How paths, inputs and plans stand as text: in the journal's columns, and on the way to the reader process."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
from collections.abc import Sequence
from pathlib import Path, PurePath, PurePosixPath
from typing import get_args

from paperchute.files.identity import FileKey
from paperchute.jobs.model import DeliveryPlan, FilingPlan, Job, Member, Move, SetFacts, Stage, State
from paperchute.rules.model import Rule
from paperchute.rules.stored import unreadable_rule


def stored(path: PurePath) -> str | bytes:
    """A path for a column: text, or bytes where the name is no valid UTF-8, which SQLite text cannot hold."""
    text = str(path)
    try:
        text.encode()
    except UnicodeEncodeError:
        return os.fsencode(text)
    return text


def path_from(stored: str | bytes) -> Path:
    """The path that `stored` put into a column; what a system refuses of a damaged one is replaced."""
    try:
        return Path(os.fsdecode(stored))
    except UnicodeDecodeError:  # on Windows; elsewhere every byte is a character of a name
        return Path(stored.decode("utf-8", "replace") if isinstance(stored, bytes) else stored)


def members_text(members: Sequence[Member]) -> str:
    """Inputs as JSON."""
    return json.dumps([[str(m.path), m.key.inode, m.key.size, m.key.mtime] for m in members])


def members_from(text: str) -> tuple[Member, ...]:
    """The inputs that `members_text` wrote, or its first version, which had the device before the inode."""
    return tuple(Member(Path(path), FileKey(*key[-3:])) for path, *key in json.loads(text))


UNDECIDED = "[]"
"""What stands for a job's rules until it is known which of them have its document."""


def facts_text(facts: SetFacts | None) -> str | None:
    """Return what is known of a set, as JSON."""
    if facts is None:
        return None
    said = {"warnings": facts.warnings, "held": facts.held, "after": facts.after, "unfit": facts.unfit}
    return json.dumps({"others": json.loads(members_text(facts.others)), **said})


def facts_from(text: str | None) -> SetFacts | None:
    """Return what `facts_text` wrote."""
    if text is None:
        return None
    raw = json.loads(text)
    others, unfit = members_from(json.dumps(raw["others"])), tuple(raw.get("unfit", ()))
    return SetFacts(others, tuple(raw["warnings"]), raw["held"], raw["after"], unfit)


def identity_of(members: Sequence[Member]) -> str:
    """One short text for these inputs with these keys: equal when nothing about them has changed."""
    return hashlib.sha256(members_text(members).encode()).hexdigest()[:32]


def delivery_text(plan: DeliveryPlan) -> str:
    """A delivery plan as JSON."""
    paths = {"temporary": str(plan.temporary), "final": str(plan.final)}
    more = {
        "wanted": str(plan.wanted) if plan.wanted is not None else None,
        "hashes": dict(plan.hashes),
        "documents": plan.documents,
        "moves": [[move.name, move.target, move.over, move.copied] for move in plan.moves]
        if plan.moves is not None
        else None,
    }
    return json.dumps({**paths, "is_folder": plan.is_folder, "extension": plan.extension, **more})


def delivery_from(text: str) -> DeliveryPlan:
    """Return what `delivery_text` wrote, in this or an earlier version."""
    raw = json.loads(text)
    wanted, moves = raw.get("wanted"), raw.get("moves")
    return DeliveryPlan(
        Path(raw["temporary"]),
        Path(raw["final"]),
        raw["is_folder"],
        raw.get("extension"),
        Path(wanted) if wanted is not None else None,
        raw.get("hashes", {}),
        tuple(raw.get("documents", ())),
        tuple(Move(*move) for move in moves) if moves is not None else None,
    )


def filing_text(plan: FilingPlan) -> str:
    """A filing plan as JSON."""
    paths = {"source": str(plan.source), "target": str(plan.target)}
    return json.dumps({**paths, "copied": plan.copied, "parted": plan.parted})


def filing_from(text: str) -> FilingPlan:
    """Return what `filing_text` wrote, in this or an earlier version."""
    raw = json.loads(text)
    return FilingPlan(Path(raw["source"]), Path(raw["target"]), raw["copied"], raw.get("parted", False))


_AS_THEY_ARE = (
    *("id", "token", "state", "stage", "attempts", "due", "created", "started", "finished"),
    *("error", "error_code", "note"),
)
"""Columns that a job has under the same name and as they are."""


def job_from(row: sqlite3.Row, rule: Rule) -> Job:
    """The job of a row of the table `job`. Raises one of UNREADABLE when it is broken."""
    if row["state"] not in get_args(State) or row["stage"] not in get_args(Stage):
        raise ValueError(f"the state {row['state']!r} or stage {row['stage']!r} is not known")
    if path_from(row["folder"]) != rule.folder:
        raise ValueError(f"its rule is for another folder, {str(rule.folder)!r}")
    return Job(
        **{name: row[name] for name in _AS_THEY_ARE},
        rule=rule,
        path=path_from(row["path"]),
        relative=PurePosixPath(path_from(row["relative"])),
        members=members_from(row["members"]),
        is_set=bool(row["is_set"]),
        hashes=tuple(json.loads(row["hashes"])) if row["hashes"] else None,
        outputs=tuple(Path(o) for o in json.loads(row["outputs"])),
        warnings=tuple(json.loads(row["warnings"])),
        facts=facts_from(row["facts"]),
        undecided=row["ladder"] == UNDECIDED,
    )


UNREADABLE = (ValueError, TypeError, KeyError, AttributeError, RecursionError)
"""What reading a damaged text, or one of another release, may raise."""


def unreadable_job(row: sqlite3.Row) -> Job:
    """Return what can be told of a job whose row, or whose rule, this release cannot read."""
    folder, path = path_from(row["folder"]), path_from(row["path"])
    try:
        members = members_from(row["members"])
    except UNREADABLE:
        members = ()
    return Job(
        **{name: row[name] for name in _AS_THEY_ARE},
        rule=unreadable_rule(row["rule_name"], folder),
        path=path,
        relative=PurePosixPath(path.relative_to(folder) if path.is_relative_to(folder) else path.name),
        members=members,
        is_set=bool(row["is_set"]),
        hashes=None,
        outputs=(),
    )
