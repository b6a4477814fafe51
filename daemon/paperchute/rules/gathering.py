"""How a rule gathers: from the values in its file to those of the finished rule, and what cannot go together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePath
from typing import Any

from paperchute.rules import output
from paperchute.rules.fanning import is_joined
from paperchute.rules.model import Step
from paperchute.rules.secrets import is_of_row
from paperchute.rules.shape import RuleShape

Say = Callable[..., None]

QUIET_SECONDS = 10.0
BATCH_SIZE = 1000

_PARTNERS = {"pdf-generate": (".json",), "pdf-insert": (".insert.pdf",)}
"""What a partner's name has in the place of its lead's suffix, by operation."""

_TEMPLATES = (".html", ".htm")
_TEMPLATE = ("template", "templateFile")
_DATA = ("data", "dataFile", "html", "htmlUrl", "htmlFile")
_NO_FOLDER = ("~", "..", "{folder}", "{relative}")


def gathering(shape: RuleShape, steps: Sequence[Step], say: Say) -> Mapping[str, Any]:
    """The fields of the finished rule that say how its files are gathered.

    say(key path, message, suggestion, needs=keys) is told of everything that is wrong; see `build.Builder`.
    """
    _check_keys(shape, say)
    if shape.gather == "rows" and steps:
        _check_rows(shape, steps, say)
    partner = _partner(shape, steps, say)
    if shape.also and (shape.gather in ("batch", "pair") or partner):
        say(
            ("also",),
            f"{together(shape.gather)}; let this rule hand its originals on to that of another folder: {HAND_ON}",
        )
    return {
        "quiet": shape.quiet or QUIET_SECONDS,
        "batch_size": shape.batch_size or BATCH_SIZE,
        "partner": partner,
    }


HAND_ON = 'original = "FOLDER"'


def together(gather: str | None) -> str:
    """Why files that are gathered without a folder of their own are for one rule alone."""
    return (
        f"the files of a {'list' if gather == 'rows' else gather} are filed together, so one rule has them for itself"
    )


LISTS = ("*.csv", "*.tsv", "*.json")
"""What a rule with `gather = "rows"` takes, if it does not say so."""


def _check_keys(shape: RuleShape, say: Say) -> None:
    if shape.gather == "batch" and shape.shared:
        say(("shared",), 'others might claim a part of a batch, so `shared` cannot stand with gather = "batch"')
    if shape.gather != "batch":
        for key in ("quiet", "batch_size"):
            if getattr(shape, key) is not None:
                message = f'`{key}` is about batches, and this rule gathers none; add gather = "batch"'
                say((key,), message, needs=("gather",))
    if shape.partner is not None and shape.gather != "pair":
        message = '`partner` is about pairs, and this rule gathers none; add gather = "pair"'
        say(("partner",), message, needs=("gather",))


def _check_rows(shape: RuleShape, steps: Sequence[Step], say: Say) -> None:
    first = steps[0]
    if first.operation != "pdf-generate":
        say(("gather",), 'gather = "rows" makes a PDF of each row of a list, so the first operation is pdf-generate')
    for name in _DATA:
        if name in first.parameters:
            say(("gather",), f"the data are the rows of the list that is dropped, so {name} cannot be given")
    for number, step in enumerate(steps):
        for name in _of_row(step) if is_joined(steps[: number + 1]) else ():
            say(("steps", number, "parameters", name), "this step works on all rows at once, so no row has a say here")
    template = shape.output
    if template is None:
        return
    used = output.placeholders(template)
    rows = [name for name in used if output.is_of_row(name)]
    if is_joined(steps):
        if rows:
            say(("output",), f"a later step makes one file of all rows, so there is no {{{rows[0]}}}")
        return
    outer, inner = output.divided(template)
    if rows and (not outer or outer[-1] in _NO_FOLDER or outer[-1] == PurePath(template).drive):
        say(
            ("output",),
            "the rows of one list are delivered together, into a folder; "
            "write one, such as {folder.name}.out/{stem}/, before the part that names a row",
        )
    if any("counter" in output.placeholders(part) for part in inner):
        say(("output",), "{counter} counts lists, so it cannot stand in or behind the part that names a row")


def _of_row(step: Step) -> list[str]:
    """The parameters that a step takes from the rows."""
    return [name for name, value in step.parameters.items() if isinstance(value, str) and is_of_row(value)]


def _partner(shape: RuleShape, steps: Sequence[Step], say: Say) -> tuple[str, ...]:
    if not steps or shape.gather not in ("pair", "rows"):
        return ()
    first = steps[0]
    if shape.gather == "rows":
        partner: tuple[str, ...] = () if any(name in first.parameters for name in _TEMPLATE) else _TEMPLATES
    else:
        partner = tuple(shape.partner or _PARTNERS.get(first.operation) or ())
        if not partner:
            message = '`partner` is missing: what the second file\'s name ends in, such as "-back.pdf"'
            say(("gather",), message, needs=("partner",))
        if first.operation == "pdf-generate" and any(name in first.parameters for name in (*_TEMPLATE, *_DATA)):
            say(("gather",), "a pair is a template and its data, so the rule cannot give either")
    if shape.shared and partner:
        say(("shared",), "the two files of a pair cannot be claimed in one step, so `shared` cannot stand here")
    return partner
