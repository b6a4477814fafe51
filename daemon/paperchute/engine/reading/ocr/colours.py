"""The colours of recognised words: of their letters, and of the areas that they stand on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from paperchute.engine.document.geometry import Box
from paperchute.engine.imaging.measures import PRINT
from paperchute.engine.imaging.planes import scaled
from paperchute.engine.reading.layout.colours import COLOURS, contrast
from paperchute.engine.reading.layout.marks import Ground, Ink, Word
from paperchute.engine.reading.layout.typography import TYPOGRAPHY
from paperchute.engine.reading.ocr.recognised import Pixels

Colour = NDArray[np.float64]
"""Red, green and blue, 0 to 255."""

_BLACK: Colour = np.zeros(3)
_WHITE: Colour = np.full(3, 255.0)


@dataclass(frozen=True, slots=True)
class InkSettings:
    """Which colours are meant, and not the camera's or the lamp's. Colours are beside the paper's, 0 to 255."""

    margin: float = 1.0
    """Points around a word in which its ground is seen."""


INKS = InkSettings()


def colours_of(picture: Pixels, a_point: float, words: Sequence[Word]) -> list[tuple[Colour, Colour]]:
    """The colours of ink and ground of each word; a_point: the picture's pixels a point."""
    result = []
    height, width = picture.shape[:2]
    for word in words:
        left, top, right, bottom = (round(value * a_point) for value in word.box.grown(INKS.margin))
        part = picture[max(top, 0) : min(bottom, height), max(left, 0) : min(right, width)]
        result.append(_colours(part) if part.size else (_BLACK, _WHITE))
    return result


def add_inks(picture: Pixels, a_point: float, words: Sequence[Word]) -> list[Ground]:
    """Tell the words their colours and grounds, and give the areas that they stand on.

    What is black on paper is not told, nor what could not be read: it stands on something that is no even area.
    """
    if not words:
        return []
    found = colours_of(picture, a_point, words)
    paper = _paper(words, found)
    grounds = _areas(picture, a_point, words, found, paper)
    inks = _common_inks(words, [ink / paper * 255 for ink, _ in found])
    for word, ink in zip(words, inks, strict=True):
        x, y = word.box.center
        ground = next((g.color for g in reversed(grounds) if g.box.holds(x, y)), "")
        light = bool(ground) and float(ink.mean()) > 255 / 2
        color = _hex(ink) if light or _chroma(ink) >= PRINT.coloured else ""
        if color and contrast(color, ground or "#ffffff") < COLOURS.least_contrast:
            color = ""
        if color or ground:
            word.ink = Ink(color, ground)
    return grounds


def _colours(part: Pixels) -> tuple[Colour, Colour]:
    grey = cv2.cvtColor(part, cv2.COLOR_RGB2GRAY)
    level, _ = cv2.threshold(grey, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
    dark = grey <= level
    if dark.all() or not dark.any():
        return _BLACK, _middle(part.reshape(-1, 3))
    edge = np.concatenate([dark[0], dark[-1], dark[:, 0], dark[:, -1]])
    ink = ~dark if edge.mean() > 0.5 else dark
    ground = _middle(part[~ink])
    inked = part[ink]
    far = np.abs(inked - ground).sum(axis=1)
    return _middle(inked[far >= np.quantile(far, PRINT.half)]), ground


def _middle(pixels: NDArray[Any]) -> Colour:
    return np.asarray(np.median(pixels, axis=0), np.float64)


def _paper(words: Sequence[Word], found: Sequence[tuple[Colour, Colour]]) -> Colour:
    """The colour behind most letters; white where that is dark: then it is printed."""
    letters = [len(word.text) for word in words]
    paper = _middle(np.repeat([ground for _, ground in found], letters, axis=0))
    return _WHITE if paper.mean() < PRINT.more * 255 else np.maximum(paper, 1.0)


def _common_inks(words: Sequence[Word], inks: Sequence[Colour]) -> list[Colour]:
    """The colour of each word, one for all that look alike; black for one that too few letters have."""
    groups: list[tuple[Colour, list[int]]] = []
    letters = [len(word.text) for word in words]
    for number in sorted(range(len(words)), key=lambda n: -letters[n]):
        near = min(groups, key=lambda group: _distance(group[0], inks[number]), default=None)
        if near is not None and _distance(near[0], inks[number]) <= PRINT.coloured:
            near[1].append(number)
        else:
            groups.append((inks[number], [number]))
    result = [_BLACK] * len(words)
    for _, numbers in groups:
        if sum(letters[number] for number in numbers) >= PRINT.several:
            common = _middle(np.repeat([inks[n] for n in numbers], [letters[n] for n in numbers], axis=0))
            for number in numbers:
                result[number] = common
    return result


def _areas(
    picture: Pixels,
    a_point: float,
    words: Sequence[Word],
    found: Sequence[tuple[Colour, Colour]],
    paper: Colour,
) -> list[Ground]:
    """Even upright areas that are no paper and have words on them."""
    printed = [
        number
        for number, (ink, ground) in enumerate(found)
        if _chroma(ground / paper * 255) > PRINT.contrast
        or (ground.mean() < PRINT.more * paper.mean() and ink.mean() > ground.mean())
    ]
    if not printed:
        return []
    small = scaled(picture, 1 / a_point).astype(np.float32)  # a pixel a point
    result: list[Ground] = []
    for _ in range(PRINT.dozen):
        if not printed:
            break
        longest = max(printed, key=lambda n: len(words[n].text))
        color = found[longest][1]
        own = [n for n in printed if np.abs(found[n][1] - color).max() <= PRINT.contrast]
        printed = [n for n in printed if n not in own]
        color = _middle(np.array([found[n][1] for n in own]))
        mask = (np.abs(small - color).max(axis=2) <= PRINT.contrast).astype(np.uint8)
        covered = np.zeros_like(mask)
        for number in own:
            left, top, right, bottom = map(round, words[number].box)
            covered[max(top, 0) : bottom, max(left, 0) : right] = 1
        mask |= covered
        mask = cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((PRINT.some, PRINT.some), np.uint8))
        result += _even(mask, covered, [words[n] for n in own], _hex(color / paper * 255))
    return sorted(result, key=lambda ground: -ground.box.area)


def _even(mask: NDArray[Any], covered: NDArray[Any], words: Sequence[Word], color: str) -> list[Ground]:
    """The parts of a mask that fill their boxes and have a word on them, as grounds. covered: where the words are."""
    _count, labels, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=4)
    most = TYPOGRAPHY.most * mask.size
    height, width = mask.shape
    result = []
    held = {
        int(labels[min(max(int(y), 0), height - 1), min(max(int(x), 0), width - 1)])
        for x, y in (w.box.center for w in words)
    }
    for number in sorted(held - {0}):
        x, y, w, h, area = stats[number].tolist()
        under = int(covered[labels == number].sum())
        if area >= PRINT.most * w * h and w * h < most and area - under >= PRINT.quarter * area:
            result.append(Ground(Box(x, y, x + w, y + h), color))
    return result


def _chroma(colour: Colour) -> float:
    return float(np.clip(colour, 0, 255).max() - np.clip(colour, 0, 255).min())


def _distance(one: Colour, other: Colour) -> float:
    return float(np.abs(one - other).max())


def _hex(colour: Colour) -> str:
    return "#" + "".join(f"{round(value):02x}" for value in np.clip(colour, 0, 255))
