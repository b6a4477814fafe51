"""Letters that stand alone: the network does not know whether they are capitals, and all the same they are not lost."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from paperchute.engine.reading.ocr.options import AUTO
from paperchute.engine.reading.ocr.page import see
from tests.engine.reading.ocr.scanning import scanned


@pytest.mark.parametrize(("face", "size", "dpi"), [("serif", 9, 150), ("serif", 11, 100), ("sans-serif", 11, 150)])
def test_crosses_in_a_table_are_read_in_their_case(tmp_path: Path, face: str, size: int, dpi: int) -> None:
    codes = ["X", "x", "C", "X", "V", "x", "Z", "X", "w", "X"]
    rows = "".join(f"<tr><td>Harbour dues and wages</td><td>{code}</td><td>12.50</td></tr>" for code in codes)
    css = "td{padding:2pt 16pt;border:0.5pt solid}"
    page = scanned(
        tmp_path, f"<table style='font:{size}pt {face};border-collapse:collapse'>{rows}</table>", css=css, dpi=dpi
    )
    seen = see(np.asarray(page.crop((0, 0, page.width, page.height // 2))), AUTO, float(dpi))
    assert [word.text for word in seen.words if len(word.text) == 1] == codes
