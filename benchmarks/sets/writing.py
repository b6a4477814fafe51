"""A set on disk: PDFs, the truth of each, and what `benchmarks.reading` must know of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Half = Literal["seen", "unseen"]
HALVES: tuple[Half, ...] = ("seen", "unseen")


@dataclass(frozen=True, slots=True)
class Sample:
    """One document: what it is, from where it comes, and its truth."""

    labels: tuple[str, ...]
    pdf: Path
    truth: str
    variant: str = ""
    """`untagged`, when the same document stands in another set with its tags."""


Maker = Callable[[int, str, Path], Iterator[Sample]]
"""Number and seed of a document and a folder to work in give one sample or more."""


def write(out: Path, name: str, half: Half, count: int, maker: Maker, place: Path) -> dict[str, int]:
    """`count` documents of a kind in sets `<name>-<half>`, and `<name>-untagged-<half>`; how many each has got."""
    made: dict[str, int] = {}
    for number in range(count):
        for sample in maker(number, f"{name}/{half}/{number}", place):
            folder = out / "-".join(part for part in (name, sample.variant, half) if part)
            for kind in ("pdfs", "truth"):
                (folder / kind).mkdir(parents=True, exist_ok=True)
            stem = "_".join((f"{number:03}", *sample.labels))
            sample.pdf.replace(folder / "pdfs" / f"{stem}.pdf")
            (folder / "truth" / f"{stem}.md").write_text(sample.truth, "utf-8")
            (folder / "set.json").write_text(json.dumps({"kind": name, "half": half}), "utf-8")
            made[folder.name] = made.get(folder.name, 0) + 1
    return made
