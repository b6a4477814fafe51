"""Telling a page that nobody wrote on from one with a tick or a page number on it, by its picture.

No ink are the paper's tone, dust, shadows at the edges of the scan, punch holes, streaks of the sensor, and what shines
through from the other side of the sheet, which must then be found there, mirrored and much darker. All else is ink: a
page that is wrongly kept costs nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from paperchute.engine.document.geometry import Box

DPI = 100.0
"""Pixels per inch of the pictures that are looked at."""

Verdict = Literal["blank", "unsure", "written"]
"""unsure: there is hardly any ink, but more than can be explained."""

_MM = DPI / 25.4
_PALE = 0.07  # below the paper's tone, as a share of it: less is the paper itself
_FAINT, _LONGER = 0.035, 3 * _MM  # paler than that, but so long: a stroke of a pencil, or the foot of a letter behind
_NOISES = 5.0  # times the paper's noise
_SHINES = 0.5  # what shines through 60 g paper is no darker, and half as dark as the ink that it is of
_DUST = 1.2 * _MM  # the largest speck
_SPECK = 0.75  # of that: what one adds to a letter of the other side
_IN_LINE = 0.1  # of their distance: how far two holes may stand off the line of an edge
_ROUND = (0.8, 1.25)  # a hole's width, as a share of its height
_FULL = (0.8, 1.1)  # a hole's outline, as a share of a disc's; the first one of its ink as well
_CROWD, _CROWDED = round(15 * _MM), 5  # so many specks in a square of 15 mm are faint writing
_STROKE = round(9 * _MM)  # what is wider is an area, as a photograph or a dark band
_EDGE, _WEDGE = 8 * _MM, 22 * _MM  # shadows of the lid; of a sheet that lies askew
_BLACK, _COLOURLESS = 0.6, 20.0  # darker than the paper, as the inside of a scanner is; of 255 between channels
_LONG = 4.0  # times its reach into the page: such a shadow's length along the edge
_HOLE, _HOLE_AT = (4.0 * _MM, 9.0 * _MM), (4 * _MM, 20 * _MM)  # ISO 838: 6 mm wide, 12 mm from the edge
_HOLES_APART = (70 * _MM, 80 * _MM, 108 * _MM)  # Swedish, ISO 838, American
_EXACTLY, _SAME_TONE = 3 * _MM, 0.15
_EVEN = 0.85  # of the paper's tone: what is darker is an area of ink
_COARSE = 4  # pixels in one of those by which areas are told from shadows
_AREAS = tuple(round(side * _MM / _COARSE) for side in (20, 60, 150))  # at least as high or as wide as they are
_SHARP = 0.5  # of its depth: how far an area's tone falls at its outline; a shadow's falls little by little
_REACH = round(12 * _MM)  # two sides of a sheet lie that far apart at most
_LEAST_SHOWN = 0.2  # of the other side's ink that must shine through, for anything to count as that
_MANY = 20  # marks: so many do not by chance all lie where the other side has ink
_DARKER = 1.3  # times what shines through elsewhere: darker is ink that lies over it

Pixels = NDArray[np.uint8]
Mask = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Ink:
    """What stands out on a page's picture that nothing on the page itself explains.

    marks: where it is; dark: those of the marks that cannot shine through a sheet; dust: specks, which are faint
    writing where they crowd; specks: the middle (x, y) of each; depth: how much darker than the paper each pixel is, of
    255; scanner: dark edges without colour and punch holes, which surely are not the page's own.
    """

    marks: Mask
    dark: Mask
    dust: Mask
    specks: NDArray[np.float64]
    depth: Pixels
    scanner: Mask


@dataclass(frozen=True, slots=True)
class _Disc:
    """Something round near an edge. own: its pixels within the window; tone: its mean depth."""

    window: tuple[slice, slice]
    own: NDArray[np.bool_]
    x: float
    y: float
    tone: float

    def is_punched_with(self, other: _Disc) -> bool:
        """Decide whether both are punch holes: those of a sheet stand along an edge, as far apart as punches do."""
        across, down = abs(self.x - other.x), abs(self.y - other.y)
        apart, alike = math.hypot(across, down), abs(self.tone - other.tone) <= _SAME_TONE
        along_edge = min(across, down) <= _IN_LINE * max(across, down)  # of a sheet that lies askew, too
        return alike and along_edge and any(abs(apart - usual) <= _EXACTLY for usual in _HOLES_APART)


def ink_of(picture: Pixels) -> Ink:
    """Find the ink on a page (RGB or grey) drawn at `DPI`. Colours count by the channel that shows them best."""
    channels = cv2.split(picture)
    grey = light = channels[0]
    for other in channels[1:]:
        grey, light = cv2.min(grey, other), cv2.max(light, other)
    smooth = cv2.GaussianBlur(grey, (0, 0), 0.6).astype(np.float32)
    wide = np.ones((_STROKE, _STROKE), np.uint8)  # a square, as OpenCV is quick with these
    paper = cv2.morphologyEx(smooth, cv2.MORPH_CLOSE, wide)
    level = max(float(np.percentile(paper, 60)), 1.0)
    around = _around_areas(np.asarray(paper, np.float32))
    paper = np.maximum(cv2.GaussianBlur(cv2.max(paper, around), (0, 0), _STROKE / 3), _EVEN * level)
    depth = np.clip(1 - smooth / paper, 0, 1)
    noise = 1.4826 * float(np.median(np.abs(depth - np.median(depth))))
    mask = (depth > max(_PALE, _NOISES * noise)).astype(np.uint8)
    _count, labels, stats, middles = cv2.connectedComponentsWithStats(mask, connectivity=8)
    sides = np.maximum(stats[:, cv2.CC_STAT_WIDTH], stats[:, cv2.CC_STAT_HEIGHT])
    marks, dark, scanner, discs = np.zeros_like(mask), np.zeros_like(mask), np.zeros_like(mask), list[_Disc]()
    for label in np.flatnonzero(sides[1:] >= _DUST) + 1:
        left, top, width, height, area = (int(value) for value in stats[label])
        window = np.s_[top : top + height, left : left + width]
        own = labels[window] == label
        if _is_streak((left, top, width, height), mask.shape):
            continue
        if _is_at_edge((left, top, width, height), mask.shape) and float(depth[window][own].max()) < _SHINES:
            continue
        if _are_shadows(own, (left, top, width, height, area), mask.shape):
            colour = np.asarray(light[window], np.float32)[own] - grey[window][own]
            if float(depth[window][own].mean()) >= _BLACK and float(colour.mean()) <= _COLOURLESS:
                scanner[window][own] = 1
            continue
        if _is_round(own, (left, top, width, height, area), mask.shape):
            discs.append(_Disc(window, own, left + width / 2, top + height / 2, float(depth[window][own].mean())))
            continue
        marks[window][own] = 1
        if _has_stroke(own & (depth[window] >= _SHINES)):  # and not just a speck on what shines through
            dark[window][own] = 1
    for disc in discs:
        if any(disc.is_punched_with(other) for other in discs):
            scanner[disc.window][disc.own] = 1
        else:
            marks[disc.window][disc.own] = dark[disc.window][disc.own] = 1
    _add_faint(depth, max(_FAINT, _NOISES * noise), mask, marks)
    is_speck = sides < _DUST
    is_speck[0] = False
    at = middles.T  # what grain makes of a shadow at the very edge is no dust
    is_speck &= (np.minimum(at[0], mask.shape[1] - at[0]) >= _DUST) & (
        np.minimum(at[1], mask.shape[0] - at[1]) >= _DUST
    )
    dust: Mask = is_speck[labels].astype(np.uint8)
    return Ink(marks, dark, dust, middles[is_speck], (255 * depth).astype(np.uint8), scanner)


def _around_areas(paper: NDArray[np.float32]) -> NDArray[np.float32]:
    """The paper's tone around areas that are evenly a little darker, in their places; 0 elsewhere.

    Such an area is a box, a stamp's face or a photograph, be it pale, and the tone within it looks like the paper's.
    It ends at once, where a shadow fades. paper: the picture without what is narrower than an area.
    """
    height, width = paper.shape
    coarse = cv2.resize(paper, (max(width // _COARSE, 1), max(height // _COARSE, 1)), interpolation=cv2.INTER_AREA)
    near = np.ones((3, 3), np.uint8)
    steps = cv2.morphologyEx(coarse, cv2.MORPH_GRADIENT, near)
    around = np.zeros_like(coarse)
    for side in _AREAS:
        outside = cv2.morphologyEx(coarse, cv2.MORPH_CLOSE, np.ones((side, side), np.uint8))
        fall = outside - coarse
        darker = (fall > _FAINT * outside).astype(np.uint8)
        _count, labels, stats, _middles = cv2.connectedComponentsWithStats(darker, connectivity=4)
        outlines = np.asarray(cv2.morphologyEx(darker, cv2.MORPH_GRADIENT, near), np.uint8) & darker
        is_wide = stats[:, [cv2.CC_STAT_WIDTH, cv2.CC_STAT_HEIGHT]].min(axis=1) >= _STROKE // _COARSE
        is_wide[0] = False
        for label in np.flatnonzero(is_wide):
            own = labels == label
            if float(np.median(steps[own & (outlines > 0)])) >= _SHARP * float(np.median(fall[own])):
                own_wide = cv2.dilate(own.astype(np.uint8), near) > 0
                around[own_wide] = np.maximum(around, outside)[own_wide]
    return np.asarray(cv2.resize(around, (width, height), interpolation=cv2.INTER_NEAREST), np.float32)


def _add_faint(depth: NDArray[np.float32], least: float, mask: Mask, marks: Mask) -> None:
    """Add to the marks what is paler than ink usually is, and too long for the paper's grain.

    least: how deep it must be. mask: what was looked at already, of which dust, shadows and holes keep what fades from
    them.
    """
    _count, labels, stats, _middles = cv2.connectedComponentsWithStats((depth > least).astype(np.uint8), connectivity=8)
    sides = np.maximum(stats[:, cv2.CC_STAT_WIDTH], stats[:, cv2.CC_STAT_HEIGHT])
    taken = np.zeros(len(stats), bool)
    taken[labels[(mask > marks)]] = True
    taken[labels[marks > 0]] = False
    for label in np.flatnonzero((sides >= _LONGER) & ~taken):
        if not label:
            continue
        left, top, width, height = (int(value) for value in stats[label, : cv2.CC_STAT_AREA])
        window = np.s_[top : top + height, left : left + width]
        own = labels[window] == label
        if not _fades_from_edge((left, top, width, height), mask.shape):
            marks[window][own] = 1


def _has_stroke(own: NDArray[np.bool_]) -> bool:
    """Decide whether any part of a thing is larger than dust."""
    return _longest(own.astype(np.uint8)) >= _DUST


def _are_crowded(specks: NDArray[np.float64], shape: tuple[int, ...]) -> bool:
    """Decide whether specks lie so near to each other that no dust does."""
    if len(specks) < _CROWDED:
        return False
    dots = np.zeros(shape, np.float32)
    np.add.at(dots, (specks[:, 1].astype(int), specks[:, 0].astype(int)), 1)
    return float(cv2.boxFilter(dots, cv2.CV_32F, (_CROWD, _CROWD), normalize=False).max()) >= _CROWDED


def _touched(box: tuple[int, int, int, int], shape: tuple[int, ...]) -> list[bool]:
    """Return which edges a thing touches: left, top, right, bottom."""
    left, top, width, height = box
    return [distance <= 1 for distance in (left, top, shape[1] - left - width, shape[0] - top - height)]


def _is_streak(box: tuple[int, int, int, int], shape: tuple[int, ...]) -> bool:
    """Decide whether a thing runs from edge to edge as dust on the sensor draws it."""
    left, top, right, bottom = _touched(box, shape)
    return min(box[2:]) < _DUST and ((top and bottom) or (left and right))


def _is_at_edge(box: tuple[int, int, int, int], shape: tuple[int, ...]) -> bool:
    """Decide whether something reaches no further into the page than a speck."""
    left, top, right, bottom = _touched(box, shape)
    return ((left or right) and box[2] < _DUST) or ((top or bottom) and box[3] < _DUST)


def _fades_from_edge(box: tuple[int, int, int, int], shape: tuple[int, ...]) -> bool:
    """Decide whether something pale lies along an edge of the scan, as the outskirts of its shadows do."""
    left, top, right, bottom = _touched(box, shape)
    across, down = box[2:]
    aside, over = left or right, top or bottom
    if (aside and across <= _EDGE / 2) or (over and down <= _EDGE / 2):  # of a few pieces, as grain parts it
        return True
    return (aside and across <= _EDGE and down >= _LONG * across) or (over and down <= _EDGE and across >= _LONG * down)


def _are_shadows(own: NDArray[np.bool_], stats: tuple[int, int, int, int, int], shape: tuple[int, ...]) -> bool:
    """Decide whether a dark thing is a shadow along an edge of the scan, or several that meet in its corners."""
    if _is_shadow(own, stats, shape):
        return True
    left, top, width, height, _area = stats
    touches = _touched((left, top, width, height), shape)
    if sum(touches) < 2:
        return False
    rows, columns = np.nonzero(own)
    x, y = columns + left, rows + top
    far = np.stack([x, y, shape[1] - 1 - x, shape[0] - 1 - y]).astype(np.float32)
    far[~np.array(touches)] = np.inf
    nearest = far.argmin(axis=0)
    for edge in np.flatnonzero(touches):
        at = nearest == edge
        piece = np.zeros_like(own)
        piece[rows[at], columns[at]] = True
        sides = cv2.boundingRect(piece.astype(np.uint8))
        part = piece[sides[1] : sides[1] + sides[3], sides[0] : sides[0] + sides[2]]
        box = (left + sides[0], top + sides[1], sides[2], sides[3], int(part.sum()))
        if max(sides[2:]) > _EDGE and not _is_shadow(part, box, shape):  # less is the corner of another one
            return False
    return True


def _is_shadow(own: NDArray[np.bool_], stats: tuple[int, int, int, int, int], shape: tuple[int, ...]) -> bool:
    """Decide whether a dark thing is a shadow along an edge of the scan."""
    left, top, width, height, area = stats
    touches = _touched((left, top, width, height), shape)
    if not any(touches):
        return False
    aside, over = touches[0] or touches[2], touches[1] or touches[3]
    reach = min(width if aside else height, height if over else width)
    along = max(height if aside else 0, width if over else 0)
    if _hull_area(own) - area > along * _DUST / 2:  # something stands out of it, as what is written beside it does
        return False
    return (reach <= _EDGE and along >= _LONG * reach) or (reach <= _WEDGE and along >= _WEDGE)


def _is_round(own: NDArray[np.bool_], stats: tuple[int, int, int, int, int], shape: tuple[int, ...]) -> bool:
    """Decide whether a thing looks like a punch hole, as far from an edge as such are."""
    left, top, width, height, area = stats
    if (
        not all(_HOLE[0] <= side <= _HOLE[1] for side in (width, height))
        or not _ROUND[0] <= width / height <= _ROUND[1]
    ):
        return False
    outline = _outline_area(own)
    is_disc = _FULL[0] <= outline / (np.pi / 4 * width * height) <= _FULL[1] and area > _FULL[0] * outline
    x, y = left + width / 2, top + height / 2
    return is_disc and _HOLE_AT[0] <= min(x, y, shape[1] - x, shape[0] - y) <= _HOLE_AT[1]


def _outlines(own: NDArray[np.bool_]) -> Sequence[NDArray[np.int32]]:
    padded = cv2.copyMakeBorder(own.astype(np.uint8), 1, 1, 1, 1, cv2.BORDER_CONSTANT, value=0)
    found, _ = cv2.findContours(padded, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    return [np.asarray(one, np.int32) for one in found]


def _outline_area(own: NDArray[np.bool_]) -> float:
    """The area of a thing with what it encloses, its outline's own pixels among it."""
    return sum(cv2.contourArea(one) + len(one) / 2 + 1 for one in _outlines(own))


def _hull_area(own: NDArray[np.bool_]) -> float:
    return float(cv2.contourArea(cv2.convexHull(np.vstack(list(_outlines(own))))))


def verdict_on(page: Ink, others: Sequence[Ink]) -> Verdict:
    """Decide whether a page has been written on. others: the pages before and behind it, as they came."""
    if page.dark.any():
        return "written"
    if not page.marks.any() and not _are_crowded(page.specks, page.marks.shape):
        return "blank"
    return "blank" if any(_shines_through(page, other, flip) for other in others for flip in (1, 0)) else "unsure"


def is_explained(page: Ink, box: Box) -> bool:
    """Decide whether a word read on a page that is blank by its ink is of what shines through: some mark is there."""
    top, left = max(int(box.top), 0), max(int(box.left), 0)
    return bool((page.marks | page.dust)[top : int(box.bottom) + 1, left : int(box.right) + 1].any())


def _shines_through(page: Ink, other: Ink, flip: int) -> bool:
    """Decide whether all marks of a page are the other side's ink, mirrored (flip: OpenCV's code for it)."""
    seen = page.marks | page.dust
    if any(abs(one - two) > _REACH for one, two in zip(page.marks.shape, other.marks.shape, strict=True)):
        return False
    if not other.dark.any() or page.depth[seen > 0].mean() > _SHINES * other.depth[other.marks > 0].mean():
        return False
    behind = _laid_behind(seen, np.asarray(cv2.flip(other.depth * other.marks, flip), np.uint8))
    ink = (behind > 0).astype(np.uint8)
    count, _labels = cv2.connectedComponents(page.marks, connectivity=8)
    if count <= _MANY and int((grown(seen) & ink).sum()) < _LEAST_SHOWN * int(ink.sum()):
        return False
    near = grown(grown(ink))
    share = float(np.percentile(page.depth[seen > 0], 90)) / float(np.percentile(behind[ink > 0], 90))
    most = _DARKER * share * grown(grown(behind)).astype(np.float32) + 255 * _PALE
    own = (near == 0) | (page.depth > most)
    if _are_crowded(page.specks[own[page.specks[:, 1].astype(int), page.specks[:, 0].astype(int)]], own.shape):
        return False
    left = page.marks & own.astype(np.uint8)
    plain = left & (page.depth > 255 * _PALE).astype(np.uint8)
    return _longest(plain) < _SPECK * _DUST and _longest(left) < _LONGER  # as what a speck adds to a letter


def _longest(mask: Mask) -> int:
    """The longest side of anything on it, in pixels."""
    _count, _labels, stats, _middles = cv2.connectedComponentsWithStats(mask, connectivity=8)
    return int(stats[1:, [cv2.CC_STAT_WIDTH, cv2.CC_STAT_HEIGHT]].max(initial=0))


def grown(picture: Pixels) -> Pixels:
    """Return what is there, a pixel wider on all sides: two pictures of the same never fit exactly."""
    return np.asarray(cv2.dilate(picture, np.ones((3, 3), np.uint8)), np.uint8)


def _laid_behind(seen: Mask, back: Pixels) -> Pixels:
    """The mirrored depth of the other side's ink, moved to where it fits best what is seen on a page."""
    height, width = seen.shape
    canvas = np.zeros_like(seen)
    part = back[:height, :width]
    canvas[: part.shape[0], : part.shape[1]] = part
    room = np.pad(canvas, _REACH)
    ink = grown((room > 0).astype(np.uint8))
    small = cv2.resize(ink.astype(np.float32), (ink.shape[1] // 2, ink.shape[0] // 2), interpolation=cv2.INTER_AREA)
    wanted = cv2.resize(seen.astype(np.float32), (width // 2, height // 2), interpolation=cv2.INTER_AREA)
    _, _, _, (x, y) = cv2.minMaxLoc(cv2.matchTemplate(small, wanted, cv2.TM_CCORR))
    places = [
        (min(max(v, 0), 2 * _REACH), min(max(u, 0), 2 * _REACH))
        for v in range(2 * y - 2, 2 * y + 3)
        for u in range(2 * x - 2, 2 * x + 3)
    ]
    v, u = max(places, key=lambda at: int((ink[at[0] : at[0] + height, at[1] : at[1] + width] & seen).sum()))
    return room[v : v + height, u : u + width]
