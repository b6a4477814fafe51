"""Templates as word processors write them: `{{ total | money(&quot;EUR&quot;) }}`, or with typographic quotes.

Outside a quoted text, `&`, `;` and typographic quotes mean nothing in Jinja2. An expression that has one there has been
written as HTML, and is read back. Any other stays as it is, whatever its texts hold.
"""

from __future__ import annotations

import html
import re

_ENDS = {"{{": "}}", "{%": "%}", "{#": "#}"}
_START = re.compile(r"\{[{%#]")
_TEXT = (  # also one without an end, so that none is looked through twice
    r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)'
    r"|'[^'\\]*+(?:\\.[^'\\]*+)*+(?:'|\\?\Z)"
)
_TEXTS = re.compile(_TEXT, re.DOTALL)
_DOUBLE, _SINGLE = "\u201c\u201d\u201e\u201f\u00ab\u00bb", "\u2018\u2019\u201a\u2039\u203a"  # typographic quotes
_WRITTEN = re.compile(rf"&(?:[a-zA-Z]{{2,6}}|#\d{{1,5}}|#x[0-9a-fA-F]{{1,4}});|[{_DOUBLE}{_SINGLE}]")
_QUOTED = re.compile(
    rf"""{_TEXT}|[{_DOUBLE}]([^{_DOUBLE}"\\]*)[{_DOUBLE}]|[{_SINGLE}]([^{_SINGLE}'"\\]*)[{_SINGLE}]""", re.DOTALL
)


def expressions_undone(template: str) -> str:
    """The template with its expressions as their author wrote them; the HTML around them stays."""
    pieces, done = [], 0
    while match := _START.search(template, done):
        end = template.find(_ENDS[match[0]], match.end())
        if end < 0:
            break
        pieces.append(template[done : match.end()])
        inside = template[match.end() : end]
        pieces.append(inside if match[0] == "{#" else _undone(inside))
        done = end
    return "".join(pieces) + template[done:] if pieces else template


def _undone(expression: str) -> str:
    if not _WRITTEN.search(_TEXTS.sub("", expression)):
        return expression
    return _QUOTED.sub(_straight, html.unescape(expression).replace("\u00a0", " "))


def _straight(match: re.Match[str]) -> str:
    inner = match[1] if match[1] is not None else match[2]
    return match[0] if inner is None else f'"{inner}"'
