"""Office files are ZIP archives: bounded before anything of them is unpacked."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lxml.etree import LxmlError

from paperchute.engine.work import Refused
from paperchute.language import _

_MOST_UNPACKED = 400 << 20
_MOST_PARTS = 20_000


@contextmanager
def opened_safely(path: Path, name: str) -> Iterator[None]:
    """Around the reading of an office file. Raises Refused: 02209 when it unpacks to more than can be read, 02207 for
    whatever its reader stumbles over."""
    try:
        with zipfile.ZipFile(path) as archive:
            parts = archive.infolist()
        if len(parts) > _MOST_PARTS or sum(part.file_size for part in parts) > _MOST_UNPACKED:
            raise Refused(
                "02209",
                _(
                    "{name} unpacks to more than {megabytes} MB; split it first.",
                    name=name,
                    megabytes=_MOST_UNPACKED >> 20,
                ),
            )
        yield
    except (
        zipfile.BadZipFile,
        LxmlError,
        KeyError,
        ValueError,
        AttributeError,
        TypeError,
        IndexError,
        OSError,
    ) as error:
        raise Refused(
            "02207", _("{name} cannot be opened: it is damaged, or not what its name says.", name=name)
        ) from error
