"""Pages within a page (iframe, frame): PlutoBook shows nothing of them, so a warning says where they were."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html.parser import HTMLParser

from paperchute.engine import report
from paperchute.language import ngettext


@dataclass(frozen=True, slots=True)
class FrameSettings:
    """How much is told of frames that are left out."""

    named: int = 3
    """Addresses: as many as a person reads."""

    longest: int = 80
    """Characters of an address: beyond it are what programs tell each other."""


FRAMES = FrameSettings()

_FRAME = re.compile(r"<i?frame\b", re.IGNORECASE)
_UNSEEN = re.compile(r"(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)


def tell_frames(html: str) -> None:
    """Warn of frames that somebody would see in a browser."""
    if not _FRAME.search(html):
        return
    reader = _Reader()
    reader.feed(html)
    reader.close()
    if not reader.shown:
        return
    places = ", ".join(dict.fromkeys(_shortened(place) for place in reader.shown[: FRAMES.named]))
    report.warn(
        ngettext(
            "{n} frame of the document (iframe) was left out, with the page that it shows: {places}.",
            "{n} frames of the document (iframe) were left out, with the pages that they show: {places}.",
            len(reader.shown),
            places=places,
        )
    )


def _shortened(address: str) -> str:
    """An address without what its query hands over, which may be a secret."""
    place = address.partition("?")[0]
    return place if len(place) <= FRAMES.longest else f"{place[: FRAMES.longest - 1]}…"


class _Reader(HTMLParser):
    """shown: the addresses of frames with something in them, that are not hidden by their own tag."""

    def __init__(self) -> None:
        super().__init__()
        self.shown: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """See HTMLParser."""
        if tag not in ("iframe", "frame"):
            return
        values = {name: (value or "").strip() for name, value in reversed(attrs)}
        place = "srcdoc" if values.get("srcdoc") else values.get("src", "")
        tiny = any(values.get(side, "").removesuffix("px") in ("0", "1") for side in ("width", "height"))
        hidden = "hidden" in values or tiny or _UNSEEN.search(values.get("style", ""))
        if place and not place.startswith("about:") and not hidden:
            self.shown.append(place)
