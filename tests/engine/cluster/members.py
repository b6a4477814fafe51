"""Engines of one cluster, as processes of their own, and clients that call them."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import httpx
import psycopg
from psycopg.rows import dict_row

from tests.engine.cluster.servers import BUCKET, PostgresServer
from tests.engine.service.running import HTML, KEY, python_path

SECRET = "tests' own, and long enough for all of them"
_TRIES = 1000


class Member:
    """One engine of a role."""

    def __init__(
        self, state: Path, role: str, environment: dict[str, str], flags: Sequence[str], *, errors: bool = False
    ) -> None:
        """errors: what it writes to standard error is the test's to read."""
        state.mkdir(parents=True)
        self.state = state
        command = [sys.executable, "-m", "paperchute.engine", "--state", str(state), "--role", role]
        command += ["--workers", "1", "--log", str(state / "engine.log"), *flags]
        if role != "worker":
            command += ["--api-key-env", "ENGINE_KEY"]
        path = environment.get("PYTHONPATH", "") or python_path(state / "wanted" / "by a test.json")
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE if errors else None,
            env={**os.environ, **environment, "ENGINE_KEY": KEY, "PYTHONPATH": path},
        )

    def started(self) -> Member:
        """Once it says that it is there."""
        assert self.process.stdout is not None
        said = json.loads(self.process.stdout.readline() or b"{}")
        assert said, (self.state / "engine.log").read_text()
        self.said = said
        self.base_url = said.get("base_url", "")
        return self

    def signal(self, number: int) -> None:
        self.process.send_signal(number)

    def close(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGCONT)
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdout, self.process.stderr):
            if pipe is not None:
                pipe.close()


class Cluster:
    """Members over one database and one storage."""

    def __init__(self, folder: Path, server: PostgresServer, storage: dict[str, str]) -> None:
        self.folder = folder
        self.server = server
        self.environment = {
            "PAPERCHUTE_DATABASE": server.url,
            "PAPERCHUTE_FILES": f"s3://{BUCKET}/{secrets.token_hex(4)}",
            **storage,
        }
        self.members: list[Member] = []

    def _in_files(self, *names: str) -> dict[str, str]:
        """Secrets as whoever runs containers hands them over."""
        secrets = {"PAPERCHUTE_SECRETS_KEY": SECRET, **self.environment}
        for name in names:
            self.folder.mkdir(exist_ok=True)
            (self.folder / name).write_text(f"{secrets[name]}\n", "utf-8")
        return {"AWS_SECRET_ACCESS_KEY": "", **{f"{name}_FILE": str(self.folder / name) for name in names}}

    def add(self, role: str, count: int = 1, *flags: str, more: Mapping[str, str] | None = None) -> list[Member]:
        """more: of the environment of these."""
        new = []
        for _ in range(count):
            environment = {**self.environment, **self._in_files("PAPERCHUTE_SECRETS_KEY", "AWS_SECRET_ACCESS_KEY")}
            environment |= more or {}
            state = self.folder / f"{role}-{len(self.members)}"
            new.append(Member(state, role, environment, flags))
            self.members.append(new[-1])
        return [member.started() for member in new]

    def empty(self) -> None:
        """Begin with a database that holds nothing."""
        with psycopg.connect(self.server.url, autocommit=True) as connection:
            connection.execute("drop schema public cascade")
            connection.execute("create schema public")

    def do(self, statement: str) -> None:
        """Change what the database says."""
        with psycopg.connect(self.server.url) as connection:
            connection.execute(statement)

    def rows(self, statement: str, *values: object) -> list[dict[str, Any]]:
        """What the database says."""
        with psycopg.connect(self.server.url, row_factory=dict_row) as connection:
            return connection.execute(statement, values or None).fetchall()

    def close(self) -> None:
        for member in self.members:
            member.close()


@contextlib.contextmanager
def cluster(folder: Path, server: PostgresServer, storage: dict[str, str]) -> Iterator[Cluster]:
    made = Cluster(folder, server, storage)
    try:
        yield made
    finally:
        made.close()


def kill(member: Member) -> None:
    """Without a word."""
    member.signal(signal.SIGKILL)
    member.process.wait()


class Caller:
    """A client that asks the next server under the same idempotency key, until it has an answer."""

    def __init__(self, members: Sequence[Member]) -> None:
        self._urls = [member.base_url for member in members]
        self._http = httpx.Client(timeout=120.0, headers={"x-api-key": KEY}, verify=False)
        self._keyless = httpx.Client(timeout=120.0, follow_redirects=True, verify=False)
        self.again = 0

    def __enter__(self) -> Caller:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()
        self._keyless.close()

    def html(self, text: str, *, key: str = "", first: int = 0) -> dict[str, Any]:
        """The record of one synchronous call."""
        key = key or secrets.token_hex(8)
        data = self._answer(
            first,
            lambda url: self._http.post(
                f"{url}/v2/process/html/pdf",
                files={"file": ("page.html", HTML + text.encode())},
                headers={"Idempotency-Key": key},
            ),
        )
        return dict(data[0] if isinstance(data, list) else data)

    def _answer(self, first: int, ask: Callable[[str], httpx.Response]) -> Any:
        """What the first server that has an answer says."""
        for number in range(_TRIES):
            with contextlib.suppress(httpx.TransportError):
                answer = ask(self._urls[(first + number) % len(self._urls)])
                if answer.status_code == 200:
                    return answer.json()["data"]
                assert answer.status_code == 503, answer.text
            self.again += 1
            time.sleep(0.3)
        raise AssertionError("no server answers")

    def later(self, text: str, *, key: str, first: int = 0, callback: str = "") -> dict[str, Any]:
        """The record of one asynchronous call, with its task's id, once it has ended."""
        files = {"file": ("page.html", HTML + text.encode())}
        task = self._answer(
            first,
            lambda url: self._http.post(
                f"{url}/v2/processAsync/html/pdf",
                files=files,
                data={"callbackUrl": callback} if callback else None,
                headers={"Idempotency-Key": key},
            ),
        )["taskId"]
        while True:
            told = self._answer(first, lambda url: self._http.get(f"{url}/v2/task/taskInfo", params={"taskId": task}))
            if told["taskStatus"] == "TaskFinish":
                return {**told["fileInfoDTOList"][0], "taskId": task}
            time.sleep(0.3)

    def fetched(self, record: dict[str, Any]) -> bytes:
        """The result of a record, without the key."""
        path = record["downloadUrl"].partition("/server/")[2]
        for number in range(_TRIES):
            with contextlib.suppress(httpx.TransportError):
                found = self._keyless.get(f"{self._urls[number % len(self._urls)]}/{path}")
                if found.status_code == 200 and len(found.content) == record["convertSize"]:
                    return found.content
                assert found.status_code in (200, 500, 503), found.text  # the storage itself may err, or send half
            self.again += 1
            time.sleep(0.3)
        raise AssertionError("no server gives the result")
