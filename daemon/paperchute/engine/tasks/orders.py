"""Orders: one run of an operation, checked and ready for a worker, as plain data."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace

from paperchute.contract import Operation, Value, contract
from paperchute.engine.tasks.storage import Files
from paperchute.engine.work import FetchPolicy, Protecting, Source, Work


@dataclass(frozen=True)
class StoredFile:
    """An uploaded file: its form part, storage key, the name its sender gave it, and its kind by content."""

    part: str
    key: str
    name: str
    kind: str


@dataclass(frozen=True)
class Order:
    """What is to be done for one record. It names files by storage key, so workers may be on another machine.

    run, task: ids. name: of the source. parameters: canonical, defaults filled in, passwords readable. submitted: what
    was sent as JSON text, passwords masked. size: bytes of all files. language: of what is said about it. hosts: what
    the call may fetch from beside the engine's own list. protection: as `Work` has it.
    """

    run: str
    task: str
    operation: str
    name: str
    files: tuple[StoredFile, ...]
    parameters: Mapping[str, Value]
    submitted: str
    size: int
    language: str
    hosts: tuple[str, ...] = ()
    protection: Protecting = "keep"


def work_of(order: Order, files: Files, fetch: FetchPolicy) -> Work:
    """An order as an operation sees it, with its files where they lie."""
    return Work(
        order.operation,
        tuple(Source(file.part, files.path_of(file.key), file.name, file.kind) for file in order.files),
        order.parameters,
        files.scratch(order.task, order.run),
        replace(fetch, hosts=(*fetch.hosts, *order.hosts)),
        order.protection,
        order.language,
    )


def order_to_text(order: Order) -> str:
    """An order as JSON text. Passwords are never written to disk: the text names those that are left out."""
    secrets = _secrets(contract().operations[order.operation], order.parameters)
    kept = {name: value for name, value in order.parameters.items() if name not in secrets}
    return json.dumps({**asdict(order), "parameters": kept, "secrets": secrets}, ensure_ascii=False)


def order_from_text(text: str) -> Order | None:
    """The order of a text, or None when it had passwords, which are gone."""
    raw = json.loads(text)
    if raw.pop("secrets"):
        return None
    return Order(
        **{
            **raw,
            "files": tuple(StoredFile(**file) for file in raw["files"]),
            "hosts": tuple(raw.get("hosts", ())),
            "language": str(raw["language"]),  # a number in the orders of an older engine
        }
    )


def _secrets(operation: Operation, parameters: Mapping[str, Value]) -> list[str]:
    known = [parameter.name for parameter in operation.parameters if parameter.is_secret]
    return [name for name in known if parameters.get(name)]
