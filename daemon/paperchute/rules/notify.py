"""`[notify]`: where people are told elsewhere of what needs them, by e-mail, ntfy or a webhook."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import BeforeValidator, Field, WithJsonSchema

from paperchute.language import _
from paperchute.rules.keys import Table
from paperchute.rules.schedule import recurrence
from paperchute.rules.secrets import FORMS, anchored, is_reference
from paperchute.rules.values import Seconds, Several, Text, Whole, is_host

TOLD = ("failed", "warned", "needs")
SECRETS = ("smtp_password", "ntfy_token", "webhook_token")
ADDRESSES = ("ntfy_url", "webhook_url")
"""Keys whose value may be a secret, and then is given as where it is."""
LOOPBACK = ("127.0.0.1", "localhost", "::1")


_WORD: dict[str, Any] = {"enum": list(TOLD)}
_Told = Annotated[
    tuple[Text, ...],
    BeforeValidator(lambda value: (value,) if isinstance(value, str) else value),
    WithJsonSchema({"oneOf": [_WORD, {"type": "array", "items": _WORD}]}),
]
"""Any number of the words in `TOLD`."""


class NotifyKeys(Table):
    """`[notify]`."""

    on: _Told = Field(
        ("failed", "needs"),
        description="What is told at once: failed (jobs), warned (jobs done with warnings), needs (the rule file is "
        "broken, the service or a folder is away). [] leaves the digest alone.",
    )
    gather: Annotated[Seconds, Field(ge=1, le=86_400)] = Field(
        60, description="Seconds from the first piece of news on; all that comes within them is one message."
    )
    digest: Text | None = Field(
        None,
        description='When a summary of what was done since the last one is sent, such as "daily 08:00" or '
        '"monday 08:00". Left out: never.',
    )
    mail_to: Several | None = Field(None, description="Addresses that get e-mail.")
    mail_from: Text | None = Field(None, description="The address that e-mail comes from.")
    smtp_host: Text | None = Field(None, description="The mail server.")
    smtp_port: Annotated[Whole, Field(ge=1, le=65_535)] | None = Field(
        None, description="Its port. Left out: 465, with starttls 587."
    )
    smtp_security: Literal["tls", "starttls", "none"] = Field(
        "tls", description="How the connection is kept from others; none only for a server on this machine."
    )
    smtp_user: Text | None = Field(None, description="The name to log in with. Left out: no log-in.")
    smtp_password: Text | None = Field(None, description="Where the password is, like api_key.")
    ntfy_url: Text | None = Field(
        None, description="Address of an ntfy topic, such as https://ntfy.sh/my-topic, or where it is, like api_key."
    )
    ntfy_token: Text | None = Field(None, description="Where its access token is, like api_key.")
    webhook_url: Text | None = Field(
        None,
        description="Address that gets a POST with JSON (`title`, `text`; `content` is both), as Slack, Teams, "
        "Mattermost and Discord take it, or where it is, like api_key.",
    )
    webhook_token: Text | None = Field(
        None, description="Where the token is that goes with it as Bearer, like api_key."
    )

    def outlets(self) -> tuple[str, ...]:
        """The ways that are set, in words of the rule file."""
        given = {"mail": self.mail_to, "ntfy": self.ntfy_url, "webhook": self.webhook_url}
        return tuple(name for name, value in given.items() if value)

    def references(self) -> list[str]:
        """Return where secrets are."""
        values = (getattr(self, key) for key in (*SECRETS, *ADDRESSES))
        return [value for value in values if value and is_reference(value)]

    def anchored(self, home: Path) -> NotifyKeys:
        """With absolute paths in references. home: what relative ones start from."""
        given = {key: anchored(value, home) for key in (*SECRETS, *ADDRESSES) if (value := getattr(self, key))}
        return self.model_copy(update=given)


def notify_problems(keys: NotifyKeys) -> Iterator[tuple[str, str]]:
    """(key, message) for what is wrong in [notify] beyond types."""
    if not keys.outlets():
        yield "on", _("nobody is told: give `mail_to`, `ntfy_url` or `webhook_url`")
    for word in keys.on:
        if word not in TOLD:
            yield "on", _("there is no {word}; take some of {words}", word=repr(word), words=", ".join(TOLD))
    if keys.digest is not None:
        try:
            recurrence(keys.digest)
        except ValueError as error:
            yield "digest", str(error)
    for key in SECRETS:
        value = getattr(keys, key)
        if value is not None and not is_reference(value):
            yield key, _("the secret itself must not be written here; write where it is kept: {forms}", forms=_(FORMS))
    for key in ADDRESSES:
        value = getattr(keys, key)
        if value is not None and not is_reference(value) and (wrong := address_problem(value)):
            yield key, wrong
    yield from _goes_with(keys)


def address_problem(address: str) -> str:
    """Return what is wrong with an address that messages are to go to; empty when nothing is."""
    try:
        parts = urlsplit(address)
        host = parts.hostname
    except ValueError:
        host = None
    if not host or parts.scheme not in ("http", "https"):
        return _("it takes an address such as https://example.com/hook")
    if parts.scheme == "http" and host not in LOOPBACK:
        return _("it must be https, or the messages would travel in the clear")
    return ""


def _goes_with(keys: NotifyKeys) -> Iterator[tuple[str, str]]:
    """Keys that lack the one they go with, and mail that cannot go out."""
    pairs = (
        ("mail_to", "smtp_host"),
        ("mail_to", "mail_from"),
        ("mail_from", "mail_to"),
        ("smtp_host", "mail_to"),
        ("smtp_user", "smtp_password"),
        ("smtp_password", "smtp_user"),
        ("ntfy_token", "ntfy_url"),
        ("webhook_token", "webhook_url"),
    )
    for key, needed in pairs:
        if getattr(keys, key) is not None and getattr(keys, needed) is None:
            yield key, _("`{key}` is missing", key=needed)
    for key in ("mail_to", "mail_from"):
        addresses = getattr(keys, key) or ()
        for address in (addresses,) if isinstance(addresses, str) else addresses:
            if not _is_mail_address(address):
                yield key, _("{address} is not an e-mail address", address=repr(address))
    if keys.smtp_host is not None and not is_host(keys.smtp_host) and keys.smtp_host not in LOOPBACK:
        yield "smtp_host", _("{host} is not the name of a host", host=repr(keys.smtp_host))
    if keys.smtp_security == "none" and keys.smtp_host is not None and keys.smtp_host not in LOOPBACK:
        yield "smtp_security", _("it must be tls or starttls, or the messages would travel in the clear")


def _is_mail_address(text: str) -> bool:
    name, at, host = text.rpartition("@")
    return bool(at and name) and is_host(host) and not any(one.isspace() or one in '<>,;@"' for one in name)
