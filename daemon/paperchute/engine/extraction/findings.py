"""What is found in a document without being told: each value with where it stands, or with why none is sure."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Generic, TypeVar

from paperchute.engine.document.geometry import Box
from paperchute.language import N_
from paperchute.notation.document_kinds import DocumentKind

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Evidence:
    """Where a value is printed: the words as they stand there, their page (from 1) and box in points."""

    page: int
    box: Box
    words: str


@dataclass(frozen=True, slots=True)
class Attached:
    """Where a value stands that no page shows: the attached file's name, and the text as it stands there."""

    name: str
    words: str


@dataclass(frozen=True, slots=True)
class Candidate(Generic[T]):
    """A value that the document may mean."""

    value: T
    confidence: float
    evidence: tuple[Evidence | Attached, ...] = ()


@dataclass(frozen=True, slots=True)
class Found(Generic[T]):
    """A value with its evidence and a confidence from 0 to 1.

    Without a value, `candidates` are what it may be, and `reason` says why none of them is sure; where both are empty
    the document shows nothing of the kind. `said` is what stands in the places of the reason, by name.
    """

    value: T | None = None
    confidence: float = 0.0
    evidence: tuple[Evidence | Attached, ...] = ()
    candidates: tuple[Candidate[T], ...] = ()
    reason: str = ""
    said: tuple[tuple[str, str], ...] = ()

    @property
    def is_unsure(self) -> bool:
        """Whether something is there that could not be told for sure."""
        return self.value is None and bool(self.candidates)

    @property
    def is_disputed(self) -> bool:
        """Whether the page says one thing and the invoice's data another."""
        return bool(self.said)

    @property
    def possible(self) -> tuple[Candidate[T], ...]:
        """What it may be: its value where it has one, else its candidates."""
        return self.candidates if self.value is None else (Candidate(self.value, self.confidence, self.evidence),)

    @property
    def places(self) -> tuple[Evidence, ...]:
        """Where it stands on pages."""
        return tuple(one for one in self.evidence if isinstance(one, Evidence))


def sure(candidate: Candidate[T]) -> Found[T]:
    """A candidate that is taken."""
    return Found(candidate.value, candidate.confidence, candidate.evidence)


def unsure(candidates: Sequence[Candidate[T]], reason: str) -> Found[T]:
    """Candidates of which none is taken, most likely ones first."""
    ranked = sorted(candidates, key=lambda candidate: -candidate.confidence)
    return Found(candidates=tuple(ranked), reason=reason)


def opened(found: Found[T], reason: str = N_("nothing confirms it")) -> Found[T]:
    """Take a value back: what was found as a candidate, for a reason; what was not sure stays as it is."""
    if found.value is None:
        return found
    return unsure([replace(one, confidence=one.confidence / 2) for one in found.possible], reason)


@dataclass(frozen=True, slots=True)
class LineItem:
    """A line of an invoice or receipt; what its table does not show is empty or None. rate: of its tax, in per cent."""

    description: str = ""
    quantity: Decimal | None = None
    unit: str = ""
    price: Decimal | None = None
    rate: Decimal | None = None
    amount: Decimal | None = None
    evidence: tuple[Evidence | Attached, ...] = ()


@dataclass(frozen=True, slots=True)
class Findings:
    """What a business document says of itself.

    date: of the document. number: its own. sender and recipient: their names. currency: its ISO 4217 code. net, tax and
    total: amounts as printed, a credit note's with the sign they have there. tax_rate: in per cent, where there is one.
    due: the day by which to pay. language: the one of its labels (ISO 639-1), empty where nothing tells.
    """

    kind: Found[DocumentKind] = field(default_factory=Found)
    date: Found[datetime.date] = field(default_factory=Found)
    number: Found[str] = field(default_factory=Found)
    sender: Found[str] = field(default_factory=Found)
    recipient: Found[str] = field(default_factory=Found)
    currency: Found[str] = field(default_factory=Found)
    net: Found[Decimal] = field(default_factory=Found)
    tax: Found[Decimal] = field(default_factory=Found)
    tax_rate: Found[Decimal] = field(default_factory=Found)
    total: Found[Decimal] = field(default_factory=Found)
    iban: Found[str] = field(default_factory=Found)
    due: Found[datetime.date] = field(default_factory=Found)
    items: Found[tuple[LineItem, ...]] = field(default_factory=Found)
    language: str = ""
