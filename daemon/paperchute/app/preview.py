"""What `run` would do with what lies in the hot folders now. Only looks: nothing is made, moved or written down."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import zip_longest
from pathlib import Path

from paperchute.app.facts import FactReader, Facts, why_not
from paperchute.app.schedules import new_job, upcoming
from paperchute.app.selection import asking, concerned, hot_folders, new_jobs
from paperchute.app.sets import waits_for_others
from paperchute.files.identity import key_of
from paperchute.files.names import is_temporary, natural_order
from paperchute.invocation import command
from paperchute.jobs.model import NewJob
from paperchute.language import _
from paperchute.moments import told_of_date
from paperchute.rules.explain import described, landing
from paperchute.rules.match import NOTHING_KNOWN, FileFacts, lead_stem, needs, set_key
from paperchute.rules.model import Rule
from paperchute.rules.output import uses
from paperchute.rules.settings import RuleFile
from paperchute.rules.sidecar import SUFFIX
from paperchute.watch.interface import HotFolder, Ready


class Rehearsal:
    """Goes through hot folders. lines: for a terminal; jobs: how many there would be; left: files that would stay."""

    def __init__(self, now: float) -> None:
        """now: the Unix time to rehearse for."""
        self.lines: list[str] = []
        self.jobs = 0
        self.left = 0
        self._now = now
        self._reader = FactReader()
        self._planned: set[Path] = set()
        self._parts: dict[tuple[str, str], list[NewJob]] = {}

    def go_through(self, rules: Sequence[Rule]) -> None:
        """All hot folders of the rules. What earlier runs have done is not asked."""
        with self._reader:
            for hot in hot_folders(rules):
                if not hot.path.is_dir():
                    self.lines.append(
                        _("{folder} is not there; `{command}` makes it.", folder=hot.path, command=command("run"))
                    )
                    continue
                for ready in _lying(hot):
                    self._look_at(rules, ready)
                for parts in self._parts.values():
                    self._sets(parts)
                self._parts.clear()
        now = datetime.fromtimestamp(self._now)
        for rule, due in upcoming(rules, now):
            self.lines.append(_("rule '{name}': next on {time}", name=rule.name, time=told_of_date(due)))
            lines = described(rule, Path(new_job(rule).relative), NOTHING_KNOWN, due.timestamp())
            self.lines += [f"    {line}" for line in lines]

    def _look_at(self, rules: Sequence[Rule], ready: Ready) -> None:
        candidates = asking(rules, ready)
        if not candidates:
            if not _is_beside(ready.path):
                self._stays(ready.path, _("no rule takes a file of this name"))
            return
        need = needs(candidates)
        askers = [(rule, ready.path.relative_to(ready.folder)) for rule in candidates]
        files = concerned(candidates, ready)
        facts: Facts = {path: self._reader.read(path, key.size, need, askers) for path, key in files}
        news = new_jobs(candidates, ready, facts)
        if not news:
            self._stays(ready.path, why_not(candidates, ready, facts))
        elif waits_for_others(news[0].rule):
            self._parts.setdefault((news[0].rule.name, set_key(news[0].rule, news[0].relative)), []).append(news[0])
        else:
            self.lines.append(f"{ready.path}")
            for new in news:
                self._job(new, self._known(new, facts), is_last=new is news[-1])

    def _sets(self, parts: Sequence[NewJob]) -> None:
        """Files that come together are one job, and so are the two of a pair."""
        rule = parts[0].rule
        if rule.gather == "batch":
            sets = [parts[start : start + rule.batch_size] for start in range(0, len(parts), rule.batch_size)]
        else:
            leads = [new for new in parts if lead_stem(rule, new.relative) is None]
            partners = [new for new in parts if lead_stem(rule, new.relative) is not None]
            sets = [[new for new in pair if new] for pair in zip_longest(leads, partners)]
        for one in sets:
            if rule.gather != "batch" and len(one) < 2:
                self._stays(one[0].path, _("rule '{name}' waits for the other file of the pair", name=rule.name))
                continue
            self.lines += [f"{new.path}" for new in one]
            self._job(one[0], NOTHING_KNOWN)

    def _stays(self, path: Path, why: str) -> None:
        self.left += 1
        self.lines += [f"{path}", "  " + _("stays: {why}", why=why)]

    def _job(self, new: NewJob, known: FileFacts, *, is_last: bool = True) -> None:
        self.jobs += 1
        self.lines.append("  " + _("rule '{name}'", name=new.rule.name))
        if new.facts is not None and new.facts.held:
            self.lines.append("    " + _("fails at once: {why}", why=new.facts.held))
            return
        for sentence in new.facts.warnings if new.facts is not None else ():
            self.lines.append("    " + _("warning: {sentence}", sentence=sentence))
        lines = described(new.rule, Path(new.relative), known, self._now, is_last=is_last)
        self.lines += [f"    {line}" for line in lines]
        place = landing(new.rule, Path(new.relative), known, self._now)
        if place in self._planned or os.path.lexists(place):
            what = {
                "number": _("{name} is there already: the new one gets a number", name=place.name),
                "replace": _(
                    "{name} is there already: it is replaced if it is an unchanged result of this rule;"
                    " otherwise the new one gets a number",
                    name=place.name,
                ),
                "skip": _("{name} is there already: the new one is left out", name=place.name),
            }
            self.lines.append(f"    {what[new.rule.on_conflict]}")
        self._planned.add(place)

    def _known(self, new: NewJob, facts: Facts) -> FileFacts:
        """What the output's name may need to know of the input."""
        if new.is_set or not uses(new.rule, "pages"):
            return facts.get(new.path, NOTHING_KNOWN)
        return self._reader.read(new.path, new.members[0].key.size, {"pages"}, [(new.rule, new.relative)])


def rehearse(rules: RuleFile) -> Rehearsal:
    """What a run would do now."""
    found = Rehearsal(time.time())
    found.go_through(rules.rules)
    return found


def _is_beside(path: Path) -> bool:
    """Whether a file only says something about another one, and goes with it."""
    return path.name.endswith(SUFFIX) and path.with_name(path.name.removesuffix(SUFFIX)).is_file()


def _lying(hot: HotFolder) -> Iterator[Ready]:
    """What the watcher would report of a hot folder, as it lies there now."""
    if hot.gather:
        yield from _gathered(hot)
    if not hot.files:
        return
    for path in natural_order(_files(hot.path, deep=hot.recursive and not hot.gather)):
        if (key := key_of(path)) is not None:
            yield Ready(hot.path, path, ((path, key),))


def _files(folder: Path, *, deep: bool) -> Iterator[Path]:
    """Files of a folder, or of those below it too; links are not followed, and programs' own files are left out."""
    for at, names, leaves in os.walk(folder, followlinks=False):
        names[:] = [name for name in names if deep and not is_temporary(name)]
        yield from (Path(at, name) for name in leaves if not is_temporary(name))


def _gathered(hot: HotFolder) -> Iterator[Ready]:
    for folder in natural_order(path for path in hot.path.iterdir() if path.is_dir() and not path.is_symlink()):
        inside = [] if is_temporary(folder.name) else natural_order(_files(folder, deep=True))
        members = tuple((path, key) for path in inside if (key := key_of(path)) is not None)
        if members:
            yield Ready(hot.path, folder, members, is_set=True)
