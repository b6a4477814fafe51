"""Templates: Jinja2 in its sandbox, HTML escaped, nothing undefined passed over in silence.

The language is not part of the public contract; contract section 12 leaves it to us: `{{ name.path }}`, loops,
conditions, and the filters of `FILTERS` beside Jinja2's own.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import Any

from jinja2 import StrictUndefined, TemplateError, TemplateSyntaxError, UndefinedError
from jinja2.exceptions import SecurityError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from paperchute.engine.work import Refused


def fill(template: str, data: str) -> str:
    """The template filled with the JSON object `data` (empty: no data).

    Raises Refused: 01006 for data that is no JSON object, 03000 for a template that is wrong, names something that
    the data has not, or does what the sandbox forbids. Each says the line.
    """
    values = _object(data) if data.strip() else {}
    environment = ImmutableSandboxedEnvironment(autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    environment.filters.update(FILTERS)
    try:
        return environment.from_string(template).render(values)
    except TemplateSyntaxError as error:
        raise Refused("03000", f"the template is wrong in line {error.lineno}: {error.message}") from None
    except UndefinedError as error:
        raise Refused("03000", f"the template needs what the data has not{_line(error)}: {error.message}") from None
    except SecurityError:
        raise Refused("03000", "the template does what templates may not do") from None
    except (TemplateError, ArithmeticError, TypeError, ValueError, LookupError, AttributeError) as error:
        raise Refused("03000", f"the template cannot be filled{_line(error)}: {error}") from None
    except RecursionError:
        raise Refused("03000", "the template calls itself without end") from None
    except OverflowError:
        raise Refused("03000", "the template asks for too much") from None


def _number(value: Any, digits: int = 2) -> str:
    """1234.5 -> 1,234.50"""
    return f"{_decimal(value):,.{digits}f}"


def _money(value: Any, currency: str = "") -> str:
    """1234.5 | money("EUR") -> 1,234.50 EUR"""
    return f"{_number(value)} {currency}".rstrip()


def _date(value: Any, form: str = "%d %B %Y") -> str:
    """2026-11-21 -> 21 November 2026; the form is strftime's."""
    return datetime.fromisoformat(str(value)).strftime(form)


FILTERS: dict[str, Callable[..., str]] = {"number": _number, "money": _money, "date": _date}


def _decimal(value: Any) -> Decimal:
    try:
        return Decimal(str(value))
    except InvalidOperation:
        raise ValueError(f"{value!r} is no number") from None


def _object(data: str) -> dict[str, Any]:
    try:
        value = json.loads(data)
    except json.JSONDecodeError as error:
        raise Refused(
            "01006", f"the data is no JSON: {error.msg} in line {error.lineno}, column {error.colno}"
        ) from None
    except RecursionError:
        raise Refused("01006", "the data is nested too deeply") from None
    if not isinstance(value, dict):
        raise Refused("01006", "the data must be a JSON object")
    return value


def _line(error: BaseException) -> str:
    """The template's line in which an error came up, from the frames that Jinja2 made for it."""
    trace, line = error.__traceback__, 0
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == "<template>":
            line = trace.tb_lineno
        trace = trace.tb_next
    return f" in line {line}" if line else ""
