"""Clients that each ask for one document after the other and fetch its result."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import httpx
from tests.engine.service.running import KEY

from benchmarks.pages.documents import paper

_PATIENCE = 120.0


@dataclass(frozen=True)
class Call:
    """path: of the operation, after `/v2/process/`. files: what is uploaded."""

    path: str
    files: tuple[bytes, ...]


def merge(folder: Path) -> Call:
    """Two PDFs of one page into one: quick page work."""
    return Call("pdf/merge", tuple(paper(folder / f"{seed}.pdf", 1, seed).read_bytes() for seed in (1, 2)))


def markdown(folder: Path) -> Call:
    """A PDF of one page read: heavy work."""
    return Call("pdf/markdown", (paper(folder / "read.pdf", 1, 3).read_bytes(),))


def made(url: str, call: Call, count: int, clients: int) -> list[float]:
    """The seconds of each of `count` calls by as many clients. Raises RuntimeError for one that failed."""
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=clients)
    with (
        httpx.Client(
            base_url=url, headers={"x-api-key": KEY}, timeout=_PATIENCE, limits=limits, verify=False
        ) as asking,
        httpx.Client(timeout=_PATIENCE, limits=limits, verify=False, follow_redirects=True) as fetching,
        ThreadPoolExecutor(clients) as pool,
    ):
        return list(pool.map(lambda _: _made(asking, fetching, call), range(count)))


def _made(asking: httpx.Client, fetching: httpx.Client, call: Call) -> float:
    begun = time.perf_counter()
    files = [("file", ("paper.pdf", content)) for content in call.files]
    answer = asking.post(f"/v2/process/{call.path}", files=files)
    if answer.status_code != 200:
        raise RuntimeError(f"{call.path}: {answer.text}")
    data = answer.json()["data"]
    record = data[0] if isinstance(data, list) else data
    if record["status"] != "success":
        raise RuntimeError(f"{call.path}: {record}")
    result = fetching.get(record["downloadUrl"])
    if result.status_code != 200 or len(result.content) != record["convertSize"]:
        raise RuntimeError(f"{call.path}: the result did not come ({result.status_code})")
    return time.perf_counter() - begun
