"""Laying text into the pages of a PDF."""

from __future__ import annotations

import io
from collections.abc import Iterable

import pikepdf
import PIL.Image
from pikepdf import Array, Dictionary, Name, Object, Pdf, Stream

from paperchute.engine.document.geometry import Box
from paperchute.engine.document.model import Image
from paperchute.engine.pdf.textlayer.content import invisible_word, numbers, rectangle
from paperchute.engine.pdf.textlayer.glyphless import Glyphless
from paperchute.engine.pdf.textlayer.records import PageLayer, Passage
from paperchute.engine.pdf.textlayer.structure import Structure
from paperchute.engine.pdf.textlayer.visible import VisibleFonts
from paperchute.engine.reading.pdf.view import Matrix

_COVER = 0.6  # points around the ink that a cover hides


class TextLayers:
    """Writes the layers of one document's pages; `finish` when all are in.

    visible: show the text, in place of the ink (`cover`: which is then painted over in the paper's colour).
    structure: where the passages are entered as tags, None for no tags.
    """

    def __init__(self, pdf: Pdf, *, visible: bool, cover: bool, structure: Structure | None) -> None:
        self._pdf = pdf
        self._visible = VisibleFonts(pdf) if visible else None
        self._cover = cover
        self._structure = structure
        self._glyphless = Glyphless(pdf)
        self._names: dict[tuple[tuple[int, int], tuple[int, int]], str] = {}

    def add(self, page: pikepdf.Page, layer: PageLayer, *, silence: bool = False) -> None:
        """Put a layer over what a page shows. silence: the page's own text means nothing and is not to be read."""
        before = "/Span << /ActualText () >> BDC " if silence else ""
        before = "/Artifact BMC " + before if self._structure is not None else before
        ends = " EMC" * before.count("BMC") + " EMC" * before.count("BDC")
        over = [self._picture(page, box, image, layer.to_user) for box, image in layer.pictures]
        if self._visible is not None and self._cover:
            over += [
                rectangle(word.box.grown(_COVER), layer.to_user, word.paper)
                for passage in layer.passages
                for word in passage.words
            ]
        if self._structure is not None and over:
            over = ["/Artifact BMC", *over, "EMC"]
        if self._structure is not None:
            self._structure.open_page(page.obj)
        text = [self._passage(page, passage, layer.to_user) for passage in layer.passages]
        # What the page draws is enclosed, so that no setting of it reaches the layer.
        page.contents_add(f"{before}q\n".encode(), prepend=True)
        body = "\n".join(part for part in (*over, *text) if part)
        page.contents_add(f"\nQ{ends}\nq\n{body}\nQ".encode("latin-1"))

    def finish(self) -> None:
        """Write down the fonts."""
        self._glyphless.finish()
        if self._visible is not None:
            self._visible.finish()

    def _passage(self, page: pikepdf.Page, passage: Passage, to_user: Matrix) -> str:
        words = []
        for word in passage.words:
            if self._visible is None:
                font, shown = self._glyphless.font, invisible_word(word, to_user, self._glyphless)
            else:
                font, shown = self._visible.word(word, to_user)
            if shown:
                words.append(shown.replace("{font}", self._name(page, font)))
        if not words:
            return ""
        text = f"BT {0 if self._visible is not None else 3} Tr\n" + "\n".join(words) + "\nET"
        if self._structure is None:
            return text
        return f"/{passage.tag} << /MCID {self._structure.enter(passage)} >> BDC\n{text}\nEMC"

    def _name(self, page: pikepdf.Page, font: Object) -> str:
        """What a page calls a font."""
        key = page.obj.objgen, font.objgen
        if key not in self._names:
            self._names[key] = str(page.add_resource(font, Name.Font))[1:]
        return self._names[key]

    def _picture(self, page: pikepdf.Page, box: Box, image: Image, to_user: Matrix) -> str:
        name = page.add_resource(self._embedded(image), Name.XObject)
        x, y = to_user.at(box.left, box.bottom)
        right, top = to_user.at(box.right, box.bottom), to_user.at(box.left, box.top)
        placed = numbers(right[0] - x, right[1] - y, top[0] - x, top[1] - y, x, y)
        return f"q {placed} cm {name} Do Q"

    def _embedded(self, image: Image) -> Stream:
        facts = {"Type": Name.XObject, "Subtype": Name.Image, "Width": image.width, "Height": image.height}
        if image.kind == "jpg":
            data = pikepdf.Stream(self._pdf, image.data, Filter=Name.DCTDecode, **facts)
            with PIL.Image.open(io.BytesIO(image.data)) as opened:
                data.ColorSpace = Name.DeviceGray if opened.mode == "L" else Name.DeviceRGB
        else:
            with PIL.Image.open(io.BytesIO(image.data)) as opened:
                data = pikepdf.Stream(self._pdf, opened.convert("RGB").tobytes(), ColorSpace=Name.DeviceRGB, **facts)
        data.BitsPerComponent = 8
        return data


def without_marks(pages: Iterable[pikepdf.Page]) -> None:
    """Take annotations away; links and form fields, which a document works by, stay."""
    for page in pages:
        notes = page.obj.get(Name.Annots)
        if isinstance(notes, Array):
            kept = [note for note in notes if _is_working(note)]
            if len(kept) < len(notes):
                page.obj.Annots = Array(kept)


def _is_working(note: Object | object) -> bool:
    return isinstance(note, Dictionary) and note.get(Name.Subtype) in (Name.Link, Name.Widget)
