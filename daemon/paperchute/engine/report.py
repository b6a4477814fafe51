"""What a task at work reports: how far it is, how it was done, and what it could not do as it was asked."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from paperchute.contract.questions import Question

MOST = 20
"""Sentences in one record: a person reads the first few, and the client takes no more."""

LONGEST = 2_000
"""Characters of one sentence: names in a document, which it may quote, can be megabytes long."""

Item = TypeVar("Item")

_lock = threading.Lock()
_collecting: list[list[str]] = []
_noting: list[list[str]] = []
_asking: list[list[Question]] = []


def warn(text: str) -> None:
    """Say of the task at work what it left out or did otherwise, on any thread. The same sentence counts once.

    Args:
        text: One sentence, in the client's language, that names the page, sheet or file it is about. Never holds a
            secret.
    """
    _say(text, _collecting)


def note(text: str) -> None:
    """Say of the task at work how it was done, where nothing is missing; else as `warn`."""
    _say(text, _noting)


def ask(question: Question) -> None:
    """Ask a person for what the task at work could not tell for sure; the result is made without the answer."""
    with _lock:
        for found in _asking:
            if question not in found:
                found.append(question)


def shortened(text: str) -> str:
    """A sentence of bounded length."""
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def _say(text: str, listening: list[list[str]]) -> None:
    text = shortened(text)
    with _lock:
        for found in listening:
            if text not in found and len(found) < MOST:
                found.append(text)


@contextmanager
def collected() -> Iterator[list[str]]:
    """The warnings said within the block, in order."""
    with _heard(_collecting) as found:
        yield found


@contextmanager
def noted() -> Iterator[list[str]]:
    """The notes said within the block, in order."""
    with _heard(_noting) as found:
        yield found


@contextmanager
def asked() -> Iterator[list[Question]]:
    """The questions asked within the block, in order."""
    with _heard(_asking) as found:
        yield found


@contextmanager
def apart() -> Iterator[list[str]]:
    """The warnings said within the block, which nobody else hears, nor its notes: they are about a part of the task."""
    others = [(heard, heard[:]) for heard in (_collecting, _noting)]
    found: list[str] = []
    _collecting[:], _noting[:] = [found], []
    try:
        yield found
    finally:
        for heard, before in others:
            heard[:] = before


@contextmanager
def _heard(listening: list[list[Item]]) -> Iterator[list[Item]]:
    found: list[Item] = []
    listening.append(found)
    try:
        yield found
    finally:
        # By identity: two lists that say the same are equal.
        listening[:] = [one for one in listening if one is not found]


_SECONDS = 0.25
"""Between two reports: faces are redrawn no faster."""

Told = Callable[[int, int], None]
"""Told while something is worked on: how many pages are done, and how many there are in all."""


_listeners: list[Told] = []
_watchers: list[Callable[[str], None]] = []
_handled = [1]


def listen(told: Told | None, loads: Callable[[str], None] | None = None) -> None:
    """Whom to tell from now on; None for nobody. Worker processes set this before they begin with a task.

    loads: told the names of `loading`.
    """
    _listeners[:] = [] if told is None else [told]
    _watchers[:] = [] if loads is None else [loads]
    _handled[0] = 1


def is_heard() -> bool:
    """Tell whether somebody hears what is being loaded, and goes on should that end the process."""
    return bool(_watchers)


@contextmanager
def loading(name: str) -> Iterator[None]:
    """Tell which trained data is being loaded: should the process end within the block, it was no document's fault."""
    for loads in _watchers:
        loads(name)
    try:
        yield
    finally:
        for loads in _watchers:
            loads("")


def handles(pages: int) -> None:
    """Say that the task at work has so many pages in hand. What it costs is the most that it says, one at least."""
    _handled[0] = max(_handled[0], pages)


def handled() -> int:
    """How many pages the task at work has had in hand."""
    return _handled[0]


def counted(pages: Iterable[Item], total: int) -> Iterator[Item]:
    """The pages as they are; each counts as done when the next one is asked for."""
    latest = -_SECONDS
    handles(total)
    for done, page in enumerate(pages):
        now = time.monotonic()
        if now - latest >= _SECONDS:
            latest = now
            for told in _listeners:
                told(done, total)
        yield page
