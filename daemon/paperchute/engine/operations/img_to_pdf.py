"""img-to-pdf: a page for each page of a picture file, as large as it says, its pixels unchanged.

enableOcr 1 lays the recognised text over them invisibly, as pdf-to-editable does by default.
"""

from __future__ import annotations

from pathlib import Path

from paperchute.engine import report
from paperchute.engine.imaging.decoder import count_frames
from paperchute.engine.pdf.picture_pages import write_picture_pdf
from paperchute.engine.reading.ocr.options import ocr_options
from paperchute.engine.work import Work, output_name


def run(work: Work) -> list[Path]:
    """The PDF. Raises Refused 02209, 100105, 02003, 190010."""
    source = work.sources[0]
    output = work.folder / output_name(work, "pdf")
    report.handles(count_frames(source.path, source.name))
    write_picture_pdf(source.path, source.name, output)
    if (ocr := ocr_options(work)) is not None:
        # Recognition needs large libraries, which a worker that never recognises does not load.
        from paperchute.engine.pdf.textlayer.layer import lay_text_over

        lay_text_over(work, ocr, output)
    return [output]
