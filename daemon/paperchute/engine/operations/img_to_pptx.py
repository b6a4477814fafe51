"""img-to-pptx: a picture, or the pages of a TIFF file, as a presentation (docs/contract.md#operations).

- pageLayoutMode e_Flow lets the lines of a block reflow in its box; e_Box keeps every printed line for itself.
- enableOcr 1 recognises the text; 0 gives the picture itself on a slide of its size. The other parameters do what they
  do for pdf-to-pptx; a picture has no annotations.
"""

from __future__ import annotations

from pathlib import Path

from paperchute.engine.work import Work
from paperchute.engine.writing.office.outputs import written
from paperchute.engine.writing.pptx.presentation import write_pptx


def run(work: Work) -> list[Path]:
    """The presentation. Raises Refused 02209, 100105, 02003, 190010 for pictures that cannot be read, 190005."""
    boxed = work.text("pageLayoutMode") == "e_Box"
    return written(work, "pptx", lambda facts, pages, path: write_pptx(facts, pages, path, boxed=boxed), looks=True)
