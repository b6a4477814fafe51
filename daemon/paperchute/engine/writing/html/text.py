"""Runs of text as HTML, everything escaped; identifiers, addresses and text directions."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from html import escape

from paperchute.engine.document.flow import merged
from paperchute.engine.document.model import Span

_SAFE_ADDRESS = re.compile(r"(?:https?://|mailto:|tel:|ftp://)", re.IGNORECASE)
_FORBIDDEN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff]")
_RIGHT_TO_LEFT = {"R", "AL"}
_LOOKED_AT = 2_000  # characters

Reference = Callable[[str], str]
"""The address of the note that a raised mark refers to, or nothing."""


def text_html(text: str) -> str:
    """Text that stands between tags or in an attribute."""
    return escape(_FORBIDDEN.sub("", text), quote=True)


def spans_html(spans: Sequence[Span], reference: Reference | None = None) -> str:
    """Spans as phrasing content. reference: turns raised marks into references to notes."""
    return "".join(_span(span, reference) for span in merged(spans))


def safe_address(address: str) -> str:
    """The address where following it does no harm, else nothing: no scripts, no local files."""
    return address if _SAFE_ADDRESS.match(address) else ""


def direction(texts: Iterable[str]) -> str:
    """`rtl` where most letters are written from right to left, else nothing."""
    right = left = 0
    for text in texts:
        if text.isascii():
            left += sum(map(str.isalpha, text[:_LOOKED_AT]))
            continue
        for character in text[:_LOOKED_AT]:
            kind = unicodedata.bidirectional(character)
            right += kind in _RIGHT_TO_LEFT
            left += kind == "L"
        if right + left > _LOOKED_AT:
            break
    return "rtl" if right > left else ""


def dir_attribute(texts: Iterable[str]) -> str:
    """The attribute to go with `direction`."""
    found = direction(texts)
    return f' dir="{found}"' if found else ""


def colors_css(color: str, ground: str) -> str:
    """The declarations for colours of text and of what is behind it, empty for none."""
    found = f"color:{text_html(color)}" if color else ""
    return found + (";" if color and ground else "") + (f"background:{text_html(ground)}" if ground else "")


def _span(span: Span, reference: Reference | None) -> str:
    core = span.text.strip()
    if not core:
        return text_html(span.text)
    start = span.text.index(core)
    lead, trail = span.text[:start], span.text[start + len(core) :]
    text = text_html(core).replace("\n", "<br>\n")
    style = span.style
    for on, tag in ((style.mono, "code"), (style.italic, "em"), (style.bold, "strong")):
        text = f"<{tag}>{text}</{tag}>" if on else text
    for on, tag in ((style.underline and not span.link, "u"), (style.strike, "s")):
        text = f"<{tag}>{text}</{tag}>" if on else text
    colors = "" if span.link else colors_css(style.color, style.ground)
    text = f'<span style="{colors}">{text}</span>' if colors else text
    target = reference(core) if reference is not None and style.script == "super" else ""
    if target:
        text = f'<a class="noteref" role="doc-noteref" id="r-{target}" href="#{target}">{text}</a>'
    if style.script:
        tag = "sup" if style.script == "super" else "sub"
        text = f"<{tag}>{text}</{tag}>"
    address = "" if target else safe_address(span.link)
    text = f'<a href="{text_html(address)}">{text}</a>' if address else text
    return _break(lead) + text + _break(trail)


def _break(space: str) -> str:
    """White space around a run; a meant line break may be in it."""
    return "<br>\n" if "\n" in space else space
