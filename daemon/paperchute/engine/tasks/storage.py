"""The files of tasks in folders: where they lie, how much room they take together, and the one result that is kept."""

from __future__ import annotations

import re
import secrets
import shutil
import threading
import zipfile
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from urllib.parse import quote

from paperchute.engine.tasks.ports import StoredUpload
from paperchute.engine.tasks.task import Order, Run
from paperchute.engine.work import AskLater, Refused, Work, file_name
from paperchute.language import _

ARRIVING = ".part"
"""Behind the name of an upload that is not whole yet."""
_FULL_SECONDS = 60
_TOO_MANY = 429
_ID = re.compile(r"[\w-]{1,64}", re.ASCII)
_KEY = re.compile(r"[\w-]{1,64}/[\w-]{1,64}/[\w-][\w.-]{0,99}", re.ASCII)


class StrayNameError(ValueError):
    """The name of a task, a run or a file that no engine gives, and that could lead out of the storage."""

    def __init__(self) -> None:
        super().__init__("it is not the name of a file of a task")


class FolderBlobs:
    """A `BlobStore`: one folder per task, with `in` for its uploads, and in it one per run for scratch and result.

    Results and uploads together take at most `most` bytes, those of one owner other than the service's own key
    `most_each`; scratch is bounded by each worker's own limit.
    """

    def __init__(self, root: Path, most: int, most_each: int | None = None) -> None:
        """Raises OSError."""
        root.mkdir(parents=True, exist_ok=True)
        for torn in root.glob(f"*/in/*{ARRIVING}"):
            torn.unlink(missing_ok=True)
        self._root = root
        self._most = most
        self._most_each = most if most_each is None else most_each
        self._owners: dict[str, str] = {}  # by task, where that is not the service's own key
        self._used_by: Counter[str] = Counter()  # bytes by owner
        self._lock = threading.Lock()
        self._used = {folder.name: _size_of(folder) for folder in root.iterdir()}
        self._total = sum(self._used.values())

    def new_task(self, owner: str = "") -> str:
        """An unguessable id, with a folder for uploads, whose bytes are an owner's. Raises OSError."""
        task = secrets.token_hex(16)
        self.inputs(task).mkdir(parents=True)
        self.belongs(task, owner)
        return task

    def belongs(self, task: str, owner: str) -> None:
        """Count a task's bytes as an owner's, who is the id of an API key; empty for the service's own."""
        with self._lock:
            if owner and task not in self._owners:
                self._owners[task] = owner
                self._used_by[owner] += self._used.get(task, 0)

    def inputs(self, task: str) -> Path:
        """Return where a task's uploads lie."""
        return self._of(task) / "in"

    def scratch(self, task: str, run: str) -> Path:
        """The folder that a run's worker may write to; the folder above it is for the engine's notes on the run."""
        return self._of(task, run) / "run" / "scratch"

    def key_of(self, path: Path) -> str:
        """The storage key of a file: what a task names it by, wherever the storage lies."""
        return path.relative_to(self._root).as_posix()

    def path_of(self, key: str) -> Path:
        """Return where the file of a storage key lies. Raises StrayNameError."""
        if not _KEY.fullmatch(key):
            raise StrayNameError
        return self._root / key

    def _of(self, *ids: str) -> Path:
        """A folder of a task, by ids that somebody may have written into a database. Raises StrayNameError."""
        if not is_id(*ids):
            raise StrayNameError
        return self._root.joinpath(*ids)

    # ---------- room ----------

    def check_room(self, owner: str = "") -> None:
        """Raises AskLater when the storage is full, or an owner's share of it."""
        with self._lock:
            if self._total >= self._most:
                raise self._full()
            if owner and self._used_by[owner] >= self._most_each:
                raise self._share_full()

    def take(self, task: str, size: int) -> None:
        """Count `size` more bytes of a task before they are written.

        Raises AskLater when there is no room for them, and Refused when the task was closed meanwhile: its folder is
        gone, and what is still being written there takes room that nobody would count.
        """
        if not self._of(task).is_dir():
            raise Refused("05002", _("the task takes no more files"))
        with self._lock:
            owner = self._owners.get(task)
            if owner is not None and self._used_by[owner] + size > self._most_each:
                raise self._share_full()
            if self._total + size > self._most:
                raise self._full()
            self._count(task, self._used.get(task, 0) + size)

    def count_again(self, task: str) -> None:
        """Count what a task's files take now."""
        size = _size_of(self._of(task))
        with self._lock:
            self._count(task, size)

    def _count(self, task: str, size: int) -> None:
        more = size - self._used.pop(task, 0)
        self._total += more
        if (owner := self._owners.get(task)) is not None:
            self._used_by[owner] += more
        if size:
            self._used[task] = size

    def _full(self) -> AskLater:
        megabytes = max(1, self._most >> 20)
        return AskLater(
            _(
                "the service's storage of {megabytes} MB is full; it frees itself as results expire",
                megabytes=megabytes,
            ),
            seconds=_FULL_SECONDS,
        )

    def _share_full(self) -> AskLater:
        return AskLater(
            _(
                "the files of this API key take the {megabytes} MB that they may; room comes as results expire",
                megabytes=max(1, self._most_each >> 20),
            ),
            seconds=_FULL_SECONDS,
            status=_TOO_MANY,
        )

    # ---------- what comes and what is made ----------

    def publish(self, task: str, orders: Sequence[Order]) -> None:
        """The workers are on this machine."""

    def fetch(self, order: Order) -> None:
        """The files lie there already. Raises OSError."""
        self.scratch(order.task, order.run).mkdir(parents=True, exist_ok=True)

    def upload_link(self, run: Run) -> str:
        """The engine's own address."""
        return ""

    def arrived(self, run: Run) -> StoredUpload | None:
        """A draft's file, once it has come. Raises OSError."""
        path = self.inputs(run.task) / run.id
        return StoredUpload(self.key_of(path), path, path.stat().st_size) if path.is_file() else None

    def let_go(self, upload: StoredUpload) -> None:
        """It stays where it came, and may come once more."""

    def keep(self, outputs: tuple[Path, ...], work: Work, order: Order, epoch: int, most: int) -> tuple[str, int]:
        """Move what was made to the run's place; see `BlobStore.keep`. One engine alone knows no late epoch."""
        name, size = gathered(outputs, work, most)
        try:
            self.take(order.task, size)
        except AskLater as error:
            raise Refused("01002", error.reason) from error
        return name, written(outputs, work, self._output(order.task, order.run))

    def sweep(self, known: Callable[[str], bool]) -> None:
        """Remove the files of tasks that nobody knows."""
        for folder in self._root.iterdir():
            if not known(folder.name):
                self.discard(folder.name)

    def has_result(self, run: Run) -> bool:
        """Decide whether the result of a run that ended well is there."""
        return self._output(run.task, run.id).is_file()

    def download(self, run: Run, method: str) -> Path | str:
        """The file of a run's result."""
        return self._output(run.task, run.id)

    def _output(self, task: str, run: str) -> Path:
        return self._of(task, run) / "result"

    # ---------- removing ----------

    def drop_inputs(self, task: str) -> None:
        """Remove a task's uploads."""
        if not is_id(task):
            return
        shutil.rmtree(self.inputs(task), ignore_errors=True)
        self.count_again(task)

    def drop_run(self, task: str, run: str, *, keep_result: bool) -> None:
        """Remove a run's scratch, and with `keep_result` False its result as well."""
        if not is_id(task, run):
            return
        folder = self._of(task, run)
        shutil.rmtree(folder / "run" if keep_result else folder, ignore_errors=True)
        self.count_again(task)

    def discard(self, task: str) -> None:
        """Remove all files of a task."""
        if not is_id(task):  # has none; and who removes others' with this one is to come to their end
            return
        shutil.rmtree(self._of(task), ignore_errors=True)
        with self._lock:
            self._count(task, 0)
            self._owners.pop(task, None)

    def discard_all(self, tasks: Sequence[str]) -> None:
        """Remove all files of many tasks."""
        for task in tasks:
            self.discard(task)


def is_id(*texts: str) -> bool:
    """Decide whether these may be ids of tasks and runs, which are names of folders."""
    return all(_ID.fullmatch(text) for text in texts)


def _size_of(folder: Path) -> int:
    """Bytes of the uploads and results below a task's folder; scratch comes and goes and is not counted."""
    files = [*folder.glob("in/*"), *folder.glob("*/result")]
    total = 0
    for file in files:
        try:
            total += file.stat().st_size
        except OSError:
            continue  # gone in the meantime
    return total


def attachment(name: str) -> str:
    """The header Content-Disposition of a result."""
    return f"attachment; filename*=UTF-8''{quote(name, safe='')}"


def gathered(outputs: tuple[Path, ...], work: Work, most: int) -> tuple[str, int]:
    """The name under which what a worker made is offered, and its size in bytes before it is packed.

    Raises Refused when it is larger than `most` bytes, and OSError for what does not lie in the work's folder.
    """
    folder = work.folder.resolve()
    inside = [path.resolve(strict=True) for path in outputs]
    if not all(path.is_relative_to(folder) and path.is_file() for path in inside):
        raise OSError("an output is not a file in its task's folder")
    size = sum(path.stat().st_size for path in inside)
    if size > most:
        raise Refused("02210", _("the result is larger than a task may write"))
    if len(outputs) == 1:
        return outputs[0].name, size
    stem = Path(work.sources[0].name).stem if work.sources else work.operation
    return file_name(work.text("zipFileName") or stem, "zip"), size


def written(outputs: tuple[Path, ...], work: Work, target: Path) -> int:
    """Move one output, or several as a ZIP, to `target`; its size in bytes. Raises OSError."""
    folder = work.folder.resolve()
    inside = [path.resolve(strict=True) for path in outputs]
    if len(inside) == 1:
        inside[0].replace(target)
    else:
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in inside:
                archive.write(path, path.relative_to(folder).as_posix())
    return target.stat().st_size
