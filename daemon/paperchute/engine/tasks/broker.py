"""What a worker asks of the engine while it works: to fetch an address for it. Both ends of the talk, a line each way.

The engine trusts no worker: it goes by the task's own policy, and by limits of its own.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any

from paperchute.engine.html.fetch import Fetched, FetchForbidden, FetchRefused, follow
from paperchute.engine.work import FetchPolicy
from paperchute.language import _

_MOST_FETCHES = 2_100  # a document may ask for 2,000 files; a template and its page for some more
_MOST_BYTES = 320 << 20  # and for 256 MB; the last of them may be 32 MB too much


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
