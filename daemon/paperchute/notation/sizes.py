"""Sizes of files as people write and read them."""

from __future__ import annotations

import re

from paperchute.language import _, ngettext

_UNITS: dict[str, int] = {
    "": 1,
    "b": 1,
    **{f"{letter}b": 1000**power for power, letter in enumerate("kmgt", start=1)},
    **{f"{letter}ib": 1024**power for power, letter in enumerate("kmgt", start=1)},
}
_SIZE = re.compile(r"(\d{1,12}(?:\.\d{1,6})?)\s*([A-Za-z]{0,3})")


def parse_size(value: object) -> int:
    """Read bytes from `10 MB`, `500 kB`, `1.5 GiB` or a plain number; kB, MB, GB are powers of 1000.

    Raises ValueError.
    """
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    match = _SIZE.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None or match[2].lower() not in _UNITS:
        raise ValueError(_('takes a size such as "500 kB" or "10 MB"'))
    return round(float(match[1]) * _UNITS[match[2].lower()])


def format_size(count: int) -> str:
    """Write a number of bytes as people read it: `12.3 MB`."""
    for unit, factor in (("GB", 10**9), ("MB", 10**6), ("kB", 1000)):
        if count >= factor:
            return f"{count / factor:.1f} {unit}".replace(".0 ", " ")
    return ngettext("1 byte", "{n} bytes", count)
