"""The icon must tell its states apart at a glance, in any panel and for any eyes."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageChops

from paperchute.desktop.icon import draw, look
from paperchute.events import Activity, Status
from tests.pixels import pixels

STATES: dict[Activity, Status] = {
    "idle": Status("idle"),
    "working": Status("working", done=3, total=10),
    "paused": Status("paused"),
    "attention": Status("attention", attention=2),
    "down": Status("down"),
}
PANELS = {"dark": (34, 37, 43), "light": (240, 241, 243), "black": (0, 0, 0), "white": (255, 255, 255)}
SIZES = (16, 22, 24, 32, 48)


def on_panel(icon: Image.Image, ground: tuple[int, int, int]) -> Image.Image:
    panel = Image.new("RGBA", icon.size, (*ground, 255))
    panel.alpha_composite(icon)
    return panel.convert("RGB")


def differing_share(one: Image.Image, other: Image.Image) -> float:
    """The share of pixels that differ by more than 48 of 255 in brightness."""
    difference = ImageChops.difference(one.convert("L"), other.convert("L"))
    return sum(difference.histogram()[49:]) / (one.width * one.height)


def blue_pixels(icon: Image.Image) -> int:
    return sum(1 for red, green, blue in pixels(icon) if blue > 200 and red < 80 and green < 180)


@pytest.mark.parametrize("panel", PANELS)
@pytest.mark.parametrize("pair", list(itertools.combinations(STATES, 2)), ids="-".join)
def test_two_states_look_alike_to_someone_who_sees_no_colours(pair: tuple[Activity, Activity], panel: str) -> None:
    one, other = (on_panel(draw(STATES[state], 22), PANELS[panel]) for state in pair)
    assert differing_share(one, other) > 0.05


@pytest.mark.parametrize("panel", PANELS)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("state", STATES)
def test_an_icon_is_lost_on_its_panel(state: Activity, size: int, panel: str) -> None:
    icon = on_panel(draw(STATES[state], size), PANELS[panel])
    empty = Image.new("RGB", icon.size, PANELS[panel])
    assert differing_share(icon, empty) > 0.15


@pytest.mark.parametrize("size", SIZES)
def test_the_ring_stands_still_while_work_goes_on(size: int) -> None:
    lengths = [blue_pixels(draw(Status("working", done=done, total=8), size)) for done in range(9)]
    assert lengths[0] == 0
    assert lengths == sorted(set(lengths))


def test_the_ring_is_too_thin_to_see_in_a_small_panel() -> None:
    across = pixels(draw(Status("working", done=1, total=1), 22).crop((11, 0, 12, 11)))
    assert sum(1 for red, _, blue in across if blue > 200 and red < 120) >= 3


def test_the_ring_does_not_start_at_the_top() -> None:
    quarter = draw(Status("working", done=1, total=4), 48).convert("RGB")
    whole = [blue_pixels(quarter.crop(box)) for box in ((24, 0, 48, 24), (0, 0, 24, 24), (0, 24, 48, 48))]
    assert whole[0] > 50
    assert whole[1] <= 8
    assert whole[2] <= 8


def test_failures_hide_the_progress_of_the_rest() -> None:
    before, after = (Status("attention", attention=1, done=done, total=10) for done in (1, 6))
    assert blue_pixels(draw(after, 22)) > blue_pixels(draw(before, 22)) > 0


@pytest.mark.parametrize("state", ["working", "paused"])
def test_work_hides_that_something_needs_a_person(state: Activity) -> None:
    calm, wrong = (draw(Status(state, done=1, total=4, attention=number), 22) for number in (0, 2))
    assert differing_share(on_panel(calm, PANELS["dark"]), on_panel(wrong, PANELS["dark"])) > 0.05


def test_the_number_of_failures_cannot_be_told() -> None:
    pictures = {draw(Status("attention", attention=number), 22).tobytes() for number in range(1, 11)}
    assert len(pictures) == 10


numbers = st.integers(-(2**70), 2**70)


@given(st.sampled_from(tuple(STATES)), numbers, numbers, numbers, st.integers(1, 64))
def test_numbers_nobody_expects_break_the_icon(
    state: Activity, done: int, total: int, attention: int, size: int
) -> None:
    status = Status(state, done=done, total=total, attention=attention)
    icon = draw(status, size)
    assert (icon.mode, icon.size) == ("RGBA", (size, size))


@given(numbers, numbers)
def test_the_ring_leaves_its_range(done: int, total: int) -> None:
    ring = look(Status("working", done=done, total=total)).ring
    assert ring is not None
    assert 0 <= ring <= 60


def test_pages_of_a_running_job_move_the_ring() -> None:
    assert look(Status("working", done=1, total=4, part=0.0)).ring == 15
    assert look(Status("working", done=1, total=4, part=0.5)).ring == 22
    assert look(Status("working", done=3, total=4, part=9.0)).ring == 60
