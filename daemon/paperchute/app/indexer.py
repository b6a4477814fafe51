"""The thread that puts what was done into the search index, behind the work and never in its way."""

from __future__ import annotations

import contextlib
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from loguru import logger

from paperchute.app.result_text import PLAIN, READ, plain_text
from paperchute.app.search_index import Entry, SearchIndex
from paperchute.errors import PaperchuteError
from paperchute.files import beneath
from paperchute.files.reader import readers
from paperchute.jobs.delivery import root_of_results
from paperchute.jobs.journal import Journal
from paperchute.jobs.model import Job
from paperchute.redaction import masked

_ROUND_SECONDS = 2.0
_AGAIN_SECONDS = 600.0
"""Where it cannot be written, as on a full disk, which a line of the log every few seconds would only fill further."""
_FORGET_SECONDS = 600.0
_BATCH = 50
_MOST_RESULTS = 20
_MOST_BYTES = 32 << 20
_REST = 4
"""How many times as long as something took it rests afterwards, so it takes a fifth of one core at most."""
_REST_BESIDE_WORK = 19
"""The same while jobs are at work: a twentieth. With small files a fifth was as much as a third of what the jobs took;
so it still keeps up with thirty a second, and what comes faster is put in once it is over."""


class Indexer:
    """Goes through what the journal tells, from where it stopped, and forgets what the journal has forgotten."""

    def __init__(self, journal: Journal, path: Path, is_busy: Callable[[], bool] = lambda: False) -> None:
        """path: of the index. is_busy: whether jobs are at work."""
        self._journal = journal
        self._path = path
        self._is_busy = is_busy
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="indexer", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self, timeout: float) -> None:
        """End it; wait at most `timeout` seconds."""
        self._stopping.set()
        if self._thread.ident is not None:
            self._thread.join(timeout)

    def index(self, index: SearchIndex) -> int:
        """Put in what has ended since the last time, a batch of it; how many jobs. Raises sqlite3.Error."""
        ended = self._journal.queries.ends_after(index.reached(), _BATCH)
        if not ended:
            return 0
        entries: dict[int, Entry] = {}
        reached = index.reached()
        for event, number in ended.items():
            if self._stopping.is_set():
                break  # the rest comes after the next start
            with self._resting_afterwards():
                if number not in entries and (job := self._journal.queries.job(number)) is not None:
                    entries[number] = self._entry(job)
            reached = event
        with self._resting_afterwards():
            index.put(entries.values(), reached)
            index.cut()
        return len(ended)

    @contextlib.contextmanager
    def _resting_afterwards(self) -> Iterator[None]:
        began = time.monotonic()
        yield
        self._stopping.wait((_REST_BESIDE_WORK if self._is_busy() else _REST) * (time.monotonic() - began))

    def forget(self, index: SearchIndex) -> None:
        """Forget what is in the journal no more. Raises sqlite3.Error."""
        if gone := sorted(index.jobs() - self._journal.queries.numbers()):
            index.forget(gone)

    def _run(self) -> None:
        index: SearchIndex | None = None
        forgotten = 0.0
        while not self._stopping.is_set():
            try:
                index = index or SearchIndex(self._path)
                if time.monotonic() - forgotten > _FORGET_SECONDS or not forgotten:
                    forgotten = time.monotonic()
                    self.forget(index)
                count = self.index(index)
                pause = 0.0 if count else _ROUND_SECONDS
            except (sqlite3.Error, OSError) as error:
                logger.warning("the search index cannot be written just now ({})", error)
                pause = _AGAIN_SECONDS
            self._stopping.wait(pause)
        if index is not None:
            index.close()

    def _entry(self, job: Job) -> Entry:
        names = " ".join(dict.fromkeys([job.path.name, *(member.path.name for member in job.members[:_MOST_RESULTS])]))
        results = " ".join(path.name for path in job.outputs)
        return Entry(job.id, masked(names), masked(job.rule.name), masked(results), self._text(job))

    def _text(self, job: Job) -> str:
        if not job.rule.full_text:
            return ""
        return masked("\n".join(filter(None, map(self._read(job), job.outputs[:_MOST_RESULTS]))))

    def _read(self, job: Job) -> Callable[[Path], str]:
        def read(path: Path) -> str:
            suffix = path.suffix.lower()
            if suffix not in PLAIN and suffix not in READ:
                return ""
            try:
                with beneath.reading(path, root_of_results(job, path.parent)) as file:
                    content = file.read(_MOST_BYTES + 1)
                if len(content) > _MOST_BYTES:
                    return ""
                if suffix in PLAIN:
                    return plain_text(content)
                said, _ = readers.read(path.name, {"do": "result text", "name": path.name}, content)
                return str(said.get("text", ""))
            except (
                PaperchuteError,
                OSError,
            ):  # it was taken away, or broke its reader: its names are found all the same
                return ""

        return read
