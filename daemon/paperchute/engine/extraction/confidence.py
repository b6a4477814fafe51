"""How sure a value is, by the kind of evidence that tells it: the one place where these figures stand."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ConfidenceSettings:
    """How often a value of a kind of evidence is right.

    `benchmarks.extraction.calibration` counts how often it is; what is read with less certainty counts by that less.
    """

    proven: float = 0.99
    """It adds up, its check digits are right, or the page and the invoice's data say it both."""

    labelled: float = 0.97
    """A label or a title in larger type names it, or two places do."""

    titled: float = 0.93
    """What stands in front of it could have others: the title of a number, the label or legal form of a name."""

    alone: float = 0.9
    """One word says so and nothing confirms it: the label of an amount, a title in plain type, an invoice's data."""

    placed: float = 0.86
    """Its place alone tells, or words that such documents have."""


@dataclass(frozen=True, slots=True)
class CertaintySettings:
    """How surely what tells a value must be read, so that it is told."""

    figures: float = 0.95
    """From there the figures of an amount are read, of which nothing proves that they are."""

    text: float = 0.9
    """The same of a number or a text: it has no check of its own, and is compared with others."""

    letters: float = 0.85
    """The same of a name, which one wrong letter leaves to be known."""


CONFIDENCE = ConfidenceSettings()
CERTAINTY = CertaintySettings()
