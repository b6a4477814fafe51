"""Why a file is taken by one rule and not by another: each condition with yes or no and the value seen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path, PurePosixPath

from paperchute.contract import Value, contract, told_of_pages
from paperchute.contract.recognition import is_automatic
from paperchute.files.names import is_half_made, is_hidden, is_private, is_temporary
from paperchute.language import _
from paperchute.moments import told_of_hour
from paperchute.redaction import clean
from paperchute.rules.destinations import siblings
from paperchute.rules.match import Condition, FileFacts, by_content, is_matched, lead_stem, takes_set
from paperchute.rules.model import Rule
from paperchute.rules.output import target
from paperchute.rules.patterns import found, glob
from paperchute.rules.schedule import is_open, next_opening, told
from paperchute.rules.service_names import told as told_of_service
from paperchute.rules.settings import RuleFile
from paperchute.rules.sidecar import is_sidecar
from paperchute.rules.signatures import broken_signatures
from paperchute.rules.steps import results
from paperchute.rules.tables import Step
from paperchute.rules.when import judged


@dataclass(frozen=True)
class RuleExplanation:
    """One rule beside one path."""

    rule: Rule
    conditions: tuple[Condition, ...]

    @property
    def holds(self) -> bool | None:
        """Whether all conditions hold; None where that hangs on something that cannot be told."""
        seen = {condition.holds for condition in self.conditions}
        return False if False in seen else None if None in seen else True


@dataclass(frozen=True)
class Explanation:
    """Every rule beside one path. takers: the rules that take it, several where one has `also`."""

    path: Path
    rules: tuple[RuleExplanation, ...]
    takers: tuple[Rule, ...]
    facts: FileFacts
    now: float

    @property
    def depends(self) -> bool:
        """Whether which rules take it hangs on what its document says, which is not known."""
        return any(one.holds is None and one.rule.when for one in self.rules)

    def text(self) -> str:
        """For a terminal."""
        lines = [f"{self.path}"]
        marks = _marks()
        for explained in self.rules:
            lines.append(
                _(
                    "rule {rule} (line {line}): {outcome}",
                    rule=repr(explained.rule.name),
                    line=explained.rule.line,
                    outcome=self._mark(explained),
                )
            )
            lines += [f"  {marks[c.holds]}  {c.name}: {c.seen}" for c in explained.conditions]
        if self.depends:
            lines.append(_("Which rule takes it is known once its document has been read."))
        elif not self.takers:
            lines.append(_("No rule takes it."))
        for rule in self.takers:
            last = rule is self.takers[-1]
            told = described(rule, unit(rule, self.path), self.facts, self.now, is_last=last)
            lines += ["", _("what rule {rule} would do:", rule=repr(rule.name)), *(f"  {line}" for line in told)]
        return "\n".join(map(clean, lines))

    def _mark(self, explained: RuleExplanation) -> str:
        if explained.rule in self.takers:
            return _("takes it")
        if explained.holds is None:
            return _("may take it; that depends on what is in it")
        if explained.holds:
            open_ones = [one.rule for one in self.rules if one.holds is None and one.rule.when]
            return _("would take it, if rule {rule} did not", rule=repr((*self.takers, *open_ones)[-1].name))
        return _("no")


def _marks() -> dict[bool | None, str]:
    """How it is told whether a condition holds, all of one length; capitals catch the eye."""
    marks = {True: _("yes"), False: _("no").upper(), None: "?"}
    length = max(map(len, marks.values()))
    return {holds: mark.ljust(length) for holds, mark in marks.items()}


def explain(rules: RuleFile, path: Path, facts: FileFacts, now: float) -> Explanation:
    """Explain an absolute path; it need not exist. facts: of its content. now: Unix time."""
    explained = tuple(RuleExplanation(rule, tuple(_conditions(rule, path, facts))) for rule in rules.rules)
    takers: list[Rule] = []
    for one in explained:
        if one.holds:
            takers.append(one.rule)
            if not one.rule.also:
                break
        elif one.holds is None and one.rule.when and not one.rule.also:
            break  # whether those behind it have a turn is not known
    return Explanation(path, explained, tuple(takers), facts, now)


def described(rule: Rule, relative: Path, facts: FileFacts, now: float, *, is_last: bool = True) -> list[str]:
    """Return what a rule would do with what lies at `relative` below its folder, one line each; secrets as references.

    is_last: no other rule has it too behind this one.
    """
    lines = []
    for number, step in enumerate(rule.steps, start=1):
        lines.append(
            _("step {number}: {call}", number=number, call=f"{step.operation} {shown(step.parameters)}").rstrip()
        )
        lines += [f"  {line}" for line in asked_for(step)]
        seen = facts.seen_by(rule)
        if number == 1 and seen.unread is not None and is_automatic(contract().known(step.operation), step.parameters):
            lines.append(_recognition(seen.unread, seen.pictured))
    if facts.seen_by(rule).signed and (broken := broken_signatures(rule)):
        lines.append(_("signed: {broken}", broken=broken))
    if not is_open(rule.between, rule.days, now):
        begin = told_of_hour(datetime.fromtimestamp(next_opening(rule.between, rule.days, now)))
        lines.append(_("begins: {begin} ({hours})", begin=begin, hours=told(rule.between, rule.days)))
    lines.append(_("result: {path}", path=landing(rule, relative, facts, now)))
    lines.append(_("original: {fate}", fate=fate(rule, relative) if is_last else _("left to the next rule")))
    return lines


def asked_for(step: Step) -> list[str]:
    """Who would do a step, a line each; nothing where nobody is named."""
    lines = [_("done by: {service}", service=told_of_service(step.service))] if step.service else []
    if step.or_:
        why = _("where that one is away or has no calls or units left, with a warning")
        lines.append(_("or by: {service}, {why}", service=told_of_service(step.or_), why=why))
    return lines


def _recognition(unread: Sequence[int], pictured: Sequence[int]) -> str:
    """Return which pages would be recognised of themselves, and where pictures would be looked at."""
    if not unread and not pictured:
        return _("recognition: none, every page has text")
    if not pictured:
        return _("recognition: of {pages}", pages=told_of_pages(unread))
    pictures = _("recognition: of pictures that look like text on {pages}", pages=told_of_pages(pictured))
    if not unread:
        return pictures
    return f"{_('recognition: of {pages}', pages=told_of_pages(unread))}; {pictures}"


def landing(rule: Rule, relative: Path, facts: FileFacts, now: float) -> Path:
    """Return where the result would be put, if nothing of that name is there; `{counter}` is taken for 1."""
    place = target(
        rule, PurePosixPath(relative), now=now, counter=1, pages=facts.seen_by(rule).pages, said=facts.said or {}
    )
    made = results(rule)
    suffix = place.extension or (made.pop() if len(made) == 1 else "")
    return place.folder / (f"{place.stem}.{suffix}" if suffix else place.stem)


def fate(rule: Rule, relative: Path) -> str:
    """Return what would become of the original, for people."""
    if rule.schedule:
        return _("there is none")
    match rule.original:
        case "keep":
            return _("stays where it is")
        case "delete":
            return _("is deleted")
        case "trash":
            return _("goes to the desktop's trash")
        case "done":
            return _("goes to {path}", path=siblings(rule).done / relative)
    return _("goes to {path}", path=Path(rule.original) / relative)


def shown(parameters: Mapping[str, Value]) -> str:
    """Parameters as text. Secrets stand in rules as references, which are fit to be seen."""
    return ", ".join(f"{name} = {value}" for name, value in parameters.items())


def unit(rule: Rule, path: Path) -> Path:
    """Give what the rule takes of `path`, relative to its folder: the file, or for gathered folders the sub-folder."""
    relative = path.relative_to(rule.folder)
    return Path(relative.parts[0]) if rule.gather == "folder" else relative


def asked_of(rules: Sequence[Rule], path: Path) -> list[Rule]:
    """The rules whose folder holds `path`: those whose questions about its content are worth an answer."""
    return [rule for rule in rules if path.is_relative_to(rule.folder) and path != rule.folder]


def _conditions(rule: Rule, path: Path, facts: FileFacts) -> Iterator[Condition]:
    yield Condition("enabled", rule.enabled, _("on") if rule.enabled else _("off"))
    inside = path.is_relative_to(rule.folder) and path != rule.folder
    yield Condition("folder", inside, f"{rule.folder}")
    if rule.schedule:
        yield Condition(
            "schedule", False, _("it takes no file: its work begins by the clock, {schedule}", schedule=rule.schedule)
        )
    if not inside or rule.schedule:
        return
    relative = path.relative_to(rule.folder)
    if is_temporary(relative.name):
        yield Condition("name", False, _("a program's own or unfinished file, which is never taken"))
    if private := next((name for name in relative.parts if is_private(name) or is_half_made(name)), None):
        yield Condition("name", False, _("{folder} is a program's own folder, or not complete", folder=private))
    hidden = [name for name in relative.parts if is_hidden(name)]
    if hidden and not is_matched(rule, relative.relative_to(unit(rule, path)) if rule.gather == "folder" else relative):
        yield Condition("name", False, _("{name} is hidden, and no `match` names it", name=hidden[0]))
    if rule.gather == "folder":
        folder = unit(rule, path)
        if len(relative.parts) == 1 and facts.size is not None:
            yield Condition("gather", False, _("a single file; only sub-folders become jobs"))
            return
        yield Condition("gather", takes_set(rule, folder), _("the sub-folder {folder} as one job", folder=folder))
        yield from _pattern(rule, folder)
        if len(relative.parts) == 1:
            return
        relative = relative.relative_to(folder)
    else:
        yield from _levels(rule, relative)
        if (stem := lead_stem(rule, relative)) is not None:
            yield Condition("partner", True, _("the second file of a pair, of {stem}", stem=repr(stem)))
            yield from _excepted(rule, relative)
            return
        if is_sidecar(relative):
            yield Condition("name", False, _("it says something about {stem}, and goes with it", stem=relative.stem))
        if rule.gather == "batch":
            yield Condition("batch", True, _("one job with what comes within {seconds} s", seconds=f"{rule.quiet:g}"))
        elif rule.partner:
            others = [relative.stem + ending for ending in rule.partner]
            if len(others) == 1:
                words = _("one job with {other}", other=others[0])
            else:
                words = _("one job with one of these: {others}", others=", ".join(others))
            yield Condition("partner", True, words)
        yield from _pattern(rule, relative)
    matching = [m for m in rule.match if glob(relative, m, hidden=False)]
    yield Condition(
        "match", bool(matching), matching[0] if matching else _("none of {globs}", globs=" ".join(rule.match))
    )
    yield from _excepted(rule, relative)
    yield from by_content(rule, facts)
    for one in judged(rule.when, facts.said or {}):
        seen = one.seen if facts.said is not None else _("known once the document has been read")
        yield Condition(one.name, one.holds, seen)


def _excepted(rule: Rule, relative: Path) -> Iterator[Condition]:
    for pattern in rule.except_:
        if glob(relative, pattern):
            yield Condition("except", False, pattern)


def _levels(rule: Rule, relative: Path) -> Iterator[Condition]:
    levels = len(relative.parts) - 1
    if levels:
        yield Condition("recursive", rule.recursive, _("on") if rule.recursive else _("off, and it lies deeper"))
    if rule.depth is not None:
        yield Condition("depth", levels <= rule.depth, _("{levels} (at most {depth})", levels=levels, depth=rule.depth))


def _pattern(rule: Rule, relative: Path) -> Iterator[Condition]:
    if rule.pattern:
        groups = found(rule.pattern, relative)
        values = ", ".join(f"{name} = {value!r}" for name, value in (groups or {}).items())
        seen = _("not found: {pattern}", pattern=rule.pattern) if groups is None else values or rule.pattern
        yield Condition("pattern", groups is not None, seen)
