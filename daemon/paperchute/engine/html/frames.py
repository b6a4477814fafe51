"""Pages within a page (iframe, frame): PlutoBook shows nothing of them, so a warning says where they were."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from lxml import etree

from paperchute.engine import report
from paperchute.engine.html.resources import LONGEST_SHOWN
from paperchute.language import ngettext

_NAMED = 3  # addresses: as many as a person reads
_FRAME = re.compile(r"<i?frame\b", re.IGNORECASE)
_UNSEEN = re.compile(r"(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)


def tell_frames(html: str) -> None:
    """Warn of frames that somebody would see in a browser."""
    if not _FRAME.search(html):
        return
    shown: list[str] = _parsed(html)
    if not shown:
        return
    places = ", ".join(dict.fromkeys(_shortened(place) for place in shown[:_NAMED]))
    report.warn(
        ngettext(
            "{n} frame of the document (iframe) was left out, with the page that it shows: {places}.",
            "{n} frames of the document (iframe) were left out, with the pages that they show: {places}.",
            len(shown),
            places=places,
        )
    )


def _shortened(address: str) -> str:
    """An address without what its query hands over, which may be a secret."""
    place = address.partition("?")[0]
    return place if len(place) <= LONGEST_SHOWN else f"{place[: LONGEST_SHOWN - 1]}…"


def _parsed(html: str) -> Any:
    """By libxml2, which is as fast with tags that never end; Python's own parser starts anew at each."""
    target: Any = _Shown()  # lxml asks for no more than it has, its types do
    parser = etree.HTMLParser(target=target, huge_tree=True)
    try:
        parser.feed(html)
        return parser.close()
    except etree.LxmlError:
        return []


class _Shown:
    """The addresses of frames with something in them, that are not hidden by their own tag."""

    def __init__(self) -> None:
        self._places: list[str] = []

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """See lxml's parser targets."""
        if tag not in ("iframe", "frame"):
            return
        values = {name: value.strip() for name, value in attributes.items()}
        place = "srcdoc" if values.get("srcdoc") else values.get("src", "")
        tiny = any(values.get(side, "").removesuffix("px") in ("0", "1") for side in ("width", "height"))
        hidden = "hidden" in values or tiny or _UNSEEN.search(values.get("style", ""))
        if place and not place.startswith("about:") and not hidden:
            self._places.append(place)

    def close(self) -> list[str]:
        """Return what was found."""
        return self._places
