"""What a rule asks of a file beyond its name: kind, size, pages, text. The facts come from outside; this is pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from paperchute.contract import PICTURES, contract
from paperchute.contract.kinds import canonical, matches_extension
from paperchute.rules.amounts import ranges, size_text, within
from paperchute.rules.model import Rule
from paperchute.rules.passwords import has_passwords

Need = Literal["kind", "pages", "text"]

IMAGE = "image"
"""As a kind: any picture."""


@dataclass(frozen=True)
class FileFacts:
    """What is known of a file's content; None = unknown, or not asked for.

    size: bytes. kind: as `contract.kind_of`. pages: of a PDF. text: of its first pages, as `plain` makes it. trouble:
    why pages or text are not known, in words. locked: it opens with a password only; then pages and text are for the
    rules alone, by name, whose passwords open it. missing: by rule, a sentence for each password that cannot be had.
    """

    size: int | None = None
    kind: str | None = None
    pages: int | None = None
    text: str | None = None
    trouble: str = ""
    locked: bool = False
    opened_by: frozenset[str] = frozenset()
    missing: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def seen_by(self, rule: Rule) -> FileFacts:
        """What is known where a rule asks."""
        if not self.locked or rule.name in self.opened_by:
            return self
        return replace(self, pages=None, text=None, trouble=_why_locked(rule, self.missing.get(rule.name, ())))


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
    """What must be found out about a file before these rules can judge it; empty where name and size suffice."""
    found: set[Need] = set()
    for rule in rules:
        if rule.kind:
            found.add("kind")
        if rule.pages:
            found.add("pages")
        if rule.text:
            found.add("text")
    return frozenset(found)


def plain(text: str) -> str:
    """Text as it is compared: without regard to letter case, spaces, line breaks and soft hyphens."""
    return re.sub(r"\s+", " ", unicodedata.normalize("NFKC", text).replace("\u00ad", "")).casefold().strip()


def asks_content(rule: Rule) -> bool:
    """Whether a rule asks for more than a name."""
    return bool(rule.kind or rule.pages or rule.text or rule.min_size is not None or rule.max_size is not None)


def fits(rule: Rule, facts: FileFacts) -> bool:
    """Whether all of a rule's conditions on content hold; one that cannot be told does not."""
    return all(condition.holds for condition in by_content(rule, facts))


def by_content(rule: Rule, facts: FileFacts) -> Iterator[Condition]:
    """Each condition on content that the rule has, judged."""
    facts = facts.seen_by(rule)
    size = "there is no such file" if facts.size is None else size_text(facts.size)
    if rule.min_size is not None:
        holds = None if facts.size is None else facts.size >= rule.min_size
        yield Condition("min_size", holds, f"{size} (at least {size_text(rule.min_size)})")
    if rule.max_size is not None:
        holds = None if facts.size is None else facts.size <= rule.max_size
        yield Condition("max_size", holds, f"{size} (at most {size_text(rule.max_size)})")
    if rule.kind:
        holds = None if facts.kind is None else any(_is_of(facts.kind, kind) for kind in rule.kind)
        yield Condition("kind", holds, f"{facts.kind or facts.trouble or size} (asked: {' '.join(rule.kind)})")
    if rule.pages:
        holds = None if facts.pages is None else within(facts.pages, ranges(rule.pages))
        seen = facts.trouble or size if facts.pages is None else f"{facts.pages}"
        yield Condition("pages", holds, f"{seen} (asked: {rule.pages})")
    for words in rule.text:
        holds = None if facts.text is None else plain(words) in facts.text
        seen = facts.trouble or size if facts.text is None else f"{'found' if holds else 'not found'}"
        yield Condition("text", holds, f"{words!r}: {seen}")


def _why_locked(rule: Rule, missing: Sequence[str]) -> str:
    """Why a rule cannot look into a locked PDF, and what to do."""
    if not has_passwords(rule):
        return "it is locked; give the rule `passwords` that may open it"
    said = ["it is locked, and none of the rule's passwords opens it", *(one.removesuffix(".") for one in missing)]
    return "; ".join(
        [
            *said,
            "put that right, or add the right one to `passwords`" if missing else "add the right one to `passwords`",
        ]
    )


def _is_of(kind: str, wanted: str) -> bool:
    return kind in PICTURES if wanted == IMAGE else matches_extension(kind, wanted)
