"""The spellings in which clients name one and the same thing: paths of operations, and parameters."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any

from starlette.requests import Request

from paperchute.contract import Operation, Parameter, contract
from paperchute.engine.work import Refused
from paperchute.language import _, best

_SAME = re.compile(r"same as (\S+/\w+)(?:, (\w+) (\w+))?")


def operation_at(path: str) -> Operation | None:
    """The operation at a path such as /v2/process/pdf/merge, under its older names too; None when there is none."""
    return contract().operation_at(path) or contract().operation_at(older_paths().get(path, ("", {}))[0])


def preset_at(path: str) -> dict[str, list[str]]:
    """Form parts that an older path stands for, such as the image format of /v2/process/pdf/png."""
    return older_paths().get(path, ("", {}))[1]


@cache
def older_paths() -> dict[str, tuple[str, dict[str, list[str]]]]:
    """Older paths with what they stand for: the path of today, and the parameters they set (contract.toml)."""
    found: dict[str, tuple[str, dict[str, list[str]]]] = {}
    for entry in contract().raw["legacy_path"]:
        same = _SAME.fullmatch(entry["meaning"]) if entry["implement"] == "alias" else None
        if same is not None:
            found[entry["path"]] = (f"/v2/process/{same[1]}", {same[2]: [same[3]]} if same[2] else {})
    return found


Texts = Mapping[str, list[str]]
_QUERY_TOO = ("image_type", "content_filter", "language")  # contract.toml [request] query_too
_ENGLISH, _CHINESE = "en", "zh_Hans"  # what `language` means by 1 and 2
_LANGUAGES = {"1": ("1", "en", "english", "en-"), "2": ("2", "zh", "chinese", "zh-")}
_MOST_LANGUAGES, _LONGEST_LIST = 20, 1000  # of Accept-Language
_BRACKETS = re.compile(r"\[(\d*)\]$")


def plain_name(part: str) -> str:
    """A part's name without the array spellings `name[]` and `name[0]`."""
    return _BRACKETS.sub("", part)


def gathered(texts: Texts, query: Mapping[str, str]) -> list[dict[str, list[str]]]:
    """The layers of a request, the strongest first: explicit parts, the older `parameter` object, the query.

    Raises Refused (01006) when `parameter` holds no JSON object.
    """
    explicit = {name: values for name, values in texts.items() if name != "parameter"}
    older: dict[str, list[str]] = {}
    for text in texts.get("parameter", []):
        if text:
            older |= {name: [_as_text(value)] for name, value in _object(text).items() if value is not None}
    return [explicit, older, {name: [value] for name, value in query.items() if name in _QUERY_TOO}]


def values_of(parameter: Parameter, layers: list[dict[str, list[str]]]) -> object | None:
    """Return what was sent for a parameter: a text, or a list of texts for arrays; None when absent or empty.

    Its own name wins over an alias within a layer; of a repeated single value the last counts.
    """
    names = (parameter.name, *(plain_name(alias) for alias in parameter.aliases))
    for layer in layers:
        for name in names:
            parts = sorted((part for part in layer if plain_name(part) == name), key=_number)
            values = [value for part in parts for value in layer[part]]
            found = _array(values) if parameter.type == "array" else _single(values)
            if found is not None:
                return found
    return None


def language_of(texts: Texts, query: Mapping[str, str]) -> str:
    """The language that the contract's `language` asks for, whatever else is wrong with the request.

    Empty without, and for one that there are no words in.
    """
    try:
        layers = gathered(texts, query)
    except Refused:
        layers = gathered({name: values for name, values in texts.items() if name != "parameter"}, query)
    for layer in layers:
        for value in layer.get("language", []):
            if value:
                return {"1": _ENGLISH, "2": _CHINESE}.get(language_code(value), "")
    return ""


def language_code(value: str) -> str:
    """The contract's code of a language by its code or tag; what is neither as it is."""
    plain = value.strip().lower().replace("_", "-")
    return next((code for code, names in _LANGUAGES.items() if plain in names or plain.startswith(names[-1])), plain)


def language_asked(request: Request) -> str:
    """The language of what a request is answered, as long as its body has not been read.

    That is `language` in the query, which knows English and Chinese, else the first of Accept-Language (RFC 9110
    section 12.5.4) that we have, else English.
    """
    query = request.query_params
    asked = language_of({}, query) if query else ""
    return asked or _preferred(request.headers.get("accept-language", "")[:_LONGEST_LIST])


@lru_cache(maxsize=64)
def _preferred(header: str) -> str:
    wanted: list[tuple[float, str]] = []
    for entry in header.split(",")[:_MOST_LANGUAGES]:
        tag, _semicolon, weight = entry.partition(";")
        try:
            wanted.append((float(weight.strip().removeprefix("q=") or 1), tag))
        except ValueError:
            continue
    return best([tag for weight, tag in sorted(wanted, key=lambda pair: -pair[0]) if weight > 0])


def _array(values: list[str]) -> object | None:
    if not any(values) and len(values) < 2:
        return None
    if len(values) == 1 and values[0].strip().startswith("["):
        return values[0]  # a JSON array, which `contract.accept` reads
    return values


def _single(values: list[str]) -> object | None:
    filled = [value for value in values if value]
    return filled[-1] if filled else None


def _number(part: str) -> int:
    match = _BRACKETS.search(part)
    return int(match[1]) if match and match[1] else 0


def _object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise Refused("01006", _("the part parameter is not JSON")) from None
    if not isinstance(value, dict):
        raise Refused("01006", _("the part parameter is not a JSON object"))
    return value


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
