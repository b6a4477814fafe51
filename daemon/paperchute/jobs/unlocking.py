"""Locked PDFs: which of a rule's passwords opens which input. Found out here, so that no call is spent on guessing.

What a step makes of a locked PDF is locked as that was, so the passwords of earlier steps count too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from paperchute.contract import Value, contract
from paperchute.jobs.records import Job
from paperchute.jobs.work import Request
from paperchute.rules.passwords import passwords_before, passwords_for
from paperchute.service.model import ServiceError

Opener = Callable[[Path, Sequence[str]], int | None]
"""(a PDF, passwords) -> the number of the first that opens it; -1 when it is not locked, None when none does."""

_OF_TWO = ("targetPassword", "insertPassword")


def unlocked(job: Job, request: Request, error: ServiceError, opener: Opener, beside: Sequence[str] = ()) -> Request:
    """The refused call with the passwords of the rule that open its inputs.

    error: the service's refusal. Raises it, with what was tried in its text, when there is no password for an input.
    beside: passwords that came with the job's files, for what its steps have made.
    """
    if error.kind != "password":
        raise error
    passwords, missing = passwords_for(job.rule, job.relative)
    if request.number or len(request.inputs) > 1:  # several may be what earlier rounds of a merge have joined
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
        which = "it" if len(request.inputs) == 1 else ", ".join(closed)
        tried = f"None of the rule's {len(passwords)} passwords opens {which}."
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
