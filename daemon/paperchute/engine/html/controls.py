"""What people open and choose on a screen, as paper has to show it."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from itertools import accumulate

_WORTH_READING = re.compile(r"<details|<select|type\s*=\s*[\"']?\s*password", re.IGNORECASE)
_HIDDEN = ' style="display:none!important"'
_DOTS = ' value="••••••••"'


def on_paper(html: str) -> str:
    """The document with all details open, the chosen option of lists in sight, and no password readable.

    PlutoBook shows nothing of closed details, the first option whatever is chosen, with the others unseen behind it,
    and passwords as they are. Of two equal attributes the first counts (WHATWG HTML 13.2.5.33), so ours go before the
    others.
    """
    if not _WORTH_READING.search(html):
        return html
    reader = _Reader(html)
    reader.feed(html)
    reader.close()
    pieces, last = [], 0
    for position, text in sorted(reader.edits):
        pieces += [html[last:position], text]
        last = position
    return "".join([*pieces, html[last:]])


class _Reader(HTMLParser):
    """edits: what to put where."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.edits: list[tuple[int, str]] = []
        self._lines = [0, *accumulate(len(line) + 1 for line in html.split("\n"))]
        self._options: list[tuple[int, bool]] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """See HTMLParser."""
        values = {name: value or "" for name, value in reversed(attrs)}
        line, column = self.getpos()
        position = self._lines[line - 1] + column + 1 + len(tag)
        match tag:
            case "details" if "open" not in values:
                self.edits.append((position, " open"))
            case "input" if values.get("type", "").strip().lower() == "password" and values.get("value"):
                self.edits.append((position, _DOTS))
            case "select":
                self._choose()
                is_list = "multiple" in values or values.get("size", "").strip() not in ("", "0", "1")
                self._options = None if is_list else []
            case "option" if self._options is not None:
                self._options.append((position, "selected" in values))

    def handle_endtag(self, tag: str) -> None:
        """See HTMLParser."""
        if tag == "select":
            self._choose()

    def _choose(self) -> None:
        """Of a list that has ended, hide all options but the last that is chosen, else the first."""
        options, self._options = self._options or [], None
        chosen = [position for position, is_chosen in options if is_chosen] or [options[0][0] for _ in options[:1]]
        self.edits += [(position, _HIDDEN) for position, _ in options if position != chosen[-1]]

    def close(self) -> None:
        """See HTMLParser."""
        super().close()
        self._choose()
