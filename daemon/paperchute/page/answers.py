"""What leaves for a browser: JSON in which no text holds a secret, or what would mislead whoever reads it."""

from __future__ import annotations

import json
from typing import Any

from starlette.responses import Response

from paperchute.redaction import clean


def as_text(value: Any) -> str:
    """JSON, its strings cleaned."""
    return json.dumps(_cleaned(value))


class Answer(Response):
    """A value as JSON."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        """Called by Starlette."""
        return as_text(content).encode("ascii")


def _cleaned(value: Any) -> Any:
    match value:
        case str():
            return clean(value)
        case dict():
            return {name: _cleaned(its) for name, its in value.items()}
        case list() | tuple():
            return [_cleaned(one) for one in value]
        case _:
            return value
