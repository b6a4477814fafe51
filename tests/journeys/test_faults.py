"""What breaks while the daemon runs or is off, and what it makes of it."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.crash.service import Account, ledger_service
from tests.journeys.counting import counting_service
from tests.journeys.daemon import Paperchute, names, wait_until

RULES = """
version = 1
[service]
base_url = "{url}"
api_key = "env:PAPERCHUTE_TEST_KEY"
[[rule]]
name = "Read"
folder = "hot"
operation = "pdf-to-markdown"
[[rule]]
name = "Read and keep"
folder = "kept"
operation = "pdf-to-markdown"
original = "keep"
"""

PDF = b"%PDF-1.7 x\n%%EOF\n"


def drop(folder: Path, name: str) -> None:
    folder.mkdir(exist_ok=True)
    part = folder / f"{name}.part"
    part.write_bytes(PDF + name.encode())
    part.rename(folder / name)


def drop_whole(folder: Path, name: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / name).write_bytes(PDF + name.encode())


def test_files_dropped_while_nobody_was_there_are_done_at_the_next_start(tmp_path: Path) -> None:
    with counting_service() as service:
        paperchute = Paperchute(tmp_path, RULES.format(url=service.url))
        drop(tmp_path / "hot", "first.pdf")
        assert paperchute.run("run", "--once").returncode == 0
        drop(tmp_path / "hot", "second.pdf")
        drop(tmp_path / "kept", "third.pdf")
        assert paperchute.run("run", "--once").returncode == 0
        assert paperchute.run("run", "--once").returncode == 0
        assert names(tmp_path / "hot.out") == ["first.md", "second.md"]
        assert names(tmp_path / "kept.out") == ["third.md"]
        assert sum(service.calls.values()) == 3


def test_a_journal_that_is_lost_while_off_costs_no_file_and_no_second_call(tmp_path: Path) -> None:
    with counting_service() as service:
        paperchute = Paperchute(tmp_path, RULES.format(url=service.url))
        for number in range(20):
            drop(tmp_path / "kept", f"{number}.pdf")
        assert paperchute.run("run", "--once").returncode == 0
        journal = tmp_path / "state" / "journal.sqlite"
        journal.write_bytes(random.Random(7).randbytes(journal.stat().st_size))
        drop(tmp_path / "kept", "new.pdf")
        paperchute.start()
        try:
            wait_until(lambda: "new.md" in names(tmp_path / "kept.out"))
            troubles = paperchute.json("status")["troubles"]
        finally:
            paperchute.close()
        assert any("journal was damaged" in sentence for sentence in troubles)
        assert len(names(tmp_path / "kept.out")) == 21
        assert sum(service.calls.values()) == 21
        assert list((tmp_path / "state").glob("journal.damaged-*.sqlite"))


@pytest.mark.parametrize("length", [255, 246])
def test_a_file_with_the_longest_of_names_is_done_or_fails_like_any_other(tmp_path: Path, length: int) -> None:
    """What is named after it, such as a sidecar or the text beside a failed file, would be longer than names can be."""
    done, failed, like = (start * (length - 5) + end + ".pdf" for start, end in ("dd", "fa", "fb"))
    with ledger_service() as service:
        account = Account(lambda: "good" if len(account.contacts) == 0 else "refuse")
        paperchute = Paperchute(tmp_path, RULES.format(url=service.open("names", account)))
        drop_whole(tmp_path / "hot", done)
        assert paperchute.run("run", "--once", timeout=60).returncode == 0
        for name in (failed, like):
            drop_whole(tmp_path / "hot", name)
        assert paperchute.run("run", "--once", timeout=60).returncode == 1
    assert names(tmp_path / "hot") == []
    assert names(tmp_path / "hot.done") == [done]
    texts = [name for name in names(tmp_path / "hot.failed") if name.endswith(".error.txt")]
    assert sorted(names(tmp_path / "hot.failed")) == sorted([failed, like, *texts])
    told = [(tmp_path / "hot.failed" / name).read_text("utf-8") for name in texts]
    assert sorted(name for name in (failed, like) for text in told if text.startswith(name)) == [failed, like]


@pytest.mark.slow
def test_a_journal_that_breaks_while_running_is_replaced_and_work_goes_on(tmp_path: Path) -> None:
    with counting_service() as service:
        paperchute = Paperchute(tmp_path, RULES.format(url=service.url))
        for number in range(30):
            drop(tmp_path / "kept", f"{number}.pdf")
        paperchute.start()
        try:
            wait_until(lambda: len(names(tmp_path / "kept.out")) == 30)
            wait_until(lambda: paperchute.said()["jobs"]["done"] == 30)
            for part in ("journal.sqlite", "journal.sqlite-wal"):
                with (tmp_path / "state" / part).open("r+b") as file:
                    file.write(random.Random(3).randbytes(100_000))
            drop(tmp_path / "hot", "after.pdf")
            wait_until(lambda: names(tmp_path / "hot.out") == ["after.md"])
            paperchute.until_it_runs()
            assert paperchute.stop() == 0
        finally:
            paperchute.close()
        assert names(tmp_path / "hot.done") == ["after.pdf"]
        assert sum(service.calls.values()) == 31, "what was done is not done again"
