"""From printed lines back to running text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from paperchute.engine.document.model import Line, Span

_HYPHENS = "-\u2010\u00ad"


def flowed(lines: Sequence[Line]) -> tuple[Span, ...]:
    """The lines as one run of spans: wrapped lines joined, divided words closed, meant breaks kept as newlines."""
    spans: list[Span] = []
    for number, line in enumerate(lines):
        spans += line.spans
        if number == len(lines) - 1 or not spans:
            break
        last = spans[-1]
        if line.ends == "hyphen":
            spans[-1] = replace(last, text=last.text.rstrip().rstrip(_HYPHENS))
        elif line.ends == "hard":
            spans[-1] = replace(last, text=last.text + "\n")
        elif line.ends == "soft" and not last.text.endswith(" "):
            follows = lines[number + 1].spans
            if last.style.mono and last.link == "" and follows and follows[0].style != last.style:
                spans.append(Span(" ", replace(last.style, mono=False, bold=False, italic=False)))
            else:
                spans[-1] = replace(last, text=last.text + " ")
    return merged(spans)


def flowed_text(lines: Sequence[Line]) -> str:
    """`flowed` as plain text."""
    return "".join(span.text for span in flowed(lines))


def merged(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Neighbours that look the same, fonts and sizes aside, made one; empty ones dropped."""
    result: list[Span] = []
    for span in spans:
        if not span.text:
            continue
        last = result[-1] if result else None
        if last is not None and last.link == span.link and _looks(last) == _looks(span):
            result[-1] = replace(last, text=last.text + span.text)
        else:
            result.append(span)
    return tuple(result)


def _looks(span: Span) -> tuple[object, ...]:
    style = span.style
    lines = style.underline, style.strike
    return style.bold, style.italic, style.mono, style.script, style.color, style.ground, lines
