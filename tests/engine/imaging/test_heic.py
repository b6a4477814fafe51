"""HEIC, as phones write it: read wherever pictures are read, and cleaned to JPEG."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from paperchute.contract import kind_of
from paperchute.engine.checks.reading import check_reading
from paperchute.engine.imaging import decoder
from paperchute.engine.imaging.decoder import Frame, count_frames, open_picture
from paperchute.engine.operations import img_to_html, magic_color, pdf_to_markdown
from paperchute.engine.work import Refused, Source, Work

FILES = Path(__file__).with_name("heic")


def frame_of(name: str) -> Frame:
    (frame,) = open_picture(FILES / name, name)
    assert frame.picture.mode == "RGB"
    return frame


def pixels(name: str) -> np.ndarray[tuple[int, ...], np.dtype[np.int_]]:
    return np.asarray(frame_of(name).picture).astype(int)


def work(operation: str, path: Path, folder: Path, **parameters: int) -> Work:
    return Work(operation, (Source("file", path, path.name, kind_of(path)),), parameters, folder)


def test_a_phone_s_picture_is_turned_once() -> None:
    seen = pixels("turned.heic")
    assert seen.shape == (80, 120, 3)
    rows, columns = np.nonzero(seen[..., 1] < 128)
    assert rows.mean() < 30
    assert columns.mean() < 30


def test_the_picture_to_be_shown_is_taken_and_not_the_first() -> None:
    seen = pixels("second.heic")
    assert seen.shape == (64, 96, 3)
    assert seen[..., 1].mean() > 100 > seen[..., 2].mean()
    assert count_frames(FILES / "second.heic", "second.heic") == 1


def test_ten_bits_become_eight_and_transparency_white() -> None:
    deep, clear = pixels("deep.heic"), pixels("clear.heic")
    assert deep[:28].max() < 10
    assert deep[36:].min() > 245
    assert clear[:, :28].max() < 60
    assert clear[:, 36:].min() > 245


@pytest.mark.parametrize("share", [0.01, 0.3, 0.9, 0.99])
def test_what_is_cut_off_is_broken(tmp_path: Path, share: float) -> None:
    whole = (FILES / "page.heic").read_bytes()
    path = tmp_path / "cut.heic"
    path.write_bytes(whole[: max(30, int(len(whole) * share))])
    with pytest.raises(Refused) as refused:
        list(open_picture(path, "cut.heic"))
    assert refused.value.code == "190010"
    assert "cut.heic" in refused.value.reason


@pytest.mark.parametrize(
    ("size", "code"), [((30_000, 30_000), "02209"), ((12_000, 12_000), "02209"), ((5_000, 4_000), "190010")]
)
def test_sizes_are_checked_before_anything_is_decoded(tmp_path: Path, size: tuple[int, int], code: str) -> None:
    whole = bytearray((FILES / "page.heic").read_bytes())
    at = whole.index(b"ispe") + 8
    whole[at : at + 8] = struct.pack(">II", *size)
    (tmp_path / "a.heic").write_bytes(whole)
    with pytest.raises(Refused) as refused:
        list(open_picture(tmp_path / "a.heic", "a.heic"))
    assert refused.value.code == code


def test_the_limit_counts_for_small_ones_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decoder, "MOST_PIXELS", 1_000)
    with pytest.raises(Refused, match="02209"):
        frame_of("page.heic")


@pytest.mark.parametrize(
    ("name", "given", "called"),
    [("turned.heic", "turned.heic", "turned.jpg"), ("clear.heic", "a.heif", "a.jpg"), ("page.heic", "b.JPG", "b.jpg")],
)
def test_magic_color_gives_jpeg(tmp_path: Path, name: str, given: str, called: str) -> None:
    source = Source("file", FILES / name, given, "heic")
    (made,) = magic_color.run(Work("magic-color", (source,), {}, tmp_path))
    assert made.name == called
    with Image.open(made) as picture:
        assert picture.format == "JPEG"
        assert picture.size == frame_of(name).picture.size
        assert picture.getexif().get(0x0112, 1) == 1, "it was turned already"


def test_its_text_is_read(tmp_path: Path) -> None:
    (made,) = pdf_to_markdown.run(work("pdf-to-markdown", FILES / "page.heic", tmp_path, enableOcr=1))
    assert "Four ships lay at the north quay" in " ".join(made.read_text("utf-8").split())


def test_a_picture_operation_takes_it(tmp_path: Path) -> None:
    order = work("img-to-html", FILES / "page.heic", tmp_path, enableOcr=0)
    check_reading(order)
    (made, *_) = img_to_html.run(order)
    assert made.stat().st_size > 0
