"""The verb `status`: what the daemon does now, or what waits while none runs."""

from __future__ import annotations

import contextlib
import json
import sqlite3
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import typer

from paperchute.app.reasons import EMBEDDED, told_of_address, told_of_reason, told_of_service
from paperchute.cli.context import AsJson, Context, given, say, say_json
from paperchute.jobs.overview import Overview, overview, told_of_count
from paperchute.language import _, ngettext

_OLD_SECONDS = 40.0
"""Of the daemon's own word: it says one each ten seconds at least, and later where the machine is hard at work."""


def add_to(app: typer.Typer) -> None:
    """Put this verb on the command line."""
    app.command()(status)


def status(context: typer.Context, as_json: AsJson = False) -> None:
    """Say what the daemon is doing, and what is wrong."""
    now = read_status(given(context))
    if as_json:
        say_json(now)
        return
    if now["running"]:
        _say_running(now)
    else:
        say(_("Paperchute is not running."))
        for why in now["waits"]:
            say(f"  {why}")
    counts = ", ".join(told_of_count(state, n) for state, n in now["jobs"].items())
    say(_("Jobs: {counts}", counts=counts))
    for sentence in _other_troubles(now):
        say(f"  ! {sentence}")


def _say_running(now: Mapping[str, Any]) -> None:
    process, path = now["pid"], now["rules"]["path"]
    if now["paused"]:
        say(_("Paperchute is paused (process {process}) with {path}.", process=process, path=path))
    else:
        say(_("Paperchute is running (process {process}) with {path}.", process=process, path=path))
    if now["rules"].get("broken"):
        say("  ! " + _("The rule file has mistakes, so the previous rules stay in force:"))
        for line in now["rules"]["errors"]:
            say(f"    {line}")
    services = now.get("services") or [now["service"]]
    for service in services:
        _say_service(service, now.get("waiting", ()), is_one_of=len(services) > 1)
    for running in now["now"]:
        _say_job(running)
    for waiting in now["settling"]:
        why = told_of_reason(waiting["reason"])
        say(
            "  "
            + _("not taken yet: {path}: {why} ({seconds} s)", path=waiting["path"], why=why, seconds=waiting["seconds"])
        )
    for job in now.get("warned", ()):
        for sentence in job["warnings"]:
            say("  " + _("done with warnings: {path}: {sentence}", path=job["path"], sentence=sentence))
    for left in now["untaken"]:
        say("  " + _("no rule takes {path}: {reason}", path=left["path"], reason=left["reason"]))
    for one in now.get("unwanted", ()):
        say("  " + one["told"])
    if expired := now.get("expired_this_month"):
        say(
            "  "
            + ngettext(
                "{n} original went to the trash this month, as `keep_done` says",
                "{n} originals went to the trash this month, as `keep_done` says",
                expired,
            )
        )
    for coming in now["upcoming"]:
        say("  " + _("next: {rule} on {time}", rule=coming["rule"], time=coming["told"]))
    if now["postponed"]["jobs"]:
        say(f"  {now['postponed']['told']}")
    for one in now.get("waiting", ()):
        say(f"  {one['told']}")


def _say_service(service: Mapping[str, Any], waiting: Sequence[Mapping[str, Any]], *, is_one_of: bool) -> None:
    answer, address = told_of_service(service, waiting), told_of_address(service["base_url"])
    if is_one_of and service["base_url"] != EMBEDDED:
        said = _("Service {name}: {address}: {answer}", name=service["name"], address=address, answer=answer)
    else:
        said = _("Service: {address}: {answer}", address=address, answer=answer)
    say(said)
    if service["monthly_calls"] is not None:
        used, most = service["calls_this_month"], service["monthly_calls"]
        say("  " + _("{used} of this month's {most} calls are used.", used=used, most=most))
    for asset in service["assets"]:
        name, left, held = asset["name"], asset["left"], asset["held"]
        say("  " + _("{name}: {left} units left, {held} held by running tasks", name=name, left=left, held=held))


def _say_job(running: Mapping[str, Any]) -> None:
    line = _(
        "now: {name}: {operation} ({step} of {steps})",
        name=running["name"],
        operation=running["operation"],
        step=running["step"],
        steps=running["steps"],
    )
    done, pages = running["pages_done"], running["pages"]
    say(f"  {line}" + (", " + _("{done} of {pages} pages done", done=done, pages=pages) if pages else ""))


def _other_troubles(now: Mapping[str, Any]) -> list[str]:
    """The sentences that were not said of the rule file already."""
    rules = now.get("rules", {})
    if not rules.get("broken"):
        return list(now["troubles"])
    return [sentence for sentence in now["troubles"][1:] if sentence not in rules["errors"]]


def read_status(context: Context) -> dict[str, Any]:
    """The running daemon's own status, or what the journal says while none runs."""
    if context.state.locked() and context.state.status.exists():
        with contextlib.suppress(OSError, ValueError):  # it is gone by now, or somebody has put another in its place
            found: dict[str, Any] = json.loads(context.state.status.read_text("utf-8"))
            return _with_age(found, time.time() - context.state.status.stat().st_mtime)
    found_now = _overview(context.state.journal)
    counts = dict(found_now.counts)
    counts["queued"] += counts["running"]  # what was cut off goes on at the next start
    counts["running"] = 0
    return {"running": False, "jobs": counts, "troubles": [], "waits": found_now.waits()}


def _with_age(found: dict[str, Any], seconds: float) -> dict[str, Any]:
    """With a sentence where the daemon has said nothing for long."""
    if seconds > _OLD_SECONDS:
        old = _(
            "This is {seconds} s old: the disk of the state folder is full or not there, or Paperchute has"
            " stopped responding.",
            seconds=round(seconds),
        )
        found["troubles"] = [*found["troubles"], old]
    return found


def _overview(journal: Path) -> Overview:
    if not journal.exists():
        return Overview()
    try:
        return overview(journal)
    except sqlite3.Error:
        from paperchute.app.log import clean_log
        from paperchute.jobs.journal import Journal

        clean_log()
        Journal(journal).close()  # brings one of an older release up to date; of a broken one it says so
        return overview(journal)
