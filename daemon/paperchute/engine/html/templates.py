"""Templates: Jinja2 in its sandbox, HTML escaped, nothing undefined passed over in silence.

The language is not part of the public contract; contract section 12 leaves it to us: `{{ name.path }}`, loops,
conditions, and the filters of `formats` beside Jinja2's own. docs/templates.md tells it to people.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import Any

from jinja2 import FunctionLoader, StrictUndefined, Template, TemplateError, TemplateSyntaxError, UndefinedError, nodes
from jinja2.exceptions import SecurityError, TemplateNotFound
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment

from paperchute.engine.html.budget import OutOfTime, bounded
from paperchute.engine.html.formats import DEFAULT_LOCALE, FILTERS
from paperchute.engine.work import Refused

_SECONDS = 10.0
_BYTES = 512 << 20  # memory that filling may take
_MOST_CHARACTERS = 32 << 20
_MOST_TEMPLATE = 1 << 20  # characters of a template that is worth keeping compiled
_MOST_BITS = 4096  # of a power
_NAMES_SHOWN = 8
_LANGUAGE = re.compile(r"<html[^>]{0,500}?\slang\s*=\s*[\"']?([A-Za-z0-9_-]{2,40})", re.IGNORECASE)


def fill(template: str, data: str) -> str:
    """The template filled with the JSON object `data` (empty: no data).

    Raises Refused: 01006 for data that is no JSON object, 03000 for a template that is wrong, names something that
    the data has not, does what the sandbox forbids, or takes too much. Each says the line where there is one.
    """
    values = _object(data) if data.strip() else {}
    try:
        with bounded(_SECONDS, _BYTES):
            return _filled(_compiled(template), values)
    except TemplateSyntaxError as error:
        raise Refused("03000", f"the template is wrong in line {error.lineno}: {error.message}", "模板有误") from None
    except UndefinedError as error:
        what = _whole_name(template, error)
        raise _cannot("the template needs what the data has not", error, what, "模板所需的数据缺失") from None
    except SecurityError as error:
        raise _cannot("the template does what templates may not do", error, str(error)) from None
    except TemplateNotFound as error:
        raise _cannot(f"the template cannot take in {error.name}", error, "a template is one file") from None
    except (TemplateError, ArithmeticError, TypeError, ValueError, LookupError, AttributeError) as error:
        raise _cannot("the template cannot be filled", error, str(error) or type(error).__name__) from None
    except RecursionError as error:
        how = "calls itself without end" if _line(error) else "is nested too deeply"
        raise _cannot(f"the template {how}", error) from None
    except MemoryError as error:
        raise _cannot(f"the template takes more than {_BYTES >> 20} MB of memory", error, "", "模板内存超限") from None
    except OutOfTime as error:
        raise _cannot(f"the template takes longer than {_SECONDS:g} seconds", error, "", "模板执行超时") from None


class _Undefined(StrictUndefined):
    """Says what there is instead."""

    @property
    def _undefined_message(self) -> str:
        name = self._undefined_name
        if isinstance(self._undefined_obj, dict) and isinstance(name, str) and self._undefined_hint is None:
            has = ", ".join(map(str, list(self._undefined_obj)[:_NAMES_SHOWN])) or "nothing"
            return f"{name!r} is undefined; where it is looked for there is {has}"
        return super()._undefined_message


class _Environment(ImmutableSandboxedEnvironment):
    """Powers are bounded because the interpreter cannot be interrupted while it works one out."""

    intercepted_binops = frozenset(["**"])

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """See SandboxedEnvironment."""
        if isinstance(left, int) and isinstance(right, int) and abs(left).bit_length() * right > _MOST_BITS:
            raise OverflowError("the power is too large")
        return super().call_binop(context, operator, left, right)


def _environment() -> _Environment:
    nothing = FunctionLoader(lambda name: None)
    environment = _Environment(loader=nothing, autoescape=True, undefined=_Undefined, trim_blocks=True)
    environment.filters.update(FILTERS)
    del environment.globals["lipsum"]
    return environment


_ENVIRONMENT = _environment()


def _compiled(template: str) -> Template:
    """The letters of a mail merge have one template."""
    return _kept(template) if len(template) <= _MOST_TEMPLATE else _new(template)


def _new(template: str) -> Template:
    language = _LANGUAGE.search(template)
    return _ENVIRONMENT.from_string(template, globals={DEFAULT_LOCALE: language[1] if language else ""})


_kept = lru_cache(maxsize=32)(_new)


def _filled(template: Template, values: dict[str, Any]) -> str:
    pieces, length = [], 0
    for piece in template.generate(values):
        length += len(piece)
        if length > _MOST_CHARACTERS:
            raise ValueError(f"it makes more than {_MOST_CHARACTERS >> 20} million characters")
        pieces.append(piece)
    return "".join(pieces)


def _object(data: str) -> dict[str, Any]:
    try:
        value = json.loads(data, parse_constant=_no_number)
    except json.JSONDecodeError as error:
        raise Refused(
            "01006", f"the data is no JSON: {error.msg} in line {error.lineno}, column {error.colno}"
        ) from None
    except RecursionError:
        raise Refused("01006", "the data is nested too deeply") from None
    except ValueError as error:
        raise Refused("01006", f"the data is no JSON: {error}") from None
    if isinstance(value, list):
        raise Refused("01006", "the data must be a JSON object; a list of them is one PDF a row, and one call a row")
    if not isinstance(value, dict):
        raise Refused("01006", "the data must be a JSON object")
    return value


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no number")


def _cannot(what: str, error: BaseException, why: str = "", reason_zh: str = "") -> Refused:
    line = _line(error)
    where = f" in line {line}" if line else ""
    return Refused("03000", f"{what}{where}" + (f": {why}" if why else ""), reason_zh)


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
