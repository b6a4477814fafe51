"""Requests made from the contract: values of every parameter, in every spelling, as raw multipart bodies."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from paperchute.contract import Operation, Parameter
from paperchute.contract.recognition import AUTOMATIC

BOUNDARY = "frontier"
ON, OFF = ("1", "true", "True", "YES", "on"), ("0", "false", "FALSE", "no", "Off")
QUERY_TOO = ("image_type", "content_filter", "language")

_TEXT = st.text(st.characters(codec="utf-8"), min_size=1, max_size=12)
_NAME = st.text("abcXYZ019 äß文", min_size=1, max_size=12).filter(lambda text: bool(text.strip()))
_PAGES = st.lists(
    st.tuples(st.integers(1, 99), st.integers(0, 9)).map(lambda p: f"{p[0]}-{p[0] + p[1]}" if p[1] else str(p[0])),
    min_size=1,
    max_size=3,
).map(",".join)
_JSON = st.dictionaries(_TEXT, st.integers() | _TEXT, max_size=3).map(json.dumps)
_FORMATS = {
    "json": _JSON,
    "page-list": _PAGES,
    "page-list[]": _PAGES | st.just("all"),
    "url": st.sampled_from(["http://host.example/a", "HTTPS://host.example/ü?x=1"]),
}


@dataclass
class Sent:
    """One request: its form parts (name, more headers, content), its query, and what the operation must be told."""

    parts: list[tuple[str, str, bytes]] = field(default_factory=list)
    query: dict[str, str] = field(default_factory=dict)
    expected: dict[str, Any] = field(default_factory=dict)


@st.composite
def requests(draw: st.DrawFn, operation: Operation) -> Sent:
    """A request with any allowed values, spelled and ordered in any way the contract takes."""
    sent = Sent(expected=defaults(operation))
    older: dict[str, Any] = {}
    groups: list[list[tuple[str, str, bytes]]] = []
    files = files_of(operation)
    one = draw(st.sampled_from(operation.one_of)) if operation.one_of else ""
    for parameter in operation.parameters:
        if parameter.type == "file" or (parameter.name in operation.one_of and parameter.name != one):
            continue
        if not (parameter.required or parameter.name == one or draw(st.booleans())):
            continue
        value, text = draw(values(parameter, count=len(files)))
        sent.expected[parameter.name] = value
        names = st.sampled_from([parameter.name, *(alias for alias in parameter.aliases if "[" not in alias)])
        if parameter.type == "array":
            groups.append(draw(_array(draw(names), value)))
        elif draw(st.integers(0, 5)) == 0:
            older[draw(names)] = value if parameter.type in ("integer", "number", "boolean") else text
        elif parameter.name in QUERY_TOO and draw(st.booleans()):
            sent.query[parameter.name] = text
        else:
            groups.append([(draw(names), draw(_HEADERS), text.encode())])
    if older:
        groups.append([("parameter", draw(_HEADERS), json.dumps(older).encode())])
    groups.append([("file", f'; filename="{name}"', content) for name, content in files])
    # Any order among the names; parts of one name keep theirs, as it means something.
    order = draw(st.permutations([number for number, group in enumerate(groups) for _ in group]))
    sent.parts = [groups[number].pop(0) for number in order]
    return sent


_HEADERS = st.sampled_from(["", "\r\nContent-Type: text/plain", "\r\nContent-Type: application/octet-stream"])


@st.composite
def values(draw: st.DrawFn, parameter: Parameter, count: int = 1) -> tuple[Any, str]:
    """An allowed value as the operation sees it, and a text that means it. count: of the files, for parallel lists."""
    if parameter.is_flag or parameter.type == "boolean":
        on = draw(st.booleans())
        return (on if parameter.type == "boolean" else int(on)), draw(st.sampled_from(ON if on else OFF))
    if parameter.values:
        value = draw(st.sampled_from(parameter.values))
        return value, draw(st.sampled_from([str(value), str(value).lower(), str(value).upper()]))
    if parameter.type == "integer":
        number = draw(st.integers(-(10**9), 10**9))
        return number, draw(st.sampled_from([str(number), f" {number} "]))
    if parameter.type == "number":
        real = draw(st.floats(allow_nan=False, allow_infinity=False))
        return real, repr(real)
    entry = _FORMATS.get(parameter.format or "", _NAME if parameter.name == "outputFileName" else _TEXT)
    if parameter.type == "array":
        size = count if parameter.name in ("filePageRanges", "passwords") else draw(st.integers(2, 4))
        return draw(st.lists(entry, min_size=size, max_size=size)), ""
    text = draw(entry)
    return text, text


@st.composite
def _array(draw: st.DrawFn, name: str, entries: list[str]) -> list[tuple[str, str, bytes]]:
    """The four spellings of an array (contract.toml [request] array_encodings). Several entries, so none is JSON."""
    match draw(st.sampled_from(["repeated", "json", "brackets", "numbers"])):
        case "repeated":
            return [(name, "", entry.encode()) for entry in entries]
        case "json":
            return [(name, "", json.dumps(entries).encode())]
        case "brackets":
            return [(f"{name}[]", "", entry.encode()) for entry in entries]
        case _:
            return [(f"{name}[{number}]", "", entry.encode()) for number, entry in enumerate(entries)]


def defaults(operation: Operation) -> dict[str, Any]:
    """What the operation is told of parameters that are not sent."""
    unsaid = ("enableOcr", "ocrOption") if operation.id in AUTOMATIC else ()  # recognition where the file needs it
    return {p.name: p.default for p in operation.parameters if p.default is not None and p.name not in unsaid}


def files_of(operation: Operation) -> list[tuple[str, bytes]]:
    """As many files as the operation needs, of a kind it takes as far as one can tell."""
    if not operation.takes_file_part:
        return []
    return [(f"{number}.{operation.input_ext[0]}", b"\x00\xff" * 20) for number in range(max(1, operation.min_files))]


def body(parts: list[tuple[str, str, bytes]]) -> bytes:
    """The multipart body."""
    pieces = [
        f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"{more}\r\n\r\n'.encode() + content + b"\r\n"
        for name, more, content in parts
    ]
    return b"".join(pieces) + f"--{BOUNDARY}--\r\n".encode()


def in_pieces(content: bytes, size: int) -> Iterator[bytes]:
    """For a body without a length, in chunks."""
    for at in range(0, len(content), size):
        yield content[at : at + size]
