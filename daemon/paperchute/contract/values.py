"""Parameter values: what is accepted, what it becomes, and how it goes over the wire; page numbers in words."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from paperchute.contract.operations import Operation, Parameter
from paperchute.language import _, ngettext

_PART = re.compile(r"(\d{1,18})(?:\s*-\s*(\d{1,18}))?")
_MANY_AGAIN, _TIMES_AGAIN = 1_000, 10
"""Pages that a list may name: each ten times, and a thousand more. A short list could name millions."""


class PageListError(ValueError):
    """A page list that is malformed (code 03000) or names pages the document has not (code 110001)."""


def parse_page_list(text: str) -> list[tuple[int, int]]:
    """Ranges (first, last), 1-based and inclusive, in the order given; empty text and `all` give [] = every page.

    Raises PageListError for anything malformed; `5-3` and `0` are (docs/contract.md#page-lists).
    """
    text = text.strip()
    if not text or text.lower() == "all":
        return []
    ranges = []
    for part in text.split(","):
        match = _PART.fullmatch(part.strip())
        if match is None:
            raise PageListError(_("{part} is not a page or range; write pages such as 1-3,6", part=repr(part.strip())))
        first = int(match[1])
        last = int(match[2] or first)
        if first < 1:
            raise PageListError(_("pages are counted from 1"))
        if last < first:
            raise PageListError(_("the range {part} runs backwards", part=part.strip()))
        ranges.append((first, last))
    return ranges


def select_pages(text: str, count: int) -> list[int]:
    """0-based page indices that `text` selects from a document of `count` pages, in the order given.

    What it names behind the last page is left out (`pages_beyond`). Raises PageListError when it names nothing else, or
    pages again and again.
    """
    ranges = parse_page_list(text) or [(1, count)]
    named, most = (
        sum(max(min(last, count) + 1 - first, 0) for first, last in ranges),
        _TIMES_AGAIN * count + _MANY_AGAIN,
    )
    if named > most:
        raise PageListError(
            _("{named} pages are named, and of {count} there may be {most}", named=named, count=count, most=most)
        )
    chosen = [page - 1 for first, last in ranges for page in range(first, min(last, count) + 1)]
    if not chosen:
        page = min(first for first, _last in ranges)
        raise PageListError(
            _("page {page} is outside the document, which ends with page {count}", page=page, count=count)
        )
    return chosen


def pages_beyond(text: str, count: int) -> list[tuple[int, int]]:
    """The ranges (first, last), 1-based, of what `text` names behind the last page of a document."""
    return [(max(first, count + 1), last) for first, last in parse_page_list(text) if last > count]


Value = str | int | float | bool | list[str]

_FLAG_WORDS = {
    "1": True, "true": True, "yes": True, "on": True,
    "0": False, "false": False, "no": False, "off": False,
}  # fmt: skip


_FEW_SPANS = 12  # of pages that are named: a sentence is one line


def told_of_pages(numbers: Iterable[int], most: int = _FEW_SPANS) -> str:
    """`page 3`, `pages 1-4, 7`; of more than `most` ranges the first, and how many pages there are."""
    return told_of_ranges(((number, number) for number in numbers), most)


def told_of_ranges(ranges: Iterable[tuple[int, int]], most: int = _FEW_SPANS) -> str:
    """The same of ranges (first, last), however long."""
    spans: list[tuple[int, int]] = []
    for first, last in sorted(ranges):
        if spans and first <= spans[-1][1] + 1:
            spans[-1] = (spans[-1][0], max(last, spans[-1][1]))
        else:
            spans.append((first, last))
    count = sum(last - first + 1 for first, last in spans)
    named = ", ".join(f"{first}-{last}" if last > first else f"{first}" for first, last in spans[:most])
    if len(spans) > most:
        return _("pages {named} and others, {count} in all", named=named, count=count)
    return ngettext("page {named}", "pages {named}", count, named=named)


class ValueRefused(ValueError):
    """A value the contract does not allow. The text names the parameter and, where there is a list, the allowed."""


def accept(parameter: Parameter, value: object) -> Value:
    """The canonical value of `value` for `parameter`.

    Integers for integer parameters (0/1 for flags), bool for booleans, a list of text for arrays, text otherwise;
    JSON objects and arrays are taken for parameters of format json and become text. Raises ValueRefused.
    """
    match parameter.type:
        case "file":
            if isinstance(value, str) and value:
                return value
            raise ValueRefused(_("{name} takes the path of a file", name=parameter.name))
        case "boolean":
            return _flag(parameter, value)
        case "integer":
            number: Value = int(_flag(parameter, value)) if parameter.is_flag else _integer(parameter, value)
            return _listed(parameter, number)
        case "number":
            return _number(parameter, value)
        case "array":
            return _array(parameter, value)
        case "string":
            return _string(parameter, value)


def not_one_of(operation: Operation, given: Mapping[str, Value]) -> str:
    """Say what is wrong where a call needs exactly one of some parameters; empty where it has one.

    given: canonical values; an empty text counts as none.
    """
    came = [name for name in operation.one_of if given.get(name, "") != ""]
    if not operation.one_of or len(came) == 1:
        return ""
    return _(
        "{operation} needs exactly one of {names}, but {came} came",
        operation=operation.id,
        names=", ".join(operation.one_of),
        came=", ".join(came) or _("none"),
    )


def wire(value: Value) -> str | list[str]:
    """The text of a canonical value as a form part; a list stands for the same part repeated."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        alone = value[0] if len(value) == 1 else ""
        return json.dumps(value) if alone.lstrip().startswith("[") else value  # by itself it would be taken for a list
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _flag(parameter: Parameter, value: object) -> bool:
    if isinstance(value, bool | int | str):
        word = _FLAG_WORDS.get(str(value).strip().lower())
        if word is not None:
            return word
    allowed = "0 | 1" if parameter.type == "integer" else "true | false"
    raise ValueRefused(
        _("{name} takes {allowed}, not {value}", name=parameter.name, allowed=allowed, value=_shown(value))
    )


def _integer(parameter: Parameter, value: object) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, str):
        try:
            return int(value.strip(), 10)
        except ValueError:
            pass
    if parameter.values:
        raise _not_listed(parameter, value)
    raise ValueRefused(_("{name} takes a whole number, not {value}", name=parameter.name, value=_shown(value)))


def _number(parameter: Parameter, value: object) -> float:
    if isinstance(value, int | float | str) and not isinstance(value, bool):
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if math.isfinite(number):
            return number
    raise ValueRefused(_("{name} takes a number, not {value}", name=parameter.name, value=_shown(value)))


def _array(parameter: Parameter, value: object) -> list[str]:
    items: object = value
    if isinstance(value, str):
        text = value.strip()
        if text.startswith("["):
            try:
                items = json.loads(text)
            except (ValueError, RecursionError) as error:
                raise ValueRefused(_("{name} is not a JSON array: {error}", name=parameter.name, error=error)) from None
        else:
            items = [value]
    if not isinstance(items, Sequence) or isinstance(items, str):
        raise ValueRefused(_("{name} takes a list, not {value}", name=parameter.name, value=_shown(value)))
    texts = []
    for item in items:
        if not isinstance(item, str | int | float) or isinstance(item, bool):
            raise ValueRefused(_("{name} takes a list of texts, not {value}", name=parameter.name, value=_shown(item)))
        text = str(item)
        if parameter.format == "page-list[]" and text.strip().lower() != "all":
            _check_pages(parameter, text)
        texts.append(text)
    return texts


def _string(parameter: Parameter, value: object) -> str:
    if parameter.format == "json":
        return _json(parameter, value)
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueRefused(_("{name} takes text, not {value}", name=parameter.name, value=_shown(value)))
    text = str(value)
    if parameter.format == "page-list" and text.strip().lower() != "all":
        _check_pages(parameter, text)
    if parameter.format == "url" and not _is_web_address(text):
        raise ValueRefused(_("{name} takes an http or https address", name=parameter.name))
    return str(_listed(parameter, text))


def _is_web_address(text: str) -> bool:
    try:
        return urlsplit(text).scheme in ("http", "https")
    except ValueError:  # half an IPv6 address
        return False


def _json(parameter: Parameter, value: object) -> str:
    if isinstance(value, Mapping | list):
        return json.dumps(value, ensure_ascii=False, default=str)
    if isinstance(value, str):
        try:
            json.loads(value)
        except (ValueError, RecursionError) as error:
            raise ValueRefused(_("{name} is not JSON: {error}", name=parameter.name, error=error)) from None
        return value
    raise ValueRefused(_("{name} takes JSON, not {value}", name=parameter.name, value=_shown(value)))


def _listed(parameter: Parameter, value: Value) -> Value:
    if not parameter.values:
        return value
    if parameter.value_aliases and value in parameter.value_aliases:
        return parameter.value_aliases[str(value)]
    for allowed in parameter.values:
        if value == allowed or (isinstance(value, str) and value.lower() == str(allowed).lower()):
            return allowed  # type: ignore[no-any-return]
    raise _not_listed(parameter, value)


def _not_listed(parameter: Parameter, value: object) -> ValueRefused:
    allowed = " | ".join(str(value) for value in parameter.values)
    return ValueRefused(
        _("{name} takes {allowed}, not {value}", name=parameter.name, allowed=allowed, value=_shown(value))
    )


def _check_pages(parameter: Parameter, text: str) -> None:
    try:
        parse_page_list(text)
    except PageListError as error:
        raise ValueRefused(f"{parameter.name}: {error}") from None


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."
