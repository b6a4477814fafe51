"""The operations the engine can do: one module each, found by name.

A module is called after the contract id with underscores (`pdf_merge` for pdf-merge) and has

    def check(work: Work) -> None            optional: rules between parameters that the contract's types cannot say;
                                             runs in the server before the task is queued, so it reads no file
    IS_QUICK = True                          optional: see `Implementation`
    def run(work: Work) -> list[Path]        in a worker process: writes into work.folder, returns the outputs in order

Each output's file name is the name offered for download. Several outputs reach the client as one ZIP.
Both raise `Refused`; any other exception becomes code 02210.
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
from paperchute.engine.work import Refused, Work


@dataclass(frozen=True)
class Implementation:
    """The functions of one operation module. Importing the module is left to `implementation`, so it stays lazy."""

    check: Callable[[Work], None]
    run: Callable[[Work], list[Path]]
    is_quick: bool
    """Whether it moves pages about and reads nothing on them: it need not wait until heavy work has ended."""


@cache
def implemented() -> frozenset[str]:
    """Contract ids of the operations that have a module here, and what that needs."""
    names = (m.name.replace("_", "-") for m in pkgutil.iter_modules(__path__))
    return frozenset(name for name in names if not is_left_out(name))


@cache
def implementation(operation: str) -> Implementation:
    """The functions of an operation; raises Refused (03000) when this machine's engine does not do it."""
    if operation not in implemented():
        raise Refused("03000", not_done(operation))
    module = importlib.import_module(f"{__name__}.{operation.replace('-', '_')}")
    return Implementation(getattr(module, "check", _no_check), module.run, getattr(module, "IS_QUICK", False))


def is_quick(operation: str) -> bool:
    """`Implementation.is_quick`; False for what the engine does not do, as an earlier engine may have left it."""
    return operation in implemented() and implementation(operation).is_quick


def _no_check(work: Work) -> None:
    """For operations whose parameters need no rules between them."""
