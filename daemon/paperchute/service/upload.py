"""Files as form parts: opened once, checked, hashed while they go out."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import IO

from paperchute.contract import Value, wire
from paperchute.files.identity import FileKey, key_from
from paperchute.service.records import Call, InputChangedError

_ENGLISH = "1"  # contract.toml: language 1 English, 2 Chinese


class HashingFile:
    """A file that hashes what is read of it and notices when it is not what the job was made for.

    httpx reads it in blocks and asks for its size by fileno, so nothing of it is held in memory.
    """

    def __init__(self, path: Path, key: FileKey | None) -> None:
        """Raises InputChangedError when the file is gone or another one, OSError when it cannot be opened."""
        self._path = path
        self._key = key
        self._digest = hashlib.sha256()
        try:
            self._file: IO[bytes] = path.open("rb")
        except FileNotFoundError as error:
            raise InputChangedError(path) from error
        if not self._unchanged():
            self._file.close()
            raise InputChangedError(path)
        self._size = os.fstat(self._file.fileno()).st_size
        self._read = 0

    def read(self, size: int = -1) -> bytes:
        """The next bytes. Raises InputChangedError when the file has shrunk or grown under us."""
        block = self._file.read(size)
        self._digest.update(block)
        self._read += len(block)
        if self._read > self._size or (not block and self._read < self._size):
            raise InputChangedError(self._path)
        return block

    def fileno(self) -> int:
        """For httpx, which takes the part's length from it."""
        return self._file.fileno()

    def seek(self, offset: int, whence: int = 0) -> int:
        """Rewinding starts the hash anew."""
        position = self._file.seek(offset, whence)
        if position == 0:
            self._digest, self._read = hashlib.sha256(), 0
        return position

    def tell(self) -> int:
        """Position in bytes."""
        return self._file.tell()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    @property
    def sha256(self) -> str:
        """Of what was read, as hex."""
        return self._digest.hexdigest()

    def _unchanged(self) -> bool:
        return self._key is None or key_from(os.fstat(self._file.fileno())).same_bytes_likely(self._key)


class Form:
    """The multipart form of a call. Use as a context manager: the files are open for its length."""

    def __init__(self, call: Call, takes_language: bool) -> None:
        self._call = call
        self._stack = ExitStack()
        self._opened: list[HashingFile] = []
        self.data = _texts(call.parameters, takes_language)
        self.files: list[tuple[str, tuple[str, HashingFile, str]]] = []

    def __enter__(self) -> Form:
        with ExitStack() as stack:
            for part, path in self._call.files:
                file = HashingFile(path, self._call.keys.get(path))
                stack.callback(file.close)
                self._opened.append(file)
                self.files.append((part, (_sent_name(path), file, "application/octet-stream")))
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @property
    def hashes(self) -> tuple[str, ...]:
        """sha256 of the files as sent, in order."""
        return tuple(file.sha256 for file in self._opened)


def _texts(parameters: Mapping[str, Value], takes_language: bool) -> dict[str, str | list[str]]:
    texts = {name: wire(value) for name, value in parameters.items()}
    if takes_language:
        texts.setdefault("language", _ENGLISH)  # contract section 16: the client always sends it
    return texts


def _sent_name(path: Path) -> str:
    """The file's name as text; bytes that are no text, and line ends, have no place in a header (RFC 7578)."""
    name = path.name.encode("utf-8", "replace").decode()
    return "".join("_" if ord(c) < 32 or ord(c) == 127 else c for c in name)
