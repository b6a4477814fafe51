"""The elements of HTML: which begin a paragraph, what they make of text, and what of them is no text at all."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from html import escape

from paperchute.engine.document.formulas import FormulaBuilder, Node
from paperchute.engine.document.model import Style
from paperchute.engine.reading.layout.formulas import named_words

BLOCK_TAGS = named_words(
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure "
    "footer form h1 h2 h3 h4 h5 h6 header hgroup hr legend li listing main menu nav ol p pre search section summary "
    "table tbody td tfoot th thead tr ul xmp option optgroup frameset noframes"
)
"""Elements that stand in lines of their own (WHATWG HTML, 15.3)."""
VOID = named_words("area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr")
"""Elements that hold nothing."""
PRINTED_VOID = frozenset({"base", "br", "col", "hr", "link", "wbr"})
RAW = frozenset({"math", "script", "select", "style", "svg", "textarea", "title"})
"""Elements whose content is no text of the document as it stands."""

_BOLD = frozenset({"b", "strong"})
_ITALIC = frozenset({"i", "em", "cite", "var", "dfn"})
_MONO = frozenset({"code", "kbd", "samp", "tt"})
_STRUCK = frozenset({"s", "strike", "del"})
_WEIGHT = re.compile(r"font-weight\s*:\s*(bold|bolder|[6-9]00|normal|[1-5]00)", re.IGNORECASE)
_SLANT = re.compile(r"font-style\s*:\s*(italic|oblique|normal)", re.IGNORECASE)
_RAISED = re.compile(r"vertical-align\s*:\s*(super|sub)\b", re.IGNORECASE)
_SPACE = re.compile(r"white-space\s*:\s*(pre|normal|nowrap)", re.IGNORECASE)
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.:-]{0,60}")
_TICKED = {"checkbox": ("☒", "☐"), "radio": ("☒", "☐")}
_UNWRITTEN = frozenset({"hidden", "file", "image", "range", "color"})


def local_name(tag: str) -> str:
    """Tell the name of an element; a formula may bear a prefix (`m:math`), as XHTML writes it."""
    return "math" if tag.endswith(":math") else tag


def looks(tag: str, css: str, style: Style, keeps_space: bool) -> tuple[Style, bool]:
    """Tell how text in an element looks, by its name and its own style attribute, and whether its line ends stay."""
    if tag in _LOOKS:
        style = _styled(style, tag)
    if tag in ("pre", "listing", "xmp", "textarea"):
        keeps_space = True
    if css:
        if weight := _WEIGHT.search(css):
            style = replace(style, bold=weight[1].lower() not in ("normal", "100", "200", "300", "400", "500"))
        if slant := _SLANT.search(css):
            style = replace(style, italic=slant[1].lower() != "normal")
        if raised := _RAISED.search(css):
            style = replace(style, script="super" if raised[1].lower() == "super" else "sub")
        if space := _SPACE.search(css):
            keeps_space = space[1].lower() == "pre"
    return style, keeps_space


_LOOKS = _BOLD | _ITALIC | _MONO | _STRUCK | {"sup", "sub"}


@lru_cache(1_000)  # more than a document has
def _styled(style: Style, tag: str) -> Style:
    if tag in _BOLD:
        return replace(style, bold=True)
    if tag in _ITALIC:
        return replace(style, italic=True)
    if tag in _MONO:
        return replace(style, mono=True)
    if tag in _STRUCK:
        return replace(style, strike=True)
    return replace(style, script="super" if tag == "sup" else "sub")


def written(tag: str, attributes: Mapping[str, str]) -> str:
    """Write a start tag. A link's own target goes, and so does what is no name of an attribute."""
    left = {"href", "target", "name"} if tag == "a" else set()
    more = "".join(
        f' {name}="{escape(value)}"' for name, value in attributes.items() if name not in left and _NAME.fullmatch(name)
    )
    return f"<{'span' if tag in ('a', 'q') else tag}{more}>"


def count(text: str | None, most: int, is_open: bool = False) -> int:
    """Read a colspan or rowspan. is_open: whether 0 stands for all that follow."""
    text = (text or "").strip()
    if not text.isdecimal() or len(text) > 9:
        return 1
    return min(int(text) or (most if is_open else 1), most)


def value_of(attributes: Mapping[str, str]) -> str:
    """Tell what a field of a form shows."""
    kind = attributes.get("type", "text").strip().lower()
    if kind in _TICKED:
        return _TICKED[kind]["checked" not in attributes]
    return "" if kind in _UNWRITTEN else attributes.get("value", "").strip()


@dataclass(slots=True)
class Raw:
    """An element of `RAW`: how it is printed, and what it says.

    text: of a title or style sheet all of it, of a drawing its words, of a list the chosen entry (others are hidden).
    """

    tag: str = ""
    text: str = ""
    _shown: list[str] = field(default_factory=list)
    _path: list[str] = field(default_factory=list)
    _formula: FormulaBuilder = field(default_factory=FormulaBuilder)
    _is_hidden: bool = False

    @property
    def shown(self) -> str:
        """The element as it is printed."""
        return "".join(self._shown)

    @property
    def math(self) -> Node | None:
        """The formula that it is."""
        return self._formula.root

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Begin an element; the first is the one itself."""
        self.tag = self.tag or local_name(tag)
        self._path.append(tag)
        self._shown.append(written(tag, attributes))
        if tag == "option":
            self._is_hidden = "display:none" in attributes.get("style", "").replace(" ", "")
            self.text += " "
        self._formula.start(tag, attributes)

    def data(self, text: str) -> None:
        """Take text in."""
        self._shown.append(escape(text, quote=False))
        self._formula.data(text)
        if self.tag == "svg" and self._path[-1] not in ("text", "tspan", "textpath"):
            return
        if not self._is_hidden:
            self.text += text

    def end(self, tag: str) -> bool:
        """End an element; whether that was the first."""
        if tag not in self._path:
            return False
        while self._path.pop() != tag:
            pass
        self._shown.append(f"</{tag}>")
        self._formula.end(tag)
        if tag == "text":
            self.text += " "
        self._is_hidden = False
        return not self._path


def chunks(text: str, longest: int) -> Iterator[str]:
    """Part a text at white space, where it is longer; its outer white space stands by itself."""
    core = text.strip(" \t\r\n\f")
    if not core:
        yield text
        return
    start = text.index(core)
    if start:
        yield text[:start]
    at = 0
    while len(core) - at > longest:
        end = core.rfind(" ", at + longest // 2, at + longest) + 1 or at + longest
        yield core[at:end]
        at = end
    yield core[at:]
    if start + len(core) < len(text):
        yield text[start + len(core) :]
