"""The page's password: how a log-in is compared with it, without telling by time or memory what it is."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
import unicodedata

from paperchute.rules.page import is_hash

_PREFIX = "scrypt:"
_SALT_BYTES = 16
_HASH_BYTES = 32
_COST, _BLOCK, _ROUNDS = 2**14, 8, 5
"""scrypt's N, r and p: 16 MB and about a fifth of a second, as OWASP's list of equal strengths has it. They belong to
the prefix: others need another one."""


class Password:
    """What must be given to come in, kept as a hash. It takes as long for a right one as for a wrong one."""

    def __init__(self, text: str) -> None:
        """text: the password itself, or its hash."""
        known = base64.urlsafe_b64decode((text if is_hash(text) else hashed(text)).removeprefix(_PREFIX))
        self._salt, self._hash = known[:_SALT_BYTES], known[_SALT_BYTES:]

    def fits(self, given: str) -> bool:
        """Decide whether it is the password."""
        return hmac.compare_digest(_derived(given, self._salt), self._hash)


def hashed(text: str) -> str:
    """A password's hash, as it may stand in a rule file. Another one each time."""
    salt = secrets.token_bytes(_SALT_BYTES)
    return _PREFIX + base64.urlsafe_b64encode(salt + _derived(text, salt)).decode("ascii")


def _derived(text: str, salt: bytes) -> bytes:
    """As whoever types it may have composed its letters."""
    raw = unicodedata.normalize("NFC", text).encode("utf-8", "surrogatepass")
    return hashlib.scrypt(raw, salt=salt, n=_COST, r=_BLOCK, p=_ROUNDS, dklen=_HASH_BYTES)
