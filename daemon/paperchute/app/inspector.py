"""The thread that looks into files whose content some rule asks about, so that the intake never waits for one."""

from __future__ import annotations

import contextlib
import os
import queue
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from loguru import logger

from paperchute.app.facts import FactReader
from paperchute.rules.match import FileFacts, Need, by_content, needs
from paperchute.rules.model import Rule
from paperchute.watch.records import Ready

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


class Inspector:
    """Finds out what rules need to know, and remembers what no rule took in the end."""

    def __init__(self, out: Callable[[Looked], None]) -> None:
        """out: where what was looked into goes; may block."""
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
        """Whether everything was looked into and handed on."""
        return not self._asked.unfinished_tasks

    def untaken(self, path: Path, why: str) -> None:
        """No rule takes it, though its name would do."""
        logger.info("{} stays: {}", path, why)
        with self._lock:
            self._untaken[path] = why
        self._wake()

    def left(self) -> list[tuple[Path, str]]:
        """What lies in hot folders and no rule takes, with the reason."""
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
        """What is to be looked into next, once there is anything; None when the thread may end."""
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
            self._out(Looked(ready, need, facts))
        finally:
            self._asked.task_done()

    def _drop_gone(self) -> None:
        gone = [path for path, _ in self.left() if not os.path.lexists(path)]
        with self._lock:
            for path in gone:
                self._untaken.pop(path, None)


def why_not(asking: Sequence[Rule], ready: Ready, facts: Facts) -> str:
    """Why none of the rules that would take something by its name does."""
    if ready.is_set:
        return "; ".join(f"rule {rule.name!r} takes none of the files in it" for rule in asking)
    ((path, key),) = ready.members
    said = []
    for rule in asking:
        against = next(c for c in by_content(rule, facts.get(path, FileFacts(key.size))) if not c.holds)
        said.append(f"rule {rule.name!r}: {against.name}: {against.seen}")
    return "; ".join(said)
