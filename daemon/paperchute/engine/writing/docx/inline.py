"""Runs, links, notes, comments and pictures inside paragraphs."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from docx.document import Document
from docx.opc.constants import RELATIONSHIP_TYPE as RT
from docx.opc.packuri import PackURI
from docx.parts.image import ImagePart
from lxml.etree import _Element

from paperchute.engine.document.geometry import Box
from paperchute.engine.document.model import Image, Note, Style
from paperchute.engine.reading.layout.typography import TYPOGRAPHY
from paperchute.engine.writing.docx.styles import fonts, sizes
from paperchute.engine.writing.docx.xml import element, emu, flag, shading
from paperchute.engine.writing.office.fonts import MONO, family
from paperchute.engine.writing.office.notes import Footnote
from paperchute.engine.writing.office.parts import COUNT_FIELD, PAGE_FIELD, CellPicture
from paperchute.engine.writing.office.runs import Run, clean

_PAGE = "http://schemas.openxmlformats.org/drawingml/2006/picture"
_FIELDS = {PAGE_FIELD: "PAGE", COUNT_FIELD: "NUMPAGES"}


@dataclass(slots=True)
class Inline:
    """Makes what stands inside paragraphs; knows the package, so that pictures and addresses are stored once.

    footnotes: those of the document, as far as read. Ids of drawings and comments are its own and never repeat.
    """

    document: Document
    footnotes: Sequence[Footnote]
    _drawings: int = 0
    _images: dict[bytes, ImagePart] = field(default_factory=dict)
    _links: dict[tuple[int, str], str] = field(default_factory=dict)

    def runs(self, runs: Iterable[Run], base: Style, part: Any = None) -> list[_Element]:
        """The elements of runs. base: the look the paragraph's style gives. part: the story, the body by default."""
        found: list[_Element] = []
        linked = ""
        for run in runs:
            if run.note or run.text in _FIELDS:
                found.append(self._reference(run) if run.note else _field(_FIELDS[run.text], run, base))
                linked = ""
                continue
            made = _run(run, base, linked=bool(run.link))
            if not run.link:
                found.append(made)
            elif linked == run.link:
                found[-1].append(made)
            else:
                story = part if part is not None else self.document.part
                found.append(element("w:hyperlink", {"r:id": self._address(story, run.link)}, made))
            linked = run.link
        return found

    def comments(self, notes: Sequence[Note], content: Sequence[_Element]) -> list[_Element]:
        """The content with comments on all of it."""
        before: list[_Element] = []
        after: list[_Element] = []
        for note in notes:
            author = clean(note.author).replace("\n", " ") or note.kind
            made = self.document.part.comments.add_comment(clean(note.text), author, author[:1].upper())
            place: dict[str, object] = {"w:id": made.comment_id}
            before.append(element("w:commentRangeStart", place))
            style = element("w:rPr", None, element("w:rStyle", {"w:val": "CommentReference"}))
            after += [
                element("w:commentRangeEnd", place),
                element("w:r", None, style, element("w:commentReference", place)),
            ]
        return [*before, *content, *after]

    def picture(self, image: Image, width: float, height: float, part: Any = None, words: str = "") -> _Element:
        """A run with a picture that stands in the text like a letter, in points; words: what is read out for it."""
        number, graphic = self._graphic(image, width, height, part)
        return _drawing(
            element(
                "wp:inline",
                {"distT": 0, "distB": 0, "distL": 0, "distR": 0},
                element("wp:extent", {"cx": emu(width), "cy": emu(height)}),
                element("wp:docPr", {"id": number, "name": f"Picture {number}", "descr": words}),
                graphic,
            )
        )

    def cell_picture(self, picture: CellPicture) -> _Element:
        """A run with a picture that stands in a cell."""
        return self.picture(picture.image, picture.width, picture.height, words=picture.words)

    def placed(self, image: Image, box: Box, *, behind: bool) -> _Element:
        """A run with a picture at its place on the page, behind the text or over it."""
        number, graphic = self._graphic(image, box.width, box.height, None)
        return _drawing(anchor(box, number, f"Picture {number}", graphic, behind=behind))

    def next_drawing(self) -> int:
        """An id for one more drawing."""
        self._drawings += 1
        return self._drawings

    def _graphic(self, image: Image, width: float, height: float, part: Any) -> tuple[int, _Element]:
        story = part if part is not None else self.document.part
        relation = story.relate_to(self._stored(image), RT.IMAGE)
        number = self.next_drawing()
        size: dict[str, object] = {"cx": emu(width), "cy": emu(height)}
        picture = element(
            "pic:pic",
            None,
            element(
                "pic:nvPicPr",
                None,
                element("pic:cNvPr", {"id": number, "name": f"image.{image.kind}"}),
                element("pic:cNvPicPr"),
            ),
            element(
                "pic:blipFill",
                None,
                element("a:blip", {"r:embed": relation}),
                element("a:stretch", None, element("a:fillRect")),
            ),
            element(
                "pic:spPr",
                None,
                element("a:xfrm", None, element("a:off", {"x": 0, "y": 0}), element("a:ext", size)),
                element("a:prstGeom", {"prst": "rect"}, element("a:avLst")),
            ),
        )
        return number, element("a:graphic", None, element("a:graphicData", {"uri": _PAGE}, picture))

    def _stored(self, image: Image) -> ImagePart:
        """The package's part with the picture's bytes. python-docx would refuse JPEGs without a JFIF or EXIF head."""
        key = hashlib.sha256(image.data).digest()
        if key not in self._images:
            name = PackURI(f"/word/media/image{len(self._images) + 1}.{image.kind}")
            kind = "image/jpeg" if image.kind == "jpg" else "image/png"
            self._images[key] = ImagePart(name, kind, image.data)
        return self._images[key]

    def _address(self, story: Any, link: str) -> str:
        key = (id(story), link)
        if key not in self._links:
            self._links[key] = story.relate_to(clean(link), RT.HYPERLINK, is_external=True)
        return self._links[key]

    def _reference(self, run: Run) -> _Element:
        """The mark of a footnote; as printed where counting would give another."""
        note = self.footnotes[run.note - 1]
        style = element("w:rPr", None, element("w:rStyle", {"w:val": "FootnoteReference"}))
        if note.counted:
            return element("w:r", None, style, element("w:footnoteReference", {"w:id": note.number}))
        reference = element("w:footnoteReference", {"w:customMarkFollows": 1, "w:id": note.number})
        return element("w:r", None, style, reference, _text(note.mark))


def anchor(box: Box, number: int, name: str, graphic: _Element, *, behind: bool) -> _Element:
    """Something at a fixed place of the page, in front of the text or behind it, that no text gives way to."""
    return element(
        "wp:anchor",
        {
            "distT": 0, "distB": 0, "distL": 0, "distR": 0, "simplePos": 0, "relativeHeight": number,
            "behindDoc": int(behind), "locked": 0, "layoutInCell": 1, "allowOverlap": 1,
        },
        element("wp:simplePos", {"x": 0, "y": 0}),
        element("wp:positionH", {"relativeFrom": "page"}, element("wp:posOffset", text=str(emu(box.left)))),
        element("wp:positionV", {"relativeFrom": "page"}, element("wp:posOffset", text=str(emu(box.top)))),
        element("wp:extent", {"cx": max(emu(box.width), 1), "cy": max(emu(box.height), 1)}),
        element("wp:effectExtent", {"l": 0, "t": 0, "r": 0, "b": 0}),
        element("wp:wrapNone"),
        element("wp:docPr", {"id": number, "name": name}),
        element("wp:cNvGraphicFramePr"),
        graphic,
    )  # fmt: skip


def run_properties(run: Run, base: Style, linked: bool = False) -> list[_Element]:
    """The `w:rPr` of a run, in a list; empty when the style says all."""
    style = run.style
    name = family(style.font) or (MONO if style.mono else "")
    parts = [element("w:rStyle", {"w:val": "Hyperlink"})] if linked else []
    if name and name != base.font:
        parts.append(fonts(name))
    for wanted, given, tag in ((style.bold, base.bold, "b"), (style.italic, base.italic, "i")):
        if wanted != given:
            value: dict[str, object] = {} if wanted else {"w:val": 0}
            parts += [element(f"w:{tag}", value), element(f"w:{tag}Cs", value)]
    parts += flag("w:strike", style.strike)
    if style.color and not linked:
        parts.append(element("w:color", {"w:val": style.color.lstrip("#").upper()}))
    if style.size and abs(style.size - base.size) >= TYPOGRAPHY.size_step and not style.script:
        parts += sizes(style.size)
    if style.underline and not linked:
        parts.append(element("w:u", {"w:val": "single"}))
    if style.ground:
        parts.append(shading(style.ground))
    if style.script:
        parts.append(element("w:vertAlign", {"w:val": "superscript" if style.script == "super" else "subscript"}))
    parts += flag("w:rtl", run.rtl)
    return [element("w:rPr", None, *parts)] if parts else []


def stretch(content: list[_Element], percent: int) -> None:
    """Make letters wider or narrower: `w:w`, in its place among a run's properties (ECMA-376 part 1, 17.3.2)."""
    if percent == 100:
        return
    before = {"rStyle", "rFonts", "b", "bCs", "i", "iCs", "strike", "color"}
    for run in [found for made in content for found in made.iter("{*}r")]:
        properties = run.find("{*}rPr")
        if properties is None:
            properties = element("w:rPr")
            run.insert(0, properties)
        place = sum(child.tag.rpartition("}")[2] in before for child in properties)
        properties.insert(place, element("w:w", {"w:val": percent}))


def _run(run: Run, base: Style, linked: bool) -> _Element:
    """Newlines and tabs are elements of their own."""
    made = element("w:r", None, *run_properties(run, base, linked))
    for number, line in enumerate(run.text.split("\n")):
        if number:
            made.append(element("w:br"))
        for place, text in enumerate(line.split("\t")):
            if place:
                made.append(element("w:tab"))
            if text:
                made.append(_text(text))
    return made


def _text(text: str) -> _Element:
    return element("w:t", {"xml:space": "preserve"}, text=text)


def _field(code: str, run: Run, base: Style) -> _Element:
    shown = element("w:r", None, *run_properties(Run("1", run.style), base), _text("1"))
    return element("w:fldSimple", {"w:instr": f" {code} "}, shown)


def _drawing(content: _Element) -> _Element:
    return element("w:r", None, element("w:drawing", None, content))
