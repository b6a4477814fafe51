"""Secrets by reference: the rule file says where a password is, never what it is."""

from __future__ import annotations

import csv
import os
import re
import stat
import sys
import unicodedata
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePath

from paperchute.errors import PaperchuteError
from paperchute.files.names import expanded, safe_name
from paperchute.language import N_, _
from paperchute.redaction import in_use
from paperchute.rules.model import Rule
from paperchute.rules.output import from_name
from paperchute.rules.tables import Step

FORMS = N_("env:NAME, keyring:SERVICE/USER, file:PATH or csv:PATH/KEY")
OF_ROW = "row:"
_SCHEMES = ("env", "keyring", "file", "csv")
_TWO_PARTS = ("keyring", "csv")
_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
_MOST_BYTES = 4 << 20
_WIDER_THAN_OWNER = stat.S_IRWXG | stat.S_IRWXO


class SecretError(PaperchuteError):
    """A secret is not where its reference says."""


def is_reference(text: str) -> bool:
    """Decide whether `text` is a reference and not, by mistake, the secret itself."""
    scheme, colon, rest = text.partition(":")
    first, last = rest.rpartition("/")[::2]
    return bool(colon and rest) and scheme in _SCHEMES and (scheme not in _TWO_PARTS or bool(first and last))


def placeholders(reference: str) -> list[str]:
    """The names in braces in a reference: what stands for them comes from the name of the file at work."""
    return _PLACEHOLDER.findall(reference)


def may_have_placeholders(reference: str) -> bool:
    """Decide whether braces stand only in the last part: the user of a keyring, the key of a list, the name of a file.

    So no file name can lead to another list, folder, service or variable.
    """
    scheme, rest = reference.partition(":")[::2]
    return not placeholders(reference if scheme == "env" else rest.rpartition("/")[0])


def anchored(reference: str, home: Path) -> str:
    """The reference with a relative path made to start from `home`, the folder of the rule file that it stands in."""
    scheme, rest = reference.partition(":")[::2]
    if scheme not in ("file", "csv") or not rest or expanded(rest).is_absolute():
        return reference
    return f"{scheme}:{home.as_posix().rstrip('/')}/{rest}"


def is_of_row(text: str) -> bool:
    """Decide whether `text` says that each row of a list bears the secret, in a column: `row:COLUMN`."""
    return text.startswith(OF_ROW) and len(text) > len(OF_ROW)


def resolve(reference: str, names: Mapping[str, str] | None = None) -> str:
    """The secret itself, from now on masked in whatever is told. names: what stands for `{name}` in its last part.

    Raises SecretError, whose text names the reference only.
    """
    secret = _found(reference, names)
    in_use(secret)
    return secret


def _found(reference: str, names: Mapping[str, str] | None) -> str:
    scheme, rest = reference.partition(":")[::2]
    front, slash, last = rest.rpartition("/")
    if names is not None:
        fit = safe_name if scheme == "file" else str
        filled = _PLACEHOLDER.sub(lambda match: fit(names.get(match[1], "")), last)
        if filled != last and not slash:
            front, slash = Path.cwd().as_posix(), "/"  # a file called ~root names nobody's home folder
        last = filled
    match scheme:
        case "env":
            return _from_environment(rest)
        case "keyring":
            return _from_keyring(front, last)
        case "file":
            return _from_file(expanded(f"{front}{slash}{last}"))
        case "csv":
            return _from_list(expanded(front), last)
    raise SecretError(_("A password must be given by reference."), _("Write {forms}.", forms=_(FORMS)))


def _from_environment(name: str) -> str:
    value = os.environ.get(name)
    if not value:
        raise SecretError(_("The variable {name} is not set.", name=name), _("Set it where Paperchute is started."))
    return value


def _from_keyring(service: str, user: str) -> str:
    import keyring
    import keyring.errors

    try:
        value = keyring.get_password(service, user)
    except keyring.errors.KeyringError as error:
        raise SecretError(
            _("This machine has no keyring service that can be used."), _("Use env:NAME or file:PATH instead.")
        ) from error
    if value is None:
        raise SecretError(
            _("The keyring holds nothing for {service}/{user}.", service=service, user=user),
            _("Store it: keyring set {service} {user}", service=service, user=user),
        )
    return value


def _from_file(path: Path) -> str:
    value = _private_text(path).strip()
    if not value:
        raise SecretError(_("{path} is empty.", path=path), _("Write the secret into it."))
    return value


def _from_list(path: Path, key: str) -> str:
    """The second column of the line whose first column is `key`, without regard to letter case."""
    lines = _private_text(path).splitlines()
    separator = ";" if lines and lines[0].count(";") > lines[0].count(",") else ","  # as spreadsheets save it
    wanted = _plain(key)
    try:
        rows = [row for row in csv.reader(lines, delimiter=separator) if row and _plain(row[0]) == wanted]
    except csv.Error as error:
        raise SecretError(
            _("{path} is not a list of passwords ({error}).", path=path, error=error), _("Save it as CSV.")
        ) from error
    found = {row[1].strip() for row in rows if len(row) > 1 and row[1].strip()}
    if not wanted or not found:
        raise SecretError(
            _("{path} has no password for {key}.", path=path, key=repr(key)),
            _("Add a line: the key, a comma, the password."),
        )
    if len(found) > 1:
        raise SecretError(_("{path} has several passwords for {key}.", path=path, key=repr(key)), _("Leave one line."))
    return found.pop()


def secrets_of_list(reference: str) -> list[str]:
    """All secrets of the list that a `csv:` reference leads to. Raises SecretError."""
    lines = _private_text(expanded(reference.partition(":")[2].rpartition("/")[0])).splitlines()
    rows = (row for separator in ",;" for row in csv.reader(lines, delimiter=separator))
    try:
        return [word.strip() for row in rows for word in row[1:] if word.strip()]
    except csv.Error:
        return [word.strip() for line in lines for word in re.split(r"[;,]", line)[1:] if word.strip()]


def _private_text(path: Path) -> str:
    try:
        status = path.stat()
        if sys.platform != "win32" and status.st_mode & _WIDER_THAN_OWNER:
            raise SecretError(_("{path} can be read by others.", path=path), _("Run: chmod 600 {path}", path=path))
        if not stat.S_ISREG(status.st_mode) or status.st_size > _MOST_BYTES:
            raise SecretError(_("{path} is not a file of secrets.", path=path), _("Check that the path is right."))
        return path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise SecretError(
            _("The secret in {path} cannot be read.", path=path), _("Check that the file is there.")
        ) from error


def _plain(text: str) -> str:
    return unicodedata.normalize("NFC", text.strip()).casefold()


PASSWORDS = ("password", "targetPassword", "insertPassword", "passwords")
"""Parameters that open a source."""

LOCKS = ("userPassword", "ownerPassword")
"""Parameters that lock a result."""


def passwords_for(rule: Rule, relative: PurePath) -> tuple[list[str], list[str]]:
    """Return what the rule's `passwords` refer to: (those that can be had, a sentence for each that cannot).

    relative: of the input, whose name may fill in references.
    """
    return _resolved(rule, relative, rule.passwords)


def opening_passwords_for(rule: Rule, relative: PurePath) -> tuple[list[str], list[str]]:
    """As `passwords_for`, with those that the first step's parameters refer to: all that may open an input."""
    return _resolved(rule, relative, (*_of_step(rule.steps[0], PASSWORDS), *rule.passwords))


def passwords_before(rule: Rule, relative: PurePath, number: int) -> list[str]:
    """What may open what the steps before the 0-based `number` have made: a locked source makes a locked result."""
    references = [one for step in rule.steps[:number] for one in _of_step(step, (*PASSWORDS, *LOCKS))]
    return _resolved(rule, relative, tuple(references))[0]


def has_passwords(rule: Rule) -> bool:
    """Decide whether the rule refers to any password that may open an input."""
    return bool(rule.passwords) or any(_of_step(rule.steps[0], PASSWORDS))


def _of_step(step: Step, names: tuple[str, ...]) -> Iterator[str]:
    for name in names:
        value = step.parameters.get(name)
        yield from (
            one for one in (value if isinstance(value, list) else [value]) if isinstance(one, str) and is_reference(one)
        )


def _resolved(rule: Rule, relative: PurePath, references: tuple[str, ...]) -> tuple[list[str], list[str]]:
    found, missing = [], []
    names = from_name(rule, relative)
    for reference in dict.fromkeys(references):
        try:
            found.append(resolve(reference, names))
        except SecretError as error:
            missing.append(error.what)
    return found, missing
