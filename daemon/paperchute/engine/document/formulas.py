"""Formulas of pages (MathML) in LaTeX and as the text of a line.

A text of a line keeps what the drawn formula says: `1/2`, never `12`; `x^2`, never `x2`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape

_SPACE = re.compile(r"\s+")
_NAME = re.compile(r"[A-Za-z]{2,}")
_GREEK = re.findall(
    r"\w+",
    "alpha beta gamma delta varepsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma varsigma tau upsilon "
    "varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega phi epsilon",
)
_SPECIAL = {
    "\\": r"\backslash ",
    "{": r"\{",
    "}": r"\}",
    "%": r"\%",
    "#": r"\#",
    "&": r"\&",
    "_": r"\_",
    "$": r"\$",
    "^": r"\hat{}",
    "~": r"\sim ",
}
_SIGNS = {
    "×": r"\times",
    "·": r"\cdot",
    "⋅": r"\cdot",
    "÷": r"\div",
    "±": r"\pm",
    "∓": r"\mp",
    "≤": r"\le",
    "≥": r"\ge",
    "≠": r"\ne",
    "≈": r"\approx",
    "≡": r"\equiv",
    "∼": r"\sim",
    "∝": r"\propto",
    "∞": r"\infty",
    "∂": r"\partial",
    "∇": r"\nabla",
    "∑": r"\sum",
    "∏": r"\prod",
    "∫": r"\int",
    "∬": r"\iint",
    "∮": r"\oint",
    "∈": r"\in",
    "∉": r"\notin",
    "⊂": r"\subset",
    "⊆": r"\subseteq",
    "∪": r"\cup",
    "∩": r"\cap",
    "∅": r"\emptyset",
    "∀": r"\forall",
    "∃": r"\exists",
    "→": r"\to",
    "⇒": r"\Rightarrow",
    "⇔": r"\Leftrightarrow",
    "↔": r"\leftrightarrow",
    "…": r"\dots",
    "⋯": r"\cdots",
    "′": "'",
    "−": "-",
} | dict(
    zip(
        "αβγδεζηθικλμνξπρσςτυφχψωΓΔΘΛΞΠΣΥΦΨΩϕϵ",
        (f"\\{name}" for name in _GREEK),
        strict=True,
    )
)
_ACCENTS = {
    "^": "hat",
    "\u0302": "hat",
    "ˆ": "hat",
    "~": "tilde",
    "\u0303": "tilde",
    "˜": "tilde",
    "¯": "bar",
    "\u0304": "bar",
    "‾": "overline",
    "\u0305": "overline",
    "→": "vec",
    "⃗": "vec",
    "˙": "dot",
    "\u0307": "dot",
    "¨": "ddot",
    "\u0308": "ddot",
    "⏞": "overbrace",
    "⏟": "underbrace",
}
_UNSEEN = re.compile("[\u2061-\u2064\u200b]")  # applied to, times, separator, plus: said and not drawn
_LARGE = frozenset("∑∏∫∬∮⋃⋂")
_DEEPEST = 60  # elements of a formula inside of each other: a bound on work on hostile files
_HIDDEN = frozenset({"annotation", "annotation-xml"})


@dataclass(slots=True)
class Node:
    """An element of MathML. text: its own, of elements that hold no others."""

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: list[Node] = field(default_factory=list)
    text: str = ""

    def leaf(self) -> str:
        """Its text as it is drawn."""
        return _SPACE.sub(" ", _UNSEEN.sub("", self.text)).strip()


class FormulaBuilder:
    """Builds a formula as a parser of HTML calls it (see lxml's parser targets). root: None until one has begun."""

    def __init__(self) -> None:
        self.root: Node | None = None
        self._path: list[str] = []
        self._nodes: list[Node] = []

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Begin an element; what is none of a formula is passed over."""
        tag = tag.rpartition(":")[2]
        if not self._path and tag != "math":
            return
        self._path.append(tag)
        if len(self._nodes) >= _DEEPEST:
            self._nodes[-1].text += " "  # what stands here keeps apart
            return
        node = Node(tag, dict(attributes))
        if self._nodes:
            outer = self._nodes[-1]
            if outer.text.strip():
                outer.children.append(Node("mtext", text=outer.text))
                outer.text = ""
            outer.children.append(node)
        self.root = self.root or node
        self._nodes.append(node)

    def data(self, text: str) -> None:
        """Take text in."""
        if not self._nodes:
            return
        node = self._nodes[-1]
        if node.children and text.strip():
            node.children.append(Node("mtext", text=text))
        else:
            node.text += text

    def end(self, tag: str) -> None:
        """End an element, and what stands open in it."""
        tag = tag.rpartition(":")[2]
        if tag in self._path:
            while self._path.pop() != tag:
                pass
            del self._nodes[len(self._path) :]


def scripts(node: Node) -> tuple[Node, list[list[Node]], list[list[Node]]]:
    """Tell the base of a `mmultiscripts`, the pairs of lower and upper scripts behind it, and those before it."""
    nothing = Node("none")
    base, *others = node.children or [nothing]
    at = next((n for n, child in enumerate(others) if child.tag == "mprescripts"), len(others))
    behind, before = ([part[n : n + 2] for n in range(0, len(part), 2)] for part in (others[:at], others[at + 1 :]))
    return base, [[*pair, nothing][:2] for pair in behind], [[*pair, nothing][:2] for pair in before]


def linear(node: Node) -> str:
    """Write a formula as the text of a line. Parts of more than one sign stand in brackets: `(a+b)/2`."""
    parts = [linear(child) for child in drawn(node)]
    match node.tag, parts:
        case ("mfrac", [upper, lower]):
            if node.attributes.get("linethickness", "") in ("0", "0pt", "0px"):
                return f"({upper} {lower})"
            return f"{_whole(upper)}/{_whole(lower)}"
        case ("msqrt", _):
            return f"√{_whole(''.join(parts))}"
        case ("mroot", [base, index]):
            return f"{_power(index)}√{_whole(base)}"
        case ("msup", [base, upper]):
            return f"{_base(base)}{_power(upper)}"
        case ("mover", [base, upper]):
            return base + upper if upper in _ACCENTS else f"{base}{_power(upper)}"
        case ("msub" | "munder", [base, lower]):
            return f"{base}{_index(lower)}"
        case ("msubsup" | "munderover", [base, lower, upper]):
            return f"{base}{_index(lower)}{_power(upper)}"
        case ("mmultiscripts", _):
            inner, behind, before = scripts(node)
            return f"{_marks(before)}{_base(linear(inner))}{_marks(behind)}"
        case ("apply", [name, *operands]):  # MathML's way of saying what is meant, which no browser lays out
            return f"{name or drawn(node)[0].tag}({', '.join(operands)})"
        case ("mstack" | "mlongdiv", _):
            return "; ".join(parts)
        case ("mtable", _):
            return f"[{'; '.join(parts)}]"
        case ("mtr" | "mlabeledtr", _):
            return ", ".join(parts)
        case ("mfenced", _):
            opens, closes, between = fence(node)
            return opens + between[:1].join(parts) + closes
        case ("mtext" | "ms", _) if not node.children:
            return _SPACE.sub(" ", node.text)
        case ("mspace", _):  # what a page writes in it, browsers hide
            return f" {''.join(parts)}"
        case ("mphantom", _):
            return ""
    if node.tag in ("mrow", "math", "mstyle") and parts:
        return _joined(drawn(node), parts)
    return "".join(parts) or node.leaf()


def _joined(nodes: Sequence[Node], parts: Sequence[str]) -> str:
    """The parts of a row. A space keeps apart what would run together: `3 1/4`, `x^n y`, `sin x`."""
    text, ends_open = "", False
    for node, part in zip(nodes, parts, strict=True):
        runs_on = text[-1:].isalnum() and part.strip()[:1].isalnum()
        text += f" {part}" if runs_on and (ends_open or node.tag == "mfrac") else part
        ends_open = node.tag in _OPEN_ENDED or (node.tag == "mi" and len(part) > 1)
    return " ".join(text.split())


_OPEN_ENDED = frozenset({"msup", "msub", "msubsup", "mover", "munder", "munderover", "mfrac", "msqrt", "mroot"})


def _whole(text: str) -> str:
    """A part that stays together beside a stroke or mark."""
    text = text.strip()
    return text if re.fullmatch(r"[\w.,'′°∞]*|\(.*\)", text) and not _has_outer_gap(text) else f"({text})"


def _has_outer_gap(text: str) -> bool:
    """Decide whether brackets at both ends do not belong together: `(a)(b)`."""
    depth = 0
    for place, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if depth == 0 and "(" in text and place < len(text) - 1:
            return True
    return False


def _marks(pairs: Sequence[Sequence[Node]]) -> str:
    """Lower and upper scripts one after the other."""
    return "".join(_index(linear(lower)) + _power(linear(upper)) for lower, upper in pairs)


def _base(text: str) -> str:
    return text if len(text) < 2 or re.fullmatch(r"[\w.,]+|\(.*\)", text.strip()) else f"({text})"


def _power(text: str) -> str:
    text = text.strip()
    return text if set(text) <= {"'", "′", "″"} else f"^{_whole(text)}"


def _index(text: str) -> str:
    return f"_{_whole(text)}" if text.strip() else ""


def latex(node: Node) -> str:
    """Write a formula in LaTeX, as far as amsmath knows it."""
    return " ".join(_latex(node).split())


def _latex(node: Node) -> str:
    parts = [_latex(child) for child in drawn(node)]
    match node.tag, parts:
        case ("mfrac", [upper, lower]):
            is_bare = node.attributes.get("linethickness", "") in ("0", "0pt", "0px")
            return rf"\{'binom' if is_bare else 'frac'}{{{upper}}}{{{lower}}}"
        case ("msqrt", _):
            return rf"\sqrt{{{''.join(parts)}}}"
        case ("mroot", [base, index]):
            return rf"\sqrt[{index}]{{{base}}}"
        case ("msup", [base, upper]):
            return f"{_group(base)}^{{{upper}}}"
        case ("msub", [base, lower]):
            return f"{_group(base)}_{{{lower}}}"
        case ("msubsup" | "munderover", [base, lower, upper]):
            return f"{_group(base)}_{{{lower}}}^{{{upper}}}"
        case ("mover" | "munder", [base, mark]):
            accent = linear(drawn(node)[1])
            if accent in _ACCENTS:
                return rf"\{_ACCENTS[accent]}{{{base}}}"
            sign = "^" if node.tag == "mover" else "_"
            if linear(drawn(node)[0]).strip() in _LARGE or "\\" in base:
                return f"{base}{sign}{{{mark}}}"
            return rf"\{'over' if node.tag == 'mover' else 'under'}set{{{mark}}}{{{base}}}"
        case ("mmultiscripts", _):
            inner, behind, before = scripts(node)
            return f"{_latex_marks(before, '{}')}{_latex_marks(behind, _group(_latex(inner)))}"
        case ("mtable", _):
            return r"\begin{matrix}" + r" \\ ".join(parts) + r"\end{matrix}"
        case ("mtr" | "mlabeledtr", _):
            return " & ".join(parts)
        case ("mfenced", _):
            opens, closes, between = (_signs(sign[:1]) for sign in fence(node))
            return rf"\left{opens or '.'}{between.join(parts)}\right{closes or '.'}"
        case ("mtext" | "ms", _) if not node.children:
            return rf"\text{{{_SPACE.sub(' ', node.text)}}}" if node.text.strip() else " "
        case ("mspace", _):
            return rf"\ {''.join(parts)}"
        case ("mphantom", _):
            return ""
    if parts:
        return "".join(parts)
    text = node.leaf()
    if node.tag in ("mi", "mo") and _NAME.fullmatch(text):
        return rf"\operatorname{{{text}}}"
    return _signs(text)


def _latex_marks(pairs: Sequence[Sequence[Node]], base: str) -> str:
    """A base and its scripts; those of a second pair stand at an empty base of their own."""
    made = base if pairs or base != "{}" else ""
    for number, (lower, upper) in enumerate(pairs):
        made += "{}" if number else ""
        for sign, script in (("_", _latex(lower)), ("^", _latex(upper))):
            made += f"{sign}{{{script}}}" if script else ""
    return made


def _signs(text: str) -> str:
    made = "".join(f"{_SIGNS[sign]} " if sign in _SIGNS else _SPECIAL.get(sign, sign) for sign in text)
    return made.replace("- ", "-").replace("' ", "'")


def _group(base: str) -> str:
    return base if len(base) < 2 or base.startswith("\\") else f"{{{base}}}"


def fence(node: Node) -> tuple[str, str, str]:
    """Tell the signs of a `mfenced`: before, behind, and those between its parts, of which the last goes on."""
    separators = "".join(node.attributes.get("separators", ",").split())
    return node.attributes.get("open", "("), node.attributes.get("close", ")"), separators


def drawn(node: Node) -> list[Node]:
    """Tell the children that are drawn: `semantics` holds the formula a second time, for programs."""
    return [child for child in node.children if child.tag not in _HIDDEN]


def markup(node: Node) -> str:
    """Write a formula as MathML."""
    more = "".join(f' {name}="{escape(value)}"' for name, value in node.attributes.items())
    inner = "".join(map(markup, node.children)) or escape(node.text)
    return f"<{node.tag}{more}>{inner}</{node.tag}>"
