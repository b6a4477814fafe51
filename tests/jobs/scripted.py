"""A service with a script, in this process: what it answers is up to the test, and it counts what it was asked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from paperchute.files import placing
from paperchute.files.identity import hash_of
from paperchute.service.records import Answer, Call, Fetched


class Scripted:
    """Stands for a service client. `on_call` may raise or touch files; each output is (name, content)."""

    def __init__(self, *outputs: tuple[str, bytes], repeatable: bool = True) -> None:
        self.repeatable = repeatable
        self.outputs = outputs or (("result.md", b"# result"),)
        self.calls: list[Call] = []
        self.resumed: list[str] = []
        self.downloads = 0
        self.on_call: Callable[[Call], None] = lambda call: None
        self.on_download: Callable[[Answer], None] = lambda answer: None

    def resume(self, task: str, name: str, hashes: tuple[str, ...], timeout: float) -> Answer:
        self.resumed.append(task)
        return Answer(task, "http://127.0.0.1/x", self.outputs[0][0], None, hashes, "{}")

    def call(self, call: Call, on_task: Callable[[str, tuple[str, ...]], None] = lambda *_: None) -> Answer:
        self.calls.append(call)
        hashes = tuple(hash_of(path) for _, path in call.files)
        self.on_call(call)
        return Answer(f"task-{len(self.calls)}", "http://127.0.0.1/x", self.outputs[0][0], None, hashes, "{}")

    def fetch(self, answer: Answer, operation: str, place: Path) -> Fetched:
        if len(self.outputs) == 1:
            self.downloads += 1
            self.on_download(answer)
            placing.remove(place)
            place.write_bytes(self.outputs[0][1])
            return Fetched(self.outputs[0][0], (self.outputs[0][0],))
        placing.remove(place)
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
