"""What the page shows of the moment, as JSON's values: what runs, what waits, the hot folders, and what is wrong."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from paperchute.app.daemon import Daemon
from paperchute.app.first_rules import ON_PAGE
from paperchute.app.reasons import told_of_address, told_of_reason, told_of_service
from paperchute.app.selection import hot_folders
from paperchute.app.tally import Running
from paperchute.desktop.menu import headline
from paperchute.events import Status
from paperchute.language import _
from paperchute.page.controls import Controls
from paperchute.rules.service_names import BUILT_IN, DEFAULT

_THROUGHPUT_SECONDS = 3600.0
"""Of which ended jobs are counted for each folder."""
_LATEST = 8


def picture(daemon: Daemon, running: Sequence[Running], controls: Controls | None = None) -> dict[str, Any]:
    """The present picture. Any thread may ask; it takes some milliseconds."""
    told = daemon.told
    shown = daemon.status()  # what was told last may be some seconds old
    return {
        "headline": headline(shown),
        "activity": shown.activity,
        "paused": shown.activity == "paused",
        "done": shown.done,
        "total": shown.total,
        "running": [
            {
                "job": one.job,
                "name": one.name,
                "rule": one.rule,
                "operation": one.operation,
                "service": one.service,
                "step": one.step,
                "steps": one.steps,
                "seconds": round(time.time() - one.since),
                "done": one.pages_done,
                "pages": one.pages,
            }
            for one in running
        ],
        "waiting": _waiting(told),
        "folders": _folders(daemon),
        "results": [
            {"name": path.name, "folder": str(path.parent), "job": job} for job, path in shown.results[:_LATEST]
        ],
        "attention": shown.attention,
        "needs": _mark(shown, told),
        "services": [_service(one, told) for one in told.get("services", [{}])],
        "first": _offers(daemon),
        "starts": controls.starts() if controls else None,
        "quits": controls is not None,
    }


def _offers(daemon: Daemon) -> list[Mapping[str, Any]]:
    """The rules to choose from, for who has no rule file yet."""
    if daemon.rules.rules or daemon.rules.path.exists():
        return []
    home = Path("~/Hot")
    return [
        {"name": one.name, "title": _(one.rule["name"]), "about": _(one.about, folder=(home / one.name).as_posix())}
        for one in ON_PAGE
    ]


def _mark(status: Status, told: Mapping[str, Any]) -> str:
    """Another one whenever `page.needs` has something else to say.

    That answers with what was told last, which may be older than the status; by the status alone a page that asked
    in between would keep the old answer for good.
    """
    parts = [told.get(name) for name in ("rules", "troubles", "unwanted", "untaken")]
    said = (status.attention, status.failures, status.warned, status.troubles, status.untaken, parts)
    return hashlib.sha256(repr(said).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _waiting(told: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return what is not taken or does not run yet, and why; of what is tried again, when."""
    settling = [
        {"name": Path(one["path"]).name, "why": told_of_reason(one["reason"]), "seconds": one["seconds"]}
        for one in told.get("settling", ())
    ]
    again = [{"name": one["rule"], "why": one["told"]} for one in told.get("waiting", ())]
    later = told.get("postponed", {}).get("told", "")
    due = [{"name": one["rule"], "why": one["told"]} for one in told.get("upcoming", ())]
    return [*settling, *again, *([{"name": "", "why": later}] if later else []), *due]


def _service(service: Mapping[str, Any], told: Mapping[str, Any]) -> Mapping[str, Any]:
    waiting = told.get("waiting", ())
    return {
        "name": name if (name := service.get("name", "")) not in (BUILT_IN, DEFAULT) else "",
        "address": told_of_address(service.get("base_url", "")),
        "answers": service.get("state", "closed") == "closed" and not any(one["service"] for one in waiting),
        "message": told_of_service(service, waiting),
        "calls": service.get("calls_this_month", 0),
        "most": service.get("monthly_calls"),
    }


def takes_folders(daemon: Daemon, folder: Path) -> bool:
    """Decide whether a rule of a hot folder takes what lies in its sub-folders, as a set or file by file."""
    return any(hot.path == folder and (hot.gather or hot.recursive) for hot in hot_folders(daemon.rules.rules))


def _folders(daemon: Daemon) -> list[Mapping[str, Any]]:
    """The hot folders in the order of their rules, with what waits in each and what was done in the last hour."""
    left, done = daemon.journal.queries.by_folder(time.time() - _THROUGHPUT_SECONDS)
    rules: dict[Path, list[str]] = {}
    for rule in daemon.rules.rules:
        if rule.enabled:
            rules.setdefault(rule.folder, []).append(rule.name)
    return [
        {
            "id": folder_id(folder),
            "name": folder.name,
            "rules": names,
            "left": left.get(folder, 0),
            "done": done.get(folder, 0),
            "sets": takes_folders(daemon, folder),
        }
        for folder, names in rules.items()
    ]


def folder_id(folder: Path) -> str:
    """Names a hot folder in an address, whatever characters are in its path."""
    return hashlib.sha256(os.fsencode(folder)).hexdigest()[:16]
