"""pdf-to-pptx: a PDF as a presentation, a slide a page (docs/contract.md#operations).

- pageLayoutMode e_Flow lets the lines of a block reflow in its box; e_Box keeps every printed line for itself.
- What the page draws, its pictures too, lies behind as one picture; text and tables on it can be edited where they are.
- isContainAnnot: annotations with words become the slide's notes. The other parameters do what they do for pdf-to-docx.
"""

from __future__ import annotations

from pathlib import Path

from paperchute.engine.work import Work
from paperchute.engine.writing.office.outputs import written
from paperchute.engine.writing.pptx.presentation import write_pptx


def run(work: Work) -> list[Path]:
    """The presentation, or one for each page. Raises Refused 02201, 120002, 02207, 110001."""
    boxed = work.text("pageLayoutMode") == "e_Box"
    return written(work, "pptx", lambda facts, pages, path: write_pptx(facts, pages, path, boxed=boxed), looks=True)
