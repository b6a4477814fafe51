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


@dataclass(frozen=True, slots=True)
class PrintSettings:
    """What all that looks at scans of printed sheets has in common. Lengths are inches where nothing else is said."""

    sheet: float = 11.7
    """The long side of A4, by which a picture of unknown size is scaled."""

    coarsest: float = 50.0
    """Pixels per inch, at least: below, no letter is told from a streak or a gap."""

    hidden: float = 0.008
    """The width of a gap up to which no letter or sign is lost in it: a full stop of 8 points, the smallest that an
    amount hangs on, has 0.012. Of 566 words with four gaps of 0.005 none was misread, with 0.01 4 were, with 0.02 27.
    Of 30 pages with four streaks of 0.013 no word was lost, of those with 0.02 one to four."""

    doubt: float = 0.1
    """The share of a page's lines, at least, that is not surely read where what is amiss may have changed letters."""


PRINT = PrintSettings()


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
