"""How other machines come in: `[page]` of the rule file, and over it what the environment says."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import ValidationError

from paperchute.errors import PaperchuteError
from paperchute.language import _
from paperchute.page.password import Password
from paperchute.redaction import in_use
from paperchute.rules.page import Network, PageKeys, is_hash, page_problems
from paperchute.rules.secrets import resolve
from paperchute.sandbox import take

_VARIABLE = "PAPERCHUTE_PAGE_"
_PASSWORD = f"{_VARIABLE}PASSWORD"
_LISTS = ("hosts", "proxies")
_LEAST_CHARACTERS = 8
"""Of a password: what log-ins that are slowed down do not find out in years."""


@dataclass(frozen=True)
class Access:
    """Where they come in, and what they show."""

    address: tuple[str, int]
    password: Password
    names: frozenset[str]
    proxies: tuple[Network, ...]
    may_change_rules: bool = False
    """Whether rules can be changed there, within what the rule file names already."""


def access(keys: PageKeys) -> Access | None:
    """Return what is asked for; None where the page stays on this machine.

    The password leaves the environment with this, so that no child process has it. keys: of the rule file, without
    mistakes. Raises PaperchuteError, and SecretError where the password is not where the rule file says.
    """
    given = _taken_password()
    keys = with_environment(keys, os.environ, has_password=bool(given))
    if keys.listen is None:
        return None
    named = keys.password or ""
    secret = given or (named if is_hash(named) else resolve(named))
    if not is_hash(secret):
        in_use(secret, lasting=True)
        long_enough(secret)
    names = frozenset(name.lower() for name in keys.hosts or ())
    return Access(keys.address(), Password(secret), names, keys.networks(), keys.rules)


def own_port(keys: PageKeys) -> int:
    """The port of the page on this machine itself; 0 for any. Raises PaperchuteError for a wrong variable."""
    given = os.environ.get(f"{_VARIABLE}PORT")
    return (
        with_environment(PageKeys(), {f"{_VARIABLE}PORT": given}, has_password=False).port or 0
        if given
        else keys.port or 0
    )


def long_enough(password: str) -> str:
    """The same. Raises PaperchuteError for one that is too easily guessed."""
    if len(password) < _LEAST_CHARACTERS:
        raise PaperchuteError(
            _("The page's password is too short for a page that others can reach."),
            _("Take one of {n} characters at least.", n=_LEAST_CHARACTERS),
        )
    return password


def with_environment(keys: PageKeys, variables: Mapping[str, str], *, has_password: bool) -> PageKeys:
    """The keys as they hold. Raises PaperchuteError for what is wrong in a variable."""
    found = {name: value for name in PageKeys.model_fields if (value := variables.get(_VARIABLE + name.upper()))}
    found.pop("password", None)
    if not found and not has_password:
        return keys
    given = {name: value.split(",") if name in _LISTS else value for name, value in found.items()}
    reference = {"password": f"env:{_PASSWORD}"} if has_password else {}
    try:
        merged = PageKeys.model_validate({**keys.model_dump(exclude_none=True), **given, **reference})
        problem = next(page_problems(merged), None)
    except ValidationError as error:
        problem = (str(error.errors()[0]["loc"][0]), error.errors()[0]["msg"])
    if problem is not None:
        raise PaperchuteError(
            f"{_VARIABLE}{problem[0].upper()}: {problem[1]}.", _("Correct the variable, or remove it.")
        )
    return merged


def _taken_password() -> str:
    try:
        return take(_PASSWORD)
    except OSError as error:
        raise PaperchuteError(
            _("The secret in {path} cannot be read.", path=os.environ.get(f"{_PASSWORD}_FILE", "")),
            _("Check that the file is there."),
        ) from error
