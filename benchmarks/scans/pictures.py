"""`python -m benchmarks.scans.pictures [--samples DIR] [--every N] [--json FILE] [--keep DIR]`: cleaning pictures.

DIR has a folder `scans` with `images` and `clean`: the page as a scanner or camera sees it, and as it was, under the
same stem; the part after `_` is the kind. Those whose truth has another shape (skewed ones) are left out. Measured on
grey values:

- psnr (dB) and ssim (8 x 8 windows, mean) against the truth;
- psnr even: the same after both are stretched so that paper (95th percentile) is white and ink (1st) black, so that
  nobody wins by the brightness of the paper alone;
- s/Mpx: seconds for a million pixels.

Beside ours: the picture as it is; the rolling ball (Sternberg 1983) as a closing by a disc, taken away; division by
the same surface; the adaptive threshold (mean of a window less a constant) and Sauvola's (2000), which give black and
white.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image
from rich.console import Console

from benchmarks.watching.tables import Row, table
from paperchute.engine.imaging.cleanup import cleaned

ROOT = Path(__file__).parents[2]
Pixels = NDArray[np.uint8]
Grey = NDArray[np.float64]


def ours(picture: Pixels) -> Pixels:
    """magic-color."""
    return np.asarray(cleaned(picture), np.uint8)


def untouched(picture: Pixels) -> Pixels:
    """As it is."""
    return picture


def rolling_ball(picture: Pixels) -> Pixels:
    """The surface that a ball rolls on, taken away."""
    grey = _grey(picture)
    return np.asarray(255 - cv2.absdiff(grey, _surface(grey)), np.uint8)


def division(picture: Pixels) -> Pixels:
    """The picture divided by that surface."""
    grey = _grey(picture)
    return np.asarray(cv2.divide(grey, _surface(grey), scale=255), np.uint8)


def adaptive(picture: Pixels) -> Pixels:
    """OpenCV's adaptive threshold, as its manual shows it for text."""
    return np.asarray(
        cv2.adaptiveThreshold(_grey(picture), 255, cv2.ADAPTIVE_THRESH_GAUSSIAN_C, cv2.THRESH_BINARY, 31, 15), np.uint8
    )


def sauvola(picture: Pixels) -> Pixels:
    """Sauvola's threshold with k = 0.2 and windows of 25 pixels."""
    grey = _grey(picture).astype(np.float32)
    mean = cv2.blur(grey, (25, 25))
    deviation = np.sqrt(np.maximum(cv2.blur(grey * grey, (25, 25)) - mean * mean, 0))
    return np.where(grey > mean * (1 + 0.2 * (deviation / 128 - 1)), 255, 0).astype(np.uint8)


CLEANERS: dict[str, Callable[[Pixels], Pixels]] = {
    "ours": ours,
    "untouched": untouched,
    "rolling ball": rolling_ball,
    "division": division,
    "adaptive threshold": adaptive,
    "Sauvola": sauvola,
}


def psnr(truth: Grey, found: Grey) -> float:
    """Peak signal-to-noise ratio in decibels, 99 for no difference."""
    error = float(np.mean((truth - found) ** 2))
    return 99.0 if error == 0 else min(99.0, 10 * float(np.log10(255**2 / error)))


def ssim(truth: Grey, found: Grey) -> float:
    """Structural similarity (Wang 2004) with windows of 8 x 8, their mean."""
    c1, c2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    a, b = _box(truth), _box(found)
    va, vb, cov = _box(truth * truth) - a * a, _box(found * found) - b * b, _box(truth * found) - a * b
    return float(np.mean(((2 * a * b + c1) * (2 * cov + c2)) / ((a * a + b * b + c1) * (va + vb + c2))))


def even(values: Grey) -> Grey:
    """Stretched so that paper is white and ink black."""
    ink, paper = (float(level) for level in np.percentile(values, (1, 95)))
    stretched: Grey = np.clip((values - ink) / max(paper - ink, 1.0) * 255, 0, 255)
    return stretched


def measured(pairs: Sequence[tuple[Path, Path]], keep: Path | None) -> list[Row]:
    """A row for each kind and cleaner. keep: a folder for what ours makes."""
    found: dict[tuple[str, str], list[tuple[float, ...]]] = {}
    for path, clean in pairs:
        picture = np.asarray(Image.open(path).convert("RGB"))
        truth = np.asarray(Image.open(clean).convert("L"), np.float64)
        kind = path.stem.partition("_")[2] or "picture"
        for name, cleaner in CLEANERS.items():
            began = time.perf_counter()
            result = cleaner(picture)
            seconds = time.perf_counter() - began
            if keep is not None and name == "ours":
                Image.fromarray(result).save(keep / f"{path.stem}.png")
            grey = _grey(result)
            if grey.shape != truth.shape:
                size = (truth.shape[1], truth.shape[0])
                grey = np.asarray(cv2.resize(grey, size, interpolation=cv2.INTER_CUBIC), np.uint8)
            values = grey.astype(np.float64)
            scores = psnr(truth, values), ssim(truth, values), psnr(even(truth), even(values))
            found.setdefault((kind, name), []).append((*scores, 1e6 * seconds / (picture.shape[0] * picture.shape[1])))
    rows: list[Row] = []
    for (kind, name), figures in sorted(found.items(), key=lambda item: (item[0][0], list(CLEANERS).index(item[0][1]))):
        means = [fmean(column) for column in zip(*figures, strict=True)]
        named = dict(zip(("psnr", "ssim", "psnr even", "s/Mpx"), (round(mean, 3) for mean in means), strict=True))
        rows.append({"kind": kind, "cleaner": name, "pictures": len(figures), **named})
    return rows


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.scans.pictures",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    default = Path(os.environ.get("PAPERCHUTE_SAMPLES", ROOT / "../shared/samples"))
    parser.add_argument("--samples", type=Path, default=default, help="folder with scans")
    parser.add_argument("--every", type=int, default=1, help="measure every N-th picture only")
    parser.add_argument("--json", type=Path, help="where to keep the figures")
    parser.add_argument("--keep", type=Path, help="a folder for the pictures that ours makes")
    given = parser.parse_args()
    pairs = _pairs(given.samples / "scans")[:: given.every]
    if not pairs:
        parser.error(f"no pictures with their truth in {given.samples / 'scans'}, images and clean")
    if given.keep:
        given.keep.mkdir(parents=True, exist_ok=True)
    rows = measured(pairs, given.keep)
    Console(width=160, highlight=False).print(table("pictures cleaned", rows))
    if given.json:
        given.json.write_text(json.dumps(rows, indent=1), "utf-8")


def _pairs(samples: Path) -> list[tuple[Path, Path]]:
    clean = {path.stem: path for path in (samples / "clean").glob("*.*")}
    pairs = [(path, clean[path.stem]) for path in sorted((samples / "images").glob("*.*")) if path.stem in clean]
    return [(path, truth) for path, truth in pairs if _shape(path) == _shape(truth)]


def _shape(path: Path) -> float:
    """Height by width, to hundredths."""
    with Image.open(path) as picture:
        return round(picture.height / picture.width, 2)


def _grey(picture: Pixels) -> Pixels:
    return np.asarray(cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY), np.uint8) if picture.ndim == 3 else picture


def _surface(grey: Pixels) -> Pixels:
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (31, 31))
    return np.asarray(cv2.medianBlur(cv2.morphologyEx(grey, cv2.MORPH_CLOSE, disc), 21), np.uint8)


def _box(values: Grey, size: int = 8) -> Grey:
    """Means of all windows that lie inside."""
    sums = np.pad(values.cumsum(0).cumsum(1), ((1, 0), (1, 0)))
    means: Grey = (sums[size:, size:] - sums[:-size, size:] - sums[size:, :-size] + sums[:-size, :-size]) / (
        size * size
    )
    return means


if __name__ == "__main__":
    main()
