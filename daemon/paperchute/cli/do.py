"""The verb `do`: one operation on some files, now, without rules or a running daemon."""

from __future__ import annotations

import os
import secrets
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from paperchute.app.connection import connect
from paperchute.app.facts import signed_of
from paperchute.cli.context import EXIT_FAILED, EXIT_NO_SERVICE, AsJson, Context, given, say_json
from paperchute.cli.inputs import STREAM, Inputs, existing, inputs_of
from paperchute.cli.operations import check_done, known_operation
from paperchute.cli.outputs import Target, place, target_of
from paperchute.cli.terminal import err, out
from paperchute.cli.why import layout_of, place_told, shared
from paperchute.contract import Operation, Value, ValueRefused, accept
from paperchute.contract.operations import nearest
from paperchute.errors import PaperchuteError
from paperchute.invocation import command
from paperchute.jobs.privacy import privacy_of
from paperchute.language import N_, _
from paperchute.rules.output import filled_texts
from paperchute.rules.problems import RuleFileError
from paperchute.rules.secrets import is_reference, resolve
from paperchute.rules.service_names import BUILT_IN, DEFAULT
from paperchute.rules.settings import ServiceSettings
from paperchute.rules.signatures import broken_signature, changes_pdfs
from paperchute.rules.steps import lacking, named_hosts, only_built_in, usual
from paperchute.service.client import ServiceClient
from paperchute.service.model import Answer, Call, ServiceError
from paperchute.service.upload import parts_for


def add_to(app: typer.Typer) -> None:
    """Put this verb on the command line."""
    app.command()(do)


def do(
    context: typer.Context,
    operation: Annotated[str, typer.Argument(help=N_("A contract id; `operations` lists them."))],
    files: Annotated[
        list[str] | None,
        typer.Argument(
            help=N_("Files, folders or patterns, in order; - is standard input. None for what needs none."),
            metavar="[files]...",
        ),
    ] = None,
    parameter: Annotated[list[str] | None, typer.Option("-p", "--parameter", help=N_("name=value, repeatable"))] = None,
    output: Annotated[
        str | None,
        typer.Option("-o", "--output", help=N_("File for the result, a folder: FOLDER/, or - for standard output.")),
    ] = None,
    service: Annotated[
        str | None,
        typer.Option(help=N_("Who does it: a name of [services], built-in or default. Default: as [service] says.")),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help=N_("Overwrite the file that -o names."))] = False,
    why: Annotated[
        bool,
        typer.Option("--why", help=N_("Tell as well how the pages were read, in NAME.why.txt and NAME.why.pdf.")),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Run one OPERATION on FILES now; results go beside the first file unless -o says otherwise.

    What a result lacks of what was asked for goes to stderr, as a job's warnings say it.
    """
    known = known_operation(operation)
    settings = _service(given(context), service or "")
    check_done(known, settings)
    parameters = {**usual(known), **_parameters(known, parameter or [])}
    with tempfile.TemporaryDirectory() as scratch:
        work, left_out = inputs_of(known, files or [], parameters, Path(scratch))
        _check(known, parameters, work, settings)
        layout = layout_of(known, parameters, settings) if why else None
        target = target_of(output, len(work), force=force)
        if STREAM in (files or []) and target is None:
            raise PaperchuteError(_("Say where the result goes: -o FILE, or -o - for standard output."))
        if as_json and target is not None and target.is_stream:
            raise PaperchuteError(_("Standard output takes the result or the JSON, not both."))
        _say(left_out)
        done = []
        with err.status(_("{operation}: starting", operation=operation)) as status, _client(settings) as client:
            for number, inputs in enumerate(work, 1):
                if len(work) > 1:
                    name = inputs.named.name
                    status.update(
                        _("{operation}: {n} of {of}, {name}", operation=operation, n=number, of=len(work), name=name)
                    )
                done.append(_run(client, known, inputs, parameters, target, force=force))
                if layout is not None and done[-1].code != EXIT_NO_SERVICE:
                    done[-1] = _told(client, layout, inputs, parameters, target, done[-1], force=force)
                if not as_json:
                    done[-1].say()
                if done[-1].code == EXIT_NO_SERVICE:
                    break
    if as_json:
        say_json([one.as_json() for one in done])
    if code := max((one.code for one in done), default=0):
        raise typer.Exit(code)


@dataclass(frozen=True)
class _Done:
    """What came of one call."""

    files: tuple[Path, ...]
    results: tuple[Path, ...] = ()
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    error: str = ""
    code: int = 0
    """With which the command ends."""

    why: tuple[Path, ...] = ()
    """Files that tell how the pages were read, a text first."""

    is_stream: bool = False
    """Whether standard output has the result."""

    def say(self) -> None:
        _say(self.warnings)
        for path in self.results:
            out.print(str(path))
        if self.error:
            err.print(self.error)
        if self.why:
            text = self.why[0].read_text("utf-8")
            for line in (*map(str, self.why), *text.splitlines()):
                (err if self.is_stream else out).print(line)

    def as_json(self) -> dict[str, Any]:
        return {
            "files": list(map(str, self.files)),
            "results": list(map(str, self.results)),
            "warnings": list(self.warnings),
            "notes": list(self.notes),
            "error": self.error or None,
            **({"why": list(map(str, self.why))} if self.why else {}),
        }


def _say(warnings: Iterable[str]) -> None:
    for warning in warnings:
        err.print(f"! {warning}")


def _run(
    client: ServiceClient,
    operation: Operation,
    inputs: Inputs,
    parameters: Mapping[str, Value],
    target: Target | None,
    *,
    force: bool,
) -> _Done:
    """Make one call, and put its results where they belong."""
    with tempfile.TemporaryDirectory() as work:
        try:
            answer, received = _asked(client, operation, inputs, parameters, Path(work))
        except ServiceError as error:
            return _Done(inputs.files, error=str(error), code=_code(error))
        first = inputs.named if inputs.files else inputs.named / received[0].name
        with _as_private(inputs.files):
            placed = place(received, Path(work), first, target, force=force)
    is_short = target is not None and target.is_stream and len(received) > 1
    said = _("Standard output takes one result, and {n} came: they are in files.", n=len(received)) if is_short else ""
    code, is_stream = EXIT_FAILED if is_short else 0, target is not None and target.is_stream
    warnings, notes = tuple(answer.warnings), tuple(answer.notes)
    return _Done(inputs.files, tuple(placed), warnings, notes, said, code, is_stream=is_stream)


def _told(
    client: ServiceClient,
    layout: Operation,
    inputs: Inputs,
    parameters: Mapping[str, Value],
    target: Target | None,
    done: _Done,
    *,
    force: bool,
) -> _Done:
    """What came of a call, and how its pages were read, for which another call is made."""
    with tempfile.TemporaryDirectory() as work:
        try:
            _answer, received = _asked(client, layout, inputs, shared(layout, parameters), Path(work))
        except ServiceError as error:
            return replace(done, error=done.error or str(error), code=max(done.code, _code(error)))
        with _as_private(inputs.files):
            placed = place_told(received, Path(work), inputs.named, target, force=force)
    return replace(done, why=tuple(placed))


def _asked(
    client: ServiceClient, operation: Operation, inputs: Inputs, parameters: Mapping[str, Value], folder: Path
) -> tuple[Answer, list[Path]]:
    """Make one call; its answer, and its results in a folder. Raises ServiceError."""
    parts, sent = parts_for(operation.id, inputs.files, parameters)
    named = inputs.named
    about = {"stem": named.stem, "name": named.name, "ext": named.suffix.lstrip(".")}
    sent = {**sent, **filled_texts(operation.id, sent, about, now=time.time())}
    if not client.repeatable and changes_pdfs(operation.id):
        passwords = [str(sent["password"])] if sent.get("password") else []
        _say(broken_signature(path.name) for path in inputs.files if signed_of(path, passwords))
    hosts = tuple(named_hosts(sent))  # who writes an address here wants it fetched
    answer = client.call(Call(operation.id, tuple(parts), sent, secrets.token_hex(16), hosts=hosts))
    return answer, client.download(answer, operation.id, folder)


def _code(error: ServiceError) -> int:
    return EXIT_NO_SERVICE if error.kind in ("down", "auth", "quota") else EXIT_FAILED


@contextmanager
def _as_private(files: Sequence[Path]) -> Iterator[None]:
    """Let what is written within the block be read by nobody who may not read the files it is made of."""
    mask = os.umask(0o077)
    os.umask(mask | privacy_of(files).denied)
    try:
        yield
    finally:
        os.umask(mask)


def _check(
    operation: Operation, parameters: Mapping[str, Value], work: Sequence[Inputs], service: ServiceSettings
) -> None:
    """Raises PaperchuteError for what the service would refuse of every file."""
    suffixes = {path.suffix for inputs in work for path in inputs.files}
    problems = [why for _name, why in lacking(operation, parameters)]
    if service.base_url:
        problems += [why for _place, why in only_built_in(operation, parameters, suffixes)]
    if problems:
        raise PaperchuteError(
            f"{problems[0][:1].upper()}{problems[0][1:]}.",
            _("`{command}` lists the parameters.", command=command(f"operations {operation.id}")),
        )


def _parameters(operation: Operation, pairs: list[str]) -> dict[str, Value]:
    parameters: dict[str, Value] = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        parameter = operation.parameter(name)
        if not equals or parameter is None:
            near = operation.nearest_parameter(name)
            raise PaperchuteError(
                _("{operation} has no parameter '{name}'.", operation=operation.id, name=name)
                if equals
                else _("-p takes name=value, not '{pair}'.", pair=pair),
                _("Did you mean {near}?", near=near)
                if near
                else _("`{command}` lists them.", command=command(f"operations {operation.id}")),
            )
        try:
            value = accept(parameter, text)
        except ValueRefused as error:
            raise PaperchuteError(f"{error}.") from None
        if parameter.is_secret:
            value = [_secret(parameter.name, v) for v in value] if isinstance(value, list) else _secret(name, text)
        if parameter.type == "file":
            value = str(existing(Path(text)))
        parameters[parameter.name] = value
    return parameters


def _secret(name: str, text: str) -> str:
    """Everybody on the machine can read a command line, so a password itself has no place on it."""
    if text and not is_reference(text):
        raise PaperchuteError(
            _("{name} takes a reference, not the password itself.", name=name),
            _("Write env:NAME, keyring:SERVICE/USER or file:PATH, for example -p {name}=env:MY_PASSWORD.", name=name),
        )
    return resolve(text) if text else ""


def _service(context: Context, name: str) -> ServiceSettings:
    """The settings of a service. Raises PaperchuteError where the rule file has none of that name."""
    try:
        rules = context.rules()
    except RuleFileError:
        if name not in ("", BUILT_IN):  # another one than was asked for must not do it
            raise
        return ServiceSettings()
    settings = rules.settings_of(name)
    if settings is None:
        known = (*rules.services, BUILT_IN, DEFAULT)
        near = nearest(name, list(known))
        raise PaperchuteError(
            _("There is no service {name}; there are {known}.", name=repr(name), known=" ".join(known)),
            _("Did you mean {near}?", near=near) if near else "",
        )
    return settings


@contextmanager
def _client(settings: ServiceSettings) -> Iterator[ServiceClient]:
    with tempfile.TemporaryDirectory() as folder, connect(settings, Path(folder)) as client:
        yield client
