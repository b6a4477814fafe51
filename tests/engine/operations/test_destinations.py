"""Where the links, bookmarks and other ways through a document lead after joining: where they led before."""

from __future__ import annotations

import ctypes
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pikepdf
import pypdfium2
import pypdfium2.raw as pdfium
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pikepdf import Array, Dictionary, Name, NameTree, Object, Pdf, String

from tests.engine.operations.papers import done, paper, words

NAMES = ("sec", "sec-2", "x y", "\u00fc")
DIRECT = ("page", "number", "real")
NAMED = ("string", "name", "wide", "string of name", "name of string")


@dataclass(frozen=True)
class Way:
    """A way to a page: how the destination is written, and what it hangs on."""

    kind: str
    on: str
    to: int
    name: str = ""
    value: str = "page"
    """How the value of a named destination gives its page."""


ways = st.builds(
    Way,
    st.sampled_from(DIRECT + NAMED),
    st.sampled_from(("link", "link action", "item", "item action")),
    st.integers(0, 4),
    st.sampled_from(NAMES),
    st.sampled_from(("page", "number", "dictionary")),
)
documents = st.lists(st.tuples(st.integers(1, 4), st.lists(ways, max_size=5)), min_size=1, max_size=3)


def place(pdf: Pdf, way: Way, value: str) -> Object | int:
    """The first element of a destination's array; a page that the document lacks has a number alone."""
    if value in ("number", "real") or way.to >= len(pdf.pages):
        return Array([1.0 * way.to])[0] if value == "real" else way.to
    return pdf.pages[way.to].obj


def made(path: Path, source: int, pages: int, chosen: list[Way]) -> dict[int, str | None]:
    """Make a document with these ways, each of another name; the word of the page each leads to, None for none."""
    paper(path, *(f"s{source}p{number}" for number in range(pages)))
    leads: dict[int, str | None] = {}
    taken: set[str] = set()
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        tree, old, items, notes = NameTree.new(pdf), Dictionary(), [], []
        for number, way in enumerate(chosen):
            target: Object
            if way.kind in DIRECT:
                target = Array([place(pdf, way, way.kind), Name.XYZ, 0, 90, 0])
            else:
                if way.name in taken:
                    continue
                taken.add(way.name)
                value: Object = Array([place(pdf, way, way.value), Name.Fit])
                value = Dictionary(D=value) if way.value == "dictionary" else value
                if way.kind in ("name", "string of name"):
                    old["/" + way.name] = value
                else:
                    tree[way.name] = value
                target = Name("/" + way.name) if way.kind in ("name", "name of string") else String(way.name)
                if way.kind == "wide":
                    target = String(b"\xfe\xff" + way.name.encode("utf-16-be"))
            leads[number] = f"s{source}p{way.to}" if way.to < pages else None
            action = Dictionary(S=Name.GoTo, D=target)
            holder = Dictionary(A=pdf.make_indirect(action)) if way.on.endswith("action") else Dictionary(Dest=target)
            if way.on.startswith("item"):
                holder.Title = String(f"{source}-{number}")
                items.append(pdf.make_indirect(holder))
            else:
                left, low = number * 10 + 10, source * 10 + 10
                holder.Type, holder.Subtype, holder.Rect = Name.Annot, Name.Link, Array([left, low, left + 5, low + 5])
                notes.append(pdf.make_indirect(holder))
        pdf.pages[0].obj.Annots = Array(notes)
        pdf.Root.Names, pdf.Root.Dests = Dictionary(Dests=tree.obj), old
        if items:
            root = pdf.make_indirect(Dictionary(First=items[0], Last=items[-1], Count=len(items)))
            for before, item in zip([None, *items], items, strict=False):
                item.Parent = root
                if before is not None:
                    item.Prev, before.Next = before, item
            pdf.Root.Outlines = root
        pdf.save(path)
    return leads


def by_pdfium(path: Path) -> dict[tuple[int, int], str | None]:
    """Where every link and bookmark of a document leads for Chrome: (source, number) to the word of the page."""
    shown = words(path)
    found: dict[tuple[int, int], str | None] = {}
    with pypdfium2.PdfDocument(path) as document:

        def word(target: Any) -> str | None:
            index = pdfium.FPDFDest_GetDestPageIndex(document, target) if target else -1
            return shown[index] if 0 <= index < len(shown) else None

        for item in document.get_toc():
            source, number = map(int, item.get_title().split("-"))
            target = item.get_dest()
            found[source, number] = word(target.raw if target else None)
        for page in document:
            position, link, box = ctypes.c_int(0), pdfium.FPDF_LINK(), pdfium.FS_RECTF()
            while pdfium.FPDFLink_Enumerate(page, position, link):
                pdfium.FPDFLink_GetAnnotRect(link, box)
                target = pdfium.FPDFLink_GetDest(document, link)
                if not target:
                    action = pdfium.FPDFLink_GetAction(link)
                    target = pdfium.FPDFAction_GetDest(document, action) if action else None
                found[round(box.bottom) // 10 - 1, round(box.left) // 10 - 1] = word(target)
    return found


def by_structure(path: Path) -> dict[tuple[int, int], str | None]:
    """The same by the document's own objects: strings in the name tree, pages as pages."""
    shown = words(path)
    found: dict[tuple[int, int], str | None] = {}
    with pikepdf.open(path) as pdf:
        pages = {page.obj.objgen: word for page, word in zip(pdf.pages, shown, strict=True)}
        tree = NameTree(pdf.Root.Names.Dests) if "/Names" in pdf.Root and "/Dests" in pdf.Root.Names else {}
        for owner in owners(pdf):
            target = owner.get("/Dest", owner.get("/A", Dictionary()).get("/D"))
            assert not isinstance(target, Name), "all names are strings"
            if isinstance(target, String):
                target = tree[str(target)]
            target = target.D if isinstance(target, Dictionary) else target
            page = target[0] if isinstance(target, Array) else None
            assert not isinstance(page, int), "no page is a number"
            if "/Title" in owner:
                source, number = map(int, str(owner.Title).split("-"))
            else:
                number, source = (int(side) // 10 - 1 for side in list(owner.Rect)[:2])
            found[source, number] = None if page is None else pages[page.objgen]
    return found


def owners(pdf: Pdf) -> Iterator[Object]:
    for page in pdf.pages:
        yield from page.obj.get("/Annots", Array())
    item = pdf.Root.get("/Outlines", Dictionary()).get("/First")
    while item is not None:
        yield item
        item = item.get("/Next")


@settings(max_examples=40)
@given(documents)
def test_every_way_leads_where_it_led(sources: list[tuple[int, list[Way]]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / f"{number}.pdf" for number in range(len(sources))]
        right = {
            (source, number): word
            for source, (file, (pages, chosen)) in enumerate(zip(files, sources, strict=True))
            for number, word in made(file, source, pages, chosen).items()
        }
        merged = done("pdf-merge", Path(folder), *files)
        assert by_pdfium(merged) == right
        assert by_structure(merged) == right


@settings(max_examples=20)
@given(documents, st.data())
def test_a_way_to_a_page_left_out_goes_and_the_others_stay(
    sources: list[tuple[int, list[Way]]], data: st.DataObject
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        files, ranges, right = [], [], {}
        for source, (pages, chosen) in enumerate(sources):
            file = Path(folder) / f"{source}.pdf"
            kept = [0, *data.draw(st.lists(st.integers(1, pages - 1), unique=True))] if pages > 1 else [0]
            stay = {f"s{source}p{number}" for number in kept}
            for number, word in made(file, source, pages, chosen).items():
                if len(kept) == pages or word in stay:
                    right[source, number] = word
            files.append(file)
            ranges.append(",".join(str(number + 1) for number in kept))
        merged = done("pdf-merge", Path(folder), *files, filePageRanges=ranges)
        assert by_pdfium(merged) == by_structure(merged) == right


@pytest.mark.parametrize("operation", ["pdf-insert", "blank", "pdf-to-editable"])
def test_ways_by_page_numbers_survive_every_operation_that_rebuilds(tmp_path: Path, operation: str) -> None:
    """As wkhtmltopdf writes them: the value of a name in `/Dests` is the page's number."""
    chosen = [
        Way("name", "item", 2, "a", "number"),
        Way("number", "link", 1),
        Way("name", "link action", 0, "b", "number"),
    ]
    leads = made(tmp_path / "a.pdf", 0, 3, chosen)
    other = paper(tmp_path / "b.pdf", "new")
    if operation == "pdf-insert":
        output = done("pdf-insert", tmp_path, tmp_path / "a.pdf", other, actionType="FROM_PDF", index=1)
    elif operation == "blank":
        size: dict[str, Any] = {"width": 200, "height": 100}
        output = done("pdf-insert", tmp_path, tmp_path / "a.pdf", actionType="BLANK", index=2, count=1, **size)
    else:
        output = done("pdf-to-editable", tmp_path, tmp_path / "a.pdf")
    right = {(0, number): word for number, word in leads.items()}
    assert by_pdfium(output) == by_structure(output) == right


def test_what_is_seen_first_and_what_follows_an_action_lead_where_they_led(tmp_path: Path) -> None:
    """Page numbers where no link is: the view when opened, events of a page, a second action, a field."""
    first, second = paper(tmp_path / "a.pdf", "a1", "a2"), paper(tmp_path / "b.pdf", "b1", "b2")
    with pikepdf.open(first, allow_overwriting_input=True) as pdf:
        pdf.Root.OpenAction = Array([1, Name.Fit])
        pdf.save(first)
    with pikepdf.open(second, allow_overwriting_input=True) as pdf:
        last = pdf.pages[1].obj
        chain = Dictionary(S=Name.Named, N=Name.NextPage, Next=Array([Dictionary(S=Name.GoTo, D=Array([1, Name.Fit]))]))
        last.AA = Dictionary(O=Dictionary(S=Name.GoTo, D=Array([0, Name.Fit])))
        button = Dictionary(
            Type=Name.Annot, Subtype=Name.Widget, FT=Name.Btn, T=String("go"), Rect=Array([0, 0, 9, 9]), A=chain
        )
        last.Annots = Array([pdf.make_indirect(button)])
        pdf.Root.AcroForm = Dictionary(Fields=Array([last.Annots[0]]))
        pdf.save(second)
    with pikepdf.open(done("pdf-merge", tmp_path, second, first)) as pdf:
        pages = [page.obj.objgen for page in pdf.pages]
        last = pdf.pages[1].obj
        assert last.AA.O.D[0].objgen == pages[0]
        assert last.Annots[0].A.Next[0].D[0].objgen == pages[1]
    with pikepdf.open(done("pdf-insert", tmp_path, first, second, actionType="FROM_PDF", index=1)) as pdf:
        assert pdf.Root.OpenAction[0].objgen == pdf.pages[3].obj.objgen
        assert pdf.pages[1].obj.AA.O.D[0].objgen == pdf.pages[0].obj.objgen


def test_a_name_that_a_document_lacks_leads_into_no_other(tmp_path: Path) -> None:
    made(tmp_path / "a.pdf", 0, 2, [Way("string", "link", 1, "sec")])
    made(tmp_path / "b.pdf", 1, 2, [])
    with pikepdf.open(tmp_path / "b.pdf", allow_overwriting_input=True) as pdf:
        link = Dictionary(Type=Name.Annot, Subtype=Name.Link, Rect=Array([10, 20, 15, 25]), Dest=String("sec"))
        pdf.pages[0].obj.Annots = Array([pdf.make_indirect(link)])
        pdf.save(tmp_path / "b.pdf")
    merged = done("pdf-merge", tmp_path, tmp_path / "b.pdf", tmp_path / "a.pdf")
    assert by_pdfium(merged) == {(0, 0): "s0p1", (1, 0): None}


def test_names_of_no_encoding_are_taken_over(tmp_path: Path) -> None:
    first = paper(tmp_path / "a.pdf", "a1", "a2")
    with pikepdf.open(first, allow_overwriting_input=True) as pdf:
        pdf.Root.Dests = Object.parse(b"<< /M#fcller null >>")
        pdf.Root.Dests["/M\udcfcller"] = Array([pdf.pages[1].obj, Name.Fit])
        link = Dictionary(
            Type=Name.Annot, Subtype=Name.Link, Rect=Array([10, 10, 15, 15]), Dest=Object.parse(b"/M#fcller")
        )
        pdf.pages[0].obj.Annots = Array([pdf.make_indirect(link)])
        pdf.save(first)
    assert by_pdfium(done("pdf-merge", tmp_path, first, first)) == {(0, 0): "a2"}
