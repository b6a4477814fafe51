"""TIFFs of unusual values and layouts: read as they are meant, or called what they are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from paperchute.engine.imaging.decoder import open_picture
from paperchute.engine.imaging.picture_files import clean_file
from paperchute.engine.work import Refused
from tests.engine.imaging.tiffs import ZIP, tiff_of

BLACK_IS_LEAST, WHITE_IS_LEAST, COLOURS, MAPPED, INKS = 1, 0, 2, 3, 5


def page() -> NDArray[np.uint8]:
    """White, with black in its corner and grey below that."""
    grey = np.full((40, 60), 255, np.uint8)
    grey[:12, :12] = 0
    grey[20:30, :12] = 128
    return grey


def read(path: Path, content: bytes) -> NDArray[np.int32]:
    path.write_bytes(content)
    (frame,) = open_picture(path, "a.tif")
    return np.asarray(frame.picture.convert("L")).astype(np.int32)


def told(path: Path, content: bytes) -> Refused:
    with pytest.raises(Refused) as refused:
        read(path, content)
    return refused.value


GREYS: dict[str, Any] = {
    "8 bits": lambda grey: grey,
    "12 bits in 16": lambda grey: grey.astype(np.uint16) * 16,
    "16 bits": lambda grey: grey.astype(np.uint16) * 257,
    "16 bits with a sign": lambda grey: grey.astype(np.int16) * 128,
    "32 bits": lambda grey: grey.astype(np.uint32) * 16_843_009,
    "32 bits with a sign": lambda grey: grey.astype(np.int32) * 8_000_000,
    "32 bits of which some are negative": lambda grey: (grey.astype(np.int32) - 100) * 8_000_000,
    "float": lambda grey: grey.astype(np.float32) / 255,
    "double": lambda grey: grey.astype(np.float64) / 255,
}


@pytest.mark.parametrize("compression", [1, ZIP])
@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("photometric", [BLACK_IS_LEAST, WHITE_IS_LEAST])
@pytest.mark.parametrize("kind", GREYS)
def test_greys_of_every_depth_are_what_they_are(
    tmp_path: Path, kind: str, photometric: int, order: str, compression: int
) -> None:
    stored = GREYS[kind](page() if photometric == BLACK_IS_LEAST else 255 - page())
    seen = read(tmp_path / "a.tif", tiff_of(stored, photometric, order=order, compression=compression))
    assert np.abs(seen - page()).max() <= 2


@pytest.mark.parametrize("compression", [1, ZIP])
@pytest.mark.parametrize("order", ["<", ">"])
def test_colours_of_16_bits_in_planes_of_their_own(tmp_path: Path, order: str, compression: int) -> None:
    rgb = np.dstack([page()] * 3).astype(np.uint16) * 257
    content = tiff_of(rgb, COLOURS, order=order, compression=compression, planar=2)
    assert np.abs(read(tmp_path / "a.tif", content) - page()).max() <= 1


@pytest.mark.parametrize("planar", [1, 2])
@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("bits", [10, 12, 14, 16])
def test_colours_of_fewer_bits_than_16_are_not_black(tmp_path: Path, bits: int, order: str, planar: int) -> None:
    rgb = np.dstack([(page().astype(np.uint16) * 257) >> 16 - bits] * 3)
    seen = read(tmp_path / "a.tif", tiff_of(rgb, COLOURS, order=order, planar=planar))
    assert np.abs(seen - page()).max() <= (1 << 16 - bits) + 1  # Pillow keeps eight bits of sixteen, unused ones too


@pytest.mark.parametrize("most", [255, 65_535])
def test_colour_maps_that_count_to_255_are_not_black(tmp_path: Path, most: int) -> None:
    greys = [number * most // 255 for number in range(256)]
    assert np.abs(read(tmp_path / "a.tif", tiff_of(page(), MAPPED, colour_map=greys * 3)) - page()).max() <= 1


def test_inks_with_transparency(tmp_path: Path) -> None:
    empty = np.zeros_like(page())
    inks = np.dstack([empty, empty, empty, 255 - page(), empty + 255])
    assert np.abs(read(tmp_path / "a.tif", tiff_of(inks, INKS, extra=(2,))) - page()).max() <= 1


def test_a_frame_that_was_put_right_leaves_the_next_as_it_is(tmp_path: Path) -> None:
    wide = Image.fromarray((page().astype(np.int32) - 100) * 8_000_000)
    wide.save(tmp_path / "a.tif", save_all=True, append_images=[Image.fromarray(page())])
    frames = [np.asarray(frame.picture.convert("L")) for frame in open_picture(tmp_path / "a.tif", "a.tif")]
    assert [np.abs(frame.astype(np.int32) - page()).max() <= 1 for frame in frames] == [True, True]


@pytest.mark.parametrize(
    ("content", "layout"),
    [
        (tiff_of(page().astype(np.float16)), "BitsPerSample 16, SampleFormat 3"),
        (tiff_of(np.dstack([page()] * 3).astype(np.float32), COLOURS), "BitsPerSample 32 32 32"),
        (tiff_of(np.dstack([page()] * 9)), "8 8 8"),
        (tiff_of(page(), compression=34_712), "Compression 34712"),
    ],
)
def test_a_kind_that_is_not_read_is_not_called_damaged(tmp_path: Path, content: bytes, layout: str) -> None:
    refused = told(tmp_path / "a.tif", content)
    assert refused.code == "02003"
    assert "a.tif is a TIFF file of a kind that is not read here" in refused.reason
    assert layout in refused.reason
    assert len(refused.reason) < 300


@pytest.mark.parametrize(
    "content",
    [
        tiff_of(page())[:1500],
        tiff_of(page(), compression=34_712)[:-40],
        tiff_of(page(), compression=ZIP)[:40],
        b"II*\0" + bytes(40),
    ],
)
def test_what_is_cut_off_or_nonsense_is_damaged(tmp_path: Path, content: bytes) -> None:
    assert told(tmp_path / "a.tif", content).code == "190010"


def test_a_broken_tag_of_a_black_and_white_page_is_left_out(tmp_path: Path) -> None:
    Image.fromarray(page()).convert("1").save(tmp_path / "a.tif")
    whole = (tmp_path / "a.tif").read_bytes()
    how_it_counts = b"\x06\x01\x03\x00\x01\x00\x00\x00"
    assert how_it_counts in whole
    (tmp_path / "a.tif").write_bytes(whole.replace(how_it_counts, b"\x06\x01\x03\x00\x05\x00\x00\x00"))
    clean_file(tmp_path / "a.tif", "a.tif", tmp_path / "b.tif")
    with Image.open(tmp_path / "b.tif") as cleaned:
        assert cleaned.size == (60, 40)
