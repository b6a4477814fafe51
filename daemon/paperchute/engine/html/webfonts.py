"""Web fonts in WOFF2: PlutoBook reads them, but passes over every source that calls itself `format("woff2")`."""

from __future__ import annotations

import re

_STYLE = re.compile(r"(<style\b[^>]*>)(.*?)(</style)", re.IGNORECASE | re.DOTALL)
_FACE = re.compile(r"@font-face\s*\{[^}]*\}", re.IGNORECASE)
_HINT = re.compile(r"\bformat\(\s*[\"']?woff2(?:-variations)?[\"']?\s*\)(?:\s*tech\([^)]*\))?", re.IGNORECASE)


def plain_sources(css: str) -> str:
    """The style sheet without what its fonts in WOFF2 say of their format (css-fonts-4, 4.3.3)."""
    if "woff2" not in css.lower():
        return css
    return _FACE.sub(lambda face: _HINT.sub("", face[0]), css)


def plain_sources_in(html: str) -> str:
    """The same for the style elements of a document; what only looks like CSS elsewhere stays."""
    if "woff2" not in html.lower():
        return html
    return _STYLE.sub(lambda style: style[1] + plain_sources(style[2]) + style[3], html)
