"""One life of the daemon's inside, from its start until nothing is left to do: the parts are the real ones.

What watching would report at a start, namely everything complete in the hot folder, is taken in first, which is the
worst order there can be: before a job that a crash interrupted has gone on.
"""

from __future__ import annotations

import json
import os
import queue
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from loguru import logger

from paperchute.app.ended_jobs import EndedJobs
from paperchute.app.intake import Intake
from paperchute.app.rulebook import Rulebook
from paperchute.files.identity import key_of
from paperchute.files.names import is_temporary, natural_order
from paperchute.files.placement import remove_others
from paperchute.jobs import circuit
from paperchute.jobs.claims import Claims, node_of
from paperchute.jobs.dispatcher import Dispatcher
from paperchute.jobs.journal import Journal
from paperchute.jobs.runner import Runner
from paperchute.jobs.switchboard import Circuits
from paperchute.jobs.work import Settings
from paperchute.rules.model import Rule
from paperchute.rules.service_names import DEFAULT
from paperchute.rules.settings import RuleFile, ServiceSettings
from paperchute.rules.stored import rule_from_text
from paperchute.service.client import ServiceClient
from paperchute.service.model import ServiceAddress
from paperchute.watch.interface import Ready
from tests.crash.points import Tracer
from tests.halves import Unwatched
from tests.observers import Told

_PATIENCE_SECONDS = 120.0
_SHORT_BACK_OFF_SECONDS = 0.02
LANES = 2
"""Calls of one job that are at work at the same time."""

OVERDUE = 7
"""Exit code of a life that did not come to its end."""


@dataclass(frozen=True)
class Order:
    """What a life is given. rule: as `rule_to_text`. local: the service honours idempotency keys.

    poor: the file system knows neither hard links nor a rename that refuses an existing name.
    kill_at: a point, or None to live on. points: a file that gets the points passed, or None.
    """

    state: str
    rule: str
    url: str
    local: bool
    poor: bool = False
    kill_at: str | None = None
    points: str | None = None


def live(order: Order) -> int:
    """Live to the end or to `kill_at`. Returns the exit code."""
    circuit.BASE_SECONDS = _SHORT_BACK_OFF_SECONDS
    if order.poor:
        _forbid_links()
    state = Path(order.state)
    logger.remove()
    logger.add(state / "log", backtrace=False, diagnose=False)
    rule = rule_from_text(order.rule)
    tracer = Tracer(order.kill_at) if order.kill_at or order.points else None
    if tracer is None:
        code = _work(state, rule, order, lambda: None)
        return code or _work(state, rule, order, lambda: None)  # a start with nothing to do does nothing
    tracer.start()
    code = _work(state, rule, order, tracer.stop)
    if order.points:
        Path(order.points).write_text(json.dumps(tracer.seen), "utf-8")
    return code


def _work(state: Path, rule: Rule, order: Order, started: Callable[[], None]) -> int:
    """As `Daemon` does it, but for watching and the other Paperchutes. started: told when all threads run."""
    journal = Journal(state / "journal.sqlite", owner=True)
    client = ServiceClient(ServiceAddress(order.url, "key", order.local))
    events = Told()
    circuits = Circuits(events, lambda: (DEFAULT,))
    settings = Settings(state / "work", workers=1, lanes=LANES)
    runner = Runner(journal, lambda name: client, settings, events)
    dispatcher = Dispatcher(journal, runner, circuits, settings, events)
    claims = Claims(node_of(journal))
    rulebook = Rulebook(RuleFile(state / "rules.toml", ServiceSettings(), (rule,)), events)
    watcher = Unwatched()
    taking = Intake(journal, claims, rulebook, watcher, queue.Queue(), events, dispatcher.rests)
    ended = EndedJobs(dispatcher.outcomes, journal, claims, watcher, taking)
    remove_others(state / "work", journal.queries.open_tokens())
    taking.start()
    turn = Ready(state, state / "nothing", (), is_set=True)  # no rule's folder: looked at in its turn, and let go
    _report(taking, turn)  # what a crash left claimed is back by then
    _report(taking, *_found(rule))
    _report(taking, turn)  # what is shared is claimed by then
    while not taking.idle():
        time.sleep(0.005)  # sets that are about to be whole
    dispatcher.start()
    started()
    while journal.queries.has_open_jobs():
        try:
            outcome = dispatcher.outcomes.get(timeout=_PATIENCE_SECONDS)
        except queue.Empty:
            return OVERDUE
        if rule.shared:
            ended.release(outcome)
    dispatcher.stop(_PATIENCE_SECONDS)
    taking.stop(_PATIENCE_SECONDS)
    client.close()
    journal.close()
    return 0


def _report(to: Intake, *items: Ready) -> None:
    for item in items:
        to.ready.put(item)
    to.ready.join()


def _found(rule: Rule) -> list[Ready]:
    """What lies complete in the hot folder."""
    found = []
    for path in natural_order(p for p in rule.folder.iterdir() if not is_temporary(p.name)):
        files = natural_order(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]
        members = tuple((p, key) for p in files if (key := key_of(p)) is not None)
        if members:
            found.append(Ready(rule.folder, path, members, is_set=path.is_dir()))
    return found


def _forbid_links() -> None:
    """Make this process's files look as on a share without hard links and without an exclusive rename."""
    import errno

    from paperchute.files import placement

    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.ENOTSUP, os.strerror(errno.ENOTSUP))

    placement._native_exclusive = refuse
    os.link = refuse
