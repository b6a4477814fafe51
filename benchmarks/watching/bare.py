"""What stands beside the daemon: bare loops that only post a file, fetch its result, and rename it into place."""

from __future__ import annotations

import http.client
import json
import shutil
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

_OPERATION = "/v2/process/pdf/markdown"
_BLOCK = 1 << 18
_EDGE = "benchmarkboundary"

Job = Callable[[Path, Path], None]
"""Has one file done: its path, and where the result goes."""


@dataclass(frozen=True)
class Took:
    """What a loop took: each file in milliseconds, all of them in seconds, and CPU seconds of this process."""

    each: Sequence[float]
    seconds: float
    cpu: float


@contextmanager
def _httpx(port: int) -> Iterator[Job]:
    """One httpx client, kept open."""

    def job(source: Path, result: Path) -> None:
        with source.open("rb") as file:
            url = client.post(_OPERATION, files={"file": (source.name, file)}).json()["data"]["downloadUrl"]
        part = result.with_suffix(".part")
        with client.stream("GET", url) as response, part.open("wb") as out:
            for block in response.iter_raw(_BLOCK):
                out.write(block)
        part.replace(result)

    with httpx.Client(base_url=f"http://127.0.0.1:{port}", trust_env=False, timeout=60) as client:
        yield job


@contextmanager
def _sendfile(port: int) -> Iterator[Job]:
    """http.client on one connection, the file sent by the kernel: the practical floor in Python."""
    line = http.client.HTTPConnection("127.0.0.1", port)
    line.connect()
    line.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def job(source: Path, result: Path) -> None:
        head = f'--{_EDGE}\r\nContent-Disposition: form-data; name="file"; filename="{source.name}"\r\n\r\n'.encode()
        tail = f"\r\n--{_EDGE}--\r\n".encode()
        with source.open("rb") as file:
            line.putrequest("POST", _OPERATION)
            line.putheader("Content-Type", f"multipart/form-data; boundary={_EDGE}")
            line.putheader("Content-Length", str(len(head) + source.stat().st_size + len(tail)))
            line.endheaders(head)
            line.sock.sendfile(file)
            line.sock.sendall(tail)
        url = json.loads(line.getresponse().read())["data"]["downloadUrl"]
        line.request("GET", url[url.index("/download") :])
        answer, part = line.getresponse(), result.with_suffix(".part")
        with part.open("wb") as out:
            shutil.copyfileobj(answer, out, _BLOCK)
        part.replace(result)

    try:
        yield job
    finally:
        line.close()


LOOPS = {"httpx, bare loop": _httpx, "sendfile, bare loop": _sendfile}


def took(name: str, base: Path, port: int, count: int, content: bytes, pause: float = 0.0) -> Took:
    """Have `count` files of `content` done by the loop `name`, `pause` seconds apart."""
    base.mkdir(parents=True)
    sources = [base / f"{number:06}.pdf" for number in range(count)]
    for source in sources:
        source.write_bytes(content)
    each = []
    with LOOPS[name](port) as job:
        cpu, began = time.process_time(), time.perf_counter()
        for source in sources:
            start = time.perf_counter()
            job(source, source.with_suffix(".md"))
            each.append((time.perf_counter() - start) * 1e3)
            if pause:
                time.sleep(pause)
        seconds, cpu = time.perf_counter() - began, time.process_time() - cpu
    shutil.rmtree(base)
    return Took(each, seconds, cpu)
