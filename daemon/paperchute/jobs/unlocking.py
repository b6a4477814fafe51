"""Locked inputs: a call that was refused for a password, made again with those that the rule or a person has."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from paperchute.contract import Value, contract
from paperchute.jobs.model import Job
from paperchute.jobs.work import Opener, Request
from paperchute.language import _, ngettext
from paperchute.rules.document_fields import step_of
from paperchute.rules.secrets import passwords_before, passwords_for
from paperchute.service.model import ServiceError

_PASSWORDS_OF_TWO = ("targetPassword", "insertPassword")


def unlocked(
    job: Job,
    request: Request,
    error: ServiceError,
    opener: Opener,
    beside: Sequence[str] = (),
    typed: Callable[[Job], Sequence[str]] = lambda job: (),
) -> Request:
    """The refused call with the passwords of the rule, or those that somebody has typed, that open its inputs.

    error: the service's refusal. Raises it, with what was tried in its text, when there is no password for an input.
    beside: passwords that came with the job's files, for what its steps have made.
    """
    if error.kind != "password":
        raise error
    own_passwords, missing = passwords_for(job.rule, job.relative)
    passwords = list(dict.fromkeys([*typed(job), *own_passwords]))
    if request.number > 0 or len(request.inputs) > 1:  # several may be what earlier rounds of a merge have joined
        before = passwords_before(job.rule, job.relative, request.number + (len(request.inputs) > 1))
        passwords = list(dict.fromkeys([*passwords, *before, *beside]))
    if not passwords and not missing:
        raise error
    own = request.given.get("passwords")
    given = own if isinstance(own, list) and len(own) == len(request.inputs) else [""] * len(request.inputs)
    found = [
        _opening(path, [mine, *passwords] if mine else passwords, opener)
        for path, mine in zip(request.inputs, given, strict=True)
    ]
    if None in found or not any(found):
        closed = [path.name for path, password in zip(request.inputs, found, strict=True) if password is None]
        tried = _("The password that was typed does not open it.") if typed(job) else ""
        tried = tried or _none_opens(len(passwords), closed if len(request.inputs) > 1 else [])
        raise ServiceError(
            " ".join([error.what, tried, *missing]), error.advice, kind=error.kind, code=error.code, reason=error.reason
        )
    values = _as_parameters(job, request, [password or "" for password in found])
    return replace(request, given={**request.given, **values})


def _none_opens(passwords: int, files: Sequence[str]) -> str:
    """Return what was tried in vain. files: which are still locked, where there are several."""
    if not files:
        return ngettext(
            "The rule's password does not open it.", "None of the rule's {n} passwords opens it.", passwords
        )
    return ngettext(
        "The rule's password does not open {files}.",
        "None of the rule's {n} passwords opens {files}.",
        passwords,
        files=", ".join(files),
    )


def _opening(path: Path, passwords: Sequence[str], opener: Opener) -> str | None:
    """The password for a file, empty for one that is not locked; None when there is none."""
    number = opener(path, passwords)
    if number is None:
        return None
    return passwords[number] if number >= 0 else ""


def _as_parameters(job: Job, request: Request, found: Sequence[str]) -> Mapping[str, Value]:
    operation = contract().known(step_of(job.rule, request.number).operation)
    if operation.parameter("passwords") is not None:
        return {"passwords": list(found)}
    if all(operation.parameter(name) is not None for name in _PASSWORDS_OF_TWO):
        return {name: password for name, password in zip(_PASSWORDS_OF_TWO, found, strict=False) if password}
    return {"password": next(password for password in found if password)}
