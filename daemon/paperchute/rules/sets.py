"""What a rule makes of the names in a dropped folder: is the set complete, and which of its files are left out?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import PurePath

from paperchute.rules.match import is_excepted, is_matched, is_set_end
from paperchute.rules.model import Rule
from paperchute.rules.sidecar import JOB_FILE


def taken(rule: Rule, names: Iterable[PurePath]) -> list[PurePath]:
    """The files that a rule takes by their names; these are below the set's folder."""
    return [name for name in names if is_matched(rule, name) and name != PurePath(JOB_FILE)]


def is_complete(rule: Rule, names: Sequence[PurePath]) -> bool | None:
    """Whether the count and the end mark that the rule asks for are there; None where it asks for neither."""
    if rule.set_size is None and not rule.set_end:
        return None
    counted = rule.set_size is None or len(taken(rule, names)) >= rule.set_size
    return counted and (not rule.set_end or any(is_set_end(rule, name) for name in names))


def lacking(rule: Rule, names: Sequence[PurePath]) -> str:
    """What is wrong with the count or the end mark of a set, in a sentence; empty where nothing is."""
    if rule.set_end and not any(is_set_end(rule, name) for name in names):
        return f"The set has no end mark ({' '.join(rule.set_end)}): add what is missing, and try again."
    count = len(taken(rule, names))
    if rule.set_size is not None and count != rule.set_size:
        came = "1 file has" if count == 1 else f"{count} files have"
        return f"{came} come, and a set of rule {rule.name!r} has {rule.set_size}: put that right, and try again."
    return ""


def left_out(taking: Sequence[Rule], names: Iterable[PurePath], has: Iterable[PurePath]) -> list[PurePath]:
    """The files of a set that none of the rules taking it has, and none says that it does not want.

    has: those that some rule has in the end.
    """
    known = {*has, PurePath(JOB_FILE)}
    return [name for name in names if name not in known and not any(is_excepted(rule, name) for rule in taking)]
