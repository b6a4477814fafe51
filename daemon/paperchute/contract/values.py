"""Parameter values: what is accepted, what it becomes, and how it goes over the wire.

One reading serves the rule file, the command line and the engine, so that none of them accepts what another
refuses (contract section 1).
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from paperchute.contract.model import Parameter
from paperchute.contract.pages import PageListError, parse_page_list
from paperchute.language import _

Value = str | int | float | bool | list[str]

_FLAG_WORDS = {
    "1": True, "true": True, "yes": True, "on": True,
    "0": False, "false": False, "no": False, "off": False,
}  # fmt: skip


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


def wire(value: Value) -> str | list[str]:
    """The text of a canonical value as a form part; a list stands for the same part repeated."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return value
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
