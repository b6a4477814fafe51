"""The style sheet of a written document: made at the end, when it is known what its headings look like."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from lxml.etree import _Element

from paperchute.engine.document.model import Style
from paperchute.engine.writing.docx.xml import element, flag, half_points, twips
from paperchute.engine.writing.office.fonts import MONO, family, natural_pitch
from paperchute.engine.writing.office.grid import CELL_MARGIN
from paperchute.engine.writing.office.parts import Paragraph

EAST_ASIAN: Final = "SimSun"
_HEADINGS: Final = 6
_USUAL_SIZES: Final = {0: 2.0, 1: 1.7, 2: 1.4, 3: 1.2, 4: 1.1, 5: 1.0, 6: 1.0}


@dataclass(slots=True)
class StyleBook:
    """What each style looks like, so that runs need say only what differs.

    body: the look of running text; its font is a family here. Headings take the look of the first of their level.
    """

    body: Style
    _headings: dict[int, Style] = field(default_factory=dict)

    def style_of(self, paragraph: Paragraph) -> tuple[str, Style]:
        """The id of a paragraph's style, and the look it gives."""
        match paragraph.kind:
            case "heading" | "title":
                level = 0 if paragraph.kind == "title" else max(paragraph.level, 1)
                look = self._headings.setdefault(level, self._look(paragraph, level))
                return ("Title" if level == 0 else f"Heading{level}"), look
            case "item":
                return "ListParagraph", self.body
            case "code":
                return "Code", self.code
            case "footnote":
                return "FootnoteText", self.note
            case _:
                return "Normal", self.body

    @property
    def code(self) -> Style:
        """Of program text."""
        return Style(mono=True, size=self.body.size, font=MONO)

    @property
    def note(self) -> Style:
        """Of footnotes."""
        return Style(size=max(round(self.body.size * 1.6) / 2, 5.0), font=self.body.font)

    def sheet(self, pitch: float) -> _Element:
        """The content of styles.xml. pitch: from line to line as a multiple of the font size."""
        body = self.body
        line = line_multiple(pitch, body.font)
        defaults = element(
            "w:docDefaults",
            None,
            element("w:rPrDefault", None, element("w:rPr", None, fonts(body.font), *sizes(body.size))),
            element(
                "w:pPrDefault",
                None,
                element("w:pPr", None, element("w:spacing", {"w:after": 0, "w:line": line, "w:lineRule": "auto"})),
            ),
        )
        normal = _style("paragraph", "Normal", "Normal", default=True)
        styles = [normal, _style("character", "DefaultParagraphFont", "Default Paragraph Font", default=True)]
        for level in range(_HEADINGS + 1):
            look = self._headings.get(level, Style(True, size=body.size * _USUAL_SIZES[level], font=body.font))
            name, styled = ("Title", "Title") if level == 0 else (f"Heading{level}", f"heading {level}")
            outline = [] if level == 0 else [element("w:outlineLvl", {"w:val": level - 1})]
            properties = element("w:pPr", None, element("w:keepNext"), element("w:keepLines"), *outline)
            styles.append(_style("paragraph", name, styled, properties, self._run(look), following="Normal"))
        small = self._run(self.note)
        underline = element("w:u", {"w:val": "single"})
        styles += [
            _style("paragraph", "ListParagraph", "List Paragraph"),
            _style("paragraph", "Code", "Code", None, self._run(self.code)),
            _style("paragraph", "FootnoteText", "footnote text", None, small),
            _style("paragraph", "Header", "header"),
            _style("paragraph", "Footer", "footer"),
            _style("paragraph", "CommentText", "annotation text", None, self._run(Style(size=10, font=body.font))),
            _character("FootnoteReference", "footnote reference", element("w:vertAlign", {"w:val": "superscript"})),
            _character("CommentReference", "annotation reference", *sizes(8)),
            _character("Hyperlink", "Hyperlink", element("w:color", {"w:val": "0563C1"}), underline),
            _table_style(),
        ]  # fmt: skip
        return element("w:styles", None, defaults, *styles)

    def _look(self, paragraph: Paragraph, level: int) -> Style:
        """The look of most of a heading's text."""
        weights: dict[Style, int] = {}
        for run in paragraph.runs:
            style = run.style
            look = Style(style.bold, style.italic, False, style.size, family(style.font) or self.body.font)
            weights[look] = weights.get(look, 0) + len(run.text)
        if not weights:
            return Style(True, size=self.body.size * _USUAL_SIZES[level], font=self.body.font)
        look = max(weights, key=lambda known: weights[known])
        return look if look.size else Style(look.bold, look.italic, False, self.body.size, look.font)

    def _run(self, look: Style) -> _Element:
        parts = [fonts(look.font)] if look.font and look.font != self.body.font else []
        return element(
            "w:rPr",
            None,
            *parts,
            *flag("w:b", look.bold),
            *flag("w:i", look.italic),
            *sizes(look.size or self.body.size),
        )


def line_multiple(pitch: float, font: str) -> int:
    """`w:line` for a pitch, in 240ths of what the font's own line takes; single for a pitch of 0."""
    return max(200, min(round(240 * pitch / natural_pitch(font)), 720)) if pitch else 240


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
    *,
    default: bool = False,
    following: str = "",
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
    margins = [element(f"w:{side}", {"w:w": twips(CELL_MARGIN), "w:type": "dxa"}) for side in ("left", "right")]
    properties = element("w:tblPr", None, element("w:tblCellMar", None, *margins))
    style = _style("table", "TableNormal", "Normal Table", default=True)
    style.append(properties)
    return style
