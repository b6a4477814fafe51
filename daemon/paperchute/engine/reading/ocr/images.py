"""Picture files as documents: recognised, or just the pictures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from paperchute.engine.document.geometry import Box, Quad
from paperchute.engine.document.model import Block, Document, Facts, Page
from paperchute.engine.imaging.decoder import Frame, count_frames, open_picture
from paperchute.engine.imaging.sheets import pixels_a_point
from paperchute.engine.reading.layout.lines import segments
from paperchute.engine.reading.layout.page import PageLayout
from paperchute.engine.reading.layout.survey import Survey
from paperchute.engine.reading.ocr.figures import encoded
from paperchute.engine.reading.ocr.marks import SeenPage, Spool, page_of, seen_layout
from paperchute.engine.reading.ocr.options import OcrOptions
from paperchute.engine.reading.ocr.page import see
from paperchute.engine.reading.ocr.styles import Sizes
from paperchute.engine.reading.pdf.reader import Options


@dataclass(frozen=True, slots=True)
class PictureFile:
    """A picture file: where it lies, what its sender calls it, its kind by content."""

    path: Path
    name: str
    kind: str


def read_pictures(
    file: PictureFile, options: Options, ocr: OcrOptions | None, chosen: Sequence[int] | None = None
) -> Document:
    """The document model of a picture file, a page a frame; `chosen`: the 0-based frames, in their order, None for all.

    Without recognition (none asked for, or a scope that no picture falls under: a picture has no characters that
    could be invalid) each page is its picture. Raises Refused as `open_picture`, and 190005.
    """
    if ocr is None or not ocr.scans:
        frames = {page.number: page for page in _pictures(file, options, chosen)}
        return Document(
            Facts(_count(file, chosen, len(frames))), (frames[number] for number in _numbers(chosen, frames))
        )
    sizes, survey = Sizes(), Survey()
    spool: Spool[SeenPage] = Spool()
    read: list[int] = []
    for frame in _frames(file, chosen):
        read.append(frame.number)
        page = _recognised(frame, options, ocr, sizes)
        survey.add(frame.number, page.marks.height, segments([word for word in page.marks.words if word.angle == 0]))
        spool.put(frame.number, page)
    norms = survey.norms()
    layout = PageLayout(norms)
    pages = (seen_layout(spool.get(number), layout, options) for number in _numbers(chosen, read))
    facts = Facts(_count(file, chosen, len(read)), "", norms.body_size, shows=survey.languages.result)
    return Document(facts, pages)


def _recognised(frame: Frame, options: Options, ocr: OcrOptions, sizes: Sizes) -> SeenPage:
    picture = np.asarray(frame.picture, np.uint8)
    height, width = picture.shape[:2]
    a_point = pixels_a_point(width, height, frame.dpi)
    seen = see(picture, ocr.language, a_point * 72 if a_point * 72 == max(frame.dpi) else 0.0)
    return page_of(seen, frame.number, a_point / seen.pixel, sizes, options)


def _frames(file: PictureFile, chosen: Sequence[int] | None) -> Iterator[Frame]:
    wanted = None if chosen is None else frozenset(chosen)
    return (f for f in open_picture(file.path, file.name) if wanted is None or f.number - 1 in wanted)


def _count(file: PictureFile, chosen: Sequence[int] | None, read: int) -> int:
    """Return how many frames the file has."""
    return read if chosen is None else count_frames(file.path, file.name)


def _numbers(chosen: Sequence[int] | None, read: Iterable[int]) -> list[int]:
    """The 1-based numbers of the pages, in the order that was asked for."""
    return list(read) if chosen is None else [index + 1 for index in chosen]


def _pictures(file: PictureFile, options: Options, chosen: Sequence[int] | None) -> Iterator[Page]:
    for frame in _frames(file, chosen):
        width, height = frame.picture.size
        a_point = pixels_a_point(width, height, frame.dpi)
        box = Box(0.0, 0.0, width / a_point, height / a_point)
        blocks: tuple[Block, ...] = ()
        if options.images:
            image = encoded(np.asarray(frame.picture, np.uint8))
            blocks = (Block("image", Quad.of(box), image=image),)
        yield Page(frame.number, box.width, box.height, blocks=blocks)
