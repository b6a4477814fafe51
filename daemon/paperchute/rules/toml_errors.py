"""What is wrong with a TOML file, in words that say what to write instead. No value is repeated: it may be a secret."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import BaseModel, ValidationError

from paperchute.contract.model import nearest

_CURLY = "“”„‟«»‘’‚"
_BRACES = "what stands in braces must end in the line in which it begins; or give it lines of its own, below [rule.{}]"
_ENDLESS = "the quote at the end of this text is missing"
_BACKSLASH = (
    "a backslash inside \"...\" begins a special character; put the text into single quotes, '...', or write / for it"
)
_BARE = "text stands in quotes"
_SWITCH = re.compile(
    r"(?:yes|no|on|off|true|false|ja|nein|an|aus|wahr|falsch|oui|non|vrai|faux|s[ií]|verdadero|falso|vero)\b",
    re.IGNORECASE,
)
_KEY_AND_MORE = re.compile(r"[^=\n]*=")


def wrong_with(statement: str) -> tuple[int, str] | None:
    """(where, in characters from 0; what) is wrong with a header or pair whose brackets are all closed; None: nothing.

    Only the first thing: what follows it in the same statement cannot be told apart from it.
    """
    try:
        tomllib.loads(statement)
    except tomllib.TOMLDecodeError as error:
        at, message = place_of(error, statement)
        return at, _words(message, statement, at)
    except ValueError as error:  # a date or number that there is not
        return 0, str(error)
    return None


def unclosed(opening: str) -> str:
    """What to say of a bracket, or of a quote that stands for three, that is never closed."""
    if opening in "[{":
        what, closing = ("list", "]") if opening == "[" else ("table", "}")
        return f"this {what} is never closed: `{closing}` is missing"
    return f"this text is never closed: {opening * 3} is missing"


def place_of(error: tomllib.TOMLDecodeError, text: str) -> tuple[int, str]:
    """(where in the text, in characters from 0; tomllib's sentence)."""
    message, _, place = str(error).rpartition(" (at ")
    numbers = [int(number) for number in re.findall(r"\d+", place)]
    if len(numbers) != 2:
        return len(text), message
    start = 0
    for _ in range(numbers[0] - 1):
        start = text.index("\n", start) + 1
    return start + numbers[1] - 1, message


def _words(message: str, statement: str, at: int) -> str:
    """tomllib's sentence in the words of this product."""
    before, rest = statement[:at], statement[at:]
    if rest[:1] and rest[0] in _CURLY:
        return 'these are typographic quotes; write straight ones, "..."'
    match message:
        case "Invalid value":
            return _no_value(rest)
        case "Expected newline or end of document after a statement":
            return _too_much(before, rest)
        case "Expected '=' after a key in a key/value pair":
            return _no_equals(rest)
        case "Invalid initial character for a key part":
            return _no_key(statement, before, rest)
        case "Invalid statement":
            return _no_statement(rest)
        case "Unclosed array":
            return "a comma is missing before this"
        case "Unclosed inline table":
            return _braces(statement) if rest.startswith("\n") else "a comma is missing before this"
        case "Unterminated string" | 'Expected "\'"' | "Illegal character '\\n'":
            return _ENDLESS
        case "Unescaped '\\' in a string" | "Invalid hex value" | "Escaped character is not a Unicode scalar value":
            return _BACKSLASH
        case "Expected ']' at the end of a table declaration":
            return "`]` is missing at the end of this header"
        case "Expected ']]' at the end of an array declaration":
            return "`]]` is missing at the end of this header"
    if match := re.fullmatch(r"Duplicate inline table key (.*)", message):
        return f"{match[1]} stands twice in this table"
    return message[:1].lower() + message[1:]


def _no_value(rest: str) -> str:
    if not rest.strip() or rest[0] in "#\n":
        return "the value is missing behind `=`"
    if rest[0] in ",]}":
        return "a value is missing before this"
    if _SWITCH.match(rest):
        return 'a switch takes true or false, or "on" or "off" in quotes'
    return _BARE


def _too_much(before: str, rest: str) -> str:
    if rest.startswith(","):
        return "no comma may stand here: each key has a line of its own"
    if rest[0] in "]}":
        return f"there is one `{rest[0]}` too many"
    if before.rstrip()[-1:] in ("'", '"'):
        return "the text ended before this; one that holds quotes itself stands in quotes of the other kind"
    if before[-1:].isalnum() or before.endswith(" "):
        return f"the value ended before this; {_BARE}, and so does a number with a unit, or a date or time"
    return "nothing more may stand in this line"


def _no_equals(rest: str) -> str:
    if rest.startswith(":"):
        return "write `=` in the place of the colon"
    if _KEY_AND_MORE.match(rest):
        return "a key is one word of letters without accents, digits, - and _; then follows `=`"
    return "`=` is missing here"


def _no_key(statement: str, before: str, rest: str) -> str:
    inside = before.rstrip()
    if inside.endswith(",") and rest.startswith("}"):
        return "no comma may stand before `}`"
    if inside.endswith((",", "{")) and rest.startswith(("\n", "#")):
        return _braces(statement)
    return "a key is missing here"


def _braces(statement: str) -> str:
    name = re.match(r"[\w.-]+", statement)
    return _BRACES.format(name[0] if name else "NAME")


def _no_statement(rest: str) -> str:
    if rest.startswith(("//", ";", "/*", "--")):
        return "a remark begins with #"
    if rest[0] in "]}":
        return f"this `{rest[0]}` closes nothing"
    return "a line begins with a key, or is a header in brackets"


def findings(
    error: ValidationError, shape: type[BaseModel], inner: Mapping[str, type[BaseModel]]
) -> Iterator[tuple[tuple[str | int, ...], str, str | None]]:
    """(key path, message, suggestion) for all that does not fit `shape`. inner: shapes of the tables in it, by name."""
    for detail in error.errors(include_url=False):
        loc = tuple(part for part in detail["loc"] if part != "float")
        key = str(loc[-1]) if loc else ""
        home = next((inner[str(part)] for part in reversed(loc[:-1]) if part in inner), shape)
        keys = [field.alias or name for name, field in home.model_fields.items()]
        if detail["type"] == "extra_forbidden":
            yield loc, f"there is no key {key!r} here", nearest(key, keys)
        elif detail["type"] == "missing":
            yield loc, f"`{key}` is missing", None
        else:
            yield loc, f"`{_named(loc)}` {_shape_words(detail)}", None


def _named(loc: tuple[int | str, ...]) -> str:
    return ".".join(str(part) for part in loc if isinstance(part, str)) or "the table"


def _shape_words(detail: Mapping[str, Any]) -> str:
    """pydantic's finding in the words of this file."""
    context = detail.get("ctx", {})
    match detail["type"]:
        case "bool_parsing" | "bool_type":
            return "takes on or off"
        case "literal_error":
            return f"takes {context['expected']}".replace("'", "").replace(" or ", " | ").replace(", ", " | ")
        case "string_type":
            return "takes text, in quotes"
        case "string_too_short" | "too_short":
            return "must not be empty"
        case "int_parsing" | "int_type" | "int_from_float" | "float_parsing" | "float_type":
            return "takes a number"
        case "greater_than_equal" | "less_than_equal":
            limit = context.get("ge", context.get("le"))
            return f"must be {'at least' if 'ge' in context else 'at most'} {limit}"
        case "dict_type" | "model_type" | "model_attributes_type":
            return "takes a table, { key = value }"
        case "list_type":
            return "takes a list, [ ... ]"
        case "value_error":
            return str(context.get("error", detail["msg"]))
    return str(detail["msg"])
