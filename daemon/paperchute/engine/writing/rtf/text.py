"""Runs of text as RTF: escapes, looks, links, notes, comments; and what stands at a fixed place of the page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from paperchute.engine.document.geometry import Box
from paperchute.engine.document.model import Image, Note, Style
from paperchute.engine.writing.office.fonts import MONO, family
from paperchute.engine.writing.office.notes import Footnote
from paperchute.engine.writing.office.parts import COUNT_FIELD, PAGE_FIELD, half_points
from paperchute.engine.writing.office.runs import Run, clean
from paperchute.engine.writing.office.styles import small

_FIELDS = {PAGE_FIELD: "PAGE", COUNT_FIELD: "NUMPAGES"}
LINK_COLOR = 1
"""Its place in the colour table, from 1."""

TITLE = 7
"""The number of the title's style; 1 to 6 are headings, 0 is running text."""


def escaped(text: str) -> str:
    """Text of one line or several, newlines being line breaks.

    Everything beyond ASCII is UTF-16 units (section "Unicode RTF"), each followed by the question mark that readers
    without Unicode show.
    """
    parts = []
    for character in clean(text):
        if character in "\\{}":
            parts.append("\\" + character)
        elif character == "\n":
            parts.append("\\line ")
        elif character == "\t":
            parts.append("\\tab ")
        elif character.isascii():
            parts.append(character)
        else:
            units = character.encode("utf-16-le")
            for place in range(0, len(units), 2):
                unit = int.from_bytes(units[place : place + 2], "little", signed=True)
                parts.append(f"\\u{unit}?")
    return "".join(parts)


def twips(points: float) -> int:
    """Twentieths of a point."""
    return round(points * 20)


@dataclass(slots=True)
class Text:
    """Makes what stands inside paragraphs; gathers the fonts and colours it uses.

    usual: the family of running text, font 0. footnotes: those of the document, as far as read.
    """

    usual: str
    footnotes: Sequence[Footnote]
    fonts: dict[str, int] = field(default_factory=dict)
    colors: dict[str, int] = field(default_factory=lambda: {"#0563c1": LINK_COLOR})
    _comments: int = 0

    def runs(self, runs: Iterable[Run], look: Style, stretch: int = 100) -> str:
        """Runs one after the other. look: that of the paragraph's style, for what a run leaves open."""
        return "".join(self._run(run, look, stretch) for run in runs)

    def font(self, name: str) -> int:
        """A family's number in the font table."""
        self.fonts.setdefault(self.usual, 0)
        return self.fonts.setdefault(name or self.usual, len(self.fonts))

    def color(self, color: str) -> int:
        """A colour's number in the colour table, from 1."""
        return self.colors.setdefault(color, len(self.colors) + 1)

    def look(self, style: Style, look: Style, rtl: bool = False) -> str:
        """The control words of a look, for left-to-right and right-to-left letters alike."""
        font = self.font(family(style.font) or (MONO if style.mono else look.font))
        size = half_points(look.size if style.script or not style.size else style.size)
        slant = ("\\b" if style.bold else "") + ("\\i" if style.italic else "")
        associated = f"\\af{font}\\afs{size}" + slant.replace("\\", "\\a")
        color = f"\\cf{self.color(style.color)}" if style.color else ""
        color += f"\\chshdng0\\chcbpat{self.color(style.ground)}" if style.ground else ""
        color += ("\\ul" if style.underline else "") + ("\\strike" if style.strike else "")
        script = {"super": "\\super", "sub": "\\sub", "": ""}[style.script]
        plain = f"\\f{font}\\fs{size}{slant}{color}{script}"
        if rtl:
            return f"\\ltrch\\fcs0{plain}\\rtlch\\fcs1{associated}"
        return f"\\rtlch\\fcs1{associated}\\ltrch\\fcs0{plain}"

    def comments(self, notes: Sequence[Note], content: str) -> str:
        """The content with comments on all of it."""
        before, after = "", ""
        for note in notes:
            self._comments += 1
            author = escaped((note.author or note.kind).replace("\n", " "))
            text = escaped(note.text).replace("\\line ", "\\par ")
            before += f"{{\\*\\atrfstart {self._comments}}}"
            after += (
                f"{{\\*\\atrfend {self._comments}}}{{\\*\\atnid {author[:1]}}}{{\\*\\atnauthor {author}}}\\chatn"
                f"{{\\*\\annotation{{\\*\\atnref {self._comments}}}\\pard\\plain {text}}}"
            )
        return before + content + after

    def _run(self, run: Run, look: Style, stretch: int) -> str:
        if run.note:
            return self._note(self.footnotes[run.note - 1], look)
        style = self.look(run.style, look, run.rtl) + (f"\\charscalex{stretch}" if stretch != 100 else "")
        if run.text in _FIELDS:
            return f"{{\\field{{\\*\\fldinst {{{style} {_FIELDS[run.text]} }}}}{{\\fldrslt {{{style} 1}}}}}}"
        if not run.link:
            return f"{{{style} {escaped(run.text)}}}"
        address = escaped(run.link.replace("\\", "%5C").replace('"', "%22").replace("\n", ""))
        style += f"\\ul\\cf{LINK_COLOR}"
        shown = (
            f"{{{style} {escaped(run.text)}}}"  # some readers take the look from before the field, others from inside
        )
        return f'{{{style} {{\\field{{\\*\\fldinst {{HYPERLINK "{address}"}}}}{{\\fldrslt {shown}}}}}}}'

    def _note(self, note: Footnote, look: Style) -> str:
        """The mark and its note; as printed where counting would give another."""
        mark = "\\chftn" if note.counted else f" {escaped(note.mark)}"
        own = small(look)
        text = "\\par ".join(self.runs(runs, own) for runs in note.paragraphs)
        before = f"{{\\super{mark}}}" if note.raised else f"{{{mark}}}"
        place = f"\\fi{twips(note.first)}\\li{twips(max(-note.first, 0.0))}" if note.first else ""
        space = "\\tab" if note.first < 0 else ""
        return f"{{\\super{mark}}}{{\\footnote\\pard\\plain{place}{self.look(Style(), own)} {before}{space} {text}}}"


_LINE = 128
"""Hexadecimal digits of a picture in one line: readers join them."""


def picture(image: Image, width: float, height: float) -> str:
    r"""`\pict`, shown in the given size in points."""
    digits = image.data.hex()
    lines = "\n".join(digits[place : place + _LINE] for place in range(0, len(digits), _LINE))
    kind = "\\jpegblip" if image.kind == "jpg" else "\\pngblip"
    shown = f"\\picwgoal{max(twips(width), 1)}\\pichgoal{max(twips(height), 1)}"
    return f"{{\\pict{kind}\\picw{image.width}\\pich{image.height}{shown}\n{lines}}}"


def placed(image: Image, box: Box, *, behind: bool) -> str:
    """A picture at its place on the page, behind the text or over it."""
    return _shape(box, behind, ("shapeType", "75"), ("pib", picture(image, box.width, box.height)))


def text_box(content: str, box: Box, *, angle: int = 0, stacked: bool = False) -> str:
    """Paragraphs and tables in a box without a frame, at its place on the page.

    angle and stacked: as in `PrintedBlock`.
    """
    margins = tuple((f"dx{side}", "0") for side in ("TextLeft", "TextRight"))
    margins += tuple((f"dy{side}", "0") for side in ("TextTop", "TextBottom"))
    flow = "1" if stacked else {90: "3", 270: "2"}.get(angle, "")
    turn = (("txflTextFlow", flow),) if flow else ()
    return _shape(box, False, ("shapeType", "202"), *margins, *turn, text=f"{{\\shptxt {content}}}")


def _shape(box: Box, behind: bool, *properties: tuple[str, str], text: str = "") -> str:
    """A shape that no text gives way to (section "Word 97 through Word 2007 RTF for Drawing Objects")."""
    edges = "".join(
        f"\\shp{side}{twips(value)}"
        for side, value in (("left", box.left), ("top", box.top), ("right", box.right), ("bottom", box.bottom))
    )
    named = (*properties, ("fBehindDocument", str(int(behind))), ("fLine", "0"), ("fFilled", "0"))
    values = "".join(f"{{\\sp{{\\sn {name}}}{{\\sv {value}}}}}" for name, value in named)
    place = "\\shpbxpage\\shpbxignore\\shpbypage\\shpbyignore"
    return f"{{\\shp{{\\*\\shpinst{edges}{place}\\shpwr3\\shpfblwtxt{int(behind)}{values}{text}}}}}"
