"""Work that must come to an end."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

_T = TypeVar("_T")
_LONG = 120.0  # seconds: the end of a hang, not a measure


def ends(work: Callable[[], _T]) -> _T:
    """Do `work`; where it would go on for ever, the test fails instead of hanging. Gives and raises what it does."""
    given: list[_T] = []
    raised: list[BaseException] = []

    def do() -> None:
        try:
            given.append(work())
        except BaseException as error:  # noqa: BLE001 - handed on below
            raised.append(error)

    thread = threading.Thread(target=do, daemon=True)
    thread.start()
    thread.join(_LONG)
    assert not thread.is_alive(), "it does not end"
    if raised:
        raise raised[0]
    return given[0]
