"""Passwords of tasks that wait in the shared database: readable only for who has the key of the environment."""

from __future__ import annotations

import base64
import json
import secrets
from collections.abc import Mapping

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from paperchute.contract import Value

LEAST_KEY = 32
"""Characters of the key's text."""
_NONCE = 12  # bytes, as AES-GCM has it


class Sealing:
    """A `Seal`: AES-GCM under a key made of a text, each bundle bound to the run that it is for."""

    def __init__(self, text: str) -> None:
        """text: at least `LEAST_KEY` characters, the same for all of a cluster."""
        made = HKDF(SHA256(), 32, salt=None, info=b"paperchute passwords of waiting tasks").derive(text.encode())
        self._cipher = AESGCM(made)

    def close(self, bundle: Mapping[str, Value], run: str) -> str:
        """The bundle as text that says nothing."""
        nonce = secrets.token_bytes(_NONCE)
        sealed = nonce + self._cipher.encrypt(nonce, json.dumps(dict(bundle)).encode(), run.encode())
        return base64.b64encode(sealed).decode()

    def open(self, text: str, run: str) -> dict[str, Value]:
        """What `close` was given. Raises ValueError for another key, another run, or a text that was changed."""
        try:
            sealed = base64.b64decode(text, validate=True)
            return dict(json.loads(self._cipher.decrypt(sealed[:_NONCE], sealed[_NONCE:], run.encode())))
        except InvalidTag as error:
            raise ValueError("it was sealed with another key, or for another run") from error
