"""Reading a multipart request: files stream to disk, texts are kept; nothing from outside becomes a path."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO, Any

from python_multipart import MultipartParser
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import parse_options_header

from paperchute.engine.work import Refused


@dataclass
class Upload:
    """A file part: which part, where it lies, the base name its sender gave it, its size in bytes."""

    part: str
    path: Path
    name: str
    size: int = 0


@dataclass
class Form:
    """All parts of a request in order; texts by part name, in the order they came."""

    uploads: list[Upload] = field(default_factory=list)
    texts: dict[str, list[str]] = field(default_factory=dict)


class FormReader:
    """Feeds a request body through the parser. Limits in bytes; going over them is refused with 02209."""

    def __init__(self, folder: Path, file_parts: frozenset[str], max_file: int, max_text: int) -> None:
        """file_parts: part names that are files even where the sender gives no file name."""
        self._folder = folder
        self._file_parts = file_parts
        self._max_file = max_file
        self._max_text = max_text
        self._form = Form()
        self._headers: dict[str, bytes] = {}
        self._header_name = b""
        self._header_value = b""
        self._file: IO[bytes] | None = None
        self._upload: Upload | None = None
        self._name = ""
        self._text = bytearray()
        self._text_total = 0

    async def read(self, content_type: str, body: AsyncIterator[bytes]) -> Form:
        """The whole form. Raises Refused."""
        kind, options = parse_options_header(content_type)
        boundary = options.get(b"boundary")
        if kind != b"multipart/form-data" or not boundary:
            raise Refused("03000", "the request must be multipart/form-data")
        parser = MultipartParser(
            boundary,
            {
                "on_part_begin": self._part_begin,
                "on_part_data": self._part_data,
                "on_part_end": self._part_end,
                "on_header_field": self._header_field,
                "on_header_value": self._header_value_data,
                "on_header_end": self._header_end,
                "on_headers_finished": self._headers_finished,
            },
        )
        try:
            async for block in body:
                parser.write(block)
            parser.finalize()
        except FormParserError as error:
            raise Refused("03000", "the multipart body is malformed or cut off") from error
        finally:
            if self._file is not None:
                self._file.close()
        return self._form

    def _part_begin(self) -> None:
        self._headers = {}
        self._header_name = self._header_value = b""

    def _header_field(self, data: bytes, start: int, end: int) -> None:
        self._header_name += data[start:end]

    def _header_value_data(self, data: bytes, start: int, end: int) -> None:
        self._header_value += data[start:end]

    def _header_end(self) -> None:
        self._headers[self._header_name.decode("latin-1").lower()] = self._header_value
        self._header_name = self._header_value = b""

    def _headers_finished(self) -> None:
        _, options = parse_options_header(self._headers.get("content-disposition", b""))
        self._name = options.get(b"name", b"").decode("utf-8", "replace")
        given = options.get(b"filename")
        if given is not None or self._name in self._file_parts:
            path = self._folder / f"{len(self._form.uploads):04d}"
            self._upload = Upload(self._name, path, _base_name((given or b"").decode("utf-8", "replace")))
            self._file = path.open("xb")
        else:
            self._text = bytearray()

    def _part_data(self, data: bytes, start: int, end: int) -> None:
        block = data[start:end]
        if self._file is not None and self._upload is not None:
            self._upload.size += len(block)
            if self._upload.size > self._max_file:
                raise Refused("02209", f"{self._upload.name} is larger than {self._max_file} bytes")
            self._file.write(block)
            return
        self._text_total += len(block)
        if self._text_total > self._max_text:
            raise Refused("02209", f"the text fields are larger than {self._max_text} bytes together")
        self._text += block

    def _part_end(self) -> None:
        if self._file is not None and self._upload is not None:
            self._file.close()
            self._form.uploads.append(self._upload)
            self._file = self._upload = None
            return
        self._form.texts.setdefault(self._name, []).append(self._text.decode("utf-8", "replace"))


def merged_texts(texts: dict[str, list[str]], query: dict[str, str]) -> dict[str, list[str]]:
    """Texts with the older `parameter` part and the query beneath them: an explicit part wins (contract section 1)."""
    merged: dict[str, list[str]] = {name: [value] for name, value in query.items()}
    for text in texts.get("parameter", []):
        if text.strip():
            merged.update({name: _as_texts(value) for name, value in _object(text).items() if value is not None})
    merged.update({name: values for name, values in texts.items() if name != "parameter"})
    return merged


def plain_name(part: str) -> str:
    """A part's name without the array spellings `name[]` and `name[0]`."""
    return re.sub(r"\[\d*\]$", "", part)


def _object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise Refused("01006", "the part `parameter` is no JSON") from None
    if not isinstance(value, dict):
        raise Refused("01006", "the part `parameter` is no JSON object")
    return value


def _as_texts(value: Any) -> list[str]:
    if isinstance(value, list):
        return [json.dumps(value)]
    if isinstance(value, str):
        return [value]
    return [json.dumps(value)]


def _base_name(name: str) -> str:
    """The last part of a sent file name, without control characters; for messages and output names only."""
    last = PurePosixPath(name.replace("\\", "/")).name
    clean = "".join(c for c in unicodedata.normalize("NFC", last) if c.isprintable())
    while len(clean.encode()) > 240:
        clean = clean[:-1]
    return clean if clean.strip(". ") else "document"
