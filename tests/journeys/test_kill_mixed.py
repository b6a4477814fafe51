"""kill -9 again and again while everything at once is going on: one file, sets, several steps, a service in trouble."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from paperchute.files.names import OWN_TEMPORARY, WATCHERS
from paperchute.jobs.journal import Journal
from tests.crash.calls import Calls
from tests.crash.service import Account, Mood, ledger_service, outputs_of
from tests.journeys.daemon import Paperchute

RULES = """
version = 1
[service]
base_url = "{url}"
api_key = "env:PAPERCHUTE_TEST_KEY"
[defaults]
retries = 50
[[rule]]
name = "Read"
folder = "read"
operation = "pdf-to-markdown"
[[rule]]
name = "Parse"
folder = "parse"
operation = "document-parsing"
[[rule]]
name = "Bind"
folder = "bind"
gather = "folder"
operation = "pdf-merge"
[[rule]]
name = "Publish"
folder = "publish"
steps = [{{ operation = "html-to-pdf" }}, {{ operation = "pdf-to-editable" }}, {{ operation = "pdf-to-markdown" }}]
[[rule]]
name = "Keep"
folder = "keep"
operation = "pdf-to-txt"
original = "keep"
[[rule]]
name = "Delete"
folder = "delete"
gather = "folder"
operation = "pdf-merge"
original = "delete"
"""
PUBLISH = ("html-to-pdf", "pdf-to-editable", "pdf-to-markdown")
TROUBLE: tuple[Mood, ...] = (503, 503, 504, "cut", "cut")
TROUBLED = 0.2


def troubled(chance: random.Random) -> Callable[[], Mood]:
    """A service that refuses or hangs up now and then."""
    return lambda: chance.choice(TROUBLE) if chance.random() < TROUBLED else "good"


class Night:
    """What is dropped, and what must be there in the morning: files by their path below the base."""

    def __init__(self) -> None:
        self.dropped: dict[str, bytes] = {}
        self.expected: dict[str, bytes] = {}
        self.jobs = 0

    def add(self, folder: str, steps: tuple[str, ...], name: str, inputs: dict[str, bytes], filed: str) -> None:
        """One job. inputs: by name; more than one lie in a folder `name`. filed: done, keep or delete."""
        place = f"{name}/" if len(inputs) > 1 else ""
        files = {f"{place}{one}": content for one, content in inputs.items()}
        self.jobs += 1
        self.dropped |= {f"{folder}/{path}": content for path, content in files.items()}
        if filed != "delete":
            top = f"{folder}.done" if filed == "done" else folder
            self.expected |= {f"{top}/{path}": content for path, content in files.items()}
        outputs = inputs
        for operation in steps:
            outputs = outputs_of(operation, list(outputs.values()), {})
        for one, content in outputs.items():
            last = f"{name}/{one}" if len(outputs) > 1 else name + Path(one).suffix
            self.expected[f"{folder}.out/{last}"] = content


def night(each: int) -> Night:
    """So many jobs of each kind."""
    made = Night()
    for number in range(each):

        def pdf(part: int, kind: str, number: int = number) -> bytes:
            return f"%PDF-1.7 {kind} {number} {part}\n%%EOF\n".encode()

        name = f"document {number}"
        made.add("read", ("pdf-to-markdown",), name, {f"{name}.pdf": pdf(0, "read")}, "done")
        made.add("parse", ("document-parsing",), name, {f"{name}.pdf": pdf(0, "parse")}, "done")
        made.add("keep", ("pdf-to-txt",), name, {f"{name}.pdf": pdf(0, "keep")}, "keep")
        page = f"<!doctype html><p>{number}</p>".encode()
        made.add("publish", PUBLISH, name, {f"{name}.html": page}, "done")
        made.add("bind", ("pdf-merge",), name, {f"{part}.pdf": pdf(part, "bind") for part in range(1, 4)}, "done")
        made.add("delete", ("pdf-merge",), name, {f"{part}.pdf": pdf(part, "delete") for part in range(1, 4)}, "delete")
    return made


def found(base: Path) -> dict[str, bytes]:
    """Every file of the user's folders, but for the marks that say who watches them: a kill leaves these."""
    tops = [path for path in base.iterdir() if path.is_dir() and path.name != "state"]
    paths = [path for top in tops for path in top.rglob("*") if path.is_file()]
    return {path.relative_to(base).as_posix(): path.read_bytes() for path in paths if path.parent.name != WATCHERS}


def check_moment(base: Path, made: Night) -> None:
    """What can be seen just after a kill is whole."""
    for name, content in found(base).items():
        if OWN_TEMPORARY not in name:
            assert content in (made.expected.get(name), made.dropped.get(name)), f"{name} is seen with {content!r}"


@pytest.mark.slow
def test_a_night_of_everything_survives_any_number_of_kills(tmp_path: Path) -> None:
    chance = random.Random(20261121)
    made = night(each=15)
    account = Account(moods=troubled(chance), keeps_keys=False, slow=0.02)
    with ledger_service() as service:
        paperchute = Paperchute(tmp_path, RULES.format(url=service.open("night", account)))
        for name, content in made.dropped.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_bytes(content)
        kills = 0
        try:
            while kills < 40 and found(tmp_path) != made.expected:
                paperchute.start()
                time.sleep(chance.uniform(0.5, 1.5))
                assert paperchute.process is not None
                assert paperchute.process.poll() is None, (tmp_path / "daemon.log").read_text("utf-8")
                paperchute.kill()
                kills += 1
                check_moment(tmp_path, made)
        finally:
            paperchute.close()
        done = paperchute.run("run", "--once", timeout=300)
        assert done.returncode == 0, done.stdout + done.stderr

    assert kills >= 5
    last = found(tmp_path)
    assert sorted(last) == sorted(made.expected), "nothing more, nothing less, and no temporary file"
    assert last == made.expected
    assert list((tmp_path / "state" / "work").iterdir()) == []

    journal = Journal(tmp_path / "state" / "journal.sqlite")
    jobs = journal.queries.jobs(limit=10_000)
    assert [job.state for job in jobs] == ["done"] * made.jobs
    lost = calls = 0
    for job in jobs:
        for number in range(len(job.rule.steps)):
            step = Calls(
                [c for c in account.contacts if c.key.startswith(f"{job.token}-{number + 1}-")],
                [e for e in journal.history.events(job.id) if e.text.startswith(f"step {number + 1}")],
            )
            step.check()
            calls += len(step.contacts)
            lost += step.lost_in_silence
    journal.close()
    assert calls == len(account.contacts), "every call belongs to a job"
    troubles = sum(contact.mood != "good" for contact in account.contacts)
    print(f"jobs {made.jobs}, kills {kills}, calls {calls}, refused or cut {troubles}, lost with a kill {lost}")  # noqa: T201
