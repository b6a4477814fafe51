"""Joining more files than a service takes in one call: in rounds, each of which joins what the one before left.

The public documents name five for pdf-merge (docs/contract.md#pdf-merge, error 04008).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from paperchute.contract import Value
from paperchute.errors import PaperchuteError
from paperchute.jobs.calls import plain
from paperchute.jobs.inputs import Inputs
from paperchute.jobs.model import Job
from paperchute.jobs.work import Request
from paperchute.language import _

LISTS = ("filePageRanges", "passwords")
"""Parameters of pdf-merge that run parallel to its files (docs/contract.md#pdf-merge)."""

TOO_MANY = "04008"  # contract.toml: too many files to merge


@dataclass(frozen=True)
class Piece:
    """Something to be joined: a file of the step, or what an earlier round has made of several neighbours."""

    path: Path
    first: int
    """The number of the first of the step's files that it holds, from 1."""
    last: int
    """The number of the last one."""
    pages: str = ""
    """Of a file; an earlier round has used them up."""
    password: str = ""
    """The same."""

    @property
    def is_joined(self) -> bool:
        """Whether an earlier round has made it."""
        return self.first != self.last


def groups(pieces: Sequence[Piece], limit: int) -> list[tuple[Piece, ...]]:
    """The next round: neighbours in groups of at most `limit`. A group of one needs no call."""
    return [tuple(pieces[start : start + limit]) for start in range(0, len(pieces), limit)]


def name_of(group: Sequence[Piece]) -> str:
    """The part's name: which files it joins. The same whatever the limit, so a recorded answer stays of use."""
    return f"{group[0].first}-{group[-1].last}"


def pieces_of(job: Job, inputs: Inputs, number: int, paths: Sequence[Path]) -> list[Piece]:
    """The files of a merge, each with its pages and password: its own override, or the rule's entry for it."""
    parameters = {**job.rule.steps[number].parameters, **inputs.over(number)}
    pages, passwords = (_entries(job, name, parameters.get(name), len(paths)) for name in LISTS)
    if "passwords" not in inputs.over(number):
        passwords = [plain(job, reference) for reference in passwords]
    return [
        Piece(
            path,
            index + 1,
            index + 1,
            inputs.pages.get(path, pages[index]),
            inputs.passwords.get(path, passwords[index]),
        )
        for index, path in enumerate(paths)
    ]


def joining(job: Job, number: int, group: Sequence[Piece], part: str, values: Mapping[str, Value]) -> Request:
    """The call that joins these pieces; only the last one's result bears the name that the rule gives."""
    left_out = LISTS if not part else (*LISTS, "outputFileName")
    parameters = {k: v for k, v in job.rule.steps[number].parameters.items() if k not in left_out}
    given = {k: v for k, v in values.items() if k not in left_out}
    if any(piece.pages for piece in group):
        given["filePageRanges"] = [piece.pages for piece in group]
    if any(piece.password for piece in group):
        given["passwords"] = [piece.password for piece in group]
    return Request(number, tuple(piece.path for piece in group), parameters, part, given)


def _entries(job: Job, name: str, values: Value | None, files: int) -> list[str]:
    entries = values if isinstance(values, list) else [""] * files
    if len(entries) != files:
        raise PaperchuteError(
            _(
                "{parameter} has {entries} entries, and {name} has {files} files.",
                parameter=name,
                entries=len(entries),
                name=job.path.name,
                files=files,
            ),
            _("Give one entry for each file, or none."),
        )
    return [str(entry) for entry in entries]
