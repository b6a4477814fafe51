"""`[model]`: a language model that is asked where what a document says of itself is not sure."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import Field

from paperchute.language import _
from paperchute.rules.keys import Table
from paperchute.rules.notify import LOOPBACK
from paperchute.rules.secrets import FORMS, anchored, is_reference
from paperchute.rules.values import Seconds, Text


class ModelKeys(Table):
    """`[model]`."""

    base_url: Text | None = Field(
        None,
        description="Address of an OpenAI-compatible interface, without /chat/completions, such as "
        "http://127.0.0.1:11434/v1. Left out: there is none.",
    )
    model: Text | None = Field(None, description="What the model is called there.")
    api_key: Text | None = Field(None, description="Where the key is, like api_key of [service]. Left out: none.")
    timeout: Annotated[Seconds, Field(ge=1, le=3600)] = Field(
        120.0, description="Seconds that it may take for a document, further tries included; then you are asked."
    )

    @property
    def address(self) -> str:
        """Where questions go; empty where there is no model."""
        return f"{self.base_url.rstrip('/')}/chat/completions" if self.base_url else ""

    @property
    def is_local(self) -> bool:
        """Whether it is on this machine."""
        return urlsplit(self.base_url or "").hostname in LOOPBACK

    def references(self) -> list[str]:
        """Return where secrets are."""
        return [self.api_key] if self.api_key else []

    def anchored(self, home: Path) -> ModelKeys:
        """With absolute paths in references. home: what relative ones start from."""
        return self.model_copy(update={"api_key": anchored(self.api_key, home)} if self.api_key else {})


def model_problems(keys: ModelKeys) -> Iterator[tuple[str, str]]:
    """(key, message) for what is wrong in [model] beyond types."""
    if keys.base_url is None:
        yield "base_url", _("`{key}` is missing", key="base_url")
    elif said := _address_problem(keys.base_url):
        yield "base_url", said
    if keys.model is None:
        yield "model", _("`{key}` is missing", key="model")
    if keys.api_key is not None and not is_reference(keys.api_key):
        said = _("the secret itself must not be written here; write where it is kept: {forms}", forms=_(FORMS))
        yield "api_key", said


def _address_problem(address: str) -> str:
    try:
        parts = urlsplit(address)
        parts.port  # noqa: B018 -- raises ValueError for what is not a port
    except ValueError:
        parts = urlsplit("")
    is_plain = parts.hostname and not (parts.username or parts.query or parts.fragment)
    if not is_plain or parts.scheme not in ("http", "https"):
        return _("base_url takes an address such as {example}", example="http://127.0.0.1:11434/v1")
    if parts.scheme == "http" and parts.hostname not in LOOPBACK:
        return _("base_url must be https, or the key and the documents would travel in the clear")
    return ""
