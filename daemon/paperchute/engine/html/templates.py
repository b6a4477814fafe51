"""Templates: Jinja2 in its sandbox, HTML escaped, nothing undefined passed over in silence."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from jinja2 import Template, TemplateError, TemplateSyntaxError, UndefinedError, nodes
from jinja2.exceptions import SecurityError, TemplateNotFound

from paperchute.engine.html.data import DataError, Listed, read_data
from paperchute.engine.html.filters import DEFAULT_LOCALE, OF_DATES, OF_NUMBERS, check_column
from paperchute.engine.html.sandbox import OutOfTime, Sandbox, bounded
from paperchute.engine.work import Refused
from paperchute.language import _

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


_SECONDS = 10.0
_BYTES = 512 << 20  # memory that filling may take
_MOST_CHARACTERS = 32 << 20
_MOST_TEMPLATE = 1 << 20  # characters of a template that is worth keeping compiled
_BRANCHES = (nodes.CondExpr, nodes.And, nodes.Or)
_LANGUAGE = re.compile(r"<(?:html|body)\b[^>]{0,500}?\slang\s*=\s*[\"']?([A-Za-z0-9_-]{2,40})", re.IGNORECASE)


def fill(template: str, data: str) -> str:
    """The template filled with the JSON object `data` (empty: no data).

    Raises Refused: 01006 for data that is not a JSON object or is not what the template takes it for, 03000 for a
    template that is wrong, names something that the data has not, does what the sandbox forbids, or takes too much.
    Each says the line where there is one.
    """
    values, listed = read_data(data) if data.strip() else ({}, Listed())
    template = expressions_undone(template)
    try:
        with bounded(_SECONDS, _BYTES):
            compiled, taken = _compiled(template)
            for name, number in taken:
                check_column(listed, name, number)
            return _filled(compiled, values)
    except DataError as error:
        line = _line(error)
        what = _("{what} (line {line} of the template)", what=error, line=line) if line else str(error)
        raise Refused("01006", what) from None
    except TemplateSyntaxError as error:
        raise Refused(
            "03000", _("the template has a mistake in line {line}: {reason}", line=error.lineno, reason=error.message)
        ) from None
    except UndefinedError as error:
        raise _cannot(_whole_name(template, error), error) from None
    except SecurityError as error:
        raise _cannot(_("templates must not do this: {what}", what=error), error) from None
    except TemplateNotFound as error:
        raise _cannot(_("it cannot take in {name}: a template is one file", name=error.name), error) from None
    except (
        TemplateError,
        AssertionError,
        ArithmeticError,
        TypeError,
        ValueError,
        LookupError,
        AttributeError,
    ) as error:
        raise _cannot(str(error) or type(error).__name__, error) from None
    except RecursionError as error:
        endless = _line(error)
        raise _cannot(_("it calls itself endlessly") if endless else _("it is nested too deeply"), error) from None
    except MemoryError as error:
        raise _cannot(_("it takes more than {megabytes} MB of memory", megabytes=_BYTES >> 20), error) from None
    except OutOfTime as error:
        raise _cannot(_("it takes longer than {seconds} seconds", seconds=f"{_SECONDS:g}"), error) from None


_ENVIRONMENT = Sandbox()


def _compiled(template: str) -> tuple[Template, frozenset[tuple[str, bool]]]:
    """The letters of a mail merge have one template. With it, what it takes for numbers (True) and dates for sure."""
    return _kept(template) if len(template) <= _MOST_TEMPLATE else _new(template)


def _new(template: str) -> tuple[Template, frozenset[tuple[str, bool]]]:
    language = _LANGUAGE.search(template)
    compiled = _ENVIRONMENT.from_string(template, globals={DEFAULT_LOCALE: language[1] if language else ""})
    tree = _ENVIRONMENT.parse(template)
    changed = {name.name for name in tree.find_all(nodes.Name) if name.ctx != "load"}
    return compiled, frozenset(pair for pair in _taken(tree) if pair[0] not in changed)


_kept = lru_cache(maxsize=32)(_new)


def _taken(node: nodes.Node) -> Iterator[tuple[str, bool]]:
    """The names that a template takes for numbers or dates whatever the data: not those in one of several branches."""
    if isinstance(node, nodes.Filter) and isinstance(node.node, nodes.Name):
        if node.name in OF_NUMBERS and not (node.args and node.name in ("float", "int")):
            yield node.node.name, True
        elif node.name in OF_DATES:
            yield node.node.name, False
    for child in node.iter_child_nodes():
        if isinstance(child, nodes.Output | nodes.TemplateData | nodes.Expr) and not isinstance(child, _BRANCHES):
            yield from _taken(child)


def _filled(template: Template, values: dict[str, Any]) -> str:
    pieces, length = [], 0
    for piece in template.generate(values):
        length += len(piece)
        if length > _MOST_CHARACTERS:
            raise ValueError(_("it makes more than {millions} million characters", millions=_MOST_CHARACTERS >> 20))
        pieces.append(piece)
    return "".join(pieces)


def _cannot(why: str, error: BaseException) -> Refused:
    if line := _line(error):
        return Refused("03000", _("the template cannot be filled in line {line}: {why}", line=line, why=why))
    return Refused("03000", _("the template cannot be filled: {why}", why=why))


def _line(error: BaseException) -> int:
    """The template's line in which an error came up, from the frames that Jinja2 made for it; 0 where there is none."""
    trace, line = error.__traceback__, 0
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == "<template>":
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def _whole_name(template: str, error: UndefinedError) -> str:
    """The error's message, with the name as the template writes it: invoice.totl, not only totl."""
    message = error.message or ""
    short = re.match(r"'(\w+)' is undefined; ", message)
    if short is None:
        return message
    line = _line(error)
    for node in _ENVIRONMENT.parse(template).find_all((nodes.Getattr, nodes.Getitem)):
        name = _dotted(node)
        if node.lineno == line and name.endswith("." + short[1]):
            return message.replace(short[1], name, 1)
    return message


def _dotted(node: nodes.Node) -> str:
    match node:
        case nodes.Name():
            return node.name
        case nodes.Getattr():
            return f"{_dotted(node.node)}.{node.attr}"
        case nodes.Getitem(arg=nodes.Const(value=str(name))):
            return f"{_dotted(node.node)}.{name}"
    return ""
