"""Mistakes in the rule file: where each is, what stands there now, and what stood there when the file was good."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from paperchute.rules.disclosure import rule_text
from paperchute.rules.file import read
from paperchute.rules.problems import RuleFileError
from paperchute.rules.settings import RuleFile

_MOST_LINES = 8
_LONGEST = 300
"""Characters of a line that are shown."""


def slips(good: RuleFile, mistakes: Sequence[str]) -> list[dict[str, Any]]:
    """Each mistake with the lines that it is about, without secrets. good: what was read last without one."""
    path = good.path
    try:
        text = read(path)
    except RuleFileError:  # it cannot be read at all, which the mistake says
        text = ""
    changes = SequenceMatcher(None, good.text.split("\n"), text.split("\n"), autojunk=False).get_opcodes()
    before, now = _shown(good.text, path), _shown(text, path)
    return [{"told": mistake, **_lines(_line(mistake, path), before, now, changes)} for mistake in mistakes]


def _shown(text: str, path: Path) -> list[str]:
    """The lines without secrets; none where these take several lines, since no line is itself then."""
    lines = rule_text(text, path.parent).split("\n")
    return lines if len(lines) == text.count("\n") + 1 else []


def _line(mistake: str, path: Path) -> int:
    """The 1-based line of a mistake, as `rules.problems.told` writes it; 0 where it is of none."""
    found = re.match(r"(\d+):\d+: ", mistake.removeprefix(f"{path}:")) if mistake.startswith(f"{path}:") else None
    return int(found[1]) if found else 0


def _lines(
    line: int, before: Sequence[str], now: Sequence[str], changes: Sequence[tuple[str, int, int, int, int]]
) -> dict[str, Any]:
    """Return what stands at a line, and what stood there where that is something else."""
    if not 0 < line <= len(now):
        return {"line": line, "now": [], "before": None}
    for tag, old, old_end, new, new_end in changes:
        if new <= line - 1 < new_end and tag != "equal":
            changed, was = now[new : min(new_end, new + _MOST_LINES)], before[old : min(old_end, old + _MOST_LINES)]
            return {"line": new + 1, "now": _cut(changed), "before": _cut(was)}
    return {"line": line, "now": _cut(now[line - 1 : line]), "before": None}


def _cut(lines: Sequence[str]) -> list[str]:
    return [line if len(line) <= _LONGEST else line[:_LONGEST] + "…" for line in lines]
