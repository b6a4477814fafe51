"""The documents that are read, and what is known about them."""

from __future__ import annotations

import json
import zlib
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.reading.facts import Fact, holds
from benchmarks.reading.markup import neutral
from benchmarks.reading.scores import cell_scores, markdown_scores, means

Scores = dict[str, float]

_SET = "set.json"


@dataclass(frozen=True, slots=True)
class Collection:
    """Documents of one kind.

    `score` takes the made Markdown by document name and gives the scores of each document, or of each `document#number`
    where several facts are known.
    """

    name: str
    pdfs: dict[str, Path]
    score: Callable[[Mapping[str, str]], dict[str, Scores]]
    half: str = ""
    """The half that all its documents are of, where they do not part by name."""


def collections(folder: Path) -> list[Collection]:
    """Those of the kinds roundtrip, tables and olmocr that `folder` has, and the sets of `benchmarks.sets`.

    `folder` may be such a set itself.
    """
    if (folder / _SET).is_file():
        return [_made(folder)]
    found = [_made(path.parent) for path in sorted(folder.glob(f"*/{_SET}"))]
    if (folder / "roundtrip").is_dir():
        found.append(_with_truth(folder / "roundtrip", markdown_scores))
    if (folder / "tables").is_dir():
        found.append(_with_truth(folder / "tables", cell_scores))
    if (folder / "olmocr").is_dir():
        found.append(_with_facts(folder / "olmocr"))
    return found


def by_label(documents: Mapping[str, Scores]) -> dict[str, Scores]:
    """Means by what stands in the documents' names, `007_balance-sheet_browser`, after the number."""
    parts: defaultdict[str, dict[str, Scores]] = defaultdict(dict)
    for name, scores in documents.items():
        for label in name.split("_")[1:]:
            parts[label][name] = scores
    return {label: means(parts[label]) for label in sorted(parts)}


def halves(documents: Mapping[str, Scores]) -> dict[str, Scores]:
    """Means of two halves by the checksum of the names: `seen` and `held out`.

    Causes are looked for in the first; nobody looks into the second, so it tells whether a change was general.
    """
    parts: dict[str, dict[str, Scores]] = {"seen": {}, "held out": {}}
    for name, scores in documents.items():
        parts["held out" if zlib.crc32(name.partition("#")[0].encode()) & 1 else "seen"][name] = scores
    return {half: means(part) for half, part in parts.items() if part}


def _with_truth(folder: Path, score: Callable[[str, str], Scores]) -> Collection:
    """PDFs in `pdfs`, the Markdown of each in `truth`."""
    truths = {path.stem: path.read_text("utf-8", "replace") for path in sorted((folder / "truth").glob("*.md"))}
    pdfs = {name: folder / "pdfs" / f"{name}.pdf" for name in truths}

    def scores(made: Mapping[str, str]) -> dict[str, Scores]:
        return {name: score(truths[name], text) for name, text in made.items()}

    return Collection(folder.name, pdfs, scores)


def _made(folder: Path) -> Collection:
    """A set of `benchmarks.sets`: all that is known of its documents, with markup made neutral."""

    def score(truth: str, made: str) -> Scores:
        true, got = neutral(truth), neutral(made)
        scores = markdown_scores(true, got)
        return scores | cell_scores(true, got) if "tables" in scores else scores

    collection = _with_truth(folder, score)
    half = str(json.loads((folder / _SET).read_text("utf-8"))["half"])
    return replace(collection, half=half)


def _with_facts(folder: Path) -> Collection:
    """PDFs in `pdfs`, facts about them in `rules.jsonl`. The means are those of facts, by kind and of all."""
    facts: defaultdict[str, list[Fact]] = defaultdict(list)
    for line in (folder / "rules.jsonl").read_text("utf-8").splitlines():
        if line.strip():
            fact = json.loads(line)
            facts[Path(fact["pdf"]).stem].append(fact)

    def scores(made: Mapping[str, str]) -> dict[str, Scores]:
        found: dict[str, Scores] = {}
        for name, text in made.items():
            for number, fact in enumerate(facts[name]):
                held = holds(fact, text)
                if held is not None:
                    found[f"{name}#{number}"] = {"facts": float(held), f"facts: {fact['type']}": float(held)}
        return found

    pdfs = {path.stem: path for path in sorted((folder / "pdfs").glob("*.pdf")) if path.stem in facts}
    return Collection(folder.name, pdfs, scores)
