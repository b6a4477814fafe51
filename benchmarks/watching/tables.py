"""Rows of figures: ratios to a named peer, and how they are printed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.table import Table

Row = dict[str, Any]
"""One line of a table, by column: what was measured, then the figures. None = there is none ("never")."""


def with_ratio(rows: list[Row], column: str, who: str, peer: str, same: Sequence[str] = ()) -> list[Row]:
    """Add `column / peer` to each row: its figure by that of `peer` in the same run.

    who: the column that names whom a row is about. same: columns that must agree for two rows to be compared. None
    where the peer was not measured, or measured as 0.
    """
    peers = {tuple(row[key] for key in same): row.get(column) for row in rows if row[who] == peer}
    for row in rows:
        mine, theirs = row.get(column), peers.get(tuple(row[key] for key in same))
        row[f"{column} / {peer}"] = round(mine / theirs, 2) if mine is not None and theirs else None
    return rows


def spread(figures: Sequence[float]) -> tuple[float | None, float | None]:
    """Median and 99th percentile, rounded to hundredths; None where nothing was measured."""
    if not figures:
        return None, None
    ordered = sorted(figures)
    return round(ordered[len(ordered) // 2], 2), round(ordered[int(len(ordered) * 0.99)], 2)


def table(name: str, rows: list[Row]) -> Table:
    """The rows as they are printed."""
    columns = list(dict.fromkeys(column for row in rows for column in row))
    shown = Table(title=name, title_justify="left")
    for column in columns:
        text = all(isinstance(row.get(column), str | None) for row in rows)
        shown.add_column(column, justify="left" if text else "right")
    for row in rows:
        shown.add_row(*("" if (value := row.get(column)) is None else str(value) for column in columns))
    return shown
