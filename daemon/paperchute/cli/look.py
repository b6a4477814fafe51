"""Verbs that only look: check, explain, status, jobs, operations."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, get_args

import typer
from rich.table import Table

from paperchute.app.board import REASONS, job_counts, waits
from paperchute.app.facts import FactReader
from paperchute.cli.context import EXIT_WRONG, Context, given, out, say_json
from paperchute.contract import Operation, Parameter, contract
from paperchute.contract.built_in import OPERATIONS
from paperchute.errors import PaperchuteError
from paperchute.files.identity import key_of
from paperchute.jobs.journal import Journal
from paperchute.jobs.model import STATE_WORDS, Job, State
from paperchute.rules.explain import asked_of, unit
from paperchute.rules.explain import explain as explain_file
from paperchute.rules.match import FileFacts, Need, needs
from paperchute.rules.problems import told, warned
from paperchute.rules.requirements import OF_PROCESS, folders_to_be_made, missing, missing_secrets, open_to_others

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON (docs/cli.md describes it).")]


def add_to(app: typer.Typer) -> None:
    """Put these verbs on the command line."""
    for verb in (check, explain, status, jobs, operations):
        app.command()(verb)


def check(context: typer.Context) -> None:
    """Check the rule file and list everything wrong with it, and what looks like a mistake."""
    rules = given(context).rules()
    mistakes = missing(rules)
    odd = [*folders_to_be_made(rules), *missing_secrets(rules, [OF_PROCESS]), *open_to_others(rules.path)]
    warnings = [*rules.warnings, *odd]
    good = "no mistakes, but look at the warnings below" if warnings else "all good"
    if mistakes:
        good = "not all of them can work; see below"
    out.print(f"{rules.path}: {len(rules.rules)} {'rule' if len(rules.rules) == 1 else 'rules'}, {good}.")
    for rule in rules.rules:
        steps = " -> ".join(step.operation for step in rule.steps)
        out.print(f"  {rule.name}: {rule.folder}  {steps}{'' if rule.enabled else '  (off)'}")
    for warning in warnings:
        out.print(f"{rules.path}:{warned(warning)}")
    for mistake in mistakes:
        out.print(f"{rules.path}:{told(mistake)}")
    if mistakes:
        raise typer.Exit(EXIT_WRONG)


def explain(context: typer.Context, file: Path) -> None:
    """Say for FILE which rule would take it, and why the others would not."""
    rules, path = given(context).rules(), file.expanduser().absolute()
    key = key_of(path)
    with FactReader() as reader:
        asked = asked_of(rules.rules, path)
        need: set[Need] = {"pages", *needs(asked)}
        asking = [(rule, unit(rule, path)) for rule in asked]
        facts = FileFacts() if key is None else reader.read(path, key.size, need, asking)
    for line in explain_file(rules, path, facts, time.time()).text().split("\n"):
        out.print(line)


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
        counts = job_counts(dict(journal.queries.counts().by_state))
        return {"running": False, "jobs": counts, "troubles": [], "waits": waits(journal)}
    finally:
        journal.close()


def jobs(
    context: typer.Context,
    state: Annotated[str | None, typer.Option(help="Only jobs in this state: " + ", ".join(get_args(State)))] = None,
    limit: Annotated[int, typer.Option(min=1, help="At most so many, newest first.")] = 50,
    as_json: AsJson = False,
) -> None:
    """List jobs, newest first."""
    if state is not None and state not in get_args(State):
        raise PaperchuteError(f"There is no state {state!r}.", f"Take one of: {', '.join(get_args(State))}.")
    journal = Journal(given(context).state.journal)
    try:
        found = journal.queries.jobs([state] if state else [], limit)  # type: ignore[list-item]
        if as_json:
            say_json([_job_json(job, journal) for job in found])
            return
    finally:
        journal.close()
    if not found:
        out.print("No jobs.")
        return
    for job in found:
        when = datetime.fromtimestamp(job.finished or job.created).strftime("%Y-%m-%d %H:%M:%S")
        out.print(f"{job.id}  {STATE_WORDS.get(job.state, job.state)}  {when}  {job.rule.name}: {job.path.name}")
        result = job.error if job.state in ("failed", "waiting") else (job.note or str(job.result or ""))
        for line in (result, *(f"! {sentence}" for sentence in job.warnings)):  # in full: a path is there to be copied
            if line:
                out.print(f"    {line}")


def _job_json(job: Job, journal: Journal) -> dict[str, Any]:
    return {
        "job": job.id,
        "state": job.state,
        "stage": job.stage,
        "rule": job.rule.name,
        "operations": [step.operation for step in job.rule.steps],
        "path": str(job.path),
        "outputs": [str(path) for path in job.outputs],
        "created": job.created,
        "finished": job.finished,
        "due": job.due if job.state == "waiting" and job.due > time.time() else None,
        "attempts": job.attempts,
        "error": job.error,
        "error_code": job.error_code,
        "note": job.note,
        "warnings": list(job.warnings),
        "events": [{"at": e.at, "kind": e.kind, "text": e.text} for e in journal.history.events(job.id)],
    }


def operations(
    operation: Annotated[str | None, typer.Argument(help="One operation, for its parameters.")] = None,
    as_json: AsJson = False,
) -> None:
    """List the service's operations, or the parameters of one."""
    known = {operation.id: operation for operation in contract().all_operations}
    if operation is None:
        if as_json:
            say_json([_operation_json(o) for o in known.values()])
            return
        table = Table("operation", "does", "reads", "gives", "done by", box=None, pad_edge=False)
        for o in known.values():
            table.add_row(o.id, o.title, " ".join(o.reads), o.output_ext, _done_by(o))
        out.print(table)
        return
    if operation not in known:
        near = contract().nearest_operation(operation)
        hint = f"Did you mean {near}?" if near else "`paperchute operations` lists them."
        raise PaperchuteError(f"There is no operation {operation!r}.", hint)
    found = known[operation]
    if as_json:
        say_json(_operation_json(found))
        return
    out.print(f"{found.id}: {found.title}. Reads {', '.join(found.reads)}; gives {found.output_ext}.")
    out.print(f"Done by: {_done_by(found)}.")
    table = Table("parameter", "takes", "default", "meaning", box=None, pad_edge=False)
    for p in found.parameters:
        if p.name != "file":
            name = " or ".join((p.name, *p.aliases)) + ("*" if p.required else "")
            table.add_row(name, _takes(p), _shown(p.default), p.meaning)
    out.print(table)


def _done_by(operation: Operation) -> str:
    return "the built-in engine" if operation.id in OPERATIONS else "remote services only"


def _takes(parameter: Parameter) -> str:
    if parameter.values:
        return " | ".join(_shown(value) for value in parameter.values)
    return parameter.format or parameter.type


def _shown(value: object) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _operation_json(operation: Operation) -> Mapping[str, Any]:
    return {
        "id": operation.id,
        "title": operation.title,
        "reads": list(operation.reads),
        "gives": operation.output_ext,
        "min_files": operation.min_files,
        "max_files": operation.max_files,
        "built_in": operation.id in OPERATIONS,
        "parameters": [
            {
                "name": p.name,
                "type": p.type,
                "required": p.required,
                "values": list(p.values),
                "default": p.default,
                "meaning": p.meaning,
            }
            for p in operation.parameters
            if p.name != "file"
        ],
    }
