"""The verb `report`: one archive with what helps to find a fault, and nothing that lets in anywhere."""

from __future__ import annotations

import io
import json
import os
import platform
import sqlite3
import sys
import time
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Annotated

import typer

from paperchute import __version__
from paperchute.cli.context import Context, given, say
from paperchute.errors import PaperchuteError
from paperchute.invocation import command
from paperchute.language import N_, _, current, ngettext
from paperchute.redaction import clean_lines
from paperchute.rules.disclosure import learn_from_environment, rule_text, scrubbed

_LOG_LINES = 500
_LOG_BYTES = 1 << 18
_RULE_BYTES = 1 << 20
_DESKTOP = ("XDG_CURRENT_DESKTOP", "XDG_SESSION_TYPE", "LANG", "LC_ALL")
"""Variables that say which desktop and language there are."""


@dataclass(frozen=True)
class Part:
    """One file of the archive."""

    name: str
    about: str
    text: str


def add_to(app: typer.Typer) -> None:
    """Put this verb on the command line."""
    app.command()(report)


def report(
    context: typer.Context,
    job: Annotated[int | None, typer.Option(help=N_("The job it is about. Default: the last one that failed."))] = None,
    to: Annotated[Path | None, typer.Option("-o", "--output", help=N_("File to write. Default: here."))] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help=N_("Ask nothing."))] = False,
) -> None:
    """Make one archive for a bug report; says first what is in it."""
    parts = parts_of(given(context), job)
    path = (to or Path(f"paperchute-report-{time.strftime('%Y%m%d-%H%M%S')}.zip")).expanduser().absolute()
    say(_("The report holds, without any password or key:"))
    for part in parts:
        lines = ngettext("{n} line", "{n} lines", part.text.count("\n") + 1)
        say(f"  {part.name}: {part.about} ({lines})")
    say(_("Names of files and folders are in it. Look through it before you send it."))
    if not yes:
        if not sys.stdin.isatty():
            say(_("Nothing was written; `{command}` writes it.", command=command("report --yes")))
            return
        if not typer.confirm(_("Write it to {path}?", path=path), default=True):
            return
    _write(path, parts)
    say(_("Written: {path}", path=path))


def parts_of(chosen: Context, job: int | None) -> list[Part]:
    """Everything in it, without secrets. Raises PaperchuteError for a job that is not there."""
    learn_from_environment()
    rules = _rules(chosen.rules_path)  # first: it knows where secrets are that other texts may hold
    found = [
        Part("versions.json", _("this system, and the versions of everything installed"), _versions()),
        Part("rules.toml", _("the rule file"), rules),
        Part("status.json", _("what `status` says"), _status(chosen)),
        Part("paperchute.log", _("the last lines of the log"), _log(chosen.state.log)),
        *_job(chosen, job),
    ]
    return [Part(part.name, part.about, _at_home(clean_lines(scrubbed(part.text)))) for part in found]


def _versions() -> str:
    packages = {found.metadata["Name"]: found.version for found in metadata.distributions()}
    return _json(
        {
            "paperchute": __version__,
            "python": sys.version,
            "system": platform.platform(),
            "machine": platform.machine(),
            "self_contained": bool(getattr(sys, "frozen", False)),
            "language": current(),
            "desktop": {name: os.environ[name] for name in _DESKTOP if name in os.environ},
            "packages": dict(sorted(packages.items(), key=lambda one: str(one[0]).lower())),
        }
    )


def _rules(path: Path) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(_RULE_BYTES)
    except OSError as error:
        return f"{path}: {error.strerror}"
    return rule_text(content.decode("utf-8", "replace").replace("\r\n", "\n"), path.parent)


def _status(chosen: Context) -> str:
    from paperchute.cli.status import read_status

    try:
        return _json(read_status(chosen))
    except (PaperchuteError, sqlite3.Error) as error:
        return str(error)


def _log(path: Path) -> str:
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - _LOG_BYTES))
            text = file.read(_LOG_BYTES).decode("utf-8", "replace")
    except OSError as error:
        return f"{path}: {error.strerror}"
    return "\n".join(text.splitlines()[-_LOG_LINES:])


def _job(chosen: Context, number: int | None) -> Iterator[Part]:
    """What the journal has of one job: the one asked for, or the last that failed, or has warnings."""
    from paperchute.cli.jobs import job_json
    from paperchute.jobs.journal import Journal

    if not chosen.state.journal.exists() and number is None:
        return
    journal = Journal(chosen.state.journal)
    try:
        queries = journal.queries
        latest = queries.jobs(["failed"], 1) or queries.jobs(["warned"], 1)
        job = queries.job(number) if number is not None else next(iter(latest), None)
        if job is not None:
            yield Part(f"job-{job.id}.json", _("the history of job {job}", job=job.id), _json(job_json(job, journal)))
        elif number is not None:
            raise PaperchuteError(
                _("There is no job {job}.", job=number), _("`{command}` lists them.", command=command("jobs"))
            )
    finally:
        journal.close()


def _json(value: object) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False)


def _at_home(text: str) -> str:
    """The text without the name of the home folder, which often is a person's."""
    home = str(Path.home())
    if len(home) < len("/x/y"):
        return text
    return text.replace(json.dumps(home)[1:-1], "~").replace(home, "~")


def _write(path: Path, parts: list[Part]) -> None:
    """For the owner alone, and over nothing that is there. Raises PaperchuteError."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for part in parts:
            archive.writestr(part.name, part.text + "\n")
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(packed.getvalue())
    except OSError as error:
        raise PaperchuteError(
            _("{path} cannot be written ({reason}).", path=path, reason=error.strerror),
            _("Choose another with --output."),
        ) from error
