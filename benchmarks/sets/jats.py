"""What a published article says, from its JATS XML (https://jats.nlm.nih.gov), as its pages show it.

The XML says what is a heading, a paragraph, a table; the pages say where floats and notes stand, how headings are
numbered, which headings run into their paragraph, and what of the XML is not shown at all.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from xml.etree import ElementTree

from benchmarks.sets import truth
from benchmarks.sets.documents import Block, Cell, Formula, Heading, Listing, Paragraph, Run, Table
from benchmarks.sets.shown import Pages, Place, letters

Element = ElementTree.Element

_PROOF = 32
"""Letters in a row that prove that a text is shown."""
_PLACES = "Author details"
"""What publishers print over the authors' places at the end of an article; the XML does not say so."""
_ENTRY = 900
"""Letters that an entry of the literature takes at most."""
_SILENT = {
    *("tex-math", "object-id", "institution-id", "alternatives", "graphic", "media", "supplementary-material"),
    *("fn", "label"),
}
_NAMES = {"surname", "given-names", "name", "string-name", "year", "article-title", "source", "volume"}
"""Parts of a citation that nothing may stand between."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A block, where it stands, whether it is of the text that runs on, and whether a float as wide as the page."""

    block: Block
    at: int
    running: bool = False
    wide: bool = False


def markdown(xml: bytes, pages: Pages) -> str:
    """The article's truth."""
    article = ElementTree.fromstring(xml)
    body = _Walk(pages)
    for section in article.iterfind("body"):
        body.walk(section, 2)
    flow = _running(body.found)
    for part in (*_front(article, pages), *body.floats, *_back(article, pages, body.at)):
        if new := [each for each in part if not _stands(each, flow)]:
            here = (n for n, each in enumerate(flow) if _follows(pages, each, new[0]))
            flow[(n := next(here, len(flow))) : n] = new
    return truth.markdown(each.block for each in flow)


def _stands(shown: Shown, flow: list[Shown]) -> bool:
    """Whether `flow` has it already: what the XML says in the abstract and in the body, a page may show once."""
    same = (each.block for each in flow if each.at == shown.at)
    return any(truth.markdown([block]).lstrip("# ") == truth.markdown([shown.block]).lstrip("# ") for block in same)


def _running(text: list[Shown]) -> list[Shown]:
    return [replace(each, running=True) for each in text]


def _pieces(part: list[Shown], pages: Pages) -> Iterator[list[Shown]]:
    """What `part` has on each page: the last note of an abstract may be shown at the end of the article."""
    for _, piece in groupby(part, key=lambda each: _place(pages, each).page):
        yield list(piece)


def _follows(pages: Pages, flowing: Shown, shown: Shown) -> bool:
    """Whether the page shows `flowing` behind `shown`; what is as wide as the page stands under both its columns.

    Running text is painted in its order, also where new columns begin in the middle of a page.
    """
    if flowing.running and shown.running:
        return flowing.at > shown.at
    one, other = _place(pages, flowing), _place(pages, shown)
    if one.page == other.page and shown.wide:
        return one.down > other.down
    return one > other


class _Walk:
    """The blocks of a part of the article in their order, floats apart."""

    def __init__(self, pages: Pages, at: int = 0) -> None:
        self.pages = pages
        self.at = at
        self.found: list[Shown] = []
        self.floats: list[list[Shown]] = []
        self._lead = ""

    def walk(self, parent: Element, level: int) -> None:
        """All that `parent` has, headings of `level`."""
        for child in parent:
            match child.tag:
                case "sec" | "abstract" | "trans-abstract" | "ack" | "app" | "notes" | "glossary" | "ref-list":
                    self.walk(child, level + 1)
                case "title":
                    self._heading(_said(child), _next(parent, child), level - 1)
                case "p":
                    self._paragraph(child, _next(parent, child), level)
                case "list":
                    self._list(child)
                case "disp-formula":
                    self.found.append(Shown(Formula(_said(child) or "x"), self.at))
                case "disp-formula-group" | "app-group" | "statement" | "fn-group" | "fig-group" | "fn":
                    self.walk(child, level)
                case "disp-quote" | "def-list" | "def-item" | "def":
                    self.walk(child, level)
                case "boxed-text":
                    self._box(child, level)
                case "ref":
                    self._entry(child)
                case "fig" | "table-wrap":
                    self._float(child)
                case "term":
                    self._lead = _said(child)

    def say(self, text: str) -> None:
        """A paragraph, where it is shown."""
        at = _proof(self.pages, text, self.at)
        if at is not None:
            self.at = max(self.at, at)
            self.found.append(Shown(Paragraph((Run(text),)), at))

    def _heading(self, title: str, after: str, level: int) -> None:
        shown = self.pages.heading(title, after, self.at)
        if shown:
            self.at = max(self.at, shown[0])
            self.found.append(Shown(Heading(shown[1], min(level, 6)), shown[0]))
        elif self.pages.find(title, self.at) is not None:
            self._lead = title

    def _paragraph(self, paragraph: Element, after: str, level: int) -> None:
        """Its words; formulas, lists and floats that stand in it part it.

        What is bold at its beginning and fills a line of its own is shown as a heading, as those of notes are.
        """
        lead, self._lead = self._lead, ""
        words = f"{lead} {paragraph.text or ''}"
        children = list(paragraph)
        if children and children[0].tag == "bold" and not words.strip():
            title = _said(children[0])
            headed = self.pages.headed(title, _said(paragraph)[len(title) :] or after)
            if headed:
                self.at = max(self.at, headed[0])
                self.found.append(Shown(Heading(headed[1], min(level, 6)), headed[0]))
                words = children.pop(0).tail or ""
        for child in children:
            if child.tag in {"disp-formula", "list", "fig", "table-wrap", "boxed-text", "disp-quote", "fig-group"}:
                self.say(_squeezed(words))
                words = ""
                holder = ElementTree.Element("p")
                holder.append(child)
                self.walk(holder, 6)
            else:
                words += "".join(_texts(child))
            words += child.tail or ""
        self.say(_squeezed(words))

    def _list(self, listing: Element) -> None:
        items = [_squeezed(" ".join(_said(part) for part in item)) for item in listing.iterfind("list-item")]
        ordered = listing.get("list-type") == "order"
        at = _proof(self.pages, items[0], self.at) if items else None
        if at is not None:
            self.at = max(self.at, at)
            self.found.append(Shown(Listing(tuple(items), ordered), at))

    def _box(self, box: Element, level: int) -> None:
        """What stands in a frame; its title is a heading, or a line of text behind its number."""
        title = box.find("caption/title")
        if title is not None:
            self._heading(_said(title), _next(box, title), level)
            lead, self._lead = self._lead, ""
            self.say(_squeezed(f"{_label(box)} {lead}") if lead else "")
        self.walk(box, level + 1)

    def _entry(self, reference: Element) -> None:
        """One of the literature, its parts in the order in which they are shown."""
        label = _label(reference)
        for citation in reference:
            if citation.tag in {"mixed-citation", "citation", "nlm-citation"}:
                self.say(_squeezed(f"{label} {_said(citation)}"))
            elif citation.tag == "element-citation":
                said = self._cited(citation)
                if said:
                    self.found.append(Shown(Paragraph((Run(f"{label} {said}".strip()),)), self.at))

    def _cited(self, citation: Element) -> str:
        """The parts of a citation that are shown close to its longest one, in that order; its numbers end it."""
        parts = list(_citation(citation))
        middle = self.pages.find(max((max(ways, key=len) for ways in parts), key=len, default=""), self.at)
        if middle is None:
            return ""
        since = max(self.at, middle - _ENTRY // 2)
        near: list[tuple[int, str]] = []
        for ways in parts:
            spots = ((self.pages.find(way, since), way) for way in ways)
            near += [(at, way) for at, way in spots if at is not None and since <= at < middle + _ENTRY][:1]
        self.at = max(self.at, middle)
        return " ".join([*(part for _, part in sorted(near)), _numbers(citation)]).strip()

    def _float(self, element: Element) -> None:
        """Its caption, table and notes, at the place of the caption."""
        inner = _Walk(self.pages)
        caption = element.find("caption")
        words = " ".join(_said(part) for part in (caption if caption is not None else ()))
        inner.say(_squeezed(f"{_label(element)} {words}"))
        at = inner.found[0].at if inner.found else None
        for table in element.iter("table"):
            block = _table(table)
            first = next((cell.text for row in block.rows for cell in row if len(letters(cell.text)) > 2), "")
            where = at if at is not None else self.pages.find(first)
            if block.rows and where is not None and _mostly(block, self.pages):
                inner.found.append(Shown(block, where))
        for foot in element.iterfind("table-wrap-foot"):
            for note in (*foot.iterfind(".//p"), *foot.iterfind("attrib")):
                inner.say(_said(note))
        if inner.found:
            at = inner.found[0].at
            wide = self.pages.wide(at, len(letters(f"{_label(element)} {words}")))
            self.floats.append([Shown(each.block, at, wide=wide) for each in inner.found])


def _front(article: Element, pages: Pages) -> Iterator[list[Shown]]:
    """What stands above the title, the title, authors, places, abstract, keywords and notes, each apart."""
    meta = article.find("front/article-meta")
    if meta is None:
        return
    names = [*_authors(meta)]
    first = names[0][0] if names else ""
    start = 0
    for title in (*meta.iterfind("title-group/article-title"), *meta.iterfind("title-group/subtitle")):
        at, text = pages.heading(_said(title), first, start) or (_proof(pages, _said(title), start), _said(title))
        if at is None:
            continue
        if title.tag == "article-title":
            yield [Shown(Paragraph((Run(_spaced(line, meta)),)), at) for line in pages.above(at)]
        yield [Shown(Heading(text), at)]
        start = at
    at = pages.find(first, start) if names else None
    if at is not None:
        yield [Shown(Paragraph((Run(", ".join(f"{name}{marks}" for name, marks in names)),)), at)]
    for place in (*meta.iterfind("aff"), *meta.iterfind("contrib-group/aff"), *meta.iterfind("author-notes/*")):
        walk = _Walk(pages)
        if headed := pages.headed(_PLACES, f"{_label(place)} {_said(place)}"):
            walk.found.append(Shown(Heading(headed[1], 2), headed[0]))
        walk.say(_squeezed(f"{_label(place)} {_said(place)}"))
        yield walk.found
    for abstract in meta.iterfind("abstract"):
        walk = _Walk(pages)
        begins = _said(next(abstract.iter("p"), None))
        if abstract.find("title") is None and (shown := pages.heading("Abstract", begins)):
            walk.found.append(Shown(Heading(shown[1], 2), shown[0]))
        walk.walk(abstract, 3)
        yield from _pieces(walk.found, pages)
    for group in meta.iterfind("kwd-group"):
        words = [_said(word) for word in group.iterfind("kwd")]
        at = pages.find("".join(words[:3]))
        if at is not None:
            yield [Shown(Paragraph((Run("Keywords: " + ", ".join(words)),)), at)]
    for said in meta.iterfind("permissions/license/license-p"):
        walk = _Walk(pages)
        walk.say(_said(said))
        yield walk.found


def _spaced(line: str, meta: Element) -> str:
    """A line above the title, the kind of article as the XML writes it: letters set apart look like words."""
    for kind in map(_said, meta.iterfind("article-categories/subj-group/subject")):
        if letters(line).startswith(letters(kind)):
            end = next(n for n in range(len(line) + 1) if letters(line[:n]) == letters(kind))
            return f"{kind.upper() if line[:end].isupper() else kind}{line[end:]}"
    return line


def _back(article: Element, pages: Pages, at: int) -> Iterator[list[Shown]]:
    for part in article.iterfind("back/*"):
        walk = _Walk(pages, at)
        if part.tag == "ref-list" and part.find("title") is None and (shown := pages.heading("References", "", at)):
            walk.found.append(Shown(Heading(shown[1], 2), shown[0]))
        holder = ElementTree.Element("back")
        holder.append(part)
        walk.walk(holder, 2)
        found = _running(walk.found)
        yield from [found] if part.tag == "ref-list" else _pieces(found, pages)
        yield from walk.floats
    for group in article.iterfind("floats-group"):
        walk = _Walk(pages)
        walk.walk(group, 2)
        yield from walk.floats


def _authors(meta: Element) -> Iterator[tuple[str, str]]:
    for contributor in meta.iterfind("contrib-group/contrib"):
        name = contributor.find("name")
        if name is not None:
            parts = (name.findtext(tag, "") for tag in ("given-names", "surname"))
            yield " ".join(parts).strip(), ",".join(_said(mark) for mark in contributor.iterfind("xref"))


def _citation(citation: Element) -> Iterator[list[str]]:
    """The parts of a citation, each in the ways in which it may be shown."""
    for name in citation.iter("name"):
        family, given = (name.findtext(tag, "") for tag in ("surname", "given-names"))
        yield [f"{family} {given}".strip(), f"{given} {family}".strip()]
    for tag in ("year", "article-title", "chapter-title", "source", "publisher-name", "publisher-loc", "comment"):
        if said := _said(citation.find(tag)):
            yield [said]


def _numbers(citation: Element) -> str:
    volume, issue, first, last = (citation.findtext(tag, "") for tag in ("volume", "issue", "fpage", "lpage"))
    return volume + (f"({issue})" if issue else "") + (f":{first}" if first else "") + (f"-{last}" if last else "")


def _table(table: Element) -> Table:
    rows = [
        tuple(
            Cell(_said(cell), int(cell.get("colspan") or 1), int(cell.get("rowspan") or 1))
            for cell in row
            if cell.tag in {"td", "th"}
        )
        for row in table.iter("tr")
    ]
    heads = sum(1 for head in table.iterfind("thead") for _ in head.iter("tr"))
    return Table(tuple(row for row in rows if row), heads)


def _mostly(table: Table, pages: Pages) -> bool:
    """Whether the table is shown as text, not as a picture."""
    said = [cell.text for row in table.rows for cell in row if letters(cell.text)]
    return sum(letters(text)[:_PROOF] in pages.letters for text in said) * 2 > len(said)


def _next(parent: Element, title: Element) -> str:
    """What follows a heading: a paragraph, or the next heading."""
    inside = list(parent.iter())
    return next((_said(each) for each in inside[inside.index(title) + 1 :] if each.tag in {"p", "title"}), "")


def _place(pages: Pages, shown: Shown) -> Place:
    return pages.place(shown.at)


def _proof(pages: Pages, text: str, since: int) -> int | None:
    """Where a text begins, if its beginning, its end or its middle is shown."""
    said = letters(text)
    if len(said) <= _PROOF:
        return pages.find(said, since) if said else None
    middle = len(said) // 2
    for start in (0, middle, len(said) - _PROOF):
        at = pages.find(said[start : start + _PROOF], since)
        if at is not None:
            return at if at < since else max(at - start, since)
    return None


def _label(element: Element) -> str:
    return _said(label) if (label := element.find("label")) is not None else ""


def _said(element: Element | None) -> str:
    return "" if element is None else _squeezed("".join(_texts(element, top=True)))


def _texts(element: Element, top: bool = False) -> Iterator[str]:
    """Its words; of formulas those that are shown."""
    if element.tag in _SILENT and not top:
        for maths in element.iter():
            if maths.tag.endswith("}math"):
                yield "".join(maths.itertext())
        return
    yield element.text or ""
    for child in element:
        yield from _texts(child)
        if child.tag in {"p", "title", "institution", "break"} or (child.tag in _NAMES and not child.tail):
            yield " "
        yield child.tail or ""


def _squeezed(text: str) -> str:
    return " ".join(text.split())
