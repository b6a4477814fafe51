"""What a call of the page needs of who makes it.

Each call says so, and `page.gate` asks for it; one that says nothing is answered to nobody.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from enum import Enum
from typing import Literal

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match, Route
from starlette.types import Scope

Door = Literal["here", "network"]
"""By which address somebody came: that of this machine's own programs, or the one that `[page]` opens to others."""


class Right(Enum):
    """What somebody must have shown, and by which door they must have come."""

    PUBLIC = "the page's own files, and calls that have a secret of their own: no session"
    PUBLIC_HERE = "the same, at the door of this machine alone"
    PUBLIC_NETWORK = "the same, at the door to the network alone"
    SESSION = "a session: looking, and work that the rules say"
    RULES = "a session, and over the network leave to change rules as well"
    HERE = "a session of this machine: what opens programs, and what says who comes in and where documents go"

    def doors(self, *, rules_over_network: bool) -> tuple[Door, ...]:
        """The doors at which such a call is there at all."""
        match self:
            case Right.PUBLIC_HERE | Right.HERE:
                return ("here",)
            case Right.PUBLIC_NETWORK:
                return ("network",)
            case Right.RULES if not rules_over_network:
                return ("here",)
        return ("here", "network")

    @property
    def needs_session(self) -> bool:
        """Whether a session must be shown."""
        return self in (Right.SESSION, Right.RULES, Right.HERE)


class Call(Route):
    """A call with what it needs."""

    def __init__(
        self,
        path: str,
        work: Callable[[Request], Awaitable[Response]],
        right: Right = Right.SESSION,
        methods: Sequence[str] = ("GET",),
    ) -> None:
        """path, methods: as Starlette takes them."""
        super().__init__(path, work, methods=list(methods))
        self.right = right

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """See Starlette. A number in an address may have more digits than Python reads; such an address is none."""
        try:
            return super().matches(scope)
        except ValueError:
            return Match.NONE, {}
