"""Recognition of a document's pages, laid as text over what they show."""

from __future__ import annotations

from collections.abc import Sequence

import pikepdf
import pypdfium2 as pdfium
from pikepdf import Name, String

from paperchute.engine.pdf.metadata import claims_of, drop_claims
from paperchute.engine.pdf.textlayer.strip import strip
from paperchute.engine.pdf.textlayer.structure import Structure
from paperchute.engine.pdf.textlayer.writing import TextLayers
from paperchute.engine.progress import counted
from paperchute.engine.reading.ocr.options import OcrOptions
from paperchute.engine.reading.ocr.text_layers import EditableReader, layer_of
from paperchute.engine.reading.omissions import tell_of_formulas
from paperchute.engine.reading.source import options_of
from paperchute.engine.work import Work

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
) -> set[int]:
    """Recognise the pages of `document` with these indices, and lay their text into `pages` of `pdf`, which show them.

    work: says how, as pdf-to-editable has it. Gives the indices of pages that are scans. Raises Refused 02207, 190005.
    """
    visible = not work.flag("transparentText")
    backgrounds = work.flag("containPageBackgroundImage")
    reader = EditableReader(document, ocr, options_of(work), colours=visible)
    different = list(dict.fromkeys(chosen))
    for index in counted(different, len(different)):
        reader.read(index)
    language = _TAGS.get(ocr.language, "")
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
        flow, formulas = work.text("pageLayoutMode") != "e_Box", work.flag("formulaToImage")
        laid = reader.laid(index)
        if formulas and not (laid and any(block.kind == "formula" for block in laid.blocks)):
            bare.append(index + 1)
        layer = layer_of(read, laid, flow=flow, formulas=formulas)
        if backgrounds or not is_scan:
            layer.pictures.clear()  # the page shows them itself
        layers.add(page, layer, silence=read.silence)
    layers.finish()
    tell_of_formulas(work, bare)
    if visible:  # in fonts that every reader has, so they are not embedded, which all these standards demand
        drop_claims(pdf, claims_of(pdf))
    if structure is not None:
        structure.finish()
    if language and Name.Lang not in pdf.Root:
        pdf.Root.Lang = String(language)
    return reader.scans
