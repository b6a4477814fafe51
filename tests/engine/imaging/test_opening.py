"""The picture opener: what comes out upright, in RGB, and what is refused with which code."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from paperchute.engine import report
from paperchute.engine.imaging import decoder
from paperchute.engine.imaging.decoder import open_picture
from paperchute.engine.imaging.picture_files import clean_file
from paperchute.engine.work import Refused


def marked(width: int = 60, height: int = 40) -> Image.Image:
    """White, its top left corner red."""
    picture = Image.new("RGB", (width, height), "white")
    picture.paste((255, 0, 0), (0, 0, 12, 12))
    return picture


def red_corner(picture: Image.Image) -> tuple[bool, bool]:
    """(whether the red lies at the left, at the top)."""
    rows, columns = np.nonzero(np.asarray(picture).astype(int)[..., 1] < 128)
    return bool(columns.mean() < picture.width / 2), bool(rows.mean() < picture.height / 2)


@pytest.mark.parametrize("suffix", ["jpg", "png", "tiff"])
@pytest.mark.parametrize("orientation", range(1, 9))
def test_every_orientation_comes_out_upright_once(tmp_path: Path, suffix: str, orientation: int) -> None:
    turns = {
        2: Image.Transpose.FLIP_LEFT_RIGHT,
        3: Image.Transpose.ROTATE_180,
        4: Image.Transpose.FLIP_TOP_BOTTOM,
        5: Image.Transpose.TRANSPOSE,
        6: Image.Transpose.ROTATE_90,
        7: Image.Transpose.TRANSVERSE,
        8: Image.Transpose.ROTATE_270,
    }
    stored = marked().transpose(turns[orientation]) if orientation in turns else marked()
    exif = Image.Exif()
    exif[0x0112] = orientation
    dpi = (100, 200) if orientation < 5 else (200, 100)
    stored.save(tmp_path / f"a.{suffix}", exif=exif, dpi=dpi)
    (frame,) = open_picture(tmp_path / f"a.{suffix}", "a")
    assert frame.picture.size == (60, 40)
    assert red_corner(frame.picture) == (True, True)
    assert frame.dpi == pytest.approx((100, 200), abs=0.1)


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGBA", "CMYK", "I;16", "I", "F", "YCbCr"])
def test_every_mode_becomes_rgb_with_dark_ink_on_white(tmp_path: Path, mode: str) -> None:
    grey = np.full((40, 60), 255, np.uint8)
    grey[:12, :12] = 0
    if mode == "I;16":
        picture = Image.fromarray(grey.astype(np.uint16) * 257)
    elif mode == "I":
        picture = Image.fromarray(grey.astype(np.int32) * 257)
    elif mode == "F":
        picture = Image.fromarray(grey.astype(np.float32) / 255)
    else:
        picture = Image.fromarray(grey).convert("RGB").convert(mode)
    picture.save(tmp_path / "a.tiff")
    (frame,) = open_picture(tmp_path / "a.tiff", "a")
    assert frame.picture.mode == "RGB"
    values = np.asarray(frame.picture)
    assert values[30, 30].min() > 250
    assert values[5, 5].max() < 40


def test_transparency_is_white(tmp_path: Path) -> None:
    picture = Image.new("RGBA", (10, 10), (0, 0, 0, 0))
    picture.save(tmp_path / "a.png")
    (frame,) = open_picture(tmp_path / "a.png", "a")
    assert frame.picture.getpixel((5, 5)) == (255, 255, 255)


def test_white_letters_cut_out_for_dark_ground_are_seen(tmp_path: Path) -> None:
    letters = Image.new("LA", (20, 10), (255, 0))
    letters.paste((250, 255), (5, 2, 9, 8))
    letters.save(tmp_path / "a.png")
    (frame,) = open_picture(tmp_path / "a.png", "a")
    assert frame.picture.getpixel((6, 5)) == (250, 250, 250)
    assert frame.picture.getpixel((1, 1)) == (0, 0, 0)


@pytest.mark.parametrize("bits", [10, 12, 14, 16])
def test_greys_of_fewer_bits_than_are_written_are_not_black(tmp_path: Path, bits: int) -> None:
    most = (1 << bits) - 1
    grey = np.full((40, 60), most, np.uint16)
    grey[:12, :12] = most // 8
    Image.fromarray(grey).save(tmp_path / "a.tiff")
    (frame,) = open_picture(tmp_path / "a.tiff", "a")
    assert frame.picture.getpixel((30, 30)) == (255, 255, 255)
    assert frame.picture.getpixel((5, 5)) == (31, 31, 31)


def test_all_pages_of_a_tiff_and_the_first_frame_of_an_animation(tmp_path: Path) -> None:
    pages = [Image.new("RGB", (20 + n, 10), (n, n, n)) for n in range(3)]
    pages[0].save(tmp_path / "a.tiff", save_all=True, append_images=pages[1:])
    assert [(f.number, f.picture.width) for f in open_picture(tmp_path / "a.tiff", "a")] == [(1, 20), (2, 21), (3, 22)]
    moving = [Image.new("L", (9, 9), n * 90) for n in range(3)]
    moving[0].save(tmp_path / "a.gif", save_all=True, append_images=moving[1:])
    assert len(list(open_picture(tmp_path / "a.gif", "a"))) == 1


MOVING = ["gif", "png", "webp"]


def moving(path: Path, frames: int) -> Path:
    pictures = [Image.new("RGB", (20, 10), (n * 90, 40, 200)) for n in range(frames)]
    pictures[0].save(path, save_all=True, append_images=pictures[1:])
    return path


@pytest.mark.parametrize("suffix", MOVING)
def test_of_what_moves_only_one_picture_is_read_and_that_is_told(tmp_path: Path, suffix: str) -> None:
    path = moving(tmp_path / f"a.{suffix}", 3)
    with report.collected() as warnings:
        (frame,) = open_picture(path, f"a.{suffix}")
    assert np.abs(np.asarray(frame.picture)[5, 5].astype(int) - (0, 40, 200)).max() < 12
    assert warnings == [f"a.{suffix} is an animation; only its first picture is read."]


@pytest.mark.parametrize("suffix", MOVING)
def test_cleaning_what_moves_tells_the_same(tmp_path: Path, suffix: str) -> None:
    path = moving(tmp_path / f"a.{suffix}", 2)
    with report.collected() as warnings:
        clean_file(path, "b", tmp_path / "out")
    assert warnings == ["b is an animation; only its first picture is read."]


@pytest.mark.parametrize("suffix", MOVING)
def test_a_single_picture_tells_nothing(tmp_path: Path, suffix: str) -> None:
    with report.collected() as warnings:
        list(open_picture(moving(tmp_path / f"a.{suffix}", 1), "a"))
    assert not warnings


def test_a_gif_whose_second_picture_is_broken_is_read(tmp_path: Path) -> None:
    path = moving(tmp_path / "a.gif", 2)
    path.write_bytes(path.read_bytes()[:-20])
    (frame,) = open_picture(path, "a")
    assert frame.picture.size == (20, 10)


def test_one_pixel(tmp_path: Path) -> None:
    Image.new("L", (1, 1), 7).save(tmp_path / "a.png")
    (frame,) = open_picture(tmp_path / "a.png", "a")
    assert frame.picture.getpixel((0, 0)) == (7, 7, 7)


def png_of(width: int, height: int) -> bytes:
    """A PNG that says it is large; its data is one chunk of nothing."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"\0" * 9)) + chunk(b"IEND", b"")


@pytest.mark.parametrize("size", [(30_000, 30_000), (12_000, 12_000), (2_000_000_000, 1)])
def test_too_many_pixels_are_refused_unseen(tmp_path: Path, size: tuple[int, int]) -> None:
    (tmp_path / "a.png").write_bytes(png_of(*size))
    with pytest.raises(Refused) as refused:
        list(open_picture(tmp_path / "a.png", "big.png"))
    assert refused.value.code == "02209"
    assert "big.png" in refused.value.reason


def test_a_page_too_large_behind_good_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decoder, "MOST_PIXELS", 1000)
    Image.new("L", (10, 10)).save(tmp_path / "a.tiff", save_all=True, append_images=[Image.new("L", (200, 10))])
    frames = open_picture(tmp_path / "a.tiff", "a")
    assert next(frames).number == 1
    with pytest.raises(Refused, match="02209"):
        next(frames)


def test_too_many_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decoder, "MOST_FRAMES", 2)
    Image.new("L", (9, 9)).save(tmp_path / "a.tiff", save_all=True, append_images=[Image.new("L", (9, 9))] * 2)
    with pytest.raises(Refused, match="100105"):
        list(open_picture(tmp_path / "a.tiff", "a"))


@pytest.mark.parametrize("suffix", ["jpg", "png", "tiff", "bmp", "webp", "gif", "jp2"])
@pytest.mark.parametrize("share", [0.02, 0.3, 0.9])
def test_what_is_cut_off_is_broken(tmp_path: Path, suffix: str, share: float) -> None:
    noise = np.random.default_rng(1).integers(0, 255, (90, 120, 3), np.uint8)
    path = tmp_path / f"a.{suffix}"
    Image.fromarray(noise).save(path)
    whole = path.read_bytes()
    path.write_bytes(whole[: max(30, int(len(whole) * share))])
    with pytest.raises(Refused) as refused:
        list(open_picture(path, "cut"))
    assert refused.value.code == "190010"
    assert "cut" in refused.value.reason


def test_other_types_are_not_pictures(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n")
    with pytest.raises(Refused, match="02003"):
        list(open_picture(tmp_path / "a.png", "a.png"))


def test_nonsense_resolutions_count_as_none(tmp_path: Path) -> None:
    Image.new("L", (9, 9)).save(tmp_path / "a.bmp", dpi=(0, 0))
    (frame,) = open_picture(tmp_path / "a.bmp", "a")
    assert frame.dpi == (0, 0)
