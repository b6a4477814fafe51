"""A service with a script, in this process: what it answers is up to the test, and it counts what it was asked."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from paperchute.files import placement
from paperchute.files.identity import hash_of
from paperchute.service.model import Answer, Call, Fetched


class Scripted:
    """Stands for a service client. `on_call` may raise or touch files; each output is (name, content)."""

    def __init__(self, *outputs: tuple[str, bytes], repeatable: bool = True) -> None:
        self.repeatable = repeatable
        self.outputs = outputs or (("result.md", b"# result"),)
        self.calls: list[Call] = []
        self.resumed: list[str] = []
        self.downloads = 0
        self.warnings: tuple[str, ...] = ()
        self.notes: tuple[str, ...] = ()
        self.words: dict[str, int] = {}
        self.abandoned: list[tuple[str, str]] = []
        self.on_abandon: Callable[[], object] = lambda: None
        self.on_call: Callable[[Call], object] = lambda call: None
        self.on_download: Callable[[Answer], None] = lambda answer: None

    def resume(self, task: str, name: str, hashes: tuple[str, ...], timeout: float) -> Answer:
        self.resumed.append(task)
        return Answer(task, "http://127.0.0.1/x", self.outputs[0][0], None, hashes, "{}")

    def call(self, call: Call, on_task: Callable[[str, tuple[str, ...]], None] = lambda *_: None) -> Answer:
        self.calls.append(call)
        hashes = tuple(hash_of(path) for _, path in call.files)
        self.on_call(call)
        name = self.outputs[0][0]
        answer = Answer(f"task-{len(self.calls)}", "http://127.0.0.1/x", name, None, hashes, "{}")
        return replace(answer, warnings=self.warnings, notes=self.notes, words=self.words)

    def abandon(self, key: str, task: str) -> None:
        self.abandoned.append((key, task))
        self.on_abandon()

    def fetch(self, answer: Answer, operation: str, place: Path) -> Fetched:
        if len(self.outputs) == 1:
            self.downloads += 1
            self.on_download(answer)
            placement.remove(place)
            place.write_bytes(self.outputs[0][1])
            return Fetched(self.outputs[0][0], (self.outputs[0][0],))
        placement.remove(place)
        place.mkdir()
        paths = self.download(answer, operation, place)
        return Fetched("", tuple(path.relative_to(place).as_posix() for path in paths))

    def download(self, answer: Answer, operation: str, folder: Path) -> list[Path]:
        self.downloads += 1
        self.on_download(answer)
        paths = []
        for name, content in self.outputs:
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            paths.append(path)
        return paths


class Joining(Scripted):
    """A service whose results show what was done to what: it splits into `names`, joins, and reads each by itself."""

    def __init__(self) -> None:
        super().__init__()
        self.names: tuple[str, ...] = ("1.pdf", "2.pdf", "3.pdf")
        self._made: dict[str, dict[str, bytes]] = {}
        self._lock = threading.Lock()

    def call(self, call: Call, on_task: Callable[[str, tuple[str, ...]], None] = lambda *_: None) -> Answer:
        with self._lock:
            self.calls.append(call)
            task = f"task-{len(self.calls)}"
            inputs = [path.read_bytes() for _, path in call.files]
            self.on_call(call)
            self._made[task] = self._results(call.operation, inputs)
        hashes = tuple(hash_of(path) for _, path in call.files)
        return Answer(task, "http://127.0.0.1/x", "", None, hashes, "{}")

    def _results(self, operation: str, inputs: list[bytes]) -> dict[str, bytes]:
        if operation == "pdf-split":
            return {name: inputs[0] + b"/%d" % number for number, name in enumerate(self.names, start=1)}
        if operation == "pdf-merge":
            return {"merged.pdf": b"+".join(inputs)}
        suffix = "md" if operation == "pdf-to-markdown" else "pdf"
        return {f"result.{suffix}": b"read(" + b",".join(inputs) + b")"}

    def fetch(self, answer: Answer, operation: str, place: Path) -> Fetched:
        self.downloads += 1
        made = self._made[answer.task_id]
        placement.remove(place)
        if len(made) == 1:
            ((name, content),) = made.items()
            place.write_bytes(content)
            return Fetched(name, (name,))
        names = []
        for name, content in made.items():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            with placement.create_apart(place / name) as file:
                file.write(content)
            names.append(Path(file.name).relative_to(place).as_posix())
        return Fetched("", tuple(names))

    def download(self, answer: Answer, operation: str, folder: Path) -> list[Path]:
        fetched = self.fetch(answer, operation, folder / "new")
        if fetched.name:
            return [(folder / "new").rename(folder / fetched.name)]
        for name in fetched.files:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / "new" / name).rename(folder / name)
        placement.remove(folder / "new")
        return [folder / name for name in fetched.files]
