"""A page that notes what a stage or a repair looks at, and what it sets."""

from __future__ import annotations

from typing import Generic, TypeVar

_Page = TypeVar("_Page")


class Watched(Generic[_Page]):
    """A working page, or its picture, that notes which of its fields are looked at, and which are set."""

    page: _Page
    seen: set[str]
    given: set[str]

    def __init__(self, page: _Page) -> None:
        self.__dict__.update(page=page, seen=set(), given=set())

    def __getattr__(self, name: str) -> object:
        self.seen.add(name)
        return getattr(self.page, name)

    def __setattr__(self, name: str, value: object) -> None:
        self.given.add(name)
        setattr(self.page, name, value)
