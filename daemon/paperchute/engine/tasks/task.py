"""A task (`taskId`) with one run per record (`fileKey`), and its order: one run checked and ready for a worker."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Literal, Protocol

from paperchute.contract import Operation, Value, contract
from paperchute.engine.work import Protecting

Mode = Literal["sync", "async", "secure", "hub"]
TaskState = Literal["open", "started", "finished", "overdue", "closed"]
RunState = Literal["draft", "waiting", "processing", "success", "failed"]


@dataclass(frozen=True)
class Run:
    """One run of an operation over the files of one record.

    token: what its download address shows; upload: what its upload address shows, good until `upload_until` (Unix
    time), both empty or 0 where there is none. parameters: JSON text of what was submitted, passwords masked.
    order_text: the order as JSON text, without passwords. starts: how often a worker took it. Sizes in bytes.
    warnings: JSON text, a list of sentences on what the result lacks; notes: likewise on how it was made. words: JSON
    text, `contract.words`. epoch: how often it was begun, of which the last counts; job: the dispatcher's. pages: that
    were in hand. questions: JSON text, of `contract.questions`.
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
    notes: str
    words: str
    epoch: int
    job: str
    pages: int
    questions: str

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
    owner: str = ""
    """The id of the API key that it came with; empty for the service's own."""


@dataclass(frozen=True)
class Task:
    """A task as it is written down, with its runs in order. Times are Unix times.

    open: waits for uploads and a start; started: in the queue or running; finished: every run has ended; overdue:
    dropped because it waited too long; closed: dropped because its owner said so. owner: as in `NewTask`.
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
    owner: str
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


@dataclass(frozen=True)
class StoredFile:
    """An uploaded file: its form part, storage key, the name its sender gave it, and its kind by content."""

    part: str
    key: str
    name: str
    kind: str


@dataclass(frozen=True)
class Order:
    """What is to be done for one record. It names files by storage key, so workers may be on another machine.

    run, task: ids. name: of the source. parameters: canonical, defaults filled in, passwords readable. submitted: what
    was sent as JSON text, passwords masked. size: bytes of all files. language: of what is said about it. hosts: what
    the call may fetch from beside the engine's own list. protection: as `Work` has it. trace: the span that it came
    with, as `telemetry.carried` tells it.
    """

    run: str
    task: str
    operation: str
    name: str
    files: tuple[StoredFile, ...]
    parameters: Mapping[str, Value]
    submitted: str
    size: int
    language: str
    hosts: tuple[str, ...] = ()
    protection: Protecting = "keep"
    trace: str = ""


class Seal(Protocol):
    """Makes passwords fit to be kept."""

    def close(self, bundle: Mapping[str, Value], run: str) -> str:
        """The bundle as text that says nothing."""
        ...

    def open(self, text: str, run: str) -> dict[str, Value]:
        """Return what `close` was given. Raises ValueError."""
        ...


def order_to_text(order: Order, seal: Seal | None = None) -> str:
    """An order as JSON text. Passwords are never written readably: without a seal the text only names them."""
    secrets = _secrets(contract().operations[order.operation], order.parameters)
    kept = {name: value for name, value in order.parameters.items() if name not in secrets}
    text: dict[str, object] = {**asdict(order), "parameters": kept, "secrets": secrets}
    if not order.trace:
        del text["trace"]  # engines of before traces know no such key
    if secrets and seal is not None:
        text["sealed"] = seal.close({name: order.parameters[name] for name in secrets}, order.run)
    return json.dumps(text, ensure_ascii=False)


def order_from_text(text: str, seal: Seal | None = None) -> Order | None:
    """The order of a text, or None when it had passwords, which are gone."""
    raw = json.loads(text)
    secrets, sealed = raw.pop("secrets"), raw.pop("sealed", "")
    if secrets:
        if seal is None or not sealed:
            return None
        try:
            raw["parameters"] |= seal.open(sealed, raw["run"])
        except ValueError:
            return None
    return Order(
        **{
            **raw,
            "files": tuple(StoredFile(**file) for file in raw["files"]),
            "hosts": tuple(raw.get("hosts", ())),
            "language": str(raw["language"]),  # a number in the orders of an older engine
        }
    )


def order_of(run: Run, seal: Seal | None = None) -> Order | None:
    """The order of a run, or None when it had passwords, which are gone.

    Another run's order, whose passwords open as that run's, is none of this one's.
    """
    order = order_from_text(run.order_text, seal)
    return order if order is not None and (order.run, order.task) == (run.id, run.task) else None


def _secrets(operation: Operation, parameters: Mapping[str, Value]) -> list[str]:
    known = [parameter.name for parameter in operation.parameters if parameter.is_secret]
    return [name for name in known if parameters.get(name)]
