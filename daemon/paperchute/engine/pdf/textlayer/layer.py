"""Recognised text put into the pages of a PDF, with tags in reading order."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import pikepdf
import PIL.Image
import pypdfium2 as pdfium
from pikepdf import Array, Dictionary, Name, Object, Pdf, Stream, String

from paperchute.engine.document.geometry import Box
from paperchute.engine.document.model import Image
from paperchute.engine.pdf.catalog import claims_of, drop_claims
from paperchute.engine.pdf.document import open_pdf
from paperchute.engine.pdf.textlayer.account import TextAccount
from paperchute.engine.pdf.textlayer.content import PageLayer, Passage, invisible_word, numbers, rectangle, strip
from paperchute.engine.pdf.textlayer.glyphless import Glyphless
from paperchute.engine.pdf.textlayer.visible import VisibleFonts
from paperchute.engine.reading.ocr.options import LAYER_DEFAULTS, OcrOptions
from paperchute.engine.reading.ocr.text_layers import EditableReader, layer_of
from paperchute.engine.reading.omissions import tell_of_formulas, tell_of_unsure
from paperchute.engine.reading.pdf.document import opened
from paperchute.engine.reading.pdf.view import Matrix
from paperchute.engine.reading.source import options_of
from paperchute.engine.report import counted
from paperchute.engine.work import Work


class Structure:
    """The structure tree of a document whose pages' text is all laid in here."""

    def __init__(self, pdf: Pdf, language: str) -> None:
        self._pdf = pdf
        self._root = pdf.make_indirect(Dictionary(Type=Name.StructTreeRoot))
        self._top = self._element("Document", self._root)
        if language:
            self._top.Lang = String(language)
        self._parents: list[Object] = []
        self._page: Object | None = None
        self._marked: list[Object] = []
        self._open: list[tuple[tuple[str, int], Object]] = []

    def open_page(self, page: Object) -> None:
        """The passages that follow stand on this page."""
        self._close_page()
        self._page = page
        self._open = []
        page.StructParents = len(self._parents)
        page.Tabs = Name.S

    def enter(self, passage: Passage) -> int:
        """A passage under its elements; the number that marks its content on the page."""
        shared = 0
        while shared < min(len(self._open), len(passage.path)) and self._open[shared][0] == passage.path[shared]:
            shared += 1
        del self._open[shared:]
        for step in passage.path[shared:]:
            self._open.append((step, self._element(step[0], self._open[-1][1] if self._open else self._top)))
        element = self._element(passage.tag, self._open[-1][1] if self._open else self._top)
        element.Pg = self._page
        element.K = len(self._marked)
        self._marked.append(element)
        return len(self._marked) - 1

    def finish(self) -> None:
        """Enter the tree into the document."""
        self._close_page()
        numbers: list[object] = []
        for key, found in enumerate(self._parents):
            numbers += [key, found]
        self._root.ParentTree = self._pdf.make_indirect(Dictionary(Nums=Array(numbers)))
        self._root.ParentTreeNextKey = len(self._parents)
        self._pdf.Root.StructTreeRoot = self._root
        self._pdf.Root.MarkInfo = Dictionary(Marked=True)

    def _close_page(self) -> None:
        if self._page is not None:
            self._parents.append(self._pdf.make_indirect(Array(self._marked)))
        self._page, self._marked = None, []

    def _element(self, kind: str, parent: Object) -> Object:
        element = self._pdf.make_indirect(Dictionary(Type=Name.StructElem, S=Name("/" + kind), P=parent))
        kids = parent.get(Name.K)
        if isinstance(kids, Array):
            kids.append(element)
        else:
            parent.K = Array([element])
        return element


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
        """Return what a page calls a font."""
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


_TAGS = {
    "ENGLISH": "en",
    "CHINESE": "zh-Hans",
    "CHINESE_TRAD": "zh-Hant",
    "JAPANESE": "ja",
    "KOREAN": "ko",
    "TAMIL": "ta",
    "TELUGU": "te",
    "KANNADA": "kn",
    "THAI": "th",
    "GREEK": "el",
}
"""BCP 47 tags of the codes that name one language."""


def lay_text(
    work: Work,
    ocr: OcrOptions,
    document: pdfium.PdfDocument,
    pdf: pikepdf.Pdf,
    pages: Sequence[pikepdf.Page],
    chosen: Sequence[int],
    account: TextAccount,
) -> set[int]:
    """Recognise the pages of `document` with these indices, and lay their text into `pages` of `pdf`, which show them.

    work: says how, as pdf-to-editable has it. account: where the words are entered. Gives the indices of pages that are
    scans. Raises Refused 02207, 190005.
    """
    reader = EditableReader(document, ocr, options_of(work), colours=not work.flag("transparentText"))
    different = list(dict.fromkeys(chosen))
    for index in counted(different, len(different)):
        reader.read(index)
    lay_read(work, reader, pdf, pages, chosen, account)
    return reader.scans


def lay_read(
    work: Work,
    reader: EditableReader,
    pdf: pikepdf.Pdf,
    pages: Sequence[pikepdf.Page],
    chosen: Sequence[int],
    account: TextAccount,
    moved: Mapping[int, Matrix] = MappingProxyType({}),
) -> None:
    """Lay what was recognised of the pages with these indices into `pages` of `pdf`.

    work, account: see `lay_text`. moved: how the picture of a page was moved in its user space, by its index.
    """
    visible = not work.flag("transparentText")
    backgrounds = work.flag("containPageBackgroundImage")
    language = _TAGS.get(reader.recognises, "") or reader.language
    tagged = work.flag("enableAiLayout") and reader.scans >= set(chosen) and Name.StructTreeRoot not in pdf.Root
    structure = Structure(pdf, language) if tagged else None
    layers = TextLayers(pdf, visible=visible, cover=backgrounds, structure=structure)
    bare: list[int] = []  # pages without a formula
    for index, page in zip(chosen, pages, strict=True):
        read = reader.page(index)
        if read is None:
            continue
        is_scan = index in reader.scans
        strip(pdf, page, hidden_text=True, images=is_scan and not backgrounds)
        account.lay(index, read.words, whole=read.page is not None)
        flow, formulas = work.text("pageLayoutMode") != "e_Box", work.flag("formulaToImage")
        laid = reader.laid(index)
        if formulas and not (laid and any(block.kind == "formula" for block in laid.blocks)):
            bare.append(index + 1)
        layer = layer_of(read, laid, flow=flow, formulas=formulas)
        if index in moved:
            layer.to_user = moved[index].after(layer.to_user)
        if formulas and laid:
            account.leave(index, [line for block in laid.blocks if block.kind == "formula" for line in block.lines])
        if backgrounds or not is_scan:
            layer.pictures.clear()  # the page shows them itself
        layers.add(page, layer, silence=read.silence)
    layers.finish()
    tell_of_formulas(work, bare)
    tell_of_unsure(work, reader.unsure)
    if visible:  # in fonts that every reader has, so they are not embedded, which all these standards demand
        drop_claims(pdf, claims_of(pdf))
    if structure is not None:
        structure.finish()
    if language and Name.Lang not in pdf.Root:
        pdf.Root.Lang = String(language)


def lay_text_over(work: Work, ocr: OcrOptions, path: Path) -> None:
    """Lay the text of a finished document's pages over them, in its place. Raises as `lay_text`."""
    account = TextAccount()
    asked = replace(work, parameters={**LAYER_DEFAULTS, **work.parameters})
    seen = path.with_suffix(".seen")
    path.replace(seen)
    with open_pdf(seen, path.name) as pdf, opened(seen, path.name, "") as document:
        pages = range(len(pdf.pages))
        lay_text(asked, ocr, document, pdf, list(pdf.pages), pages, account)
        pdf.save(path)
    account.settle(seen, "", path, pages)
    seen.unlink()
