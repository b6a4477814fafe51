"""Locked PDFs: which of a rule's passwords opens which input. Found out here, so that no call is spent on guessing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from paperchute.contract import Value, contract
from paperchute.jobs.records import Job
from paperchute.jobs.work import Request
from paperchute.rules.passwords import passwords_for
from paperchute.service.records import ServiceError

Opener = Callable[[Path, Sequence[str]], int | None]
"""(a PDF, passwords) -> the number of the first that opens it; -1 when it is not locked, None when none does."""

_OF_TWO = ("targetPassword", "insertPassword")


def unlocked(job: Job, request: Request, error: ServiceError, opener: Opener) -> Request:
    """The refused call with the passwords of the rule that open its inputs.

    error: the service's refusal. Raises it, with what was tried in its text, when there is no password for an input.
    """
    if error.kind != "password" or not job.rule.passwords:
        raise error
    passwords, missing = passwords_for(job.rule, job.relative)
    own = request.given.get("passwords")
    given = own if isinstance(own, list) and len(own) == len(request.inputs) else [""] * len(request.inputs)
    found = [
        _opening(path, [mine, *passwords] if mine else passwords, opener)
        for path, mine in zip(request.inputs, given, strict=True)
    ]
    if None in found or not any(found):
        tried = f"None of the rule's {len(passwords)} passwords opens it."
        raise ServiceError(
            " ".join([error.what, tried, *missing]), error.advice, kind=error.kind, code=error.code, reason=error.reason
        )
    values = _as_parameters(job, request, [password or "" for password in found])
    return replace(request, given={**request.given, **values})


def _opening(path: Path, passwords: Sequence[str], opener: Opener) -> str | None:
    """The password for a file, empty for one that is not locked; None when there is none."""
    number = opener(path, passwords)
    if number is None:
        return None
    return passwords[number] if number >= 0 else ""


def _as_parameters(job: Job, request: Request, found: Sequence[str]) -> Mapping[str, Value]:
    operation = contract().known(job.rule.steps[request.number].operation)
    if operation.parameter("passwords") is not None:
        return {"passwords": list(found)}
    if all(operation.parameter(name) is not None for name in _OF_TWO):
        return {name: password for name, password in zip(_OF_TWO, found, strict=False) if password}
    return {"password": next(password for password in found if password)}
