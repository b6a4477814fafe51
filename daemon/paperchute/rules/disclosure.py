"""What of the rule file and of other texts may leave the machine, as in a report of a fault: everything but secrets.

`redaction` masks the secrets that are in use. Here are those, too, that nothing has used yet, and those that stand
where they must not: a password in plain text is a mistake in a rule file, and mistakes are what reports are about.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, MutableMapping, MutableSequence
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import tomlkit
from tomlkit.exceptions import TOMLKitError

from paperchute.redaction import MASK, in_use, masked
from paperchute.rules.model import RULE_KEYS
from paperchute.rules.secrets import (
    SecretError,
    anchored,
    is_of_row,
    is_reference,
    placeholders,
    resolve,
    secrets_of_list,
)

_SECRET_KEY = re.compile(r"pass|pwd|secret|token|credential|auth|(?:^|[_-])key", re.IGNORECASE)
_ADDRESS_KEY = re.compile(r"hook|ntfy|callback|url$", re.IGNORECASE)
"""Keys whose address may be a secret behind its host: whoever knows it can write there."""
_LETS_WRITE = re.compile(r"hook|callback", re.IGNORECASE)
"""Those of them that nobody needs to see again, to go on editing."""
_SECRET_VARIABLE = re.compile(
    r"(?:^|_)(?:API|ACCESS|PRIVATE)?_?(?:KEY|TOKEN|SECRET|PASS|PASSWD|PASSWORD|PWD|CREDENTIALS?)(?:_|$)|_HEADERS$",
    re.IGNORECASE,
)
_NO_SECRET = {"PWD", "OLDPWD"}
_TOLD_OF_BROKEN = set(RULE_KEYS) - {"parameters", "passwords", "sidecar_secrets", "steps"} | {"version"}
"""Of a file that cannot be read as TOML only the values of these keys are told."""

_USER_IN_ADDRESS = re.compile(r"(\w://)[^\s/?#\"'<>]*@")
_QUERY = re.compile(r"(\w://[^\s?\"'<>]*)\?[^\s\"'<>]*")
_AUTHORIZATION = re.compile(r"\b(bearer|basic)\s+[^\s\"',;]+", re.IGNORECASE)
_ASSIGNED = re.compile(
    r"([\w.-]*(?:pass(?:word|phrase|wd)?|pwd|secret|token|credential|api[_-]?key)[\w.-]*[\"']?\s*[:=]\s*)"
    r"(\"(?:\\.|[^\"\\])*\"|'[^']*'|[^\s,;\]})]+)",
    re.IGNORECASE,
)
_ISSUED = re.compile(
    r"\b(?:[sprw]k[-_](?:live|test|prod|proj|ant)?[-_]?[A-Za-z0-9][\w-]{5,}|gh[oprsu]_\w{8,}|github_pat_\w+|glpat-[\w-]+"
    r"|xox[a-z]-[\w-]+|A[KS]IA[0-9A-Z]{8,}|AIza[\w-]{20,}|eyJ[\w-]{8,}\.[\w.-]+)"
    r"|(?<![A-Za-z0-9])(?=[A-Za-z0-9]*[a-z])(?=[A-Za-z0-9]*[A-Z])(?=[A-Za-z0-9]*[0-9])[A-Za-z0-9]{20,}"
)
"""Keys as services issue them: by their usual beginnings, and what is long and mixed as no word is."""

_SECRET_WORD = re.compile(
    r"pass|pwd|\bpin\b|secret|token|credential|api[_-]?key|log-?in"
    r"|kenn?wort|geheim|zugang|schlüssel|losung|mot de passe|secreto?|identifiant|contraseñ|clave|senha|parola"
    r"|wachtwoord|lösenord|hasło|heslo|salasana|şifre|парол|секрет|密码|口令|密鑰|密钥|パスワード|暗証|암호|비밀번호",
    re.IGNORECASE,
)
"""What people call a secret, in some languages."""
_SAID = re.compile(r"(?<=[:=])(\s*)(\S+)(?=\s*[.,;]?$)|(?<=[:=])(\s*)(\S+)(?=\s*[,;]\s)")
"""A single word behind a colon or an equals sign: what a note about a login looks like in any language."""
_MIXED = re.compile(r"(?<![\w/])(?=\S*[^\W\d_])(?=\S*\d)(?!\d+[a-zA-Z]{1,2}\b)[^\s/,;()]{6,}")
"""Letters with numbers, and no size: passwords, and some names of things that nobody misses."""


def _without_secrets_in_comments(text: str) -> str:
    """A text of the rule file, with masks for whatever in its comments looks like a secret."""
    lines = []
    for line in scrubbed(text).split("\n"):
        code, comment = _divided(line)
        lines.append(code + _told_of_comment(comment))
    return "\n".join(lines)


def _divided(line: str) -> tuple[str, str]:
    """Return what stands before the comment of a line, and the comment with its sign."""
    quote = ""
    for place, letter in enumerate(line):
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "\"'":
            quote = letter
        elif letter == "#":
            return line[:place], line[place:]
    return line, ""


def _told_of_comment(comment: str) -> str:
    if found := _SECRET_WORD.search(comment):
        word = re.match(r"\w*", comment[found.end() :])
        return comment[: found.end() + (word.end() if word else 0)] + f" {MASK}"
    key = comment.lstrip("# ").partition("=")[0].strip()
    if "=" in comment and key in _TOLD_OF_BROKEN:  # a rule that is switched off
        return comment
    return _MIXED.sub(MASK, _SAID.sub(lambda found: f"{found[1] or found[3] or ''}{MASK}", comment))


def rule_text(text: str, home: Path) -> str:
    """The text of a rule file, or of what should be one, without secrets. home: the folder that it lies in."""
    try:
        document = tomlkit.parse(text)
        _mask_in(document, "", home)
        text = tomlkit.dumps(document)
    except (TOMLKitError, ValueError, RecursionError, TypeError):
        text = "\n".join(map(_of_broken, text.split("\n")))
    return _without_secrets_in_comments(text)


def is_told(value: Any, key: str) -> bool:
    """Tell if the value of a key of the rule file may be shown to its owner: neither it nor its parts hold a secret."""
    if isinstance(value, Mapping | list | tuple):
        return all(is_told(its, name if isinstance(name, str) else key) for name, its in _entries(value))
    if not isinstance(value, str) or is_reference(value) or is_of_row(value):
        return True
    return not _SECRET_KEY.search(key) and not _LETS_WRITE.search(key) and scrubbed(value) == value


def told_of_rule(text: str) -> str:
    """Return what stands in a file for one rule, with masks for what is not to be shown."""
    try:
        document = tomlkit.parse(text)
        _mask_untold(document, "")
        text = tomlkit.dumps(document)
    except (TOMLKitError, ValueError, RecursionError, TypeError):  # it is stricter than what reads the rules
        text = "\n".join(map(_of_broken, text.split("\n")))
    return _without_secrets_in_comments(text)


def _mask_untold(values: Any, key: str) -> None:
    for name, value in _entries(values):
        its = name if isinstance(name, str) else key
        if isinstance(value, MutableMapping | MutableSequence):
            _mask_untold(value, its)
        elif not is_told(value, its):
            values[name] = MASK


def learn_from_environment() -> None:
    """Have the values of variables masked whose names say that they are secret."""
    for name, value in os.environ.items():
        if _SECRET_VARIABLE.search(name) and name not in _NO_SECRET:
            in_use(value)


def scrubbed(text: str) -> str:
    """A text of any origin, without secrets in use and without what has the form of one."""
    text = masked(text)
    text = _USER_IN_ADDRESS.sub(rf"\1{MASK}@", text)
    text = _QUERY.sub(rf"\1?{MASK}", text)
    text = _AUTHORIZATION.sub(rf"\1 {MASK}", text)
    text = _ISSUED.sub(MASK, text)
    return _ASSIGNED.sub(lambda found: found[0] if _is_told(found[2]) else f'{found[1]}"{MASK}"', text)


def _is_told(value: str) -> bool:
    return is_reference(value.strip("\"'")) or value[0] in "[{" or MASK in value


def _mask_in(values: Any, key: str, home: Path) -> None:
    """Put masks into a table or list of the file, and learn what is masked and what references lead to."""
    for name, value in _entries(values):
        its = name if isinstance(name, str) else key
        if isinstance(value, MutableMapping | MutableSequence):
            _mask_in(value, its, home)
        elif isinstance(value, str):
            if is_reference(str(value)):
                _learn(anchored(str(value), home))
            elif _SECRET_KEY.search(its):
                in_use(str(value))
                values[name] = MASK
            elif (told := _told_of_address(str(value), its)) != str(value):
                values[name] = told


def _entries(values: Any) -> Iterator[tuple[Any, Any]]:
    return iter(list(values.items()) if isinstance(values, Mapping) else list(enumerate(values)))


def _learn(reference: str) -> None:
    """Have whatever the reference may lead to masked."""
    with suppress(SecretError, OSError):
        if reference.startswith("csv:"):
            for secret in secrets_of_list(reference):
                in_use(secret)
        elif not placeholders(reference):
            resolve(reference)


def _told_of_address(text: str, key: str) -> str:
    """An address without what lets in; any other text as it is."""
    try:
        parts = urlsplit(text)
        if "://" not in text or not parts.hostname:
            return text
    except ValueError:
        return MASK
    host = parts.netloc.rpartition("@")
    if host[0]:
        for secret in (host[0], *host[0].split(":", 1)):
            in_use(secret)
    behind = parts.path.strip("/")
    hidden = bool(behind) and bool(_ADDRESS_KEY.search(key)) and key != "base_url"
    if hidden:
        in_use(behind)
    if parts.query:
        in_use(parts.query)
    return urlunsplit(
        (
            parts.scheme,
            f"{MASK}@{host[2]}" if host[0] else host[2],
            f"/{MASK}" if hidden else parts.path,
            MASK if parts.query else "",
            MASK if parts.fragment else "",
        )
    )


def _of_broken(line: str) -> str:
    """A line of a file that is no TOML: headers, comments, and the values of harmless keys."""
    bare = line.strip()
    key = bare.partition("=")[0].strip().strip("\"'")
    if not bare or bare.startswith("#") or re.fullmatch(r"\[\[?[\w.]+\]\]?", bare):
        return line
    if "=" in bare and key in _TOLD_OF_BROKEN and "{" not in bare:
        return line
    return f"{key} = {MASK}" if "=" in bare and re.fullmatch(r"[\w.-]+", key) and not _SECRET_KEY.search(key) else MASK
