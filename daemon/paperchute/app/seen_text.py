"""The text of an HTML page that a reader sees."""

from __future__ import annotations

from html.parser import HTMLParser

_UNSEEN = ("script", "style", "template")


def seen_text(html: str) -> str:
    """Return what is to be seen, pieces apart by spaces."""
    seen = _Seen()
    seen.feed(html)
    return " ".join(seen.parts)


class _Seen(HTMLParser):
    """The text of a page that a reader sees."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self._unseen = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._unseen += tag in _UNSEEN

    def handle_endtag(self, tag: str) -> None:
        self._unseen -= tag in _UNSEEN and self._unseen > 0

    def handle_data(self, data: str) -> None:
        if not self._unseen:
            self.parts.append(data)
