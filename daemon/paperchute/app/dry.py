"""What `run` would do with what lies in the hot folders now. Only looks: nothing is made, moved or written down."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from paperchute.app.facts import FactReader
from paperchute.app.inspector import Facts, why_not
from paperchute.app.intake import asking, concerned, hot_folders, wishes
from paperchute.files.identity import key_of
from paperchute.files.names import is_temporary, natural_order
from paperchute.jobs.records import NewJob
from paperchute.rules.conditions import NOTHING_KNOWN, FileFacts, needs
from paperchute.rules.explain import described, landing
from paperchute.rules.model import Rule, RuleFile
from paperchute.watch.records import HotFolder, Ready


@dataclass
class Rehearsal:
    """What would happen. lines: for a terminal. taken: jobs; left: files in hot folders that no rule takes."""

    lines: list[str] = field(default_factory=list)
    taken: int = 0
    left: int = 0


def rehearse(rules: RuleFile, now: float | None = None) -> Rehearsal:
    """Go through all hot folders. now: Unix time, the clock's where left out. What earlier runs did is not asked."""
    found = Rehearsal()
    planned: set[Path] = set()
    with FactReader() as reader:
        for hot in hot_folders(rules.rules):
            if not hot.path.is_dir():
                found.lines.append(f"{hot.path} is not there; `run` makes it.")
                continue
            for ready in _lying(hot):
                _tell(found, rules.rules, ready, reader, planned, time.time() if now is None else now)
    return found


def _tell(
    found: Rehearsal, rules: Sequence[Rule], ready: Ready, reader: FactReader, planned: set[Path], now: float
) -> None:
    candidates = asking(rules, ready)
    if not candidates:
        found.left += 1
        found.lines += [f"{ready.path}", "  stays: no rule wants a file of its name"]
        return
    need = needs(candidates)
    facts: Facts = {path: reader.read(path, key.size, need) for path, key in concerned(candidates, ready)}
    news = wishes(candidates, ready, facts)
    found.lines.append(f"{ready.path}")
    if not news:
        found.left += 1
        found.lines.append(f"  stays: {why_not(candidates, ready, facts)}")
    for new in news:
        found.taken += 1
        found.lines.append(f"  rule {new.rule.name!r}")
        known = _known(new, facts, reader)
        found.lines += [f"    {line}" for line in described(new.rule, Path(new.relative), known, now)]
        found.lines += _conflict(new, landing(new.rule, Path(new.relative), known, now), planned)


def _known(new: NewJob, facts: Facts, reader: FactReader) -> FileFacts:
    """What the output's name may need to know of the input."""
    if new.is_set or "{pages" not in new.rule.output:
        return facts.get(new.path, NOTHING_KNOWN)
    return reader.read(new.path, new.members[0].key.size, {"pages"})


def _conflict(new: NewJob, place: Path, planned: set[Path]) -> Iterator[str]:
    if place in planned or os.path.lexists(place):
        what = {"number": "this one gets a number", "replace": "it is replaced", "skip": "this one is left out"}
        yield f"    {place.name} is there already: {what[new.rule.on_conflict]}"
    planned.add(place)


def _lying(hot: HotFolder) -> Iterator[Ready]:
    """What the watcher would report of a hot folder, as it lies there now."""
    if hot.gather:
        yield from _sets(hot)
    if not hot.files:
        return
    for path in natural_order(_files(hot.path, deep=hot.recursive and not hot.gather)):
        if (key := key_of(path)) is not None:
            yield Ready(hot.path, path, ((path, key),))


def _files(folder: Path, *, deep: bool) -> Iterator[Path]:
    """Files of a folder, of those below it too; links are not followed, and programs' own files are left out."""
    for at, names, leaves in os.walk(folder, followlinks=False):
        names[:] = [name for name in names if deep and not is_temporary(name)]
        yield from (Path(at, name) for name in leaves if not is_temporary(name))


def _sets(hot: HotFolder) -> Iterator[Ready]:
    for folder in natural_order(path for path in hot.path.iterdir() if path.is_dir() and not path.is_symlink()):
        if is_temporary(folder.name):
            continue
        inside = natural_order(_files(folder, deep=True))
        members = tuple((path, key) for path in inside if (key := key_of(path)) is not None)
        if members:
            yield Ready(hot.path, folder, members, is_set=True)
