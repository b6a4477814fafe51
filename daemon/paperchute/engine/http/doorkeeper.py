"""Whose call it is: the API key that a request shows, and the refusal of one that shows none."""

from __future__ import annotations

import hmac
from collections.abc import Callable

from starlette.datastructures import Headers
from starlette.requests import Request

from paperchute.engine.keys.table import OWN, ApiKey, KeyTable
from paperchute.engine.work import Refused
from paperchute.language import N_, _, speaking
from paperchute.redaction import in_use

ShownKey = Callable[[Headers], str]
"""What stands in the headers as the key; empty for none."""


def shown_key(headers: Headers) -> str:
    """The key of a request, as x-api-key or as a bearer token."""
    given = headers.get("x-api-key", "")
    if given:
        return given
    scheme, _separator, token = headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def bearer_key(headers: Headers) -> str:
    """The key after `Bearer` and one space: see contract.toml [auth.upload]."""
    given = headers.get("authorization", "")
    return given.removeprefix("Bearer ") if given.startswith("Bearer ") else ""


class Doorkeeper:
    """Knows the service's own key, and asks its store for the others."""

    def __init__(self, own: str, keys: KeyTable) -> None:
        self._own = own.encode()
        self._keys = keys
        self._seen: set[str] = set()  # valid when they were last shown; no more than there are keys

    def own(self, given: str) -> ApiKey | None:
        """The service's own key, if it is that."""
        return OWN if self._own and hmac.compare_digest(given.encode(), self._own) else None

    def named(self, given: str) -> ApiKey | None:
        """Another key, as the store has it now."""
        found = self._keys.find(given)
        if found is None:
            self._seen.discard(given)
        elif given not in self._seen:
            self._seen.add(given)
            in_use(given)  # wherever else it may stand, no log is to have it
        return found

    def knows(self, headers: Headers) -> bool:
        """Tell if a request comes from somebody who has shown a key before: for its connection, not for its answer."""
        given = shown_key(headers)
        return given in self._seen or self.own(given) is not None


def unknown_key(request: Request, shown: ShownKey) -> Refused:
    """Of a request without a key that opens anything."""
    strict = N_("the API key is missing or wrong, or does not follow the word Bearer and one space")
    sentence = strict if shown is bearer_key else N_("the API key is missing or wrong")
    return Refused("401", _in_both_languages(request, sentence))


def _in_both_languages(request: Request, sentence: str) -> str:
    """A form may ask for Chinese, but what comes without the key is not read; only query and headers may say so."""
    if "language" in request.query_params or "accept-language" in request.headers:
        return _(sentence)
    with speaking("zh_Hans"):
        return f"{sentence} ({_(sentence)})"
