"""What stands beside the daemon: loops that only post a file, fetch its result, and rename it into place.

Two are bare. The third keeps the daemon's promises and does nothing else: what it loses to the first is their price.
With several workers its loops share one journal, one client and the waits for the disk, as the daemon's workers do.
"""

from __future__ import annotations

import hashlib
import http.client
import json
import shutil
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from paperchute.baton import baton
from paperchute.jobs.journal.database import Database

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
def _httpx(port: int, _base: Path) -> Iterator[Job]:
    """One httpx client, kept open."""

    def job(source: Path, result: Path) -> None:
        url = _posted(client, source)
        part = result.with_suffix(".part")
        _fetched(client, url, part)
        part.replace(result)

    with _client(port) as client:
        yield job


def _client(port: int) -> httpx.Client:
    return httpx.Client(base_url=f"http://127.0.0.1:{port}", trust_env=False, timeout=60)


def _posted(client: httpx.Client, source: Path) -> str:
    with source.open("rb") as file:
        answer = client.post(_OPERATION, files={"file": (source.name, file)})
    return str(answer.json()["data"]["downloadUrl"])


def _fetched(client: httpx.Client, url: str, place: Path) -> None:
    with client.stream("GET", url) as response, place.open("wb") as out:
        for block in response.iter_raw(_BLOCK):
            out.write(block)


@contextmanager
def _promising(port: int, base: Path) -> Iterator[Job]:
    """The first loop with what the daemon writes down of each file, and when: its tables, transactions and fsyncs."""
    work, done = base / "work", base / "done"
    work.mkdir()
    done.mkdir()
    db = Database(base / "journal.sqlite")
    with db.write() as writer:
        writer.execute("insert into rule values ('r', '{}')")

    def written(number: int, kind: str, *statements: tuple[str, Sequence[object]], on_disk: bool = False) -> None:
        with db.write(receipt=on_disk) as writer:
            for statement, values in statements:
                writer.execute(statement, (*values, number))
            writer.execute("insert into event (job, at, kind, text) values (?, ?, ?, '')", (number, time.time(), kind))

    def job(source: Path, result: Path) -> None:
        number, name = int(source.stem) + 1, str(source)
        job = (
            "insert into job (token, rule, rule_name, folder, path, relative, is_set, members, identity, state, stage,"
        )
        job += " created, id) values (?, 'r', 'hot', ?, ?, ?, 0, '[]', ?, 'queued', 'steps', 0, ?)"
        written(number, "queued", (job, (source.stem, str(base), name, source.name, source.stem)))
        with db.write() as writer:
            writer.execute("update job set state = 'running', started = ? where id = ?", (time.time(), number))
        step = "insert into step (number, sent, job) values (0, ?, ?)"
        written(number, "sent", (_COUNTED, ()), (_BOOKED, ()), (step, (time.time(),)), on_disk=True)
        sent = hashlib.sha256(source.read_bytes()).hexdigest()
        with baton.handed_on():
            url = _posted(client, source)
        answer, hashes = "update step set answer = ? where job = ?", "update job set hashes = ? where id = ?"
        written(number, "answered", (answer, (url,)), (hashes, (sent,)), on_disk=True)
        place, part = work / source.name, result.with_suffix(".part")
        with baton.handed_on():
            _fetched(client, url, place)
        shutil.copyfile(place, part)
        made = hashlib.sha256(part.read_bytes()).hexdigest()
        plan = "insert or replace into plan (kind, content, job) values (?, ?, ?)"
        stage = "update job set stage = ? where id = ?"
        written(number, "planned", (plan, ("delivery", str(result))), (stage, ("delivering",)))
        part.rename(result)
        place.unlink()
        remembered = "insert or replace into written (path, sha256, rule, wanted, job) values (?, ?, 'hot', ?, ?)"
        filing = (plan, ("filing", str(done / source.name)))
        written(number, "delivered", (remembered, (str(result), made, str(result))), filing, (stage, ("filing",)))
        source.rename(done / source.name)
        ended = "update job set state = 'done', finished = ? where id = ?"
        written(number, "done", (ended, (time.time(),)), (_BOOKED, ()))

    def job_in_turn(source: Path, result: Path) -> None:
        with baton.held():
            job(source, result)

    try:
        with _client(port) as client:
            yield job_in_turn
    finally:
        db.close()


# Both have the job's number as their last value, which they do not need.
_COUNTED = (
    "insert into setting select 'calls', '1' where ? > 0 on conflict do update set value = cast(value as integer) + 1"
)
_BOOKED = "insert into usage select '2026-11', 'hot', 0, 1, 0 where ? > 0 on conflict do update set calls = calls + 1"


@contextmanager
def _sendfile(port: int, _base: Path) -> Iterator[Job]:
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


BARE, PROMISING = "httpx, bare loop", "httpx, with promises"
LOOPS = {BARE: _httpx, PROMISING: _promising, "sendfile, bare loop": _sendfile}


def took(name: str, base: Path, port: int, count: int, content: bytes, pause: float = 0.0, workers: int = 1) -> Took:
    """Have `count` files of `content` done by `workers` of the loop `name`, which pause so many seconds after each."""
    base.mkdir(parents=True)
    sources = [base / f"{number:06}.pdf" for number in range(count)]
    for source in sources:
        source.write_bytes(content)
    with LOOPS[name](port, base) as job, ThreadPoolExecutor(workers) as threads:

        def one(source: Path) -> float:
            start = time.perf_counter()
            job(source, source.with_suffix(".md"))
            took = time.perf_counter() - start
            if pause:
                time.sleep(pause)
            return took * 1e3

        cpu, began = time.process_time(), time.perf_counter()
        each = list(threads.map(one, sources))
        seconds, cpu = time.perf_counter() - began, time.process_time() - cpu
    shutil.rmtree(base)
    return Took(each, seconds, cpu)
