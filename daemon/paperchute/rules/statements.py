"""Where the statements of a TOML text begin and end, also where some of them are broken.

Nothing that is valid TOML is ever cut: inside brackets no line of TOML 1.0 can look like a table's header or begin with
a key, and a text of several lines is left alone as long as its closing quotes come.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_TOKEN = re.compile(
    r"""
    (?P<long>\"{3}|'{3})
    | (?P<text>"(?:[^"\\\n]|\\[^\n])*"?|'[^'\n]*'?)
    | (?P<comment>\#[^\n]*)
    | (?P<open>[\[{])
    | (?P<close>[\]}])
    | (?P<feed>\n)
    | [^"'\#\[\]{}\n]+
    """,
    re.VERBOSE,
)
_HEADER = re.compile(
    r"[ \t]*\[\[?[ \t]*(?!(?:true|false|inf|nan)[ \t]*\])[A-Za-z_][\w.\- \t]*+\]{0,2}+[ \t]*+(?:#[^\n]*+)?(?=\n|\Z)"
)
_PAIR = re.compile(
    r"[ \t]*[A-Za-z_][\w-]*(?:[ \t]*\.[ \t]*[\w-]+)*[ \t]*(?:[=:\"'{\[]|(?<=[ \t])(?:[+-]?\d|(?:true|false)\b))"
)
"""A pair, or what should be one."""
_ENDS = {'"""': re.compile(r'\\.|"{3,5}', re.DOTALL), "'''": re.compile(r"'{3,5}")}
_BLANK = re.compile(r"(?:[ \t]*(?:#[^\n]*)?\n)*[ \t]*")


@dataclass(frozen=True)
class Statement:
    """One header or pair: text[start:end], without the line feed behind it.

    unclosed: where a bracket or the quotes of a long text open that are never closed.
    """

    start: int
    end: int
    unclosed: int | None = None


def statements(text: str) -> Iterator[Statement]:
    """Everything in a TOML text but blank lines and comments, in order."""
    at = 0
    while True:
        at = _past(_BLANK, text, at)
        if at >= len(text):
            return
        if text[at] == "#":  # a comment in the last line
            return
        found = _statement(text, at)
        yield found
        at = found.end + 1


def _past(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    return match.end() if match else at


def _statement(text: str, start: int) -> Statement:
    if text[start] == "[":
        return Statement(start, _line_end(text, start))
    opened: list[int] = []
    at = start
    last = ""  # the latest character that means something
    while match := _TOKEN.match(text, at):
        at = match.end()
        if match["long"]:
            end = _long_end(text, match)
            if end is None:
                return Statement(start, _next_header(text, at), match.start())
            at, last = end, '"'
        elif match["open"]:
            opened.append(match.start())
            last = match[0]
        elif match["close"]:
            del opened[-1:]
            last = match[0]
        elif match["feed"]:
            if not opened:
                return Statement(start, match.start())
            if _begins_anew(text, at, text[opened[-1]], last):
                return Statement(start, match.start(), opened[-1])
        elif not match["comment"]:
            last = match[0].rstrip()[-1:] or last
    return Statement(start, len(text), opened[-1] if opened else None)


def _begins_anew(text: str, at: int, bracket: str, last: str) -> bool:
    """Whether the line at `at` is a statement of its own, so that the bracket before it was forgotten to be closed."""
    if _HEADER.match(text, at):
        return True
    goes_on = bracket == "{" and last in "{,"  # a table over several lines, which is wrong in another way
    return not goes_on and _PAIR.match(text, at) is not None


def _long_end(text: str, opening: re.Match[str]) -> int | None:
    for match in _ENDS[opening[0]].finditer(text, opening.end()):
        if not match[0].startswith("\\"):
            return match.end()
    return None


def _next_header(text: str, at: int) -> int:
    """The end of the line before the next header."""
    end = _line_end(text, at)
    while end < len(text) and not _HEADER.match(text, end + 1):
        end = _line_end(text, end + 1)
    return end


def _line_end(text: str, at: int) -> int:
    found = text.find("\n", at)
    return len(text) if found < 0 else found
