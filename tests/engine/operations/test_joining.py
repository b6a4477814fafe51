"""What belongs to pages goes with them when PDFs are joined, and what belongs to other pages does not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name, NameTree, NumberTree, Object, Pdf, String

from paperchute.engine import report
from tests.engine.operations.papers import done, locked, paper, with_field, words
from tests.engine.pdf_parts import attach


def changed(path: Path, change: Callable[[Pdf], None], **options: Any) -> Path:
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        change(pdf)
        pdf.save(path, **options)
    return path


def tagged(path: Path, *words_: str, role: str = "/Para", maps_to: str = "/P", language: str = "") -> Path:
    """One paragraph a page, in the structure too, with its word as alternative text."""

    def change(pdf: Pdf) -> None:
        root = pdf.make_indirect(Dictionary(Type=Name.StructTreeRoot))
        numbers = NumberTree.new(pdf)
        elements = []
        for number, (page, word) in enumerate(zip(pdf.pages, words_, strict=True)):
            content = page.Contents.read_bytes()
            page.Contents = pdf.make_stream(b"/P <</MCID 0>> BDC " + content + b" EMC")
            page.obj.StructParents = number
            element = pdf.make_indirect(
                Dictionary(Type=Name.StructElem, S=Name(role), P=root, Pg=page.obj, K=0, Alt=String(f"alt-{word}"))
            )
            numbers[number] = Array([element])
            elements.append(element)
        root.K, root.ParentTree, root.ParentTreeNextKey = Array(elements), numbers.obj, len(elements)
        root.RoleMap = Dictionary({role: Name(maps_to)})
        pdf.Root.StructTreeRoot, pdf.Root.MarkInfo = root, Dictionary(Marked=True)
        if language:
            pdf.Root.Lang = String(language)

    return changed(paper(path, *words_), change)


def structure(pdf: Pdf) -> list[list[str]]:
    """The alternative texts that each page's content has by way of the parent tree."""
    numbers = NumberTree(pdf.Root.StructTreeRoot.ParentTree)
    return [
        [str(element.Alt) for element in numbers[int(page.obj.StructParents)]]
        for page in pdf.pages
        if "/StructParents" in page.obj
    ]


def named(path: Path, *words_: str, name: str = "chapter") -> Path:
    """The last page under a name, and a link to that name on the first."""

    def change(pdf: Pdf) -> None:
        tree = NameTree.new(pdf)
        tree[name] = Array([pdf.pages[-1].obj, Name.Fit])
        pdf.Root.Names = Dictionary(Dests=tree.obj)
        link = Dictionary(Type=Name.Annot, Subtype=Name.Link, Rect=Array([0, 0, 9, 9]), Dest=String(name))
        pdf.pages[0].obj.Annots = Array([pdf.make_indirect(link)])

    return changed(paper(path, *words_), change)


def opened_at(pdf: Pdf, page: int) -> int:
    """Which page the first link of a page leads to."""
    (link,) = pdf.pages[page].obj.Annots
    found = NameTree(pdf.Root.Names.Dests)[str(link.Dest)]
    return pdf.pages.index(pikepdf.Page(found[0]))


def test_the_structure_of_every_source_is_kept(tmp_path: Path) -> None:
    first, second = tagged(tmp_path / "a.pdf", "a1", "a2"), tagged(tmp_path / "b.pdf", "b1", "b2", language="de")
    with pikepdf.open(done("pdf-merge", tmp_path, first, second)) as pdf:
        assert structure(pdf) == [["alt-a1"], ["alt-a2"], ["alt-b1"], ["alt-b2"]]
        elements = list(pdf.Root.StructTreeRoot.K)
        assert [str(e.Alt) for e in elements] == ["alt-a1", "alt-a2", "alt-b1", "alt-b2"]
        assert {e.P.objgen for e in elements} == {pdf.Root.StructTreeRoot.objgen}
        assert [str(e.get("/Lang", "")) for e in elements] == ["", "", "de", "de"]
        marked: object = pdf.Root.MarkInfo.Marked
        assert marked is True
        assert "/Suspects" not in pdf.Root.MarkInfo


def test_an_untagged_source_among_tagged_ones_is_admitted(tmp_path: Path) -> None:
    with pikepdf.open(
        done("pdf-merge", tmp_path, paper(tmp_path / "a.pdf", "a"), tagged(tmp_path / "b.pdf", "b"))
    ) as pdf:
        assert structure(pdf) == [["alt-b"]]
        suspects: object = pdf.Root.MarkInfo.Suspects
        assert suspects is True


def test_roles_of_one_name_and_two_meanings_are_told_apart(tmp_path: Path) -> None:
    first = tagged(tmp_path / "a.pdf", "a", role="/Own", maps_to="/P")
    second = tagged(tmp_path / "b.pdf", "b", role="/Own", maps_to="/H1")
    with pikepdf.open(done("pdf-merge", tmp_path, first, second)) as pdf:
        meant = [str(pdf.Root.StructTreeRoot.RoleMap[str(e.S)]) for e in pdf.Root.StructTreeRoot.K]
    assert meant == ["/P", "/H1"]


@pytest.mark.parametrize("first", [True, False])
def test_nothing_of_a_page_that_was_left_out_is_in_the_result(tmp_path: Path, first: bool) -> None:
    """Its words may be why it was left out."""
    chosen = named(tagged(tmp_path / "a.pdf", "kept", "secret"), "kept", "secret")
    changed(with_field(chosen, "field"), lambda pdf: move_field_to_last_page(pdf, "secret-value"))
    other = paper(tmp_path / "b.pdf", "other")
    files, ranges = ([chosen, other], ["1", "all"]) if first else ([other, chosen], ["all", "1"])
    output = done("pdf-merge", tmp_path, *files, filePageRanges=ranges)
    assert sorted(words(output)) == ["kept", "other"]
    with pikepdf.open(output) as pdf:
        pdf.save(tmp_path / "plain.pdf", stream_decode_level=pikepdf.StreamDecodeLevel.all, compress_streams=False)
    assert b"secret" not in (tmp_path / "plain.pdf").read_bytes()


def move_field_to_last_page(pdf: Pdf, value: str) -> None:
    (field,) = pdf.pages[0].obj.Annots
    field.V, field.P = String(value), pdf.pages[-1].obj
    del pdf.pages[0].obj.Annots
    pdf.pages[-1].obj.Annots = Array([field])


def test_links_to_names_lead_where_they_led_also_when_both_documents_use_a_name(tmp_path: Path) -> None:
    files = [named(tmp_path / f"{n}.pdf", f"{n}1", f"{n}2", f"{n}3") for n in "ab"]
    with pikepdf.open(done("pdf-merge", tmp_path, *files)) as pdf:
        assert opened_at(pdf, 0) == 2
        assert opened_at(pdf, 3) == 5


def test_links_lead_where_they_led_after_an_insertion(tmp_path: Path) -> None:
    target, source = named(tmp_path / "a.pdf", "a1", "a2"), named(tmp_path / "b.pdf", "b1", "b2")
    with pikepdf.open(done("pdf-insert", tmp_path, target, source, actionType="FROM_PDF", index=2)) as pdf:
        assert opened_at(pdf, 0) == 3
        assert opened_at(pdf, 1) == 2


def test_a_link_to_a_page_left_out_goes_with_it(tmp_path: Path) -> None:
    files = [named(tmp_path / "a.pdf", "a1", "a2"), paper(tmp_path / "b.pdf", "b")]
    with pikepdf.open(done("pdf-merge", tmp_path, *files, filePageRanges=["1", "all"])) as pdf:
        assert len(pdf.pages[0].obj.Annots) == 0


def layered(path: Path, word: str, *, base_off: bool) -> Path:
    """Two layers, `word-on` and `word-off`; base_off: one state speaks for all."""

    def change(pdf: Pdf) -> None:
        on, off = (
            pdf.make_indirect(Dictionary(Type=Name.OCG, Name=String(f"{word}-{state}"))) for state in ("on", "off")
        )
        view = Dictionary(BaseState=Name.OFF, ON=Array([on])) if base_off else Dictionary(OFF=Array([off]))
        pdf.Root.OCProperties = Dictionary(OCGs=Array([on, off]), D=view)
        pdf.pages[0].Resources.Properties = Dictionary(L1=on, L2=off)

    return changed(paper(path, word), change)


@pytest.mark.parametrize("base_off", [(False, False), (True, False), (False, True), (True, True)])
def test_layers_stay_as_visible_as_they_were(tmp_path: Path, base_off: tuple[bool, bool]) -> None:
    files = [layered(tmp_path / f"{n}.pdf", n, base_off=off) for n, off in zip("ab", base_off, strict=True)]
    with pikepdf.open(done("pdf-merge", tmp_path, *files)) as pdf:
        layers = pdf.Root.OCProperties
        assert "/BaseState" not in layers.D
        hidden = {str(layer.Name) for layer in layers.D.OFF}
        assert {str(layer.Name) for layer in layers.OCGs} == {"a-on", "a-off", "b-on", "b-off"}
        assert hidden == {"a-off", "b-off"}
        assert pdf.pages[1].Resources.Properties.L2.objgen in {layer.objgen for layer in layers.D.OFF}


def summed(path: Path, font: str) -> Path:
    """A field `sum` that adds up `one`, in a font of the form's own."""

    def change(pdf: Pdf) -> None:
        script = Dictionary(S=Name.JavaScript, JS=String('AFSimple_Calculate("SUM", new Array("one", "sum.x"));'))
        fields = [
            pdf.make_indirect(
                Dictionary(Subtype=Name.Widget, FT=Name.Tx, T=String(name), Rect=[0, 0, 9, 9], DA=String("/Own 9 Tf"))
            )
            for name in ("one", "sum")
        ]
        fields[1].AA = Dictionary(C=script)
        own = pdf.make_indirect(Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name(font)))
        pdf.Root.AcroForm = Dictionary(
            Fields=Array(fields), CO=Array([fields[1]]), DR=Dictionary(Font=Dictionary(Own=own))
        )
        pdf.pages[0].obj.Annots = Array(fields)

    return changed(paper(path, path.stem), change)


def test_forms_go_on_calculating_with_their_own_fields_and_fonts(tmp_path: Path) -> None:
    files = [summed(tmp_path / "a.pdf", "/Courier"), summed(tmp_path / "b.pdf", "/Times-Roman")]
    with pikepdf.open(done("pdf-merge", tmp_path, *files)) as pdf:
        form = pdf.Root.AcroForm
        fields = {str(field.T): field for field in form.Fields}
        assert list(fields) == ["one", "sum", "one_2", "sum_2"]
        assert [str(field.T) for field in form.CO] == ["sum", "sum_2"]
        assert str(fields["sum"].AA.C.JS) == 'AFSimple_Calculate("SUM", new Array("one", "sum.x"));'
        assert str(fields["sum_2"].AA.C.JS) == 'AFSimple_Calculate("SUM", new Array("one_2", "sum_2.x"));'
        fonts = {name: str(font.BaseFont) for name, font in form.DR.Font.items()}
        used = [str(fields[name].DA).split()[0] for name in ("one", "one_2")]
        assert [fonts[name] for name in used] == ["/Courier", "/Times-Roman"]


def test_a_page_taken_twice_has_fields_of_its_own(tmp_path: Path) -> None:
    files = [with_field(paper(tmp_path / "a.pdf", "a"), "name"), paper(tmp_path / "b.pdf", "b")]
    with pikepdf.open(done("pdf-merge", tmp_path, *files, filePageRanges=["1,1", "all"])) as pdf:
        assert [str(field.T) for field in pdf.Root.AcroForm.Fields] == ["name", "name_2"]
        notes = [page.obj.Annots[0] for page in list(pdf.pages)[:2]]
        assert [note.P.objgen for note in notes] == [page.obj.objgen for page in list(pdf.pages)[:2]]


def signed(path: Path, *, visible: bool = True) -> Path:
    """A signature, as it looks to a reader; what it is worth does not matter here."""

    def change(pdf: Pdf) -> None:
        value = Dictionary(
            Type=Name.Sig,
            Filter=Name("/Adobe.PPKLite"),
            Name=String("Ada Lovelace"),
            M=String("D:20260301120000Z"),
            Contents=String(b"\0" * 20),
            ByteRange=Array([0, 1, 2, 3]),
        )
        field = Dictionary(
            Type=Name.Annot, Subtype=Name.Widget, FT=Name.Sig, T=String("sig"), V=value, Rect=Array([0, 0, 50, 20])
        )
        if visible:
            field.AP = Dictionary(N=pdf.make_stream(b"", Type=Name.XObject, Subtype=Name.Form, BBox=[0, 0, 50, 20]))
        field = pdf.make_indirect(field)
        pdf.pages[0].obj.Annots = Array([field])
        pdf.Root.AcroForm = Dictionary(Fields=Array([field]), SigFlags=3)
        pdf.Root.Perms = Dictionary(DocMDP=field.V)

    return changed(paper(path, "page"), change)


@pytest.mark.parametrize(
    ("operation", "parameters"),
    [
        ("pdf-rotate", {"pages": "1", "angle": 90}),
        ("pdf-reorder", {"order": "reverse"}),
        ("pdf-extract", {"pages": "1"}),
        ("pdf-split", {"every": 1}),
        ("pdf-compress", {}),
        ("pdf-decrypt", {"password": "o"}),
        ("pdf-to-editable", {"enableOcr": 0}),
        ("magic-color", {}),
    ],
)
def test_no_signature_is_broken_without_a_word(tmp_path: Path, operation: str, parameters: dict[str, Any]) -> None:
    source = signed(tmp_path / "a.pdf")
    if operation == "pdf-decrypt":
        locked(source, user="u", owner="o")
    with report.collected() as said:
        done(operation, tmp_path, source, **parameters)
    assert any("This does not hold for the result" in sentence for sentence in said), said


@pytest.mark.parametrize("operation", ["pdf-merge", "pdf-encrypt", "pdf-insert"])
def test_a_signature_becomes_a_stamp_rather_than_a_broken_signature(tmp_path: Path, operation: str) -> None:
    files = [signed(tmp_path / "a.pdf")]
    if operation == "pdf-merge":
        files.append(paper(tmp_path / "b.pdf", "b"))
    given: dict[str, dict[str, Any]] = {
        "pdf-encrypt": {"ownerPassword": "o", "algorithm": "aes256"},
        "pdf-insert": {"actionType": "BLANK", "index": 1, "width": 100, "height": 100},
    }
    with pikepdf.open(done(operation, tmp_path, *files, **given.get(operation, {}))) as pdf:
        (note,) = pdf.pages[1 if operation == "pdf-insert" else 0].obj.Annots
        assert note.Subtype == Name.Stamp
        assert "Ada Lovelace on 2026-03-01" in str(note.Contents)
        assert "/AP" in note
        assert "/Perms" not in pdf.Root
        assert len(pdf.Root.get("/AcroForm", Dictionary(Fields=Array())).Fields) == 0


_ALONE: dict[str, dict[str, Any]] = {
    "pdf-merge": {},
    "pdf-encrypt": {"ownerPassword": "o", "algorithm": "aes256"},
    "pdf-insert": {"actionType": "BLANK", "index": 1, "width": 100, "height": 100},
    "magic-color": {},
    "pdf-to-editable": {"enableOcr": 0},
}


@pytest.mark.parametrize("operation", _ALONE)
def test_a_signature_that_is_lost_is_said(tmp_path: Path, operation: str) -> None:
    def uncertified(pdf: Pdf) -> None:
        del pdf.Root.Perms

    def empty(pdf: Pdf) -> None:
        del pdf.Root.AcroForm.Fields[0].V
        del pdf.Root.Perms

    second = [paper(tmp_path / "b.pdf", "b")] if operation == "pdf-merge" else []
    for visible in (True, False):
        for change, said in ((None, "certified by Ada Lovelace"), (uncertified, "signed by Ada Lovelace"), (empty, "")):
            source = signed(tmp_path / "a.pdf", visible=visible)
            if change is not None:
                changed(source, change)
            with report.collected() as found:
                done(operation, tmp_path, source, *second, **_ALONE[operation])
            assert len(found) == bool(said)
            assert all(f"a.pdf was {said}" in text and "keep the original" in text for text in found)


@pytest.mark.parametrize("operation", _ALONE)
def test_a_form_that_no_longer_runs_is_said(tmp_path: Path, operation: str) -> None:
    def run_it(pdf: Pdf) -> None:
        pdf.Root.AcroForm.XFA = Array([String("template"), pdf.make_stream(b"<script>CANARY</script>")])
        pdf.Root.NeedsRendering = True

    source = changed(with_field(paper(tmp_path / "a.pdf", "a"), "x"), run_it)
    second = [paper(tmp_path / "b.pdf", "b")] if operation == "pdf-merge" else []
    with report.collected() as found:
        output = done(operation, tmp_path, source, *second, **_ALONE[operation])
    assert ["a.pdf contains an XFA form" in text for text in found] == [True]
    with pikepdf.open(output, password="o" if operation == "pdf-encrypt" else "") as pdf:
        assert "/XFA" not in pdf.Root.AcroForm
        assert len(pdf.Root.AcroForm.Fields) == 1


def test_an_invisible_signature_leaves_nothing(tmp_path: Path) -> None:
    files = [signed(tmp_path / "a.pdf", visible=False), paper(tmp_path / "b.pdf", "b")]
    with pikepdf.open(done("pdf-merge", tmp_path, *files)) as pdf:
        assert len(pdf.pages[0].obj.Annots) == 0
        assert "/AcroForm" not in pdf.Root


def test_what_a_further_source_says_of_itself_is_on_its_first_page(tmp_path: Path) -> None:
    def title(text: str) -> Callable[[Pdf], None]:
        def change(pdf: Pdf) -> None:
            pdf.docinfo["/Title"] = text
            pdf.docinfo["/CreationDate"] = "D:20260301120000+01'00'"

        return change

    def described(pdf: Pdf) -> None:
        with pdf.open_metadata() as meta:
            meta["dc:title"] = "C described"

    first = changed(paper(tmp_path / "a.pdf", "a"), title("A"))
    second = changed(paper(tmp_path / "b.pdf", "b"), title("B & <b>"))
    third = changed(paper(tmp_path / "c.pdf", "c"), described)
    with pikepdf.open(done("pdf-merge", tmp_path, first, second, third)) as pdf:
        assert str(pdf.docinfo["/Title"]) == "A"
        assert "/Metadata" not in pdf.pages[0].obj
        found = [Pdf.new() for _ in range(2)]
        for page, own in zip(list(pdf.pages)[1:], found, strict=True):
            own.Root.Metadata = own.make_stream(page.obj.Metadata.read_bytes())
        with found[0].open_metadata() as meta:
            assert meta["dc:title"] == "B & <b>"
            assert meta["xmp:CreateDate"] == "2026-03-01T12:00:00+01:00"
        with found[1].open_metadata() as meta:
            assert meta["dc:title"] == "C described"


@pytest.mark.parametrize("second_too", [True, False])
def test_a_claim_to_meet_a_standard_stays_only_if_all_sources_make_it(tmp_path: Path, second_too: bool) -> None:
    def claim(pdf: Pdf) -> None:
        with pdf.open_metadata() as meta:
            meta["pdfaid:part"], meta["pdfaid:conformance"] = "2", "B"

    files = [paper(tmp_path / f"{n}.pdf", n) for n in "ab"]
    for file in files[: 2 if second_too else 1]:
        changed(file, claim)
    with pikepdf.open(done("pdf-merge", tmp_path, *files)) as pdf:
        assert pdf.open_metadata().pdfa_status == ("2B" if second_too else "")


def test_attachments_of_one_name_are_all_there(tmp_path: Path) -> None:
    def attaching(text: bytes) -> Callable[[Pdf], None]:
        def change(pdf: Pdf) -> None:
            pdf.Root["/AF"] = Array([attach(pdf, "data.csv", text).obj])

        return change

    files = [changed(paper(tmp_path / f"{n}.pdf", n), attaching(n.encode())) for n in "abc"]
    with pikepdf.open(done("pdf-merge", tmp_path, *files)) as pdf:
        found = {name: spec.get_file().read_bytes() for name, spec in pdf.attachments.items()}
        assert found == {"data.csv": b"a", "data-2.csv": b"b", "data-3.csv": b"c"}
        assert len(pdf.Root["/AF"]) == 3


def test_inherited_sizes_and_turns_stay(tmp_path: Path) -> None:
    def inherit(pdf: Pdf) -> None:
        node = pdf.Root.Pages
        for key in ("/MediaBox", "/Resources"):
            node[key] = pdf.pages[0].obj[key]
            del pdf.pages[0].obj[key]
        node.Rotate = 90

    files = [paper(tmp_path / "a.pdf", "a"), changed(paper(tmp_path / "b.pdf", "b"), inherit)]
    output = done("pdf-merge", tmp_path, *files)
    assert words(output) == ["a", "b"]
    with pikepdf.open(output) as pdf:
        assert [int(page.obj.get("/Rotate", 0)) for page in pdf.pages] == [0, 90]
        assert [float(x) for x in pdf.pages[1].mediabox] == [0, 0, 200, 100]


@pytest.mark.parametrize(
    "options",
    [
        {"linearize": True},
        {"force_version": "2.0"},
        {"object_stream_mode": pikepdf.ObjectStreamMode.generate},
    ],
)
def test_every_way_of_writing_a_pdf_is_read(tmp_path: Path, options: dict[str, Any]) -> None:
    files = [paper(tmp_path / "a.pdf", "a"), changed(paper(tmp_path / "b.pdf", "b"), lambda pdf: None, **options)]
    output = done("pdf-merge", tmp_path, *files)
    assert words(output) == ["a", "b"]
    with pikepdf.open(output) as pdf:
        assert pdf.pdf_version >= options.get("force_version", "1.3")


def test_articles_go_on_over_their_pages(tmp_path: Path) -> None:
    def thread(pdf: Pdf) -> None:
        article = pdf.make_indirect(Dictionary(Type=Name.Thread))
        beads = [
            pdf.make_indirect(Dictionary(Type=Name.Bead, T=article, P=page.obj, R=Array([0, 0, 9, 9])))
            for page in pdf.pages
        ]
        for bead, following in zip(beads, [*beads[1:], beads[0]], strict=True):
            bead.N, following.V = following, bead
            bead.P.B = Array([bead])
        article.F, pdf.Root.Threads = beads[0], Array([article])

    files = [paper(tmp_path / "a.pdf", "a"), changed(paper(tmp_path / "b.pdf", "b1", "b2"), thread)]
    with pikepdf.open(done("pdf-merge", tmp_path, *files)) as pdf:
        first: Object = pdf.Root.Threads[0].F
        assert [first.P.objgen, first.N.P.objgen] == [page.obj.objgen for page in list(pdf.pages)[1:]]
    with pikepdf.open(done("pdf-merge", tmp_path, *files, filePageRanges=["1", "2"])) as pdf:
        assert "/Threads" not in pdf.Root
