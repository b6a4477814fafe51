"""Does a file end as its format says it must? Cheap evidence that a writer is done."""

from __future__ import annotations

from pathlib import Path

_TAIL = 1024
_ZIP_TAIL = 66_000  # end-of-central-directory record plus the longest comment (APPNOTE.TXT 4.3.16)


def ends_well(path: Path, size: int) -> bool | None:
    """True when the format's end mark is there, False when it is missing, None for formats without one.

    size: in bytes, more than 0. Raises OSError.
    """
    with path.open("rb") as file:
        head = file.read(16)
        file.seek(max(0, size - _TAIL))
        tail = file.read(_TAIL)
        if head.startswith(b"%PDF"):
            return b"%%EOF" in tail
        if head.startswith(b"PK\x03\x04"):
            file.seek(max(0, size - _ZIP_TAIL))
            return b"PK\x05\x06" in file.read(_ZIP_TAIL)
    if head.startswith(b"\x89PNG"):
        return tail[-8:-4] == b"IEND"
    if head.startswith(b"\xff\xd8"):
        return b"\xff\xd9" in tail[-64:]
    if head.startswith((b"GIF87a", b"GIF89a")):
        return tail.rstrip(b"\0").endswith(b";")
    if head.startswith(b"{\\rtf"):
        return tail.rstrip(b"\0 \r\n").endswith(b"}")
    if tail.rstrip().lower().endswith(b"</html>"):
        return True
    return None
