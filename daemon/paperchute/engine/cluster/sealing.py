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
from paperchute.engine.cluster.database import Database
from paperchute.engine.settings import SECRETS_KEY
from paperchute.language import _

LEAST_KEY = 32
"""Characters of the key's text."""
_NONCE = 12  # bytes, as AES-GCM has it
_MARK = 16  # bytes that tell one key from another


class Sealing:
    """A `Seal`: AES-GCM under a key made of a text, each bundle bound to the run that it is for."""

    def __init__(self, text: str) -> None:
        """text: at least `LEAST_KEY` characters, the same for all of a cluster."""
        self._cipher = AESGCM(_derived(text, 32, b"paperchute passwords of waiting tasks"))
        self.mark = _derived(text, _MARK, b"paperchute which key it is").hex()

    def close(self, bundle: Mapping[str, Value], run: str) -> str:
        """The bundle as text that says nothing."""
        nonce = secrets.token_bytes(_NONCE)
        sealed = nonce + self._cipher.encrypt(nonce, json.dumps(dict(bundle)).encode(), run.encode())
        return base64.b64encode(sealed).decode()

    def open(self, text: str, run: str) -> dict[str, Value]:
        """Return what `close` was given. Raises ValueError for another key, another run, or a text that was changed."""
        try:
            sealed = base64.b64decode(text, validate=True)
            return dict(json.loads(self._cipher.decrypt(sealed[:_NONCE], sealed[_NONCE:], run.encode())))
        except InvalidTag as error:
            raise ValueError("it was sealed with another key, or for another run") from error


def same_for_all(seal: Sealing, database: Database) -> None:
    """The first engine of a cluster writes down which key it seals with. Raises ValueError where others have another.

    With two keys about, each task with a password would fail or not by who happens to begin it.
    """
    database.write("insert into sealing (mark) values (?) on conflict do nothing", seal.mark)
    if database.rows("select mark from sealing")[0]["mark"] != seal.mark:
        raise ValueError(
            _(
                "the other engines of this database seal passwords with another key: {name} must be the same for all",
                name=SECRETS_KEY,
            )
        )


def _derived(text: str, size: int, use: bytes) -> bytes:
    return HKDF(SHA256(), size, salt=None, info=use).derive(text.encode())
