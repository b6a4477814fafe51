"""The verb `do`: one operation on some files, now, without rules or a running daemon."""

from __future__ import annotations

import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from paperchute.app.services import connect
from paperchute.cli.context import EXIT_FAILED, EXIT_NO_SERVICE, Context, err, given, out
from paperchute.contract import Operation, Value, ValueRefused, accept, contract
from paperchute.errors import PaperchuteError
from paperchute.files import placing
from paperchute.rules.model import ServiceSettings
from paperchute.rules.own_input import has_own_input, named_hosts
from paperchute.rules.problems import RuleFileError
from paperchute.rules.secrets import is_reference, resolve
from paperchute.rules.usual import usual
from paperchute.service.client import ServiceClient
from paperchute.service.parts import parts_for
from paperchute.service.records import Call, ServiceError


def add_to(app: typer.Typer) -> None:
    """Put this verb on the command line."""
    app.command()(do)


def do(
    context: typer.Context,
    operation: Annotated[str, typer.Argument(help="A contract id; `paperchute operations` lists them.")],
    files: Annotated[
        list[Path] | None, typer.Argument(help="The input files, in order; none for what needs none.")
    ] = None,
    parameter: Annotated[list[str] | None, typer.Option("-p", "--parameter", help="name=value, repeatable.")] = None,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="File or folder for the result.")] = None,
) -> None:
    """Run one OPERATION on FILES now; results go beside the first file unless -o says otherwise."""
    known = _operation(operation)
    parameters = {**usual(known), **_parameters(known, parameter or [])}
    inputs = [_existing(path) for path in files or []]
    if not inputs and not has_own_input(known, parameters):
        raise PaperchuteError(f"{operation} needs a file to work on.", f"Write: paperchute do {operation} FILE")
    with err.status(f"{operation}: starting"), _client(given(context)) as client, tempfile.TemporaryDirectory() as work:
        parts, sent = parts_for(operation, inputs, parameters)
        hosts = tuple(named_hosts(sent))  # who writes an address here wants it fetched
        try:
            answer = client.call(Call(operation, tuple(parts), sent, secrets.token_hex(16), hosts=hosts))
            received = client.download(answer, operation, Path(work))
        except ServiceError as error:
            code = EXIT_NO_SERVICE if error.kind in ("down", "auth", "quota") else EXIT_FAILED
            err.print(str(error))
            raise typer.Exit(code) from None
        first = inputs[0] if inputs else Path.cwd() / received[0].name
        placed = _place(received, Path(work), first, output)
    for path in placed:
        out.print(str(path))


def _operation(name: str) -> Operation:
    known = contract().operation(name)
    if known is None:
        near = contract().nearest_operation(name)
        raise PaperchuteError(
            f"There is no operation {name!r}.", f"Did you mean {near}?" if near else "See `paperchute operations`."
        )
    return known


def _parameters(operation: Operation, pairs: list[str]) -> dict[str, Value]:
    parameters: dict[str, Value] = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        parameter = operation.parameter(name)
        if not equals or parameter is None:
            near = operation.nearest_parameter(name)
            raise PaperchuteError(
                f"{operation.id} has no parameter {name!r}." if equals else f"-p takes name=value, not {pair!r}.",
                f"Did you mean {near}?" if near else f"See `paperchute operations {operation.id}`.",
            )
        try:
            value = accept(parameter, text)
        except ValueRefused as error:
            raise PaperchuteError(f"{error}.") from None
        if parameter.is_secret:
            value = [_secret(parameter.name, v) for v in value] if isinstance(value, list) else _secret(name, text)
        if parameter.type == "file":
            value = str(_existing(Path(text)))
        parameters[parameter.name] = value
    return parameters


def _secret(name: str, text: str) -> str:
    """Everybody on the machine can read a command line, so a password itself has no place on it."""
    if text and not is_reference(text):
        raise PaperchuteError(
            f"{name} takes a reference, not the password itself.",
            f"Write env:NAME, keyring:SERVICE/USER or file:PATH, for example -p {name}=env:MY_PASSWORD.",
        )
    return resolve(text) if text else ""


def _existing(path: Path) -> Path:
    path = path.expanduser().absolute()
    if not path.is_file():
        raise PaperchuteError(f"There is no file {path}.")
    return path


@contextmanager
def _client(context: Context) -> Iterator[ServiceClient]:
    try:
        settings = context.rules().service
    except RuleFileError:
        settings = ServiceSettings()
    with tempfile.TemporaryDirectory() as folder, connect(settings, Path(folder)) as client:
        yield client


def _place(received: list[Path], work: Path, first: Path, output: Path | None) -> list[Path]:
    """Put results where they were asked for, over nothing that exists unless -o names it as a file."""
    if len(received) == 1:
        source = received[0]
        named = output is not None and not output.is_dir()
        target = output if output is not None and named else (output or first.parent) / (first.stem + source.suffix)
        target.parent.mkdir(parents=True, exist_ok=True)
        return [_put(source, target, over=named)]
    folder = output or first.parent / first.stem
    folder.mkdir(parents=True, exist_ok=True)
    placed = []
    for source in received:
        target = folder / source.relative_to(work)
        target.parent.mkdir(parents=True, exist_ok=True)
        placed.append(_put(source, target, over=False))
    return placed


def _put(source: Path, target: Path, *, over: bool) -> Path:
    temporary = target.with_name(placing.temporary_name(secrets.token_hex(8)))
    shutil.copyfile(source, temporary)
    if over:
        placing.place_over(temporary, target)
        return target
    for candidate in placing.numbered(target):
        if placing.place_new(temporary, candidate):
            return candidate
    raise AssertionError("numbered() never ends")
