"""Office files and texts, parsed as the engine does it."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from paperchute.contract import kind_of
from paperchute.engine import report
from paperchute.engine.operations import document_parsing
from paperchute.engine.work import Source, Work


class Parsed(NamedTuple):
    """text: the Markdown. record: result.json."""

    text: str
    warnings: list[str]
    notes: list[str]
    record: str


def parsed(path: Path) -> Parsed:
    """What became of a file, and what was said of it."""
    folder = path.with_name(f"{path.name}.out")
    folder.mkdir()
    work = Work("document-parsing", (Source("file", path, path.name, kind_of(path)),), {"enableOcr": 0}, folder)
    with report.collected() as warnings, report.noted() as notes:
        document_parsing.run(work)
    record = json.loads((folder / "result.json").read_text("utf-8"))
    return Parsed((folder / "result.md").read_text("utf-8"), warnings, notes, json.dumps(record, ensure_ascii=False))


def rewritten(path: Path, change: Callable[[str, bytes], bytes | None]) -> Path:
    """The same archive with its members changed; those that become None are left out."""
    with zipfile.ZipFile(path) as archive:
        members = {name: change(name, archive.read(name)) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            if content is not None:
                archive.writestr(name, content)
    return path


def words(text: str) -> str:
    """A text with its marks of tables and its white space as single spaces."""
    return " ".join(re.sub("<[^<>]*>", " ", text).split())
