"""Thin sheets, whose back shines through."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import PIL.Image
import PIL.ImageFilter
import pytest

from paperchute.engine import report
from paperchute.engine.reading.ocr.options import AUTO
from paperchute.engine.reading.ocr.page import see
from tests.engine.reading.ocr.scanning import noisy, scanned

_FRONT = "The quay was rebuilt in brick. Repair the eastern pier before winter. Count all mooring posts again."
_BACK = "Purchases of timber and tar for the smaller boats were paid from the reserve of the former harbour master."


def _sheet(folder: Path, text: str, style: str = "") -> PIL.Image.Image:
    lines = "".join(f"<p>{part.strip()}.</p>" for part in text.split(".") if part.strip())
    picture = scanned(folder, f"<div style='font:12pt/1.5 serif;{style}'>{lines * 2}</div>", dpi=200)
    return picture.crop((0, 0, picture.width, picture.height // 2))


def _through(front: PIL.Image.Image, back: PIL.Image.Image, share: float) -> PIL.Image.Image:
    """The front with a share of the back's ink, mirrored and blurred by the paper."""
    mirrored = back.transpose(PIL.Image.Transpose.FLIP_LEFT_RIGHT).filter(PIL.ImageFilter.GaussianBlur(1.5))
    left = 1 - (255 - np.asarray(mirrored, np.float32)) / 255 * share
    return PIL.Image.fromarray(np.clip(np.asarray(front, np.float32) * left, 0, 255).astype(np.uint8))


def _words(picture: PIL.Image.Image) -> list[str]:
    return [word.text for word in see(np.asarray(picture), AUTO, 200.0).words]


@pytest.mark.parametrize("share", [0.15, 0.3])
def test_mirror_writing_from_the_back_is_not_read(share: float, tmp_path: Path) -> None:
    front = _sheet(tmp_path, _FRONT, "padding-top:4mm")
    sheet = noisy(_through(front, _sheet(tmp_path, _BACK), share), 4.0)
    assert _words(sheet) == _words(front) == (_FRONT + " " + _FRONT).split()


def test_a_blank_front_stays_blank_and_the_job_says_so(tmp_path: Path) -> None:
    back = _sheet(tmp_path, _BACK)
    with report.noted() as notes:
        assert _words(_through(PIL.Image.new("RGB", back.size, "white"), back, 0.3)) == []
    assert notes == ["Text showing through from the back of a sheet was left out."]


def test_pale_lines_of_the_front_are_kept(tmp_path: Path) -> None:
    front = _sheet(tmp_path, _FRONT)
    pale = _sheet(tmp_path, "Printed in grey at the foot of the page.", "margin-top:105mm;color:#ccc")
    both = PIL.Image.fromarray(np.minimum(np.asarray(front), np.asarray(pale)))
    read = _words(_through(both, _sheet(tmp_path, _BACK), 0.15))
    assert " ".join(read).startswith(f"{_FRONT} {_FRONT}")
    assert " ".join(read).endswith("Printed in grey at the foot of the page.")


def test_pale_signs_that_are_others_in_the_mirror_are_of_the_front(tmp_path: Path) -> None:
    """One tick at an axis, read in the mirror, took others with it, which are as pale."""
    ticks = "".join(
        f"<div style='position:absolute;left:20mm;top:{20 + 8 * step}mm;color:#999'>{50 - 10 * step}-</div>"
        for step in range(5)
    )
    page = scanned(tmp_path, f"<div style='font:7pt sans-serif'>The quay was rebuilt in brick{ticks}</div>", dpi=84)
    with report.noted() as notes:
        words = [word.text for word in see(np.asarray(page.crop((0, 0, page.width, 350))), AUTO).words]
    assert notes == []
    assert [word[:2] for word in words[-5:]] == ["50", "40", "30", "20", "10"]
