"""From a dropped file to its result in place: the daemon in a process, and a service that does nothing in another."""

from __future__ import annotations

import http.client
import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import psutil

from benchmarks.watching.child import ENVIRONMENT, ROOT

Row = dict[str, Any]
_FILE = b"%PDF-1.7\n" + b"a" * 10_200 + b"\n%%EOF\n"


@contextmanager
def service() -> Iterator[int]:
    """The service's port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    command = [sys.executable, "-m", "uvicorn", "benchmarks.watching.service:app", "--port", str(port)]
    quiet = ["--log-level", "error", "--no-access-log"]
    with subprocess.Popen([*command, *quiet], env=ENVIRONMENT, cwd=ROOT) as process:
        try:
            _until(lambda: _answers(port), 20)
            yield port
        finally:
            process.kill()


class Daemon:
    """A running daemon on hot folders below `base`."""

    def __init__(self, base: Path, process: psutil.Process) -> None:
        self.base = base
        self.process = process

    def drop(self, name: str, content: bytes = _FILE, folder: str = "hot") -> None:
        """Write a file beside and rename it into the hot folder."""
        part = self.base / f"{name}.part"
        part.write_bytes(content)
        part.rename(self.base / folder / name)

    def cpu(self) -> float:
        """Seconds so far."""
        return float(sum(self.process.cpu_times()[:2]))

    def megabytes(self) -> float:
        """Resident memory."""
        return float(self.process.memory_info().rss) / 1e6

    def done(self) -> int:
        """How many originals were filed."""
        return _count(self.base / "hot.done")


@contextmanager
def daemon(base: Path, port: int, concurrency: int = 4, folders: int = 1) -> Iterator[Daemon]:
    """The real program, headless, on `folders` hot folders."""
    base.mkdir(parents=True)
    names = ["hot", *(f"hot{number}" for number in range(1, folders))]
    rules = f'version = 1\n[service]\nbase_url = "http://127.0.0.1:{port}"\napi_key = "env:BENCHMARK_KEY"\n'
    rules += f'concurrency = {concurrency}\nmode = "sync"\n'
    for name in names:
        rules += f'[[rule]]\nname = "{name}"\nfolder = "{name}"\noperation = "pdf-to-markdown"\n'
    (base / "rules.toml").write_text(rules)
    command = [sys.executable, "-m", "paperchute", "--rules", str(base / "rules.toml"), "--state", str(base / "state")]
    environment = {**ENVIRONMENT, "BENCHMARK_KEY": "key"}
    with subprocess.Popen([*command, "run", "--headless"], env=environment, stderr=subprocess.DEVNULL) as process:
        try:
            _until((base / "state" / "status.json").exists, 20)
            time.sleep(1.0)
            yield Daemon(base, psutil.Process(process.pid))
        finally:
            process.terminate()
            process.wait(30)
    shutil.rmtree(base)


def one_by_one(base: Path, port: int, count: int) -> list[Row]:
    """Milliseconds from the rename into the hot folder until the result is in place."""
    took = []
    with daemon(base, port) as running:
        for number in range(count):
            name = f"{number:05}"
            began = time.perf_counter()
            running.drop(f"{name}.pdf")
            result = base / "hot.out" / f"{name}.md"
            while not result.exists():
                time.sleep(0.0002)
            took.append((time.perf_counter() - began) * 1e3)
            time.sleep(0.02)
    took.sort()
    return [{"files": count, "p50 ms": round(took[count // 2], 2), "p99 ms": round(took[int(count * 0.99)], 2)}]


def burst(base: Path, port: int, count: int, workers: Sequence[int]) -> list[Row]:
    """Files a second and CPU a file, beside bare loops that only post, fetch and rename."""
    rows = [
        _bare("httpx, bare loop", _httpx_loop, base, port, count),
        _bare("http.client, bare loop", _client_loop, base, port, count),
    ]
    for number in workers:
        with daemon(base, port, number) as running:
            idle, cpu = running.megabytes(), running.cpu()
            peak = idle
            began = time.perf_counter()
            for file in range(count):
                running.drop(f"{file:06}.pdf")
            while running.done() < count:
                peak = max(peak, running.megabytes())
                time.sleep(0.02)
            seconds = time.perf_counter() - began
            rows.append(_speed(f"paperchute, {number} workers", count, seconds, running.cpu() - cpu, peak - idle))
    for row in rows:
        row["ratio to httpx"] = round(row["files/s"] / rows[0]["files/s"], 2)
    return rows


def large(base: Path, port: int, megabytes: int) -> list[Row]:
    """One large input: how much memory the daemon takes above idle."""
    with daemon(base, port) as running:
        idle = running.megabytes()
        source = base / "large.pdf.part"
        with source.open("wb") as file:
            file.write(b"%PDF-1.7\n")
            for _ in range(megabytes):
                file.write(os.urandom(1 << 20))
            file.write(b"\n%%EOF\n")
        began = time.perf_counter()
        source.rename(base / "hot" / "large.pdf")
        peak = idle
        while running.done() < 1:
            peak = max(peak, running.megabytes())
            time.sleep(0.01)
        return [
            {
                "input MB": megabytes,
                "seconds": round(time.perf_counter() - began, 1),
                "MB above idle": round(peak - idle, 1),
            }
        ]


def idle_daemon(base: Path, port: int, folders: int, seconds: float) -> list[Row]:
    """The whole daemon on many folders in which nothing happens."""
    with daemon(base, port, folders=folders) as running:
        time.sleep(2.0)
        before = running.cpu()
        time.sleep(seconds)
        return [
            {
                "folders": folders,
                "cpu %": round((running.cpu() - before) / seconds * 100, 2),
                "threads": running.process.num_threads(),
                "MB": round(running.megabytes()),
            }
        ]


def recovery(base: Path, port: int) -> list[Row]:
    """Seconds until a file in a hot folder that was away is done."""
    rows = []
    with daemon(base, port) as running:
        for name, lose in (("deleted, made again", _delete), ("moved away, another in its place", _replace)):
            done = running.done()
            lose(base / "hot")
            time.sleep(0.1)
            (base / "hot").mkdir()
            began = time.perf_counter()
            running.drop(f"{name}.pdf", _FILE + name.encode())
            while running.done() == done:
                time.sleep(0.01)
            rows.append({"hot folder": name, "seconds": round(time.perf_counter() - began, 2)})
    return rows


def _delete(hot: Path) -> None:
    shutil.rmtree(hot)


def _replace(hot: Path) -> None:
    hot.rename(hot.with_name("elsewhere"))


def _bare(name: str, loop: Callable[[int, Path, int], None], base: Path, port: int, count: int) -> Row:
    base.mkdir(parents=True)
    cpu, began = time.process_time(), time.perf_counter()
    loop(port, base, count)
    seconds, cpu = time.perf_counter() - began, time.process_time() - cpu
    shutil.rmtree(base)
    return _speed(name, count, seconds, cpu, 0.0)


def _speed(name: str, count: int, seconds: float, cpu: float, memory: float) -> Row:
    return {
        "who": name,
        "files": count,
        "files/s": round(count / seconds),
        "cpu ms/file": round(cpu / count * 1e3, 2),
        "MB above idle": round(memory, 1),
    }


def _httpx_loop(port: int, base: Path, count: int) -> None:
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", trust_env=False) as client:
        for number in range(count):
            answer = client.post("/v2/process/pdf/markdown", files={"file": ("x.pdf", _FILE)}).json()
            part = base / f"{number}.part"
            with client.stream("GET", answer["data"]["downloadUrl"]) as response, part.open("wb") as file:
                for block in response.iter_raw(1 << 18):
                    file.write(block)
            part.rename(base / f"{number}.md")


def _client_loop(port: int, base: Path, count: int) -> None:
    client = http.client.HTTPConnection("127.0.0.1", port)
    for number in range(count):
        client.request("POST", "/v2/process/pdf/markdown", body=_FILE)
        url = json.loads(client.getresponse().read())["data"]["downloadUrl"]
        client.request("GET", url[url.index("/download") :])
        part = base / f"{number}.part"
        part.write_bytes(client.getresponse().read())
        part.rename(base / f"{number}.md")
    client.close()


def _count(folder: Path) -> int:
    try:
        return sum(1 for _ in folder.iterdir())
    except FileNotFoundError:
        return 0


def _answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 0.2).close()
    except OSError:
        return False
    return True


def _until(true: Callable[[], bool], seconds: float) -> None:
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            raise TimeoutError("it did not come up")
        time.sleep(0.05)
