"""Reading a multipart request: files stream to disk, texts are kept; nothing from outside becomes a path."""

from __future__ import annotations

import asyncio
import unicodedata
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO

from python_multipart import MultipartParser
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import parse_options_header

from paperchute.contract import Operation
from paperchute.engine.http.spellings import language_of, plain_name
from paperchute.engine.settings import Limits
from paperchute.engine.work import Refused
from paperchute.language import N_, _, current, speaking

_BLOCK = 1 << 20  # parsed and written in one go, away from the event loop
_SMALL = 1 << 16  # bytes that are written at once: sooner done than handed to a thread
_MOST_PARTS = 20_000
_LONGEST_NAME = 240  # bytes; file systems end at 255, and names get an extension


@dataclass
class Upload:
    """A file part: which part, where it lies, the base name its sender gave it, its size in bytes."""

    part: str
    path: Path
    name: str
    size: int = 0


@dataclass
class Form:
    """All parts of a request. `texts` by part name, in the order they came; `ignored`: names nobody knows."""

    uploads: list[Upload] = field(default_factory=list)
    texts: dict[str, list[str]] = field(default_factory=dict)
    ignored: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Shape:
    """What a form may hold; parts of other names are ignored.

    name: of what is asked for, for messages. files: how often each file part may come. texts: names of text parts,
    None for any. too_many: the code for a file part that comes too often.
    """

    name: str
    files: Mapping[str, int]
    texts: frozenset[str] | None
    too_many: str = "04007"


def shape_of(operation: Operation, limits: Limits, *, several: bool = False) -> Shape:
    """The form of an operation. several: files of an operation that takes one may come as a task of several files."""
    texts = {"parameter", "callbackUrl"}
    files = {}
    for parameter in operation.parameters:
        if parameter.type == "file":
            files[parameter.name] = 1
        else:
            texts |= {parameter.name, *map(plain_name, parameter.aliases)}
    if not operation.takes_file_part:
        files["file"] = 1  # see `submission.orders_from`
    elif "file" in files:
        files["file"] = limits.max_merge if operation.id == "pdf-merge" else operation.max_files
    if several and files.get("file") == 1:
        return Shape(operation.id, {**files, "file": limits.files_per_task}, frozenset(texts), "05003")
    return Shape(operation.id, files, frozenset(texts), "04008" if operation.id == "pdf-merge" else "04007")


class FormReader:
    """Feeds a request body through the parser into `form`, which also holds what had come when a refusal is raised."""

    def __init__(self, folder: Path, shape: Shape, limits: Limits, room: Callable[[int], None]) -> None:
        """folder: takes the uploads, under generated names.

        limits: sizes; going over them is refused with 02209. room: called with the number of bytes before they are
        written, to refuse them.
        """
        self.form = Form()
        self._folder = folder
        self._shape = shape
        self._limits = limits
        self._room = room
        self._header_name = b""
        self._header_value = b""
        self._headers: dict[bytes, bytes] = {}
        self._name = ""
        self._upload: Upload | None = None
        self._file: IO[bytes] | None = None
        self._text: bytearray | None = None
        self._text_total = 0
        self._parts = 0
        self._whole = False

    async def read(self, content_type: str, body: AsyncIterator[bytes]) -> Form:
        """The whole form. Raises Refused: 03000 malformed, 02209 too large, 04007 or 04008 too many, 01003 no room."""
        kind, options = parse_options_header(content_type)
        boundary = options.get(b"boundary")
        if kind != b"multipart/form-data" or not boundary:
            raise Refused("03000", _("the request must be multipart/form-data"))
        try:
            await self._feed(self._parser(boundary), body)
        except FormParserError:
            raise _malformed() from None
        except OSError as error:
            raise Refused("01003", _("the upload could not be stored: {reason}", reason=error.strerror)) from error
        finally:
            if self._file is not None:
                self._file.close()
        if not self._whole:
            raise _malformed()
        return self.form

    async def _feed(self, parser: MultipartParser, body: AsyncIterator[bytes]) -> None:
        waiting = bytearray()
        async for block in body:
            waiting += block
            if len(waiting) >= _BLOCK:
                await asyncio.to_thread(parser.write, bytes(waiting))
                waiting.clear()
        if len(waiting) <= _SMALL:
            parser.write(bytes(waiting))
        else:
            await asyncio.to_thread(parser.write, bytes(waiting))

    def _parser(self, boundary: bytes) -> MultipartParser:
        return MultipartParser(
            boundary,
            {
                "on_part_begin": self._part_begin,
                "on_header_field": self._header_field,
                "on_header_value": self._header_value_data,
                "on_header_end": self._header_end,
                "on_headers_finished": self._headers_finished,
                "on_part_data": self._part_data,
                "on_part_end": self._part_end,
                "on_end": self._end,
            },
        )

    # ---------- what the parser calls ----------

    def _part_begin(self) -> None:
        self._parts += 1
        if self._parts > _MOST_PARTS:
            raise self._refusal("03000", N_("the request has more than {most} parts"), most=_MOST_PARTS)
        self._headers = {}
        self._header_name = self._header_value = b""

    def _header_field(self, data: bytes, start: int, end: int) -> None:
        self._header_name += data[start:end]

    def _header_value_data(self, data: bytes, start: int, end: int) -> None:
        self._header_value += data[start:end]

    def _header_end(self) -> None:
        self._headers[self._header_name.lower()] = self._header_value
        self._header_name = self._header_value = b""

    def _headers_finished(self) -> None:
        _kind, options = parse_options_header(self._headers.get(b"content-disposition", b""))
        self._name = _text_of(options.get(b"name", b""))
        part = plain_name(self._name)
        # The part's name decides, not the presence of a file name: clients are loose with that in both directions.
        if part in self._shape.files:
            path = self._folder / f"{self._parts:05d}"
            self._upload = Upload(part, path, _text_of(options.get(b"filename", b"")))
            self._file = path.open("xb")
        elif self._shape.texts is None or part in self._shape.texts:
            self._text = bytearray()
        else:
            self.form.ignored.append(self._name)

    def _part_data(self, data: bytes, start: int, end: int) -> None:
        size = end - start
        if self._upload is not None and self._file is not None:
            self._upload.size += size
            if self._upload.size > self._limits.max_file:
                sentence = N_("{name} is larger than {most} bytes")
                name = base_name(self._upload.name)
                raise self._refusal("02209", sentence, name=name, most=self._limits.max_file)
            try:
                self._room(size)
            except Refused:
                with self._speaking():
                    self._room(size)  # says the same again, in the form's language
            self._file.write(data[start:end])
        elif self._text is not None:
            self._text_total += size
            if self._text_total > self._limits.max_text:
                sentence = N_("the text fields are larger than {most} bytes in total")
                raise self._refusal("02209", sentence, most=self._limits.max_text)
            self._text += data[start:end]

    def _part_end(self) -> None:
        if self._upload is not None and self._file is not None:
            self._file.close()
            self._take(self._upload)
        elif self._text is not None:
            self.form.texts.setdefault(self._name, []).append(_text_of(bytes(self._text)))
        self._upload = self._file = self._text = None

    def _end(self) -> None:
        self._whole = True

    def _take(self, upload: Upload) -> None:
        if upload.size == 0 and not upload.name:
            upload.path.unlink()  # an empty text or an unfilled file field: same as absent
            return
        upload.name = base_name(upload.name)
        self.form.uploads.append(upload)
        count = sum(1 for other in self.form.uploads if other.part == upload.part)
        most = self._shape.files[upload.part]
        if count > most:
            sentence = N_("{operation} takes at most {most} parts named {part}")
            raise self._refusal(self._shape.too_many, sentence, operation=self._shape.name, most=most, part=upload.part)

    def _refusal(self, code: str, sentence: str, **values: object) -> Refused:
        with self._speaking():
            return Refused(code, _(sentence, **values))

    def _speaking(self) -> AbstractContextManager[None]:
        """In the language that the form has asked for so far."""
        return speaking(language_of(self.form.texts, {}) or current())


def base_name(name: str) -> str:
    """The last part of a sent file name, without control characters; for messages and output names only."""
    last = PurePosixPath(name.replace("\\", "/")).name
    clean = "".join(c for c in unicodedata.normalize("NFC", last) if c.isprintable())
    stem, dot, extension = clean.rpartition(".")
    if len(clean.encode()) > _LONGEST_NAME and dot and len(extension) <= 10:
        room = _LONGEST_NAME - len(extension.encode()) - 1
        return stem.encode()[:room].decode(errors="ignore") + dot + extension
    clean = clean.encode()[:_LONGEST_NAME].decode(errors="ignore")
    return clean if clean.strip(". ") else "document"


def _malformed() -> Refused:
    return Refused("03000", _("the multipart body is malformed or cut off"))


def _text_of(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")
