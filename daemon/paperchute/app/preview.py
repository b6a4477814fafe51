"""What `run` would do with what lies in the hot folders now. Only looks: nothing is made, moved or written down."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import zip_longest
from pathlib import Path

from paperchute.app.facts import FactReader, Facts, why_not
from paperchute.app.schedules import new_job, upcoming
from paperchute.app.selection import asking, concerned, hot_folders, new_jobs
from paperchute.app.sets import waits_for_others
from paperchute.app.untaken import lying, why_untaken
from paperchute.files.identity import FileKey, key_of
from paperchute.files.names import is_temporary, listed, natural_order
from paperchute.files.sets import TransferError, inside
from paperchute.invocation import command
from paperchute.jobs.decision import is_read, told_of
from paperchute.jobs.model import NewJob
from paperchute.language import _
from paperchute.moments import told_of_date
from paperchute.rules.document_fields import FIELDS
from paperchute.rules.explain import described, landing
from paperchute.rules.match import NOTHING_KNOWN, FileFacts, ladder, lead_stem, needs, set_key
from paperchute.rules.model import Rule
from paperchute.rules.output import uses
from paperchute.rules.settings import RuleFile
from paperchute.rules.sidecar import SUFFIX
from paperchute.rules.when import decide
from paperchute.watch.interface import HotFolder, Ready
from paperchute.watch.judge import to_be_told

Known = Callable[[Path, FileKey], Mapping[str, str] | None]
"""What is sure of a file's document, by field; None where it was not read."""


def nothing_known(_path: Path, _key: FileKey) -> None:
    """Say of every file that its document was not read."""


class Rehearsal:
    """Goes through hot folders. lines: for a terminal; jobs: how many there would be; left: files that would stay."""

    def __init__(self, now: float, known: Known = nothing_known) -> None:
        """now: the Unix time to rehearse for. known: what is known of a file's document."""
        self._of_document = known
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
                for ready in _gathered(hot) if hot.gather else ():
                    self._look_at(rules, ready)
                self._look_at_files(hot, rules)
                for parts in self._parts.values():
                    self._sets(parts)
                self._parts.clear()
        now = datetime.fromtimestamp(self._now)
        for rule, due in upcoming(rules, now):
            self.lines.append(_("rule '{name}': next on {time}", name=rule.name, time=told_of_date(due)))
            lines = described(rule, Path(new_job(rule).relative), NOTHING_KNOWN, due.timestamp())
            self.lines += [f"    {line}" for line in lines]

    def _look_at_files(self, hot: HotFolder, rules: Sequence[Rule]) -> None:
        """The files that do not lie in sets."""
        found = {
            hot.path / at: (entry, at) for entry, at in lying(hot, rules) if not (hot.gather and len(at.parts) > 1)
        }
        for path in natural_order(found):
            entry, relative = found[path]
            if (why := why_untaken(hot, rules, entry, relative)) and not _is_beside(path):
                self._stays(path, why)
            elif not is_temporary(path.name) and (key := key_of(path)) is not None:
                self._look_at(rules, Ready(hot.path, path, ((path, key),)))

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
        if news and news[0].ladder:
            self._look_into(candidates, ready, facts, news[0])
        elif not news:
            self._stays(ready.path, why_not(candidates, ready, facts))
        elif waits_for_others(news[0].rule):
            self._parts.setdefault((news[0].rule.name, set_key(news[0].rule, news[0].relative)), []).append(news[0])
        else:
            self.lines.append(f"{ready.path}")
            for new in news:
                self._job(new, self._known(new, facts), is_last=new is news[-1])

    def _look_into(self, candidates: Sequence[Rule], ready: Ready, facts: Facts, new: NewJob) -> None:
        """A file whose document decides which rules have it."""
        ((path, key),) = ready.members
        may = ladder(candidates, facts.get(path, FileFacts(key.size)))
        own = (name for rule in may for name in rule.find)
        values = self._of_document(path, key) if is_read(path.name) else dict.fromkeys((*FIELDS, *own), "")
        decision = decide([(rule.when, rule.also) for rule in may], values or {})
        if decision.open:
            self.lines += [f"{path}", "  " + told_of_open(may, values, decision.open)]
            self.jobs += 1
        elif not decision.takers:
            self._stays(path, told_of(may, values or {}))
        else:
            self.lines.append(f"{path}")
            for number in decision.takers:
                rule = may[number]
                one = replace(new, rule=rule)
                said = values and {name: text for name, text in values.items() if text}
                known = replace(self._known(one, facts), said=said)
                self._job(one, known, is_last=number == decision.takers[-1])

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
        """Return what the output's name may need to know of the input."""
        if new.is_set or not uses(new.rule, "pages"):
            return facts.get(new.path, NOTHING_KNOWN)
        return self._reader.read(new.path, new.members[0].key.size, {"pages"}, [(new.rule, new.relative)])


def told_of_open(may: Sequence[Rule], values: Mapping[str, str] | None, fields: Sequence[str]) -> str:
    """Say of a file which rules may have it, and what of its document decides that."""
    names = listed([rule.name for rule in may])
    if values is None:
        return _("its document is read first; what it says decides among {rules}", rules=names)
    return _("asks you for its {fields}, which decides among {rules}", fields=listed(list(fields)), rules=names)


def rehearse(rules: RuleFile, known: Known = nothing_known) -> Rehearsal:
    """Return what a run would do now. known: what is known of a file's document."""
    found = Rehearsal(time.time(), known)
    found.go_through(rules.rules)
    return found


def _is_beside(path: Path) -> bool:
    """Decide whether a file only says something about another one, and goes with it."""
    return path.name.endswith(SUFFIX) and path.with_name(path.name.removesuffix(SUFFIX)).is_file()


def _gathered(hot: HotFolder) -> Iterator[Ready]:
    """Yield what the watcher would report of the sets in a hot folder, as they lie there now."""
    for folder in natural_order(path for path in hot.path.iterdir() if path.is_dir() and not path.is_symlink()):
        if not hot.enters((folder.name,)):
            continue
        try:
            found = inside(str(folder))
        except TransferError:
            continue  # it is not complete
        unfit = tuple((folder / name, why) for name, why in to_be_told(str(folder), found).items())
        keys = {folder / name: key for name, key in found.files.items()}
        if keys:
            members = tuple((path, keys[path]) for path in natural_order(keys))
            yield Ready(hot.path, folder, members, is_set=True, unfit=unfit)
