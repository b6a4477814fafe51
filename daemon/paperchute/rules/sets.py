"""Files that make one job together: what a rule may say of them, and what completes a dropped folder."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import PurePath
from typing import Any

from paperchute.contract import contract
from paperchute.files.names import is_temporary
from paperchute.language import N_, _, ngettext
from paperchute.rules import output
from paperchute.rules.match import is_excepted, is_matched, is_set_end
from paperchute.rules.model import Rule, RuleKeys
from paperchute.rules.secrets import is_of_row
from paperchute.rules.sidecar import JOB_FILE
from paperchute.rules.steps import is_joined
from paperchute.rules.tables import Step

Say = Callable[..., None]

_PARTNERS = {"pdf-generate": (".json",), "pdf-insert": (".insert.pdf",)}
"""What a partner's name has in the place of its lead's suffix, by operation."""

_TEMPLATES = (".html", ".htm")
_TEMPLATE = ("template", "templateFile")
_DATA = ("data", "dataFile", "html", "htmlUrl", "htmlFile")
NO_FOLDER = ("~", "..", "{folder}", "{relative}")


def set_keys(keys: RuleKeys, steps: Sequence[Step], say: Say) -> Mapping[str, Any]:
    """Those keys about sets whose value is another in the finished rule; what cannot stand together is told.

    say(key path, message, suggestion, needs=keys) is told of everything that is wrong; see `build.Builder`.
    """
    if keys.gather == "batch" and keys.shared:
        say(
            ("shared",), _('others might claim a part of a batch, so `shared` cannot be combined with gather = "batch"')
        )
    for glob in keys.set_end:
        if is_temporary(glob.replace("*", "x").replace("?", "x")):
            say(
                ("set_end",),
                _("{glob} is what programs call their temporary files, which are never looked at", glob=glob),
            )
    if steps:
        _check_size(keys, steps[0], say)
    if keys.gather == "rows" and steps:
        _check_rows(keys, steps, say)
    partner = _partner(keys, steps, say)
    if keys.also and (keys.gather in ("batch", "pair") or partner):
        say(
            ("also",),
            _(
                "{gather}; let this rule hand its originals on to that of another folder: {hand_on}",
                gather=together(keys.gather),
                hand_on=HAND_ON,
            ),
        )
    return {"partner": partner}


_TOGETHER = {
    "batch": N_("the files of a batch are filed together, so one rule has them for itself"),
    "pair": N_("the files of a pair are filed together, so one rule has them for itself"),
    "rows": N_("the files of a list are filed together, so one rule has them for itself"),
}

HAND_ON = 'original = "FOLDER"'


def together(gather: str | None) -> str:
    """Return why files that are gathered without a folder of their own are for one rule alone."""
    return _(_TOGETHER[gather or ""])


LISTS = ("*.csv", "*.tsv", "*.json")
"""What a rule with `gather = "rows"` takes, if it does not say so."""


def _check_size(keys: RuleKeys, first: Step, say: Say) -> None:
    """Tell of sets with more files than the operation takes; pdf-merge joins any number, in rounds."""
    name = {"batch": "batch_size", "folder": "set_size"}.get(keys.gather or "", "")
    operation = contract().known(first.operation)
    if (
        name
        and operation.max_files > 1
        and operation.id != "pdf-merge"
        and (getattr(keys, name) or 0) > operation.max_files
    ):
        say(
            (name,),
            _("{operation} takes {most} files at most", operation=operation.id, most=operation.max_files),
        )


def _check_rows(keys: RuleKeys, steps: Sequence[Step], say: Say) -> None:
    first = steps[0]
    if first.operation != "pdf-generate":
        say(("gather",), _('gather = "rows" makes a PDF of each row of a list, so the first operation is pdf-generate'))
    for name in _DATA:
        if name in first.parameters:
            say(
                ("gather",),
                _("the data are the rows of the list that is dropped, so {name} cannot be given", name=name),
            )
    for number, step in enumerate(steps):
        for name in _of_row(step) if is_joined(steps[: number + 1]) else ():
            say(
                ("steps", number, "parameters", name),
                _("this step works on all rows at once, so no single row can decide anything here"),
            )
    template = keys.output
    if not template:
        return
    used = output.placeholders(template)
    rows = [name for name in used if output.is_of_row(name)]
    if is_joined(steps):
        if rows:
            say(
                ("output",),
                _("a later step makes one file of all rows, so there is no {place}", place=f"{{{rows[0]}}}"),
            )
        return
    outer, inner = output.divided(template)
    if rows and (not outer or outer[-1] in NO_FOLDER or outer[-1] == PurePath(template).drive):
        say(
            ("output",),
            _(
                "the rows of one list are delivered together, into a folder; write one, such as {example}, before the "
                "part that names a row",
                example="{folder.name}.out/{stem}/",
            ),
        )
    if any("counter" in output.placeholders(part) for part in inner):
        say(
            ("output",),
            _("{place} counts lists, so it cannot be in or after the part that names a row", place="{counter}"),
        )


def _of_row(step: Step) -> list[str]:
    """The parameters that a step takes from the rows."""
    return [name for name, value in step.parameters.items() if isinstance(value, str) and is_of_row(value)]


def _partner(keys: RuleKeys, steps: Sequence[Step], say: Say) -> tuple[str, ...]:
    if not steps or keys.gather not in ("pair", "rows"):
        return ()
    first = steps[0]
    if keys.gather == "rows":
        partner: tuple[str, ...] = () if any(name in first.parameters for name in _TEMPLATE) else _TEMPLATES
    else:
        partner = keys.partner or _PARTNERS.get(first.operation, ())
        if not partner:
            message = _('`partner` is missing: what the second file\'s name ends in, such as "-back.pdf"')
            say(("gather",), message, needs=("partner",))
        if first.operation == "pdf-generate" and any(name in first.parameters for name in (*_TEMPLATE, *_DATA)):
            say(("gather",), _("a pair is a template and its data, so the rule cannot give either"))
    if keys.shared and partner:
        say(("shared",), _("the two files of a pair cannot be claimed in one step, so `shared` is not possible here"))
    return partner


def taken(rule: Rule, names: Iterable[PurePath]) -> list[PurePath]:
    """The files that a rule takes by their names; these are below the set's folder."""
    return [name for name in names if is_matched(rule, name) and name != PurePath(JOB_FILE)]


def is_complete(rule: Rule, names: Sequence[PurePath]) -> bool | None:
    """Return whether the count and the end mark that the rule asks for are there; None where it asks for neither."""
    if rule.set_size is None and not rule.set_end:
        return None
    counted = rule.set_size is None or len(taken(rule, names)) >= rule.set_size
    return counted and (not rule.set_end or any(is_set_end(rule, name) for name in names))


def lacking(rule: Rule, names: Sequence[PurePath]) -> str:
    """Return what is wrong with the count or the end mark of a set, in a sentence; empty where nothing is."""
    if rule.set_end and not any(is_set_end(rule, name) for name in names):
        return _(
            "The set has no end mark ({set_end}): add what is missing, and try again.", set_end=" ".join(rule.set_end)
        )
    count = len(taken(rule, names))
    if rule.set_size is not None and count != rule.set_size:
        return ngettext(
            "1 file has come, and a set of rule {rule} has {size}: put that right, and try again.",
            "{n} files have come, and a set of rule {rule} has {size}: put that right, and try again.",
            count,
            rule=repr(rule.name),
            size=rule.set_size,
        )
    return ""


def left_out(taking: Sequence[Rule], names: Iterable[PurePath], has: Iterable[PurePath]) -> list[PurePath]:
    """The files of a set that none of the rules taking it has, and none says that it does not want.

    has: those that some rule has in the end.
    """
    known = {*has, PurePath(JOB_FILE)}
    return [name for name in names if name not in known and not any(is_excepted(rule, name) for rule in taking)]
