"""What stands between the tasks and whatever keeps and runs them: their store, their files, and who works on them.

One engine on one machine has a SQLite file, folders and a pool of processes (`sqlite`, `storage`, `local`); many on
many machines share a database and an object storage.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from paperchute.contract.questions import Question
from paperchute.engine.keys.table import KeyTable
from paperchute.engine.metrics import Load
from paperchute.engine.tasks.task import Letter, NewTask, Order, Run, RunState, Task, TaskState
from paperchute.engine.work import FetchPolicy, Refused, Source, Work


@dataclass(frozen=True)
class Told:
    """What a worker says of a result.

    warnings: what it lacks; notes: how it was made; words: what became of them; pages: what it counts for an API key;
    questions: for a person.
    """

    milliseconds: int
    warnings: Sequence[str] = ()
    notes: Sequence[str] = ()
    words: Mapping[str, int] | None = None
    pages: int = 1
    questions: Sequence[Question] = ()


class TaskStore(Protocol):
    """Tasks, their runs, and letters to receivers of webhooks. Thread-safe. Methods raise `trouble` and OSError."""

    remote: bool
    """Whether it lies across the network, where asking takes a while and others are at work on the same tasks."""
    trouble: type[Exception]
    """What its methods raise when it cannot be read or written."""
    keys: KeyTable
    """API keys beside the service's own. What ends a run well books its pages."""

    def together(self) -> AbstractContextManager[None]:
        """All writes within, or none."""
        ...

    def on_commit(self, then: Callable[[], None]) -> None:
        """Call `then` once what is written together is written; at once outside of `together`."""
        ...

    def close(self) -> None:
        """Let go of the database."""
        ...

    def now(self) -> float:
        """The time that all engines on this store go by, as Unix time; the clock of a machine may be off."""
        ...

    # ---------- writing ----------

    def add(self, new: NewTask, state: TaskState) -> bool:
        """Write a new task down, with no runs yet; False when another has its idempotency key."""
        ...

    def add_run(
        self, run: str, task: str, operation: str, *, state: RunState, file_name: str, file_size: int,
        parameters: str, order: str, upload_seconds: float = 0.0,
    ) -> None:  # fmt: skip
        """Write a new run of a task down, behind those it has. upload_seconds: how long its upload address is good."""
        ...

    def uploaded(self, run: str, size: int) -> None:
        """The file of a draft has come; `size` in bytes."""
        ...

    def queue(self, task: str, orders: Mapping[str, str]) -> bool:
        """An open task has been started: its drafts wait, with these orders by run; False when it is open no more."""
        ...

    def begin(self, run: str, job: str = "") -> int | None:
        """A worker takes the run: the epoch in which it may end it, or None where there is nothing to do.

        job: of the dispatcher; the same job may take its run once more, which fences the time before.
        """
        ...

    def finish(self, run: str, epoch: int, output_name: str, output_size: int, told: Told) -> bool:
        """The run's result lies at its place. False when the run is not at work in this epoch."""
        ...

    def fail(self, run: str, epoch: int | None, code: str, reason: str, milliseconds: int) -> bool:
        """The run has failed, with a code of the contract and a sentence. False as above; epoch None: in whichever."""
        ...

    def give_back(self, task: str) -> None:
        """The engine ends in order: that a worker had taken runs of the task is not to count against them."""
        ...

    def put_back(self, task: str) -> None:
        """Whoever had taken runs of the task is gone: they wait again, as if the task had come now."""
        ...

    def drop(self, task: str, state: TaskState, code: str, reason: str) -> bool:
        """The task is at its end before its time, and none of its runs gives anything. False when it had ended."""
        ...

    def end(self, task: str, state: TaskState) -> bool:
        """The task has come to its end; its results can be had for as long as they are kept. False when it had."""
        ...

    def forget(self, *tasks: str) -> None:
        """Remove tasks."""
        ...

    def add_letter(self, url: str, body: str, most: int) -> bool:
        """Keep a letter until it is delivered; False when `most` wait already."""
        ...

    def letters(self, most: int) -> list[Letter]:
        """Those to be delivered from here, the one that is due first in front."""
        ...

    def postpone_letter(self, letter: int, seconds: float) -> None:
        """It could not be delivered; the next try is due in `seconds`."""
        ...

    def drop_letter(self, letter: int) -> None:
        """It is delivered, or given up."""
        ...

    # ---------- reading ----------

    def get(self, task: str) -> Task | None:
        """A task by its id."""
        ...

    def by_request_key(self, key: str, owner: str = "") -> Task | None:
        """The task that its owner asked for under this idempotency key."""
        ...

    def by_id(self, run: str) -> Run | None:
        """A run by its id."""
        ...

    def by_token(self, token: str) -> Run | None:
        """The run whose result's address shows this token."""
        ...

    def by_upload(self, token: str) -> Run | None:
        """The run whose upload address shows this token."""
        ...

    def page(self, first: int, count: int, owner: str = "") -> tuple[int, list[Task]]:
        """Return how many tasks an owner has, and `count` of them from number `first` (from 0), the newest first."""
        ...

    def unfinished(self) -> list[Task]:
        """Tasks that were started and have not come to their end, the oldest first."""
        ...

    def waiting_since(self, before: float) -> list[Task]:
        """Tasks other than synchronous ones that have waited since `before` (Unix time), none of whose runs began."""
        ...

    def expired(self, before: float, since: float, most: int) -> list[tuple[str, float]]:
        """Ended tasks whose results were kept until a time after `since` and up to `before` (Unix times); until when.

        Those that expired first, `most` of them, and all others that expired in the same moment as the last of these.
        """
        ...

    def swept(self) -> float:
        """Until when files of expired tasks have been removed, as `sweep_to` was told (Unix time)."""
        ...

    def sweep_to(self, time: float) -> None:
        """Keep until when files of expired tasks have been removed, for whoever sweeps next."""
        ...


class BlobStore(Protocol):
    """Uploads and results. What arrives and what is worked on lies in folders of this machine. Thread-safe."""

    def new_task(self, owner: str = "") -> str:
        """An unguessable id, with a folder for uploads, whose bytes are an owner's. Raises OSError."""
        ...

    def inputs(self, task: str) -> Path:
        """The folder that a task's uploads arrive in."""
        ...

    def scratch(self, task: str, run: str) -> Path:
        """The folder that a run's worker may write to; the folder above it is for the engine's notes on the run."""
        ...

    def key_of(self, path: Path) -> str:
        """The storage key of a file: what a task names it by, wherever the storage lies."""
        ...

    def path_of(self, key: str) -> Path:
        """Return where the file of a storage key lies while it arrives or is worked on."""
        ...

    def check_room(self, owner: str = "") -> None:
        """Raises AskLater when the storage is full."""
        ...

    def take(self, task: str, size: int) -> None:
        """Count `size` more bytes of a task before they are written.

        Raises AskLater when there is no room for them, and Refused (05002) when the task was closed meanwhile.
        """
        ...

    def count_again(self, task: str) -> None:
        """Count what a task's files take now."""
        ...

    def publish(self, task: str, orders: Sequence[Order]) -> None:
        """From now on every worker can have the files of a task's orders. Raises OSError."""
        ...

    def fetch(self, order: Order) -> None:
        """Bring the order's files to where `path_of` says, and make its scratch folder. Raises OSError."""
        ...

    def upload_link(self, run: Run) -> str:
        """Return where a draft's file is to be put instead of the engine's own address; empty for that."""
        ...

    def arrived(self, run: Run) -> StoredUpload | None:
        """A draft's file, once it has come. Raises OSError."""
        ...

    def let_go(self, upload: StoredUpload) -> None:
        """What `arrived` has given is not used after all; whoever uploads may try once more. Raises OSError."""
        ...

    def keep(self, outputs: tuple[Path, ...], work: Work, order: Order, epoch: int, most: int) -> tuple[str, int]:
        """Keep one output, or several as a ZIP, as the run's result of this epoch; its name, and its size in bytes.

        Raises Refused when it is larger than `most` bytes or the storage is full, and OSError.
        """
        ...

    def has_result(self, run: Run) -> bool:
        """Decide whether the result of a run that ended well is there."""
        ...

    def download(self, run: Run, method: str) -> Path | str:
        """A run's result: its file, or an address that gives it to whoever asks with this HTTP method."""
        ...

    def drop_inputs(self, task: str) -> None:
        """Remove a task's uploads."""
        ...

    def drop_run(self, task: str, run: str, *, keep_result: bool) -> None:
        """Remove a run's scratch, and with `keep_result` False its result as well."""
        ...

    def discard(self, task: str) -> None:
        """Remove all files of a task."""
        ...

    def discard_all(self, tasks: Sequence[str]) -> None:
        """Remove all files of many tasks."""
        ...


def work_of(order: Order, blobs: BlobStore, fetch: FetchPolicy) -> Work:
    """An order as an operation sees it, with its files where they lie."""
    return Work(
        order.operation,
        tuple(Source(file.part, blobs.path_of(file.key), file.name, file.kind) for file in order.files),
        order.parameters,
        blobs.scratch(order.task, order.run),
        replace(fetch, hosts=(*fetch.hosts, *order.hosts)),
        order.protection,
        order.language,
    )


@dataclass(frozen=True)
class StoredUpload:
    """A draft's file: its storage key, its size in bytes, and a path where its kind can be seen."""

    key: str
    path: Path
    size: int


class Dispatcher(Protocol):
    """Says who works on what, and when. `wait` is for the event loop; all else may come from any thread."""

    def check_free(self, operation: str = "", owner: str = "") -> None:
        """Raises AskLater while no more work of an operation's kind is taken from an owner; without one, of no kind.

        Where as many wait as may, those still come in who have less than their equal share: see `turns.has_room`.
        """
        ...

    def check_workers(self) -> None:
        """Raises AskLater while nothing can be worked on at all."""
        ...

    def enqueue(self, task: str, orders: Sequence[Order], owner: str = "") -> None:
        """Have an owner's started task's orders done once what is written together with it is written.

        Where several owners have work waiting, it is done round robin: see `turns.Turns`.
        """
        ...

    def expects(self, task: str) -> bool:
        """Decide whether somebody will bring a task that has not ended to its end."""
        ...

    def cancel(self, run: str) -> None:
        """Drop a waiting run or end it where it is worked on; nothing comes of it any more."""
        ...

    def tell(self, task: str, instead: Refused | None = None) -> None:
        """A task has ended: those who `wait` for it have it, or are refused."""
        ...

    async def wait(self, task: str) -> Task | None:
        """A started task once it has ended, None where there is none. Raises Refused where nothing comes of it."""
        ...

    def pages(self, task: Task) -> tuple[int, int]:
        """Give how many pages of its running files are done, and how many they have; 0 and 0 where nothing is known."""
        ...

    def load(self) -> Load:
        """Return what runs and waits."""
        ...

    def stop(self) -> None:
        """Take no more work, and bring to an end what has to end with this engine."""
        ...
