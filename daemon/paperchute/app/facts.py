"""What rules want to know about a file's content, found out in a process of its own, within a bounded time."""

from __future__ import annotations

import contextlib
import queue
import threading
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

from loguru import logger

from paperchute.contract.recognition import Unread
from paperchute.files.presence import is_there
from paperchute.files.reader import ReaderProcess, readers
from paperchute.files.reader_line import Said
from paperchute.jobs.model import Job
from paperchute.language import _
from paperchute.rules.match import FileFacts, Need, by_content, candidates, ladder, needs, plain
from paperchute.rules.model import Rule
from paperchute.rules.secrets import opening_passwords_for
from paperchute.watch.interface import Ready

Asking = tuple[Rule, PurePath]
"""A rule, and what it would take, relative to its folder."""

_SECONDS_A_FILE = 20.0


class FactReader:
    """Reads facts while its `with` block lasts; its process starts with the first file that needs it.

    One that crashes or takes too long over a file is ended, and another reads the next one.
    """

    def __init__(self, seconds: float = _SECONDS_A_FILE, process: ReaderProcess | None = None) -> None:
        """seconds: what one file may take, the start aside. process: what reads; default: one of its own."""
        self._seconds = seconds
        self._process = process or ReaderProcess()

    def __enter__(self) -> FactReader:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.end()

    def read(self, path: Path, size: int | None, need: Collection[Need], asking: Sequence[Asking] = ()) -> FileFacts:
        """The facts of a file. Never raises: what is not known is said so.

        size: in bytes, as known already. asking: who wants to know; their passwords are for locked PDFs only.
        """
        if not need:
            return FileFacts(size)
        request: dict[str, Any] = {"path": str(path), "want": sorted(need)}
        found = self._ask(request)
        missing: dict[str, Sequence[str]] = {}
        if found is not None and found.get("locked") and asking:
            unlock = {}
            for rule, relative in asking:
                unlock[rule.name], missing[rule.name] = opening_passwords_for(rule, relative)
            if any(unlock.values()):
                found = self._ask({**request, "unlock": unlock})
        if found is None:
            logger.warning("{} could not be looked into: it took too long, or broke its reader", path)
            return FileFacts(size, trouble=_("it could not be read in time"))
        text = found.get("text")
        return FileFacts(
            size,
            found.get("kind"),
            found.get("pages"),
            None if text is None else plain(text),
            found.get("trouble", ""),
            bool(found.get("locked")),
            frozenset(found.get("opened_by", ())),
            missing,
            None if (unread := found.get("unread")) is None else tuple(unread),
            tuple(found.get("pictured") or ()),
            found.get("signed"),
        )

    def unread(self, path: Path, password: str) -> Unread:
        """Return what of a file nobody reads without recognition, as far as that can be told."""
        found = self._opened(path, "unread", [password] if password else [])
        return Unread(tuple(found.get("unread") or ()), tuple(found.get("pictured") or ()))

    def signed(self, path: Path, passwords: Sequence[str]) -> bool:
        """Decide whether a file is a PDF that somebody has signed, as far as that can be told."""
        return self._opened(path, "signed", passwords).get("signed") is True

    def page_count(self, path: Path, passwords: Sequence[str]) -> int | None:
        """Count the pages of a PDF, opened with one of the passwords; None where that cannot be told."""
        return self._opened(path, "pages", passwords).get("pages")

    def opening(self, path: Path, passwords: Sequence[str]) -> int | None:
        """The number of the first password that opens a PDF, -1 when it is not locked.

        None when none does, or that cannot be told.
        """
        found = self._ask({"path": str(path), "passwords": list(passwords)})
        return found.get("opens") if found is not None else None

    def _opened(self, path: Path, want: Need, passwords: Sequence[str]) -> dict[str, Any]:
        unlock = {"": list(passwords)} if passwords else {}
        return self._ask({"path": str(path), "want": [want], "unlock": unlock}) or {}

    def _ask(self, request: Mapping[str, Any]) -> dict[str, Any] | None:
        was_fresh = self._process.is_fresh
        try:
            found = self._asked(request)
            if found is None and not was_fresh:  # an earlier file may have left it ailing
                found = self._asked(request)
        except OSError as error:
            logger.error("the reader cannot be started ({})", error)
            return None
        return found[0] if found is not None else None

    def _asked(self, request: Mapping[str, Any]) -> Said | None:
        seconds = self._process.start_seconds + self._seconds
        return self._process.ask({"do": "facts", **request}, seconds=seconds)


@contextlib.contextmanager
def _reader_at_hand() -> Iterator[FactReader]:
    """One that is there already, where there is one: a job has a single question, and a process takes long to start."""
    with readers.lent() as process:
        yield FactReader(process=process)


def pages_of(job: Job) -> int | None:
    """Return how many pages a job's PDFs have together; None when that cannot be told, or there are none."""
    asking = [(job.rule, job.relative)]
    with _reader_at_hand() as reader:
        facts = [reader.read(member.path, member.key.size, {"pages"}, asking) for member in job.members]
    counts = [one.pages for one in facts if one.kind in ("pdf", None)]
    return sum(count for count in counts if count is not None) if counts and None not in counts else None


def page_count_of(path: Path, passwords: Sequence[str]) -> int | None:
    """`FactReader.page_count`, by a reader that is at hand."""
    with _reader_at_hand() as reader:
        return reader.page_count(path, passwords)


def ladder_of(rules: Sequence[Rule], job: Job) -> list[Rule]:
    """List the rules that may have a job's file by name and content, in order; what its document says decides."""
    may = candidates(rules, job.rule.folder, job.relative)
    ((path, key),) = ((member.path, member.key) for member in job.members[:1])
    with _reader_at_hand() as reader:
        return ladder(may, reader.read(path, key.size, needs(may), [(rule, job.relative) for rule in may]))


def unread_of(path: Path, password: str) -> Unread:
    """`FactReader.unread`, by a reader that is at hand."""
    with _reader_at_hand() as reader:
        return reader.unread(path, password)


def signed_of(path: Path, passwords: Sequence[str]) -> bool:
    """`FactReader.signed`, by a reader that is at hand."""
    with _reader_at_hand() as reader:
        return reader.signed(path, passwords)


def opening_of(path: Path, passwords: Sequence[str]) -> int | None:
    """`FactReader.opening`, by a reader that is at hand."""
    with _reader_at_hand() as reader:
        return reader.opening(path, passwords)


Facts = Mapping[Path, FileFacts]
Asked = tuple[Ready, frozenset[Need], frozenset[Path], Sequence[Rule]]

_LOOK_SECONDS = 5.0


@dataclass(frozen=True)
class Looked:
    """What is ready, with the facts of its files. need: what was asked for."""

    ready: Ready
    need: frozenset[Need]
    facts: Facts

    @property
    def path(self) -> Path:
        """The file, or the sub-folder of a set."""
        return self.ready.path


ReadyQueue = queue.Queue[Ready | Looked | None]
"""What is complete, in the order in which it became so; more of it than there is room for waits in the watcher's own
table. None: no more comes."""


class Inspector:
    """Finds out what rules need to know, and remembers what no rule took in the end."""

    def __init__(self, out: ReadyQueue) -> None:
        """out: where what was looked into goes."""
        self._out = out
        self._asked: queue.Queue[Asked] = queue.Queue()
        self._untaken: dict[Path, str] = {}
        self._lock = threading.Lock()  # guards the thread and the table above
        self._thread: threading.Thread | None = None

    def look(self, ready: Ready, need: frozenset[Need], paths: Iterable[Path], asking: Sequence[Rule]) -> None:
        """Have some of the files of what is ready looked into. asking: the rules that want to know. Never blocks."""
        self._asked.put((ready, need, frozenset(paths), asking))
        self._wake()

    def idle(self) -> bool:
        """Decide whether everything was looked into and handed on."""
        return not self._asked.unfinished_tasks

    def untaken(self, path: Path, why: str) -> None:
        """No rule takes it, though its name would do."""
        logger.info("{} stays: {}", path, why)
        with self._lock:
            self._untaken[path] = why
        self._wake()

    def taken(self, path: Path) -> None:
        """A rule takes it after all."""
        with self._lock:
            self._untaken.pop(path, None)

    def left(self) -> list[tuple[Path, str]]:
        """Return what lies in hot folders and no rule takes, with the reason."""
        with self._lock:
            return list(self._untaken.items())

    def forget_untaken(self) -> list[Path]:
        """The same paths, which are no longer remembered."""
        with self._lock:
            paths = list(self._untaken)
            self._untaken.clear()
        return paths

    def _wake(self) -> None:
        with self._lock:
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._run, name="inspector", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        """Work as long as there is anything to do or to remember."""
        while (asked := self._next()) is not None:
            with FactReader() as reader:
                while asked is not None:
                    self._read(reader, *asked)
                    asked = self._at_once()

    def _next(self) -> Asked | None:
        """Return what is to be looked into next, once there is anything; None when the thread may end."""
        while True:
            with contextlib.suppress(queue.Empty):
                return self._asked.get(timeout=_LOOK_SECONDS)
            self._drop_gone()
            with self._lock:
                if not self._untaken and self._asked.empty():
                    self._thread = None
                    return None

    def _at_once(self) -> Asked | None:
        with contextlib.suppress(queue.Empty):
            return self._asked.get_nowait()
        return None

    def _read(
        self, reader: FactReader, ready: Ready, need: frozenset[Need], paths: frozenset[Path], rules: Sequence[Rule]
    ) -> None:
        try:
            asking = [(rule, ready.path.relative_to(ready.folder)) for rule in rules if needs([rule])]
            facts = {path: reader.read(path, key.size, need, asking) for path, key in ready.members if path in paths}
            self._out.put(Looked(ready, need, facts))
        finally:
            self._asked.task_done()

    def _drop_gone(self) -> None:
        gone = [path for path, _ in self.left() if not is_there(path)]
        with self._lock:
            for path in gone:
                self._untaken.pop(path, None)


def why_not(asking: Sequence[Rule], ready: Ready, facts: Facts) -> str:
    """Return why none of the rules that would take something by its name does."""
    if ready.is_set:
        return "; ".join(_("rule '{name}' takes none of the files in it", name=rule.name) for rule in asking)
    ((path, key),) = ready.members
    said = []
    for rule in asking:
        against = next(c for c in by_content(rule, facts.get(path, FileFacts(key.size))) if not c.holds)
        said.append(_("rule '{name}': {condition}: {seen}", name=rule.name, condition=against.name, seen=against.seen))
    return "; ".join(said)
