"""Which rule takes a file: by its name, and by what is in it. Pure: the facts come from outside.

Names are the same on every platform: `/` between folders, no difference by case, NFC.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import Literal

from paperchute.contract import PICTURES, contract
from paperchute.contract.kinds import canonical, matches_extension
from paperchute.files.names import is_hidden
from paperchute.language import _
from paperchute.notation.sizes import format_size
from paperchute.rules.model import Rule
from paperchute.rules.patterns import folded, found, glob
from paperchute.rules.secrets import has_passwords
from paperchute.rules.sidecar import is_sidecar
from paperchute.rules.values import ranges, within

Need = Literal["kind", "pages", "signed", "text", "unread"]

IMAGE = "image"
"""As a kind: any picture."""


@dataclass(frozen=True)
class FileFacts:
    """What is known of a file's content; None = unknown, or not asked for.

    size: bytes. kind: as `contract.kind_of`. pages: of a PDF. text: of its first pages, as `plain` makes it. trouble:
    why pages or text are not known, in words. locked: it opens with a password only; then pages and text are for the
    rules alone, by name, whose passwords open it. missing: by rule, a sentence for each password that cannot be had.
    said: what is sure of what the document says of itself, by field, once it was read for a job.
    signed: whether a PDF bears a signature; no picture does. unread: numbers of pages that say nothing without
    recognition; pictured: of those among whose text pictures look like text.
    """

    size: int | None = None
    kind: str | None = None
    pages: int | None = None
    text: str | None = None
    trouble: str = ""
    locked: bool = False
    opened_by: frozenset[str] = frozenset()
    missing: Mapping[str, Sequence[str]] = field(default_factory=dict)
    unread: tuple[int, ...] | None = None
    pictured: tuple[int, ...] = ()
    signed: bool | None = None
    said: Mapping[str, str] | None = None

    def seen_by(self, rule: Rule) -> FileFacts:
        """Return what is known where a rule asks."""
        if not self.locked or rule.name in self.opened_by:
            return self
        return replace(
            self,
            pages=None,
            text=None,
            unread=None,
            pictured=(),
            signed=None,
            trouble=_why_locked(rule, self.missing.get(rule.name, ())),
        )


NOTHING_KNOWN = FileFacts()


@dataclass(frozen=True)
class Condition:
    """One condition of one rule: what it asks, whether it holds (None: cannot be told), and what was seen."""

    name: str
    holds: bool | None
    seen: str


def kinds() -> list[str]:
    """Every kind that a condition can name."""
    named = {canonical(e) for o in contract().all_operations for e in (*o.input_ext, o.output_ext)}
    return sorted((named | {IMAGE, "unknown", *PICTURES}) - {"url"})


def needs(rules: Iterable[Rule]) -> frozenset[Need]:
    """Return what must be found out about a file before these rules can judge it; empty where name and size suffice."""
    found: set[Need] = set()
    for rule in rules:
        if rule.kind:
            found.add("kind")
        if rule.pages:
            found.add("pages")
        if rule.signed is not None:
            found.add("signed")
        if rule.text:
            found.add("text")
    return frozenset(found)


def plain(text: str) -> str:
    """Text as it is compared: without regard to letter case, spaces, line breaks and soft hyphens."""
    return re.sub(r"\s+", " ", unicodedata.normalize("NFKC", text).replace("\u00ad", "")).casefold().strip()


def asks_content(rule: Rule) -> bool:
    """Decide whether a rule asks for more than a name."""
    return bool(rule.kind) or asks_beyond_kind(rule)


def asks_beyond_kind(rule: Rule) -> bool:
    """Decide whether a rule asks for what one file of a kind has and another has not."""
    is_asked = rule.pages or rule.text or rule.when or rule.signed is not None
    return bool(is_asked or rule.min_size is not None or rule.max_size is not None)


def fits(rule: Rule, facts: FileFacts) -> bool:
    """Decide whether all of a rule's conditions on content hold; one that cannot be told does not."""
    return all(condition.holds for condition in by_content(rule, facts))


def by_content(rule: Rule, facts: FileFacts) -> Iterator[Condition]:
    """Each condition on content that the rule has, judged."""
    facts = facts.seen_by(rule)
    size = _("there is no such file") if facts.size is None else format_size(facts.size)
    if rule.min_size is not None:
        holds = None if facts.size is None else facts.size >= rule.min_size
        yield Condition(
            "min_size", holds, _("{size} (at least {min_size})", size=size, min_size=format_size(rule.min_size))
        )
    if rule.max_size is not None:
        holds = None if facts.size is None else facts.size <= rule.max_size
        yield Condition(
            "max_size", holds, _("{size} (at most {max_size})", size=size, max_size=format_size(rule.max_size))
        )
    if rule.kind:
        holds = None if facts.kind is None else is_of_kind(rule, facts.kind)
        yield Condition(
            "kind",
            holds,
            _("{seen} (asked: {kinds})", seen=facts.kind or facts.trouble or size, kinds=" ".join(rule.kind)),
        )
    if rule.pages:
        holds = None if facts.pages is None else within(facts.pages, ranges(rule.pages))
        seen = facts.trouble or size if facts.pages is None else f"{facts.pages}"
        yield Condition("pages", holds, _("{seen} (asked: {pages})", seen=seen, pages=rule.pages))
    if rule.signed is not None:
        holds = None if facts.signed is None else facts.signed is rule.signed
        seen = facts.trouble or size if facts.signed is None else _("signed") if facts.signed else _("not signed")
        yield Condition("signed", holds, seen)
    for words in rule.text:
        holds = None if facts.text is None else plain(words) in facts.text
        seen = facts.trouble or size if facts.text is None else _("found") if holds else _("not found")
        yield Condition("text", holds, f"{words!r}: {seen}")


def _why_locked(rule: Rule, missing: Sequence[str]) -> str:
    """Return why a rule cannot look into a locked PDF, and what to do."""
    if not has_passwords(rule):
        return _("it is locked; give the rule `passwords` that may open it")
    said = [_("it is locked, and none of the rule's passwords opens it"), *(one.removesuffix(".") for one in missing)]
    return "; ".join(
        [
            *said,
            _("put that right, or add the right one to `passwords`")
            if missing
            else _("add the right one to `passwords`"),
        ]
    )


def is_of_kind(rule: Rule, kind: str) -> bool:
    """Decide whether a kind is one of those that a rule asks for."""
    return any(kind in PICTURES if wanted == IMAGE else matches_extension(kind, wanted) for wanted in rule.kind)


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


def ladder(candidates: Iterable[Rule], facts: FileFacts) -> list[Rule]:
    """Those of a file's `candidates` that may have it, in order, as far as their `when` lets them.

    `when` hangs on what the document says, which nobody has read at this point. None stands behind the first rule that
    surely has the file for itself.
    """
    found = []
    for rule in candidates:
        if fits(rule, facts):
            found.append(rule)
            if not (rule.also or rule.when):
                break
    return found


def takers(candidates: Iterable[Rule], facts: FileFacts) -> list[Rule]:
    """Those of a file's `candidates` that have it in the end: the first that fits, and as `also` allows later ones.

    As far as name and content say; see `ladder`.
    """
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
    """Decide whether `rule` takes a single file at `relative` below its hot folder."""
    levels = len(relative.parts) - 1
    if rule.gather == "folder" or (levels and not rule.recursive) or (rule.depth is not None and levels > rule.depth):
        return False
    if lead_stem(rule, relative) is not None:
        return not any(map(is_hidden, relative.parts)) and not any(glob(relative, e) for e in rule.except_)
    return is_matched(rule, relative) and has_pattern(rule, relative) and not is_sidecar(relative)


def lead_stem(rule: Rule, relative: PurePath) -> str | None:
    """The stem of the file that the one at `relative` is the second one of; None when it is no second one of a pair."""
    name = relative.name
    for ending in rule.partner:
        if len(name) > len(ending) and folded(name).endswith(folded(ending)):
            return name[: -len(ending)]
    return None


def set_key(rule: Rule, relative: PurePath) -> str:
    """Return what the files of one batch, or the two of a pair, have in common: the same on every platform."""
    parent = relative.parent.as_posix()
    if rule.gather == "batch":
        return folded(parent)
    stem = lead_stem(rule, relative)
    return folded(f"{parent}/{relative.stem if stem is None else stem}")


def has_pattern(rule: Rule, relative: PurePath) -> bool:
    """Decide whether the rule's pattern, if it has one, is found in the name."""
    return not rule.pattern or found(rule.pattern, relative) is not None


def takes_set(rule: Rule, relative: PurePath) -> bool:
    """Decide whether `rule` takes the sub-folder at `relative` as one job."""
    if rule.gather != "folder" or len(relative.parts) != 1 or is_hidden(relative.name):
        return False
    if any(glob(relative, e) for e in rule.except_):
        return False
    return has_pattern(rule, relative)


def is_matched(rule: Rule, relative: PurePath) -> bool:
    """Decide whether `match` and `except` let a file through; for a set's files `relative` is below the set's folder.

    Hidden files, and those in hidden folders, are let through where `match` names such.
    """
    return any(glob(relative, m, hidden=False) for m in rule.match) and not is_excepted(rule, relative)


def is_excepted(rule: Rule, relative: PurePath) -> bool:
    """Decide whether the rule says that it does not want a file: by `except`, or since it only ends a set."""
    return any(glob(relative, e) for e in rule.except_) or is_set_end(rule, relative)


def is_set_end(rule: Rule, relative: PurePath) -> bool:
    """Decide whether a file of a set says that the set is complete."""
    return any(glob(relative, e) for e in rule.set_end)
