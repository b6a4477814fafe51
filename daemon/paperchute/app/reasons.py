"""Words of the status file, as people read them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from paperchute.language import N_, _

EMBEDDED = "embedded engine"
"""Stands for the address of the built-in engine."""

_REASONS: Mapping[str, str] = {
    "open": N_("a program is still writing to it"),
    "empty": N_("it is empty so far"),
    "unfit": N_("it holds no file that can be taken, but links, special files or programs' own ones"),
    "incomplete": N_("its end has not arrived yet"),
    "companion": N_("it is still being downloaded"),
    "cloud": N_("its content is still in the cloud: have it kept on this device"),
    "hidden": N_("it is hidden"),
    "denied": N_("it may not be looked into"),
    "settling": N_("it has just changed"),
    "more": N_("it waits for more files"),
    "missing": N_("it waits for more files, up to its count or end mark"),
    "partner": N_("it waits for what belongs to it"),
    "batch": N_("more may come to its batch"),
}


def told_of_address(address: str) -> str:
    """The address of the service; the name of the one that has none for people."""
    return _("the built-in engine") if address == EMBEDDED else address


def told_of_service(service: Mapping[str, Any], waiting: Sequence[Mapping[str, Any]]) -> str:
    """Say whether the service answers, and if not, why and when it is asked next; both as the status file has them."""
    if service.get("state", "closed") == "closed":
        refuses = any(one["service"] for one in waiting)
        return _("some calls have to be made again") if refuses else _("it answers")
    if not service.get("next"):
        return str(service["message"])
    when = datetime.fromtimestamp(service["next"]).strftime("%H:%M:%S")
    return f"{service['message']} " + _("The next try is at {when}.", when=when)


def told_of_reason(reason: str) -> str:
    """The reason of a `Waiting`; as it is where another release has it."""
    return _(_REASONS[reason]) if reason in _REASONS else reason
