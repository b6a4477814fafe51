"""What steps make and read, and whether one's result is of use to the next."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath

from paperchute.contract import Operation, contract
from paperchute.contract.kinds import canonical
from paperchute.contract.links import LINKS
from paperchute.rules.globs import suffix_of
from paperchute.rules.model import Rule

# What comes unpacked of an operation whose answer is an archive (contract section 10, and chosen for pdf-split).
_UNPACKED = {"document-parsing": ("json", "md", "png", "jpg"), "pdf-split": ("pdf",)}
_AS_READ = ("magic-color",)
"""Operations whose result is of the kind they were given (contract section 17)."""
_WRITTEN_AS = {"heic": "jpg"}  # what they cannot write comes out as another kind


def reads(operation: Operation) -> set[str]:
    """The kinds an operation takes, those of files that hold its address among them."""
    links = {suffix.lstrip(".") for suffix in LINKS} if operation.parameter("htmlUrl") is not None else set()
    return {canonical(extension) for extension in operation.reads} | links


def makes(operation: Operation, given: set[str]) -> set[str]:
    """The kinds an operation's results may have. given: the kinds it may get."""
    if operation.id in _AS_READ:
        made = {_WRITTEN_AS.get(kind, kind) for kind in given & reads(operation)}
        return made or {canonical(operation.output_ext)}
    return set(_UNPACKED.get(operation.id, (canonical(operation.output_ext),)))


def results(rule: Rule) -> set[str]:
    """The kinds of what a rule delivers, as extensions."""
    found = _dropped(rule)
    for step in rule.steps:
        found = makes(contract().known(step.operation), found)
    return found


def misfits(rule: Rule) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """(key path in the rule, message) for kinds that do not fit: between steps, before the first, after the last."""
    first = contract().known(rule.steps[0].operation)
    for pattern in rule.match if rule.gather != "rows" else ():  # lists of rows fill a template
        suffix = suffix_of(pattern)
        if suffix and canonical(suffix) not in reads(first):
            yield ("match",), f"{first.id} reads {_told(reads(first))}, and no {suffix}"
    given = _dropped(rule)
    for number, step in enumerate(rule.steps):
        operation = contract().known(step.operation)
        if number and not given & reads(operation):
            before = rule.steps[number - 1].operation
            yield (
                ("steps", number, "operation"),
                f"{operation.id} reads {_told(reads(operation))}, and {before} gives {_told(given)}",
            )
        given = makes(operation, given)
    fixed = canonical(PurePath(rule.output).suffix) if "{" not in PurePath(rule.output).suffix else ""
    if fixed and fixed not in given:
        yield ("output",), f"the result is {_told(given)}, and is called .{fixed}; write .{{ext}} for its own suffix"


def _dropped(rule: Rule) -> set[str]:
    """The kinds a rule may get, by the names it matches; all that its first operation reads where that is open."""
    known = reads(contract().known(rule.steps[0].operation))
    suffixes = [suffix_of(pattern) for pattern in rule.match if rule.gather != "rows"]
    return {canonical(suffix) for suffix in suffixes if suffix} & known if suffixes and all(suffixes) else known


def _told(kinds: set[str]) -> str:
    return " ".join(sorted(kinds)) or "nothing"
