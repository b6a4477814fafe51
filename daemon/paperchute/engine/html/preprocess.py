"""What is done to HTML before its layout: lists that count down numbered, headings and link targets given names."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import unquote

MARK = "paperchute-mark-"
_MOST_MARKS = 20_000
_LONGEST_TITLE = 500
_WORTH_READING = re.compile(r"<h[1-6]|<ol\b[^>]*\breversed|href\s*=\s*[\"']?\s*#", re.IGNORECASE)
_PLAIN = re.compile(r"[A-Za-z0-9_.:-]+\Z")  # a fragment that URL parsing leaves as it is
_WHOLE = re.compile(r"\s*[+-]?[0-9]{1,9}")
_HEADING = re.compile(r"h[1-6]\Z")
_NO_ROOM = "float:left!important;width:.01px!important;height:.01px!important"


@dataclass
class Heading:
    """level: 1 to 6. title: its text, white space collapsed. mark: the name of its destination in the PDF."""

    level: int
    mark: str
    title: str = ""


@dataclass
class Marked:
    """html: with marks. headings: in document order. names: the document's own name of each marked link target.

    language: of the html element, empty where it has none.
    """

    html: str
    headings: list[Heading] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
    language: str = ""


def marked(html: str) -> Marked:
    """Name the headings and the link targets that need it, and number the items of lists that count down."""
    reader = _Reader()
    if not _WORTH_READING.search(html):
        reader.feed(html[:4096])  # enough to see the html element
        return Marked(html, language=reader.language)
    reader.feed(html)
    reader.close()
    found = Marked(html, language=reader.language)
    edits: list[tuple[int, str]] = []  # where to put what
    marks: dict[str, str] = {}  # our name of a link target, by the document's
    taken: set[str] = set()
    for target in reader.targets[:_MOST_MARKS]:
        linked = [name for name in target.names if name in reader.links and name not in marks]
        heading = target.heading
        mark = target.plain_id or f"{MARK}{len(edits)}"
        if mark in taken or (heading is None and not (linked and target.is_missed)):
            continue
        taken.add(mark)
        if mark != target.plain_id:
            marks.update((name, mark) for name in linked)
            edits.append((target.position, f' id="{mark}"'))
            if linked:
                found.names[mark] = linked[0]
        if heading is not None:
            heading.mark = mark
            heading.title = " ".join(heading.title.split())[:_LONGEST_TITLE]
            found.headings.append(heading)
            edits.append((target.inside, f'<a href="#{mark}" style="display:none!important"></a>'))
        elif target.is_empty:
            edits.append((target.position, f' style="{_NO_ROOM}"'))
    edits += [(position, f' value="{value}"') for position, value in reader.values]
    edits += [(position, f' href="#{marks[name]}"') for position, name in reader.references if name in marks]
    found.html = _with(html, sorted(edits, key=lambda edit: edit[0]))
    return found


def _with(html: str, edits: list[tuple[int, str]]) -> str:
    pieces, last = [], 0
    for position, text in edits:
        pieces += [html[last:position], text]
        last = position
    return "".join([*pieces, html[last:]])


@dataclass
class _Target:
    """An element with names, or a heading.

    position: in its start tag, where an attribute of ours can be put before the others; the first of two equal ones
    counts (WHATWG HTML 13.2.5.33). inside: where a last child can be put, or a first where the end tag is missing.
    plain_id: an id that can stay. is_missed: PlutoBook would give it no destination.
    """

    names: list[str]
    position: int
    inside: int
    heading: Heading | None
    plain_id: str
    is_missed: bool
    is_empty: bool = False


@dataclass
class _List:
    """A list that is open. items: behind `<li`, and its own number, None where it has none."""

    counts_down: bool
    start: int | None
    items: list[tuple[int, int | None]] = field(default_factory=list)

    def numbers(self) -> list[tuple[int, int]]:
        """The numbers to be written where it counts down: from its start, or from the number of its items."""
        if not self.counts_down:
            return []
        found = []
        number = len(self.items) if self.start is None else self.start
        for position, own in self.items:
            if own is None:
                found.append((position, number))
            number = (number if own is None else own) - 1
        return found


def _whole(text: str) -> int | None:
    """A whole number as HTML has it (WHATWG HTML 2.3.4.1)."""
    found = _WHOLE.match(text)
    return int(found[0]) if found else None


class _Reader(HTMLParser):
    """Positions are offsets into what was fed, in characters.

    targets: in document order. links: names that something refers to. references: behind `<a` of what refers to names.
    values: behind `<li` of items whose list counts down, and their numbers.
    """

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.targets: list[_Target] = []
        self.links: set[str] = set()
        self.references: list[tuple[int, str]] = []
        self.language = ""
        self.values: list[tuple[int, int]] = []
        self._lists: list[_List] = []
        self._heading: _Target | None = None
        self._anchor: _Target | None = None
        self._lines: list[int] = []

    def feed(self, data: str) -> None:
        """The whole document at once."""
        self._lines = [0]
        self._lines += [found.end() for found in re.finditer("\n", data)]
        super().feed(data)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """See HTMLParser."""
        values = {name: value or "" for name, value in reversed(attrs)}
        position = self._position() + 1 + len(tag)
        self._anchor = None
        if tag == "html" and not self.language:
            self.language = values.get("lang") or values.get("xml:lang", "")
        if tag == "a" and values.get("href", "").strip().startswith("#"):
            name = unquote(values["href"].strip()[1:])
            self.links.add(name)
            self.references.append((position, name))
        own, other = values.get("id", ""), values.get("name", "") if tag == "a" else ""
        is_heading = _HEADING.match(tag) is not None
        if own or other or is_heading:
            names = [name for name in (own, other) if name]
            plain_id = own if _PLAIN.match(own) else ""
            target = _Target(
                names, position, self._position() + len(self.get_starttag_text() or ""), None, plain_id, not plain_id
            )
            self.targets.append(target)
            if is_heading:
                target.heading = Heading(int(tag[1]), "")
                self._heading = target
            elif tag in ("a", "span"):
                self._anchor = target
        if tag in ("ol", "ul", "menu"):
            counts_down = tag == "ol" and "reversed" in values
            self._lists.append(_List(counts_down, _whole(values.get("start", ""))))
        elif tag == "li" and self._lists:
            self._lists[-1].items.append((position, _whole(values.get("value", ""))))
        if tag in ("img", "br"):
            self._add_to_title(" " + values.get("alt", ""))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """HTML knows no self-closing elements: the slash is passed over."""
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        """See HTMLParser."""
        if self._anchor is not None and tag in ("a", "span"):
            self._anchor.is_empty = self._anchor.is_missed = True
        self._anchor = None
        if tag in ("ol", "ul", "menu") and self._lists:
            self.values += self._lists.pop().numbers()
        if self._heading is not None and _HEADING.match(tag):
            self._heading.inside = self._position()
            self._heading = None

    def handle_data(self, data: str) -> None:
        """See HTMLParser."""
        self._anchor = None
        self._add_to_title(data)

    def close(self) -> None:
        """The end of the document, which ends lists without an end tag."""
        super().close()
        while self._lists:
            self.values += self._lists.pop().numbers()

    def _position(self) -> int:
        line, column = self.getpos()
        return self._lines[line - 1] + column

    def _add_to_title(self, text: str) -> None:
        heading = self._heading.heading if self._heading is not None else None
        if heading is not None and len(heading.title) < _LONGEST_TITLE:
            heading.title += text
