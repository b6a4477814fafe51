"""pdf-to-markdown: a born-digital PDF as Markdown (contract section 9).

- enableAiLayout 0 reads lines straight across from top to bottom, without columns, headings, lists or tables.
- pageLayoutMode e_Flow reflows paragraphs and leaves running heads, feet and page numbers out; e_Box keeps every
  printed line as a line of its own, and the page furniture too.
- isContainImg 0 leaves no image references. containPageBackgroundImage 0 drops pictures that lie behind a page's text;
  a page that is only a picture is content and stays.
- isContainAnnot: annotations with words become quotes after their page.
- formulaToImage 1 puts displayed formulas in as pictures; formulas inside lines stay text.
"""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from paperchute.contract import PageListError, select_pages
from paperchute.engine.reading.pdf.opening import opened
from paperchute.engine.reading.pdf.reader import Options, read_pdf
from paperchute.engine.work import Refused, Work
from paperchute.engine.writing.markdown import MarkdownWriter


def check(work: Work) -> None:
    """Raises Refused 03000 when OCR is asked for."""
    if work.flag("enableOcr"):
        raise Refused(
            "03000",
            "enableOcr: text recognition is not part of this engine yet; send 0 to read the text the PDF holds.",
            "enableOcr：本引擎尚不支持文字识别，请传 0。",
        )


def run(work: Work) -> list[Path]:
    """The Markdown file (or one for each page), then its images. Raises Refused 02201, 120002, 02207, 110001."""
    source = work.sources[0]
    stem = PurePosixPath(source.name).stem or "document"
    options = Options(
        layout=bool(work.parameters.get("enableAiLayout", True)),
        images=bool(work.parameters.get("isContainImg", True)),
        backgrounds=bool(work.parameters.get("containPageBackgroundImage", True)),
        notes=bool(work.parameters.get("isContainAnnot", True)),
        formulas=work.flag("formulaToImage"),
    )
    boxed = work.text("pageLayoutMode") == "e_Box"
    with opened(source.path, source.name, work.text("password")) as pdf:
        try:
            selected = select_pages(work.text("pageRanges"), len(pdf))
        except PageListError as error:
            raise Refused("110001", f"pageRanges: {error}.") from None
        document = read_pdf(pdf, selected, options)
        if not work.flag("isOutputDocumentPerPage"):
            writer = MarkdownWriter(work.folder, stem, boxed)
            return [writer.write(document.pages), *writer.images]
        texts: list[Path] = []
        images: list[Path] = []
        digits = len(str(max(selected) + 1))
        for page in document.pages:
            writer = MarkdownWriter(work.folder, f"{stem}-{page.number:0{digits}}", boxed)
            texts.append(writer.write([page]))
            images += writer.images
    return [*dict.fromkeys(texts), *dict.fromkeys(images)]
