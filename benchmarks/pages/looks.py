"""Is a result sound: qpdf finds nothing, and two independent renderers show the same."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pypdfium2
from PIL import Image, ImageChops, ImageFilter, ImageStat

_DPI = 60
_ALIKE = 12.0  # of 255, the mean difference of the blurred pages: antialiasing and hinting stay below


def sound(path: Path, password: str = "") -> bool:
    """Whether `qpdf --check` is content. Warnings count."""
    lock = [f"--password={password}"] if password else []
    return subprocess.run(["qpdf", *lock, "--check", path], capture_output=True, check=False).returncode == 0


def same_look(path: Path, scratch: Path, password: str = "") -> float:
    """The largest difference (0 to 255) between PDFium and Poppler on the first, middle and last page."""
    document = pypdfium2.PdfDocument(path, password=password or None)
    try:
        pages = sorted({0, len(document) // 2, len(document) - 1})
        shown = [document[page].render(scale=_DPI / 72).to_pil().convert("L") for page in pages]
    finally:
        document.close()
    return max(
        _difference(ours, _poppler(path, page + 1, scratch, password)) for page, ours in zip(pages, shown, strict=True)
    )


def off_by(source: Path, result: Path) -> float:
    """The mean difference (0 to 255) of a page of pictures at 150 dpi, the worst of all pages, as the eye has it."""
    worst = 0.0
    one, other = pypdfium2.PdfDocument(source), pypdfium2.PdfDocument(result)
    try:
        for page, made in zip(one, other, strict=True):
            shown = [side.render(scale=150 / 72).to_pil().convert("L") for side in (page, made)]
            worst = max(worst, _difference(*shown))
    finally:
        one.close()
        other.close()
    return round(worst, 2)


def alike(difference: float) -> bool:
    """Whether that is the same look to an eye."""
    return difference <= _ALIKE


def _poppler(path: Path, page: int, scratch: Path, password: str) -> Image.Image:
    lock = ["-upw", password] if password else []
    command = ["pdftoppm", *lock, "-r", str(_DPI), "-f", str(page), "-l", str(page), "-gray", "-singlefile"]
    subprocess.run([*command, path, scratch / "look"], check=True, capture_output=True)
    with Image.open(scratch / "look.pgm") as picture:
        return picture.convert("L")


def _difference(one: Image.Image, other: Image.Image) -> float:
    if abs(one.width - other.width) > 1 or abs(one.height - other.height) > 1:
        return 255.0
    blur = ImageFilter.GaussianBlur(2)
    other = other.resize(one.size)
    return float(ImageStat.Stat(ImageChops.difference(one.filter(blur), other.filter(blur))).mean[0])
