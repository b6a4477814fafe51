"""The operations the engine can do: one module each, found by name.

A module is called after the contract id with underscores (`pdf_merge` for pdf-merge) and has

    def run(work: Work) -> list[Path]        in a worker process: writes into work.folder, returns the outputs in order

Each output's file name is the name offered for download. Several outputs reach the client as one ZIP.
`run` raises `Refused`; any other exception becomes code 02210. What is checked before is in `engine/checks/`.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from paperchute.contract.built_in import not_done
from paperchute.contract.engine_libraries import is_left_out
from paperchute.engine.checks import CHECKS
from paperchute.engine.work import Refused, Work

QUICK = {
    *("pdf-decrypt", "pdf-delete", "pdf-encrypt", "pdf-extract", "pdf-insert", "pdf-merge"),
    *("pdf-metadata", "pdf-reorder"),
    *("pdf-rotate", "pdf-split"),
}
"""Those that move pages about and read nothing on them: they need not wait until heavy work has ended."""


@dataclass(frozen=True)
class Implementation:
    """What is done of an operation in the server, and what in a worker."""

    operation: str

    def check(self, work: Work) -> None:
        """Before the task is queued. Raises Refused."""
        if self.operation in CHECKS:
            CHECKS[self.operation](work)

    @property
    def run(self) -> Callable[[Work], list[Path]]:
        """The function of the operation's module, which is loaded for it, with the libraries that it works with."""
        name = f"{__name__}.{self.operation.replace('-', '_')}"
        function: Callable[[Work], list[Path]] = importlib.import_module(name).run
        return function


@cache
def implemented() -> frozenset[str]:
    """Contract ids of the operations that have a module here, and what that needs."""
    names = (m.name.replace("_", "-") for m in pkgutil.iter_modules(__path__))
    return frozenset(name for name in names if not is_left_out(name))


def implementation(operation: str) -> Implementation:
    """The functions of an operation; raises Refused (03000) when this machine's engine does not do it."""
    if operation not in implemented():
        raise Refused("03000", not_done(operation))
    return Implementation(operation)


def is_quick(operation: str) -> bool:
    """Decide whether it is one of `QUICK`."""
    return operation in QUICK
