"""The language model of `[model]`, over HTTP: one question, one answer, within bounds of time and size."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from functools import partial

import httpx

from paperchute.app.outlets import Hold, Refused, why, within
from paperchute.jobs.model_questions import ModelError
from paperchute.language import _
from paperchute.redaction import bounded
from paperchute.rules.language_model import ModelKeys
from paperchute.rules.secrets import SecretError, resolve

_MOST_BYTES = 1 << 20
"""Of an answer, in which there is some text besides: a local model that thinks aloud writes some 100 KB."""
_MOST_WHY = 200
_TRIES = 2
_HEADERS = {"Content-Type": "application/json", "Accept-Encoding": "identity", "User-Agent": "paperchute"}


@dataclass(frozen=True)
class Endpoint:
    """A model as the rule file names it."""

    keys: ModelKeys

    @property
    def name(self) -> str:
        """What it is called."""
        return self.keys.model or ""

    @property
    def address(self) -> str:
        """Where questions go."""
        return self.keys.address

    def ask(self, body: bytes) -> str:
        """Return the text of its answer. Raises ModelError, within the time that `timeout` gives.

        Only where no connection came about is it tried once more: a question that was heard may cost something.
        """
        try:
            secret = resolve(self.keys.api_key) if self.keys.api_key else ""
            content = within(self.keys.timeout, partial(self._answer, body, secret))
        except SecretError as error:
            raise ModelError(error.what.removesuffix(".")) from None
        except (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError, Refused) as error:
            raise ModelError(bounded(why(error), _MOST_WHY)) from None
        return _text_in(content)

    def _answer(self, body: bytes, secret: str, hold: Hold) -> bytes:
        headers = _HEADERS | ({"Authorization": f"Bearer {secret}"} if secret else {})
        end = time.monotonic() + self.keys.timeout
        # what is asked of this machine goes through no proxy
        with httpx.Client(timeout=self.keys.timeout, trust_env=not self.keys.is_local) as client:
            hold(client.close)
            for left in reversed(range(_TRIES)):
                try:
                    return self._asked(client, body, headers, end)
                except httpx.ConnectError:
                    if not left:
                        raise
        raise AssertionError("the last try returns or raises")

    def _asked(self, client: httpx.Client, body: bytes, headers: dict[str, str], end: float) -> bytes:
        """Redirects are not followed: the text of a document goes where the rule file says.

        What is packed is not unpacked, and so no JSON: packed twice, some 2 KB become gigabytes before anybody counts.
        """
        content = bytearray()
        with client.stream("POST", self.address, content=body, headers=headers) as answer:
            if answer.status_code != httpx.codes.OK:
                raise Refused(_("the server answered {status}", status=answer.status_code))
            for block in answer.iter_raw():
                content += block
                if len(content) > _MOST_BYTES:
                    raise Refused(_("the answer is too long"))
                if time.monotonic() > end:
                    raise TimeoutError
        return bytes(content)


def endpoint_of(keys: ModelKeys) -> Endpoint | None:
    """Return the model that is set; None where there is none."""
    return Endpoint(keys) if keys.address else None


def _text_in(content: bytes) -> str:
    try:
        text = json.loads(content)["choices"][0]["message"]["content"]
    except (ValueError, RecursionError, LookupError, TypeError):
        text = None
    if not isinstance(text, str):
        raise ModelError(_("its answer is not the JSON that was asked for"))
    return text
