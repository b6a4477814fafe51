"""A remote service of tasks on loopback that counts what it takes, and a daemon that asks it without long pauses."""

from __future__ import annotations

import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import parse_qs, urlsplit

from tests.journeys.daemon import Paperchute
from tests.service.script import Asked, Reply, Script, envelope, scripted

# The pauses between two questions are minutes, which no test waits for. Everything else is as users have it.
_HURRIED = """
from paperchute.jobs import circuit
from paperchute.service import client
circuit._STOPPED_PROBE_SECONDS = 0.5
circuit.BASE_SECONDS = 0.02
client._FIRST_POLL_REMOTE, client._LAST_POLL = 0.05, 0.2
from paperchute.cli import main
main()
"""
RULES = """
version = 1
[service]
base_url = "{url}"
api_key = "env:PAPERCHUTE_TEST_KEY"
mode = "{mode}"
{more}
[[rule]]
name = "Read"
folder = "hot"
operation = "pdf-to-markdown"
"""


class HurriedPaperchute(Paperchute):
    """Asks again at once, where it would wait for minutes."""

    def command(self, *arguments: str) -> list[str]:
        own = ["--rules", str(self.rules), "--state", str(self.state)]
        return [sys.executable, "-c", _HURRIED, *own, *arguments]


class TaskService:
    """Takes calls as tasks, in any mode. `refusal` is what questions about tasks are answered with, None for good."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self.url = script.url
        self.refusal: Reply | None = None
        self.hangs = threading.Event()
        self.hangs.set()
        """Cleared, synchronous calls get no answer, and tasks do not end."""
        self.taken: list[str] = []
        self.started: list[str] = []
        """Pre-signed ones whose file has come."""
        self.closed: list[str] = []
        self.asked: Counter[str] = Counter()
        """Questions about each task that were refused."""
        self._lock = threading.Lock()
        script.answer = self._answer

    def _answer(self, asked: Asked) -> Reply | None:
        url = urlsplit(asked.path)
        task = parse_qs(url.query).get("taskId", [""])[0]
        if url.path.startswith(("/v2/processAsync/", "/v2/presignedUrl/")):
            task = self._take()
            return envelope({"taskId": task, "taskStatus": "TaskWaiting", "presignedUrl": f"{self.url}/put/{task}"})
        if url.path.startswith("/v2/process/"):
            task = self._take()
            self.hangs.wait(120)
            return envelope(self._script.record(taskId=task))
        if url.path.startswith("/put/"):
            return Reply()
        if url.path == "/result":
            return Reply(b"# ok")
        if url.path == "/v2/execute/start":
            self.started.append(task)
            return envelope({"taskId": task})
        if url.path == "/v2/task/closeTask":
            self.closed.append(task)
            return envelope(None)
        if url.path == "/v2/asset/info":
            refused = self.refusal is not None and self.refusal.status in (401, 402)
            if refused and self.refusal is not None and self.refusal.status == 401:
                return self.refusal
            return envelope({"tenantAsset": [{"assetTypeName": "pages", "asset": 0 if refused else 5}]})
        if url.path == "/v2/task/taskInfo":
            return self._told(task)
        return Reply(status=404)

    def _take(self) -> str:
        with self._lock:
            self.taken.append(f"t{len(self.taken) + 1}")
            return self.taken[-1]

    def _told(self, task: str) -> Reply:
        if self.refusal is not None:
            self.asked[task] += 1
            return self.refusal
        if task in self.closed:
            return Reply(b'{"code": "05002", "msg": "closed"}', 400)
        if not self.hangs.is_set():
            return envelope({"taskId": task, "taskStatus": "TaskProcessing", "fileInfoDTOList": []})
        record = self._script.record(taskId=task)
        return envelope({"taskId": task, "taskStatus": "TaskFinish", "fileInfoDTOList": [record]})


@contextmanager
def task_service() -> Iterator[TaskService]:
    """A service that lives for the length of the block."""
    with scripted() as script:
        service = TaskService(script)
        try:
            yield service
        finally:
            service.hangs.set()
