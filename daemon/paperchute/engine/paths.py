"""Paths of operations, the older ones included."""

from __future__ import annotations

import re
from functools import cache

from paperchute.contract import Operation, contract

_SAME = re.compile(r"same as (\S+/\w+)(?:, (\w+) (\w+))?")


def operation_at(path: str) -> Operation | None:
    """The operation at a path such as /v2/process/pdf/merge, under its older names too; None when there is none."""
    return contract().operation_at(path) or contract().operation_at(older_paths().get(path, ("", {}))[0])


def preset_at(path: str) -> dict[str, list[str]]:
    """Form parts that an older path stands for, such as the image format of /v2/process/pdf/png."""
    return older_paths().get(path, ("", {}))[1]


@cache
def older_paths() -> dict[str, tuple[str, dict[str, list[str]]]]:
    """Older paths with what they stand for: the path of today, and the parameters they set (contract.toml)."""
    found: dict[str, tuple[str, dict[str, list[str]]]] = {}
    for entry in contract().raw["legacy_path"]:
        same = _SAME.fullmatch(entry["meaning"]) if entry["implement"] == "alias" else None
        if same is not None:
            found[entry["path"]] = (f"/v2/process/{same[1]}", {same[2]: [same[3]]} if same[2] else {})
    return found
