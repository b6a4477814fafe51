"""What undoing is about to do, as the journal keeps it until it is done."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from paperchute.jobs.codec import members_from, members_text
from paperchute.jobs.model import Member


@dataclass(frozen=True)
class Removal:
    """A result on its way to the trash: a file, or the folder that several appeared as."""

    job: int
    """The job that delivered it."""
    path: Path
    hidden: Path
    """Where it lies out of sight, beside its place, until everything else is done."""
    hashes: Mapping[str, str]
    """sha256 of what it holds, by the path below it; the empty path for a file itself."""

    @property
    def files(self) -> tuple[Path, ...]:
        """The results in it."""
        return tuple(self.path / name for name in self.hashes)


@dataclass(frozen=True)
class Return:
    """An original on its way back to where it was dropped."""

    job: int
    """The job that filed it."""
    index: int
    """As `jobs.model.Original` has it."""
    source: Path
    """Where it was filed."""
    home: Path
    hidden: Path
    """Where its copy grows, beside `home`, when it comes from another file system."""
    hashes: Mapping[str, str]
    """As those of a removal."""
    copied: bool = False
    """Whether that copy is whole, under its hidden name or at `home` already."""


@dataclass(frozen=True)
class Marked:
    """A job that is marked as undone before anything is moved, and what it was before."""

    job: int
    state: str
    kept: bool
    members: tuple[Member, ...]
    """As they were written down."""
    present: tuple[Member, ...]
    """As they lie, or will lie, where they were dropped: by these they are known and not taken again."""


@dataclass(frozen=True)
class UndoPlan:
    """Everything that undoing the jobs of one input moves."""

    marked: tuple[Marked, ...]
    removals: tuple[Removal, ...]
    returns: tuple[Return, ...]
    committed: bool = False
    """Whether all is in its place: from here on it only goes forward."""
    why_not: str = ""
    """Why everything goes back to what it was; empty while it goes forward."""

    @property
    def id(self) -> int:
        """The job that it stands at in the journal."""
        return self.marked[0].job


def plan_text(plan: UndoPlan) -> str:
    """An undo plan as JSON."""
    return json.dumps(
        {
            "marked": [
                [one.job, one.state, one.kept, _members_raw(one.members), _members_raw(one.present)]
                for one in plan.marked
            ],
            "removals": [[one.job, str(one.path), str(one.hidden), dict(one.hashes)] for one in plan.removals],
            "returns": [
                [one.job, one.index, str(one.source), str(one.home), str(one.hidden), dict(one.hashes), one.copied]
                for one in plan.returns
            ],
            "committed": plan.committed,
            "why_not": plan.why_not,
        }
    )


def plan_from(text: str) -> UndoPlan:
    """Return what `plan_text` wrote."""
    raw = json.loads(text)
    return UndoPlan(
        tuple(Marked(job, state, kept, _members(a), _members(b)) for job, state, kept, a, b in raw["marked"]),
        tuple(Removal(job, Path(path), Path(hidden), hashes) for job, path, hidden, hashes in raw["removals"]),
        tuple(
            Return(job, index, Path(source), Path(home), Path(hidden), hashes, copied)
            for job, index, source, home, hidden, hashes, copied in raw["returns"]
        ),
        raw["committed"],
        raw["why_not"],
    )


def _members_raw(members: tuple[Member, ...]) -> Any:
    return json.loads(members_text(members))


def _members(raw: Any) -> tuple[Member, ...]:
    return members_from(json.dumps(raw))
