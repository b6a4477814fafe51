"""Libraries that lay office files out as their own programs do: the extra `office` of the engine.

They print where LibreOffice does not. Nothing of them is loaded here.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec

INSTALL = 'pip install "paperchute[office]"'

TYPESETTERS: Mapping[str, str] = {"docx": "dxpdf", "pptx": "office2pdf", "xlsx": "office2pdf"}
"""The library for each kind of file, as it is imported."""


def typesetter(kind: str) -> str:
    """Name the library that lays a kind of files out; empty where none is installed."""
    name = TYPESETTERS.get(kind, "")
    return name if name and find_spec(name) is not None else ""
