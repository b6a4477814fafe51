"""The verb `status`: what the daemon does now, or what waits while none runs."""

from __future__ import annotations

import json
from typing import Any

import typer

from paperchute.app.status import REASONS, job_counts, waits
from paperchute.cli.context import AsJson, Context, given, out, say_json
from paperchute.jobs.journal import Journal
from paperchute.jobs.records import STATE_WORDS


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
        out.print("Paperchute is not running.")
        for why in now["waits"]:
            out.print(f"  {why}")
    else:
        what = "paused" if now["paused"] else "running"
        out.print(f"Paperchute is {what} (process {now['pid']}) with {now['rules']['path']}.")
        service = now["service"]
        answer = "answers" if service["state"] == "closed" else service["message"]
        out.print(f"Service: {service['base_url']}: {answer}")
        if service["monthly_calls"] is not None:
            out.print(f"  {service['calls_this_month']} of {service['monthly_calls']} calls of this month are used.")
        for asset in service["assets"]:
            out.print(f"  {asset['name']}: {asset['left']} units left, {asset['held']} held by running tasks")
        for running in now["now"]:
            pages = f", {running['pages_done']} of {running['pages']} pages done" if running["pages"] else ""
            step = f"({running['step']} of {running['steps']})"
            out.print(f"  now: {running['name']}: {running['operation']} {step}{pages}")
        for waiting in now["settling"]:
            why = REASONS.get(waiting["reason"], waiting["reason"])
            out.print(f"  not taken yet: {waiting['path']}: {why} ({waiting['seconds']} s)")
        for job in now.get("warned", ()):
            for sentence in job["warnings"]:
                out.print(f"  done with warnings: {job['path']}: {sentence}")
        for left in now["untaken"]:
            out.print(f"  no rule takes {left['path']}: {left['reason']}")
        for coming in now["upcoming"]:
            out.print(f"  next: {coming['rule']} on {coming['told']}")
        if now["postponed"]["jobs"]:
            out.print(f"  {now['postponed']['told']}")
    out.print("Jobs: " + ", ".join(f"{n} {STATE_WORDS.get(state, state)}" for state, n in now["jobs"].items()))
    for sentence in now["troubles"]:
        out.print(f"  ! {sentence}")


def read_status(context: Context) -> dict[str, Any]:
    """The running daemon's own status, or what the journal says while none runs."""
    if context.state.locked() and context.state.status.exists():
        found: dict[str, Any] = json.loads(context.state.status.read_text("utf-8"))
        return found
    if not context.state.journal.exists():
        return {"running": False, "jobs": job_counts({}), "troubles": [], "waits": []}
    journal = Journal(context.state.journal)
    try:
        counts = job_counts(dict(journal.counts().by_state))
        return {"running": False, "jobs": counts, "troubles": [], "waits": waits(journal)}
    finally:
        journal.close()
