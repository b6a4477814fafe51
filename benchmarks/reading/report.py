"""The figures as tables."""

from __future__ import annotations

from typing import Any

from benchmarks.watching.tables import Row

_DECIDING = ("overall", "text", "headings", "headings F1", "tables", "cell F1", "no false tables")


def rows(figures: dict[str, Any], collection: str) -> list[Row]:
    """One row a reader: its scores on a collection, our held-out half's below ours, its speed and memory.

    x ours: its pages a second of the processor for each of ours, in the same run.
    """
    result: list[Row] = []
    ours = figures["readers"].get("ours", {}).get(collection, {}).get("pages/CPU s")
    for name, measured in figures["readers"].items():
        own = measured[collection]
        speed = {
            "pages/s": own["pages/s"],
            "pages/CPU s": own["pages/CPU s"],
            "x ours": round(own["pages/CPU s"] / ours, 2) if ours and own["pages/CPU s"] else None,
            "peak MiB": own["peak MiB"],
            "failed": len(own["errors"]),
        }
        result.append({"reader": f"{name} {own['version']}".strip(), **_rounded(own["scores"]), **speed})
        if name == "ours":
            result += [{"reader": f"  {half}", **_rounded(scores)} for half, scores in own["halves"].items()]
    return result


def kinds(figures: dict[str, Any], collection: str) -> list[Row]:
    """One row for each kind of document and reader, the scores that decide."""
    names = list(
        dict.fromkeys(kind for measured in figures["readers"].values() for kind in measured[collection]["kinds"])
    )
    return [
        {"kind": kind, "reader": reader, **_rounded({k: v for k, v in scores.items() if k in _DECIDING})}
        for kind in names
        for reader, measured in figures["readers"].items()
        if (scores := measured[collection]["kinds"].get(kind))
    ]


def markdown(figures: dict[str, Any]) -> str:
    """All tables as a Markdown file."""
    machine = ", ".join(f"{key} {value}" for key, value in figures["machine"].items())
    parts = ["# Reading PDFs beside peers", machine]
    for name, size in figures["documents"].items():
        parts += [f"## {name}: {size['documents']} documents, {size['pages']} pages", _pipes(rows(figures, name))]
    missing = [f"- {name}: not measured ({why})" for name, why in figures["not measured"].items()]
    return "\n\n".join([*parts, "\n".join(missing)]).rstrip() + "\n"


def _rounded(scores: dict[str, float]) -> dict[str, float]:
    return {name: round(value, 3) for name, value in scores.items()}


def _pipes(found: list[Row]) -> str:
    columns = list(dict.fromkeys(column for row in found for column in row))
    lines = [columns, ["---"] * len(columns), *([str(row.get(c, "")) for c in columns] for row in found)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
