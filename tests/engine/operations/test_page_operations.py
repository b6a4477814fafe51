"""Operations that take pages of a PDF apart, out, or into another order: pages in are pages out."""

from __future__ import annotations

import random
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import pikepdf
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paperchute.engine.operations import implementation, pdf_split
from paperchute.engine.pdf import pages as parting
from paperchute.engine.pdf.assembly import Joiner
from paperchute.engine.work import Refused
from tests.engine.operations.papers import done, locked, opens, paper, with_field, with_link, words, work

_LETTERS = "abcdefgh"
_ranges = st.tuples(st.integers(1, len(_LETTERS)), st.integers(0, 3)).map(
    lambda pair: (pair[0], min(len(_LETTERS), pair[0] + pair[1]))
)
_lists = st.lists(_ranges, min_size=1, max_size=5)


def _text(ranges: list[tuple[int, int]]) -> str:
    return ",".join(f"{first}-{last}" if last > first else f"{first}" for first, last in ranges)


def _listed(ranges: list[tuple[int, int]]) -> list[str]:
    return [_LETTERS[page - 1] for first, last in ranges for page in range(first, last + 1)]


@given(_lists)
def test_pages_are_taken_out_in_the_order_named_and_split_by_their_parts(ranges: list[tuple[int, int]]) -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        source = paper(folder / "in.pdf", *_LETTERS)
        assert words(done("pdf-extract", folder, source, pages=_text(ranges))) == _listed(ranges)
        asked = work("pdf-split", folder, source, pages=_text(ranges))
        parts = implementation("pdf-split").run(asked)
        assert [words(part) for part in parts] == [_listed([one]) for one in ranges]


@given(_lists)
def test_what_is_deleted_and_what_is_left_are_all_pages(ranges: list[tuple[int, int]]) -> None:
    gone = set(_listed(ranges))
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        source = paper(folder / "in.pdf", *_LETTERS)
        if gone == set(_LETTERS):
            with pytest.raises(Refused, match="110002"):
                done("pdf-delete", folder, source, pages=_text(ranges))
            return
        assert words(done("pdf-delete", folder, source, pages=_text(ranges))) == [w for w in _LETTERS if w not in gone]


@given(_lists)
def test_another_order_has_every_page_once(ranges: list[tuple[int, int]]) -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        source = paper(folder / "in.pdf", *_LETTERS)
        found = words(done("pdf-reorder", folder, source, order=_text(ranges)))
        assert sorted(found) == sorted(_LETTERS)
        first = list(dict.fromkeys(_listed(ranges)))
        assert found[: len(first)] == first


def test_reverse_and_orders_that_are_none(tmp_path: Path) -> None:
    source = paper(tmp_path / "in.pdf", *"abc")
    assert words(done("pdf-reorder", tmp_path, source, order="reverse")) == ["c", "b", "a"]
    for wrong in ("", "all", "3-1", "x"):
        with pytest.raises(Refused, match="03000"):
            work("pdf-reorder", tmp_path, source, order=wrong)


@given(st.integers(1, 12))
def test_every_so_many_pages_make_a_file(every: int) -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        asked = work("pdf-split", folder, paper(folder / "in.pdf", *_LETTERS), every=every)
        parts = [words(part) for part in implementation("pdf-split").run(asked)]
    assert [word for part in parts for word in part] == [*_LETTERS]
    assert all(len(part) == every for part in parts[:-1])


def test_a_split_at_bookmarks_is_named_after_them_and_keeps_what_stands_before_the_first(tmp_path: Path) -> None:
    source = paper(tmp_path / "in.pdf", *"abcde")
    with pikepdf.open(source, allow_overwriting_input=True) as pdf, pdf.open_outline() as tree:
        chapter = pikepdf.OutlineItem("Part: one/two", 1)
        chapter.children.append(pikepdf.OutlineItem("Inside", 2))
        tree.root.extend([chapter, pikepdf.OutlineItem("Last", 3)])
        tree._save()
        pdf.save(source)
    parts = implementation("pdf-split").run(work("pdf-split", tmp_path, source, bookmarkLevel=1))
    assert [(part.name, words(part)) for part in parts] == [
        ("in 1 1.pdf", ["a"]),
        ("in 2 Part_ one_two.pdf", ["b", "c"]),
        ("in 3 Last.pdf", ["d", "e"]),
    ]
    parts = implementation("pdf-split").run(work("pdf-split", tmp_path, source, bookmarkLevel=2))
    assert [words(part) for part in parts] == [["a"], ["b"], ["c"], ["d", "e"]]


def test_without_bookmarks_it_is_said_that_there_is_nowhere_to_split(tmp_path: Path) -> None:
    asked = work("pdf-split", tmp_path, paper(tmp_path / "in.pdf", "a", "b"), bookmarkLevel=1)
    with pytest.raises(Refused, match="no bookmarks"):
        implementation("pdf-split").run(asked)


def test_files_of_at_most_a_size_have_as_many_pages_as_fit(tmp_path: Path) -> None:
    source = paper(tmp_path / "in.pdf", *_LETTERS)
    with pikepdf.open(source, allow_overwriting_input=True) as pdf:
        for number, page in enumerate(pdf.pages):
            noise = random.Random(number).randbytes(20_000 if number != 4 else 60_000)
            page.Extra = pdf.make_stream(noise)
        pdf.save(source)
    asked = work("pdf-split", tmp_path, source, maxSize="50 kB")
    parts = implementation("pdf-split").run(asked)
    assert [words(part) for part in parts] == [["a", "b"], ["c", "d"], ["e"], ["f", "g"], ["h"]]
    assert all(part.stat().st_size <= 50_000 for part in parts if words(part) != ["e"])


@pytest.mark.parametrize("wrong", [{"every": 0}, {"bookmarkLevel": 0}, {"maxSize": "much"}])
def test_splits_that_cannot_work_are_refused(tmp_path: Path, wrong: dict[str, Any]) -> None:
    with pytest.raises(Refused, match="03000"):
        work("pdf-split", tmp_path, paper(tmp_path / "in.pdf", "a"), **wrong)


def test_pages_turn_and_all_else_stays(tmp_path: Path) -> None:
    source = with_link(with_field(paper(tmp_path / "in.pdf", *"abc", outline=True), "name"), on=1, to=2)
    with pikepdf.open(source, allow_overwriting_input=True) as pdf:
        pdf.pages[1].Rotate = 270
        pdf.save(source)
    output = done("pdf-rotate", tmp_path, source, pages="2-3,2", angle=180)
    with pikepdf.open(output) as pdf, pikepdf.open(source) as before:
        assert [int(page.get("/Rotate", 0)) for page in pdf.pages] == [0, 90, 180]
        assert [p.Contents.read_bytes() for p in pdf.pages] == [p.Contents.read_bytes() for p in before.pages]
        assert len(pdf.Root.AcroForm.Fields) == 1
        assert pdf.pages[1].Annots[0].Dest[0].objgen == pdf.pages[2].objgen
        with pdf.open_outline() as tree:
            assert [item.title for item in tree.root] == ["To a", "To b", "To c"]


def test_a_lock_goes_with_the_password_and_restrictions_only_with_the_owners(tmp_path: Path) -> None:
    one = locked(paper(tmp_path / "user.pdf", "a"), user="u", owner="o", deny=("extract",))
    opened = done("pdf-decrypt", tmp_path, one, password="u")
    assert opens(opened)
    with pikepdf.open(opened) as pdf:
        assert pdf.is_encrypted
        assert not pdf.allow.extract
    free = done("pdf-decrypt", tmp_path, one, password="o")
    with pikepdf.open(free) as pdf:
        assert not pdf.is_encrypted
    assert words(free) == ["a"]
    with pytest.raises(Refused, match="120002"):
        done("pdf-decrypt", tmp_path, one, password="x")


def test_a_locked_document_is_split_into_locked_ones(tmp_path: Path) -> None:
    source = locked(paper(tmp_path / "in.pdf", "a", "b"), user="u")
    parts = implementation("pdf-split").run(work("pdf-split", tmp_path, source, every=1, password="u"))
    assert [words(part, "u") for part in parts] == [["a"], ["b"]]
    assert not any(map(opens, parts))


def _shown(path: Path) -> tuple[list[str], list[str], list[str], int, list[str]]:
    """A document's words, bookmarks, labels, fields and links."""
    with pikepdf.open(path) as pdf:
        with pdf.open_outline() as outline:
            titles = [item.title for item in outline.root]
        form = pdf.Root.get("/AcroForm", pikepdf.Dictionary())
        links = sum(len(page.obj.get("/Annots", pikepdf.Array())) for page in pdf.pages)
        return (
            words(path),
            titles,
            [str(page.label) for page in pdf.pages],
            links,
            [str(one["/T"]) for one in form.get("/Fields", [])],
        )


@given(st.lists(st.integers(1, 60), min_size=20, max_size=60, unique=True), st.integers(1, 3))
@settings(max_examples=5)
def test_many_parts_are_what_each_would_be_by_itself(firsts: list[int], pages: int) -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        source = with_field(paper(folder / "in.pdf", *(f"w{n}" for n in range(60)), outline=True), "name")
        for at in range(0, 58, 5):
            with_link(source, at, at + 2)
        with pikepdf.open(source, allow_overwriting_input=True) as pdf:
            pdf.Root.PageLabels = pikepdf.Dictionary(
                Nums=[0, pikepdf.Dictionary(S=pikepdf.Name.r), 7, pikepdf.Dictionary(S=pikepdf.Name.D)]
            )
            pdf.save(source)
        ranges = [(first, min(60, first + pages - 1)) for first in firsts]
        parts = implementation("pdf-split").run(work("pdf-split", folder, source, pages=_text(ranges)))
        assert sorted(path.name for path in parts[0].parent.iterdir()) == sorted(path.name for path in parts)
        for part, one in list(zip(parts, ranges, strict=True))[::7]:
            assert _shown(part) == _shown(done("pdf-extract", folder, source, pages=_text([one])))


def test_the_names_and_openings_of_parts_cost_no_more_for_each_the_more_there_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, count = paper(tmp_path / "in.pdf", *(f"w{number}" for number in range(60))), Counter[str]()

    def counted(owner: Any, name: str) -> None:
        does = getattr(owner, name)

        def counting(*given: Any, **named: Any) -> Any:
            count[name] += 1
            return does(*given, **named)

        monkeypatch.setattr(owner, name, counting)

    counted(pdf_split, "_alike")
    counted(parting, "open_pdf")
    assert len(implementation("pdf-split").run(work("pdf-split", tmp_path, source, pages="all"))) == 60
    assert count["_alike"] <= 2 * 60  # a comparison with all names before would be 1,830
    assert count["open_pdf"] <= 20  # once for the names, and once for each source that parts are taken out of


def test_a_source_is_after_its_pages_were_taken_what_it_was_before(tmp_path: Path) -> None:
    with pikepdf.open(with_link(paper(tmp_path / "in.pdf", "a", "b", "c"), 0, 2)) as pdf:
        for page in pdf.pages:
            page.obj.B = pikepdf.Array([pdf.make_indirect(pikepdf.Dictionary(P=page.obj))])
        found = []
        for number, indices in enumerate(([0], [2, 0], [0, 1, 2], [0])):
            joiner, path = Joiner(), tmp_path / f"{number}.pdf"
            taken = joiner.take(pdf, indices, "in.pdf")
            joiner.save(path, taken.pages, taken.shown)
            with pikepdf.open(path) as part:
                notes = sum(len(page.obj.get("/Annots", [])) for page in part.pages)
                found.append((words(path), notes, sum("/B" in page.obj for page in part.pages)))
        assert found == [(["a"], 0, 0), (["c", "a"], 1, 0), (["a", "b", "c"], 1, 3), (["a"], 0, 0)]


def test_a_part_has_no_picture_of_other_pages_where_all_pages_share_one_list(tmp_path: Path) -> None:
    source = paper(tmp_path / "in.pdf", *"abc")
    with pikepdf.open(source, allow_overwriting_input=True) as pdf:
        drawn = pikepdf.Dictionary()
        for number, page in enumerate(pdf.pages):
            form = pdf.make_stream(f"BT /F1 9 Tf (secret of {number}) Tj ET".encode())
            form.Type, form.Subtype, form.BBox = pikepdf.Name.XObject, pikepdf.Name.Form, pikepdf.Array([0, 0, 99, 99])
            drawn[f"/X{number}"] = form
            page.contents_add(f"/X{number} Do".encode())
        for page in pdf.pages:
            page.obj.Resources = pdf.make_indirect(page.obj.Resources)
            page.obj.Resources.XObject = drawn
        pdf.save(source)
    for number, part in enumerate(implementation("pdf-split").run(work("pdf-split", tmp_path, source, every=1))):
        with pikepdf.open(part) as pdf:
            found = [one.read_bytes() for one in pdf.objects if isinstance(one, pikepdf.Stream)]
            assert list(pdf.pages[0].resources.XObject.keys()) == [f"/X{number}"]
        assert [text for text in found if b"secret" in text] == [f"BT /F1 9 Tf (secret of {number}) Tj ET".encode()]


def test_a_part_opens_where_its_source_did_or_as_any_other(tmp_path: Path) -> None:
    source = paper(tmp_path / "in.pdf", *"abc")
    for is_action in (False, True):
        with pikepdf.open(source, allow_overwriting_input=True) as pdf:
            place = pikepdf.Array([pdf.pages[1].obj, pikepdf.Name.Fit])
            action = pikepdf.Dictionary(S=pikepdf.Name.GoTo, D=place)
            pdf.Root.OpenAction = action if is_action else place
            pdf.save(source)
        found = []
        for part in implementation("pdf-split").run(work("pdf-split", tmp_path, source, every=1)):
            with pikepdf.open(part) as pdf:
                found.append("/OpenAction" in pdf.Root)
        assert found == [False, True, False]


def test_what_is_drawn_without_a_list_of_its_own_keeps_the_one_of_its_page(tmp_path: Path) -> None:
    source = paper(tmp_path / "in.pdf", *"ab")
    with pikepdf.open(source, allow_overwriting_input=True) as pdf:
        stamp = pdf.make_stream(b"BT /F9 9 Tf (seen) Tj ET", Subtype=pikepdf.Name.Form, BBox=[0, 0, 99, 99])
        note = pikepdf.Dictionary(
            Subtype=pikepdf.Name.Stamp, Rect=[0, 0, 99, 99], AP=pikepdf.Dictionary(N=pikepdf.Dictionary(On=stamp))
        )
        page = pdf.pages[0].obj
        page.Annots = pikepdf.Array([pdf.make_indirect(note)])
        page.Resources.Font.F9 = page.Resources.Font.F1
        page.Resources.XObject = pikepdf.Dictionary(X=stamp)
        drawn = pikepdf.Dictionary(Subtype=pikepdf.Name.Type3)
        pdf.pages[1].obj.Resources.Font.F8 = drawn
        pdf.pages[1].obj.Resources.XObject = pikepdf.Dictionary(X=stamp)
        pdf.save(source)
    first, second = implementation("pdf-split").run(work("pdf-split", tmp_path, source, every=1))
    with pikepdf.open(first) as one, pikepdf.open(second) as other:
        assert "/F9" in one.pages[0].resources.Font
        assert "/X" in other.pages[0].resources.XObject
