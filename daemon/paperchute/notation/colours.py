"""Colours as text."""

from __future__ import annotations

import re

from paperchute.language import _

Colour = tuple[float, float, float]
"""Red, green and blue, from 0 to 1."""
_FORM = re.compile(r"#?([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})", re.IGNORECASE)


def parse_colour(text: str) -> Colour:
    """Read a colour such as #93B9FD. Raises ValueError with what is wrong, to be put behind the parameter's name."""
    found = _FORM.fullmatch(text.strip())
    if found is None:
        raise ValueError(_("takes a colour such as #93B9FD, not {text}", text=text))
    red, green, blue = (int(part, 16) / 255 for part in found.groups())
    return red, green, blue
