"""Compound files, as old office files are and locked ones lie in."""

from __future__ import annotations


def compound(*streams: str, before: int = 0) -> bytes:
    """A compound file ([MS-CFB]) of sectors of 512 bytes, its directory in several that do not follow each other."""
    entries = b"".join(
        name.encode("utf-16-le").ljust(64, b"\0") + (2 * len(name) + 2).to_bytes(2, "little") + bytes(62)
        for name in ("Root Entry", *(f"Other {n}" for n in range(before)), *streams)
    )
    sectors = [entries[at : at + 512].ljust(512, b"\0") for at in range(0, len(entries), 512)]
    places = [1 + 2 * number for number in range(len(sectors))]  # 0 is the table's
    table = [0xFFFFFFFF] * 128
    for here, onward in zip(places, [*places[1:], 0xFFFFFFFE], strict=True):
        table[here] = onward
    head = bytearray(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".ljust(512, b"\xff"))
    head[30:32], head[48:52], head[76:80] = (9).to_bytes(2, "little"), places[0].to_bytes(4, "little"), bytes(4)
    body = [b"".join(each.to_bytes(4, "little") for each in table)]
    for sector in sectors:
        body += [sector, bytes(512)]
    return bytes(head) + b"".join(body)
