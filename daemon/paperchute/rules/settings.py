"""`[service]` and `[engine]`: who does the work, and how the built-in engine does it.

The keys of `[engine]` have the names, defaults and meanings of the engine's own command line.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import Field as Option
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import Field, create_model

from paperchute.contract import contract
from paperchute.contract.engine_options import ENGINE_OPTIONS, ROLES
from paperchute.contract.libreoffice import CHOICES, absent
from paperchute.files.names import expanded
from paperchute.language import _
from paperchute.rules.keys import Table
from paperchute.rules.language_model import ModelKeys
from paperchute.rules.model import Rule, RuleKeys
from paperchute.rules.notify import NotifyKeys
from paperchute.rules.page import PageKeys
from paperchute.rules.problems import Problem
from paperchute.rules.secrets import FORMS, anchored, is_reference
from paperchute.rules.service_names import BUILT_IN, DEFAULT, asked_by, resolved
from paperchute.rules.values import Seconds, Several, Size, Text, Whole, is_host

# ---------- [service] ----------


class _AnyServiceKeys(Table):
    """What every service may be given."""

    api_key: Text | None = Field(None, description="Where its key is: env:NAME, keyring:SERVICE/USER or file:PATH.")
    mode: Literal["auto", "sync", "async", "secure"] = Field(
        "auto",
        description="How calls go out: in one request, as a task, or over a pre-signed address; `auto` goes by size.",
    )
    monthly_calls: Annotated[Whole, Field(ge=0)] | None = Field(
        None, description="Stop after so many calls in a calendar month, and say so, rather than overspend."
    )
    names: dict[str, Text] = Field(
        {}, description="What this provider calls parameters, by their contract name; only those not in the seed."
    )
    hub_url: Text | None = Field(None, description="Address of the upload interface, for document-upload.")
    hub_key: Text | None = Field(None, description="Where its key is, like api_key.")
    hub_lookup: Text | None = Field(
        None, description="Path at which the hub tells of a task, with {taskId} in it; it goes into the receipt."
    )
    webhook_listen: Text | None = Field(
        None, description="Address to receive webhooks on, such as 127.0.0.1:8765. Left out: none are received."
    )
    webhook_token: Text | None = Field(None, description="Where the agreed token is, like api_key.")
    webhook_url: Text | None = Field(None, description="The address that the service calls; sent as callbackUrl.")


class ServiceKeys(_AnyServiceKeys):
    """`[service]`."""

    base_url: Text | None = Field(None, description="Address of a service. Left out: the built-in engine.")
    concurrency: Annotated[Whole, Field(ge=1, le=64)] = Field(
        4,
        description="Jobs at work at the same time, and calls of all of them together. Where there are several rules, "
        "the last of these places is kept for those that have none, so that what hangs holds up no other hot folder; "
        "with 1 there is none to keep, and a call that hangs holds up all until its rule's `timeout`. A change takes "
        "effect at the next start.",
    )


class NamedServiceKeys(_AnyServiceKeys):
    """`[services.NAME]`."""

    base_url: Text = Field(description="Address of the service.")


class ServiceSettings(ServiceKeys):
    """Who does the work, finished: references to keys and tokens have absolute paths."""

    engine: dict[str, Any] = Field({})
    """What the file says in `[engine]`, by the names of `contract.engine_options`."""


# ---------- [engine] ----------

_FORM = {option.name: option.metadata.get("form") for option in ENGINE_OPTIONS}
_ONE_OR_MORE = Annotated[Whole, Field(ge=1)]
_NONE_OR_MORE = Annotated[Whole, Field(ge=0, le=64)]
_SECONDS = Annotated[Seconds, Field(ge=1)]


def _kind(option: Option[Any]) -> Any:
    if option.metadata.get("form") == "bytes":
        return Size | None
    if isinstance(option.default, tuple):
        return Several
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
        return ()
    return None if option.default == "" else option.default


_FIELDS: dict[str, Any] = {
    option.name: (_kind(option), Field(_default(option), description=_about(option))) for option in ENGINE_OPTIONS
}
EngineKeys: type[Table] = create_model("EngineKeys", __base__=Table, __doc__="`[engine]`.", **_FIELDS)


def given(keys: Table, home: Path) -> Mapping[str, Any]:
    """What the file says of the engine, by name; folders as absolute paths. home: what relative ones start from."""
    found = {name: value for name, value in keys.model_dump(exclude_unset=True).items() if value is not None}
    for name, value in found.items():
        if _FORM[name] == "folder":
            found[name] = os.path.normpath(home / expanded(value))
        elif _FORM[name] == "secret":
            found[name] = anchored(value, home)
        elif isinstance(value, tuple):
            found[name] = tuple(one.lower() for one in value)
    return found


def engine_problems(options: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """(key, message) for what is wrong in [engine] beyond types. options: as `given`."""
    for name, value in options.items():
        match _FORM[name]:
            case "secret" if not is_reference(value):
                yield (
                    name,
                    _("the secret itself must not be written here; write where it is kept: {forms}", forms=_(FORMS)),
                )
            case "host" if wrong := [one for one in value if not is_host(one)]:
                yield (
                    name,
                    _(
                        "{wrong} is not a host's name; write it as in intranet.example, without https:// and path",
                        wrong=repr(wrong[0]),
                    ),
                )
            case "folder" if not Path(value).is_dir():
                yield name, _("there is no folder {value}", value=value)
            case "address" if urlsplit(value).scheme not in ("http", "https") or not urlsplit(value).hostname:
                yield name, _("{name} takes an address such as https://example.com/hook", name=name)
            case "printer" if value not in CHOICES:
                yield name, _("{name} is one of {values}", name=name, values=", ".join(CHOICES))
            case "printer" if value == "libreoffice" and (why := absent()):
                yield name, why
            case "role" if value not in ROLES or value == "worker":
                yield (
                    name,
                    _("{name} is all or api here; `paperchute serve` starts a worker alone", name=name),
                )
    if ("database" in options) != ("files" in options):
        yield "database" if "database" in options else "files", _("`database` and `files` go together")
    if "webhook_token" in options and "webhook_url" not in options:
        yield "webhook_token", _("`webhook_url` is missing")


SERVICE_SECRETS = ("api_key", "hub_key", "webhook_token")


_LOOPBACK = ("127.0.0.1", "localhost", "::1")


def service_problems(service: ServiceKeys | NamedServiceKeys) -> Iterator[tuple[str, str]]:
    """(key, message) for what is wrong in [service], or in one of [services], beyond types."""
    if service.base_url is not None:
        address = urlsplit(service.base_url)
        if address.scheme not in ("http", "https") or not address.hostname:
            yield "base_url", _("base_url takes an address such as https://example.com/server")
        elif address.scheme == "http" and address.hostname not in _LOOPBACK:
            yield "base_url", _("base_url must be https, or the key and the documents would travel in the clear")
        elif service.api_key is None:
            yield "base_url", _("`api_key` is missing; write where the key is: {forms}", forms=_(FORMS))
    for key in SERVICE_SECRETS:
        value = getattr(service, key)
        if value is not None and not is_reference(value):
            yield key, _("the secret itself must not be written here; write where it is kept: {forms}", forms=_(FORMS))
    yield from _hub_problems(service)
    yield from _webhook_problems(service)
    for name in service.names:
        if not any(p.name == name and not p.is_seed for o in contract().operations.values() for p in o.parameters):
            yield "names", _("{name} is not a parameter that a provider may call otherwise", name=name)


def _hub_problems(service: ServiceKeys | NamedServiceKeys) -> Iterator[tuple[str, str]]:
    if service.hub_url is None:
        if service.hub_key is not None or service.hub_lookup is not None:
            yield "hub_key" if service.hub_key is not None else "hub_lookup", _("`hub_url` is missing")
        return
    address = urlsplit(service.hub_url)
    if address.scheme not in ("http", "https") or not address.hostname:
        yield "hub_url", _("hub_url takes an address such as https://hub.example.com")
    elif address.scheme == "http" and address.hostname not in _LOOPBACK:
        yield "hub_url", _("hub_url must be https, or the key and the documents would travel in the clear")
    elif service.hub_key is None:
        yield "hub_url", _("`hub_key` is missing; write where the key is: {forms}", forms=_(FORMS))
    if service.hub_lookup is not None and not (service.hub_lookup.startswith("/") and "{taskId}" in service.hub_lookup):
        yield (
            "hub_lookup",
            _(
                "hub_lookup takes a path with {place} in it, such as {example}",
                place="{taskId}",
                example="/api/v2/tasks/{taskId}",
            ),
        )


def _webhook_problems(service: ServiceKeys | NamedServiceKeys) -> Iterator[tuple[str, str]]:
    if service.webhook_listen is None:
        for key in ("webhook_token", "webhook_url"):
            if getattr(service, key) is not None:
                yield key, _("`webhook_listen` is missing")
        return
    host, port = service.webhook_listen.rpartition(":")[::2]
    if not host or not port.isascii() or not port.isdigit() or int(port) > 65_535:
        yield "webhook_listen", _("webhook_listen takes an address and a port, such as 127.0.0.1:8765")
    if service.webhook_token is None:
        yield (
            "webhook_listen",
            _("`webhook_token` is missing; write where the agreed token is: {forms}", forms=_(FORMS)),
        )


# ---------- the whole file ----------


class FileKeys(Table):
    """The whole file."""

    version: Literal[1] = Field(description="Version of this format.")
    service: ServiceKeys = Field(ServiceKeys(), description="Who does the work.")
    services: dict[str, NamedServiceKeys] = Field(
        {}, description="Further services, by the names under which rules and steps ask for them."
    )
    engine: dict[str, Any] = Field({}, description="Settings of the built-in engine.")
    notify: NotifyKeys = Field(NotifyKeys(), description="Who is told elsewhere of what needs them.")
    model: ModelKeys = Field(
        ModelKeys(), description="A language model that is asked where a rule says so (`ask_model`)."
    )
    page: PageKeys = Field(PageKeys(), description="Where the page lets in from other machines.")
    defaults: dict[str, Any] = Field({}, description="Any key of a rule, for all rules that do not state it.")
    rule: list[RuleKeys] = Field([], description="The rules, in order: the first that matches takes a file.")


@dataclass(frozen=True)
class RuleFile:
    """A whole, valid rule file. warnings: what looks like a mistake in it, in the order of the file."""

    path: Path
    service: ServiceSettings
    rules: tuple[Rule, ...]
    warnings: tuple[Problem, ...] = ()
    notify: NotifyKeys = field(default_factory=NotifyKeys)
    page: PageKeys = field(default_factory=PageKeys)
    model: ModelKeys = field(default_factory=ModelKeys)
    text: str = ""
    """What it was read from."""
    services: Mapping[str, ServiceSettings] = field(default_factory=dict)
    """Those of `[services]`, by name."""

    def resolved(self, name: str) -> str:
        """Return the one name of a service (`service_names`)."""
        return resolved(name, has_default=self.service.base_url is not None)

    def settings_of(self, name: str) -> ServiceSettings | None:
        """Return the settings of a service; None where the file has none of that name."""
        one, own = self.resolved(name), self.service
        if one == BUILT_IN:
            return own if own.base_url is None else ServiceSettings(concurrency=own.concurrency, engine=own.engine)
        return own if one == DEFAULT else self.services.get(one)

    def is_remote(self, name: str) -> bool:
        """Decide whether a service is another's, which may charge for a call."""
        return self.resolved(name) != BUILT_IN

    def asked_by(self, rule: Rule) -> tuple[str, ...]:
        """Name the services that a rule asks, as `resolved`."""
        return asked_by(rule, has_default=self.service.base_url is not None)

    @cached_property
    def in_use(self) -> tuple[str, ...]:
        """Name the services that rules which are on ask; that of [service] where there are none."""
        used = [name for rule in self.rules if rule.enabled for name in self.asked_by(rule)]
        return tuple(dict.fromkeys(used)) or (self.resolved(""),)
