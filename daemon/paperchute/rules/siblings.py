"""The folders beside a hot folder: results, originals, failures (design section 4)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from paperchute.rules.model import Rule


@dataclass(frozen=True)
class Siblings:
    """`~/Hot/markdown` has `markdown.out`, `markdown.done` and `markdown.failed`."""

    out: Path
    done: Path
    failed: Path


def siblings(rule: Rule) -> Siblings:
    """Of a rule's hot folder. They are made when first needed."""
    folder = rule.folder
    return Siblings(*(folder.with_name(folder.name + ending) for ending in (".out", ".done", ".failed")))
