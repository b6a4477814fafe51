"""Several calls of one job at the same time."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def spread(work: Callable[[Item], Result], items: Sequence[Item], lanes: int) -> list[Result]:
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

    helpers = [threading.Thread(target=run, name="part", daemon=True) for _ in range(min(lanes, len(items)) - 1)]
    for helper in helpers:
        helper.start()
    run()
    for helper in helpers:
        helper.join()
    if failures:
        raise failures[0]
    return [results[number] for number in range(len(items))]
