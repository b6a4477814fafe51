"""Text in the middle of a frame is no table: certificates, title pages, notices."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.conservation.documents import width_of
from tests.engine.reading.placing import Sheet
from tests.engine.reading.printing import blocks

LINES = [
    (20, "Certificate of Attendance"),
    (11, "This is to certify that"),
    (15, "Erika Musterfrau"),
    (11, "has taken part in the course on fire protection at the works in the new harbour and has now also passed"),
    (11, "the test."),
    (11, "6 October 2025"),
]


@pytest.mark.parametrize("gap", [0, 3])
@pytest.mark.parametrize("walls", [False, True])
def test_text_in_the_middle_of_a_frame_is_no_table(tmp_path: Path, gap: int, walls: bool) -> None:
    """gap: between the two lines of the frame; walls: whether it has sides, too."""
    sheet = Sheet()
    for inset in {0, gap}:
        for y in (60 + inset, 420 - inset):
            sheet.line(40 + inset, y, 555 - inset, y)
        for x in (40 + inset, 555 - inset) if walls else ():
            sheet.line(x, 60 + inset, x, 420 - inset)
    for number, (size, text) in enumerate(LINES):
        sheet.put(text, 297.5 - width_of(text, size) / 2, 110 + 34 * number, size, bold=size > 11)
    for x, name in ((150, "Max Berg"), (400, "Ada Tal")):
        sheet.line(x - 8, 360, x + 80, 360)
        sheet.put(name, x, 372)
        sheet.put("Head of works", x, 386)
    found = blocks(sheet.save(tmp_path / "a.pdf"))
    assert [block for block in found if block.table is not None] == []
    assert "Certificate of Attendance" in [block.lines[0].text for block in found if block.level]
