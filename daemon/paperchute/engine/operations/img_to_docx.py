"""img-to-docx: a picture, or the pages of a TIFF file, as a Word document (docs/contract.md#operations).

- enableOcr 1 recognises the text; 0 gives the picture itself on a page of its size. ocrOption: a picture is a scan and
  has no text of its own, so every scope takes it, save INVALID_CHARACTER.
- The other parameters do what they do for pdf-to-docx. containPageBackgroundImage 0 leaves out what is printed behind
  recognised words; without recognition it has no effect. A picture has no annotations.
"""

from __future__ import annotations

from pathlib import Path

from paperchute.engine.work import Work
from paperchute.engine.writing.docx.writer import write_docx
from paperchute.engine.writing.office.outputs import written


def run(work: Work) -> list[Path]:
    """The document. Raises Refused 02209, 100105, 02003, 190010 for pictures that cannot be read, 190005."""
    boxed = work.text("pageLayoutMode") == "e_Box"
    return written(work, "docx", lambda facts, pages, path: write_docx(facts, pages, path, boxed=boxed), looks=boxed)
