"""Where a document's pictures go: into files beside the text, or into the text itself."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from paperchute.engine.document.model import Image

_MIME = {"png": "image/png", "jpg": "image/jpeg"}


class Pictures(Protocol):
    """Gives every picture an address to be shown from."""

    files: list[Path]

    def address(self, image: Image, page: int) -> str:
        """The address of a picture that stands on `page` (1-based). Raises OSError."""


@dataclass(slots=True)
class PictureFiles:
    """Pictures as files in `folder`/images, named after `name`, page and number; the same picture is written once.

    Addresses are relative to `folder`.
    """

    folder: Path
    name: str
    files: list[Path] = field(default_factory=list)
    _known: dict[bytes, str] = field(default_factory=dict)

    def address(self, image: Image, page: int) -> str:
        """See Pictures."""
        digest = hashlib.sha256(image.data).digest()
        if digest not in self._known:
            folder = self.folder / "images"
            folder.mkdir(exist_ok=True)
            path = folder / f"{self.name}-{page}-{len(self.files) + 1}.{image.kind}"
            path.write_bytes(image.data)
            self.files.append(path)
            self._known[digest] = f"images/{path.name}"
        return self._known[digest]


@dataclass(slots=True)
class PictureData:
    """Pictures as data addresses (RFC 2397)."""

    files: list[Path] = field(default_factory=list)

    def address(self, image: Image, page: int) -> str:
        """See Pictures."""
        return f"data:{_MIME[image.kind]};base64,{base64.b64encode(image.data).decode('ascii')}"
