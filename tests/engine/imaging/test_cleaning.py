"""What cleaning does to pages: paper, shadow, ink, colours, photographs."""

from __future__ import annotations

import io

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageDraw

from paperchute.engine.imaging.cleanup import cleaned
from paperchute.engine.imaging.picture_files import clean_picture
from tests.engine.imaging.pages import clean_page, outdoors, photograph, photographed, psnr


@pytest.mark.parametrize("soft", [3, 10, 40])
def test_shadows_and_tint_go_and_the_text_stays(soft: float) -> None:
    page = clean_page()
    seen = photographed(page, soft=soft)
    result = cleaned(seen)
    truth = np.asarray(page)
    assert psnr(seen, truth) < 12
    assert psnr(result, truth) > 24
    paper = truth.min(axis=2) == 255
    assert float((result[paper].min(axis=1) > 240).mean()) > 0.97
    ink = truth.max(axis=2) < 30
    assert float(result[ink].mean()) < 70


def test_a_clean_page_hardly_changes() -> None:
    truth = np.asarray(clean_page())
    assert psnr(cleaned(truth), truth) > 45
    buffer = io.BytesIO()
    Image.fromarray(truth).save(buffer, "JPEG", quality=90)
    stored = np.asarray(Image.open(buffer))
    assert psnr(cleaned(stored), truth) > psnr(stored, truth), "what the JPEG's noise left on the paper goes"


def test_a_light_grey_area_of_a_clean_page_stays_as_it_is() -> None:
    page = clean_page()
    ImageDraw.Draw(page).rectangle((60, 500, 560, 560), fill=(232, 232, 232))
    assert abs(float(np.median(cleaned(np.asarray(page))[510:550, 80:540])) - 232) < 5


def test_blurred_strokes_become_dark_and_no_thicker() -> None:
    truth = np.asarray(clean_page())
    blurred = np.asarray(cv2.GaussianBlur(truth, (0, 0), 1.3), np.uint8)
    result = cleaned(blurred)
    assert psnr(result, truth) > psnr(blurred, truth) + 0.5
    assert abs(float(result.mean()) - float(truth.mean())) < 4


def test_grey_pictures_stay_grey() -> None:
    seen = np.asarray(Image.fromarray(photographed(clean_page())).convert("L"))
    result = cleaned(seen)
    assert result.shape == seen.shape
    assert float(np.percentile(result, 60)) > 250


def test_deep_pictures_keep_their_depth() -> None:
    seen = np.asarray(Image.fromarray(photographed(clean_page())).convert("L"))
    deep = seen.astype(np.uint16) * 257
    result = cleaned(seen, deep)
    assert result.dtype == np.uint16
    assert psnr((result >> 8).astype(np.uint8), cleaned(seen)) > 25


def test_a_page_of_twelve_bits_is_cleaned_as_one_of_sixteen() -> None:
    seen = np.asarray(Image.fromarray(photographed(clean_page())).convert("L")).astype(np.uint16)
    twelve, sixteen = (np.asarray(clean_picture(Image.fromarray(seen << bits))) for bits in (4, 8))
    assert (twelve == sixteen).all()


def test_colours_stay_colours() -> None:
    page = clean_page()
    draw = ImageDraw.Draw(page)
    colours = {"stamp": (200, 30, 40), "pen": (40, 60, 190), "marker": (255, 240, 80), "logo": (240, 160, 30)}
    boxes = {}
    for number, (name, colour) in enumerate(colours.items()):
        boxes[name] = (60 + 130 * number, 640, 160 + 130 * number, 700)
        draw.rectangle(boxes[name], fill=colour)
    result = cleaned(photographed(page))
    for name, colour in colours.items():
        left, top, right, bottom = boxes[name]
        found = np.median(result[top + 10 : bottom - 10, left + 10 : right - 10].reshape(-1, 3), axis=0)
        assert np.argmax(found) == np.argmax(colour), name
        assert np.argmin(found) == np.argmin(colour), name
        assert np.abs(found - np.array(colour)).max() < 70, (name, found)


def test_photographs_keep_their_tones() -> None:
    page = clean_page()
    picture = photograph(260, 200)
    page.paste(picture, (180, 120))
    seen = photographed(page, depth=0)
    result = cleaned(seen)
    inside = np.s_[140:300, 200:420]
    before, after = np.asarray(page)[inside].astype(float), result[inside].astype(float)
    assert np.corrcoef(before.ravel(), after.ravel())[0, 1] > 0.97
    assert float((after.min(axis=2) > 250).mean()) < 0.02
    assert float((after.max(axis=2) < 5).mean()) < 0.02


def test_a_photograph_alone_is_left_alone() -> None:
    seen = np.asarray(photograph(400, 300))
    result = cleaned(seen)
    assert np.corrcoef(seen.ravel().astype(float), result.ravel().astype(float))[0, 1] > 0.98


@pytest.mark.parametrize("seed", range(6))
def test_a_photograph_without_edges_is_no_page(seed: int) -> None:
    seen = np.asarray(outdoors(480, 360, seed))
    assert psnr(cleaned(seen), seen) > 40


@pytest.mark.parametrize("noise", [0, 8, 20])
@pytest.mark.parametrize("soft", [3, 25])
def test_a_page_in_bad_light_is_no_photograph(noise: float, soft: float) -> None:
    result = cleaned(photographed(clean_page(), soft=soft, noise=noise))
    assert float(np.median(result)) > 250


def test_white_text_on_a_dark_band_stays_readable() -> None:
    page = clean_page()
    draw = ImageDraw.Draw(page)
    draw.rectangle((40, 300, 580, 340), fill=(20, 40, 120))
    draw.text((60, 308), "WHITE TEXT ON A DARK BAND", "white", font_size=20)
    result = cleaned(photographed(page, depth=0.3))
    band = result[305:335, 400:560].mean()
    letters = np.asarray(page)[300:340, 50:360].min(axis=2) > 250
    assert band < 110
    assert float(result[300:340, 50:360][letters].mean()) > 200


@pytest.mark.parametrize("tone", [60, 130])
@pytest.mark.parametrize("size", [8, 15, 18, 22, 26, 32])
def test_solid_things_of_every_size_stay(size: int, tone: int) -> None:
    page = clean_page()
    draw = ImageDraw.Draw(page)
    draw.rectangle((300, 400, 300 + size, 400 + size), fill=(tone, tone, tone))
    draw.ellipse((400, 400, 400 + size, 400 + size), fill=(tone, tone, tone))
    result = cleaned(np.asarray(page))
    for left in (300, 400):
        middle = result[400 + size // 2 - 2 : 400 + size // 2 + 2, left + size // 2 - 2 : left + size // 2 + 2]
        assert float(np.median(middle)) < tone + 30


@pytest.mark.parametrize("gap", [20, 50, 90])
@pytest.mark.parametrize("depth", [0, 0.3])
def test_a_dark_head_of_white_words_has_no_holes(gap: int, depth: float) -> None:
    page = clean_page(1240, 1754)
    draw = ImageDraw.Draw(page)
    draw.rectangle((100, 600, 1140, 640), fill=(60, 60, 60))
    left = 120.0
    for word in ("Item", "Quantity", "Rate", "Amount", "Tax", "Total"):
        draw.text((left, 608), word, "white", font_size=22)
        left += draw.textlength(word, font_size=22) + gap
    ground = np.asarray(page)[600:640, 100:1140].max(axis=2) < 65
    seen = photographed(page, depth=depth) if depth else np.asarray(page)
    result = cleaned(seen)[600:640, 100:1140].max(axis=2)
    assert float((result[ground] > 140).mean()) < 0.005


def test_a_light_grey_area_is_not_wiped_away() -> None:
    page = clean_page()
    ImageDraw.Draw(page).rectangle((60, 500, 560, 560), fill=(215, 215, 215))
    result = cleaned(photographed(page, depth=0))
    assert 150 < float(np.median(result[510:550, 80:540])) < 250


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 40), st.integers(1, 40), st.sampled_from([0, 1, 128, 254, 255]), st.booleans())
def test_any_shape_and_shade_comes_out_as_large_as_it_was(height: int, width: int, shade: int, grey: bool) -> None:
    picture = np.full((height, width) if grey else (height, width, 3), shade, np.uint8)
    result = cleaned(picture)
    assert result.shape == picture.shape
    assert result.dtype == np.uint8


@pytest.mark.parametrize("shape", [(40, 40_000), (40_000, 40), (3, 70_000)])
@pytest.mark.parametrize("channels", [1, 3])
def test_sides_longer_than_opencv_counts(shape: tuple[int, int], channels: int) -> None:
    page = np.full((*shape, channels), 240, np.uint8)
    page[1:2, 5::9] = 30
    result = cleaned(page)
    assert result.shape == page.shape
    assert float(np.median(result)) > 250


def test_long_strips_are_pages_too() -> None:
    strip = np.full((3, 9000, 3), 200, np.uint8)
    assert cleaned(strip).shape == strip.shape
    assert cleaned(strip.transpose(1, 0, 2).copy()).shape == (9000, 3, 3)
