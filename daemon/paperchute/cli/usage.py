"""What is wrong with a command line, in the language of whoever typed it: typer speaks English alone."""

from __future__ import annotations

import re
from typing import Any

from paperchute.contract.operations import nearest
from paperchute.errors import PaperchuteError
from paperchute.invocation import command
from paperchute.language import _


def told(error: Any) -> PaperchuteError | None:
    """The error to show for typer's own; None where what it shows is good as it is, as a whole page of help."""
    verbs = _verbs(error)
    how = _("`{command}` shows how it is used.", command=command(" ".join([*verbs, "--help"])))
    what = _what(error)
    return PaperchuteError(what, how) if what else None


def _what(error: Any) -> str:
    quoted = re.search(r"'([^']*)'", str(error))
    match type(error).__name__:
        case "NoSuchOption":
            return _there_is_none(_("There is no option {name}.", name=error.option_name), error.possibilities or ())
        case "BadOptionUsage":
            return _("{name} needs a value.", name=error.option_name)
        case "MissingParameter":
            return _("{name} is missing.", name=_named(error))
        case "BadParameter":
            return _("The value of {name} is not valid.", name=_named(error))
        case "UsageError" if hasattr(error.ctx.command, "commands") and quoted:
            near = nearest(quoted[1], list(error.ctx.command.commands))
            return _there_is_none(_("There is no command {name}.", name=quoted[1]), [near] if near else [])
        case "UsageError" if hasattr(error.ctx.command, "commands"):
            return _("A command is missing.")
        case "UsageError" if more := re.search(r"extra argument\S* \((.*)\)", str(error)):
            return _("Too many arguments: {rest}.", rest=more[1])
    return ""


def _there_is_none(what: str, near: Any) -> str:
    return " ".join([what, *(_("Did you mean {near}?", near=one) for one in near[:1])])


def _named(error: Any) -> str:
    """The option or argument as the help page has it."""
    if error.param is None:
        return str(error.param_hint or "")
    if error.param.param_type_name == "option":
        return str(max(error.param.opts, key=len))
    return str(error.param.name)


def _verbs(error: Any) -> list[str]:
    """The verbs of the command line that were understood."""
    found: list[str] = []
    context = error.ctx
    while context is not None and context.parent is not None:
        found.insert(0, str(context.info_name))
        context = context.parent
    return found
