"""Which rule takes a file. The same on every platform: `/` between folders, no difference by case, NFC."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path, PurePath

from paperchute.rules.conditions import FileFacts, asks_content, fits
from paperchute.rules.globs import folded, glob
from paperchute.rules.model import Rule
from paperchute.rules.pattern import found
from paperchute.rules.sidecar import is_sidecar


def candidates(rules: Sequence[Rule], folder: Path, relative: PurePath, *, is_set: bool = False) -> list[Rule]:
    """The enabled rules of `folder` that would take what is at `relative` by its name, in order.

    What a rule asks of the content is not looked at, and those behind the first one without such a question, and
    without `also`, cannot have their turn.
    """
    taking = []
    for rule in rules:
        if rule.enabled and rule.folder == folder and (takes_set if is_set else takes_file)(rule, relative):
            taking.append(rule)
            if not rule.also and (is_set or not asks_content(rule)):
                break
    return taking


def takers(candidates: Iterable[Rule], facts: FileFacts) -> list[Rule]:
    """Those of a file's `candidates` that have it in the end: the first that fits, and as `also` allows later ones."""
    taking = []
    for rule in candidates:
        if fits(rule, facts):
            taking.append(rule)
            if not rule.also:
                break
    return taking


def first_match(rules: Sequence[Rule], folder: Path, relative: PurePath, *, is_set: bool = False) -> Rule | None:
    """The first enabled rule of `folder` that takes the file at `relative`, or with `is_set` the sub-folder there.

    By the name alone; see `candidates`.
    """
    return next(iter(candidates(rules, folder, relative, is_set=is_set)), None)


def takes_file(rule: Rule, relative: PurePath) -> bool:
    """Whether `rule` takes a single file at `relative` below its hot folder."""
    levels = len(relative.parts) - 1
    if rule.gather == "folder" or (levels and not rule.recursive) or (rule.depth is not None and levels > rule.depth):
        return False
    if lead_stem(rule, relative) is not None:
        return not any(glob(relative, e) for e in rule.except_)
    return is_matched(rule, relative) and has_pattern(rule, relative) and not is_sidecar(relative)


def lead_stem(rule: Rule, relative: PurePath) -> str | None:
    """The stem of the file that the one at `relative` is the second one of; None when it is no second one of a pair."""
    name = relative.name
    for ending in rule.partner:
        if len(name) > len(ending) and folded(name).endswith(folded(ending)):
            return name[: -len(ending)]
    return None


def set_key(rule: Rule, relative: PurePath) -> str:
    """What the files of one batch, or the two of a pair, have in common: the same on every platform."""
    parent = relative.parent.as_posix()
    if rule.gather == "batch":
        return folded(parent)
    stem = lead_stem(rule, relative)
    return folded(f"{parent}/{relative.stem if stem is None else stem}")


def has_pattern(rule: Rule, relative: PurePath) -> bool:
    """Whether the rule's pattern, if it has one, is found in the name."""
    return not rule.pattern or found(rule.pattern, relative) is not None


def takes_set(rule: Rule, relative: PurePath) -> bool:
    """Whether `rule` takes the sub-folder at `relative` as one job."""
    if rule.gather != "folder" or len(relative.parts) != 1 or any(glob(relative, e) for e in rule.except_):
        return False
    return has_pattern(rule, relative)


def is_matched(rule: Rule, relative: PurePath) -> bool:
    """Whether `match` and `except` let a file through; for a set's files `relative` is below the set's folder."""
    return any(glob(relative, m) for m in rule.match) and not is_excepted(rule, relative)


def is_excepted(rule: Rule, relative: PurePath) -> bool:
    """Whether the rule says that it does not want a file: by `except`, or since it only ends a set."""
    return any(glob(relative, e) for e in rule.except_) or is_set_end(rule, relative)


def is_set_end(rule: Rule, relative: PurePath) -> bool:
    """Whether a file of a set says that the set is complete."""
    return any(glob(relative, e) for e in rule.set_end)
