"""Text in fonts whose letters nobody can draw: what the file says of it is read, however it runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from paperchute.engine.document.flow import flowed_text
from tests.engine.reading.placing import Sheet
from tests.engine.reading.printing import blocks

COLUMNS = ["吾輩は猫である", "名前はまだ無い"]
LATIN = "The keeper of the northern harbour wrote this down"


@pytest.mark.parametrize("write", [Sheet.down, Sheet.turned, Sheet.letters], ids=["vertical", "turned", "by letters"])
@pytest.mark.parametrize("beside", [True, False], ids=["beside other text", "alone"])
def test_text_without_shapes_is_read(
    tmp_path: Path, write: Callable[[Sheet, str, float, float, float], None], beside: bool
) -> None:
    """The ledger could not tell of it: PDFium leaves text without a width out."""
    sheet = Sheet(shapes=False)
    if beside:
        for number in range(6):
            sheet.put(LATIN, 60, 500 + 14 * number)
    for number, text in enumerate(COLUMNS):
        write(sheet, text, 440 - 20 * number, 80, 12)
    found = "".join(flowed_text(block.lines) for block in blocks(sheet.save(tmp_path / "a.pdf")))
    assert all(text in found.replace(" ", "") for text in COLUMNS)
    assert found.count("keeper") == (6 if beside else 0)
