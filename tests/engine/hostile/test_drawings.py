"""What a page draws is read once, whatever else the page is looked at for: it may be very much."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from paperchute.engine.document.flow import flowed_text
from paperchute.engine.reading.pdf import calls
from tests.engine.reading.placing import Sheet
from tests.engine.reading.printing import blocks

_STROKES = 400


def _drawn(path: Path) -> None:
    """A figure of short strokes, which is a picture of its own: the page is opened again for it."""
    sheet, draw = Sheet(), random.Random(1)
    sheet.put("The harbour from above", 60, 60)
    for _ in range(_STROKES):
        x, y = draw.randrange(200, 400), draw.randrange(200, 400)
        sheet.path((x, y), (x + 9, y + 9), (x + 18, y - 9))
    sheet.save(path)


def _flat(path: Path) -> None:
    """Strokes beside text that has no width until the page's text is read again."""
    sheet = Sheet(shapes=False)
    sheet.down("吾輩は猫である", 440, 80, 12)
    for number in range(_STROKES):
        sheet.line(50, 200 + number, 60, 200 + number)
    sheet.save(path)


@pytest.mark.parametrize(("write", "is_figure"), [(_drawn, True), (_flat, False)], ids=["figure", "flat text"])
def test_each_path_is_asked_for_once(
    write: Callable[[Path], None], is_figure: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = 0
    count = calls.count_segments

    def counted(paths: Iterable[calls.Handle]) -> list[int]:
        nonlocal asked
        found = count(paths)
        asked += len(found)
        return found

    monkeypatch.setattr(calls, "count_segments", counted)
    write(tmp_path / "a.pdf")
    found = blocks(tmp_path / "a.pdf")
    assert asked == _STROKES
    assert any(block.image for block in found) == is_figure
    assert is_figure or "猫" in "".join(flowed_text(block.lines) for block in found)
