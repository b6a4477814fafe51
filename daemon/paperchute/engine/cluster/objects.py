"""Uploads and results in an S3-compatible storage. What arrives and what is worked on lies in a folder of this machine.

Keys are those of the folders. A result lies under the epoch of its run, so that who comes late overwrites nothing.
"""

from __future__ import annotations

import contextlib
import datetime
import hashlib
import re
import secrets
import shutil
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

import obstore
from obstore.exceptions import BaseError, PermissionDeniedError, UnauthenticatedError
from obstore.store import S3Store

from paperchute.engine.settings import Limits
from paperchute.engine.tasks.ports import StoredUpload
from paperchute.engine.tasks.storage import FolderBlobs, attachment, gathered, is_id, written
from paperchute.engine.tasks.task import Order, Run
from paperchute.engine.work import Refused, Work
from paperchute.language import _

_HEAD = 64 << 10  # bytes that tell a file's kind, unless it is packed: then its directory does, which is at its end
_PACKED = b"PK"
_DOWNLOAD = datetime.timedelta(minutes=15)  # the engine's own address, which leads here, is good for longer
_COUNT_SECONDS = 1.0
_MOST_TRIES = 1000  # it is the time that ends them
_FIRST_PAUSE = datetime.timedelta(milliseconds=100)
_LONGEST_PAUSE = datetime.timedelta(seconds=3)
_SUM = "sha256"  # of a file, kept with it as what S3 calls user metadata; engines of older releases look past it
_CODE = re.compile(r"<Code>(\w{1,60})</Code>")
_STATUS = re.compile(r"status code: (\d{3})")
_REFUSALS = (PermissionDeniedError, UnauthenticatedError)
_SMALL = 1 << 20  # bytes that are put as fast as anything is asked
_SWEEPERS = 16  # lists of tasks' files that are asked for at a time
_MOST_DELETED = 1000  # keys in one request, as S3 has it
_FETCHES = 3  # of a file that does not come as it was sent


def bucket_at(
    url: str, known: Mapping[str, str] = MappingProxyType({}), patience: float = 60.0, answer: float = 30.0
) -> S3Store:
    """The storage at s3://bucket/prefix; where that is and who may use it says the environment (AWS_ENDPOINT_URL, ...).

    known: secrets by the variables that they are no longer in. patience: seconds for which a storage that is away is
    asked again; answer: in which one request is answered, its body included. Raises ValueError for another kind of
    address, or where the environment does not say enough.
    """
    place = urlsplit(url)
    if place.scheme != "s3" or not place.netloc:
        raise ValueError(f"{url} is not of the form s3://bucket/prefix")
    shown: Any = {name.lower(): value for name, value in known.items() if value}
    shown["timeout"] = datetime.timedelta(seconds=answer)  # as client_options it would hide what the environment says
    try:
        return S3Store(
            place.netloc,
            prefix=place.path.strip("/") or None,
            config=shown,
            checksum_algorithm=_SUM,  # so that the storage refuses what does not arrive as it was sent
            retry_config={
                "retry_timeout": datetime.timedelta(seconds=patience),
                "max_retries": _MOST_TRIES,
                "backoff": {"init_backoff": _FIRST_PAUSE, "max_backoff": _LONGEST_PAUSE, "base": 2},
            },
        )
    except BaseError as error:
        why = str(error).partition("\n")[0]
        raise ValueError(_("the storage cannot be used as it is set up: {reason}", reason=why)) from error


def try_out(bucket: S3Store) -> None:
    """Have the storage keep, give and drop a few bytes, as it will have to.

    Raises OSError where it does not answer, which may pass, and ValueError where it refuses, which will not.
    """
    key = f"tried/{secrets.token_hex(8)}"
    try:
        with _asked():
            obstore.put(bucket, key, b"tried")
            obstore.get(bucket, key).bytes()
            obstore.delete(bucket, key)
    except FileNotFoundError as error:  # no bucket of that name
        raise ValueError(_refused(error)) from error
    except StorageAway as error:
        if isinstance(error.__cause__, _REFUSALS):
            raise ValueError(_refused(error.__cause__)) from error
        raise


class StorageAway(OSError):
    """The storage does not answer, or not as it should."""


class Silence:
    """Whether the storage has said nothing of late, so that not each who asks it waits to find out. Thread-safe.

    While it is silent one asks it, once in so many seconds, and all others are refused at once.
    """

    def __init__(self, seconds: float) -> None:
        """seconds: 0 where everybody may wait."""
        self._seconds = seconds
        self._until: float | None = None  # monotonic; None while it answers
        self._lock = threading.Lock()

    @contextlib.contextmanager
    def asked(self) -> Iterator[None]:
        """Whatever goes wrong with the storage is an OSError."""
        with self._lock:
            now = time.monotonic()
            if self._until is not None and now < self._until:
                raise StorageAway("the storage has not answered of late")
            if self._until is not None:
                self._until = now + self._seconds
        try:
            with _asked():
                yield
        except StorageAway as error:
            if not says_something(error):
                with self._lock:
                    self._until = time.monotonic() + self._seconds
            raise
        self._until = None


class DamagedError(OSError):
    """A file comes out of the storage otherwise than it went in."""


class GoneError(OSError):
    """A file is not in the storage any more: somebody, or a rule of the bucket, has removed it."""


class ObjectBlobs(FolderBlobs):
    """A `BlobStore` that many engines share."""

    def __init__(
        self,
        bucket: S3Store,
        folder: Path,
        limits: Limits,
        stored: Callable[[], int],
        *,
        bulk: S3Store | None = None,
        silence: float = 0.0,
    ) -> None:
        """folder: this engine's own; what the last one left there goes. stored: how many bytes the cluster keeps.

        bulk: the same bucket with more time for one request, for files of any size. silence: see `Silence`. Raises
        OSError.
        """
        shutil.rmtree(folder, ignore_errors=True)
        super().__init__(folder, limits.max_storage, limits.max_key_storage)
        self._bucket = bucket
        self._bulk = bulk or bucket
        self._asked = Silence(silence).asked
        self._upload = datetime.timedelta(seconds=limits.upload_seconds)
        self._max_storage = limits.max_storage
        self._max_file = limits.max_file
        self._stored = stored
        self._counted = (-_COUNT_SECONDS, 0)
        self._counting = threading.Lock()

    # ---------- room ----------

    def check_room(self, owner: str = "") -> None:
        """Raises AskLater when the storage of all, or this engine's folder, is full."""
        super().check_room(owner)
        if self._kept_by_all() >= self._max_storage:
            raise self._full()

    def _kept_by_all(self) -> int:
        with self._counting:
            if time.monotonic() - self._counted[0] > _COUNT_SECONDS:
                self._counted = time.monotonic(), self._stored()
            return self._counted[1]

    # ---------- what comes and what is made ----------

    def publish(self, task: str, orders: Sequence[Order]) -> None:
        """Put the orders' files, once each, where every worker can have them; here they go. Raises OSError."""
        keys = {file.key for order in orders for file in order.files}
        with self._asked():
            for key in sorted(keys):
                if self.path_of(key).is_file():  # one that was uploaded to the storage itself lies there already
                    path = self.path_of(key)
                    obstore.put(self._for(path), key, path, attributes={_SUM: _sum_of(path)})
        super().discard(task)

    def fetch(self, order: Order) -> None:
        """Bring the order's files here, whole. Raises OSError: GoneError where nothing will help."""
        super().fetch(order)
        for _try in range(_FETCHES):
            size = sum(self._bring(file.key, self.path_of(file.key)) for file in order.files)
            if size == order.size:  # which is all that is known of files that were uploaded past the engines
                return
        raise DamagedError(f"{size} bytes come out of the storage, where {order.size} were put")

    def upload_link(self, run: Run) -> str:
        """A signed address at the storage."""
        return obstore.sign(self._bucket, "PUT", f"{run.task}/in/{run.id}", self._upload)

    def arrived(self, run: Run) -> StoredUpload | None:
        """A draft's file, once it has come: a copy, since its address is good for a while yet. Raises OSError."""
        sent = f"{run.task}/in/{run.id}"
        taken = f"{sent}.{secrets.token_hex(4)}"
        try:
            with self._asked():
                obstore.copy(self._bulk, sent, taken)
                size = int(obstore.head(self._bucket, taken)["size"])
                head = bytes(obstore.get_range(self._bucket, taken, start=0, length=min(size, _HEAD))) if size else b""
        except FileNotFoundError:
            return None
        path = self.scratch(run.task, run.id) / "seen"
        path.parent.mkdir(parents=True, exist_ok=True)
        if head.startswith(_PACKED) and size <= self._max_file:  # what is larger is refused, and need not come here
            self._bring(taken, path)
        else:
            path.write_bytes(head)
        return StoredUpload(taken, path, size)

    def let_go(self, upload: StoredUpload) -> None:
        """Remove the copy. Raises OSError."""
        with self._asked():
            obstore.delete(self._bucket, upload.key)

    def keep(self, outputs: tuple[Path, ...], work: Work, order: Order, epoch: int, most: int) -> tuple[str, int]:
        """Put what was made under the epoch's key; see `BlobStore.keep`."""
        name, size = gathered(outputs, work, most)
        if self._kept_by_all() + size > self._max_storage:
            raise Refused("01002", self._full().reason)
        path = self.scratch(order.task, order.run).parent / "result"
        size = written(outputs, work, path)
        attributes = {"Content-Disposition": attachment(name), "Content-Type": "application/octet-stream"}
        with self._asked():
            obstore.put(self._for(path), _result(order.task, order.run, epoch), path, attributes=attributes)
        return name, size

    def has_result(self, run: Run) -> bool:
        """Decide whether the result of a run that ended well is there. Raises OSError."""
        try:
            with self._asked():
                obstore.head(self._bucket, _result(run.task, run.id, run.epoch))
        except FileNotFoundError:
            return False
        return True

    def download(self, run: Run, method: str) -> Path | str:
        """A signed address at the storage."""
        key = _result(run.task, run.id, run.epoch)
        if method == "HEAD":
            return obstore.sign(self._bucket, "HEAD", key, _DOWNLOAD)
        return obstore.sign(self._bucket, "GET", key, _DOWNLOAD)

    # ---------- removing ----------

    def drop_inputs(self, task: str) -> None:
        """Remove a task's uploads."""
        super().drop_inputs(task)
        self._delete(task, "in/")

    def drop_run(self, task: str, run: str, *, keep_result: bool) -> None:
        """Remove what of a run lies here; what lies in the storage under late epochs goes with the task."""
        super().drop_run(task, run, keep_result=False)

    def discard(self, task: str) -> None:
        """Remove all files of a task."""
        super().discard(task)
        self._delete(task)

    def discard_all(self, tasks: Sequence[str]) -> None:
        """Remove all files of tasks, several at a time: most of it is waiting for the storage. Raises OSError."""
        with ThreadPoolExecutor(_SWEEPERS) as sweepers:
            found = list(sweepers.map(self._keys_of, tasks))
        keys = [key for some in found for key in some]
        for first in range(0, len(keys), _MOST_DELETED):
            with self._asked():
                obstore.delete(self._bucket, keys[first : first + _MOST_DELETED])
        for task in tasks:
            self.clear(task)

    def clear(self, task: str) -> None:
        """Remove what of a task lies here."""
        super().discard(task)

    def _for(self, path: Path) -> S3Store:
        return self._bucket if path.stat().st_size <= _SMALL else self._bulk

    def _bring(self, key: str, path: Path) -> int:
        """Fetch a file; its size in bytes. Raises OSError, see `fetch`."""
        path.parent.mkdir(parents=True, exist_ok=True)
        for _try in range(_FETCHES):
            found = hashlib.sha256()
            with self._asked(), path.open("wb") as file:
                answer = self._asked_for(key)
                for block in answer:
                    file.write(block)
                    found.update(block)
            if answer.attributes.get(_SUM, found.hexdigest()) == found.hexdigest():
                return path.stat().st_size
        raise DamagedError("a file does not come out of the storage as it was put there")

    def _asked_for(self, key: str) -> obstore.GetResult:
        try:
            return obstore.get(self._bulk, key)
        except FileNotFoundError as error:
            raise GoneError("the file is not in the storage any more") from error

    def _delete(self, task: str, within: str = "") -> None:
        keys = self._keys_of(task, within)
        if keys:
            with self._asked():
                obstore.delete(self._bucket, keys)

    def _keys_of(self, task: str, within: str = "") -> list[str]:
        if not is_id(task):  # an empty one would be everybody's
            return []
        with self._asked():
            return [str(entry["path"]) for found in obstore.list(self._bucket, f"{task}/{within}") for entry in found]


def _sum_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, _SUM).hexdigest()


def _result(task: str, run: str, epoch: int) -> str:
    return f"{task}/{run}/{epoch}/result"


@contextlib.contextmanager
def _asked() -> Iterator[None]:
    """Whatever goes wrong with the storage is an OSError."""
    try:
        yield
    except BaseError as error:
        raise StorageAway(f"the storage does not do it: {_reason(error)}") from error


def says_something(error: StorageAway) -> bool:
    """Decide whether the storage has answered at all, if only that it will not."""
    words = str(error.__cause__)
    return isinstance(error.__cause__, _REFUSALS) or bool(_CODE.search(words) or _STATUS.search(words))


def _refused(error: Exception) -> str:
    return _("the storage does not keep, give and drop files as it is set up: {reason}", reason=_reason(error))


def _reason(error: Exception) -> str:
    """Return what the storage says of itself (AccessDenied, RequestTimeTooSkewed), else how it failed."""
    found = _CODE.search(str(error)) or _STATUS.search(str(error))
    return f"{found[1]} ({type(error).__name__})" if found else type(error).__name__
