"""Bar codes and matrix codes on the picture of a page: Code 39, Code 128, QR and Data Matrix, in any turn."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import zxingcpp
from numpy.typing import NDArray

Grey = NDArray[np.uint8]

_LINEAR = (zxingcpp.BarcodeFormat.Code39, zxingcpp.BarcodeFormat.Code128)
_MATRIX = (zxingcpp.BarcodeFormat.QRCode, zxingcpp.BarcodeFormat.DataMatrix)
_ASKEW = (30, 60)  # degrees: with right angles, no linear code lies further than 15 degrees from a row that is tried

_PAYMENT = re.compile(
    r"\s*(?:(BCD)\r?\n|(SPC)\r?\n|(UPNQR)\r?\n|(HRVHUB30)\r?\n|(HCT|RTP)\r?\n\d{3}|(SPD)\*|(ST0001)\d\||(K:PR)\|"
    r"|(000201)|\d{0,10}(\|(?:PL)?\|)\d{26}\||(bank|payto|upi|bitcoin):)"
)
"""How the texts of payment codes begin: EPC069-12, Swiss QR-bill, Slovenia, Croatia, Hungary, Czechia, GOST R 56042,
Serbia, EMVCo, Poland, and addresses that pay."""


@dataclass(frozen=True, slots=True)
class Code:
    """A code that was read. box: left, top, right, bottom in pixels; contrast: of its bars to the paper, 0 to 1."""

    text: str
    is_matrix: bool
    box: tuple[int, int, int, int]
    contrast: float

    @property
    def center(self) -> tuple[float, float]:
        """Its middle, in pixels."""
        left, top, right, bottom = self.box
        return (left + right) / 2, (top + bottom) / 2


def read_codes(grey: Grey, is_enough: Callable[[Sequence[Code]], bool]) -> list[Code]:
    """Read the codes on a page's picture, matrix codes first, each from the top down.

    Args:
        grey: The picture, of 150 to 300 dpi.
        is_enough: Decides whether those found are all that is looked for. Until they are, the picture is looked at
            again without its noise and, for linear codes, turned.
    """
    found: list[Code] = []
    for codes in _tries(grey):
        found += [code for code in codes if not any(_is_same(code, other) for other in found)]
        if is_enough(found):
            break
    return sorted(found, key=lambda code: (not code.is_matrix, code.box[1], code.box[0]))


def read_every_code(grey: Grey) -> list[Code]:
    """Read what codes on a picture say, of all kinds that can be read, with and without the picture's noise."""
    pictures = grey, np.asarray(cv2.medianBlur(grey, 3), np.uint8)
    return [code for picture in pictures for code in _read(picture, (zxingcpp.BarcodeFormat.AllReadable,))]


def _is_same(code: Code, other: Code) -> bool:
    """Decide whether two tries have read one code."""
    left, top, right, bottom = code.box
    x, y = other.center
    return code.text == other.text and left <= x <= right and top <= y <= bottom


def payment_kind(text: str) -> str:
    """Name what a payment code's text begins with, such as `BCD` of a European one; empty for other codes."""
    match = _PAYMENT.match(text)
    return next((mark for mark in match.groups() if mark), "") if match else ""


def _tries(grey: Grey) -> Iterator[list[Code]]:
    every = (*_LINEAR, *_MATRIX)
    yield list(_read(grey, every))
    yield list(_read(np.asarray(cv2.medianBlur(grey, 3), np.uint8), every))
    height, width = grey.shape
    for degrees in _ASKEW:
        forth = cv2.getRotationMatrix2D((width / 2, height / 2), degrees, 1)
        wide, tall = np.abs(forth[:, :2]) @ (width, height)
        forth[:, 2] += (wide - width) / 2, (tall - height) / 2
        turned = np.asarray(cv2.warpAffine(grey, forth, (int(wide), int(tall)), borderValue=255), np.uint8)
        yield list(_read(turned, _LINEAR, grey, np.asarray(cv2.invertAffineTransform(forth), np.float64)))


def _read(
    picture: Grey,
    formats: Sequence[zxingcpp.BarcodeFormat],
    whole: Grey | None = None,
    back: NDArray[np.float64] | None = None,
) -> Iterator[Code]:
    """The codes on a picture. whole, back: the page that it was turned from, and how to get there."""
    wanted = zxingcpp.BarcodeFormats(formats)
    for one in zxingcpp.read_barcodes(picture, formats=wanted, text_mode=zxingcpp.TextMode.Plain):
        place = one.position
        points = [place.top_left, place.top_right, place.bottom_right, place.bottom_left]
        corners = np.array([(point.x, point.y) for point in points], np.float64)
        if back is not None:
            corners = corners @ back[:, :2].T + back[:, 2]
        page = picture if whole is None else whole
        left, top = np.maximum(np.floor(corners.min(axis=0)), 0).astype(int)
        right, bottom = np.minimum(np.ceil(corners.max(axis=0)) + 1, page.shape[::-1]).astype(int)
        if one.text and right > left and bottom > top:
            dark, light = np.percentile(page[top:bottom, left:right], (5, 95))
            box = int(left), int(top), int(right), int(bottom)
            yield Code(one.text, one.format in _MATRIX, box, float(light - dark) / max(float(light), 1.0))
