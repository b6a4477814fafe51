"""What a task could not do as it was asked though it succeeds: sentences that reach its record as `warnings`."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

MOST = 20
"""Sentences in one record: a person reads the first few, and the client takes no more."""

_lock = threading.Lock()
_collecting: list[list[tuple[str, str]]] = []


def warn(text: str, text_zh: str = "") -> None:
    """Say of the task at work what it left out or did otherwise, on any thread. The same sentence counts once.

    Args:
        text: One sentence in English that names the page, sheet or file it is about. Never holds a secret.
        text_zh: The same in Chinese; empty where it was not written, and the English one stands for it.
    """
    with _lock:
        for found in _collecting:
            if (text, text_zh) not in found and len(found) < MOST:
                found.append((text, text_zh))


@contextmanager
def collected() -> Iterator[list[tuple[str, str]]]:
    """The sentences said within the block, in English and Chinese, in order."""
    found: list[tuple[str, str]] = []
    _collecting.append(found)
    try:
        yield found
    finally:
        _collecting.remove(found)
