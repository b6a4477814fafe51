"""A call as a multipart form (RFC 7578): each file in its part, opened once, checked, and hashed while it goes out."""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from paperchute.contract import Operation, Value, contract, kind_of_open, wire
from paperchute.contract.links import MOST_BYTES, address_in, is_link
from paperchute.errors import PaperchuteError
from paperchute.files import beneath
from paperchute.files.identity import key_from
from paperchute.language import _, ngettext
from paperchute.service.html_assets import LARGEST_PAGE, joined, may_have_neighbours
from paperchute.service.model import Call, InputChangedError

_NOT_WITH_AN_ADDRESS = ("template", "templateFile", "data", "dataFile", "html", "htmlUrl", "htmlFile")

Parts = tuple[tuple[str, Path], ...]


def parts_for(
    operation: str, inputs: Sequence[Path], parameters: Mapping[str, Value], folder: Path | None = None
) -> tuple[Parts, dict[str, Value]]:
    """(form part, path) for every file of a call, in order, and the parameters that are left as text.

    Dropped files are `file` parts, and files that hold an address (`contract.links`) an htmlUrl. pdf-generate has no
    such parts (docs/contract.md#pdf-generate): HTML is its htmlFile, or its templateFile where the rule or a second
    file gives data; JSON is its dataFile. File parameters of a rule, such as templateFile, become parts of their own.
    folder: the hot folder that the inputs lie in, if any. Raises PaperchuteError when the number of files is wrong,
    and OSError.
    """
    known = contract().known(operation)
    files: list[tuple[str, Path]] = []
    rest: dict[str, Value] = {}
    if operation != contract().upload.id and any(map(is_link, inputs)):
        rest["htmlUrl"] = _address(known, inputs, parameters, folder)
        inputs = ()
    elif known.takes_file_part:
        if len(inputs) < known.min_files and not (not inputs and parameters.get("urls")):
            raise PaperchuteError(
                _too_few(operation, known.min_files, len(inputs)),
                _("Drop a folder that has all the files of the job, of kinds that the rule takes."),
            )
        files += [("file", path) for path in inputs]
    else:
        files += [(_generate_part(path, parameters, folder, is_pair=len(inputs) == 2), path) for path in inputs]
    for name, value in parameters.items():
        parameter = known.parameter(name)
        if parameter is not None and parameter.type == "file":
            files.append((name, Path(str(value))))
        else:
            rest[name] = value
    return tuple(files), rest


def address_held(path: Path, root: Path | None) -> str:
    """The address that a dropped link holds; empty where it is not one that can be used. root: as `beneath.reading`.

    Raises OSError.
    """
    with beneath.reading(path, root) as file:
        return address_in(path, file.read(MOST_BYTES + 1))


def _address(operation: Operation, inputs: Sequence[Path], parameters: Mapping[str, Value], folder: Path | None) -> str:
    """The address that a dropped link holds. Raises PaperchuteError where it, or the operation, is of no use for it."""
    path = next(path for path in inputs if is_link(path))
    if operation.parameter("htmlUrl") is None:
        raise PaperchuteError(
            _(
                "{name} holds the address of a web page, and {operation} reads files.",
                name=path.name,
                operation=operation.id,
            ),
            _("A rule with pdf-generate prints such pages."),
        )
    if len(inputs) > 1 or any(name in parameters for name in _NOT_WITH_AN_ADDRESS):
        raise PaperchuteError(
            _("{name} holds the address of a web page, and this rule fills a template.", name=path.name),
            _("Drop it into the folder of a rule with pdf-generate and no template."),
        )
    found = address_held(path, folder)
    if not found:
        raise PaperchuteError(
            _(
                "{name} holds no web address that can be used: http or https, without name and password.",
                name=path.name,
            ),
            _("Open it to see where it leads."),
        )
    return found


def _generate_part(path: Path, parameters: Mapping[str, Value], folder: Path | None, *, is_pair: bool) -> str:
    with_template = is_pair or "template" in parameters or "templateFile" in parameters
    if path.suffix.lower() == ".json" or (with_template and _is_json(path, folder)):
        if not with_template:
            raise PaperchuteError(
                _("{name} holds data, and there is no template for it.", name=path.name),
                _("Give the rule a templateFile or template parameter."),
            )
        return "dataFile"
    return "templateFile" if is_pair or "data" in parameters or "dataFile" in parameters else "htmlFile"


def _is_json(path: Path, folder: Path | None) -> bool:
    with beneath.reading(path, folder) as file:
        return kind_of_open(file) == "json"


def _too_few(operation: str, least: int, came: int) -> str:
    if least == 1:
        return _("{operation} needs a file, and none came.", operation=operation)
    return ngettext(
        "{operation} needs at least {least} files, but only one came.",
        "{operation} needs at least {least} files, but {n} came.",
        came,
        operation=operation,
        least=least,
    )


_BLOCK = 1 << 18  # bytes


class Form:
    """The form of a call: a context manager that holds the files open. Iterating it gives the body, once."""

    def __init__(
        self, call: Call, defaults: Mapping[str, str] | None = None, names: Mapping[str, str] | None = None
    ) -> None:
        """defaults: parameters that go along where the call has none. names: what the provider calls parameters."""
        self._boundary = secrets.token_hex(16).encode()
        self._parts: list[tuple[bytes, bytes | _Input]] = []
        self._stack = ExitStack()
        self._call = call
        self._defaults = defaults or {}
        self._names = names or {}

    def __enter__(self) -> Form:
        """Raises InputChangedError when a file is not what the job was made for, OSError when one cannot be opened."""
        given = {name: wire(value) for name, value in self._call.parameters.items()}
        texts: dict[str, str | list[str]] = {**self._defaults, **given}
        if not texts and not self._call.files:
            texts = {"parameter": "{}"}  # a form without any part is no form
        for name, text in ((self._names.get(name, name), text) for name, text in texts.items()):
            for value in text if isinstance(text, list) else [text]:
                self._parts.append((self._head(name), value.encode()))
        with self._stack as stack:
            for part, path in self._call.files:
                file = _Input(self._call, part, path)
                stack.callback(file.close)
                self._parts.append((self._head(self._names.get(part, part), path), file))
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @property
    def headers(self) -> dict[str, str]:
        """Content-Type and Content-Length."""
        length = sum(len(head) + len(body) + 2 for head, body in self._parts) + len(self._end())
        return {
            "Content-Type": f"multipart/form-data; boundary={self._boundary.decode()}",
            "Content-Length": str(length),
        }

    def __iter__(self) -> Iterator[bytes]:
        """The body. Raises InputChangedError when a file has shrunk or grown meanwhile, and OSError."""
        waiting = b""  # small pieces go out together
        for head, body in self._parts:
            waiting += head
            for block in [body] if isinstance(body, bytes) else body.blocks():
                waiting += block
                if len(waiting) >= _BLOCK:
                    yield waiting
                    waiting = b""
            waiting += b"\r\n"
        yield waiting + self._end()

    @property
    def file_length(self) -> int:
        """The bytes of the only file."""
        return len(self._only_file())

    def file_blocks(self) -> Iterator[bytes]:
        """The only file by itself, for an upload without a form. Raises like the body."""
        return self._only_file().blocks()

    def _only_file(self) -> _Input:
        (file,) = (body for _, body in self._parts if isinstance(body, _Input))
        return file

    @property
    def missing(self) -> dict[str, str]:
        """What HTML files name beside themselves and cannot take along, and why."""
        return {name: why for _, body in self._parts if isinstance(body, _Input) for name, why in body.missing.items()}

    @property
    def hashes(self) -> tuple[str, ...]:
        """sha256 of the files as sent, in order, as hex."""
        return tuple(body.sha256 for _, body in self._parts if isinstance(body, _Input))

    def _head(self, name: str, path: Path | None = None) -> bytes:
        head = f'--{self._boundary.decode()}\r\nContent-Disposition: form-data; name="{name}"'
        if path is not None:
            head += f'; filename="{_sent_name(path)}"\r\nContent-Type: application/octet-stream'
        return head.encode() + b"\r\n\r\n"

    def _end(self) -> bytes:
        return b"--" + self._boundary + b"--\r\n"


class _Input:
    """An open file that is to go out as it was when the job was made. Its length is the number of bytes sent."""

    def __init__(self, call: Call, part: str, path: Path) -> None:
        """Of an HTML file the files beside it go along within it; the hash is of the file alone."""
        self._path = path
        self._root = call.root_of(path)
        self._digest = hashlib.sha256()
        try:
            self._file = beneath.reading(path, self._root)
        except FileNotFoundError as error:
            raise InputChangedError(path) from error
        status = os.fstat(self._file.fileno())
        key = call.keys.get(path)
        if key is not None and not key_from(status).same_bytes_likely(key):
            self._file.close()
            raise InputChangedError(path)
        self._size = status.st_size
        self.missing: dict[str, str] = {}
        """What an HTML file names beside itself and cannot take along, and why."""
        try:
            self._whole = self._joined() if may_have_neighbours(call.operation, part) else None
        except BaseException:
            self._file.close()
            raise

    def __len__(self) -> int:
        return self._size if self._whole is None else len(self._whole)

    def _joined(self) -> bytes | None:
        """The file with those beside it, None where there are none."""
        content = self._file.read(LARGEST_PAGE + 1)
        whole = joined(content, self._path, self._root, self.missing)
        self._file.seek(0)
        if whole == content:
            return None
        self._digest.update(content)
        return whole

    def blocks(self) -> Iterator[bytes]:
        """The bytes, as many as were announced."""
        if self._whole is not None:
            yield self._whole
            return
        left = self._size
        while left:
            block = self._file.read(min(_BLOCK, left))
            if not block:
                raise InputChangedError(self._path)
            self._digest.update(block)
            left -= len(block)
            yield block
        if self._file.read(1):
            raise InputChangedError(self._path)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    @property
    def sha256(self) -> str:
        """Of what was sent, as hex."""
        return self._digest.hexdigest()


def _sent_name(path: Path) -> str:
    """The file's name as text; bytes that are no text, line ends and quotes have no place in a header (RFC 7578).

    Without a dot in front: services name results after it, and hidden ones are not delivered.
    """
    name = path.name.lstrip(".").encode("utf-8", "replace").decode().replace('"', "%22")
    return "".join("_" if ord(c) < 32 or ord(c) == 127 else c for c in name)
