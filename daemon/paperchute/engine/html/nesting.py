"""Boxes within boxes: how much work the layout of a document would be, and the deepest made plain blocks.

PlutoBook lays some boxes out twice, to measure them and to place them, and so with each such box around another the
time doubles: 452 bytes of tables take it hours. What could be such a box is counted before it sees the document. Any
boxes cost it the more, the more of them stand open where a page ends: 560 take half a second, 800 half a minute.
"""

from __future__ import annotations

import binascii
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple
from urllib.parse import unquote_to_bytes, urljoin

from paperchute.engine import report
from paperchute.engine.html.encoding import decode
from paperchute.language import _

FLAT = "data-paperchute-flat"
PLAIN_BLOCKS = f"[{FLAT}],[{FLAT}] *{{display:block!important;columns:auto!important;float:none!important}}"
"""A style sheet of the user's, which goes before all that the document says."""

_TAGS = {"table": 1.0, "svg": 1.0, "fieldset": 0.25}
"""How often its content's time doubles with each of these around it, as measured; and what style sheets make of any."""
_STYLES = (
    (re.compile(r"display:[^;]*(?:table|inherit|var\()|all:[^;]*inherit"), 1.0),
    (re.compile(r"flex-(?:direction|flow):[^;]*(?:column|inherit|var\()"), 2.0),
    (re.compile(r"columns?(?:-count|-width)?:"), 2.0),
    (re.compile(r"float:[^;]*(?:left|right|inherit|var\()"), 1.5),
)
_LIGHT = 8.0  # doublings that no document is looked at for
_DEEPEST = 64
_MOST_WORK, _MOST_WORK_EACH = 1 << 20, 1000
"""Boxes laid out again: a second, and a millisecond for each element. Newsletters with tables eight deep stay far
below."""
_MOST_SHEETS = 200
_MOST_OPEN = 256
"""Elements around another; browsers stop at 512. What stands deeper begins a line of its own instead."""

_BOX = re.compile(rf"<(?:{'|'.join(_TAGS)})\b", re.IGNORECASE)
_INLINE_STYLE = re.compile(r"\bstyle\s*=[^>]*(?:display|all|flex|column|float|\\)", re.IGNORECASE)
_TAG = re.compile(r"<(/?)([A-Za-z][^\s/>]*)([^>]*)>?")
_STYLE_ELEMENT = re.compile(r"<style\b[^>]*>(.*?)(?:</style|\Z)", re.IGNORECASE | re.DOTALL)
_LINK = re.compile(r"<link\b[^>]*>", re.IGNORECASE)
_BASE = re.compile(r"<base\b[^>]*>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""([^\s"'<>/=]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))""")
_IMPORT = re.compile(r"""@import\s+(?:url\(\s*)?["']?([^"')\s;]+)""", re.IGNORECASE)
_NOISE = re.compile(r"""/\*.*?(?:\*/|\Z)|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'""", re.DOTALL)
_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})\s?|(.))")
_RULE = re.compile(r"([^{}]*)\{([^{}]*)\}")
_LAST = re.compile(r"(\*|[\w-]+)?((?:[.#][\w-]+)*)(?:\[[^\]]*\])*(?:::?[\w-]+(?:\([^()]*\))?)*\Z")
_NAMED = re.compile(r"([.#])([\w-]+)")

_VOID = frozenset(
    ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"]
)
_RAW = frozenset(("script", "style"))
_WALLS = frozenset(["table", "td", "th", "caption", "marquee", "object", "template", "applet"])
"""No end tag but that of a table's part ends an element outside of the innermost of these (WHATWG HTML 13.2.4.2)."""
_PARTS = frozenset(["table", "tbody", "thead", "tfoot", "tr", "td", "th", "caption"])
_INLINE = frozenset(
    "a b big code em font i nobr s small strike strong tt u span label abbr cite q sub sup time var kbd samp mark ins "  # noqa: SIM905
    "del form option".split()
)
"""Their end tags end no other element."""
_BLOCKS = frozenset(
    "address article aside blockquote center dd details dialog dir div dl dt fieldset figcaption figure footer form "  # noqa: SIM905
    "h1 h2 h3 h4 h5 h6 header hgroup hr li listing main menu nav ol p pre search section summary table ul xmp".split()
)
"""Before them a paragraph ends (WHATWG HTML 13.2.6.4.7)."""
_ENDED = {"li": ("li",), "td": ("td", "th"), "th": ("td", "th"), "tr": ("tr",), "option": ("option",)}
"""What a start tag ends where that stands open."""
_LISTS = frozenset(("ul", "ol"))
_KEPT = _VOID | _RAW | {"a"}
"""What holds nothing to lay out, and links, of which none stands in another: they stay however deep they are."""
_ITEMS = (_BLOCKS | _WALLS | {"body", "button", "select"}) - {"address", "div", "p", "li"}
"""An item of a list ends no item outside of the innermost of these."""
_COUNTED = re.compile(rf"<(/?)(?!(?:{'|'.join((*_VOID, *_ENDED, 'p'))})\b)[a-z]", re.IGNORECASE)
"""Tags of what can stand in itself. Of all others there is at most one for each of these around it."""


class _Element(NamedTuple):
    """A start tag: where its name stands and where it ends, the name, and what it stands in.

    weight: how often the time of what it holds doubles, with all around it. depth: how many elements are around it.
    """

    place: int
    end: int
    tag: str
    weight: float
    depth: int


def flattened(html: str, base: str, fetched: Callable[[str], str]) -> str:
    """Mark what is nested too deeply with `FLAT`; the document as it is where nothing is.

    Args:
        html: The document.
        base: Its address.
        fetched: Gives the style sheet at an address, empty for none.
    """
    sheets = _Sheets(html, base, fetched)
    has_boxes = sheets.change_boxes or _INLINE_STYLE.search(html) or len(_BOX.findall(html)) > _LIGHT
    if not has_boxes and not _may_be_deep(html):
        return html
    elements = list(_elements(html, sheets))
    heavy = _heavy(elements) if any(element.weight > _LIGHT for element in elements) else set()
    lost = {one.place for one in elements if one.depth >= _MOST_OPEN and one.tag not in _KEPT}
    if lost:
        report.warn(_("What is nested more than {depth} deep is set as plain text.", depth=_MOST_OPEN))
    pieces, last = [], 0
    for place, end, tag, _weight, _depth in elements:
        if place in lost:
            before = html[last : place - 1]
            pieces += [before, "<br>" if before.strip() else ""]  # no lines of nothing, which would fill pages
            last = end
        elif place in heavy:
            shown = {"svg": "g", "fieldset": "div"}.get(tag, html[place : place + len(tag)])
            pieces += [html[last:place], shown, f" {FLAT}"]
            last = place + len(tag)
    return "".join([*pieces, html[last:]])


def _may_be_deep(html: str) -> bool:
    """Decide by tags alone whether elements could stand deeper than `_MOST_OPEN`."""
    depth = 0
    for found in _COUNTED.finditer(html):
        depth = max(depth - 1, 0) if found[1] else depth + 1
        if depth > _MOST_OPEN // 2:
            return True
    return False


def _heavy(elements: Sequence[_Element]) -> set[int]:
    """Return the places of elements that are set plain, so that what is left takes a bounded time, and warn of them."""
    most = _MOST_WORK + _MOST_WORK_EACH * len(elements)
    depths = Counter(min(int(element.weight), _DEEPEST) for element in elements)
    deepest = _DEEPEST
    while deepest > 1 and sum(count << min(depth, deepest) for depth, count in depths.items()) > most:
        deepest -= 1
    heavy = {element.place for element in elements if element.weight >= deepest + 1}
    if heavy:
        report.warn(_("Tables and columns nested more than {depth} deep are set as plain text.", depth=deepest))
    return heavy


class _Sheets:
    """What the style sheets of a document make of its elements."""

    def __init__(self, html: str, base: str, fetched: Callable[[str], str]) -> None:
        self._weights: dict[str, float] = {}  # by `name`, `.class`, `#id`, or `*`
        self._left = _MOST_SHEETS
        self._fetched = fetched
        if found := _BASE.search(html):
            base = urljoin(base, _attributes(found[0]).get("href", ""))
        for sheet in _STYLE_ELEMENT.findall(html):
            self._read(sheet, base)
        for link in _LINK.findall(html):
            attributes = _attributes(link)
            if "stylesheet" in attributes.get("rel", "").lower():
                self._follow(attributes.get("href", ""), base)

    @property
    def change_boxes(self) -> bool:
        """Whether any of them makes boxes that take time."""
        return bool(self._weights)

    def weight(self, tag: str, attributes: str) -> float:
        """Return how often the time of what an element holds doubles, at most."""
        weight = _TAGS.get(tag, 0.0)
        if self._weights:
            weight += self._weights.get("*", 0.0) + self._weights.get(tag, 0.0)
        if "=" in attributes and (self._weights or "style" in attributes.lower()):
            given = _attributes(attributes)
            weight += _weight_of(_plain(given.get("style", "")))
            names = [f".{name}" for name in given.get("class", "").split()] + [f"#{given.get('id', '')}"]
            weight += sum(self._weights.get(name.lower(), 0.0) for name in names)
        return weight

    def _read(self, sheet: str, base: str) -> None:
        for address in _IMPORT.findall(sheet):
            self._follow(address, base)
        for selectors, body in _RULE.findall(_plain(sheet)):
            if weight := _weight_of(body):
                for selector in selectors.split(","):
                    for key in _keys(selector.strip()):
                        self._weights[key] = max(weight, self._weights.get(key, 0.0))

    def _follow(self, address: str, base: str) -> None:
        self._left -= 1
        if not address or self._left < 0:
            return
        if address[:5].lower() == "data:":
            self._read(_inline(address), base)
        else:
            try:
                there = urljoin(base, address)
            except ValueError:
                return
            self._read(self._fetched(there), there)


def _elements(html: str, sheets: _Sheets) -> Iterator[_Element]:
    """Each element, in order.

    Never less than a parser of HTML would find: where that is not plain, elements stand in one another.
    """
    stack: list[tuple[str, float]] = []
    is_open: Counter[str] = Counter()
    place = 0
    while found := _TAG.search(html, place):
        place = found.end()
        tag = found[2].lower()
        if found[1]:
            _end(tag, stack, is_open)
            continue
        if tag in _BLOCKS:
            _end("p", stack, is_open)
        for ended in _ENDED.get(tag, ()):
            _end(ended, stack, is_open, _ITEMS if tag == "li" else None)
        weight = (stack[-1][1] if stack else 0.0) + sheets.weight(tag, found[3])
        yield _Element(found.start(2), found.end(), tag, weight, len(stack))
        if tag in _RAW and not (is_open["svg"] or is_open["math"]):
            end = re.compile(rf"</{tag}", re.IGNORECASE).search(html, place)
            place = end.start() if end else len(html)
        elif tag not in _VOID:
            stack.append((tag, weight))
            is_open[tag] += 1


def _end(tag: str, stack: list[tuple[str, float]], is_open: Counter[str], walls: frozenset[str] | None = None) -> None:
    """Take the innermost element of that name, and what stands open in it, from the stack; where a parser would.

    walls: within which it must be; None for those of end tags.
    """
    if not is_open[tag]:
        return
    if tag in _INLINE:
        if stack[-1][0] == tag:
            is_open[stack.pop()[0]] -= 1
        return
    walls = walls or _walls_of(tag)
    for number in range(len(stack) - 1, -1, -1):
        name = stack[number][0]
        if name == tag:
            for ended, _weight in stack[number:]:
                is_open[ended] -= 1
            del stack[number:]
            return
        if name in walls:
            return


def _walls_of(tag: str) -> frozenset[str]:
    """Return the elements that an end tag looks no further than."""
    if tag in _PARTS:
        return frozenset(["table"])
    return _WALLS | _LISTS if tag == "li" else _WALLS | {"button"} if tag == "p" else _WALLS


def _attributes(tag: str) -> dict[str, str]:
    """The attributes of a start tag; of two of one name both, since which counts is the parser's."""
    found: dict[str, str] = {}
    for name, double, single, bare in _ATTRIBUTE.findall(tag):
        found[name.lower()] = f"{found.get(name.lower(), '')} {double or single or bare}".strip()
    return found


def _plain(css: str) -> str:
    """A style sheet without comments and strings, escapes resolved, in small letters, without space before values."""
    css = _ESCAPE.sub(_unescaped, _NOISE.sub('""', css)).lower()
    return re.sub(r"\s*:\s*", ":", css)


def _unescaped(found: re.Match[str]) -> str:
    if found[1]:
        code = int(found[1], 16)
        return chr(code) if 0 < code < 0x110000 else "?"
    return found[2]


def _weight_of(body: str) -> float:
    return sum(weight for pattern, weight in _STYLES if pattern.search(body))


def _keys(selector: str) -> Iterator[str]:
    """By what elements are known that a selector may mean; `*` for any."""
    last = re.split(r"[\s>+~]+", selector)[-1] if selector else ""
    found = _LAST.match(last)
    if found is None or not last:
        yield "*"
        return
    names = _NAMED.findall(found[2])
    yield "".join(names[-1]) if names else found[1] or "*"


def _inline(address: str) -> str:
    """The style sheet that a data: address holds."""
    head, _comma, content = address[5:].partition(",")
    raw = unquote_to_bytes(content)
    if head.lower().endswith(";base64"):
        try:
            raw = binascii.a2b_base64(raw)
        except (binascii.Error, ValueError):
            return ""
    return decode(raw)
