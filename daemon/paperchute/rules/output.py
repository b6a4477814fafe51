"""Output names: the template of a rule, filled in for one input. Pure: the clock's time comes as an argument.

What comes from file names is made safe for each part of the path by itself, so it can neither leave its folder nor
make a new one; `..` and separators count only where the rule's author wrote them.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path, PurePath, PurePosixPath
from types import MappingProxyType

from paperchute.contract import Parameter, Value, contract
from paperchute.files.names import safe_name, shorten
from paperchute.notation.part_names import PART, is_of_part
from paperchute.rules import document_fields, patterns
from paperchute.rules.model import Rule
from paperchute.rules.steps import has_row_results
from paperchute.rules.tables import Step

DEFAULT = "{folder.name}.out/{relative}/{stem}.{ext}"
ROWS_DEFAULT = "{folder.name}.out/{relative}/{stem}/{row:03}.{ext}"
SCHEDULED_DEFAULT = "{folder.name}.out/{stem} {date:%Y-%m-%d %H.%M}.{ext}"
PLACEHOLDERS = (
    "stem",
    "name",
    "ext",
    "folder",
    "folder.name",
    "rule",
    "operation",
    "date",
    "counter",
    "pages",
    "relative",
    "set",
    *document_fields.PLACEHOLDERS,
)

TEXT_PLACEHOLDERS = ("stem", "name", "ext", "folder", "folder.name", "rule", "date", "relative", "set")
"""Those of texts that are put on pages: what is known before the work begins."""
BATES = "bates"
"""Counts pages on from file to file, where a text has `{number}` that counts them in one."""

_UNKNOWN_BEFORE = ("counter", "pages")
_PLACEHOLDER = re.compile(r"\{([^{}:]*)(?::([^{}]*))?\}")
# Only what every platform's strftime knows.
_DATE_FORMAT = re.compile(r"(?:%[YymdHMSjUWBbAa%]|[^%])+")
_NUMBER_FORMAT = re.compile(r"0?[1-9]?[0-9]")
_STEM_BYTES = 255 - len(" (999999).document")  # room for a number and an extension


@dataclass(frozen=True)
class Target:
    """Where a job's outputs go, decided by `rules.output`: pure, no file system looked at.

    folder: absolute; stem: the output's name without extension, already safe for every platform.
    One output becomes folder/stem.ext; several become a folder folder/stem/ holding them.
    extension: what the template fixed, or None = as the result is.
    """

    folder: Path
    stem: str
    extension: str | None = None


def target(
    rule: Rule,
    relative: PurePath,
    *,
    now: float,
    counter: int,
    pages: int | None = None,
    said: Mapping[str, str] = MappingProxyType({}),
) -> Target:
    """Return where the outputs of the input at `relative` go.

    now: Unix time. counter: for `{counter}`. pages: for `{pages}`, how many the input has, None = unknown. said: what
    the document says of itself, by field; a placeholder without a value stays as it is written. With
    `gather = "rows"` it is the folder that `row_place` lies in, and of parts of a document that of `part_template`.
    """
    base, parts = _base(rule, _parts(rule))
    is_divided = has_row_results(rule) or has_part_results(rule)
    parts, inner = divided("/".join(parts)) if is_divided else (parts, [])
    values = {**_values(rule, relative, counter, pages), **document_fields.for_names(said)}
    moment = datetime.fromtimestamp(now)
    folder = base
    for part in parts[:-1]:
        if part == "{relative}":
            folder = folder.joinpath(*(shorten(safe_name(p), "") for p in relative.parent.parts))
        elif part == "..":
            folder = folder.parent
        elif part == f"{{{document_fields.FOLDER}}}" and "folder" in said:
            folder = folder.joinpath(*(shorten(safe_name(p), "") for p in said["folder"].split("/")))
        else:
            folder = folder / _filled(part, values, moment)
    template, extension = (parts[-1], None) if inner else _split_extension(parts[-1])
    stem = _filled(template, values, moment)
    return Target(folder, shorten(stem, "", _STEM_BYTES), extension)


def configured_folder(rule: Rule) -> Path:
    """The part of the path to a rule's results that is the same for all of them, as the rule's author wrote it."""
    base, parts = _base(rule, _parts(rule))
    return _constant_folder(base, tuple(parts[:-1]), tuple(_constants(rule).items()))


def absolute_template(rule: Rule) -> str:
    """The template of a rule's results as one path, by which two rules with different hot folders compare."""
    base, parts = _base(rule, _parts(rule))
    return "/".join((base.as_posix(), *(part.replace("{folder.name}", rule.folder.name) for part in parts)))


@functools.lru_cache(1000)
def _constant_folder(base: Path, parts: Sequence[str], constants: tuple[tuple[str, str], ...]) -> Path:
    folder, constant = base, dict(constants)
    for part in parts:
        if part == "..":
            folder = folder.parent
        elif set(placeholders(part)) <= constant.keys():
            folder = folder / _filled(part, constant, datetime.min)
        else:
            break
    return folder


def row_place(rule: Rule, relative: PurePath, number: int, row: Mapping[str, str], *, now: float) -> PurePosixPath:
    """Return where the result of one row goes below the `target` of its list, still without its suffix.

    number: of the row, from 1. row: its values by column. Raises KeyError for a column that it does not have.
    """
    _, inner = divided(rule.output or ROWS_DEFAULT)
    parts = inner or ["{stem}-{row:03}.{ext}"]
    values = {**_values(rule, relative, 0, None), **{f"row.{name}": value for name, value in row.items()}}
    values["row"] = str(number)
    moment = datetime.fromtimestamp(now)
    filled = [_filled(part, values, moment) for part in [*parts[:-1], _split_extension(parts[-1])[0]] if part != ".."]
    return PurePosixPath(*filled[:-1], shorten(filled[-1], "", _STEM_BYTES))


def has_part_results(rule: Rule) -> bool:
    """Decide whether the template names the parts of a document, which pdf-split makes."""
    return any(map(is_of_part, placeholders(rule.output)))


def part_template(rule: Rule, relative: PurePath, *, now: float, pages: int | None, said: Mapping[str, str]) -> str:
    """Return what pdf-split calls each part, all filled in but what differs from part to part. For the rest: `target`.

    What comes from names is made safe here, with brackets in the place of braces, which would stand for something.
    """
    (template,) = divided("/".join(_parts(rule)))[1]
    values = {**_values(rule, relative, 0, pages), **document_fields.for_names(said)}
    plain = {name: safe_name(value).replace("{", "(").replace("}", ")") for name, value in values.items()}
    return _PLACEHOLDER.sub(_filling(plain, datetime.fromtimestamp(now)), _split_extension(template)[0])


def page_texts(rule: Rule, step: Step, given: Mapping[str, Value], relative: PurePath, *, now: float) -> dict[str, str]:
    """Return the texts that a step puts on pages, by parameter, with what the rule fills in.

    given: parameters that go before those of the step. now: Unix time.
    """
    values = {name: value for name, value in _values(rule, relative, 0, None).items() if name not in _UNKNOWN_BEFORE}
    return filled_texts(step.operation, {**step.parameters, **given}, values, now=now)


def text_placeholders(parameter: Parameter, text: str) -> tuple[str, ...]:
    """List what may stand in a text that is put on pages, beside the groups of `pattern`.

    `{bates}` takes the place of `{number}`, and does not stand beside it.
    """
    own = parameter.placeholders or ()
    if "number" in own:
        own = tuple(name for name in (*own, BATES) if name != "number" or BATES not in placeholders(text))
    return (*TEXT_PLACEHOLDERS, *own)


def filled_texts(
    operation: str, parameters: Mapping[str, Value], values: Mapping[str, str], *, now: float
) -> dict[str, str]:
    """Return those of the parameters that are texts for pages, with the day and `values` in place of their names.

    What stands for nothing here stays, for whoever does the operation. now: Unix time.
    """
    fill = _filling(values, datetime.fromtimestamp(now))
    taking = {p.name for p in contract().known(operation).parameters if p.placeholders is not None}
    return {
        name: _PLACEHOLDER.sub(lambda match: fill(match) if match[1] in (*values, "date") else match[0], text)
        for name, text in parameters.items()
        if name in taking and isinstance(text, str)
    }


def divided(template: str) -> tuple[list[str], list[str]]:
    """The parts of a template's path before the first that names a row or part, and those from there on."""
    parts = _split(template)
    named = (index for index, part in enumerate(parts) if any(map(_differs, placeholders(part))))
    first = next(named, len(parts))
    return parts[:first], parts[first:]


def _differs(name: str) -> bool:
    return is_of_row(name) or is_of_part(name)


def is_of_row(name: str) -> bool:
    """Decide whether a placeholder differs from row to row of a list."""
    return name == "row" or (name.startswith("row.") and len(name) > len("row."))


def placeholders(template: str) -> list[str]:
    """The names of a template's placeholders, known or not."""
    return [match[1] for match in _PLACEHOLDER.finditer(template)]


def unknown_placeholders(template: str, known: Collection[str] = PLACEHOLDERS) -> list[str]:
    """Placeholders of `template` that do not exist. known: the rule's own groups among them."""
    return [m[1] for m in _PLACEHOLDER.finditer(template) if m[1] not in known]


def uses(rule: Rule, name: str) -> bool:
    """Decide whether a rule's template has the placeholder `name`."""
    return any(m[1] == name for m in _PLACEHOLDER.finditer(rule.output))


def _split(template: str) -> list[str]:
    return [part for part in re.split(r"[/\\]", template) if part not in ("", ".")]


def _parts(rule: Rule) -> list[str]:
    return _split(rule.output or (ROWS_DEFAULT if has_row_results(rule) else DEFAULT))


def _base(rule: Rule, parts: list[str]) -> tuple[Path, list[str]]:
    """The folder a template starts from: the hot folder's parent, unless it names another."""
    text = rule.output or DEFAULT
    if parts[0] == "{folder}":
        return rule.folder, parts[1:]
    if parts[0] == "~":
        return Path("~").expanduser(), parts[1:]
    anchor = PurePath(text).anchor
    if anchor:
        return rule.folder.parent / anchor, parts[len(_split(anchor)) :]  # of a share the anchor has two parts
    return rule.folder.parent, parts


def from_name(rule: Rule, relative: PurePath) -> Mapping[str, str]:
    """What a reference to a secret may take from the input's name: its stem, and the groups of the rule's pattern."""
    values = _values(rule, relative, 0, None)
    return {name: values[name] for name in from_name_placeholders(rule.pattern)}


def from_name_placeholders(text: str) -> tuple[str, ...]:
    """The names of what `from_name` gives, for a valid pattern or none."""
    return ("stem", "name", *(patterns.groups(text) if text else ()))


def _constants(rule: Rule) -> dict[str, str]:
    return {
        "folder": rule.folder.name,
        "folder.name": rule.folder.name,
        "rule": rule.name,
        "operation": rule.steps[-1].operation,
    }


def _values(rule: Rule, relative: PurePath, counter: int, pages: int | None) -> Mapping[str, str]:
    is_set = rule.gather == "folder"
    stem = relative.name if is_set else relative.stem
    groups = dict.fromkeys(patterns.groups(rule.pattern), "") if rule.pattern else {}
    return {
        **groups,
        **((patterns.found(rule.pattern, relative) if groups else None) or {}),
        "stem": stem,
        "name": relative.name,
        "set": stem,
        "counter": str(counter),
        "pages": "unknown" if pages is None else str(pages),
        "ext": relative.suffix.lstrip("."),
        "relative": "-".join(relative.parent.parts),
        **_constants(rule),
    }


def _filled(template: str, values: Mapping[str, str], moment: datetime) -> str:
    if "{" not in template:
        return shorten(safe_name(template), "")
    return shorten(safe_name(_PLACEHOLDER.sub(_filling(values, moment), template)), "")


def _filling(values: Mapping[str, str], moment: datetime) -> Callable[[re.Match[str]], str]:
    """Return what stands for a placeholder; those of parts, which pdf-split fills in, stay."""

    def value(match: re.Match[str]) -> str:
        if is_of_part(match[1]):
            return match[0]
        if match[1] == "date":
            return moment.strftime(match[2] or "%Y-%m-%d")
        if match[1].startswith(document_fields.PREFIX):
            text = values.get(match[1])
            return match[0].replace(":", " ") if text is None else document_fields.filled(match[1], text, match[2])
        text = values[match[1]]
        return f"{int(text):{match[2]}}" if match[2] and text.isdecimal() else text

    return value


def _split_extension(template: str) -> tuple[str, str | None]:
    """The name's template without its extension; None where the result's own is to be taken."""
    if template.endswith(".{ext}"):
        return template[: -len(".{ext}")], None
    stem, dot, extension = template.rpartition(".")
    if dot and stem and re.fullmatch(r"[A-Za-z0-9]{1,8}", extension):
        return stem, extension
    return template, None


def wrong_formats(template: str) -> list[str]:
    """Placeholders whose part after the colon means nothing, such as `{stem:x}` or `{date:%Q}`."""
    allowed = {"date": _DATE_FORMAT, **dict.fromkeys(("counter", "page", "pages", "number", BATES), _NUMBER_FORMAT)}
    allowed |= {name: _NUMBER_FORMAT for name in placeholders(template) if is_of_row(name) or name == PART}
    allowed |= {document_fields.PREFIX + name: _DATE_FORMAT for name in document_fields.DAYS}
    return [
        match[0]
        for match in _PLACEHOLDER.finditer(template)
        if match[2] is not None and not (match[1] in allowed and allowed[match[1]].fullmatch(match[2]))
    ]


def without_placeholders(template: str) -> str:
    """The template's own text; a brace left in it belongs to no placeholder."""
    return _PLACEHOLDER.sub("", template)
