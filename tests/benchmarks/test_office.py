"""The benchmark of office files itself works: words that are lost or moved are counted, and the halves are apart."""

from __future__ import annotations

import shutil
from pathlib import Path

import docx
import pikepdf
import pytest
from benchmarks.office.__main__ import chosen
from benchmarks.office.words import agreement

from tests.engine.operations.papers import paper


@pytest.mark.skipif(not shutil.which("pdftotext"), reason="Poppler finds the words")
def test_words_that_are_lost_or_stand_elsewhere_are_counted(tmp_path: Path) -> None:
    document = docx.Document()
    document.add_paragraph("one two three unseen")
    document.save(str(tmp_path / "a.docx"))
    theirs = paper(tmp_path / "theirs.pdf", "one", "two", "three")
    same = agreement(tmp_path / "a.docx", theirs, theirs)
    assert (same.shown, same.found, same.near, same.stated, same.lost) == (3, 1.0, 1.0, 3, 0)
    other = paper(tmp_path / "ours.pdf", "one", "three", "more")
    with pikepdf.open(other, allow_overwriting_input=True) as pdf:
        pdf.pages[0].contents_add(b"1 0 0 1 40 0 cm", prepend=True)
        pdf.save(other)
    found = agreement(tmp_path / "a.docx", other, theirs)
    assert (round(found.found, 2), found.near, found.stated, found.lost) == (0.67, 0.0, 3, 1)
    assert agreement(tmp_path / "a.docx", None, theirs).found == 0.0


def test_a_file_is_in_one_half_and_counts_once(tmp_path: Path) -> None:
    for number in range(9):
        (tmp_path / f"{number}.docx").write_bytes(b"%d" % (number // 2))
    halves = [chosen(tmp_path, "docx", 9, unseen=unseen) for unseen in (False, True)]
    contents = [path.read_bytes() for half in halves for path in half]
    assert sorted(contents) == [b"%d" % number for number in range(5)]
