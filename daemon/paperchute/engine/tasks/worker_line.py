"""What an engine and its worker processes say to each other: a line of JSON each, over the worker's pipes."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from paperchute.engine.html.fetch import Fetched, FetchForbidden, FetchRefused, follow
from paperchute.engine.work import FetchPolicy, Source, Work
from paperchute.language import _

INPUTS, SCRATCH = "in", "out"  # in the worker's folder: what it may read, and where it may write
OWN = "own"  # there too: what libraries keep from one task to the next
_MOST_FETCHES = 2_100  # a document may ask for 2,000 files; a template and its page for some more
_MOST_BYTES = 320 << 20  # and for 256 MB; the last of them may be 32 MB too much


def work_to_json(work: Work) -> str:
    """One line that `work_from_json` reads back."""
    return json.dumps(
        {
            "operation": work.operation,
            "sources": [[s.part, str(s.path), s.name, s.kind] for s in work.sources],
            "parameters": dict(work.parameters),
            "folder": str(work.folder),
            "hosts": list(work.fetch.hosts),
            "protection": work.protection,
            "inner": list(work.fetch.inner),
            "language": work.language,
            "broken": work.broken,
        }
    )


def work_from_json(line: str) -> Work:
    """The work of one line."""
    raw = json.loads(line)
    return Work(
        raw["operation"],
        tuple(Source(part, Path(path), name, kind) for part, path, name, kind in raw["sources"]),
        raw["parameters"],
        Path(raw["folder"]),
        FetchPolicy(tuple(raw["hosts"]), tuple(raw["inner"])),
        raw["protection"],
        raw["language"],
        raw["broken"],
    )


class Broker:
    """The engine's end, for one task."""

    def __init__(self, policy: FetchPolicy) -> None:
        self._policy = policy
        self._fetches = self._bytes = 0

    def answer(self, url: object) -> str:
        """The line that answers a worker's wish. Never raises."""
        try:
            content, kind, address = self._fetched(str(url))
        except FetchRefused as error:
            return json.dumps({"refused": str(error), "for_good": isinstance(error, FetchForbidden)})
        return json.dumps({"content": base64.b64encode(content).decode("ascii"), "kind": kind, "address": address})

    def _fetched(self, url: str) -> Fetched:
        self._fetches += 1
        if self._fetches > _MOST_FETCHES or self._bytes > _MOST_BYTES:
            raise FetchRefused(_("the task has fetched too much"))
        content, kind, address = follow(url, self._policy)
        self._bytes += len(content)
        return content, kind, address


def asking(ask: Callable[[dict[str, Any]], str]) -> Callable[[str], Fetched]:
    """The worker's end: how it fetches, where `ask` says something to the engine and gives back its answer."""

    def fetched(url: str) -> Fetched:
        answer = json.loads(ask({"fetch": url}))
        if "refused" in answer:
            raise (FetchForbidden if answer["for_good"] else FetchRefused)(answer["refused"])
        return base64.b64decode(answer["content"]), answer["kind"], answer["address"]

    return fetched


def too_much_memory(most: int) -> dict[str, Any]:
    """Return what is answered for a document that needs more than `most` bytes."""
    megabytes = most >> 20
    return failure(
        _("the document needs more than the {megabytes} MB of memory that a task may have", megabytes=megabytes),
    )


def failure(reason: str, trace: str = "") -> dict[str, Any]:
    """Return what is answered for a document that could not be worked on. trace: for the log."""
    return {"code": "02210", "reason": reason, "trace": trace}
