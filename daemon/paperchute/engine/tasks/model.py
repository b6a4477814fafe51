"""What the engine keeps of a request: a task (`taskId`), and one run per record (`fileKey`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Mode = Literal["sync", "async", "secure", "hub"]
TaskState = Literal["open", "started", "finished", "overdue", "closed"]
RunState = Literal["draft", "waiting", "processing", "success", "failed"]


@dataclass(frozen=True)
class Run:
    """One run of an operation over the files of one record.

    token: what its download address shows; upload: what its upload address shows, good until `upload_until` (Unix
    time), both empty or 0 where there is none. parameters: JSON text of what was submitted, passwords masked.
    order_text: the order as JSON text, without passwords. starts: how often a worker took it. Sizes in bytes.
    warnings: JSON text, a list of sentences on what the result lacks.
    """

    id: str
    task: str
    number: int
    operation: str
    token: str
    upload: str
    upload_until: float
    state: RunState
    file_name: str
    file_size: int
    parameters: str
    order_text: str
    output_name: str
    output_size: int
    milliseconds: int
    code: str
    reason: str
    starts: int
    warnings: str

    @property
    def ended(self) -> bool:
        """Done, well or not."""
        return self.state in ("success", "failed")


@dataclass(frozen=True)
class NewTask:
    """What a request asks to be kept of itself. callback: address to call at the end; metadata: JSON text, of `hub`."""

    id: str
    operation: str
    mode: Mode
    language: str
    """Of the sentences that the task's records will hold."""
    request_key: str | None = None
    callback: str = ""
    metadata: str = ""


@dataclass(frozen=True)
class Task:
    """A task as it is written down, with its runs in order. Times are Unix times.

    open: waits for uploads and a start; started: in the queue or running; finished: every run has ended; overdue:
    dropped because it waited too long; closed: dropped because its owner said so.
    """

    id: str
    operation: str
    mode: Mode
    request_key: str | None
    callback: str
    metadata: str
    language: str
    state: TaskState
    created: float
    queued: float
    updated: float
    expires: float
    runs: tuple[Run, ...] = ()

    @property
    def ended(self) -> bool:
        """Nothing more will happen to it."""
        return self.state not in ("open", "started")


@dataclass(frozen=True)
class Letter:
    """A webhook to be delivered: where to, the JSON text, the tries so far, when the next is due (Unix time)."""

    id: int
    url: str
    body: str
    tries: int
    due: float
