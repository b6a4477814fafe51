"""What API keys have under way and have used, for Prometheus. Keys are named, and never shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from paperchute.engine.keys.table import KeyUse

_MOST = 100
"""Keys that are told of, so that there are only so many series: those that have used most this month."""


def text(uses: Sequence[KeyUse]) -> str:
    """All of it, as Prometheus reads it; nothing where there are no keys."""
    living = [use for use in uses if not use.key.revoked or use.open]
    told = sorted(living, key=lambda use: (-use.pages, -use.open, use.key.name))[:_MOST]
    return "".join(f"{line}\n" for line in _lines(told)) if told else ""


def _lines(uses: Sequence[KeyUse]) -> Iterator[str]:
    of_key: tuple[tuple[str, str, Callable[[KeyUse], int]], ...] = (
        ("key_open_tasks", "Tasks of an API key that have not ended.", lambda use: use.open),
        ("key_pages", "Pages that an API key has used this month (UTC).", lambda use: use.pages),
        ("key_pages_limit", "Pages that an API key may use in a month; 0 for any number.", lambda use: use.key.pages),
    )
    for name, what, value in of_key:
        yield f"# HELP paperchute_{name} {what}"
        yield f"# TYPE paperchute_{name} gauge"
        for use in uses:
            yield f'paperchute_{name}{{key="{use.key.name}"}} {value(use)}'
