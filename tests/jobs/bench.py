"""A job's surroundings: a hot folder, a journal, and a service that does what the test says."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from paperchute.jobs import originals
from paperchute.jobs.journal import Journal
from paperchute.jobs.model import Job, Outcome
from paperchute.jobs.runner import Runner
from paperchute.service.model import Call, ServiceError
from tests.jobs.makers import make_rule, new_job, runner_over
from tests.jobs.scripted import Scripted


@dataclass
class Bench:
    """A hot folder, a journal and a runner over a scripted service."""

    hot: Path
    journal: Journal
    service: Scripted
    runner: Runner

    def drop(self, name: str = "a.pdf", content: bytes = b"%PDF-1.7 %%EOF") -> Path:
        path = self.hot / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return path

    def queue(self, path: Path, **rule: Any) -> Job:
        number = self.journal.inserts.open_job(new_job(make_rule(self.hot, **rule), path))
        assert number is not None
        job = self.journal.queue.next()
        assert job is not None
        return job

    def run(self, path: Path, **rule: Any) -> Outcome:
        return self.runner.run(self.queue(path, **rule))

    def made_runner(self, lanes: int) -> Runner:
        """Another runner over the same service, with so many calls of a job at a time."""
        return runner_over(self.journal, lambda: self.service, self.hot.parent / "state" / "work", lanes=lanes)

    def bring_back(self, job: Job) -> None:
        """As a person's retry: the originals go back into the hot folder."""
        originals.bring_back(self.journal, job)

    def again(self) -> Outcome:
        """As after a restart: what was running is queued, and taken up."""
        self.journal.queue.recover()
        self.journal.queue.retry_now()
        job = self.journal.queue.next()
        assert job is not None
        return self.runner.run(job)

    def tree(self) -> dict[str, bytes]:
        """Every file beside and in the hot folder, by relative path."""
        base = self.hot.parent
        return {
            p.relative_to(base).as_posix(): p.read_bytes()
            for name in ("hot", "hot.out", "hot.done", "hot.failed", "else")
            for p in (base / name).rglob("*")
            if p.is_file()
        }


def failing(kind: str, **more: Any) -> Any:
    """A script that always fails in one way."""

    def fail(call: Call) -> None:
        raise ServiceError("No.", kind=kind, **more)

    return fail
