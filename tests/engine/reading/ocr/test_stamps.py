"""Stamps over text: what lies under them is unsure, as some of its lines are not found."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from paperchute.engine.reading.ocr.options import AUTO
from paperchute.engine.reading.ocr.page import see
from paperchute.engine.reading.omissions import OMISSIONS
from tests.engine.reading.ocr.scanning import scanned

_TEXT = "".join(
    f"<p>{line}</p>"
    for line in (
        "The quick survey of the northern harbours showed that most of the older quays",
        "had been rebuilt in brick, while the newer ones were still made of timber",
        "and a number of engines were ordered for the machine room of the granary",
    )
    * 3
)
_STAMP = "border:4pt solid;padding:6pt;font:bold 34pt sans-serif;color:rgba(200,40,60,.8)"


def _unsure(folder: Path, stamp: str) -> float:
    css = "p{font:11pt sans-serif;margin:2pt}"
    picture = np.asarray(scanned(folder, f"<div>{_TEXT}</div><div style='{stamp}'>RECEIVED</div>", css=css))
    return see(picture[: len(picture) // 3], AUTO, 150.0).unsure


def test_lines_under_a_stamp_are_unsure(tmp_path: Path) -> None:
    assert _unsure(tmp_path, f"position:absolute;left:110pt;top:50pt;{_STAMP}") > OMISSIONS.partly


def test_a_stamp_beside_the_text_spoils_nothing(tmp_path: Path) -> None:
    assert _unsure(tmp_path, f"margin:20pt 0 0 200pt;width:230pt;{_STAMP}") == 0
