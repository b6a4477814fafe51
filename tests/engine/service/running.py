"""A real engine process for tests, with the tests' operations in it."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx

ROOT = Path(__file__).parents[3]
KEY = "open-sesame"
TOKEN = "knock-knock"
PDF = b"%PDF-1.7\n"
HTML = b"<!doctype html><p>"
PATIENCE = 120.0
PLAIN = httpx.Client(verify=False, timeout=PATIENCE, limits=httpx.Limits(max_keepalive_connections=0))
"""For calls without a key, each over a connection of its own. `httpx.get` would make a TLS context each time, which
takes longer than the call."""


class RunningEngine:
    """One engine process on `state`, and a client that has the key."""

    def __init__(
        self,
        state: Path,
        *flags: str,
        workers: int = 1,
        real: bool = False,
        more: str = "",
        tight: bool = False,
        fenced: bool = True,
        broken: bool = False,
        files: int = 0,
    ) -> None:
        """real: with the product's operations instead of the tests' own.

        more: a folder with further operations. tight: operations may write where those of the product may, and not in
        all of the tests' folders as well. fenced: False leaves the workers open, as on a system that has no fences.
        broken: no worker comes up. files: how many the engine may have open.
        """
        self.state = state
        self.wanted = state / "wanted" / "by a test.json"
        path = python_path(self.wanted, tight=tight, more=more, fenced=fenced, broken=broken)
        self.log_file = state / "engine.log"
        command = [sys.executable, "-m", "paperchute.engine", "--state", str(state), "--api-key-env", "ENGINE_KEY"]
        command += ["--workers", str(workers), "--log", str(self.log_file), *flags]
        if files:
            command = ["sh", "-c", f'ulimit -n {files}; exec "$@"', "sh", *command]
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={
                **os.environ,
                "ENGINE_KEY": KEY,
                "HOOK_TOKEN": TOKEN,
                "PYTHONPATH": str(ROOT / "daemon") if real else path,
            },
        )
        try:
            started = json.loads(_first_line(self.process))
        except (ValueError, queue.Empty):
            self.process.kill()
            raise AssertionError(f"the engine did not start: {self.last_words()}") from None
        self.base_url: str = started["base_url"]
        self.pid: int = started["pid"]
        headers = {"x-api-key": KEY}
        self.client = httpx.Client(base_url=self.base_url, headers=headers, timeout=PATIENCE, verify=False)

    def __enter__(self) -> RunningEngine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End it, in order where it still runs."""
        self.client.close()
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe is not None:
                pipe.close()

    def last_words(self) -> str:
        """What an ended engine wrote to standard error."""
        assert self.process.stderr is not None
        return self.process.stderr.read().decode("utf-8", "replace")

    def post(self, path: str, *files: tuple[str, str, bytes], **more: Any) -> httpx.Response:
        """One processing call; `path` such as pdf/merge, `files` as (part, name, content)."""
        parts = [(part, (name, content)) for part, name, content in files]
        return self.client.post(f"/v2/process/{path}", files=parts or [("parameter", (None, ""))], **more)

    def post_async(self, path: str, *files: tuple[str, str, bytes], **more: Any) -> httpx.Response:
        """As `post`, in asynchronous mode."""
        parts = [(part, (name, content)) for part, name, content in files]
        return self.client.post(f"/v2/processAsync/{path}", files=parts or [("parameter", (None, ""))], **more)

    def html(self, text: str, **more: Any) -> httpx.Response:
        """An HTML to PDF call with a document that says what to do."""
        return self.post("html/pdf", ("file", "page.html", HTML + text.encode()), **more)

    @contextlib.contextmanager
    def left_alone(self, text: str, headers: dict[str, str] | None = None) -> Iterator[None]:
        """As `html`, by a client that is connected for the length of the block and takes no answer."""
        files = [("file", ("page.html", HTML + text.encode()))]
        request = self.client.build_request("POST", "/v2/process/html/pdf", files=files, headers=headers)
        with contextlib.closing(http.client.HTTPConnection(request.url.host, request.url.port or 80)) as connection:
            connection.request("POST", request.url.path, request.read(), dict(request.headers))
            yield

    @contextlib.contextmanager
    def full(self, marker: Path) -> Iterator[None]:
        """For the length of the block, its one worker is at heavy work, and more of it waits."""
        with self.left_alone(f"do: hang {marker}"):
            until(marker.exists)
            data_of(self.post_async("html/pdf", ("file", "waits.html", HTML)))
            yield

    def calls(self) -> list[dict[str, Any]]:
        """The log's lines about calls."""
        lines = [json.loads(line) for line in self.log_file.read_text("utf-8").splitlines()]
        return [line for line in lines if line["message"] == "call"]


def record_of(response: httpx.Response) -> dict[str, Any]:
    """The one record of a successful envelope."""
    assert response.status_code == 200, response.text
    body = response.json()
    assert body["code"] == "200"
    assert body["msg"] == "success"
    data = body["data"]
    return dict(data[0] if isinstance(data, list) else data)


def told_by(response: httpx.Response) -> dict[str, Any]:
    """What the tests' operation was given, fetched without the key."""
    record = record_of(response)
    assert record["status"] == "success", record
    result = PLAIN.get(record["downloadUrl"])
    assert result.status_code == 200
    assert len(result.content) == record["convertSize"]
    return dict(result.json())


def refusal_of(response: httpx.Response) -> tuple[int, str]:
    """HTTP status and code of a request error."""
    body = response.json()
    assert body["data"] is None
    assert body["msg"]
    return response.status_code, body["code"]


def until(condition: Callable[[], bool]) -> None:
    """Wait for something that another process does."""
    ends = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < ends, "it never happened"
        time.sleep(0.02)


def _tests_folder(state: Path) -> Path:
    """The folder of all of this run's tests."""
    return next((folder for folder in state.parents if folder.name.startswith("pytest-")), state)


def python_path(wanted: Path, *, tight: bool = False, **more: object) -> str:
    """What the engine and its workers need to find us and the tests' operations.

    What a test wants of them goes into the file `wanted`.
    """
    opened = [] if tight else [str(_tests_folder(wanted))]
    wanted.parent.mkdir(parents=True, exist_ok=True)
    wanted.write_text(json.dumps({"open": opened, **more}), "utf-8")
    return os.pathsep.join([str(wanted.parent), str(Path(__file__).parent / "extra"), str(ROOT / "daemon")])


def _first_line(process: subprocess.Popen[bytes]) -> bytes:
    assert process.stdout is not None
    lines: queue.Queue[bytes] = queue.Queue()
    threading.Thread(target=lambda: lines.put(process.stdout.readline()), daemon=True).start()  # type: ignore[union-attr]
    return lines.get(timeout=PATIENCE)


def data_of(response: httpx.Response) -> dict[str, Any]:
    """The data of a successful envelope."""
    assert response.status_code == 200, response.text
    body = response.json()
    assert (body["code"], body["msg"]) == ("200", "success")
    return dict(body["data"] or {})


def task_info(engine: RunningEngine, task: str) -> dict[str, Any]:
    """The task object as it stands."""
    return data_of(engine.client.get("/v2/task/taskInfo", params={"taskId": task}))


def ended(engine: RunningEngine, task: str) -> dict[str, Any]:
    """The task object once nothing more happens to it."""
    until(lambda: task_info(engine, task)["taskStatus"] in ("TaskFinish", "TaskOverdue"))
    return task_info(engine, task)
