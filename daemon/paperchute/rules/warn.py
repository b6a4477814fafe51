"""What is allowed and yet looks like a mistake: said by `paperchute check`, and never in the way of running."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import permutations
from pathlib import Path, PurePosixPath

from paperchute.contract import contract, without_effect
from paperchute.rules.gathering import HAND_ON, together
from paperchute.rules.globs import all_covered
from paperchute.rules.kinds import misfits
from paperchute.rules.landing import landings, loops
from paperchute.rules.match import asks_content
from paperchute.rules.model import Problem, Rule
from paperchute.rules.oddities import odd_globs, odd_output
from paperchute.rules.output import target
from paperchute.rules.own_input import named_hosts
from paperchute.rules.siblings import siblings

Place = Callable[..., tuple[int, int]]
_FETCHING = ("html-to-pdf", "pdf-generate", "pdf-insert")

Said = tuple[Rule, tuple[str | int, ...], str]


def loop_problems(rules: Sequence[Rule], place: Place) -> list[Problem]:
    """Rules that would feed themselves, or each other in a circle, without end: these are mistakes."""
    return _problems(
        (
            (one.writer, (one.key,), f"{one.folder} would be watched by rule {one.reader.name!r}: its {one.what} would "
             "be taken again, without end")
            for one in loops(landings(rules))
        ),
        place,
    )  # fmt: skip


def also_problems(rules: Sequence[Rule], place: Place) -> list[Problem]:
    """Rules with `also` beside rules that cannot have a file together with another one."""
    enabled = [rule for rule in rules if rule.enabled]
    return _problems(
        (
            (
                rule,
                ("also",),
                why,
            )
            for rule in enabled
            for other in enabled
            if rule.also and rule is not other and rule.folder == other.folder and (why := _apart(rule, other))
        ),
        place,
    )


def _apart(rule: Rule, other: Rule) -> str:
    """Why another rule cannot have what `rule` leaves to it; empty where it can, or has other things."""
    if (rule.gather == "folder") != (other.gather == "folder"):
        return ""
    if other.gather in ("batch", "pair") or other.partner:
        mended = f"give that rule a folder of its own, and let this one hand its originals on to it: {HAND_ON}"
        return f"rule {other.name!r} is in the same folder, and {together(other.gather)}; {mended}"
    if rule.shared != other.shared:
        lacking = rule if other.shared else other
        return (
            f"a claimed file is out of sight of rules that are not shared; give rule {lacking.name!r} shared = true too"
        )
    return ""


def warnings(rules: Sequence[Rule], place: Place, *, remote: bool) -> list[Problem]:
    """Everything that looks like a mistake.

    place(rule, *key path): line and column. remote: not our own engine does the work.
    """
    enabled = [rule for rule in rules if rule.enabled]
    return [
        *_problems(_never_matching(enabled), place),
        *_problems(_overlapping(enabled), place),
        *_problems(_landing(enabled), place),
        *_problems(_sharing_siblings(enabled), place),
        *_problems(((rule, key, message) for rule in enabled for key, message in misfits(rule)), place),
        *_problems(_fetching(enabled, remote), place),
        *_problems(_idle(enabled), place),
        *_problems(
            ((rule, (key,), said) for rule in enabled for key, said in (*odd_globs(rule), *odd_output(rule))), place
        ),
    ]


def _problems(said: Iterator[Said], place: Place) -> list[Problem]:
    found = [Problem(*place(rule, *key), message, rule.name) for rule, key, message in said]
    return list(dict.fromkeys(found))


def _fetching(rules: Sequence[Rule], remote: bool) -> Iterator[Said]:
    for rule in rules:
        named = {host for step in rule.steps for host in named_hosts(step.parameters)}
        if named >= set(rule.hosts):
            continue
        if remote:
            yield rule, ("hosts",), "`hosts` is for the built-in engine; the service at `base_url` decides that itself"
        elif not any(step.operation in _FETCHING for step in rule.steps):
            yield rule, ("hosts",), f"`hosts` does nothing here: only {', '.join(_FETCHING)} fetch anything"


def _idle(rules: Sequence[Rule]) -> Iterator[Said]:
    """Parameters that change nothing beside the others."""
    for rule in rules:
        for number, step in enumerate(rule.steps):
            for name, why in without_effect(contract().known(step.operation), step.parameters):
                base = ("steps", number) if len(rule.steps) > 1 else ()
                yield rule, (*base, "parameters", name), f"{name} changes nothing here: {why}"


def _never_matching(rules: Sequence[Rule]) -> Iterator[Said]:
    rules = [rule for rule in rules if not rule.schedule]
    for position, rule in enumerate(rules):
        for earlier in rules[:position]:
            if _takes_all_of(earlier, rule):
                yield rule, (), f"it can never have a file: rule {earlier.name!r} before it takes all of them"
                break


def _takes_all_of(earlier: Rule, later: Rule) -> bool:
    if earlier.folder != later.folder or earlier.gather != later.gather or earlier.also:
        return False
    if asks_content(earlier) and earlier.gather is None:
        return False
    if earlier.pattern not in ("", later.pattern) or not all_covered(later.except_, earlier.except_):
        return False
    if earlier.gather == "folder":
        return True
    deep_enough = earlier.recursive or not later.recursive
    if not deep_enough or (earlier.depth is not None and (later.depth or 99) > earlier.depth and later.recursive):
        return False
    return all_covered(earlier.match, later.match)


def _overlapping(rules: Sequence[Rule]) -> Iterator[Said]:
    for outer, inner in permutations(rules, 2):
        if outer.folder == inner.folder:
            continue
        if str(outer.folder).casefold() == str(inner.folder).casefold() and outer.line < inner.line:
            yield inner, ("folder",), f"{inner.folder} and {outer.folder} are one folder on macOS and Windows"
        elif inner.folder.is_relative_to(outer.folder) and (outer.recursive or outer.gather == "folder"):
            levels = len(inner.folder.relative_to(outer.folder).parts)
            if outer.depth is None or levels <= outer.depth:
                yield (
                    inner,
                    ("folder",),
                    f"{inner.folder} lies inside {outer.folder}, which rule {outer.name!r} watches too: "
                    "both may take one file",
                )


def _landing(rules: Sequence[Rule]) -> Iterator[Said]:
    found = landings(rules)
    certain = loops(found)
    for one in found:
        if one not in certain:
            whose = "itself" if one.reader is one.writer else f"rule {one.reader.name!r}"
            often = "" if one.certain else "may be "
            yield one.writer, (one.key,), f"its {one.what} in {one.folder} {often or 'are '}taken on by {whose}"


def _sharing_siblings(rules: Sequence[Rule]) -> Iterator[Said]:
    for rule, other in permutations(rules, 2):
        if rule.folder == other.folder:
            continue
        beside = siblings(other)
        place = target(rule, PurePosixPath("name.ext"), now=0.0, counter=1).folder
        writes = [("output", place)] if rule.output else []
        if Path(rule.original).is_absolute():
            writes.append(("original", Path(rule.original)))
        for key, folder in writes:
            for sibling in (beside.out, beside.done, beside.failed):
                if folder == sibling:
                    yield rule, (key,), f"{folder} is where rule {other.name!r} puts its own; they will be mixed"
