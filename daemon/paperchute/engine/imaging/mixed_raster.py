"""A scanned page parted into paper and ink: ink as bits at full sharpness, the paper below as a small picture.

Mixed raster content (ITU-T T.44) in the plainest form that every reader of PDF draws: the paper's picture, and above
it one stencil for each colour of ink. A page of text is then a tenth of what JPEG makes of it, with sharper letters.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from paperchute.engine.imaging.measures import PRINT
from paperchute.engine.imaging.planes import Pixels, scaled

_Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Ink:
    """What one colour draws. stencil: 0 where ink is, 255 elsewhere; as large as the picture, or twice as large."""

    colour: tuple[int, ...]
    stencil: Pixels


@dataclass(frozen=True, slots=True)
class MixedRaster:
    """A page's picture in layers. paper: JPEG, grey or RGB as the picture was; it fills the same place."""

    paper: bytes
    inks: tuple[Ink, ...]

    def render(self, size: tuple[int, int], mode: str) -> Image.Image:
        """Draw the layers as a picture of this size (width, height in pixels) and mode (`L` or `RGB`)."""
        with Image.open(io.BytesIO(self.paper)) as paper:
            shown = paper.convert(mode).resize(size, Image.Resampling.BILINEAR)
        for ink in self.inks:
            covers = Image.fromarray(255 - ink.stencil).resize(size, Image.Resampling.BOX)
            colour = ink.colour[0] if mode == "L" else ink.colour
            shown.paste(Image.new(mode, size, colour), (0, 0), covers)
        return shown


@dataclass(frozen=True, slots=True)
class MixedRasterSettings:
    """What is ink on a scanned page, and how little of its paper is kept."""

    papers: tuple[tuple[float, int], ...] = ((100.0, 50), (150.0, 65))
    """The paper's dpi and JPEG quality, from the smallest up."""

    thickest: float = 0.06
    """Inches from the edge of a stroke to its middle: what is thicker is an area or a picture."""

    paper_dpi: float = 75.0
    """At which the paper's tone is looked for."""

    most_pieces: int = 200_000
    """Connected pieces of ink, a bound on work: a page of small print has 20,000."""


MIXED_RASTER = MixedRasterSettings()


def separate(picture: Image.Image, dpi: float) -> Iterator[MixedRaster]:
    """Part a scanned page into ink and paper, from the smallest result up; nothing where it is no page of text.

    Args:
        picture: Grey or RGB.
        dpi: Its pixels per inch.
    """
    if dpi < PRINT.surely * PRINT.coarse:  # letters have too few pixels to be bits
        return
    values = np.asarray(picture, np.uint8)
    depth = _depth(values, dpi)
    inks, covered = _inks(values, depth, dpi)
    if not inks:
        return
    for paper_dpi, quality in MIXED_RASTER.papers:
        bare = Image.fromarray(_bare_paper(values, covered, min(1.0, paper_dpi / dpi)))
        out = io.BytesIO()
        bare.save(out, "JPEG", quality=quality, optimize=True)
        yield MixedRaster(out.getvalue(), inks)


def _depth(values: Pixels, dpi: float) -> Pixels:
    """Return how much darker each pixel is than the paper around it."""
    grey = values if values.ndim == 2 else np.asarray(cv2.cvtColor(values, cv2.COLOR_RGB2GRAY), np.uint8)
    share = min(1.0, MIXED_RASTER.paper_dpi / dpi)
    small = scaled(grey, share)
    closed = cv2.morphologyEx(small, cv2.MORPH_CLOSE, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (9, 9)))
    paper = cv2.resize(cv2.GaussianBlur(closed, (0, 0), 3), grey.shape[::-1], interpolation=cv2.INTER_LINEAR)
    return np.asarray(cv2.subtract(paper, grey), np.uint8)


def _inks(values: Pixels, depth: Pixels, dpi: float) -> tuple[tuple[Ink, ...], Pixels]:
    """The colours that draw strokes, and where they do (1; 0 elsewhere)."""
    nothing = (), np.zeros_like(depth)
    strong = depth[depth > PRINT.faint]
    if not 0 < strong.size < PRINT.quarter * depth.size:
        return nothing
    split, _bits = cv2.threshold(strong.reshape(-1, 1), 0, 255, cv2.THRESH_OTSU)
    half = max(PRINT.faint, float(np.median(strong[strong >= split])) / 2)
    mask = (depth > half).astype(np.uint8)
    count, found = cv2.connectedComponents(mask, connectivity=8)
    labels = np.asarray(found, np.int32)
    if not 1 < count <= MIXED_RASTER.most_pieces:
        return nothing
    colours, sizes = _colours(values, depth, mask, labels, count)
    thick = cv2.distanceTransform(mask, cv2.DIST_L2, 3) > MIXED_RASTER.thickest * dpi
    is_stroke = np.ones(count, bool)
    is_stroke[labels[thick]] = False
    is_stroke[0] = False
    scale = 2 if dpi < PRINT.surely * PRINT.fine else 1
    inks, covered = [], np.zeros_like(depth)
    for _number in range(PRINT.several):
        if not is_stroke.any():
            break
        colour = _usual(colours[is_stroke], sizes[is_stroke])
        belongs = is_stroke & (np.abs(colours - colour).max(axis=1) <= PRINT.faint)
        if not belongs.any():
            break
        is_stroke &= ~belongs
        here = belongs[labels].astype(np.uint8)
        covered |= here
        tinted = np.where(cv2.dilate(here, np.ones((3, 3), np.uint8)) > 0, depth, 0).astype(np.uint8)
        if scale > 1:
            tinted = np.asarray(cv2.resize(tinted, None, fx=scale, fy=scale, interpolation=cv2.INTER_CUBIC), np.uint8)
        stencil = np.where(tinted > half, 0, 255).astype(np.uint8)
        inks.append(Ink(tuple(round(float(value)) for value in colour), stencil))
    return tuple(inks), covered


def _colours(
    values: Pixels, depth: Pixels, mask: Pixels, labels: NDArray[np.int32], count: int
) -> tuple[_Floats, _Floats]:
    """Of each piece of ink its colour, which its darkest pixels have, since edges are half paper; and its pixels."""
    where = mask > 0
    pieces = labels[where]
    weights = depth[where].astype(np.float64) ** 4
    total = np.maximum(np.bincount(pieces, weights, count), 1e-9)
    planes = values[where].reshape(pieces.size, -1)
    means = [np.bincount(pieces, weights * plane, count) / total for plane in planes.T]
    return np.stack(means, axis=1).astype(np.float32), np.bincount(pieces, minlength=count).astype(np.float32)


def _usual(colours: _Floats, sizes: _Floats) -> _Floats:
    """The colour that most pixels have, of those of pieces of ink; each channel by itself."""
    found = []
    for channel in colours.T:
        order = np.argsort(channel)
        sums = np.cumsum(sizes[order])
        found.append(channel[order][int(np.searchsorted(sums, sums[-1] / 2))])
    return np.asarray(found, np.float32)


def _bare_paper(values: Pixels, covered: Pixels, share: float) -> Pixels:
    """The page without its ink, smaller by `share`: below ink is what lies around it."""
    bare = 1 - np.asarray(cv2.dilate(covered, np.ones((5, 5), np.uint8)), np.uint8)
    size = max(1, round(values.shape[1] * share)), max(1, round(values.shape[0] * share))
    planes = values.reshape(*values.shape[:2], -1) * bare[:, :, None]
    weight = np.asarray(cv2.resize(bare.astype(np.float32), size, interpolation=cv2.INTER_AREA), np.float32)
    small = np.asarray(cv2.resize(planes.astype(np.float32), size, interpolation=cv2.INTER_AREA), np.float32)
    toned = small.reshape(*weight.shape, -1)
    result, reach = toned.copy(), 1.0
    known = weight > PRINT.hair
    result[known] /= weight[known][:, None]
    while not known.all() and reach < max(size):
        reach *= 2
        around = np.asarray(cv2.GaussianBlur(weight, (0, 0), reach), np.float32)
        blurred = np.asarray(cv2.GaussianBlur(toned, (0, 0), reach), np.float32).reshape(toned.shape)
        found = ~known & (around > PRINT.speck)
        result[found] = blurred[found] / around[found][:, None]
        known |= found
    return np.clip(result, 0, 255).astype(np.uint8).reshape(*weight.shape, *values.shape[2:])
