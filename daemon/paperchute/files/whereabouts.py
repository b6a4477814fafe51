"""Where a folder is, by whatever path it is reached: through links, bind mounts, overlays, or a drive's second letter.

A folder has several keys: the inode of its nearest part that exists, with what of the path is still missing, and on
Linux its path within its file system, which a bind mount of a part of it shows as well (proc_pid_mountinfo(5)).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from paperchute.files.names import folded

_OVERLAYS_DEEP = 8


def chain(path: Path) -> Mapping[Hashable, int]:
    """Find the keys of a folder (at 0) and of those that it lies in (1, 2 ...), whether it is there already or not.

    Two folders are one where they have a key at 0 in common. Waits where a share hangs.
    """
    real = Path(os.path.realpath(path))
    found: dict[Hashable, int] = {}
    for level, place in enumerate((real, *real.parents)):
        if (key := _by_inode(place)) is not None:
            found.setdefault(key, level)
    for device, inside in _on_disk(real):
        for level, at in enumerate((inside, *inside.parents)):
            found.setdefault((device, at), level)
    return found


def _by_inode(place: Path) -> Hashable | None:
    missing: list[str] = []
    for there in (place, *place.parents):
        try:
            status = there.stat()
        except OSError:
            missing.append(there.name)
            continue
        if not status.st_ino:
            return None
        return status.st_dev, status.st_ino, folded(Path(*reversed(missing)))
    return None


@dataclass(frozen=True)
class _Mount:
    device: str
    root: PurePosixPath
    point: PurePosixPath
    upper: str
    """Of an overlay: the folder that holds what is written to it, as a path."""


def _on_disk(real: Path) -> Iterator[tuple[str, PurePosixPath]]:
    """The device of a folder and its path there; of one in an overlay also those of the folder that is written to."""
    mounts = list(_mounts()) if sys.platform == "linux" else []
    place = PurePosixPath(real)
    for _ in range(_OVERLAYS_DEEP):
        around = [one for one in mounts if place.is_relative_to(one.point)]
        if not around:
            return
        mount = max(reversed(around), key=lambda one: len(one.point.parts))  # a later one covers those before it
        inside = mount.root / place.relative_to(mount.point)
        yield mount.device, inside
        if not mount.upper:
            return
        place = PurePosixPath(os.path.realpath(mount.upper)) / inside.relative_to("/")


def _mounts() -> Iterator[_Mount]:
    try:
        lines = Path("/proc/self/mountinfo").read_bytes().splitlines()
    except OSError:
        return
    for line in lines:
        fields, _, source = line.partition(b" - ")
        device, root, point = fields.split()[2:5]
        if not root.startswith(b"/"):
            continue  # a namespace, such as net:[4026531840]
        options = source.split()[-1].split(b",")
        upper = next((one.removeprefix(b"upperdir=") for one in options if one.startswith(b"upperdir=")), b"")
        yield _Mount(device.decode(), PurePosixPath(_path(root)), PurePosixPath(_path(point)), _path(upper))


def _path(field: bytes) -> str:
    """The path of a field, in which blanks and the like stand as octal numbers."""
    return os.fsdecode(field.decode("unicode_escape").encode("latin-1"))
