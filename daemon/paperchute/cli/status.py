"""The verb `status`: what the daemon does now, or what waits while none runs."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import typer

from paperchute.app.reasons import told_of_reason
from paperchute.cli.context import AsJson, Context, given, say, say_json
from paperchute.jobs.overview import Overview, overview, told_of_state


def add_to(app: typer.Typer) -> None:
    """Put this verb on the command line."""
    app.command()(status)


def status(context: typer.Context, as_json: AsJson = False) -> None:
    """Say what the daemon is doing, and what is wrong."""
    now = read_status(given(context))
    if as_json:
        say_json(now)
        return
    if not now["running"]:
        say("Paperchute is not running.")
        for why in now["waits"]:
            say(f"  {why}")
    else:
        what = "paused" if now["paused"] else "running"
        say(f"Paperchute is {what} (process {now['pid']}) with {now['rules']['path']}.")
        service = now["service"]
        answer = "answers" if service["state"] == "closed" else service["message"]
        say(f"Service: {service['base_url']}: {answer}")
        if service["monthly_calls"] is not None:
            say(f"  {service['calls_this_month']} of {service['monthly_calls']} calls of this month are used.")
        for asset in service["assets"]:
            say(f"  {asset['name']}: {asset['left']} units left, {asset['held']} held by running tasks")
        for running in now["now"]:
            pages = f", {running['pages_done']} of {running['pages']} pages done" if running["pages"] else ""
            step = f"({running['step']} of {running['steps']})"
            say(f"  now: {running['name']}: {running['operation']} {step}{pages}")
        for waiting in now["settling"]:
            why = told_of_reason(waiting["reason"])
            say(f"  not taken yet: {waiting['path']}: {why} ({waiting['seconds']} s)")
        for job in now.get("warned", ()):
            for sentence in job["warnings"]:
                say(f"  done with warnings: {job['path']}: {sentence}")
        for left in now["untaken"]:
            say(f"  no rule takes {left['path']}: {left['reason']}")
        for coming in now["upcoming"]:
            say(f"  next: {coming['rule']} on {coming['told']}")
        if now["postponed"]["jobs"]:
            say(f"  {now['postponed']['told']}")
    say("Jobs: " + ", ".join(f"{n} {told_of_state(state)}" for state, n in now["jobs"].items()))
    for sentence in now["troubles"]:
        say(f"  ! {sentence}")


def read_status(context: Context) -> dict[str, Any]:
    """The running daemon's own status, or what the journal says while none runs."""
    if context.state.locked() and context.state.status.exists():
        found: dict[str, Any] = json.loads(context.state.status.read_text("utf-8"))
        return found
    found_now = _overview(context.state.journal)
    return {"running": False, "jobs": found_now.counts, "troubles": [], "waits": found_now.waits()}


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
