"""What the page shows of the moment, as one picture, and the news of it for every page that is open."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

from starlette.concurrency import run_in_threadpool

from paperchute.events import Event, Found
from paperchute.page.answers import as_text

_LEAST_SECONDS = 0.1
"""Between two pictures: faster than anybody reads, and a burst of a thousand files is ten a second."""

_SIGN_OF_LIFE_SECONDS = 15.0
"""After so long without news the page is told that there is none, and knows that the line is not dead."""

Picture = Callable[[], Mapping[str, Any]]


class Feed:
    """A subscriber. Events come on their own thread; pages listen on the server's event loop."""

    def __init__(self, picture: Picture) -> None:
        """picture: what there is to show now, as JSON's values; any thread may be the one that asks."""
        self._picture = picture
        self._loop: asyncio.AbstractEventLoop | None = None
        self._news: dict[asyncio.Event, None] = {}
        self._closed = False

    def open(self) -> None:
        """On the event loop, before the first page listens."""
        self._loop = asyncio.get_running_loop()

    def close(self) -> None:
        """No page is told any more."""
        self._closed = True
        self._wake()

    def hear(self, event: Event, /) -> None:
        """Something has happened."""
        if self._news and not isinstance(event, Found):  # else nobody looks, and the loop need not be woken
            self._wake()

    def look(self) -> None:
        """Something has changed that is no event. Any thread may call."""
        self._wake()

    async def lines(self, may_hear: Callable[[], bool]) -> AsyncIterator[str]:
        """Server-sent events for one page, for as long as it may: a picture at once, another after each change."""
        news = asyncio.Event()
        news.set()
        self._news[news] = None
        last = ""
        try:
            while not self._closed:
                with contextlib.suppress(TimeoutError):  # what is no event, such as when something is tried next, too
                    await asyncio.wait_for(news.wait(), _SIGN_OF_LIFE_SECONDS)
                if not may_hear():
                    return
                news.clear()
                try:
                    text = await run_in_threadpool(lambda: as_text(self._picture()))
                except sqlite3.Error:  # the journal's disk is away, or it is being set aside: the next news may tell
                    text = last
                yield f"data: {text}\n\n" if text != last else ": nothing new\n\n"
                last = text
                await asyncio.sleep(_LEAST_SECONDS)
        finally:
            del self._news[news]

    def _wake(self) -> None:
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop has just ended
                self._loop.call_soon_threadsafe(self._tell)

    def _tell(self) -> None:
        for news in self._news:
            news.set()
