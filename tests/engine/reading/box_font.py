"""A font whose glyphs are boxes, as small as a TrueType file can be: for what is told by the look of glyphs."""

from __future__ import annotations

import struct
from collections.abc import Mapping

Box = tuple[int, int, int, int]
"""Left, bottom, right, top, in thousandths of the font size."""

_FIRST, _COUNT = 0x20, 96  # the characters that it has


def box_font(shapes: Mapping[str, Box], others: Box = (50, 0, 450, 700)) -> bytes:
    """A TrueType file with a box of its own for each character in `shapes`, and one for all others."""
    glyphs = [_glyph(others), *(_glyph(shapes.get(chr(_FIRST + n), others)) for n in range(_COUNT))]
    offsets = [0]
    for glyph in glyphs:
        offsets.append(offsets[-1] + len(glyph))
    ids = struct.pack(f">{_COUNT}H", *range(1, _COUNT + 1))
    cmap = struct.pack(">HHHHLHHHHH", 0, 1, 3, 1, 12, 6, 10 + len(ids), 0, _FIRST, _COUNT) + ids
    tables = {
        b"cmap": cmap,
        b"glyf": b"".join(glyphs),
        b"head": struct.pack(
            ">LLLLHHqqhhhhHHhhh", 0x10000, 0, 0, 0x5F0F3CF5, 0, 1000, 0, 0, 0, -200, 900, 800, 0, 8, 2, 1, 0
        ),
        b"hhea": struct.pack(">LhhhHhhhhhhhhhhhH", 0x10000, 800, -200, 0, 800, *[0] * 11, len(glyphs)),
        b"hmtx": struct.pack(">Hh", 500, 50) * len(glyphs),
        b"loca": struct.pack(f">{len(offsets)}L", *offsets),
        b"maxp": struct.pack(">LHHHHHHHHHHHHHH", 0x10000, len(glyphs), 4, 1, 0, 0, 2, *[0] * 8),
    }
    place = 12 + 16 * len(tables)
    head, body = struct.pack(">LHHHH", 0x10000, len(tables), 64, 2, 16 * len(tables) - 64), b""
    for name, content in tables.items():
        head += struct.pack(">4sLLL", name, 0, place + len(body), len(content))
        body += content + bytes(-len(content) % 4)
    return head + body


def _glyph(box: Box) -> bytes:
    left, bottom, right, top = box
    across, up = (left, 0, right - left, 0), (bottom, top - bottom, 0, bottom - top)
    return struct.pack(">hhhhhHH4B8h", 1, left, bottom, right, top, 3, 0, 1, 1, 1, 1, *across, *up) + bytes(2)
