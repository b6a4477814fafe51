"""Whom a call goes to: the service of its step, or the one that does it instead; never both of what may cost."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

from paperchute.jobs.model import CallMemo, called
from paperchute.language import _
from paperchute.rules.service_names import BUILT_IN, DEFAULT, told
from paperchute.rules.tables import Step
from paperchute.service.model import ServiceError

Resolved = Callable[[str], str]
"""Gives the one name of a service (`rules.service_names.resolved`)."""

_CANNOT = ("down", "quota")
"""Kinds of failures for which a step names another service. What a refused key needs is a person."""


class NotAskedError(ServiceError):
    """The service is known to do no work just now, so the call did not go out."""


def in_turn(step: Step, memo: CallMemo, resolved: Resolved) -> tuple[str, ...]:
    """Return who may be asked, one after the other.

    A call that a service has, or may have, is asked of that one alone until it is known to have none of it.
    """
    first = resolved(step.service)
    if memo.is_bound:
        return (first if memo.service is None else memo.service,)
    return (first, resolved(step.or_)) if step.or_ else (first,)


def may_go_on(error: ServiceError, memo: CallMemo) -> bool:
    """Decide whether the next service may be asked after a failure.

    Args:
        error: Of the service before it.
        memo: What the journal knows of the call since: whether that service may have taken it.
    """
    return error.kind in _CANNOT and not error.of_task and not memo.is_bound


def in_place(step: Step, number: int, name: str, resolved: Resolved) -> tuple[str, ...]:
    """Say that another service than the step's own has done it; nothing where that is not so."""
    wanted = resolved(step.service)
    if not step.or_ or name == wanted or name != resolved(step.or_):
        return ()
    said = _(
        "{call} ({operation}) was done by {service}, since {wanted} was away or had no calls or units left.",
        call=called(number, ""),
        operation=step.operation,
        service=told(name),
        wanted=_("the service of [service]") if wanted == DEFAULT else wanted,
    )
    return (said[:1].upper() + said[1:],)


@contextlib.contextmanager
def blamed(name: str) -> Iterator[None]:
    """Have failures in the block say whose they are."""
    try:
        yield
    except ServiceError as error:
        if not error.service:
            error.service = name
            if name not in (DEFAULT, BUILT_IN):
                error.what = f"{name}: {error.what}"
        raise
