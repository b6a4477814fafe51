"""Words of the status file, as people read them."""

from __future__ import annotations

from collections.abc import Mapping

from paperchute.language import N_, _

EMBEDDED = "embedded engine"
"""Stands for the address of the built-in engine."""

_REASONS: Mapping[str, str] = {
    "open": N_("a program is still writing to it"),
    "empty": N_("it is empty so far"),
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


def told_of_reason(reason: str) -> str:
    """The reason of a `Waiting`; as it is where another release has it."""
    return _(_REASONS[reason]) if reason in _REASONS else reason
