"""The demo: real hot folders, a real daemon, real documents, and a list of what came out."""

from __future__ import annotations

import itertools
import os
import re
import secrets
from importlib import resources
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Column, Table
from rich.text import Text

from paperchute.app import log
from paperchute.cli.context import EXIT_NO_SERVICE, Context, need_engine
from paperchute.cli.run import run_once, run_with_tray
from paperchute.cli.terminal import out
from paperchute.contract.engine_libraries import NEED_PRINTER, is_left_out, left_out
from paperchute.errors import PaperchuteError
from paperchute.files.placement import write_whole
from paperchute.invocation import command
from paperchute.jobs.error_texts import error_text_path
from paperchute.jobs.journal import Journal
from paperchute.jobs.model import Job
from paperchute.jobs.overview import told_of_state
from paperchute.language import N_, _

_DROPS = {
    "markdown": ("quarterly-report.pdf", "damaged.pdf"),
    "excel": ("quarterly-report.pdf",),
    "scans": ("scan.pdf",),
    "pdf": ("invoice.html",),
    "invoices": ("invoice-data.json",),
    "lock": ("contract.pdf",),
}
_BUNDLE = ("1 letter.pdf", "2 offer.pdf", "3 terms.pdf")
_PASSWORD_VARIABLE = "PAPERCHUTE_DEMO_PASSWORD"


def add_to(app: typer.Typer) -> None:
    """Put this verb on the command line."""
    app.command()(demo)


def demo(
    folder: Annotated[Path | None, typer.Argument(help=N_("Where to set it up. Default: ~/Paperchute Demo."))] = None,
    stay: Annotated[bool, typer.Option("--stay", help=N_("Leave it running, with the tray icon."))] = False,
) -> None:
    """Set up hot folders with rules, drop real documents in, and show what comes out."""
    code = show_at_work(folder, stay=stay)
    if code:
        raise typer.Exit(code)


def show_at_work(folder: Path | None, *, stay: bool) -> int:
    """Set up and run the demo below `folder`; the exit code. Raises PaperchuteError."""
    need_engine()
    base = _base(folder)
    os.environ.setdefault(_PASSWORD_VARIABLE, secrets.token_urlsafe(12))
    try:
        rules = _set_up(base)
    except OSError as error:
        raise PaperchuteError(
            _("The demo cannot be set up in {folder} ({reason}).", folder=base, reason=error.strerror),
            _("Choose another folder: {command}", command=command("demo FOLDER")),
        ) from error
    chosen = Context(rules, base / "state")
    log.set_up(chosen.state.log)
    out.print(_("Hot folders and rules: {folder}", folder=base))
    if without := left_out():
        out.print(without)
    with chosen.state.lock():
        code = run_once(chosen, started=lambda: _drop(base))
        _show(chosen, base)
        if stay:
            out.print(
                _(
                    "Still running: drop more files into the folders in {folder}. Quit from the tray or with Ctrl-C.",
                    folder=base,
                )
            )
            run_with_tray(chosen)
    return EXIT_NO_SERVICE if code == EXIT_NO_SERVICE else 0  # the damaged file fails, as it is there to show


def _base(folder: Path | None) -> Path:
    """The folder asked for, or a fresh one in the home folder, so that a second demo starts clean as well."""
    if folder is not None:
        return folder.expanduser().absolute()
    home = Path.home()
    names = (f"Paperchute Demo{f' {number}' if number > 1 else ''}" for number in itertools.count(1))
    return next(home / name for name in names if not (home / name).exists())


def _set_up(base: Path) -> Path:
    documents = resources.files("paperchute.demo")
    for name in (*_drops(), "bundles"):
        (base / name).mkdir(parents=True, exist_ok=True)
    write_whole(base / "invoice-template.html", documents.joinpath("invoice-template.html").read_text("utf-8"))
    rules = base / "rules.toml"
    if not rules.exists():
        write_whole(rules, _rules())
    return rules


def _rules() -> str:
    """The text of the rule file, without the rules whose operation cannot be done on this machine."""
    written = resources.files("paperchute.demo").joinpath("rules.toml").read_text("utf-8")
    return "".join(
        part
        for part in re.split(r"(?m)^(?=\[\[rule\]\])", written)
        if not any(f'"{operation}"' in part and is_left_out(operation) for operation in NEED_PRINTER)
    )


def _drops() -> dict[str, tuple[str, ...]]:
    """What is dropped, by the hot folder of a rule."""
    rules = _rules()
    return {folder: names for folder, names in _DROPS.items() if f'"{folder}"' in rules}


def _drop(base: Path) -> None:
    """Copy the documents in, as a person would; the bundle is put together elsewhere and moved in whole."""
    documents = resources.files("paperchute.demo")
    for folder, names in _drops().items():
        for name in names:
            (base / folder / name).write_bytes(documents.joinpath(name).read_bytes())
    bundle = base / "bundles" / "Offer 2026-17"
    bundle.mkdir(exist_ok=True)
    for name in _BUNDLE:
        (bundle / name).write_bytes(documents.joinpath(name).read_bytes())


def _show(chosen: Context, base: Path) -> None:
    journal = Journal(chosen.state.journal)
    try:
        jobs = journal.queries.jobs(limit=50)
        table = _table(journal, jobs, base)
    finally:
        journal.close()
    out.print()
    out.print(table)
    out.print()
    out.print(_("Everything is in {folder}", folder=base))
    out.print(_("damaged.pdf is meant to fail, to show what you find then."))
    password = Text(os.environ[_PASSWORD_VARIABLE])  # no plain text: those pass the filter that masks passwords
    out.print(_("The locked contract opens with:"), password)


def _table(journal: Journal, jobs: list[Job], base: Path) -> Table:
    table = Table(
        *(Column(name, overflow="fold") for name in (_("dropped"), _("rule"), _("result"))), box=None, pad_edge=False
    )
    for job in sorted(jobs, key=lambda job: job.id):
        dropped = job.path.relative_to(base).as_posix()
        if job.state in ("done", "warned") and job.result is not None:
            table.add_row(dropped, job.rule.name, job.result.relative_to(base).as_posix())
        else:
            plan = journal.plans.filing(job)
            text = error_text_path(job, plan.target).relative_to(base).as_posix() if plan else job.note or ""
            table.add_row(dropped, job.rule.name, _("{state}, see {path}", state=told_of_state(job.state), path=text))
    return table
