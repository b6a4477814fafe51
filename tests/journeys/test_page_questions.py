"""Pages that a step is not sure of: the job waits, a person says, and it goes on with the answer."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pikepdf
import pypdfium2
import pytest

from tests.engine.operations.page_stacks import faint, letters
from tests.engine.operations.stacks import blank, printed, scanned, stack
from tests.journeys.daemon import Paperchute, names

RULES = """
version = 1
[[rule]]
name = "Post"
folder = "post"
operation = "pdf-split"
parameters = { firstPages = "auto" }
output = "Filed/{stem}/{part:02}.{ext}"

[[rule]]
name = "Duplex"
folder = "duplex"
output = "Clean/{stem} {part}.{ext}"

[[rule.steps]]
operation = "pdf-split"
parameters = { every = 2 }

[[rule.steps]]
operation = "scan"
parameters = { upright = 0, straight = 0, searchable = 0 }
"""


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Paperchute]:
    paperchute = Paperchute(tmp_path, RULES)
    (tmp_path / "post").mkdir()
    (tmp_path / "duplex").mkdir()
    yield paperchute
    paperchute.close()


def _pages(path: Path) -> int:
    document = pypdfium2.PdfDocument(path)
    try:
        return len(document)
    finally:
        document.close()


def test_a_split_without_sheets_waits_until_somebody_has_said_where(office: Paperchute, tmp_path: Path) -> None:
    letters(tmp_path / "post" / "stack.pdf", 2, 1, 2)
    assert office.run("run", "--once").returncode == 1
    assert names(tmp_path / "post.failed") == ["stack.pdf", "stack.pdf.needs-you.txt"]
    (job,) = office.json("jobs", "--state", "failed")
    assert job["error_code"] == "unsure"
    assert not job["warnings"]
    text = (tmp_path / "post.failed" / "stack.pdf.needs-you.txt").read_text("utf-8")
    assert f"answer {job['job']} firstPages=1,3-4" in text
    assert "page 3: page 1 of 1" in text

    number = str(job["job"])
    refused = office.run("answer", number, "firstPages=1,9")
    assert refused.returncode == 2
    assert "from 1 to 5" in refused.stderr
    assert office.run("answer", number, "firstPages=").returncode == 2, "nothing is no answer"
    assert office.run("retry", number).returncode == 0
    done = office.run("answer", number, "firstPages=4")
    assert done.returncode == 0, "its file lies in the hot folder already"
    assert office.run("run", "--once").returncode == 0
    filed = tmp_path / "Filed" / "stack"
    assert [_pages(filed / name) for name in names(filed)] == [3, 2]
    assert names(tmp_path / "post.failed") == []
    (job,) = office.json("jobs")
    assert job["state"] == "done"
    assert "firstPages = 4" in str(job["events"])

    assert office.run("undo", "--last", "--yes").returncode == 0
    assert names(tmp_path / "post") == ["stack.pdf"]


def test_what_several_calls_of_a_step_ask_is_asked_at_once(office: Paperchute, tmp_path: Path) -> None:
    chance = random.Random(4)
    leaves = [
        faint(),
        scanned(printed(chance, 3), chance),
        faint(),
        scanned(printed(chance, 3), chance),
        blank(),
        blank(),
    ]
    stack(tmp_path / "duplex" / "a.pdf", *leaves)
    assert office.run("run", "--once").returncode == 1
    (job,) = office.json("jobs", "--state", "failed")
    text = (tmp_path / "duplex.failed" / "a.pdf.needs-you.txt").read_text("utf-8")
    assert "removePages.2.1=none" in text
    assert "removePages.2.2=none" in text
    number = str(job["job"])
    kept = office.run("answer", number, "removePages.2.1=1")
    assert "removePages.2.2" in kept.stdout
    assert office.run("answer", number, "removePages.2.2=none").returncode == 0
    office.run("run", "--once")
    (job,) = office.json("jobs")
    assert job["state"] in ("done", "warned"), job
    clean = tmp_path / "Clean"
    assert sum(_pages(clean / name) for name in names(clean)) == 6
    made = [name for name in names(clean) if "blank" in name]
    assert [_pages(clean / name) for name in made] == [1]
    with pikepdf.open(clean / made[0]) as pdf:
        assert len(pdf.pages) == 1
