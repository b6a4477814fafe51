"""Calls of one step side by side, on a few threads."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TypeVar

from paperchute.baton import baton

Given = TypeVar("Given")
Result = TypeVar("Result")


def in_parallel(work: Callable[[Given], Result], items: Sequence[Given], lanes: int) -> list[Result]:
    """`work` of every item, on up to `lanes` threads of which the caller's is one; the results in the items' order.

    After a failure nothing more is begun, and once what runs has ended the first failure is raised. The threads are
    daemons: what a job has not finished when the process ends goes on at the next start.
    """
    results: dict[int, Result] = {}
    failures: list[BaseException] = []
    numbers = iter(range(len(items)))
    choose = threading.Lock()

    def run() -> None:
        while not failures:
            with choose:
                number = next(numbers, None)
            if number is None:
                return
            try:
                results[number] = work(items[number])
            except BaseException as error:  # noqa: BLE001 -- raised by the caller's thread
                failures.append(error)

    def help_out() -> None:
        with baton.held():
            run()

    helpers = [threading.Thread(target=help_out, name="part", daemon=True) for _ in range(min(lanes, len(items)) - 1)]
    for helper in helpers:
        helper.start()
    run()
    with baton.handed_on():
        for helper in helpers:
            helper.join()
    if failures:
        raise failures[0]
    return [results[number] for number in range(len(items))]
