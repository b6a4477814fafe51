"""The tray icon, drawn: a folded sheet, and around or upon it what the daemon is doing.

Every state has a shape of its own, so that it reads without colour too: a ring (working), two bars (paused), a dot
with a number (attention), a slash (service down). Dark outlines with a light halo stand out on any panel.
"""

from __future__ import annotations

from typing import NamedTuple

from PIL import Image, ImageChops, ImageDraw, ImageFilter, ImageFont

from paperchute.events import Activity, Status

OVERSAMPLING = 4
SMALLEST = 16
"""Pixels below which the shapes would no longer hold together."""
RING_STEPS = 60
"""A ring at 22 px is about 60 px long: finer steps could not be seen."""
TOP = 270
"""Where the ring starts, in Pillow's degrees: 0 is three o'clock, clockwise."""

Colour = tuple[int, int, int, int]
Box = tuple[float, float, float, float]

INK: Colour = (31, 41, 55, 255)
PAPER: Colour = (255, 255, 255, 255)
PALE_PAPER: Colour = (203, 209, 217, 255)
FOLD: Colour = (148, 178, 219, 255)
GREY_FOLD: Colour = (130, 140, 153, 255)
RING: Colour = (10, 132, 255, 255)
RED: Colour = (214, 31, 38, 255)
HALO = (255, 255, 255)
HALO_OPACITY = 0.85


class Look(NamedTuple):
    """What of a status can be seen in its icon. Two statuses of the same look have the same picture.

    ring: filled sixtieths of the progress ring, None without a ring. number: what the dot says, 10 for more than 9;
    0 = no dot, but where something unnumbered needs attention.
    """

    state: Activity
    ring: int | None
    number: int


def look(status: Status) -> Look:
    """Return what can be seen of a status; any numbers are brought into their range."""
    at_work = status.activity == "working" or (status.activity == "attention" and 0 <= status.done < status.total)
    share = min(max((status.done + status.part) / status.total, 0.0), 1.0) if status.total > 0 else 0.0
    number = 0 if status.activity == "down" else min(max(status.attention, 0), 10)  # its slash says so by itself
    return Look(status.activity, round(share * RING_STEPS) if at_work else None, number)


def draw(status: Status, size: int) -> Image.Image:
    """The icon of a status as an RGBA image of `size` by `size` px with a transparent ground.

    Meant for 16 px and more; a smaller one is that of 16 px, reduced. Pure: the same look and size give the same
    pixels.
    """
    if size < SMALLEST:
        return draw(status, SMALLEST).resize((size, size), Image.Resampling.LANCZOS)
    seen = look(status)
    pen = _Pen(size)
    pale = seen.state in ("paused", "down")
    pen.sheet(small=seen.ring is not None, fill=PALE_PAPER if pale else PAPER, lines=not pale)
    if seen.ring is not None:
        pen.ring(seen.ring / RING_STEPS)
    if seen.state == "paused":
        pen.bars()
    elif seen.state == "down":
        pen.slash()
    if seen.number or seen.state == "attention":
        pen.dot("9+" if seen.number > 9 else str(seen.number) if seen.number else "!")
    return pen.reduced()


class _Pen:
    """Draws in units of final pixels on a canvas four times as large."""

    def __init__(self, size: int) -> None:
        self.size = size
        side = size * OVERSAMPLING
        self.canvas = Image.new("RGBA", (side, side), (0, 0, 0, 0))
        self.to = ImageDraw.Draw(self.canvas)
        self.stroke = max(1.0, size / 22)

    def sheet(self, *, small: bool, fill: Colour, lines: bool) -> None:
        """The folded sheet; small where a ring goes around it."""
        height = self.size * (0.5 if small else 0.86)
        width = height * 0.78
        left, top = (self.size - width) / 2, (self.size - height) / 2
        right, bottom = left + width, top + height
        fold = width * 0.36
        outline = [(left, top), (right - fold, top), (right, top + fold), (right, bottom), (left, bottom)]
        self._polygon(outline, INK)
        inner = self.stroke * (1.0 if small else 1.25)
        self._polygon(
            [
                (left + inner, top + inner),
                (right - fold - inner * 0.4, top + inner),
                (right - inner, top + fold + inner * 0.4),
                (right - inner, bottom - inner),
                (left + inner, bottom - inner),
            ],
            fill,
        )
        corner = right - fold - inner * 0.4, top + fold + inner * 0.4
        self._polygon([(corner[0], top + inner), (right - inner, corner[1]), corner], FOLD if lines else GREY_FOLD)
        if lines and not small:
            for share in (0.52, 0.7):
                y = top + height * share
                thickness = max(1.0, self.size * 0.07)
                self._box((left + width * 0.24, y, right - width * 0.24, y + thickness), INK)

    def ring(self, share: float) -> None:
        """A track with an arc upon it that starts at the top and is full for share 1."""
        width = max(3.0, self.size * 0.14)
        margin = max(1.0, self.size * 0.03)
        edge = max(0.5, self.stroke * 0.5)
        outer = (margin, margin, self.size - margin, self.size - margin)
        self._arc(outer, 0, 360, width, INK)
        lane = (margin + edge, margin + edge, self.size - margin - edge, self.size - margin - edge)
        self._arc(lane, 0, 360, width - 2 * edge, PALE_PAPER)
        if share > 0:
            self._arc(outer, TOP, TOP + 360 * share, width, RING)

    def bars(self) -> None:
        """The two bars of a pause."""
        width, height = self.size * 0.14, self.size * 0.4
        top, centre = self.size * 0.43, self.size * 0.5
        for left in (centre - width * 1.4, centre + width * 0.4):
            self._box((left, top, left + width, top + height), INK)

    def slash(self) -> None:
        """A stroke across everything, light at its sides so that it parts what it crosses."""
        near, far = self.size * 0.1, self.size * 0.9
        for width, colour in ((self.size * 0.3, PAPER), (self.size * 0.15, RED)):
            self._line((near, far), (far, near), width, colour)

    def dot(self, text: str) -> None:
        """A dot at the bottom right, or a pill for two characters, with the text in it."""
        height = max(10.0, self.size * 0.56)
        width = height * (1.0 if len(text) == 1 else 1.35)
        right = bottom = self.size - max(0.5, self.size * 0.02)
        box = (right - width, bottom - height, right, bottom)
        rim = self.stroke
        self._pill((box[0] - rim, box[1] - rim, box[2] + rim, box[3] + rim), PAPER)
        self._pill(box, RED)
        font = ImageFont.load_default(height * 0.9 * OVERSAMPLING)
        centre = (box[0] + width / 2) * OVERSAMPLING, (box[1] + height / 2) * OVERSAMPLING
        ink = self.to.textbbox((0, 0), text, font=font, stroke_width=self.stroke)
        corner = centre[0] - (ink[0] + ink[2]) / 2, centre[1] - (ink[1] + ink[3]) / 2
        self.to.text(corner, text, fill=PAPER, font=font, stroke_width=self.stroke, stroke_fill=PAPER)

    def reduced(self) -> Image.Image:
        """The finished icon: a halo laid under everything, brought down to its final size."""
        shape = self.canvas.getchannel("A")
        spread = shape.filter(ImageFilter.MaxFilter(2 * OVERSAMPLING + 1)).point(lambda a: int(a * HALO_OPACITY))
        halo = Image.new("RGBA", self.canvas.size, (*HALO, 0))
        halo.putalpha(ImageChops.lighter(spread, shape))
        return Image.alpha_composite(halo, self.canvas).resize((self.size, self.size), Image.Resampling.LANCZOS)

    def _polygon(self, points: list[tuple[float, float]], colour: Colour) -> None:
        self.to.polygon([(x * OVERSAMPLING, y * OVERSAMPLING) for x, y in points], fill=colour)

    def _box(self, box: Box, colour: Colour) -> None:
        self.to.rectangle(_scaled(box), fill=colour)

    def _pill(self, box: Box, colour: Colour) -> None:
        self.to.rounded_rectangle(_scaled(box), radius=(box[3] - box[1]) / 2 * OVERSAMPLING, fill=colour)

    def _arc(self, box: Box, start: float, end: float, width: float, colour: Colour) -> None:
        self.to.arc(_scaled(box), start, end, fill=colour, width=round(width * OVERSAMPLING))

    def _line(self, start: tuple[float, float], end: tuple[float, float], width: float, colour: Colour) -> None:
        ends = [start[0] * OVERSAMPLING, start[1] * OVERSAMPLING, end[0] * OVERSAMPLING, end[1] * OVERSAMPLING]
        self.to.line(ends, fill=colour, width=round(width * OVERSAMPLING))


def _scaled(box: Box) -> Box:
    return (box[0] * OVERSAMPLING, box[1] * OVERSAMPLING, box[2] * OVERSAMPLING - 1, box[3] * OVERSAMPLING - 1)
