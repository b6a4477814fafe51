"""Runs of text as Markdown: escapes, emphasis, code, links. GitHub-flavoured Markdown over CommonMark 0.31."""

from __future__ import annotations

import html
import re
import string
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from paperchute.engine.document.flow import merged
from paperchute.engine.document.model import Span, Style

_PUNCTUATION = set(string.punctuation)
_LINE_START = re.compile(
    r"^(?:(#{1,6})(?=\s|$)|([-+*])(?=\s|$)|(\d{1,9})([.)])(?=\s|$)|(>)|(=+\s*$|-[-\s]*$|(?:[*_]\s*){3,}$|~{3}|:?-+:?\s*\|))"
)
_MAYBE_MARKUP = re.compile(r"[\\`*_\[\]<&~!]")
_TICKS = re.compile(r"`+")


def inline(spans: Sequence[Span], starts_line: bool = True) -> str:
    """Spans as one run of Markdown. Newlines become hard breaks.

    starts_line: the run stands where a block could start, so what would start one is escaped; not so in headings and
    table cells.
    """
    plain = merged(spans)
    text = ""
    for number, span in enumerate(plain):
        text += _span(span, text[-1:], _first_of(plain, number + 1))
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    return "  \n".join(line_start_escaped(line) if starts_line else line for line in lines)


def without_common_bold(spans: Sequence[Span]) -> tuple[Span, ...]:
    """For headings and table heads, which are bold anyway: bold goes where all of the text has it."""
    if not all(span.style.bold or not span.text.strip() for span in spans):
        return tuple(spans)
    return tuple(Span(span.text, _without_bold(span.style), span.link) if span.style.bold else span for span in spans)


@lru_cache(1_000)  # more than a document has
def _without_bold(style: Style) -> Style:
    return replace(style, bold=False)


def escaped(text: str, in_link: bool = False) -> str:
    """Text with everything escaped that Markdown would take for markup inside a line; what is harmless stays."""
    last = len(text) - 1

    def marked(match: re.Match[str]) -> str:
        n = match.start()
        before = text[n - 1] if n else ""
        after = text[n + 1] if n < last else ""
        return "\\" + match[0] if _means_something(match[0], before, after, in_link) else match[0]

    return _MAYBE_MARKUP.sub(marked, text)


def line_start_escaped(line: str) -> str:
    """A line of text that must not turn into a heading, list, quote, rule or table."""
    match = _LINE_START.match(line)
    if not match:
        return line
    if match[3]:
        return f"{match[3]}\\{line[len(match[3]) :]}"
    return "\\" + line


def code(text: str) -> str:
    """A code span; its fence is longer than any run of backticks inside."""
    fence = "`" * (max((len(run) for run in _TICKS.findall(text)), default=0) + 1)
    pad = (
        " "
        if text.startswith("`") or text.endswith("`") or (text.startswith(" ") and text.endswith(" ") and text.strip())
        else ""
    )
    return f"{fence}{pad}{text}{pad}{fence}"


def target(address: str) -> str:
    """A link target that ends where it should."""
    address = re.sub(r"[\x00-\x20<>\\]", lambda m: f"%{ord(m[0]):02X}", address)
    return f"<{address}>" if "(" in address or ")" in address else address


def _span(span: Span, before: str, after: str) -> str:
    core = span.text.strip()
    if not core:
        return span.text
    start = span.text.index(core)
    lead, trail = span.text[:start], span.text[start + len(core) :]
    return lead + _marked(span, core, lead[-1:] or before, trail[:1] or after) + trail


def _marked(span: Span, core: str, before: str, after: str) -> str:
    style = span.style
    # A code span cannot stand beside another one, nor hold brackets in a link's text or `\\|` in a table.
    tagged = "`" in (before, after) or bool(span.link and set(core) & set("[]")) or "\\|" in core
    if span.link and core in (span.link, span.link.removeprefix("mailto:")) and not set(core) & set(" <>\n"):
        return f"<{core}>" if ":" in core or "@" in core else escaped(core)
    lines = filter(None, core.split("\n")) if "\n" in core else (core,)
    text = "\n".join(
        [_typed(part, bool(span.link), tagged) if style.mono else escaped(part, bool(span.link)) for part in lines]
    )
    if style.script:
        tag = "sup" if style.script == "super" else "sub"
        text = f"<{tag}>{text}</{tag}>"
    if (style.bold or style.italic) and any(c.isalnum() for c in core) and "\n" not in text:
        text = _emphasised(text, style.bold, style.italic, before, after, bool(span.link))
    return f"[{text}]({target(span.link)})" if span.link else text


def _emphasised(text: str, bold: bool, italic: bool, before: str, after: str, in_link: bool) -> str:
    """Stars where CommonMark's flanking rules let them open and close, else tags."""
    if in_link:
        before = after = "["
    opens = not _is_mark(text[0]) or not before or before.isspace() or _is_mark(before)
    closes = not _is_mark(text[-1]) or not after or after.isspace() or _is_mark(after)
    if opens and closes and before != "*" and after != "*":
        stars = "*" * (2 * bold + italic)
        return f"{stars}{text}{stars}"
    text = f"<em>{text}</em>" if italic else text
    return f"<strong>{text}</strong>" if bold else text


def _typed(text: str, in_link: bool, tagged: bool) -> str:
    """A code span; as a tag where its fence would run together with a neighbour's."""
    return f"<code>{escaped(text, in_link)}</code>" if tagged else code(text)


def _first_of(spans: Sequence[Span], number: int) -> str:
    """The character a span will begin with, as far as it matters to the one before it."""
    if number >= len(spans):
        return ""
    span = spans[number]
    first = span.text[0]
    if first.isspace():
        return first
    if span.link:
        return "["
    if span.style.bold or span.style.italic:
        return "*"
    if span.style.script:
        return "<"
    return "`" if span.style.mono else first


def _is_mark(character: str) -> bool:
    return not character.isalnum() and not character.isspace()


def _means_something(character: str, before: str, after: str, in_link: bool) -> bool:
    if character in "\\":
        return not after or after in _PUNCTUATION or after == "\n"
    if character == "`":
        return True
    if character == "*":
        return not (before.isspace() and after.isspace())
    if character == "_":
        return not (before.isalnum() and after.isalnum()) and not (before.isspace() and after.isspace())
    if character == "[":
        return in_link or not after or after == "^"
    if character == "]":
        return in_link or not after or after in "([:"
    if character == "<":
        return not after or after.isalpha() or after in "/!?"
    if character == "&":
        return not after or after.isalnum() or after == "#"
    if character == "~":
        return before == "~" or after == "~" or not (not before or before.isspace())
    return character == "!" and (not after or after == "[")


def html_inline(spans: Sequence[Span]) -> str:
    """Spans as HTML, for tables Markdown cannot write."""
    parts = []
    for span in merged(spans):
        text = html.escape(span.text, quote=False).replace("\n", "<br>")
        style = span.style
        for on, tag in ((style.mono, "code"), (style.italic, "em"), (style.bold, "strong")):
            text = f"<{tag}>{text}</{tag}>" if on and text.strip() else text
        if style.script:
            text = f"<{style.script[:3]}>{text}</{style.script[:3]}>"
        parts.append(f'<a href="{html.escape(span.link)}">{text}</a>' if span.link else text)
    return "".join(parts).strip()
