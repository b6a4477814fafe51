"""Forms joined: names that need not change stay, fields that only the pages know are fields, too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name, Object, Pdf, String

from paperchute.engine import report
from paperchute.engine.operations import implementation
from tests.engine.operations.papers import done, paper, work


def form(path: Path, *names: str, listed: bool = True, **inherited: Any) -> Path:
    """A page a field, each a text field that holds its own name; dots make groups, which have `inherited`."""
    paper(path, *names)
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        groups: dict[str, Object] = {}
        roots: list[Object] = []
        for page, name in zip(pdf.pages, names, strict=True):
            *above, own = name.split(".")
            parent = None
            for depth, part in enumerate(above):
                key = ".".join(above[: depth + 1])
                if key not in groups:
                    groups[key] = pdf.make_indirect(Dictionary(T=String(part), Kids=Array(), **inherited))
                    hang(groups[key], parent, roots)
                parent = groups[key]
            field = pdf.make_indirect(
                Dictionary(
                    Type=Name.Annot, Subtype=Name.Widget, Rect=Array([0, 0, 50, 20]), T=String(own), V=String(name)
                )
            )
            if "FT" not in inherited or parent is None:
                field.FT = Name.Tx
            hang(field, parent, roots)
            page.obj.Annots = Array([field])
        if listed:
            pdf.Root.AcroForm = Dictionary(Fields=Array(roots), DA=String("/Helv 0 Tf"))
        pdf.save(path)
    return path


def hang(field: Object, parent: Object | None, roots: list[Object]) -> None:
    if parent is None:
        roots.append(field)
    else:
        field.Parent = parent
        parent.Kids.append(field)


def fields(path: Path) -> dict[str, tuple[str, str, int]]:
    """Of each field by its full name: its value, its kind and its flags, inherited or its own."""
    found = {}

    def walk(field: Object, above: str, kind: str, flags: int) -> None:
        name = f"{above}.{field.T}" if above else str(field.T)
        kind, flags = str(field.get("/FT", kind)), int(field.get("/Ff", flags))
        for kid in field.get("/Kids", Array()):
            assert kid.Parent.objgen == field.objgen
            walk(kid, name, kind, flags)
        if "/Kids" not in field:
            assert name not in found
            found[name] = (str(field.get("/V", "")), kind, flags)

    with pikepdf.open(path) as pdf:
        for root in pdf.Root.AcroForm.Fields:
            walk(root, "", "", 0)
    return found


@pytest.mark.parametrize(
    ("one", "other", "right"),
    [
        (("path1.field2",), ("path1.field1", "path2.field2"), ["path1.field2", "path1.field1", "path2.field2"]),
        (("a.b.x", "a.c"), ("a.b.y", "a.d.x"), ["a.b.x", "a.c", "a.b.y", "a.d.x"]),
        (("a.b.x",), ("a.b.x", "a.b.y"), ["a.b.x", "a_2.b.x", "a_2.b.y"]),
        (("a",), ("a.b",), ["a", "a_2.b"]),
        (("a.b",), ("a.b.c",), ["a.b", "a_2.b.c"]),
    ],
)
def test_only_full_names_that_are_taken_change(
    tmp_path: Path, one: tuple[str, ...], other: tuple[str, ...], right: list[str]
) -> None:
    merged = done("pdf-merge", tmp_path, form(tmp_path / "a.pdf", *one), form(tmp_path / "b.pdf", *other))
    values = [value for value, _kind, _flags in fields(merged).values()]
    assert sorted(fields(merged)) == sorted(right)
    assert sorted(values) == sorted([*one, *other])


def test_fields_keep_what_their_group_gave_them(tmp_path: Path) -> None:
    one = form(tmp_path / "a.pdf", "a.x", FT=Name.Tx, Ff=1)
    other = form(tmp_path / "b.pdf", "a.y", FT=Name.Ch, Ff=1 << 17)
    merged = fields(done("pdf-merge", tmp_path, one, other))
    assert merged == {"a.x": ("a.x", "/Tx", 1), "a.y": ("a.y", "/Ch", 1 << 17)}


@pytest.mark.parametrize("name", ["name", "a.b"])
def test_fields_that_no_form_lists_are_told_apart(tmp_path: Path, name: str) -> None:
    files = [form(tmp_path / f"{n}.pdf", name, listed=False) for n in "ab"]
    with pikepdf.open(files[1], allow_overwriting_input=True) as pdf:
        pdf.Root.AcroForm = Dictionary(Fields=Array())
        pdf.save(files[1])
    merged = fields(done("pdf-merge", tmp_path, *files))
    first, dot, rest = name.partition(".")
    assert list(merged) == [name, f"{first}_2{dot}{rest}"]


def test_of_fields_that_no_form_lists_those_of_pages_left_out_go(tmp_path: Path) -> None:
    file = form(tmp_path / "a.pdf", "a.x", "a.y", "z", listed=False)
    output = done("pdf-merge", tmp_path, file, paper(tmp_path / "b.pdf", "b"), filePageRanges=["1", ""])
    assert list(fields(output)) == ["a.x"]


def test_an_annotation_that_is_no_field_makes_no_form(tmp_path: Path) -> None:
    file = paper(tmp_path / "a.pdf", "a")
    with pikepdf.open(file, allow_overwriting_input=True) as pdf:
        add(pdf, Dictionary(Type=Name.Annot, Subtype=Name.Widget, Rect=Array([0, 0, 9, 9])))
        add(pdf, Dictionary(Type=Name.Annot, Subtype=Name.Square, Rect=Array([0, 0, 9, 9]), FT=Name.Tx))
        pdf.save(file)
    with pikepdf.open(done("pdf-merge", tmp_path, file, file)) as pdf:
        assert "/AcroForm" not in pdf.Root
        assert len(pdf.pages[0].obj.Annots) == 2


def add(pdf: Pdf, note: Dictionary) -> None:
    page = pdf.pages[0].obj
    page.Annots = Array([*page.get("/Annots", Array()), pdf.make_indirect(note)])


def test_a_new_name_is_none_that_the_same_form_has(tmp_path: Path) -> None:
    files = form(tmp_path / "a.pdf", "a"), form(tmp_path / "b.pdf", "a", "a_2")
    assert list(fields(done("pdf-merge", tmp_path, *files))) == ["a", "a_3", "a_2"]


@pytest.mark.parametrize("last", [2, 3])
def test_a_sum_of_fields_on_pages_that_are_left_out_is_computed_no_more(tmp_path: Path, last: int) -> None:
    source = paper(tmp_path / "in.pdf", *"abcd")
    with pikepdf.open(source, allow_overwriting_input=True) as pdf:
        script = 'AFSimple_Calculate("SUM", new Array ("net.1, net.3"));'
        net = pdf.make_indirect(Dictionary(T=String("net"), Kids=Array()))
        for number in (1, 2, 3):
            field = Dictionary(Subtype=Name.Widget, FT=Name.Tx, T=String(str(number)), Rect=Array([0, 0, 9, 9]))
            net.Kids.append(pdf.make_indirect(field))
            net.Kids[-1].Parent = net
            pdf.pages[number - 1].obj.Annots = Array([net.Kids[-1]])
        total = pdf.make_indirect(
            Dictionary(Subtype=Name.Widget, FT=Name.Tx, T=String("total"), V=String("10"), Rect=Array([0, 20, 9, 29]))
        )
        total.AA = Dictionary(C=Dictionary(S=Name.JavaScript, JS=String(script)))
        pdf.pages[0].obj.Annots.append(total)
        pdf.Root.AcroForm = Dictionary(Fields=Array([net, total]), CO=Array([total]))
        pdf.save(source)
    with report.collected() as warnings:
        part = done("pdf-extract", tmp_path, source, pages=f"1-{last}")
    with pikepdf.open(part) as pdf:
        _net, summed = pdf.Root.AcroForm.Fields
        assert str(summed.V) == "10"
        assert ("/C" in summed.get("/AA", Dictionary())) == (last == 3)
        assert len(pdf.Root.AcroForm.get("/CO", Array())) == (last == 3)
    assert [text for text in warnings if "the field total is computed" in text] == warnings
    assert len(warnings) == (last == 2)
    with report.collected() as warnings:
        (whole,) = implementation("pdf-split").run(work("pdf-split", tmp_path, source, maxSize="1 MB"))
    assert (fields(whole)["total"][0], warnings) == ("10", []), "of parts that are only measured nothing is said"
