"""A picture that is laid straight keeps every line, the page its size."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import PIL.Image
import PIL.ImageOps
import pytest

from paperchute.engine.imaging.measures import PRINT
from paperchute.engine.reading.ocr.options import AUTO
from paperchute.engine.reading.ocr.page import see
from tests.engine.reading.ocr.scanning import read, saved, scanned

_LINES = [f"Item{number} timber valve {number * 37}" for number in range(100, 160)]
_PAGE = 20
"""Lines on a page that is printed."""


def _strip(folder: Path) -> PIL.Image.Image:
    """A long receipt, nothing around its text."""
    parts = []
    for first in range(0, len(_LINES), _PAGE):
        html = "".join(f"<div>{line}</div>" for line in _LINES[first : first + _PAGE])
        parts.append(_cut(scanned(folder, f"<div style='font:12pt/1.6 sans-serif'>{html}</div>", dpi=150)))
    width, gap = max(part.width for part in parts), 12
    strip = PIL.Image.new("RGB", (width, sum(part.height + gap for part in parts)), "white")
    top = 0
    for part in parts:
        strip.paste(part, (0, top))
        top += part.height + gap
    return strip


def _cut(picture: PIL.Image.Image) -> PIL.Image.Image:
    box = PIL.ImageOps.invert(picture.convert("L")).point(lambda level: 255 if level > 60 else 0).getbbox()
    assert box is not None
    return picture.crop(box)


def _askew(picture: PIL.Image.Image, degrees: float) -> PIL.Image.Image:
    turned = picture.rotate(degrees, PIL.Image.Resampling.BICUBIC, expand=True, fillcolor="white")
    return PIL.ImageOps.expand(_cut(turned), 6, "white")


@pytest.mark.parametrize("degrees", [12.0, -20.0])
def test_the_ends_of_a_long_strip_stay_when_it_is_laid_straight(tmp_path: Path, degrees: float) -> None:
    strip = _askew(_strip(tmp_path), degrees)
    seen = see(np.asarray(strip), AUTO, 150.0)
    missed = Counter(" ".join(_LINES).split()) - Counter(word.text for word in seen.words)
    assert sum(missed.values()) <= 2
    assert abs(seen.skew) > abs(degrees) - 1
    assert max(word.box.bottom for word in seen.words) <= seen.picture.shape[0]


def test_letters_keep_their_size_where_the_picture_grows(tmp_path: Path) -> None:
    strip = _strip(tmp_path)
    sizes = []
    for number, picture in enumerate((strip, _askew(strip, -20.0))):
        (page,) = read(saved(tmp_path / f"{number}.png", picture), tmp_path / "out")
        lines = [line for block in page.blocks for line in block.lines]
        lines += [line for block in page.blocks for item in block.items for line in item.lines]
        cells = [cell for block in page.blocks if block.table is not None for cell in block.table.cells]
        lines += [line for cell in cells for line in cell.lines]
        found = sorted(span.style.size for line in lines for span in line.spans)
        sizes.append(found[len(found) // 2])
    assert abs(sizes[0] - sizes[1]) < 1


def test_what_would_grow_too_large_is_read_askew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("paperchute.engine.reading.ocr.upright.PRINT", type(PRINT)(thrice=1.0))
    seen = see(np.asarray(_askew(_strip(tmp_path), 12.0)), AUTO, 150.0)
    assert seen.skew == 0
    missed = Counter(" ".join(_LINES).split()) - Counter(word.text for word in seen.words)
    assert sum(missed.values()) <= len(_LINES) // 10
