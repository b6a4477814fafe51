"""pdf-to-editable: a PDF whose text can be searched, marked and copied (contract section 9).

Recognised text is laid over the ink of each page that `ocrOption` has; what the page shows, its pictures and the text
it has stay as they are. Text that an earlier recognition laid in is replaced.

- transparentText 1 lays it in invisibly; what was PDF/A stays so. 0 shows it, in the ink's colour, in place of the
  ink, which is painted over; a claim to meet PDF/A is then taken out, as the fonts are not embedded.
- containPageBackgroundImage 0 takes the picture of each scanned page away, which leaves its text and, with
  isContainImg 1, the pictures on it; it needs transparentText 0, as nothing would be seen otherwise.
- isContainImg 0 takes the pictures from pages that are no scans. isContainAnnot 0 takes annotations, except links and
  form fields.
- enableAiLayout 1 gives the text in reading order (and, where all pages are scans, with tags for headings,
  paragraphs, lists and tables); 0 from top to bottom.
- pageLayoutMode e_Flow makes hyphens that divide words at the ends of lines soft, so that the words are found; e_Box
  keeps every line as it is printed.
- formulaToImage 1 leaves displayed formulas as pictures without text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pikepdf
import pypdfium2 as pdfium
from pikepdf import Name, String

from paperchute.engine.naming import output_name
from paperchute.engine.pdf.joining import Joiner
from paperchute.engine.pdf.metadata import claims_of, drop_claims
from paperchute.engine.pdf.opening import open_pdf, pages_of
from paperchute.engine.pdf.parting import parted
from paperchute.engine.progress import counted
from paperchute.engine.reading.lacking import tell_of_formulas
from paperchute.engine.reading.ocr.options import OcrOptions, check_ocr, ocr_options
from paperchute.engine.reading.pdf.opening import opened
from paperchute.engine.reading.source import options_of
from paperchute.engine.work import Refused, Work

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


def check(work: Work) -> None:
    """Raises Refused 03000: a language that is not installed; invisible text on pages without their picture."""
    work = _with_defaults(work)
    check_ocr(work)
    if work.flag("enableOcr") and not work.flag("containPageBackgroundImage") and work.flag("transparentText"):
        raise Refused(
            "03000",
            "containPageBackgroundImage 0 takes the scan away, and transparentText 1 makes the text invisible: the "
            "page would be empty. Send transparentText 0 with it.",
            "containPageBackgroundImage 为 0 且 transparentText 为 1 时页面将为空白，请同时传 transparentText 0。",
        )


def run(work: Work) -> list[Path]:
    """The document, or one for each page. Raises Refused 02201, 120002, 02207, 110001, 190005."""
    work = _with_defaults(work)
    source = work.sources[0]
    output = work.folder / output_name(work, "pdf", source.name)
    with open_pdf(source.path, source.name, work.text("password")) as pdf:
        chosen = pages_of(pdf, work.text("pageRanges"), source.name)
        joiner = Joiner()
        taken = joiner.take(pdf, chosen)
        bare = work.folder / "bare.tmp"
        joiner.save(bare, taken.pages, taken.shown)
    with open_pdf(bare, source.name) as pdf:
        _fill(work, pdf, list(pdf.pages), chosen)
        pdf.remove_unreferenced_resources()  # pictures that no page draws any more
        pdf.save(output)
    bare.unlink()
    return parted(output, chosen) if work.flag("isOutputDocumentPerPage") else [output]


def _with_defaults(work: Work) -> Work:
    """Absent parameters mean what the contract's defaults say."""
    names = ("enableOcr", "transparentText", "containPageBackgroundImage", "isContainImg", "isContainAnnot")
    return replace(work, parameters={**dict.fromkeys(names, 1), "enableAiLayout": 1, **work.parameters})


def _fill(work: Work, pdf: pikepdf.Pdf, pages: Sequence[pikepdf.Page], chosen: Sequence[int]) -> None:
    """Do to the pages of the new document what the parameters ask for."""
    # Recognition needs large libraries, which a worker that never recognises does not load.
    from paperchute.engine.pdf.textlayer.strip import strip
    from paperchute.engine.pdf.textlayer.writing import without_marks

    ocr = ocr_options(work)
    scans: set[int] = set()
    if ocr is not None:
        source = work.sources[0]
        with opened(source.path, source.name, work.text("password")) as document:
            scans = _lay_text(work, ocr, document, pdf, pages, chosen)
    if not work.flag("isContainImg"):
        for index, page in zip(chosen, pages, strict=True):
            if index not in scans:
                strip(pdf, page, hidden_text=False, images=True)
    if not work.flag("isContainAnnot"):
        without_marks(pages)


def _lay_text(
    work: Work,
    ocr: OcrOptions,
    document: pdfium.PdfDocument,
    pdf: pikepdf.Pdf,
    pages: Sequence[pikepdf.Page],
    chosen: Sequence[int],
) -> set[int]:
    """Recognise and lay the text in; the indices of pages that are scans."""
    from paperchute.engine.pdf.textlayer.strip import strip
    from paperchute.engine.pdf.textlayer.structure import Structure
    from paperchute.engine.pdf.textlayer.writing import TextLayers
    from paperchute.engine.reading.ocr.editable import EditableReader
    from paperchute.engine.reading.ocr.layers import layer_of

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
    bare: list[int] = []
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
