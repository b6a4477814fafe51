"""The verb `operations`: what the service can do, and which parameters it takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer
from rich.table import Table

from paperchute.cli.context import AsJson, say_json
from paperchute.cli.terminal import out
from paperchute.contract import Operation, Parameter, contract
from paperchute.contract.built_in import OPERATIONS, is_done, not_done
from paperchute.errors import PaperchuteError
from paperchute.invocation import command
from paperchute.language import N_, _
from paperchute.rules.settings import ServiceSettings


def add_to(app: typer.Typer) -> None:
    """Put this verb on the command line."""
    app.command()(operations)


def known_operation(name: str) -> Operation:
    """The operation of this name. Raises PaperchuteError, with the one that was likely meant."""
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


def check_done(operation: Operation, service: ServiceSettings) -> None:
    """Raises PaperchuteError where the built-in engine is the service and does not do the operation."""
    if not service.base_url and not is_done(operation.id):
        said = _("{why}; a remote service may, which `base_url` in [service] names", why=not_done(operation.id))
        raise PaperchuteError(f"{said[:1].upper()}{said[1:]}.")


def operations(
    operation: Annotated[str | None, typer.Argument(help=N_("One operation, for its parameters."))] = None,
    as_json: AsJson = False,
) -> None:
    """List the service's operations, or the parameters of one."""
    known = {operation.id: operation for operation in contract().all_operations}
    if operation is None:
        if as_json:
            say_json([_operation_json(o) for o in known.values()])
            return
        table = Table(_("operation"), _("does"), _("reads"), _("gives"), _("done by"), box=None, pad_edge=False)
        for o in known.values():
            table.add_row(o.id, o.title, " ".join(o.reads), o.output_ext, _done_by(o))
        out.print(table)
        return
    found = known_operation(operation)
    if as_json:
        say_json(_operation_json(found))
        return
    out.print(
        f"{found.id}: {found.title}. "
        + _("Reads {kinds}; gives {ending}.", kinds=", ".join(found.reads), ending=found.output_ext)
    )
    out.print(_("Done by: {who}.", who=_done_by(found)))
    table = Table(_("parameter"), _("takes"), _("default"), _("meaning"), box=None, pad_edge=False)
    for p in found.parameters:
        if p.name != "file":
            name = _names(p) + ("*" if p.required else "")
            table.add_row(name, _takes(p), _shown(p.default), p.meaning)
    out.print(table)


def _done_by(operation: Operation) -> str:
    return _("the built-in engine") if operation.id in OPERATIONS else _("remote services only")


def _names(parameter: Parameter) -> str:
    if not parameter.aliases:
        return parameter.name
    return _("{name} or {aliases}", name=parameter.name, aliases=", ".join(parameter.aliases))


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
