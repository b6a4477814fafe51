"""Stacks as a scanner's feeder gives them: printed, sparse and blank pages, turned, askew, with what scanners add."""

from __future__ import annotations

import io
import random
from pathlib import Path

import numpy as np
import pikepdf
import PIL.Image
import PIL.ImageDraw
import PIL.ImageFont
from pikepdf import Dictionary, Name

DPI = 150
SIZE = round(8.27 * DPI), round(11.69 * DPI)
_WORDS = (
    *("The", "harbour", "office", "wrote", "about", "the", "delivery", "of", "timber", "and", "asked", "whether"),
    *("crane", "may", "stay", "until", "Friday", "while", "second", "ship", "waits", "outside", "because", "its"),
    *("papers", "name", "another", "master", "nobody", "has", "signed", "for", "bricks", "yet"),
)
PAPER = 248


def printed(chance: random.Random, lines: int = 24) -> PIL.Image.Image:
    """A letter."""
    page = blank()
    draw, font = PIL.ImageDraw.Draw(page), PIL.ImageFont.load_default(26)
    for line in range(lines):
        text = " ".join(chance.choice(_WORDS) for _ in range(11))
        draw.text((140, 200 + 52 * line), text, 30, font)
    return page


def blank() -> PIL.Image.Image:
    """A sheet of paper."""
    return PIL.Image.new("L", SIZE, PAPER)


def sparse(kind: str) -> PIL.Image.Image:
    """A page that hardly has anything on it, and must not be lost."""
    page = blank()
    draw, small = PIL.ImageDraw.Draw(page), PIL.ImageFont.load_default(22)
    middle, high = SIZE[0] // 2, SIZE[1]
    match kind:
        case "number":
            draw.text((middle, high - 90), "7", 40, small)
        case "tick":
            draw.line([(700, 900), (712, 920), (745, 870)], 90, 3)
        case "pencil":
            draw.line([(600, 600), (640, 640), (760, 520)], 195, 3)
        case "left blank":
            draw.text((middle - 260, high // 2), "This page is intentionally left blank", 60, small)
        case "signature":
            draw.line([(700, 1500), (730, 1440), (760, 1510), (800, 1450), (870, 1500)], 70, 3, joint="curve")
        case "stamp":
            draw.ellipse((820, 1300, 990, 1470), outline=120, width=4)
        case "photo":
            draw.rectangle((300, 400, 900, 1000), 140)
        case "pale":
            draw.text((200, 300), "received with thanks", 205, PIL.ImageFont.load_default(30))
        case "corner":
            draw.text((60, 60), "A3", 60, small)
        case "line":
            draw.line([(200, 800), (1000, 800)], 80, 2)
        case "faint pencil":
            draw.line([(300, 500), (340, 470), (390, 510), (430, 480)], 218, 2, joint="curve")
        case "grey number":
            draw.text((middle, high - 80), "12", 170, PIL.ImageFont.load_default(16))
        case "number at the edge":
            draw.text((SIZE[0] - 26, high // 2), "9", 40, small)
        case "cut note":
            draw.text((-8, 700), "call back", 60, PIL.ImageFont.load_default(28))
        case "sticker":
            draw.ellipse((60, 300, 96, 336), 90)
        case "dots":
            for x in range(300, 700, 14):
                draw.ellipse((x, 600, x + 2, 602), 120)
        case "small print":
            draw.text((300, 1600), "printed on recycled paper", 150, PIL.ImageFont.load_default(11))
        case "box":
            draw.rectangle((500, 500, 524, 524), outline=120, width=2)
        case "pale box":
            draw.rectangle((400, 500, 700, 640), 228)
        case "pale panel":
            draw.rectangle((140, 900, 1100, 1500), 228)
        case "pale stamp":
            draw.ellipse((820, 1300, 990, 1470), outline=228, width=5)
            draw.line([(850, 1385), (960, 1385)], 228, 5)
        case "pale pencil":
            draw.line([(600, 600), (640, 640), (760, 520), (830, 610)], 226, 3, joint="curve")
        case "pale frame":
            draw.rectangle((200, 300, 1000, 420), outline=228, width=4)
        case "initials":
            draw.line([(1080, 1650), (1090, 1600), (1100, 1650), (1112, 1605), (1118, 1650)], 110, 2, joint="curve")
    return page


SPARSE = (
    *("number", "tick", "pencil", "left blank", "signature", "stamp", "photo", "pale", "corner", "line"),
    *("faint pencil", "grey number", "number at the edge", "cut note", "sticker", "dots", "small print", "box"),
    *("initials", "pale box", "pale panel", "pale stamp", "pale pencil", "pale frame"),
)


def with_back(page: PIL.Image.Image, back: PIL.Image.Image, strength: float = 0.18) -> PIL.Image.Image:
    """A page through which its other side shines."""
    mirrored = np.asarray(back.transpose(PIL.Image.Transpose.FLIP_LEFT_RIGHT), np.float32)
    soft = np.asarray(
        PIL.Image.fromarray(mirrored.astype(np.uint8)).resize((SIZE[0] // 2, SIZE[1] // 2)).resize(SIZE), np.float32
    )
    shown = np.roll(soft, (5, -7), (0, 1))
    return PIL.Image.fromarray(
        (np.asarray(page, np.float32) * (1 - strength * (PAPER - shown) / PAPER)).astype(np.uint8)
    )


def scanned(
    page: PIL.Image.Image, chance: random.Random, *, turn: int = 0, skew: float = 0.0, worn: bool = False
) -> PIL.Image.Image:
    """What a scanner gives of a page: turned clockwise, askew, with noise; worn: dust, punch holes, a dark edge."""
    if worn:
        page = page.copy()
        draw = PIL.ImageDraw.Draw(page)
        for y in (SIZE[1] // 2 - 236, SIZE[1] // 2 + 236):
            draw.ellipse((71 - 18, y - 18, 71 + 18, y + 18), 25)
        for _ in range(40):
            x, y, r = chance.randrange(SIZE[0]), chance.randrange(SIZE[1]), chance.choice((0, 1, 1))
            draw.ellipse((x, y, x + r, y + r), 90)
        draw.rectangle((SIZE[0] - 14, 0, SIZE[0], SIZE[1]), 60)
    if skew:
        page = page.rotate(-skew, PIL.Image.Resampling.BICUBIC, fillcolor=PAPER)
    if turn:
        page = page.rotate(-turn, expand=True)
    noise = np.random.default_rng(chance.randrange(1 << 30)).normal(0, 2.5, page.size[::-1])
    return PIL.Image.fromarray(np.clip(np.asarray(page, np.float32) + noise, 0, 255).astype(np.uint8))


def stack(path: Path, *pages: PIL.Image.Image, dpi: int = DPI) -> Path:
    """A PDF of scanned pages."""
    pdf = pikepdf.new()
    for picture in pages:
        out = io.BytesIO()
        picture.save(out, "JPEG", quality=85)
        width, height = (72 * side / dpi for side in picture.size)
        page = pdf.add_blank_page(page_size=(width, height))
        image = pdf.make_stream(
            out.getvalue(), Type=Name.XObject, Subtype=Name.Image, Width=picture.width, Height=picture.height,
            ColorSpace=Name.DeviceGray, BitsPerComponent=8, Filter=Name.DCTDecode,
        )  # fmt: skip
        page.Resources = Dictionary(XObject=Dictionary(Im0=image))
        page.Contents = pdf.make_stream(f"q {width} 0 0 {height} 0 0 cm /Im0 Do Q".encode())
    pdf.save(path)
    return path
