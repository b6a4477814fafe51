"""Secrets by reference: the rule file says where a password is, never what it is."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

from paperchute.errors import PaperchuteError

FORMS = "env:NAME, keyring:SERVICE/USER or file:PATH"
OF_ROW = "row:"
_SCHEMES = ("env", "keyring", "file")
_WIDER_THAN_OWNER = stat.S_IRWXG | stat.S_IRWXO


class SecretError(PaperchuteError):
    """A secret is not where its reference says."""


def is_reference(text: str) -> bool:
    """Whether `text` is a reference and not, by mistake, the secret itself."""
    scheme, colon, rest = text.partition(":")
    return bool(colon and rest) and scheme in _SCHEMES and (scheme != "keyring" or "/" in rest)


def is_of_row(text: str) -> bool:
    """Whether `text` says that each row of a list bears the secret, in a column: `row:COLUMN`."""
    return text.startswith(OF_ROW) and len(text) > len(OF_ROW)


def resolve(reference: str) -> str:
    """The secret itself. Raises SecretError, whose text names the reference only."""
    scheme, _, rest = reference.partition(":")
    match scheme:
        case "env":
            return _from_environment(rest)
        case "keyring":
            return _from_keyring(rest)
        case "file":
            return _from_file(Path(rest).expanduser())
    raise SecretError("A password must be given by reference.", f"Write {FORMS}.")


def _from_environment(name: str) -> str:
    value = os.environ.get(name)
    if not value:
        raise SecretError(f"The variable {name} is not set.", "Set it where Paperchute is started.")
    return value


def _from_keyring(rest: str) -> str:
    import keyring
    import keyring.errors

    service, _, user = rest.rpartition("/")
    try:
        value = keyring.get_password(service, user)
    except keyring.errors.KeyringError as error:
        raise SecretError(
            "This machine has no keyring service that can be used.", "Use env:NAME or file:PATH instead."
        ) from error
    if value is None:
        raise SecretError(f"The keyring holds nothing for {service}/{user}.", f"Store it: keyring set {service} {user}")
    return value


def _from_file(path: Path) -> str:
    try:
        mode = path.stat().st_mode
        if sys.platform != "win32" and mode & _WIDER_THAN_OWNER:
            raise SecretError(f"{path} can be read by others.", f"Run: chmod 600 {path}")
        value = path.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise SecretError(f"The secret in {path} cannot be read.", "Check that the file is there.") from error
    if not value:
        raise SecretError(f"{path} is empty.", "Write the secret into it.")
    return value
