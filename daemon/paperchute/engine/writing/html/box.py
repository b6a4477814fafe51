"""The body of an HTML document of fixed pages (e_Box): each page a box of its size, its text where it was printed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from paperchute.engine.document.geometry import Box
from paperchute.engine.document.model import UNSEEN, Block, Image, Line, Note, Page, Span, Style
from paperchute.engine.reading.layout.typography import TYPOGRAPHY
from paperchute.engine.writing.html.flow import Anchor
from paperchute.engine.writing.html.text import direction, safe_address, text_html
from paperchute.engine.writing.office.fonts import FONTS
from paperchute.engine.writing.pictures import Pictures
from paperchute.engine.writing.tex_fonts import kind_of_font

_STYLES = re.compile(
    r"[-,_ ]?(?:Bold|Italic|Oblique|Regular|Book|Medium|Light|Semibold|SemiBold|Demi|Black|Thin|Heavy|"
    r"Condensed|It|Bd|Rg|PSMT|PS|MT|Std|Pro|Identity-H)+$|[-,]Roman$"
)
_SERIF = re.compile(
    r"serif(?<!sans)(?<!sans-)|times|roman|garamond|georgia|minion|palatino|bookman|century|cambria|charter|caslon|"
    r"baskerville|didot|bodoni|nimbusrom|song|ming|mincho|utopia|tinos|lora|merriweather|playfair|stix|latinmodern",
    re.IGNORECASE,
)
_SANS = re.compile(r"sans|arial|helvet|verdana|gothic", re.IGNORECASE)
_MONO = re.compile(r"mono|courier|consol|typewriter|fixed|menlo", re.IGNORECASE)
_WORD_EDGES = re.compile(r"(?<=[a-z])(?=[A-Z])")


def font_family(name: str, mono: bool) -> str:
    """A CSS font-family value for a PostScript name, safe inside an attribute with double quotes."""
    plain = re.sub(r"[^A-Za-z0-9 -]", "", name)
    family = plain
    while (shorter := _STYLES.sub("", family)) != family:
        family = shorter
    spaced = _WORD_EDGES.sub(" ", family)
    known = [f"'{text}'" for text in dict.fromkeys((spaced, family)) if text]
    return ",".join([*known, _generic(plain, mono)])


def _generic(name: str, mono: bool) -> str:
    if mono or _MONO.search(name):
        return "monospace"
    return kind_of_font(name) or ("serif" if _SERIF.search(name) and not _SANS.search(name) else "sans-serif")


@dataclass(frozen=True, slots=True)
class SheetTextSettings:
    """How printed lines become SVG text, which names the line that letters stand on and no box.

    Shares are of the font size. Chosen by eye on the samples, their text over the drawing of the page, where nothing
    else is said. The widths tell justified lines from others, and nothing else.
    """

    narrow: float = 0.29
    """The width of letters and marks such as i, l and t: Helvetica has 0.19 to 0.33."""

    wide: float = 0.82
    """That of m, w and the like: Helvetica has 0.72 to 1.02."""

    capital: float = 0.67
    """That of capitals: Helvetica has 0.5 to 0.78."""

    other: float = 0.5
    """That of other letters and of digits: Helvetica has 0.5 to 0.56."""

    descent: float = 0.22
    """How far a line's box reaches below the line its letters stand on: 0.21 in Helvetica and Times."""

    most_fonts: int = 300
    """Font classes of one file: a bound on what hostile files make, as each is a rule of the style sheet."""


SHEET_TEXT = SheetTextSettings()


def natural_width(text: str) -> float:
    """About how wide a text is set without justifying, in shares of the font size."""
    return sum(_width(character) for character in text)


def _width(character: str) -> float:
    if character in " iljtfrI.,;:!|'()[]":
        return SHEET_TEXT.narrow
    if character in "mwMW@%—":
        return SHEET_TEXT.wide
    if character >= "\u2e80":
        return 1.0
    return SHEET_TEXT.capital if character.isupper() else SHEET_TEXT.other


@dataclass(slots=True)
class BoxBody:
    """Makes the pages of one HTML file.

    anchors: filled with the headings as they are written. styles: the CSS rules of the fonts in use, complete once the
    pages have ended.
    """

    pictures: Pictures
    anchors: list[Anchor] = field(default_factory=list)
    _fonts: dict[str, str] = field(default_factory=dict)  # family to class
    _begun: set[int] = field(default_factory=set)

    @property
    def styles(self) -> str:
        """CSS for the font classes."""
        return "\n".join(f".{name}{{font-family:{family}}}" for family, name in self._fonts.items())

    def texts(self, pages: Iterable[Page]) -> Iterator[str]:
        """The body page by page."""
        for page in pages:
            yield "".join(self._page(page))

    def _page(self, page: Page) -> Iterator[str]:
        width, height = max(page.width, 1.0), max(page.height, 1.0)
        name = "" if page.number in self._begun else f' id="page-{page.number}"'
        self._begun.add(page.number)
        yield (
            f'<section class="sheet"{name} aria-label="{page.number}" '
            f'style="width:{width:.2f}pt;aspect-ratio:{width:.2f}/{height:.2f}">\n'
        )
        whole = Box(0.0, 0.0, width, height)
        if page.backdrop is not None:
            yield self._picture(page.backdrop, whole, whole, page.number, "")
        for block in page.blocks:
            if block.image is not None:
                words = " ".join(block.text.split())
                yield self._picture(block.image, block.quad.box, whole, page.number, words)
        yield f'<svg viewBox="0 0 {width:.2f} {height:.2f}">\n'
        for block in page.blocks:
            if block.image is None:
                yield from self._block(block, page.number)
        yield "</svg>\n"
        for note in page.notes:
            yield _note(note, whole)
        yield "</section>\n"

    def _picture(self, image: Image, box: Box, page: Box, number: int, words: str) -> str:
        source = text_html(self.pictures.address(image, number))
        return f'<img src="{source}" alt="{text_html(words)}" style="{_place(box, page)}">\n'

    def _block(self, block: Block, page: int) -> Iterator[str]:
        if block.level:
            title = " ".join(block.text.split())
            anchor = Anchor(block.level, title, page, f"h-{page}-{len(self.anchors) + 1}")
            self.anchors.append(anchor)
            yield f'<g id="{anchor.id}" role="heading" aria-level="{min(block.level, 6)}">\n'
        for item in block.items:
            yield self._marker(item.marker, item.quad.box, item.lines)
            yield from map(self._line, item.lines)
        if block.table is not None:
            for cell in block.table.cells:
                yield from map(self._line, cell.lines)
        if not block.items:
            yield from map(self._line, block.lines)
        if block.level:
            yield "</g>\n"

    def _marker(self, marker: str, box: Box, lines: tuple[Line, ...]) -> str:
        """Put what a list item begins with left of its first line, or right of it."""
        if not lines or not marker:
            return ""
        line, style = lines[0], lines[0].spans[0].style if lines[0].spans else Style()
        first = line.quad.box
        if direction([line.text]):
            place = Box(max(first.left, box.right - style.size * len(marker)), first.top, box.right, first.bottom)
        else:
            place = Box(box.left, first.top, min(first.right, box.left + style.size * len(marker)), first.bottom)
        plain = Style(size=style.size, font=style.font, color=style.color)
        return self._text(place, 0, (Span(marker, plain),), fitted=False)

    def _line(self, line: Line) -> str:
        if not line.text.strip():
            return ""
        return self._text(line.quad.box, line.quad.angle, line.spans, fitted=True)

    def _text(self, box: Box, angle: int, spans: tuple[Span, ...], fitted: bool) -> str:
        """One line of text. fitted: made exactly as wide as it was printed."""
        main = max(spans, key=lambda span: len(span.text) if not span.style.script else 0).style
        upright = angle not in (90, 270)
        length, across = (box.width, box.height) if upright else (box.height, box.width)
        size = main.size or across / TYPOGRAPHY.wider_leading
        if any(span.style.script for span in spans):
            size = min(size, across)
        rtl = direction(span.text for span in spans)
        stacked = angle == 90 and main.stacked
        x, y = (box.center[0], box.top) if stacked else _start(box, angle, size * SHEET_TEXT.descent, bool(rtl))
        attributes = f'x="{x:.2f}" y="{y:.2f}" font-size="{size:.2f}" class="{self._font(main)}"'
        text = "".join(span.text for span in spans)
        if fitted and length > 0 and len(text) > 1:
            widest = (1 + TYPOGRAPHY.same_size) * size * natural_width(text)  # beyond it the gaps were made wider
            justified = not rtl and " " in text.strip() and length > widest
            adjusted = "spacing" if justified else "spacingAndGlyphs"
            attributes += f' textLength="{length:.2f}" lengthAdjust="{adjusted}"'
        if rtl:
            attributes += ' direction="rtl"'
        if stacked:
            attributes += ' style="writing-mode:vertical-rl"'
        elif angle:
            attributes += f' transform="rotate({angle} {x:.2f} {y:.2f})"'
        return f"<text {attributes}>{''.join(self._span(span, main, size) for span in spans)}</text>\n"

    def _span(self, span: Span, main: Style, line_size: float) -> str:
        style = span.style
        text = text_html(span.text.replace("\n", " "))
        attributes = ""
        if style.font != main.font and style.font:
            attributes += f' class="{self._font(style)}"'
        if style.bold:
            attributes += ' font-weight="bold"'
        if style.italic:
            attributes += ' font-style="italic"'
        if style.color:
            attributes += ' fill-opacity="0"' if style.color == UNSEEN else f' fill="{text_html(style.color)}"'
        if style.script:
            size = style.size or line_size * FONTS.script
            attributes += f' font-size="{size:.2f}" dy="{_shift(style, line_size):.2f}"'
        elif style.size and f"{style.size:.1f}" != f"{line_size:.1f}":
            attributes += f' font-size="{style.size:.2f}"'
        text = f"<tspan{attributes}>{text}</tspan>" if attributes else text
        if style.script:  # back to the line
            text += f'<tspan dy="{-_shift(style, line_size):.2f}">&#8203;</tspan>'
        address = safe_address(span.link)
        return f'<a href="{text_html(address)}">{text}</a>' if address else text

    def _font(self, style: Style) -> str:
        family = font_family(style.font, style.mono)
        if family not in self._fonts and len(self._fonts) >= SHEET_TEXT.most_fonts:
            family = next(iter(self._fonts))
        return self._fonts.setdefault(family, f"f{len(self._fonts)}")


def _start(box: Box, angle: int, descent: float, rtl: bool) -> tuple[float, float]:
    """Return where a line begins, on the line its letters stand on."""
    if angle == 90:
        return box.left + descent, box.bottom if rtl else box.top
    if angle == 180:
        return box.left if rtl else box.right, box.top + descent
    if angle == 270:
        return box.right - descent, box.top if rtl else box.bottom
    return box.right if rtl else box.left, box.bottom - descent


def _shift(style: Style, line_size: float) -> float:
    return (-TYPOGRAPHY.third if style.script == "super" else TYPOGRAPHY.fifth) * line_size


def _place(box: Box, page: Box) -> str:
    """A place on the page as CSS, in shares of the page so that it can be shown in any size."""
    return (
        f"left:{100 * box.left / page.width:.3f}%;top:{100 * box.top / page.height:.3f}%;"
        f"width:{100 * box.width / page.width:.3f}%;height:{100 * box.height / page.height:.3f}%"
    )


def _note(note: Note, page: Box) -> str:
    """An annotation: a mark on the page that opens to its words."""
    box = note.quad.box
    who = f"<cite>{text_html(note.author)}</cite> " if note.author else ""
    text = text_html(note.text).replace("\n", "<br>")
    left, top = 100 * box.left / page.width, 100 * box.top / page.height
    return (
        f'<details class="note" role="note" style="left:{left:.3f}%;top:{top:.3f}%">'
        f"<summary>✎</summary>{who}{text}</details>\n"
    )
