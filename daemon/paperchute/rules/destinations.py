"""Where things land that rules write, and which of them would be taken on from there: chains, and loops."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePosixPath

from paperchute.files.names import folded
from paperchute.language import N_
from paperchute.rules.match import asks_beyond_kind, is_of_kind
from paperchute.rules.model import Rule
from paperchute.rules.output import target
from paperchute.rules.patterns import covers, suffix_of, takes_suffix
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


WHAT_LANDS = {"results": N_("results"), "originals": N_("originals"), "failures": N_("failures")}
"""`Landing.what`, for people."""

Chain = Callable[[Path], Mapping[Hashable, int]]
"""The keys of a folder, at 0, and of those that it lies in, with how far above it they are."""


def as_written(path: Path) -> Mapping[Hashable, int]:
    """Give a folder its path as key, as far as a path alone tells; see `files.whereabouts.chain`."""
    return {folded(place): level for level, place in enumerate((path, *path.parents))}


def landings(rules: Sequence[Rule], chain: Chain = as_written) -> list[Landing]:
    """Find what enabled rules write into folders that enabled rules watch, and that may be taken there.

    chain: what tells whether two folders are one.
    """
    enabled = [rule for rule in rules if rule.enabled]
    in_folder = by_folder(enabled, chain)
    return [
        Landing(writer, reader, key, folder, what, taken is True and what != "failures")
        for writer in enabled
        for key, folder, what, names in _writes(writer)
        for reader, level, beside in _readers(chain(folder), in_folder)
        if _reaches(level, reader) and (taken := _is_taken(reader, beside, names)) is not False
    ]


def _readers(
    keys: Mapping[Hashable, int], in_folder: Mapping[Hashable, list[Rule]]
) -> Iterator[tuple[Rule, int, list[Rule]]]:
    """The rules of a folder and of those around it, each once; how far above it that is, and the rules beside it."""
    seen: set[str] = set()
    for key, level in sorted(keys.items(), key=lambda one: one[1]):
        for rule in in_folder.get(key, ()):
            if rule.name not in seen:
                seen.add(rule.name)
                yield rule, level, in_folder[key]


def by_folder(rules: Sequence[Rule], chain: Chain = as_written) -> dict[Hashable, list[Rule]]:
    """Sort rules by the keys of their hot folders, in order."""
    found: dict[Hashable, list[Rule]] = {}
    for rule in rules:
        for key, level in chain(rule.folder).items():
            if level == 0:
                found.setdefault(key, []).append(rule)
    return found


def twins(rules: Sequence[Rule], chain: Chain) -> Iterator[tuple[Rule, Rule]]:
    """Find enabled rules whose hot folder an earlier one has under another path, where both would take a file."""
    in_folder = by_folder([rule for rule in rules if rule.enabled and not rule.schedule], chain)
    found = {
        (later.name, earlier.name): (later, earlier)
        for beside in in_folder.values()
        for number, later in enumerate(beside)
        for earlier in beside[:number]
        if folded(later.folder) != folded(earlier.folder) and _share_names(later, earlier)
    }
    yield from found.values()


def _share_names(one: Rule, other: Rule) -> bool:
    return any(covers(a, b) or covers(b, a) for a in one.match for b in other.match)


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


def _reaches(level: int, rule: Rule) -> bool:
    """Decide whether what is put `level` folders below the hot folder of a rule is within what it watches."""
    if level == 0:
        return rule.gather != "folder"  # which looks at what lies in sub-folders alone
    return (rule.recursive or rule.gather == "folder") and (rule.depth is None or level <= rule.depth)


def _is_taken(reader: Rule, rules: Sequence[Rule], extensions: Sequence[str | None]) -> bool | None:
    """Tell if one of the rules of a folder takes names of these extensions: True all, False none, None perhaps."""
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
    """Decide whether the rule's conditions on content hold for every file of an extension, None for any."""
    of_kind = not rule.kind or (extension is not None and is_of_kind(rule, extension))
    return of_kind and not asks_beyond_kind(rule)
