"""`[service]` and `[engine]`: who does the work, and how the built-in engine does it.

The keys of `[engine]` have the names, defaults and meanings of the engine's own command line.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import Field as Option
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, create_model

from paperchute.contract import contract
from paperchute.contract.engine_options import ENGINE_OPTIONS
from paperchute.files.names import expanded
from paperchute.rules.secrets import FORMS, anchored, is_reference
from paperchute.rules.shape import Globs, ServiceShape, Size, Text, is_host, no_bool

_FORM = {option.name: option.metadata.get("form") for option in ENGINE_OPTIONS}
_ONE_OR_MORE = Annotated[int, BeforeValidator(no_bool), Field(ge=1)]
_NONE_OR_MORE = Annotated[int, BeforeValidator(no_bool), Field(ge=0, le=64)]
_SECONDS = Annotated[float, BeforeValidator(no_bool), Field(ge=1)]


def _kind(option: Option[Any]) -> Any:
    if option.metadata.get("form") == "bytes":
        return Size | None
    if isinstance(option.default, tuple):
        return Globs
    if isinstance(option.default, str):
        return Text | None
    if isinstance(option.default, float):
        return _SECONDS
    return _ONE_OR_MORE if option.default else _NONE_OR_MORE


def _about(option: Option[Any]) -> str:
    about = str(option.metadata["help"])
    where = ", given as where it is, like api_key" if option.metadata.get("form") == "secret" else ""
    return f"{about[0].upper()}{about[1:]}{where}."


def _default(option: Option[Any]) -> Any:
    if isinstance(option.default, tuple):
        return []
    return None if option.default == "" else option.default


_FIELDS: dict[str, Any] = {
    option.name: (_kind(option), Field(_default(option), description=_about(option))) for option in ENGINE_OPTIONS
}
EngineShape: type[BaseModel] = create_model(
    "EngineShape", __config__=ConfigDict(extra="forbid", frozen=True), __doc__="`[engine]`.", **_FIELDS
)


def given(shape: BaseModel, home: Path) -> Mapping[str, Any]:
    """What the file says of the engine, by name; folders as absolute paths. home: what relative ones start from."""
    found = {name: value for name, value in shape.model_dump(exclude_unset=True).items() if value is not None}
    for name, value in found.items():
        if _FORM[name] == "folder":
            found[name] = os.path.normpath(home / expanded(value))
        elif _FORM[name] == "secret":
            found[name] = anchored(value, home)
        elif isinstance(value, list):
            found[name] = tuple(one.lower() for one in value)
    return found


def engine_problems(options: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """(key, message) for what is wrong in [engine] beyond types. options: as `given`."""
    for name, value in options.items():
        match _FORM[name]:
            case "secret" if not is_reference(value):
                yield name, f"the secret itself must not stand here; write where it is: {FORMS}"
            case "host" if wrong := [one for one in value if not is_host(one)]:
                yield (
                    name,
                    f"{wrong[0]!r} is not a host's name; write it as in intranet.example, without https:// and path",
                )
            case "folder" if not Path(value).is_dir():
                yield name, f"there is no folder {value}"
            case "address" if urlsplit(value).scheme not in ("http", "https") or not urlsplit(value).hostname:
                yield name, f"{name} takes an address such as https://example.com/hook"
    if "webhook_token" in options and "webhook_url" not in options:
        yield "webhook_token", "`webhook_url` is missing"


SERVICE_SECRETS = ("api_key", "hub_key", "webhook_token")


_LOOPBACK = ("127.0.0.1", "localhost", "::1")


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
