"""Merging: the right pages in the right order, and what belongs to them still works."""

from __future__ import annotations

from pathlib import Path

import pikepdf
import pytest
from pikepdf import Dictionary, Name, NumberTree

from paperchute.engine.work import Refused
from tests.engine.operations.papers import done, locked, paper, with_field, with_link, words
from tests.engine.pdf_parts import attach, outline


def test_pages_come_in_the_order_of_the_files(tmp_path: Path) -> None:
    files = [paper(tmp_path / f"{n}.pdf", f"{n}1", f"{n}2") for n in "cab"]
    merged = done("pdf-merge", tmp_path, *files)
    assert merged.name == "merged.pdf"
    assert words(merged) == ["c1", "c2", "a1", "a2", "b1", "b2"]


def test_ranges_pick_repeat_and_turn_round_pages(tmp_path: Path) -> None:
    files = [paper(tmp_path / f"{n}.pdf", *(f"{n}{i}" for i in range(1, 5))) for n in "ab"]
    merged = done("pdf-merge", tmp_path, *files, filePageRanges=["3,1-2,1", "all"], outputFileName="../x/mine")
    assert merged.name == "mine.pdf"
    assert words(merged) == ["a3", "a1", "a2", "a1", "b1", "b2", "b3", "b4"]


def test_wrong_ranges_and_lists_are_refused(tmp_path: Path) -> None:
    files = [paper(tmp_path / "a.pdf", "a"), paper(tmp_path / "b.pdf", "b")]
    with pytest.raises(Refused) as caught:
        done("pdf-merge", tmp_path, *files, filePageRanges=["1", "2"])
    assert caught.value.code == "110001"
    with pytest.raises(Refused) as caught:
        done("pdf-merge", tmp_path, *files, filePageRanges=["1"])
    assert caught.value.code == "03000"


def test_outlines_of_all_sources_lead_to_their_pages(tmp_path: Path) -> None:
    files = [paper(tmp_path / f"{n}.pdf", f"{n}1", f"{n}2", outline=True) for n in "ab"]
    merged = done("pdf-merge", tmp_path, *files, filePageRanges=["1", ""])
    assert outline(merged) == [(1, "To a1", 1), (1, "To b1", 2), (1, "To b2", 3)]


def test_links_work_also_to_pages_that_come_later(tmp_path: Path) -> None:
    first = paper(tmp_path / "a.pdf", "a1")
    second = with_link(paper(tmp_path / "b.pdf", "b1", "b2", "b3"), on=0, to=2)
    merged = done("pdf-merge", tmp_path, first, second)
    with pikepdf.open(merged) as pdf:
        (note,) = pdf.pages[1].obj.Annots
        assert note.Dest[0].objgen == pdf.pages[3].obj.objgen


def test_fields_of_the_same_name_are_told_apart(tmp_path: Path) -> None:
    files = [with_field(paper(tmp_path / f"{n}.pdf", n), "name") for n in "abc"]
    merged = done("pdf-merge", tmp_path, *files)
    with pikepdf.open(merged) as pdf:
        assert [str(f.T) for f in pdf.Root.AcroForm.Fields] == ["name", "name_2", "name_3"]
        assert all(page.obj.Annots[0].P.objgen == page.obj.objgen for page in list(pdf.pages)[1:])


def test_page_labels_attachments_and_the_title_are_kept(tmp_path: Path) -> None:
    first, second = paper(tmp_path / "a.pdf", "a1", "a2"), paper(tmp_path / "b.pdf", "b1")
    with pikepdf.open(first, allow_overwriting_input=True) as pdf:
        labels = NumberTree.new(pdf)
        labels[0] = Dictionary(S=Name("/r"))
        pdf.Root.PageLabels = labels.obj
        pdf.docinfo["/Title"] = "First"
        pdf.save(first)
    with pikepdf.open(second, allow_overwriting_input=True) as pdf:
        attach(pdf, "note.txt", b"hello")
        pdf.save(second)
    merged = done("pdf-merge", tmp_path, first, second)
    with pikepdf.open(merged) as pdf:
        assert [str(page.label) for page in pdf.pages] == ["i", "ii", "1"]
        assert str(pdf.docinfo["/Title"]) == "First"
        assert pdf.attachments["note.txt"].get_file().read_bytes() == b"hello"


def test_passwords_per_file_and_for_all(tmp_path: Path) -> None:
    files = []
    for name, password in (("a", "one"), ("b", "two"), ("c", "")):
        path = paper(tmp_path / f"{name}.pdf", name)
        if password:
            locked(path, password)
        files.append(path)
    output = done("pdf-merge", tmp_path, *files, passwords=["one", "", ""], password="two", protection="drop")
    assert words(output) == ["a", "b", "c"]
    for passwords, code in ((["one", "", ""], "02201"), (["one", "wrong", ""], "120002")):
        with pytest.raises(Refused) as caught:
            done("pdf-merge", tmp_path, *files, passwords=passwords)
        assert caught.value.code == code


@pytest.mark.parametrize("content", [b"%PDF-1.7 nothing", b"not a PDF", b"%PDF-1.4\n%%EOF"])
def test_an_unreadable_file_is_named(tmp_path: Path, content: bytes) -> None:
    broken = tmp_path / "broken.pdf"
    broken.write_bytes(content)
    with pytest.raises(Refused, match=r"broken\.pdf") as caught:
        done("pdf-merge", tmp_path, paper(tmp_path / "a.pdf", "a"), broken)
    assert caught.value.code == "02207"
