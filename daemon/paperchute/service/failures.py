"""From the service's codes and the wire's troubles to errors that people can act on."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from datetime import UTC
from email.utils import parsedate_to_datetime

import httpcore

from paperchute.contract import contract
from paperchute.invocation import command
from paperchute.language import N_, _
from paperchute.redaction import clean
from paperchute.service.answers import Verdict
from paperchute.service.model import ServiceError

_LONGEST_WAIT = 24 * 3600.0  # seconds; a service that asks for more is not believed
_TOO_MANY = 429
_COME_LATER = (408, 425, _TOO_MANY)  # of a refusal below 500 that says nothing of the call
_SPENT = "190006"
_OF_THE_FILE = (_SPENT, "02210")
_OTHER_KIND = ("02002", "02003")
_SENTENCES: dict[str, tuple[str, str]] = {
    "password": (
        N_("{name} is locked, and the password is missing or wrong."),
        N_(
            'Say where the right password is (in a rule: passwords = ["env:NAME"]; with `do`: -p '
            "password=env:NAME), or unlock the file."
        ),
    ),
    "bad-input": (N_("{name} cannot be read: it is damaged, empty, or not what its name says."), N_("Check the file.")),
    "bad-parameters": (N_("The service refuses the parameters for {name}."), N_("Correct the parameters.")),
    "no-content": (
        N_("{name} contains nothing that this operation looks for."),
        N_("Check that it is the right file."),
    ),
    "too-big": (N_("{name} is larger than the service takes."), N_("Split it, or use a service with a higher limit.")),
    "auth": (
        N_("The service refuses the API key."),
        N_(
            "Correct api_key in the rule file, or have the key let in again; work then continues by itself within"
            " minutes, or at once with: {command}"
        ),
    ),
    "limited": (N_("The service accepts no more from this API key just now."), N_("Work continues by itself.")),
    "quota": (
        N_("The service has no units left."),
        N_("Top up the account; work then continues by itself within minutes, or at once with: {command}"),
    ),
    "transient": (
        N_("The service could not process {name} just now."),
        "",
    ),
    "other-kind": (
        N_("{name} is sound, as far as can be told, but of a kind that this operation does not read."),
        N_("Give it to a rule whose operation reads files of its kind, or leave such files out with `match`."),
    ),
    "spent": (
        N_("{name} takes more time or memory than the engine gives one file."),
        N_("Split it, or raise processor_seconds, task_seconds or memory in [engine]."),
    ),
    "task": (N_("The service no longer knows the task of {name}."), N_("Try the job again.")),
    "permanent": (N_("The service refused {name}."), ""),
}
_OF_THE_CALL = frozenset(
    {"password", "bad-input", "other-kind", "bad-parameters", "no-content", "too-big", "permanent"}
)
"""Kinds of which our own engine's words say more than ours, and the same."""


def named(names: Sequence[str], reason: str) -> str:
    """Return which of a call's files a service's words are about, for people: the one that they name."""
    if len(names) < 2:
        return "".join(names)
    found = [name for name in names if re.search(rf"(?<!\w){re.escape(clean(name))}(?!\w)", reason)]
    return (
        max(found, key=len)
        if found
        else _("One of {count} files ({first} and others)", count=len(names), first=names[0])
    )


def from_verdict(
    verdict: Verdict,
    names: str | Sequence[str],
    status: int,
    retry_after: float | None,
    *,
    of_task: bool = False,
    local: bool = False,
) -> ServiceError:
    """Make the error for an answer that says no.

    Args:
        verdict: What the answer says.
        names: Of the call's files, for people.
        status: Of HTTP.
        retry_after: Seconds that the service asked to wait, or None.
        of_task: Whether the service was asked about a task that it had taken.
        local: Whether our own engine says it. What it has ended for its time or memory, or could not get through, is
            the file's fault and not tried again, as each try takes a worker as long.
    """
    name = names if isinstance(names, str) else named(names, verdict.reason)
    if verdict.unreadable and 200 <= status < 300:  # contract.toml [envelope.error]: it counts as a transport error
        return ServiceError(
            _(
                "The answer for {name} cannot be read: something between here and the service has changed it.",
                name=name,
            ),
            _("The call may have been carried out."),
            kind="lost",
            of_task=of_task,
        )
    if verdict.kind == "refused" and (status == 401 or verdict.code == "401"):
        kind = "auth"
    elif status == 402:
        kind = "quota"
    elif status == _TOO_MANY and verdict.kind == "refused":
        kind = "limited"
    else:
        kind = contract().error_class(verdict.code, status)
        if kind == "auth":  # said of one file, while the call itself was let in: the key is not what is wrong
            kind = "permanent"
        if local and verdict.kind == "failed" and verdict.code in _OF_THE_FILE:
            kind = "permanent"
    sentence = kind if kind in _SENTENCES else "permanent"
    if kind == "permanent" and verdict.code == _SPENT:
        sentence = "spent"
    elif kind == "bad-input" and verdict.code in _OTHER_KIND:
        sentence = "other-kind"
    what, advice = _SENTENCES[sentence]
    what = _(what, name=name)
    words = " ".join(word for word in (verdict.code, verdict.reason) if word)
    is_told = local and bool(verdict.reason) and sentence in _OF_THE_CALL
    is_answer = verdict.kind == "failed" or kind == "task"
    return ServiceError(
        _sentence(name, verdict.reason) if is_told else with_reason(what, words),
        _(advice, name=name, command=command("retry --all-failed")) if advice else "",
        kind=kind,
        code=verdict.code,
        reason=verdict.reason,
        retry_after=retry_after,
        answered=is_answer or (not of_task and status < 500 and status not in _COME_LATER),
        of_task=of_task and not is_answer,
    )


def _sentence(name: str, reason: str) -> str:
    """The words of our own engine as a sentence that says which file it is about."""
    told = reason if clean(name) in reason else f"{name}: {reason}"
    return told if told.endswith((".", "。")) else f"{told}."


def with_reason(what: str, reason: str) -> str:
    """Return what happened, and what the service says of it, if anything."""
    return " ".join([what, _("The service says: {words}.", words=reason.rstrip("."))]) if reason else what


def unreachable(error: Exception, host: str, what: str) -> ServiceError:
    """The error when a place that the service named does not answer: it is not the service itself."""
    return ServiceError(
        _("{what} ({host}) cannot be reached ({why}).", what=what, host=host, why=_cause(error)),
        kind="transient",
    )


def from_transport(error: Exception, service: str, *, sent: bool) -> ServiceError:
    """The error when no answer came. sent: part of the request may have reached the service."""
    if not sent or isinstance(error, httpcore.ConnectError | httpcore.ConnectTimeout | httpcore.PoolTimeout):
        return ServiceError(
            _("The service at {service} cannot be reached ({why}).", service=service, why=_cause(error)),
            _("Jobs wait and continue by themselves once it answers."),
            kind="down",
        )
    return ServiceError(
        _(
            "The connection to the service at {service} broke before its answer came ({why}).",
            service=service,
            why=_cause(error),
        ),
        _("The call may have been carried out."),
        kind="lost",
    )


def retry_after(value: str) -> float | None:
    """Seconds of a Retry-After header, given in seconds or as a date (RFC 9110 section 10.2.3); None for none."""
    value = value.strip()
    if not value:
        return None
    if value.isascii() and value.isdigit():
        return _LONGEST_WAIT if len(value) > 6 else min(float(value), _LONGEST_WAIT)
    try:
        when = parsedate_to_datetime(value)
        seconds = when.replace(tzinfo=when.tzinfo or UTC).timestamp() - time.time()
    except (ValueError, TypeError, IndexError, OverflowError, OSError):  # whatever the year, on whatever system
        return None
    return min(max(0.0, seconds), _LONGEST_WAIT)


def _cause(error: Exception) -> str:
    """The kind of failure in plain words; the exception's own text may hold addresses or paths."""
    if isinstance(error, httpcore.TimeoutException):
        return _("no answer in time")
    text = str(error)
    if "refused" in text.lower():
        return _("connection refused")
    if "name" in text.lower() and isinstance(error, httpcore.ConnectError):
        return _("its name is not known")
    if "certificate" in text.lower():
        return _("its certificate is not trusted")
    return _("connection lost")
