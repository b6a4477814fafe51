"""A rehearsal says what a run would do, and touches nothing."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from paperchute.app.preview import rehearse
from paperchute.invocation import command
from paperchute.rules.file import load
from tests.journeys.daemon import Paperchute
from tests.journeys.documents import write_pdf

RULES = """
version = 1
[[rule]]
name = "Short"
folder = "in"
operation = "pdf-to-markdown"
pages = 1
[[rule]]
name = "Sets"
folder = "sets"
gather = "folder"
operation = "pdf-merge"
[[rule]]
name = "Pairs"
folder = "pairs"
gather = "pair"
operation = "pdf-insert"
parameters = { actionType = "FROM_PDF", index = 1 }
[[rule]]
name = "Batches"
folder = "batches"
gather = "batch"
operation = "pdf-merge"
[[rule]]
name = "Nowhere"
folder = "nowhere"
operation = "html-to-pdf"
"""


def snapshot(folder: Path) -> list[tuple[str, int, int, bytes]]:
    """Everything below a folder: names, times, modes and contents."""
    return sorted(
        (str(path), status.st_mtime_ns, status.st_mode, path.read_bytes() if path.is_file() else b"")
        for path in (folder, *folder.rglob("*"))
        if (status := os.lstat(path))
    )


def office(tmp_path: Path) -> Path:
    write_pdf(tmp_path / "in" / "one.pdf", "One")
    write_pdf(tmp_path / "in" / "two.pdf", "Two", pages=2)
    write_pdf(tmp_path / "in" / "deep" / "one.pdf", "Deep")
    (tmp_path / "in" / "notes.txt").write_text("x")
    (tmp_path / "in" / "half.pdf.part").write_text("x")
    with contextlib.suppress(OSError):  # Windows wants a right for it
        (tmp_path / "in" / "link.pdf").symlink_to(tmp_path / "in" / "one.pdf")
    (tmp_path / "in.out").mkdir()
    (tmp_path / "in.out" / "one.md").write_text("there already")
    for number in (10, 9):
        write_pdf(tmp_path / "sets" / "Offer" / f"{number}.pdf", "Part")
    (tmp_path / "sets" / "loose.pdf").write_text("x")
    for name in ("pairs/x.pdf", "pairs/x.insert.pdf", "pairs/alone.pdf", "batches/2.pdf", "batches/10.pdf"):
        write_pdf(tmp_path / name, "Part")
    (tmp_path / "in" / "one.pdf.toml").write_text("pages = '1'")
    (tmp_path / "rules.toml").write_text(RULES, "utf-8")
    return tmp_path / "rules.toml"


def test_what_would_happen_is_said(tmp_path: Path) -> None:
    rules = load(office(tmp_path))
    before = snapshot(tmp_path)
    found = rehearse(rules)
    assert snapshot(tmp_path) == before
    text = "\n".join(found.lines)
    is_linked = os.path.lexists(tmp_path / "in" / "link.pdf")
    assert (found.jobs, found.left) == (4, 5 + is_linked)
    for line in (
        f"{tmp_path / 'in/one.pdf'}",
        "  rule 'Short'",
        f"    result: {tmp_path / 'in.out/one.md'}",
        "    one.md is there already: the new one gets a number",
        f"    original: goes to {tmp_path / 'in.done/one.pdf'}",
        "  stays: rule 'Short': pages: 2 (asked: 1)",
        "  stays: not matched by *.pdf",
        *(["  stays: links are not followed"] if is_linked else []),
        "  stays: sub-folders are not looked into",
        "  stays: only sub-folders are taken here",
        f"    result: {tmp_path / 'sets.out/Offer.pdf'}",
        f"    result: {tmp_path / 'pairs.out/x.pdf'}",
        "  stays: rule 'Pairs' waits for the other file of the pair",
        f"    result: {tmp_path / 'batches.out/2.pdf'}",
        f"{tmp_path / 'nowhere'} is not there; `{command('run')}` makes it.",
    ):
        assert line in found.lines, f"{line}\n\n{text}"
    for name in ("half", "toml"):
        assert name not in text


def test_the_command_touches_nothing_either(tmp_path: Path) -> None:
    office(tmp_path)
    paperchute = Paperchute(tmp_path, RULES)
    before = snapshot(tmp_path)
    done = paperchute.run("run", "--dry")
    assert done.returncode == 0, done.stderr
    left = 5 + os.path.lexists(tmp_path / "in" / "link.pdf")
    assert f"4 jobs would be done, {left} files would stay. Nothing was touched." in done.stdout
    assert snapshot(tmp_path) == before
