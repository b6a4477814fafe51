"""What the rules make of what lies in hot folders: which are watched, what is wanted, and the jobs it asks for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePath, PurePosixPath

from paperchute.app.facts import Facts
from paperchute.files.identity import FileKey
from paperchute.files.names import CLAIM, listed, quoted
from paperchute.files.sets import Unfit
from paperchute.jobs.claims import Claims
from paperchute.jobs.codec import identity_of
from paperchute.jobs.model import Member, NewJob, SetFacts
from paperchute.language import _
from paperchute.rules.match import FileFacts, candidates, first_match, fits, is_matched, ladder, lead_stem, takers
from paperchute.rules.model import Rule
from paperchute.rules.patterns import names_hidden_folders
from paperchute.rules.sets import is_complete, lacking, left_out, taken
from paperchute.rules.sidecar import is_sidecar
from paperchute.rules.stored import among_several
from paperchute.watch.interface import HotFolder, Ready, SetNames


def hot_folders(rules: Sequence[Rule]) -> list[HotFolder]:
    """One entry per hot folder of the enabled rules, wide enough for all of them."""
    by_path: dict[Path, list[Rule]] = {}
    for rule in rules:
        if rule.enabled:
            by_path.setdefault(rule.folder, []).append(rule)
    return [
        HotFolder(
            path=path,
            files=any(rule.gather != "folder" for rule in group),
            recursive=any(rule.recursive for rule in group if rule.gather != "folder"),
            gather=any(rule.gather == "folder" for rule in group),
            prompt=any(rule.set_size or rule.set_end for rule in group),
            settle=max(rule.settle for rule in group),
            watch=next((rule.watch for rule in group if rule.watch != "auto"), "auto"),
            hidden=any(names_hidden_folders(glob) for rule in group for glob in rule.match),
        )
        for path, group in by_path.items()
    ]


def wanted(rules: Sequence[Rule], folder: HotFolder, path: Path) -> bool:
    """Decide whether some rule takes `path`, so that watching need not judge what nobody wants."""
    relative = path.relative_to(folder.path)
    if first_match(rules, folder.path, relative) is not None or says_something(rules, folder.path, relative):
        return True
    return folder.gather and first_match(rules, folder.path, relative, is_set=True) is not None


def naming(rules: Sequence[Rule], folder: HotFolder, path: Path, names: Sequence[str]) -> SetNames:
    """Return what the rules make of the names in the sub-folder at `path`."""
    taking = candidates(rules, folder.path, path.relative_to(folder.path), is_set=True)
    inside = [PurePath(name) for name in names]
    said = {is_complete(rule, inside) for rule in taking}
    complete = False if False in said else None if None in said or not said else True
    counted = {str(name) for rule in taking for name in taken(rule, inside)}
    return SetNames(complete, frozenset(counted))


def says_something(rules: Sequence[Rule], folder: Path, relative: Path) -> bool:
    """Decide whether it is a sidecar of a file that some rule would take."""
    return is_sidecar(relative) and first_match(rules, folder, relative.with_suffix("")) is not None


def asking(rules: Sequence[Rule], ready: Ready) -> list[Rule]:
    """The rules that would take by its name what is ready; which of them do may depend on its content."""
    return candidates(rules, ready.folder, ready.path.relative_to(ready.folder), is_set=ready.is_set)


def concerned(asking: Sequence[Rule], ready: Ready) -> list[tuple[Path, FileKey]]:
    """The files of what is ready that count by their names: of a set those that some rule of it matches."""
    if not ready.is_set:
        return list(ready.members)
    return [one for one in ready.members if any(_is_of_set(rule, ready, one[0]) for rule in asking)]


def new_jobs(asking: Sequence[Rule], ready: Ready, facts: Facts) -> list[NewJob]:
    """The jobs that what is ready asks for: none when no rule takes it, several where a rule has `also`.

    facts: of its files, as far as `asking` needs more than their size.
    """
    relative = PurePosixPath(ready.path.relative_to(ready.folder))
    if not ready.is_set:
        ((path, key),) = ready.members
        known = facts.get(path, FileFacts(key.size))
        second = [rule for rule in asking if lead_stem(rule, relative) is not None]
        may = [] if second else ladder(asking, known)
        if any(rule.when for rule in may):
            prints = tuple(rule.fingerprint for rule in may)
            return [NewJob(may[0], ready.path, relative, (Member(path, key),), ladder=prints)]
        taking = second[:1] or takers(asking, known)
        return [NewJob(rule, ready.path, relative, (Member(path, key),)) for rule in _sharing(taking)]
    of_rule: dict[str, tuple[Member, ...]] = {}
    taking = []
    for rule in asking:
        found = [
            Member(path, key)
            for path, key in ready.members
            if _is_of_set(rule, ready, path) and fits(rule, facts.get(path, FileFacts(key.size)))
        ]
        if found:
            of_rule[rule.name] = tuple(found)
            taking.append(rule)
            if not rule.also:
                break
    everything = [Member(path, key) for path, key in ready.members]
    whole = identity_of(everything) if len(taking) > 1 else ""
    return [
        NewJob(rule, ready.path, relative, of_rule[rule.name], is_set=True, whole=whole, facts=facts_of)
        for rule, facts_of in zip(_sharing(taking), _set_facts(taking, ready, of_rule), strict=True)
    ]


def _set_facts(taking: Sequence[Rule], ready: Ready, of_rule: Mapping[str, Sequence[Member]]) -> list[SetFacts]:
    """Return what is to be said of a set, for the job of each rule that takes it: all of them wait, or none does."""
    unfit: dict[PurePath, Unfit] = {path.relative_to(ready.path): why for path, why in ready.unfit}
    names = [path.relative_to(ready.path) for path, _key in ready.members]
    has = {member.path.relative_to(ready.path) for rule in taking for member in of_rule[rule.name]}
    held = next((sentence for rule in taking if (sentence := lacking(rule, names))), "")
    warnings: tuple[str, ...] = ()
    if left := left_out(taking, [*names, *unfit], has):
        told = listed([_with_reason(name, unfit.get(name)) for name in left])
        warnings = (_("Left out of the result, since no rule takes it: {names}.", names=told),)
        if not held and any(rule.left_out == "hold" for rule in taking):
            held = _("No rule takes {names}: convert it, or take it out of the folder, and try again.", names=told)
    found = []
    for rule in taking:
        own = {member.path for member in of_rule[rule.name]}
        others = tuple(Member(path, key) for path, key in ready.members if path not in own)
        found.append(SetFacts(others, warnings, held, unfit=tuple(map(str, unfit))))
    return found


def _with_reason(name: PurePath, unfit: Unfit | None) -> str:
    """Name what a set leaves out; with the reason where the name does not tell it."""
    match unfit:
        case "link":
            why = _("links are not followed")
        case "special":
            why = _("neither a file nor a folder")
        case "temporary":
            why = _("a program's own or unfinished file by its name")
        case None:
            return quoted(str(name))
    return f"{quoted(str(name))} ({why})"


def _is_of_set(rule: Rule, ready: Ready, path: Path) -> bool:
    return is_matched(rule, path.relative_to(ready.path))


def _sharing(taking: Sequence[Rule]) -> Sequence[Rule]:
    """Several rules leave the original to the last one that is done with it; what becomes of it the last rule says."""
    return [among_several(rule, taking[-1].original) for rule in taking] if len(taking) > 1 else taking


def claimed(news: Sequence[NewJob], claims: Claims) -> list[NewJob]:
    """The same jobs of one input on the claimed one; none when another Paperchute was first. Raises OSError."""
    first = news[0]
    path = claims.take(first.rule.folder, first.path)
    if path is None:
        return []
    places = {first.path: path}
    if not first.is_set:  # what lies beside it
        for aside in dict.fromkeys(member.path for new in news for member in new.members[1:]):
            if (place := claims.take(first.rule.folder, aside)) is not None:
                places[aside] = place
    if first.is_set:
        return [_set_at(path, new) for new in news]
    return [replace(new, path=path, members=_moved(new, places)) for new in news]


def _set_at(folder: Path, new: NewJob) -> NewJob:
    """The same set, which was moved to `folder` in whole."""

    def moved(members: Iterable[Member]) -> tuple[Member, ...]:
        return tuple(replace(member, path=folder / member.path.relative_to(new.path)) for member in members)

    facts = None if new.facts is None else replace(new.facts, others=moved(new.facts.others))
    return replace(new, path=folder, members=moved(new.members), facts=facts)


def _moved(new: NewJob, places: Mapping[Path, Path]) -> tuple[Member, ...]:
    return tuple(replace(member, path=places[member.path]) for member in new.members if member.path in places)


def is_held_elsewhere(new: NewJob) -> bool:
    """Decide whether a set of the same name is claimed by anybody. Raises OSError."""
    return new.is_set and any((place / new.relative).is_dir() for place in new.rule.folder.glob(f"{CLAIM}*"))


def shared_folders(rules: Sequence[Rule]) -> set[Path]:
    """The hot folders that several Paperchutes watch."""
    return {rule.folder for rule in rules if rule.enabled and rule.shared}
