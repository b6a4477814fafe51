"""Draws docs/images/tray-states.png: every state of the tray icon, on dark and light panels, in the usual sizes.

PYTHONPATH=daemon python packaging/screenshots/tray_states.py [OUTPUT.png]
"""

from __future__ import annotations

import sys
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from paperchute.desktop.icon import draw
from paperchute.events import Status

STATES = {
    "idle": Status("idle"),
    "working": Status("working", done=2, total=10),
    "nearly done": Status("working", done=8, total=10),
    "paused": Status("paused"),
    "attention": Status("attention", attention=3),
    "at work too": Status("attention", done=5, total=8, attention=12),
    "service down": Status("down"),
}
SIZES = (16, 22, 24, 32, 48)
PANELS = ((34, 37, 43), (240, 241, 243))
CELL = 108
NAMES = 22


def main(output: Path) -> None:
    """Write the contact sheet."""
    row = sum(SIZES) + 10 * (len(SIZES) + 1)
    sheet = Image.new("RGB", (CELL + len(PANELS) * row, NAMES + 60 * len(STATES)), (255, 255, 255))
    to = ImageDraw.Draw(sheet)
    font = ImageFont.load_default(14)
    for line, (name, status) in enumerate(STATES.items()):
        top = NAMES + 60 * line
        to.text((8, top + 20), name, fill=(31, 41, 55), font=font)
        for panel, ground in enumerate(PANELS):
            left = CELL + panel * row
            to.rectangle((left, top, left + row - 1, top + 59), fill=ground)
            left += 10
            for size in SIZES:
                icon = draw(status, size)
                sheet.paste(icon, (left, top + (60 - size) // 2), icon)
                if line == 0 and panel == 0:
                    to.text((left, 3), str(size), fill=(31, 41, 55), font=font)
                left += size + 10
    output.parent.mkdir(parents=True, exist_ok=True)
    sheet.quantize(256).save(output, optimize=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("docs/images/tray-states.png"))
