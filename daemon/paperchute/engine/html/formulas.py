"""Formulas of pages (MathML) as HTML: PlutoBook lays out none, and prints a half as `12`."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape
from html.parser import HTMLParser
from itertools import accumulate

from paperchute.engine import report
from paperchute.engine.document.formulas import FormulaBuilder, Node, drawn, fence, linear, scripts
from paperchute.engine.html import formula_boxes as boxes
from paperchute.engine.html.formula_boxes import SMALLER, Box, Cell, beside, element, em
from paperchute.language import _, ngettext

_FORMULA = re.compile(r"<math\b", re.IGNORECASE)
_BREAKS = re.compile(r"(?<=.)[-+=/,)]", re.DOTALL)
_NAME = re.compile(r"[^\W\d_]{2,}")
_COLOUR = re.compile(r"#?\w{1,30}")
_LENGTH = re.compile(r"\s*(-?(?:\d{1,3}(?:\.\d{0,4})?|\.\d{1,4}))(?:em)?\s*\Z")
_DEEPEST = 16  # boxes inside of each other
_WIDEST = 34.0  # em: what fits between the margins of A4, at 12 points
_MOST_NAMED, _LONGEST_NAME = 5, 40  # in a warning
_RELATIONS = re.compile("[=<>≤≥≠≈≡∼≅∝≪≫≺≻⊂⊃⊆⊇∈∉∋⊥∥∣←-⇿⟵-⟿:≔≝⊢⊨]|[=<>:!]=")
_BINARY = re.compile("[-+−±∓×÷·⋅∗*∘∪∩∧∨⊕⊗⊖∖∙•†]")
_RELATION_ROOM, _BINARY_ROOM, _THIN = 0.28, 0.22, 0.17
"""At both sides of operators, and behind commas and names: 5, 4 and 3 of the eighteenths that MathML Core has."""
_SUMS = frozenset("∑∏∐⋃⋂⨁⨂⋁⋀⨆")
_INTEGRALS = frozenset("∫∬∭∮∯∰")
_OPENING, _CLOSING, _NEITHER = frozenset("([{⟨⌈⌊⟦"), frozenset(")]}⟩⌉⌋⟧"), frozenset("|‖∥∣")
_BEHIND = _CLOSING | _NEITHER | {"!", "%", "′"}
_COMBINING = {"^": "\u0302", "ˆ": "\u0302", "~": "\u0303", "˜": "\u0303", "˙": "\u0307", "¨": "\u0308", "´": "\u0301"}
_PLAIN_ROWS = frozenset({"mrow", "mstyle", "semantics"})
_ROWS = _PLAIN_ROWS | {"math", "merror", "mpadded", "mtd"}
_LEAVES = frozenset({"mi", "mn", "mo", "mtext", "ms", "none"})
_SCRIPTS = frozenset({"msub", "msup", "msubsup"})
_LIMITS = frozenset({"munder", "mover", "munderover"})
_ALPHABETS = {
    "double-struck": ("MATHEMATICAL DOUBLE-STRUCK", "DOUBLE-STRUCK"),
    "script": ("MATHEMATICAL SCRIPT", "SCRIPT"),
    "fraktur": ("MATHEMATICAL FRAKTUR", "BLACK-LETTER"),
}
_ALIGNED = frozenset({"left", "right", "center"})
_LOOKS = (
    "font-family:serif;font-style:normal;line-height:1;letter-spacing:normal;word-spacing:normal;text-indent:0;"
    "text-transform:none;white-space:normal;direction:ltr;unicode-bidi:isolate"
)
"""Of all formulas: a font whose heights are known."""


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a part stands. level: how often it is smaller. is_display: on lines of its own. depth: boxes around it."""

    level: int = 0
    is_display: bool = False
    depth: int = 0

    @property
    def inner(self) -> _Place:
        """One box further in."""
        return replace(self, depth=self.depth + 1)

    @property
    def script(self) -> _Place:
        """Of scripts."""
        return _Place(self.level + 1, False, self.depth + 1)

    @property
    def smaller(self) -> float:
        """The size of scripts here: what is smaller than those of scripts nobody reads."""
        return SMALLER if self.level < 2 else 1.0

    def styled(self, node: Node) -> _Place:
        """The place of what stands in an element that may say how it is set."""
        style = node.attributes.get("displaystyle")
        return self if style is None else replace(self, is_display=style == "true")


class _Unknown(Exception):
    """What stands in a formula cannot be laid out; what it is."""


def with_formulas(html: str) -> str:
    """Lay out the formulas of a document. Those that cannot be are written in a line, which is a warning."""
    if not _FORMULA.search(html):
        return html
    reader = _Reader(html)
    reader.feed(html)
    reader.close()
    pieces, last, missed = [], 0, []
    for start, end, node in reader.found:
        try:
            place = _Place(is_display=node.attributes.get("display") == "block").styled(node)
            shown = _row(drawn(node), place, breaks=True).html
        except _Unknown as error:
            missed.append(str(error))
            shown = _BREAKS.sub(r"\g<0><wbr>", escape(linear(node)))
        pieces += [html[last:start], _outer(node, shown)]
        last = end
    if missed:
        names = ", ".join(sorted(set(missed))[:_MOST_NAMED])
        report.warn(
            ngettext(
                "{n} formula is printed in one line, since this engine does not lay out {names}.",
                "{n} formulas are printed in one line each, since this engine does not lay out {names}.",
                len(missed),
                names=names,
            )
        )
    return "".join([*pieces, html[last:]])


class _Reader(HTMLParser):
    """found: where each formula begins and ends in the document, and what it is."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[tuple[int, int, Node]] = []
        self._lines = [0, *accumulate(len(line) + 1 for line in html.split("\n"))]
        self._html = html
        self._builder: FormulaBuilder | None = None
        self._start = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """See HTMLParser."""
        if tag == "math" and self._builder is None:
            self._builder, self._start = FormulaBuilder(), self._place()
        if self._builder is not None:
            self._builder.start(tag, {name: value or "" for name, value in reversed(attrs)})

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """See HTMLParser; within formulas, elements that end at once are known."""
        self.handle_starttag(tag, attrs)
        if self._builder is not None:
            self.handle_endtag(tag)

    def handle_data(self, data: str) -> None:
        """See HTMLParser."""
        if self._builder is not None:
            self._builder.data(data)

    def handle_endtag(self, tag: str) -> None:
        """See HTMLParser."""
        if self._builder is not None:
            self._builder.end(tag)
            if tag == "math":
                self._take(self._html.find(">", self._place()) + 1 or len(self._html))

    def close(self) -> None:
        """The end of the document, which ends a formula, too."""
        super().close()
        self._take(len(self._html))

    def _take(self, end: int) -> None:
        if self._builder is not None and self._builder.root is not None:
            self.found.append((self._start, end, self._builder.root))
        self._builder = None

    def _place(self) -> int:
        line, column = self.getpos()
        return self._lines[line - 1] + column


def _outer(node: Node, html: str) -> str:
    """The element around a formula, with the formula's own names."""
    kept = "".join(f' {name}="{escape(node.attributes[name])}"' for name in ("id", "class") if name in node.attributes)
    lines = "display:block;text-align:center;margin:1em 0;" if node.attributes.get("display") == "block" else ""
    style = f"{lines}{_LOOKS};{node.attributes.get('style', '')}"
    return f'<pc-math{kept} style="{escape(style)}">{html}</pc-math>'


def _box(node: Node, place: _Place) -> Box:
    """Lay out an element. Raises _Unknown."""
    if place.depth > _DEEPEST:
        raise _Unknown(_("so many levels"))
    parts, attributes = drawn(node), node.attributes
    match node.tag, parts:
        case ("mfrac", [upper, lower]):
            return _fraction(upper, lower, attributes.get("linethickness", ""), place)
        case ("msqrt", _):
            return boxes.root(_row(parts, place.inner))
        case ("mroot", [base, index]):
            return boxes.root(_box(base, place.inner), _box(index, place.script), place.smaller)
        case (tag, [base, *others]) if (tag in _SCRIPTS | _LIMITS) and len(others) == 1 + (len(tag) in (7, 10)):
            low = others[0] if tag not in ("msup", "mover") else None
            high = others[-1] if tag not in ("msub", "munder") else None
            return (_with_scripts if tag in _SCRIPTS else _with_limits)(base, low, high, place)
        case ("mmultiscripts", _):
            return _with_many_scripts(node, place)
        case ("mtable", _):
            return _table(node, place)
        case ("mfenced", _):
            return _row(_unfenced(node), place)
        case ("mphantom", _):
            inner = _row(parts, place.inner)
            return replace(inner, html=element("row", "visibility:hidden", inner.html))
        case ("mspace", []):
            return boxes.space(_length(attributes.get("width", "")) or 0.0)
        case ("maction", [first, *_others]):
            return _box(first, place)
        case ("menclose", _) if notations := attributes.get("notation", "longdiv").split():
            if not boxes.NOTATIONS.issuperset(notations):
                raise _Unknown(f"menclose ({' '.join(notations)[:_LONGEST_NAME]})")
            return boxes.enclosed(notations, _row(parts, place.inner))
        case (tag, []) if tag in _LEAVES:
            return _token(node, place)
        case (tag, _) if tag in _LEAVES:  # words with elements of HTML
            return _token(Node(tag, attributes, text=linear(node)), place)
        case (tag, _) if tag in _ROWS:
            return _row(parts, place.styled(node))
    raise _Unknown(node.tag[:_LONGEST_NAME])


def _length(text: str) -> float | None:
    """A length in em; None for one in other units or names."""
    found = _LENGTH.match(text)
    return float(found[1]) if found else None


def _token(node: Node, place: _Place) -> Box:
    """A name, number, sign or text."""
    text = node.leaf()
    if node.tag == "mtext" and node.text.strip():
        text = re.sub(r"\s+", "\u00a0", node.text)
    variant = node.attributes.get("mathvariant") or ("italic" if node.tag == "mi" and len(text) == 1 else "")
    text, looks = _letters(text, variant)
    style = ("font-style:italic;" if "italic" in looks else "") + ("font-weight:bold;" if "bold" in looks else "")
    if colour := _COLOUR.fullmatch(node.attributes.get("mathcolor", "")):
        style += f"color:{colour[0]};"
    if node.tag == "mo" and place.is_display and text in _SUMS | _INTEGRALS:
        return boxes.large(text, style, 2.0 if text in _INTEGRALS else 1.5)
    html = escape(text.replace("-", "−") if node.tag == "mo" else text)
    return Box(element("sign", style, html) if style else html, width=len(text) * 0.5, text=text)


def _letters(text: str, variant: str) -> tuple[str, str]:
    """Letters as fonts have them, and how they look: 𝑥 is an italic x, and a double-struck R has a sign, ℝ."""
    made, looks = "", variant
    for letter in text:
        name = unicodedata.name(letter, "")
        plain = unicodedata.normalize("NFKC", letter)
        words = set(name.lower().split())
        if "mathematical" in words and plain != letter and not words & {"script", "fraktur", "double-struck"}:
            looks += f" {name.lower()}"
            letter = plain
        kind, _space, last = name.removeprefix("LATIN ").replace(" LETTER ", " ").rpartition(" ")
        for begin in next((begins for key, begins in _ALPHABETS.items() if key in variant), ()):
            try:
                letter = unicodedata.lookup(f"{begin} {kind} {last}")
                break
            except KeyError:
                continue
        made += letter
    return made, looks


def _row(nodes: Sequence[Node], place: _Place, breaks: bool = False) -> Box:
    """Parts side by side, with the room that operators have. breaks: whether a line may end behind operators."""
    while len(nodes) == 1 and nodes[0].tag in _PLAIN_ROWS:
        place, nodes = place.styled(nodes[0]), drawn(nodes[0])
    made: list[Box] = []
    fences: list[int] = []
    for number, node in enumerate(nodes):
        before = nodes[number - 1] if number else None
        behind = nodes[number + 1] if number + 1 < len(nodes) else None
        if node.tag == "mo" and not node.children:
            if node.leaf() in _OPENING | _CLOSING | _NEITHER and node.attributes.get("stretchy") != "false":
                fences.append(len(made))
            made.append(_operator(node, before, behind, place, breaks))
            continue
        if node.tag == "mfrac" and before is not None and before.tag == "mn":
            # A space that is read keeps a number and its fraction apart: 3 1/4 is not 31/4.
            made.append(Box(element("space", "font-size:.5em", "\u00a0"), width=0.13))
        made.append(_box(node, place))
        if breaks and made[-1].width > _WIDEST:
            raise _Unknown(_("so much in one line"))
        if _is_function(node) and behind is not None and behind.tag not in ("mo", "mfenced"):
            made.append(boxes.space(_THIN))
    inner = beside(*(box for number, box in enumerate(made) if number not in fences))
    for number in fences:
        made[number] = boxes.stretched(made[number], inner)
    return beside(*made)


def _is_function(node: Node) -> bool:
    """Decide whether it is the name of a function (`sin`), maybe with scripts."""
    while node.tag in _SCRIPTS | _LIMITS and node.children:
        node = node.children[0]
    return node.tag == "mi" and len(node.leaf()) > 1


def _operator(node: Node, before: Node | None, behind: Node | None, place: _Place, breaks: bool) -> Box:
    text = node.leaf()
    is_first = before is None or (before.tag == "mo" and before.leaf() not in _BEHIND)
    is_between = not is_first and behind is not None and node.attributes.get("form", "infix") == "infix"
    left = right = 0.0
    if place.level == 0 and is_between:
        if _RELATIONS.fullmatch(text):
            left = right = _RELATION_ROOM
        elif _BINARY.fullmatch(text):
            left = right = _BINARY_ROOM
    if text in (",", ";") or text in _SUMS | _INTEGRALS or _NAME.fullmatch(text):
        right = _THIN
    given = [_length(node.attributes.get(name, "")) for name in ("lspace", "rspace")]
    left, right = (known if own is None else own for own, known in zip(given, (left, right), strict=True))
    box = _token(node, place)
    if left or right:
        html = element("sign", f"margin:0 {em(right)} 0 {em(left)}", box.html)
        box = replace(box, html=html, width=box.width + left + right)
    return replace(box, html=box.html + "<wbr>") if breaks and is_between else box


def _fraction(upper: Node, lower: Node, thickness: str, place: _Place) -> Box:
    """Parts one above the other; in scripts beside a stroke, and so numbers within lines, which read `12` otherwise."""
    has_stroke = _length(thickness.replace("px", "").replace("pt", "")) != 0
    if has_stroke and place.level:
        return _row([_in_brackets(upper), Node("mo", text="/"), _in_brackets(lower)], place.inner)
    if has_stroke and not place.is_display and upper.tag == lower.tag == "mn":
        return boxes.slanted(_token(upper, place), _token(lower, place))
    inner = _Place(place.level, False, place.depth + 1)
    return boxes.fraction(_box(upper, inner), _box(lower, inner), has_stroke)


def _in_brackets(part: Node) -> Node:
    """A part of a fraction as it stands beside a stroke."""
    while len(drawn(part)) == 1 and part.tag in _PLAIN_ROWS:
        part = drawn(part)[0]
    if part.tag not in _PLAIN_ROWS | {"mfrac"}:
        return part
    return Node("mrow", {}, [Node("mo", text="("), part, Node("mo", text=")")])


def _with_scripts(base: Node, low: Node | None, high: Node | None, place: _Place) -> Box:
    lower, upper = (None if node is None else _box(node, place.script) for node in (low, high))
    inner = _box(base, place.inner)
    return beside(inner, boxes.scripts(inner, lower, upper, place.smaller))


def _with_many_scripts(node: Node, place: _Place) -> Box:
    base, behind, before = scripts(node)
    inner = _box(base, place.inner)

    def made(pairs: Sequence[Sequence[Node]], aligned: str) -> Iterator[Box]:
        for pair in pairs:
            low, high = (None if part.tag == "none" else _box(part, place.script) for part in pair)
            yield boxes.scripts(inner, low, high, place.smaller, aligned)

    return beside(*made(before, "right"), inner, *made(behind, "left"))


def _with_limits(base: Node, under: Node | None, over: Node | None, place: _Place) -> Box:
    """Marks above and below: limits of sums, accents, braces with their words."""
    sign = base.leaf()
    if sign in _SUMS | _INTEGRALS and not place.is_display:  # they stand beside it in a line
        return _with_scripts(base, under, over, place)
    if over is not None and under is None and len(sign) == 1 and over.leaf() in _COMBINING:
        letter = _token(base, place)
        return replace(letter, html=letter.html.replace(escape(sign), sign + _COMBINING[over.leaf()]))
    low, high = (None if node is None else _box(node, place.script) for node in (under, over))
    return boxes.limits(_box(base, place.inner), low, high, place.smaller)


def _unfenced(node: Node) -> list[Node]:
    opens, closes, separators = fence(node)
    made = [Node("mo", text=opens)] if opens else []
    for number, part in enumerate(drawn(node)):
        if number and separators:
            made.append(Node("mo", text=separators[min(number, len(separators)) - 1]))
        made.append(part)
    return made + ([Node("mo", text=closes)] if closes else [])


def _table(node: Node, place: _Place) -> Box:
    inner = _Place(place.level, node.attributes.get("displaystyle") == "true", place.depth + 1)
    aligned, below, right = (
        node.attributes.get(name, "").split() for name in ("columnalign", "rowlines", "columnlines")
    )
    rows, parts = [], drawn(node)
    for at, row in enumerate(parts):
        if row.tag not in ("mtr", "mlabeledtr"):
            raise _Unknown(row.tag[:_LONGEST_NAME])
        cells = drawn(row)
        if row.tag == "mlabeledtr":  # its label stands before its cells, and is shown behind them
            cells = [*cells[1:], *cells[:1]]
        own = row.attributes.get("columnalign", "").split() or aligned
        made = []
        for column, cell in enumerate(cells):
            side = cell.attributes.get("columnalign", _of(own, column))
            made.append(
                Cell(
                    _row([cell] if cell.tag != "mtd" else drawn(cell), inner),
                    side if side in _ALIGNED else "center",
                    has_right_line=column < len(cells) - 1 and _of(right, column) in ("solid", "dashed"),
                    has_bottom_line=at < len(parts) - 1 and _of(below, at) in ("solid", "dashed"),
                )
            )
        rows.append(made)
    return boxes.table(rows, node.attributes.get("frame", "") in ("solid", "dashed"))


def _of(values: Sequence[str], number: int) -> str:
    """The value of a column or row: the last one counts for all that follow."""
    return values[min(number, len(values) - 1)] if values else ""
