"""TIFF files of kinds that no library here writes."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

ZIP = 8
_SHORT, _LONG = 3, 4


def tiff_of(
    values: NDArray[Any],
    photometric: int = 1,
    *,
    order: str = "<",
    compression: int = 1,
    planar: int = 1,
    extra: Sequence[int] = (),
    colour_map: Sequence[int] = (),
) -> bytes:
    """A TIFF of one frame, its data before its tags. values: height x width, or that x channels."""
    channels = np.atleast_3d(values)
    height, width, count = channels.shape
    stored = channels.astype(channels.dtype.newbyteorder(order))  # type: ignore[arg-type]
    planes = [stored.tobytes()] if planar == 1 else [stored[..., band].tobytes() for band in range(count)]
    if compression == ZIP:
        planes = [zlib.compress(plane) for plane in planes]
    places = [8 + sum(map(len, planes[:number])) for number in range(len(planes))]
    kind = {"u": 1, "i": 2, "f": 3}[stored.dtype.kind]
    tags = {
        256: (_LONG, [width]),
        257: (_LONG, [height]),
        258: (_SHORT, [stored.dtype.itemsize * 8] * count),
        259: (_SHORT, [compression]),
        262: (_SHORT, [photometric]),
        273: (_LONG, places),
        277: (_SHORT, [count]),
        278: (_LONG, [height]),
        279: (_LONG, [len(plane) for plane in planes]),
        284: (_SHORT, [planar]),
        320: (_SHORT, list(colour_map)),
        338: (_SHORT, list(extra)),
        339: (_SHORT, [kind] * count),
    }
    tags = {tag: entry for tag, entry in tags.items() if entry[1]}
    start = 8 + sum(map(len, planes))
    behind = start + 2 + 12 * len(tags) + 4
    entries, far = b"", b""
    for tag, (size, content) in tags.items():
        packed = struct.pack(order + ("H" if size == _SHORT else "I") * len(content), *content)
        held = packed.ljust(4, b"\0")
        if len(packed) > 4:
            held = struct.pack(order + "I", behind + len(far))
            far += packed
        entries += struct.pack(order + "HHI", tag, size, len(content)) + held
    head = (b"II*\0" if order == "<" else b"MM\0*") + struct.pack(order + "I", start)
    return head + b"".join(planes) + struct.pack(order + "H", len(tags)) + entries + bytes(4) + far
