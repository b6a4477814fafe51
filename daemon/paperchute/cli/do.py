"""The verb `do`: one operation on some files, now, without rules or a running daemon."""

from __future__ import annotations

import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from paperchute.app.services import connect
from paperchute.cli.context import EXIT_FAILED, EXIT_NO_SERVICE, Context, given
from paperchute.cli.terminal import err, out
from paperchute.contract import Operation, Value, ValueRefused, accept, contract
from paperchute.errors import PaperchuteError
from paperchute.files import placement
from paperchute.invocation import command
from paperchute.jobs.folder_merge import is_document
from paperchute.jobs.privacy import privacy_of
from paperchute.language import N_, _
from paperchute.rules.problems import RuleFileError
from paperchute.rules.secrets import is_reference, resolve
from paperchute.rules.settings import ServiceSettings
from paperchute.rules.steps import has_own_input, named_hosts, usual
from paperchute.service.client import ServiceClient
from paperchute.service.model import Call, ServiceError
from paperchute.service.upload import parts_for


def add_to(app: typer.Typer) -> None:
    """Put this verb on the command line."""
    app.command()(do)


def do(
    context: typer.Context,
    operation: Annotated[str, typer.Argument(help=N_("A contract id; `operations` lists them."))],
    files: Annotated[
        list[Path] | None, typer.Argument(help=N_("The input files, in order; none for what needs none."))
    ] = None,
    parameter: Annotated[list[str] | None, typer.Option("-p", "--parameter", help=N_("name=value, repeatable"))] = None,
    output: Annotated[
        str | None, typer.Option("-o", "--output", help=N_("File for the result, or a folder: FOLDER/."))
    ] = None,
    force: Annotated[bool, typer.Option("--force", help=N_("Overwrite the file that -o names."))] = False,
) -> None:
    """Run one OPERATION on FILES now; results go beside the first file unless -o says otherwise.

    What a result lacks of what was asked for goes to stderr, as a job's warnings say it.
    """
    known = _operation(operation)
    parameters = {**usual(known), **_parameters(known, parameter or [])}
    inputs = [_existing(path) for path in files or []]
    if not inputs and not has_own_input(known, parameters):
        raise PaperchuteError(
            _("{operation} needs a file to work on.", operation=operation),
            _("Write: {command}", command=command(f"do {operation} FILE")),
        )
    target = _target(output, force=force)
    with (
        err.status(_("{operation}: starting", operation=operation)),
        _client(given(context)) as client,
        tempfile.TemporaryDirectory() as work,
    ):
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
        os.umask(os.umask(0o077) | privacy_of(inputs).denied)  # from here on this process makes nothing but results
        placed = _place(received, Path(work), first, target, force=force)
    for warning in answer.warnings:
        err.print(f"! {warning}")
    for path in placed:
        out.print(str(path))


def _operation(name: str) -> Operation:
    known = contract().operation(name)
    if known is None:
        near = contract().nearest_operation(name)
        raise PaperchuteError(
            _("There is no operation '{name}'.", name=name),
            _("Did you mean {near}?", near=near)
            if near
            else _("`{command}` lists them.", command=command("operations")),
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
            value = str(_existing(Path(text)))
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


def _existing(path: Path) -> Path:
    path = path.expanduser().absolute()
    if path.is_dir():
        raise PaperchuteError(_("{name} is a folder.", name=path), _("Name the files in it."))
    if not path.is_file():
        raise PaperchuteError(_("There is no file {name}.", name=path))
    return path


@contextmanager
def _client(context: Context) -> Iterator[ServiceClient]:
    try:
        settings = context.rules().service
    except RuleFileError:
        settings = ServiceSettings()
    with tempfile.TemporaryDirectory() as folder, connect(settings, Path(folder)) as client:
        yield client


@dataclass(frozen=True)
class _Target:
    """What -o names: a folder, made where it is missing, or a file."""

    path: Path
    is_folder: bool


def _target(output: str | None, *, force: bool) -> _Target | None:
    """What -o names. Raises PaperchuteError for a file that exists, before anything is paid for."""
    if output is None:
        return None
    path = Path(output).expanduser().absolute()
    if output.endswith(("/", os.sep)) or path.is_dir():
        if os.path.lexists(path) and not path.is_dir():
            raise PaperchuteError(
                _("{path} is not a folder.", path=path), _("Leave out the slash at its end to name a file.")
            )
        return _Target(path, is_folder=True)
    if os.path.lexists(path) and not force:
        raise PaperchuteError(
            _("{path} exists.", path=path), _("Name another file or a folder, or add --force to overwrite it.")
        )
    return _Target(path, is_folder=False)


def _place(received: list[Path], work: Path, first: Path, target: _Target | None, *, force: bool) -> list[Path]:
    """Put results where they were asked for: all or none, and over nothing but a file that -o names with --force."""
    if len(received) > 1:
        return _place_all([path.relative_to(work) for path in received], work, first, target)
    name = first.stem + received[0].suffix
    place = first.parent / name if target is None else target.path / name if target.is_folder else target.path
    place.parent.mkdir(parents=True, exist_ok=True)
    with _hidden_in(place.parent) as temporary:
        shutil.copyfile(received[0], temporary)
        if target is None or target.is_folder:
            return [_placed(temporary, place)]
        if force:
            placement.place_over(temporary, place)
        elif not placement.place_new(temporary, place):
            raise PaperchuteError(
                _("{path} has appeared in the meantime.", path=place), _("Name another file, or add --force.")
            )
    return [place]


def _place_all(names: list[Path], work: Path, first: Path, target: _Target | None) -> list[Path]:
    """Several results become a folder; into one that exists they go file by file, unless they belong together."""
    folder = target.path if target is not None else first.parent / first.stem
    folder.parent.mkdir(parents=True, exist_ok=True)
    with _hidden_in(folder.parent) as temporary:
        for name in names:
            (temporary / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(work / name, temporary / name)
        if target is None or not folder.is_dir():
            folder = _placed(temporary, folder)
            return [folder / name for name in names]
        clash = any(os.path.lexists(folder / name) for name in names)
        if clash and is_document(name.as_posix() for name in names):
            folder = _placed(temporary, folder / first.stem)
            return [folder / name for name in names]
        placed: list[Path] = []
        try:
            for name in names:
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                placed.append(_placed(temporary / name, folder / name))
        except BaseException:
            for path in placed:
                path.unlink()
            raise
        return placed


@contextmanager
def _hidden_in(folder: Path) -> Iterator[Path]:
    """A name in `folder` to build something under; what is still there at the end goes."""
    temporary = folder / placement.temporary_name(secrets.token_hex(16))
    try:
        yield temporary
    finally:
        placement.remove(temporary)


def _placed(temporary: Path, target: Path) -> Path:
    for candidate in placement.numbered(target):
        if placement.place_new(temporary, candidate):
            return candidate
    raise AssertionError("numbered() never ends")
