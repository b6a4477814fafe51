"""The style sheet of a Word document, and its lists as Word counts them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final

from lxml.etree import _Element

from paperchute.engine.document.model import Style
from paperchute.engine.writing.docx.xml import element, flag, twips
from paperchute.engine.writing.office.fonts import line_multiple
from paperchute.engine.writing.office.lists import all_levels
from paperchute.engine.writing.office.measures import MEASURES
from paperchute.engine.writing.office.parts import Marker, Paragraph, half_points
from paperchute.engine.writing.office.styles import HEADINGS, StyleBook, level_of
from paperchute.engine.writing.office.tables import TABLE_PARTS

EAST_ASIAN: Final = "SimSun"


def style_name(paragraph: Paragraph) -> str:
    """The id of a paragraph's style."""
    match paragraph.kind:
        case "heading" | "title":
            level = level_of(paragraph)
            return f"Heading{level}" if level else "Title"
        case "item":
            return "ListParagraph"
        case "code":
            return "Code"
        case "footnote":
            return "FootnoteText"
        case _:
            return "Normal"


def sheet(book: StyleBook, pitch: float, language: str) -> _Element:
    """The content of styles.xml; made at the end, when it is known what the headings look like.

    pitch: from line to line as a multiple of the font size. language: BCP 47, empty where nothing tells it.
    """
    body = book.body
    spacing = element("w:spacing", {"w:after": 0, "w:line": line_multiple(pitch, body.font), "w:lineRule": "auto"})
    looks = [fonts(body.font), *sizes(body.size), *_language(language)]
    defaults = element(
        "w:docDefaults",
        None,
        element("w:rPrDefault", None, element("w:rPr", None, *looks)),
        element("w:pPrDefault", None, element("w:pPr", None, spacing)),
    )
    normal = _style("paragraph", "Normal", "Normal", default=True)
    styles = [normal, _style("character", "DefaultParagraphFont", "Default Paragraph Font", default=True)]
    for level in range(HEADINGS + 1):
        name, styled = (f"Heading{level}", f"heading {level}") if level else ("Title", "Title")
        outline = [element("w:outlineLvl", {"w:val": level - 1})] if level else []
        properties = element("w:pPr", None, element("w:keepNext"), element("w:keepLines"), *outline)
        styles.append(_style("paragraph", name, styled, properties, _run(book.heading(level), body), "Normal"))
    underline = element("w:u", {"w:val": "single"})
    styles += [  # what is not learnt from the document is as Word's own template has it
        _style("paragraph", "ListParagraph", "List Paragraph"),
        _style("paragraph", "Code", "Code", None, _run(book.code, body)),
        _style("paragraph", "FootnoteText", "footnote text", None, _run(book.note, body)),
        _style("paragraph", "Header", "header"),
        _style("paragraph", "Footer", "footer"),
        _style("paragraph", "CommentText", "annotation text", None, _run(Style(size=10, font=body.font), body)),
        _character("FootnoteReference", "footnote reference", element("w:vertAlign", {"w:val": "superscript"})),
        _character("CommentReference", "annotation reference", *sizes(8)),
        _character("Hyperlink", "Hyperlink", element("w:color", {"w:val": "0563C1"}), underline),
        _table_style(),
    ]
    return element("w:styles", None, defaults, *styles)


def _language(language: str) -> list[_Element]:
    """Return what Word checks and hyphenates by; a language is one of three kinds of script to it."""
    if not language:
        return []
    spoken = language.split("-")[0].lower()
    kind = "w:eastAsia" if spoken in _EAST_ASIAN else "w:bidi" if spoken in _RIGHT_TO_LEFT else "w:val"
    return [element("w:lang", {kind: language})]


def _run(look: Style, body: Style) -> _Element:
    """A style's look as run properties, in so far as it is not that of running text."""
    parts = [fonts(look.font)] if look.font and look.font != body.font else []
    slant = [*flag("w:b", look.bold), *flag("w:i", look.italic)]
    return element("w:rPr", None, *parts, *slant, *sizes(look.size or body.size))


def fonts(name: str) -> _Element:
    """One family for all scripts but the East Asian ones, which few Western fonts hold."""
    return element(
        "w:rFonts", {"w:ascii": name, "w:hAnsi": name, "w:eastAsia": EAST_ASIAN, "w:cs": name}
    )  # fmt: skip


def sizes(points: float) -> list[_Element]:
    """The font size, for complex scripts too."""
    size = half_points(points)
    return [element("w:sz", {"w:val": size}), element("w:szCs", {"w:val": size})]


def _style(
    kind: str,
    identifier: str,
    name: str,
    paragraph: _Element | None = None,
    run: _Element | None = None,
    following: str = "",
    *,
    default: bool = False,
) -> _Element:
    attributes: dict[str, object] = {"w:type": kind, "w:styleId": identifier}
    if default:
        attributes["w:default"] = 1
    parts = [element("w:name", {"w:val": name})]
    if kind == "paragraph" and not default:
        parts.append(element("w:basedOn", {"w:val": "Normal"}))
    if following:
        parts.append(element("w:next", {"w:val": following}))
    parts += [element("w:qFormat")] if kind == "paragraph" else []
    return element("w:style", attributes, *parts, *(part for part in (paragraph, run) if part is not None))


def _character(identifier: str, name: str, *properties: _Element) -> _Element:
    return _style("character", identifier, name, None, element("w:rPr", None, *properties))


def _table_style() -> _Element:
    margin = twips(TABLE_PARTS.cell_margin)
    margins = [element(f"w:{side}", {"w:w": margin, "w:type": "dxa"}) for side in ("left", "right")]
    properties = element("w:tblPr", None, element("w:tblCellMar", None, *margins))
    style = _style("table", "TableNormal", "Normal Table", default=True)
    style.append(properties)
    return style


_EAST_ASIAN: Final = frozenset({"ja", "ko", "zh"})
_RIGHT_TO_LEFT: Final = frozenset({"ar", "fa", "he", "ur", "yi"})
_LEVELS: Final = 9
"""Of a list (ECMA-376 part 1, 17.9.6)."""
_BULLETS: Final = {"\uf0b7": "•", "\uf0a7": "▪", "o": "○", "*": "•"}


@dataclass(slots=True)
class Numbering:
    """Gathers the lists of a document: the levels of each as it uses them."""

    _series: dict[int, dict[int, Marker]] = field(default_factory=dict)

    def number(self, marker: Marker, level: int) -> int:
        """The id of the instance (`w:num`) that items of the marker's list point to."""
        self._series.setdefault(marker.series, {}).setdefault(level, marker)
        return marker.series

    def content(self) -> _Element:
        """The content of numbering.xml. Lists that look the same share what they look like, but not their numbers."""
        forms: dict[tuple[tuple[int, Marker], ...], int] = {}
        looks = []
        series = []
        for number, levels in self._series.items():
            form = tuple((place, replace(one, series=0, printed="")) for place, one in sorted(levels.items()))
            if form not in forms:
                forms[form] = len(forms)
                looks.append(_look(forms[form], levels))
            starts = [
                element("w:lvlOverride", {"w:ilvl": place}, element("w:startOverride", {"w:val": max(one.start, 0)}))
                for place, one in sorted(levels.items())
            ]
            own = element("w:abstractNumId", {"w:val": forms[form]})
            series.append(element("w:num", {"w:numId": number}, own, *starts))
        return element("w:numbering", None, *looks, *series)


def _look(number: int, levels: dict[int, Marker]) -> _Element:
    """`w:abstractNum`: the levels in use, and others so that items can be moved in and out."""
    return element(
        "w:abstractNum",
        {"w:abstractNumId": number},
        element("w:multiLevelType", {"w:val": "multilevel" if len(levels) > 1 else "hybridMultilevel"}),
        *(_level(place, marker) for place, marker in enumerate(all_levels(levels, _LEVELS))),
    )


def _level(place: int, marker: Marker) -> _Element:
    """A level of a definition."""
    text = _BULLETS.get(marker.pattern, marker.pattern) if marker.format == "bullet" else marker.pattern
    indent = {"w:left": twips(MEASURES.quarter_inch) * (place + 1), "w:hanging": twips(MEASURES.quarter_inch)}
    return element(
        "w:lvl",
        {"w:ilvl": place},
        element("w:start", {"w:val": max(marker.start, 0)}),  # LibreOffice asks no more where the level begins anew
        element("w:numFmt", {"w:val": marker.format}),
        *([element("w:suff", {"w:val": "space"})] if marker.spaced else []),
        element("w:lvlText", {"w:val": text}),
        element("w:lvlJc", {"w:val": "left"}),
        element("w:pPr", None, element("w:ind", {name: str(value) for name, value in indent.items()})),
    )
