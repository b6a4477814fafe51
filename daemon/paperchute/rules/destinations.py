"""Where things land that rules write, and which of them would be taken on from there: chains, and loops."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePosixPath

from paperchute.files.names import folded
from paperchute.rules.match import asks_beyond_kind, is_of_kind
from paperchute.rules.model import Rule
from paperchute.rules.output import target
from paperchute.rules.patterns import suffix_of, takes_suffix
from paperchute.rules.steps import results


@dataclass(frozen=True)
class Siblings:
    """`~/Hot/markdown` has `markdown.out`, `markdown.done` and `markdown.failed`."""

    out: Path
    done: Path
    failed: Path


def siblings(rule: Rule) -> Siblings:
    """Of a rule's hot folder. They are made when first needed."""
    return siblings_of(rule.folder)


@lru_cache(maxsize=1024)
def siblings_of(folder: Path) -> Siblings:
    """Of a hot folder."""
    return Siblings(*(folder.with_name(folder.name + ending) for ending in (".out", ".done", ".failed")))


@dataclass(frozen=True)
class Landing:
    """What `writer` puts into `folder`, which `reader` watches. key: of the rule file's key that says so.

    what: `results`, `originals` or `failures`. certain: every one of them is taken; else some may be.
    """

    writer: Rule
    reader: Rule
    key: str
    folder: Path
    what: str
    certain: bool


def landings(rules: Sequence[Rule]) -> list[Landing]:
    """Everything that enabled rules write into folders that enabled rules watch, and that may be taken there."""
    enabled = [rule for rule in rules if rule.enabled]
    in_folder = by_folder(enabled)
    return [
        Landing(writer, reader, key, folder, what, taken is True and what != "failures")
        for writer in enabled
        for key, folder, what, names in _writes(writer)
        for place in map(folded, (folder, *folder.parents))
        for reader in in_folder.get(place, ())
        if _reaches(folded(folder), reader) and (taken := _is_taken(reader, in_folder[place], names)) is not False
    ]


def by_folder(rules: Sequence[Rule]) -> dict[Path, list[Rule]]:
    """The rules of each hot folder, `folded`, in order."""
    found: dict[Path, list[Rule]] = {}
    for rule in rules:
        found.setdefault(folded(rule.folder), []).append(rule)
    return found


def loops(found: Sequence[Landing]) -> list[Landing]:
    """Of several landings those that certainly come round to their writer again."""
    after: dict[str, set[str]] = {}
    for landing in found:
        if landing.certain:
            after.setdefault(landing.writer.name, set()).add(landing.reader.name)
    return [one for one in found if one.certain and one.writer.name in _reachable(one.reader.name, after)]


def _reachable(start: str, after: dict[str, set[str]]) -> set[str]:
    seen = {start}
    ahead = [start]
    while ahead:
        new = after.get(ahead.pop(), set()) - seen
        seen |= new
        ahead += new
    return seen


def _writes(rule: Rule) -> Iterator[tuple[str, Path, str, list[str | None]]]:
    """(key, folder, what, the extensions of the names; None = any)."""
    beside = siblings(rule)
    place = target(rule, PurePosixPath("name.ext"), now=0.0, counter=1)
    made: list[str | None] = [place.extension] if place.extension else [*results(rule)]
    yield "output" if rule.output else "folder", place.folder, "results", made
    own = [suffix_of(pattern) for pattern in rule.match]
    yield "folder", beside.failed, "failures", own
    if rule.original == "done":
        yield "folder", beside.done, "originals", own
    elif Path(rule.original).is_absolute():
        yield "original", Path(rule.original), "originals", own


def _reaches(folder: Path, rule: Rule) -> bool:
    """Whether what is put into the `folded` folder is within what the rule watches."""
    watched = folded(rule.folder)
    if folder == watched:
        return rule.gather != "folder"  # which looks at what lies in sub-folders alone
    deep = rule.recursive or rule.gather == "folder"
    if not deep or not folder.is_relative_to(watched):
        return False
    return rule.depth is None or len(folder.relative_to(watched).parts) <= rule.depth


def _is_taken(reader: Rule, rules: Sequence[Rule], extensions: Sequence[str | None]) -> bool | None:
    """Whether one of the rules of a folder takes names of these extensions: True all, False none, None perhaps."""
    found = {_by_name(reader, extension) for extension in extensions}
    if found == {False}:
        return False
    before = rules[: [rule.name for rule in rules].index(reader.name)]
    earlier = (rule for rule in before if not rule.also)
    if any(_by_name(rule, extension) is not False for rule in earlier for extension in extensions):
        return None
    return True if found == {True} else None


def _by_name(rule: Rule, extension: str | None) -> bool | None:
    taken = None if extension is None else takes_suffix(rule.match, extension)
    if extension is None and "*" in rule.match:
        taken = True
    if taken and (rule.except_ or rule.pattern or rule.gather or not _fits_all(rule, extension)):
        return None
    return taken


def _fits_all(rule: Rule, extension: str | None) -> bool:
    """Whether the rule's conditions on content hold for every file of an extension, None for any."""
    of_kind = not rule.kind or (extension is not None and is_of_kind(rule, extension))
    return of_kind and not asks_beyond_kind(rule)
