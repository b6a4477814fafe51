"""What is wrong with a TOML file, in words that say what to write instead. No value is repeated: it may be a secret."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import BaseModel, ValidationError

from paperchute.contract.operations import nearest
from paperchute.language import N_, _

SINGLE = N_("rules are written as [[rule]], with double brackets")
NOT_UTF_8 = N_("this is not UTF-8 text; save the file as UTF-8")
UTF_16 = N_("this is UTF-16 text, which some programs call Unicode; save the file as UTF-8")
UNREADABLE = N_("this comment holds a character that is not text; delete it")

_CURLY = "“”„‟«»‘’‚‹›´`″′「」『』"
_INVISIBLE = "\u200b\u200c\u200d\u2060\ufeff\u00ad"
_ENDLESS = N_("the quote at the end of this text is missing")
NO_SINGLE_QUOTE = 'Expected "\'"'
_ENDLESS_MESSAGES = ("Unterminated string", NO_SINGLE_QUOTE, "Illegal character '\\n'", "Found invalid character '\\n'")
_BACKSLASH = N_(
    "a backslash inside \"...\" begins a special character; put the text into single quotes, '...', or write / for it"
)
_BACKSLASH_MESSAGES = (
    "Unescaped '\\' in a string",
    "Invalid hex value",
    "Escaped character is not a Unicode scalar value",
)
_BARE = N_("text goes in quotes")
_KEY = N_("a key is one word of letters without accents, digits, - and _; then follows `=`")
_SWITCH = re.compile(
    r"(?:yes|no|on|off|true|false|ja|nein|an|aus|wahr|falsch|oui|non|vrai|faux|s[ií]|verdadero|falso|vero)\b",
    re.IGNORECASE,
)
_NOTHING = re.compile(r"(?:none|null|nil|undefined)\b", re.IGNORECASE)
_REMARKS = ("//", ";", "/*", "--")
_KEY_AND_MORE = re.compile(r"[^=\n]*=")
_NEXT_PAIR = re.compile(r"[\w-]+\s*=")


def words(message: str, statement: str, at: int) -> str:
    """Return what is wrong with a statement, and what to write instead.

    Args:
        message: tomllib's sentence.
        statement: A header or pair.
        at: Where in it the mistake was noticed, in characters from 0.
    """
    before, rest = statement[:at], statement[at:]
    line = before.rpartition("\n")[2] + rest.partition("\n")[0]
    if odd := odd_sign(rest):
        return odd
    if rest.startswith("//") or (rest.startswith("--") and before.endswith(" ")):
        return _("a comment begins with #")
    if message in _ENDLESS_MESSAGES:
        return _no_end(line)
    if message in _BACKSLASH_MESSAGES:
        return _(_BACKSLASH)
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
            return _("a comma is missing before this")
        case "Unclosed inline table":
            return _braces(statement) if rest.startswith("\n") else _("a comma is missing before this")
        case "Invalid date or datetime":
            return _("there is no such date or time")
        case "Expected ']' at the end of a table declaration" | "Expected ']]' at the end of an array declaration":
            return _("a header is one name in brackets, in a line of its own")
    if match := re.fullmatch(r"Duplicate inline table key (.*)", message):
        return _("{key} is given twice in this table", key=match[1])
    if message.startswith(("Illegal character", "Found invalid character")):
        return _("there is a character here that is not text; delete it")
    return message[:1].lower() + message[1:]


def odd_sign(rest: str) -> str:
    """Return what to say where the text from here begins with a sign that only looks like the right one; else empty."""
    if not rest:
        return ""
    if rest[0] in _CURLY:
        return _('these are typographic quotes; write straight ones, "..."')
    if rest[0] == "\r":
        return _("this line ends as on old Macs; save the file with line ends of Unix or Windows")
    if rest[0] in _INVISIBLE or (rest[0].isspace() and rest[0] not in " \t\n"):
        return _("this blank is not an ordinary space, as happens when text is pasted; delete it and type it again")
    plain = unicodedata.normalize("NFKC", rest[0])
    if plain != rest[0] and plain.isascii() and not plain.isalpha():
        return _("this {sign} is a full-width one; write the ordinary {plain}", sign=rest[0], plain=plain)
    return ""


def is_endless(message: str) -> bool:
    """Decide whether tomllib's sentence says that the quote at the end of a line is missing."""
    return message in _ENDLESS_MESSAGES


def unclosed(opening: str) -> str:
    """Return what to say of a bracket, or of three quotes, that are never closed; opening: the text from there."""
    match opening[0]:
        case "[":
            return _("this list is never closed: `{closing}` is missing", closing="]")
        case "{":
            return _("this table is never closed: `{closing}` is missing", closing="}")
    return _("this text is never closed: `{closing}` is missing", closing=opening)


def with_unchecked(problem: str, first: int, last: int) -> str:
    """Return what is wrong, and that it hides other lines, from 1."""
    if first == last:
        return _("{problem}; line {line} is not checked until then", problem=problem, line=first)
    return _("{problem}; lines {first} to {last} are not checked until then", problem=problem, first=first, last=last)


def header(mended: str) -> str:
    """Return what to say of a broken header."""
    if mended == "[[rule]]":
        return _(SINGLE)
    return _("write this header as {header}, in a line of its own", header=mended)


def twice(name: str, line: int, *, may_lack_rule: bool) -> str:
    """Return what to say of a key or table that stands in `line` already."""
    if may_lack_rule:
        return _("`{name}` is in line {line} already, unless a [[rule]] is missing between them", name=name, line=line)
    return _("`{name}` is in line {line} already; put it all in one place", name=name, line=line)


def _no_end(line: str) -> str:
    if any(sign in line for sign in _CURLY):
        return _('one of these quotes is typographic; write straight ones, "..."')
    return _(_BACKSLASH) if line.rstrip().endswith('\\"') else _(_ENDLESS)


def _no_value(rest: str) -> str:
    if not rest.strip() or rest[0] in "#\n":
        return _("the value is missing behind `=`")
    if rest[0] in ",]}":
        return _("a value is missing before this")
    if rest[0] in "=>":
        return _("there is just one `=` between key and value")
    if _SWITCH.match(rest):
        return _('a switch takes true or false, or "on" or "off" in quotes')
    if _NOTHING.match(rest):
        return _("TOML has no empty value; leave the whole line out")
    return _(_BARE)


def _too_much(before: str, rest: str) -> str:
    if rest.startswith(",") and before[-1:].isdigit() and rest[1:2].isdigit():
        return _("a decimal point is needed here, not a comma")
    if rest[0] in ",;":
        return _(
            "no `{sign}` is allowed here: each key has a line of its own, and nothing follows its value", sign=rest[0]
        )
    if rest[0] in "]}":
        return _("there is one `{sign}` too many", sign=rest[0])
    if _NEXT_PAIR.match(rest):
        return _("another key begins here: each key has a line of its own")
    if before.rstrip()[-1:] in ("'", '"'):
        return _("the text ended before this; put a text that contains quotes into quotes of the other kind")
    if before[-1:] == "0" and rest[0].isdigit():
        return _("a number does not begin with 0; text goes in quotes")
    if before[-1:].isalnum() or before.endswith(" "):
        return _(
            "the value ended before this; text goes in quotes, and so does a number with a unit, or a date or time"
        )
    return _("nothing more may follow in this line")


def _no_equals(rest: str) -> str:
    if rest.startswith(":"):
        return _("write `=` instead of the colon")
    if _KEY_AND_MORE.match(rest):
        return _(_KEY)
    return _("`=` is missing here")


def _no_key(statement: str, before: str, rest: str) -> str:
    inside = before.rstrip()
    if inside.endswith(",") and rest.startswith("}"):
        return _("no comma is allowed before `{sign}`", sign="}")
    if inside.endswith((",", "{")) and rest.startswith(("\n", "#")):
        return _braces(statement)
    return _("a key is missing here")


def _braces(statement: str) -> str:
    name = re.match(r"\s*([\w.-]+)", statement)
    return _(
        "what is in braces must end on the line on which it begins; or give it lines of its own, below {header}",
        header=f"[rule.{name[1] if name else 'NAME'}]",
    )


def _no_statement(rest: str) -> str:
    if rest.startswith(_REMARKS):
        return _("a comment begins with #")
    if rest[0] in "]}":
        return _("this `{sign}` closes nothing", sign=rest[0])
    if rest[0].isalpha() and not rest[0].isascii():
        return _(_KEY)
    return _("a line begins with a key, or is a header in brackets")


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
            yield loc, _("there is no key {key} here", key=repr(key)), nearest(key, keys)
        elif detail["type"] == "missing":
            yield loc, _("`{key}` is missing", key=key), None
        else:
            yield loc, f"`{_named(loc)}` {_shape_words(detail)}", None


def _named(loc: tuple[int | str, ...]) -> str:
    return ".".join(str(part) for part in loc if isinstance(part, str)) or _("the table")


def _shape_words(detail: Mapping[str, Any]) -> str:
    """A finding of pydantic in the words of this file."""
    context = detail.get("ctx", {})
    match detail["type"]:
        case "bool_parsing" | "bool_type":
            return _("takes on or off")
        case "literal_error":
            words = context["expected"].replace("'", "").replace(" or ", " | ").replace(", ", " | ")
            return _("takes {words}", words=words)
        case "string_type":
            return _("takes text, in quotes")
        case "string_too_short" | "too_short":
            return _("must not be empty")
        case "int_parsing" | "int_type" | "int_from_float" | "float_parsing" | "float_type":
            return _("takes a number")
        case "greater_than_equal" | "less_than_equal":
            if "ge" in context:
                return _("must be at least {limit}", limit=context["ge"])
            return _("must be at most {limit}", limit=context["le"])
        case "dict_type" | "model_type" | "model_attributes_type":
            return _("takes a table, {example}", example="{ key = value }")
        case "list_type":
            return _("takes a list, [ ... ]")
        case "value_error":
            return str(context.get("error", detail["msg"]))
    return str(detail["msg"])
