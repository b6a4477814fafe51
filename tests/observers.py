"""Observers that need no thread: what is published is heard at once, by whoever publishes it."""

from __future__ import annotations

from paperchute.events import Event, Subscriber


class Told:
    """Keeps all events, and hands each of them on."""

    def __init__(self, *subscribers: Subscriber) -> None:
        self.events: list[Event] = []
        self.subscribers = list(subscribers)

    def publish(self, event: Event, /) -> None:
        self.events.append(event)
        for subscriber in self.subscribers:
            subscriber.hear(event)
