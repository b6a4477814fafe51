"""What an HTML document states: its paragraphs, headings, lists, tables, pictures and formulas, in their order.

Each text gets a number, its piece, and stands in a link of that number in the HTML that is printed: where the print has
the link is the text's place, and a text that no reader sees has none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from html import escape
from typing import Literal
from urllib.parse import urljoin

from lxml import etree

from paperchute.engine.document.formulas import Node, latex, linear
from paperchute.engine.document.model import Style
from paperchute.engine.pdf.actions import leads_to_web
from paperchute.engine.reading.office.counting import markers_of
from paperchute.engine.reading.office.elements import (
    BLOCK_TAGS,
    PRINTED_VOID,
    RAW,
    VOID,
    Raw,
    chunks,
    count,
    local_name,
    looks,
    value_of,
    written,
)
from paperchute.engine.reading.office.parts import (
    Frame,
    GivenCell,
    GivenTable,
    OpenElement,
    OpenList,
    Part,
    Run,
)
from paperchute.engine.work import Refused
from paperchute.language import _

BREAK = "\u2028"
"""A line end that is meant."""
SCHEME = "piece:"
"""Of the links that say where the pieces are printed."""

_MOST_LINKS = 60_000  # that each have a place of their own; of what follows each 32nd piece has one
_LONGEST_PIECE = 400  # characters: pages part paragraphs at its end
_DEEPEST = 300  # elements inside of each other that are printed so, what is deeper stands in these
_PLAIN_LINKS = (
    f'<style>a[href^="{SCHEME}"]{{display:inline!important;position:static!important;float:none!important;'
    "visibility:inherit!important;opacity:1!important;font:inherit!important;color:inherit!important;"
    "text-decoration:none!important;background:none!important;margin:0!important;padding:0!important;"
    f'border:0!important}}a[href^="{SCHEME}"]::before,a[href^="{SCHEME}"]::after{{content:none!important}}</style>'
)
"""Whatever a document's style sheets say of links."""
_SECTIONS: dict[str, Literal["head", "body", "foot"]] = {"thead": "head", "tbody": "body", "tfoot": "foot"}
_OF_TABLES = frozenset({"table", "caption", "colgroup", "thead", "tbody", "tfoot", "tr", "td", "th"})
_MOST_TABLES = 8  # inside of each other that are printed so: their layout takes twice as long with each
_MOST_COLUMNS, _MOST_ROWS = 1_000, 65_534  # that a cell covers (WHATWG HTML, 4.9.11)


def is_placed(piece: int) -> bool:
    """Decide whether a piece is printed as a link, so that its own place is known."""
    return piece < _MOST_LINKS or piece % 32 == 0


def content_of(html: str, base: str = "") -> Content:
    """Read a document. base: what its relative addresses start from. Raises Refused 02207 for what is no HTML."""
    content = Content(base)
    parser = etree.HTMLParser(target=content, huge_tree=True)  # type: ignore[arg-type]  # lxml asks for no more
    try:
        parser.feed(html)
        parser.close()
    except etree.LxmlError as error:
        raise Refused("02207", _("the HTML cannot be read")) from error
    return content


class Content:
    """What was read. printed: the HTML to print; count: of pieces."""

    def __init__(self, base: str = "") -> None:
        self.title = ""
        self.language = ""
        self.count = 0
        self._base = base
        self._out: list[str] = []
        self._frames = [Frame()]
        self._tables: list[tuple[GivenTable, Frame]] = []
        self._open: list[OpenElement] = []
        self._style = Style()
        self._link = ""
        self._keeps_space = False
        self._text: list[str] = []
        self._groups = 0
        self._raw: Raw | None = None
        self._readings: list[Run] | None = None
        self._in_reading = False

    @property
    def parts(self) -> list[Part]:
        """The parts in their order."""
        return self._frames[0].parts

    @property
    def printed(self) -> str:
        """The document with links around its pieces, whatever its style sheets say of links."""
        return "".join(self._out)

    def all_parts(self) -> Iterator[Part]:
        """The parts and those of tables, in no order."""
        waiting = list(self.parts)
        while waiting:
            part = waiting.pop()
            yield part
            if part.table is not None:
                waiting += [inner for _, row in part.table.rows for cell in row for inner in cell.parts]

    def said(self) -> dict[int, str]:
        """Return what each piece says."""
        said = {run.piece: run.text for part in self.all_parts() for run in part.runs if run.piece >= 0}
        return said | {part.piece: part.runs[0].text for part in self.all_parts() if part.kind == "image"}

    # --- What the parser calls

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """See lxml's parser targets."""
        if self._raw is not None:
            self._raw.start(tag, attributes)
            return
        self._take_text()
        if local_name(tag) in RAW:
            self._raw = Raw()
            self._raw.start(tag, attributes)
        elif tag in VOID:
            self._void(tag, attributes)
        else:
            shown = written(tag, attributes) if self._is_printed(tag) else ""
            after = f"</{'span' if tag in ('a', 'q') else tag}>" if shown else ""
            self._open.append(OpenElement(tag, after, self._style, self._link, self._keeps_space))
            self._out.append(shown)
            self._begin(tag, attributes)

    def end(self, tag: str) -> None:
        """See lxml's parser targets."""
        if self._raw is not None:
            if self._raw.end(tag):
                raw, self._raw = self._raw, None
                self._end_raw(raw)
            return
        self._take_text()
        if tag in VOID or not any(opened.tag == tag for opened in reversed(self._open)):
            return
        while self._close().tag != tag:
            pass

    def data(self, text: str) -> None:
        """See lxml's parser targets."""
        if self._raw is not None:
            self._raw.data(text)
        else:
            self._text.append(text)

    def close(self) -> Content:
        """See lxml's parser targets."""
        if self._raw is not None:
            self._end_raw(self._raw)
        self._take_text()
        while self._open:
            self._close()
        self._flush()
        return self

    def _is_printed(self, tag: str) -> bool:
        """Decide whether an element is printed as one: of what is nested without end only the text is."""
        if tag in _OF_TABLES and len(self._tables) >= _MOST_TABLES:
            return False
        return len(self._open) < _DEEPEST

    def _close(self) -> OpenElement:
        """End the innermost element."""
        opened = self._open.pop()
        self._finish(opened.tag)
        if opened.tag == "body":
            self._out.append(_PLAIN_LINKS)
        self._out.append(opened.shown)
        self._style, self._link, self._keeps_space = opened.style, opened.link, opened.keeps_space
        return opened

    # --- Elements

    def _begin(self, tag: str, attributes: Mapping[str, str]) -> None:
        frame = self._frames[-1]
        self._style, self._keeps_space = looks(tag, attributes.get("style", ""), self._style, self._keeps_space)
        if tag in BLOCK_TAGS:
            self._flush()
        match tag:
            case "html":
                self.language = self.language or attributes.get("lang", attributes.get("xml:lang", ""))
            case "a" if "href" in attributes:
                self._link = self._target(attributes["href"])
            case "h1" | "h2" | "h3" | "h4" | "h5" | "h6":
                frame.heading = int(tag[1])
            case "pre" | "listing" | "xmp":
                frame.is_code = True
            case "ul" | "ol" | "menu" | "dir":
                if not frame.lists:
                    self._groups += 1
                frame.lists.append(OpenList(tag, dict(attributes)))
            case "li":
                item = Part("item", level=max(len(frame.lists) - 1, 0), marker="•", group=self._groups)
                frame.parts.append(item)
                frame.items.append(item)
                if (marker := attributes.get("data-marker")) is not None:
                    item.marker = marker
                elif frame.lists:
                    frame.lists[-1].items.append((item, attributes.get("value", "")))
            case "table":
                role = attributes.get("role", "")
                self._tables.append((GivenTable(is_layout=role in ("presentation", "none")), frame))
            case "thead" | "tbody" | "tfoot" if self._tables:
                self._tables[-1][0].section = _SECTIONS[tag]
            case "tr" if self._tables:
                table = self._tables[-1][0]
                table.rows.append((table.section, []))
            case "td" | "th" if self._tables:
                self._begin_cell(tag, attributes)
            case "ruby":
                self._readings = []
            case "rt" if self._readings is not None:
                self._in_reading = True
            case "q":
                self._quote("“")
            case _ if attributes.get("role") == "heading":
                level = attributes.get("aria-level", "2")
                frame.heading = min(max(int(level), 1), 6) if level.isdecimal() and len(level) < 3 else 2

    def _finish(self, tag: str) -> None:
        """What the end of an element brings."""
        frame = self._frames[-1]
        match tag:
            case "q":
                self._quote("”")
            case "rt":
                self._in_reading = False
            case "ruby":
                self._end_ruby()
            case "td" | "th" if self._tables and frame is not self._tables[-1][1]:
                self._flush()
                self._frames.pop()
                return
            case "table" if self._tables:
                self._end_table()
                return
        if tag in BLOCK_TAGS:
            self._flush()
        match tag:
            case "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "div" | "p":
                frame.heading = 0
            case "pre" | "listing" | "xmp":
                frame.is_code = False
            case "ul" | "ol" | "menu" | "dir" if frame.lists:
                done = frame.lists.pop()
                depth = len(frame.lists)
                asked = [value for _, value in done.items]
                for (item, _), marker in zip(
                    done.items, markers_of(done.tag, done.attributes, asked, depth), strict=True
                ):
                    item.marker = marker
                    item.is_counted = "reversed" in done.attributes  # which PlutoBook does not know
            case "li" if frame.items:
                frame.items.pop()

    def _begin_cell(self, tag: str, attributes: Mapping[str, str]) -> None:
        table, outer = self._tables[-1]
        if self._frames[-1] is not outer:  # a cell within a cell, without a table of its own
            self._flush()
            self._frames.pop()
        self._flush()
        if not table.rows:
            table.rows.append((table.section, []))
        frame = Frame()
        rows = count(attributes.get("rowspan"), _MOST_ROWS, is_open=True)
        columns = count(attributes.get("colspan"), _MOST_COLUMNS)
        table.rows[-1][1].append(GivenCell(frame.parts, columns, rows, tag == "th"))
        self._frames.append(frame)

    def _end_table(self) -> None:
        table, outer = self._tables.pop()
        self._flush()
        while self._frames[-1] is not outer:
            self._flush()
            self._frames.pop()
        outer.parts.append(Part("table", table=table))

    def _void(self, tag: str, attributes: Mapping[str, str]) -> None:
        frame = self._frames[-1]
        shown = written(tag, attributes)
        if tag == "img":
            piece = self._linked(shown)
            words = " ".join(attributes.get("alt", "").split())
            source = attributes.get("src", "").strip()
            if source:
                frame.pictures.append(Part("image", [Run(words, Style())], source=source, piece=piece))
            return
        if tag == "input":
            if text := value_of(attributes):
                space = Run(" ", self._style)
                frame.runs += [space, Run(text, self._style, "", self._linked(shown)), space]
            return
        if tag in PRINTED_VOID:
            self._out.append(shown)
        if tag == "base" and not self._base:
            self._base = attributes.get("href", "")
        if tag == "br":
            self._add(Run(BREAK, self._style))
        elif tag == "hr":
            self._flush()

    def _end_raw(self, raw: Raw) -> None:
        """An element is over whose content is no text of the document, or not as it stands."""
        frame = self._frames[-1]
        match raw.tag:
            case "title":
                self.title = self.title or " ".join(raw.text.split())
            case "style":
                self._out.append(f"<style>{raw.text}</style>")
            case "svg":
                piece = self._linked(raw.shown)
                frame.pictures.append(Part("image", [Run(" ".join(raw.text.split()), Style())], piece=piece))
            case "select" | "textarea":
                piece = self._linked(raw.shown)
                lines = raw.text.strip().split("\n") if raw.tag == "textarea" else [" ".join(raw.text.split())]
                for number, line in enumerate(lines):
                    frame.runs.append(Run(BREAK if number else " ", self._style))
                    frame.runs.append(Run(line, self._style, "", piece))
                frame.runs.append(Run(" ", self._style))
            case "math" if raw.math is not None:
                self._formula(raw.math)

    def _formula(self, node: Node) -> None:
        text = linear(node)
        if not text:
            return
        run = Run(text, self._style, self._link, self._linked(escape(text)))
        if node.attributes.get("display") != "block":
            self._add(run)
            return
        self._flush()
        self._frames[-1].parts.append(Part("formula", [run], latex=latex(node)))

    def _end_ruby(self) -> None:
        """A text whose reading is printed above it: `東京(とうきょう)`."""
        readings, self._readings, self._in_reading = self._readings or [], None, False
        shown = [number for number, run in enumerate(readings) if run.text.strip()]
        if not shown:
            return
        readings = readings[shown[0] : shown[-1] + 1]  # each keeps its piece, and so its place on the page
        readings[0] = replace(readings[0], text=f"({readings[0].text.lstrip()}")
        readings[-1] = replace(readings[-1], text=f"{readings[-1].text.rstrip()})")
        self._frames[-1].runs += readings

    def _quote(self, sign: str) -> None:
        self._add(Run(sign, self._style, self._link, self._linked(sign)))

    # --- Text

    def _take_text(self) -> None:
        """The text since the last tag, in pieces."""
        if not self._text:
            return
        text = "".join(self._text)
        self._text.clear()
        for chunk in chunks(text, _LONGEST_PIECE):
            if chunk.isspace():
                self._out.append(chunk)
                self._add(Run(chunk, self._style, self._link, -1))
                continue
            lines = chunk.replace("\r\n", "\n").split("\n") if self._keeps_space else [chunk]
            for number, line in enumerate(lines):
                if number:
                    self._out.append("\n")
                    self._add(Run(BREAK, self._style))
                if line:
                    self._add(Run(line, self._style, self._link, self._linked(escape(line, quote=False))))

    def _add(self, run: Run) -> None:
        if self._in_reading and self._readings is not None:
            self._readings.append(run)
        else:
            self._frames[-1].runs.append(run)

    def _linked(self, shown: str) -> int:
        """Print something as the next piece; its number."""
        piece = self.count
        self.count += 1
        if is_placed(piece):
            shown = f'<a href="{SCHEME}{piece}">{shown}</a>'
        self._out.append(shown)
        return piece

    def _flush(self) -> None:
        """The open text is a paragraph."""
        frame = self._frames[-1]
        runs, frame.runs = frame.runs, []
        if any(run.text.strip() for run in runs):
            item = frame.items[-1] if frame.items else None
            if item is not None and frame.parts and frame.parts[-1] is item:
                item.runs += [*([Run(BREAK, Style())] if item.runs else []), *runs]
            elif frame.heading:
                frame.parts.append(Part("heading", runs, level=frame.heading))
            else:
                frame.parts.append(Part("code" if frame.is_code else "text", runs))
        if frame.pictures:
            frame.parts += frame.pictures
            frame.pictures = []

    def _target(self, address: str) -> str:
        address = address.strip()
        if not address or address.startswith("#"):
            return ""
        try:
            target = urljoin(self._base, address) if self._base else address
        except ValueError:
            return ""
        return target if leads_to_web(target) else ""
