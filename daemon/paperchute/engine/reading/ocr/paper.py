"""The paper of a page: what is darker than it is ink."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from paperchute.engine.reading.ocr.recognised import Pixels, pixels


@dataclass(frozen=True, slots=True)
class PaperSettings:
    """What is paper. Lengths are pixels of the picture in which lines are looked for, about 100 an inch."""

    around: int = 25
    """What is dark and narrower lies on paper, what is broader is its colour."""


PAPER = PaperSettings()


def darkness(picture: Pixels, scale: float) -> Pixels:
    """By how much each pixel of a picture (RGB) is darker than the paper around it, 255 for black on white.

    scale: of the picture in which lines were looked for.
    """
    grey = cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY)
    height, width = grey.shape
    size = max(1, round(width * scale)), max(1, round(height * scale))
    small = cv2.resize(grey, size, interpolation=cv2.INTER_AREA)
    around = (PAPER.around, PAPER.around)
    paper = cv2.blur(cv2.morphologyEx(small, cv2.MORPH_CLOSE, np.ones(around, np.uint8)), around)
    paper = cv2.resize(paper, (width, height), interpolation=cv2.INTER_LINEAR)
    return pixels(np.clip(255 - grey * np.float32(255) / np.maximum(paper, 1), 0, 255))
