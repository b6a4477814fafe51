"""scan with crop: a page is cut to the sheet where the bed around it is surely one, and never through ink."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pikepdf
import PIL.Image
import PIL.ImageDraw
import pytest
from numpy.typing import NDArray

from paperchute.engine.imaging.beds import sheet_on_bed
from tests.engine.operations import stacks
from tests.engine.operations.stacks import SPARSE, printed, scanned, sparse, stack
from tests.engine.operations.test_scan import lean, looks, off_ink, pictures, run

MM = stacks.DPI / 25.4
A4, A5, RECEIPT = (210.0, 297.0), (148.0, 210.0), (80.0, 170.0)
STILL = {"upright": 0, "straight": 0, "searchable": 0, "blankPages": "keep", "crop": 1}


def on_bed(
    page: PIL.Image.Image, bed: int, margin: float = 40.0, skew: float = 0.0, *, corner: bool = False, noise: int = 7
) -> PIL.Image.Image:
    """A sheet on a bed that is `margin` millimetres wider and longer; in its corner, or in its middle."""
    beyond = round(margin * MM)
    room = page.width + beyond, page.height + beyond
    where = PIL.Image.new("L", page.size, 255).rotate(skew, PIL.Image.Resampling.BICUBIC, expand=True)
    turned = page.rotate(skew, PIL.Image.Resampling.BICUBIC, expand=True)
    place = (0, 0) if corner else ((room[0] - turned.width) // 2, (room[1] - turned.height) // 2)
    whole = PIL.Image.new("L", room, bed)
    whole.paste(turned, place, where)
    return scanned(whole, random.Random(noise))


def sheet(page: PIL.Image.Image, size: tuple[float, float], paper: int = stacks.PAPER) -> PIL.Image.Image:
    """A page on paper of that size and tone."""
    cut = page.resize((round(size[0] * MM), round(size[1] * MM)))
    return cut.point(lambda grey: grey * paper // stacks.PAPER)


def found(picture: PIL.Image.Image) -> NDArray[np.float64] | None:
    """Left, top, right and bottom of the sheet, in pixels."""
    corners = sheet_on_bed(np.asarray(picture), stacks.DPI)
    return None if corners is None else np.concatenate([corners.min(axis=0), corners.max(axis=0)]) * (picture.size * 2)


@pytest.mark.parametrize("size", [A4, A5, RECEIPT])
@pytest.mark.parametrize(("bed", "paper"), [(15, 248), (90, 248), (252, 205)])
def test_a_sheet_is_found_to_half_a_millimetre(bed: int, paper: int, size: tuple[float, float]) -> None:
    for number, skew in enumerate((0.0, 1.7, -2.6)):
        page = sheet(printed(random.Random(number), 12), size, paper)
        scan = on_bed(page, bed, skew=skew, corner=skew == 0)
        left, top, right, bottom = found(scan)  # type: ignore[misc]
        turned = page.rotate(skew, expand=True).size
        assert abs(right - left - turned[0]) < MM / 2
        assert abs(bottom - top - turned[1]) < MM / 2


def _beyond(scan: PIL.Image.Image) -> PIL.Image.Image:
    PIL.ImageDraw.Draw(scan).text((8, 40), "7", 235 if np.asarray(scan)[2, 2] < 128 else 60)
    return scan


def _bannered(page: PIL.Image.Image) -> PIL.Image.Image:
    page.paste(15, (0, 0, page.width, round(40 * MM)))
    return page


def test_what_may_be_anything_but_a_bed_stays() -> None:
    letter = printed(random.Random(3), 12)
    a4, tinted = sheet(letter, A4), sheet(letter, A4, 205)
    unsure = {
        "a line beyond a sheet on a dark bed": _beyond(on_bed(a4, 15)),
        "a page number beside a tinted box": _beyond(on_bed(tinted, 252)),
        "a dark banner up to the sheet's edge": on_bed(_bannered(a4.copy()), 15),
        "a tinted box of no sheet's size": on_bed(sheet(letter, (170.0, 240.0), 205), 252),
        "two sheets": on_bed(a4, 15, 400, corner=True),
        "paper as light as the bed": on_bed(a4, 250),
        "a margin of three millimetres": on_bed(a4, 15, 3),
        "no bed": scanned(letter, random.Random(4), worn=True),
    }
    unsure["two sheets"].paste(sheet(letter, A5), (round(300 * MM), round(300 * MM)))
    assert [name for name, scan in unsure.items() if found(scan) is not None] == []
    assert [kind for kind in SPARSE if found(scanned(sparse(kind), random.Random(5))) is not None] == []


@pytest.mark.parametrize("turn", [0, 90])
def test_the_page_is_cut_and_its_picture_stays(tmp_path: Path, turn: int) -> None:
    page = sheet(printed(random.Random(6), 12), A5)
    source = stack(tmp_path / "a.pdf", on_bed(page, 15), scanned(printed(random.Random(8), 5), random.Random(8)))
    with pikepdf.open(source, allow_overwriting_input=True) as pdf:
        pdf.pages[0].Rotate = turn
        pdf.save(source)
    made = run(tmp_path, source, **STILL).main
    assert pictures(made) == pictures(source)
    shown = looks(made, 0, stacks.DPI / 72)
    assert sorted(shown.shape) == pytest.approx(sorted(page.size), abs=3)
    edges = (shown[4], shown[-4], shown[:, 4], shown[:, -4])
    assert min(edge.min() for edge in edges) > 128, "nothing of the bed is seen"
    assert (shown[4:-4, 4:-4] < 128).sum() == pytest.approx((np.asarray(page) < 128).sum(), rel=0.1)
    assert looks(made, 1).shape == looks(source, 1).shape
    again = run(tmp_path, made, **STILL).main
    assert looks(again, 0).shape == looks(made, 0).shape


def test_a_straightened_sheet_is_cut_where_it_lies_now_and_its_text_is_on_its_ink(tmp_path: Path) -> None:
    page = sheet(printed(random.Random(6), 8), A4)
    for bed in (15, 90):
        source = stack(tmp_path / f"{bed}.pdf", on_bed(page, bed, skew=2.0))
        made = run(tmp_path, source, crop=1, ocrRecognitionLang="ENGLISH")
        assert made.warnings == []
        shown = looks(made.main, 0, stacks.DPI / 72)
        assert shown.shape == pytest.approx(page.size[::-1], abs=6)
        assert abs(lean(made.main, 0)) <= 0.3
        with pikepdf.open(made.main, allow_overwriting_input=True) as pdf:
            del pdf.pages[0].obj.CropBox  # what looks for the ink counts from the picture's corner
            pdf.save(made.main)
        assert off_ink(made.main, 0) == []
