"""What all lines of the log on one run say of it, and the trace that its spans belong to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from loguru import logger

from paperchute import telemetry
from paperchute.engine.tasks.task import Order


@contextmanager
def trail(order: Order, attempt: int, caller: str) -> Iterator[None]:
    """Within, lines and spans are about this order.

    attempt: the how manieth time it is begun, from 1. caller: the name of the API key that it came with.
    """
    with (
        telemetry.following(order.trace),
        logger.contextualize(
            task=order.task,
            run=order.run,
            operation=order.operation,
            attempt=attempt,
            caller=caller,
            trace_id=order.trace and telemetry.trace_id(),
        ),
    ):
        yield
