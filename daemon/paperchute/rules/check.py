"""Rules between things: parameters of one operation, and the settings of a service."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePath
from urllib.parse import urlsplit

from paperchute.addresses import why_not_fetched
from paperchute.contract import Operation, Value, contract
from paperchute.contract.built_in import refusals
from paperchute.rules.model import Gather, Rule
from paperchute.rules.own_input import has_own_input, no_place_for_a_file
from paperchute.rules.secrets import FORMS, is_reference
from paperchute.rules.shape import ServiceShape
from paperchute.rules.toml import KeyPath

_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_NOT_HTML = (".doc", ".docx", ".dot", ".dotx", ".odt", ".ott", ".rtf", ".pages", ".pdf", ".xls", ".xlsx", ".ods")
SERVICE_SECRETS = ("api_key", "hub_key", "webhook_token")
_ALTERNATIVES = (("html", "htmlUrl", "htmlFile"), ("template", "templateFile"), ("data", "dataFile"))


def service_problems(service: ServiceShape) -> Iterator[tuple[str, str]]:
    """(key, message) for what is wrong in [service] beyond types."""
    if service.base_url is not None:
        address = urlsplit(service.base_url)
        if address.scheme not in ("http", "https") or not address.hostname:
            yield "base_url", "base_url takes an address such as https://example.com/server"
        elif address.scheme == "http" and address.hostname not in _LOOPBACK:
            yield "base_url", "base_url must be https, or the key and the documents would travel in the clear"
        elif service.api_key is None:
            yield "base_url", f"`api_key` is missing; write where the key is: {FORMS}"
    for key in SERVICE_SECRETS:
        value = getattr(service, key)
        if value is not None and not is_reference(value):
            yield key, f"the secret itself must not stand here; write where it is: {FORMS}"
    yield from _hub_problems(service)
    yield from _webhook_problems(service)
    for name in service.names:
        if not any(p.name == name and not p.is_seed for o in contract().operations.values() for p in o.parameters):
            yield "names", f"{name} is not a parameter that a provider may call otherwise"


def _hub_problems(service: ServiceShape) -> Iterator[tuple[str, str]]:
    if service.hub_url is None:
        if service.hub_key is not None or service.hub_lookup is not None:
            yield "hub_key" if service.hub_key is not None else "hub_lookup", "`hub_url` is missing"
        return
    address = urlsplit(service.hub_url)
    if address.scheme not in ("http", "https") or not address.hostname:
        yield "hub_url", "hub_url takes an address such as https://hub.example.com"
    elif address.scheme == "http" and address.hostname not in _LOOPBACK:
        yield "hub_url", "hub_url must be https, or the key and the documents would travel in the clear"
    elif service.hub_key is None:
        yield "hub_url", f"`hub_key` is missing; write where the key is: {FORMS}"
    if service.hub_lookup is not None and not (service.hub_lookup.startswith("/") and "{taskId}" in service.hub_lookup):
        yield "hub_lookup", "hub_lookup takes a path with {taskId} in it, such as /api/v2/tasks/{taskId}"


def _webhook_problems(service: ServiceShape) -> Iterator[tuple[str, str]]:
    if service.webhook_listen is None:
        for key in ("webhook_token", "webhook_url"):
            if getattr(service, key) is not None:
                yield key, "`webhook_listen` is missing"
        return
    host, _, port = service.webhook_listen.rpartition(":")
    if not host or not port.isascii() or not port.isdigit() or int(port) > 65_535:
        yield "webhook_listen", "webhook_listen takes an address and a port, such as 127.0.0.1:8765"
    if service.webhook_token is None:
        yield "webhook_listen", f"`webhook_token` is missing; write where the agreed token is: {FORMS}"


def built_in_problems(rule: Rule, models: str) -> Iterator[tuple[KeyPath, str]]:
    """(key path in the rule, message) for what our own engine refuses of every file. models: its folder of models."""
    for number, step in enumerate(rule.steps):
        base: KeyPath = ("steps", number) if len(rule.steps) > 1 else ()
        for parameter, why in refusals(contract().known(step.operation), step.parameters, models):
            if parameter:
                yield (*base, "parameters", parameter), why.removesuffix(".")
            else:
                yield (*base, "operation"), f"{why}; a remote service may, which `base_url` in [service] names"


def between_parameters(
    operation: Operation,
    parameters: Mapping[str, Value],
    *,
    gather: Gather | None,
    first: bool,
    scheduled: bool = False,
) -> Iterator[tuple[str, str]]:
    """(parameter, message) for what one step's parameters lack or contradict (contract sections 9 and 11 to 14).

    gather: how the files that the step gets are gathered. first: it gets what was dropped, and not an earlier step's
    results. scheduled: nothing is dropped.
    """
    if not (first and scheduled):
        yield from no_place_for_a_file(operation, parameters, gather if first else None)
    elif not has_own_input(operation, parameters):
        yield "", f"{operation.id} gets no file on a schedule, and its parameters name nothing to work on"
    if operation.id in ("pdf-generate", "html-to-pdf") and parameters.get("password"):
        reads = f"password opens locked PDFs, and {operation.id} reads none"
        yield "password", f"{reads}; to lock the result, add a step with pdf-encrypt"
    for parameter in operation.parameters:
        if parameter.required and parameter.type != "file" and parameter.name not in parameters:
            yield parameter.name, f"{operation.id} needs the parameter {parameter.name}: {parameter.meaning}"
    gathered = gather is not None
    if first and operation.min_files > 1 and not gathered and not scheduled:
        yield "", f'{operation.id} works on several files: add gather = "folder" (or "batch", or "pair")'
    generates = operation.id == "pdf-generate" and gather in ("pair", "rows")
    if first and gathered and operation.max_files <= 1 and not generates and gather != "rows":
        yield "", f"{operation.id} works on one file, so the rule must not gather"
    if gather == "batch" and operation.max_files > 1 and operation.id != "pdf-merge":
        yield (
            "",
            f'{operation.id} works on {operation.max_files} files, so write gather = "pair" or "folder"',
        )
    match operation.id:
        case "pdf-encrypt":
            if not parameters.keys() & {"userPassword", "ownerPassword"}:
                yield "", "pdf-encrypt needs userPassword, ownerPassword or both"
        case "pdf-insert":
            yield from _insert(parameters, gathered=gathered, first=first and not scheduled)
        case "pdf-generate":
            for name, more in (("htmlUrl", ""), ("baseUri", "; files beside the HTML go along without it")):
                if name in parameters and why_not_fetched(str(parameters[name])):
                    yield name, f"{name} takes a web address in plain ASCII, without user name and password{more}"
            for names in _ALTERNATIVES:
                given = [name for name in names if name in parameters]
                if len(given) > 1:
                    yield given[1], f"{given[1]} cannot stand together with {given[0]}"
            for name in ("templateFile", "htmlFile"):
                path = PurePath(str(parameters.get(name, "")))
                if path.suffix.lower() in _NOT_HTML:
                    yield name, f"{name} takes HTML, not {path.name}: save it as a web page (HTML), and name that file"


def _insert(parameters: Mapping[str, Value], *, gathered: bool, first: bool) -> Iterator[tuple[str, str]]:
    if parameters.get("actionType") == "BLANK":
        for name in ("width", "height"):
            if name not in parameters:
                yield "actionType", f"BLANK needs {name}, in points (A4 is 595 x 842)"
        if gathered:
            yield "actionType", "BLANK works on one file, so the rule must not gather"
    elif parameters.get("actionType") == "FROM_PDF" and first and not gathered:
        yield (
            "actionType",
            'FROM_PDF works on two files: add gather = "pair" or "folder"; the first one is the target',
        )
