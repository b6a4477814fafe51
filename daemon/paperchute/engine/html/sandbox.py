"""Where templates run: Jinja2's sandbox, with a budget of time and memory."""

from __future__ import annotations

import ctypes
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any

from jinja2 import FunctionLoader, StrictUndefined
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment

from paperchute.engine.html.data import Cell
from paperchute.engine.html.filters import FILTERS
from paperchute.language import _

if sys.platform == "linux":
    import resource


class OutOfTime(Exception):
    """The block took too long."""


@contextmanager
def bounded(seconds: float, extra_bytes: int) -> Iterator[None]:
    """Run the block for at most `seconds` and with at most `extra_bytes` more memory than the process has now.

    Raises OutOfTime and MemoryError in the block. A single operation of the interpreter is not interrupted; memory is
    bounded on Linux alone. Elsewhere, and beyond, the limits of the worker process count.
    """
    _CLOCK.start(seconds)  # before the memory is bounded: its thread needs some, and would wait for it for ever
    try:
        with _memory(extra_bytes):
            yield
    finally:
        _CLOCK.stop()


class _Clock:
    """Raises OutOfTime in the thread that started it, unless stopped before. One at a time in a process.

    Its own thread stays: to start one takes longer than to fill a letter.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._ends: float | None = None
        self._watched = 0

    def start(self, seconds: float) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="clock", daemon=True)
            self._thread.start()
        with self._changed:
            self._watched = threading.get_ident()
            self._ends = time.monotonic() + seconds
            self._changed.notify()

    def stop(self) -> None:
        with self._changed:
            self._ends = None

    def _run(self) -> None:
        with self._changed:
            while True:
                left = None if self._ends is None else self._ends - time.monotonic()
                if left is not None and left <= 0:
                    self._ends = None
                    error = ctypes.py_object(OutOfTime)
                    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self._watched), error)
                else:
                    self._changed.wait(left)


_CLOCK = _Clock()


@contextmanager
def _memory(extra_bytes: int) -> Iterator[None]:
    if sys.platform == "linux":
        soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
        most = _data_bytes() + extra_bytes
        if hard != resource.RLIM_INFINITY:
            most = min(most, hard)
        resource.setrlimit(resource.RLIMIT_DATA, (most, hard))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))
    else:
        yield


def _data_bytes() -> int:
    """Return what RLIMIT_DATA counts: private writable memory (getrlimit(2), proc_pid_status(5))."""
    found = re.search(r"VmData:\s+(\d+) kB", Path("/proc/self/status").read_text("ascii"))
    return int(found[1]) << 10 if found else 0


_MOST_BITS = 4096
"""Of a whole number that is calculated with: some 1,200 digits, and a step with two of them takes microseconds."""
_MOST_WEIGHT = 32 << 20
"""Characters, and elements of sequences, that go into one operation or come out: a second of work at most."""
_MOST_WORDS = 1 << 16
"""Characters that go into what looks at each word with patterns of its own."""
_MOST_DIGITS = 400
"""Behind the point: more than a float has."""
_MOST_WIDTH = 1_000
_NAMES_SHOWN = 8
_CALCULATING = ("abs", "filesizeformat", "round")
_WIDE = re.compile(r"%[^a-zA-Z%]*(?:\d{4}|\*)|\{[^{}]*(?:\d{4}|\{)")
"""In a format: a width of thousands, one that is given, or a format inside another."""

_TEXT = frozenset((
    "capitalize", "casefold", "center", "count", "endswith", "find", "format", "index", "isalnum", "isalpha",
    "isascii", "isdecimal", "isdigit", "isidentifier", "islower", "isnumeric", "isprintable", "isspace",
    "istitle", "isupper", "join", "ljust", "lower", "lstrip", "partition", "removeprefix", "removesuffix",
    "replace", "rfind", "rindex", "rjust", "rpartition", "rsplit", "rstrip", "split", "splitlines", "startswith",
    "strip", "swapcase", "title", "upper", "zfill",
))  # fmt: skip
_METHODS: dict[type, frozenset[str]] = {
    str: _TEXT,
    bytes: frozenset(),
    dict: frozenset({"get", "items", "keys", "values"}),
    list: frozenset({"count", "index"}),
    tuple: frozenset({"count", "index"}),
    int: frozenset({"bit_length", "is_integer"}),
    float: frozenset({"is_integer"}),
}


class _Undefined(StrictUndefined):
    """Says what there is instead."""

    @property
    def _undefined_message(self) -> str:
        name = self._undefined_name
        if isinstance(self._undefined_obj, dict) and isinstance(name, str) and self._undefined_hint is None:
            has = ", ".join(map(str, list(self._undefined_obj)[:_NAMES_SHOWN])) or "nothing"
            return f"{name!r} is undefined; where it is looked for there is {has}"
        return super()._undefined_message


class Sandbox(ImmutableSandboxedEnvironment):
    """An environment whose every single step is bounded."""

    intercepted_binops = frozenset(["+", "-", "*", "/", "//", "%", "**"])

    def __init__(self) -> None:
        nothing = FunctionLoader(lambda name: None)
        super().__init__(loader=nothing, autoescape=True, undefined=_Undefined, trim_blocks=True)
        self.filters.update(FILTERS)
        for name, function in self.filters.items():
            self.filters[name] = _bounded(name, function)
        del self.globals["lipsum"]

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """See SandboxedEnvironment."""
        for value, other in ((left, right), (right, left)):
            _check_bits(value)
            if isinstance(value, Cell):
                value.not_with(other)
        if operator == "**":
            _check_power(left, right)
        elif operator == "*":
            _check_times(left, right)
            _check_times(right, left)
        elif operator == "%" and isinstance(left, str | bytes):
            _check_format(str(left))
        elif operator == "+" and isinstance(left, str | list | tuple):
            _check_weight("+", weight(left) + weight(right))
        return super().call_binop(context, operator, left, right)

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        """See SandboxedEnvironment. Of plain values only the methods of `_METHODS`."""
        for kind, names in _METHODS.items():
            if isinstance(obj, kind) and attr not in names:
                return False
        return super().is_safe_attribute(obj, attr, value)

    def wrap_str_format(self, value: Any) -> Callable[..., str] | None:
        """See SandboxedEnvironment."""
        function = super().wrap_str_format(value)
        if function is None:
            return None
        _check_format(str(value.__self__))
        return function

    def call(self, context: Context, obj: Any, /, *args: Any, **kwargs: Any) -> Any:
        """See SandboxedEnvironment."""
        owner = getattr(obj, "__self__", None)
        if isinstance(owner, str) and callable(obj):
            _check_method(owner, getattr(obj, "__name__", ""), args)
        return super().call(context, obj, *args, **kwargs)


def weight(value: Any) -> int:
    """Give how much there is to a value: characters and elements, those that stand in several places once for each."""
    total, waiting = 0, [value]
    while waiting and total <= _MOST_WEIGHT:
        one = waiting.pop()
        if isinstance(one, str | bytes):
            total += len(one)
        elif isinstance(one, Mapping):
            total += len(one)
            waiting += [*one.keys(), *one.values()]
        elif isinstance(one, list | tuple | set | frozenset):
            total += len(one)
            waiting += one
    return total


def _check_weight(what: str, found: int) -> None:
    if found > _MOST_WEIGHT:
        raise OverflowError(
            _("{what} would take more than {millions} million characters", what=what, millions=_MOST_WEIGHT >> 20)
        )


def _check_bits(value: Any) -> None:
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        raise OverflowError(_("the number is too large"))


def _check_power(left: Any, right: Any) -> None:
    if isinstance(left, int) and isinstance(right, int) and abs(left).bit_length() * abs(right) > _MOST_BITS:
        raise OverflowError(_("the power is too large"))


def _check_times(many: Any, times: Any) -> None:
    if isinstance(many, str | bytes | list | tuple) and isinstance(times, int):
        _check_weight("*", weight(many) * max(times, 0))


def _check_format(form: str) -> None:
    if _WIDE.search(form.replace("{{", "").replace("%%", "")):
        raise OverflowError(_("a format may not ask for thousands of characters"))


def _check_width(width: Any) -> None:
    if isinstance(width, int) and abs(width) > _MOST_WIDTH:
        raise OverflowError(_("a width may be at most {most}", most=_MOST_WIDTH))


def _check_method(owner: str, name: str, args: tuple[Any, ...]) -> None:
    if name in ("center", "ljust", "rjust", "zfill") and args:
        _check_width(args[0])
    elif name == "replace" and len(args) > 1:
        _check_replacement(owner, args[0], args[1])
    elif name == "join" and args:
        parts = weight(args[0])
        _check_weight(name, parts + len(owner) * parts)


def _check_replacement(text: Any, old: Any, new: Any) -> None:
    if all(isinstance(one, str) for one in (text, old, new)):
        _check_weight("replace", len(text) + (text.count(old) if old else len(text) + 1) * len(new))


def _check_round(value: Any, precision: Any = 0, method: Any = "") -> None:
    if isinstance(precision, int) and abs(precision) > _MOST_DIGITS:
        raise OverflowError(_("round takes at most {most} digits", most=_MOST_DIGITS))


def _check_indent(s: Any, width: Any = 4, first: Any = False, blank: Any = False) -> None:
    _check_width(width)
    if isinstance(s, str):
        by = len(width) if isinstance(width, str) else abs(width) if isinstance(width, int) else 0
        _check_weight("indent", len(s) + (s.count("\n") + 1) * by)


def _check_wrap(
    s: Any, width: Any = 79, break_long_words: Any = True, wrapstring: Any = None, break_on_hyphens: Any = True
) -> None:
    _check_words(s)
    if isinstance(s, str) and isinstance(wrapstring, str):
        _check_weight("wordwrap", len(s) * (len(wrapstring) + 1))


def _check_words(value: Any, *_more: Any, **_named: Any) -> None:
    if isinstance(value, str) and len(value) > _MOST_WORDS:
        raise OverflowError(_("the text is longer than {most} characters", most=_MOST_WORDS))


def _check_join(value: Any, d: Any = "", attribute: Any = None) -> None:
    parts = weight(value)
    _check_weight("join", parts + parts * (len(d) if isinstance(d, str) else 0))


_BEFORE: dict[str, Callable[..., None]] = {
    "round": _check_round,
    "center": lambda value, width=80: _check_width(width),
    "indent": _check_indent,
    "batch": lambda value, linecount=1, fill_with=None: _check_width(linecount),
    "slice": lambda value, slices=1, fill_with=None: _check_width(slices),
    "format": lambda value, *args, **kwargs: _check_format(str(value)),
    "replace": lambda s, old="", new="", count=None: _check_replacement(s, old, new),
    "tojson": lambda value, indent=None: _check_width(indent),
    "wordwrap": _check_wrap,
    "urlize": _check_words,
    "join": _check_join,
}
"""What the filters that can make much of little are asked before they begin; the parameters are named as Jinja2's."""


def _bounded(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A filter that is asked before it begins, and whose input and output have a bounded weight."""
    first = 1 if hasattr(function, "jinja_pass_arg") else 0  # Jinja2 hands in its context or itself

    @wraps(function)
    def filtered(*args: Any, **kwargs: Any) -> Any:
        given = args[first:]
        for value in (*given, *kwargs.values()):
            _check_bits(value)
            _check_weight(name, weight(value))
        if name in _CALCULATING and given and isinstance(given[0], Cell):
            given[0].not_with(0)
        if name in _BEFORE:
            _BEFORE[name](*given, **kwargs)
        result = function(*args, **kwargs)
        _check_weight(name, weight(result))
        return result

    return filtered
