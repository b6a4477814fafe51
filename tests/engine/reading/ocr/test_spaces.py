"""Where no space was read between two words, the ink tells it; letters that stand far apart are not torn."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from paperchute.engine.reading.ocr.options import AUTO
from paperchute.engine.reading.ocr.page import see
from tests.engine.reading.ocr.scanning import scanned

_MARKED = [
    ("harbour survey summer valve contract", "totals due training reference", "account paper number"),
    ("river kitchen number quarter valve", "customer delivery paper amount", "training river machine"),
    ("address delivery engine account", "order personnel balances summer", "monthly invoice number"),
    ("balance street budget order timber", "order contract machine street", "personnel number training"),
]
_COLOURS = ("#ff0", "#6f6", "#f9c", "#8cf")


def _words(folder: Path, html: str, dpi: int) -> Counter[str]:
    page = scanned(folder, f"<div style='font:11pt/1.35 sans-serif'>{html}</div>", dpi=dpi)
    return Counter(word.text for word in see(np.asarray(page), AUTO, float(dpi)).words)


@pytest.mark.parametrize("dpi", [150, 200])
def test_words_are_parted_where_a_marker_begins_and_ends(tmp_path: Path, dpi: int) -> None:
    html = "".join(
        f"<p>{before} <span style='background:{colour}'>{marked}</span> {behind}</p>"
        for colour, (before, marked, behind) in zip(_COLOURS, _MARKED, strict=True)
    )
    missed = Counter(" ".join(" ".join(line) for line in _MARKED).split()) - _words(tmp_path, html, dpi)
    assert sum(missed.values()) <= 2  # one pair: without a look at the ink it is nearly all


def test_letters_that_stand_apart_make_one_word(tmp_path: Path) -> None:
    lines = [
        "if (contract[15] >= office_valve) { return 7104; }",
        "number 1117 and 71,171.11 in all, see Illinois or Lille",
        "https://files.example.org/a.b/1.1 by J. R. Miller",
    ]
    html = "".join(f"<p style='font:10pt {face}'>{line}</p>" for face in ("monospace", "serif") for line in lines)
    html = html.replace(">=", "&gt;=")
    assert not Counter(" ".join(2 * lines).split()) - _words(tmp_path, html, 200)
