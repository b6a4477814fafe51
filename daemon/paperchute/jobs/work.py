"""A job at work: what is known of its steps while it runs, and what it needs of the service."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from paperchute.jobs.records import DeliveryPlan, Job, StepMemo
from paperchute.service.records import Answer, Call, Fetched


class Service(Protocol):
    """What a job needs of the client. `repeatable`: the service honours idempotency keys."""

    @property
    def repeatable(self) -> bool: ...

    def call(self, call: Call, on_task: Callable[[str, tuple[str, ...]], None]) -> Answer: ...

    def resume(self, task: str, name: str, hashes: tuple[str, ...], timeout: float) -> Answer: ...

    def fetch(self, answer: Answer, operation: str, place: Path) -> Fetched: ...

    def download(self, answer: Answer, operation: str, folder: Path) -> list[Path]: ...


@dataclass
class Work:
    """What is known of a job's steps while it runs, so that the journal need not be asked again and again."""

    job: Job
    memos: Mapping[int, StepMemo] = field(default_factory=dict)
    hashes: tuple[str, ...] | None = None
    draft: DeliveryPlan | None = None

    def memo(self, number: int) -> StepMemo:
        """What the journal knew of step `number` when the run began."""
        return self.memos.get(number, StepMemo())

    def answer(self, number: int) -> Answer | None:
        """The recorded answer of a step. However old it is: whether its result is still there, the service knows."""
        text = self.memo(number).answer
        if text is None:
            return None
        raw = json.loads(text)
        return Answer(**{**raw, "hashes": tuple(raw["hashes"])})
