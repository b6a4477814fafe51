"""The fonts that TeX's documents are set in, by kind: no word processor or browser knows their names."""

from __future__ import annotations

import re
from typing import Literal

Kind = Literal["serif", "sans-serif", "monospace"]

_KINDS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("monospace", re.compile(r"cm(?:tt|sltt|itt|vtt|tcsc)|(?:sf|ec)(?:tt|it|st|tc)|lm(?:mono|tt)", re.I)),
    ("sans-serif", re.compile(r"cmss|(?:sf|ec)(?:ss|si|sx|so)|lm(?:sans|ss)", re.I)),
    (
        "serif",
        re.compile(r"cm(?:r|b|ti|sl|csc|u|fib)|(?:sf|ec)(?:rm|bx|ti|sl|cc|bi|bl|rb)|lm(?:roman|r|b|ri|csc)", re.I),
    ),
)
"""Computer Modern (CMR10), CM-Super and EC (SFRM1000, ECRM1000), Latin Modern (LMRoman10-Regular). Mathematics (CMMI,
CMSY, CMEX) is none of them."""
_SIZE = re.compile(r"\d")


def kind_of_font(name: str) -> Kind | None:
    """What kind a PostScript name is of; None where it is no text font of TeX. They all end in their design size."""
    if _SIZE.search(name) is None:
        return None
    return next((kind for kind, pattern in _KINDS if pattern.match(name)), None)
