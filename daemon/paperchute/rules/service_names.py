"""What rules call the services that do their work: those of `[services]`, the built-in engine, and the usual one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from paperchute.language import _

if TYPE_CHECKING:  # whoever only asks for names need not load what rules are made of
    from paperchute.rules.model import Rule
    from paperchute.rules.tables import Step

BUILT_IN = "built-in"
"""The built-in engine."""

DEFAULT = "default"
"""The service of `[service]`; the same as naming none."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")


def named_by(step: Step) -> dict[str, str]:
    """Return who is asked to do a step, by the keys that say so; nothing of a key that does not."""
    return {key: name for key, name in (("service", step.service), ("or", step.or_)) if name}


def resolved(name: str, *, has_default: bool) -> str:
    """Return the one name of a service, which may be called by two.

    Args:
        name: As a rule has it; empty where it has none.
        has_default: Whether `[service]` names a service; else the built-in engine is what it stands for.
    """
    return (DEFAULT if has_default else BUILT_IN) if name in ("", DEFAULT) else name


def asked_by(rule: Rule, *, has_default: bool) -> tuple[str, ...]:
    """Name the services that a rule asks, those that it falls back on among them, each once, and as `resolved`."""
    names = [name for step in rule.steps for name in (step.service, *([step.or_] if step.or_ else []))]
    return tuple(dict.fromkeys(resolved(name, has_default=has_default) for name in names))


def name_problem(name: str) -> str:
    """Say why a service cannot have this name; empty where it can."""
    if name.lower() in (BUILT_IN, DEFAULT):
        meant = _("the built-in engine") if name.lower() == BUILT_IN else "[service]"
        return _("{name} always means {meant}; give the service another name", name=repr(name), meant=meant)
    if not _NAME.fullmatch(name):
        return _("{name} cannot be the name of a service; take letters, digits, - and _", name=repr(name))
    return ""


def told(name: str) -> str:
    """Return the name of a service for people."""
    return _("the built-in engine") if name == BUILT_IN else name
