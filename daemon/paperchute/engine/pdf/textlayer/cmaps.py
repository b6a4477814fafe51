"""ToUnicode maps (ISO 32000-1, 9.10.3): what the codes of a font mean."""

from __future__ import annotations

from collections.abc import Mapping

_HEAD = """/CIDInit /ProcSet findresource begin
12 dict begin
begincmap
/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def
/CMapName /Adobe-Identity-UCS def
/CMapType 2 def
1 begincodespacerange
<{low}> <{high}>
endcodespacerange
"""
_TAIL = "endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend\n"
_BLOCK = 100  # the most lines that one bfchar section may have


def to_unicode(meanings: Mapping[int, str], width: int = 2) -> bytes:
    """The map as a stream's content. meanings: text by code; width: bytes of a code."""
    digits = 2 * width
    lines = [
        f"<{code:0{digits}X}> <{text.encode('utf-16-be').hex().upper()}>" for code, text in sorted(meanings.items())
    ]
    parts = [_HEAD.format(low="0" * digits, high="F" * digits)]
    for start in range(0, len(lines), _BLOCK):
        block = lines[start : start + _BLOCK]
        parts.append(f"{len(block)} beginbfchar\n" + "\n".join(block) + "\nendbfchar\n")
    return ("".join(parts) + _TAIL).encode("ascii")
