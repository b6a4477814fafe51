"""Shapes with more than a page's content: fields of forms, and tags, which may be wrong in every way."""

from __future__ import annotations

from typing import Any

from pikepdf import Array, Dictionary, Name, String

from tests.engine.conservation.documents import Document, shown

_TAGS = """P H1 H2 L LI LBody Lbl Table TR TD TH Figure Caption Note Span Sect Art Div TOC TOCI Form NonStruct Private
Formula Artifact Quote Index Foo"""
_KINDS = _TAGS.split()


def fields(document: Document) -> None:
    """A form: lines of text, several lines, combs, choices, lists, ticks, with and without their looks."""
    document.ordered = False
    chance = document.chance
    content: list[bytes] = []
    made = Array()
    y = 780.0
    for n in range(chance.randint(1, 8)):
        y -= chance.choice((25, 40))
        content.append(shown(f"{document.line(0, 1)}:", 60, y, 9))
        field = Dictionary(Type=Name.Annot, Subtype=Name.Widget, F=4, T=String(f"f{n}"), FT=Name.Tx)
        field.Rect, field.DA = Array([220, y - 5, 520, y + 15]), String("/R 9 Tf 0 g")
        y -= _fill(document, field)
        made.append(document.pdf.make_indirect(field))
    document.page(content, Annots=made)
    form = Dictionary(Fields=made, DR=Dictionary(Font=document.fonts), DA=String("/R 9 Tf 0 g"))
    form.NeedAppearances = chance.random() < 0.5
    document.pdf.Root.AcroForm = form


def _fill(document: Document, field: Any) -> float:
    """Give a field a kind and a value; the room it takes below its line."""
    match document.chance.choice(("text", "lines", "comb", "choice", "list", "tick", "drawn")):
        case "text":
            field.V = String(document.line(0, 3))
        case "lines":
            field.V, field.Ff = String(f"{document.line(0, 2)}\r{document.line(0, 2)}"), 1 << 12
            field.Rect[1] -= 25
            return 25
        case "comb":
            field.V, field.Ff = String(document.note(f"{document.chance.randint(0, 999999):06}")), 1 << 24
            field.MaxLen = 8
        case "choice":
            field.FT, field.Ff, field.V = Name.Ch, 1 << 17, String(document.line(0, 1))
            field.Opt = Array([String("alpha"), field.V])
        case "list":
            field.FT, field.V, field.I = Name.Ch, String("e1"), Array([0])
            said = String(document.line(0, 1))
            field.Opt = Array([Array([String("e1"), said]), Array([String("e2"), String(document.note("beta"))])])
        case "tick":
            field.FT, field.V, field.AS = Name.Btn, Name.Yes, Name.Yes
            field.AP = Dictionary(N=Dictionary(Yes=document.form([b"1 1 8 8 re f"], (0, 0, 10, 10))))
        case _:
            text = document.line(0, 2)
            drawn = [b"/Tx BMC q", shown(text, 2, 5, 9), b"Q EMC"]
            field.V, field.AP = String(text), Dictionary(N=document.form(drawn, (0, 0, 300, 20)))
    return 0


def tagged(document: Document) -> None:
    """A tree of tags drawn by chance: any kind in any other, in any order, half of the content outside of it."""
    document.ordered = False
    pdf, chance = document.pdf, document.chance
    root = pdf.make_indirect(Dictionary(Type=Name.StructTreeRoot))
    top, parents = Array(), Array()
    for number in range(chance.randint(1, 3)):
        content, count = _marked_lines(document)
        page = document.page(content, StructParents=number, Tabs=Name.S)
        order = list(range(count))
        if chance.random() < 0.5:
            chance.shuffle(order)
        if chance.random() < 0.3:
            order = order[: len(order) // 2]
        parents.append(number)
        parents.append(pdf.make_indirect(_tree(document, root, top, page, order, count)))
    root.K, root.ParentTree = top, pdf.make_indirect(Dictionary(Nums=parents))
    pdf.Root.StructTreeRoot, pdf.Root.MarkInfo = root, Dictionary(Marked=True)


def _marked_lines(document: Document) -> tuple[list[bytes], int]:
    """Content in marks, most with a number, a few artifacts, nested, named twice or never closed; how many numbers."""
    chance = document.chance
    content: list[bytes] = []
    y, count = 780.0, 0
    for _ in range(chance.randint(3, 25)):
        y -= document.size * 1.4
        for x in chance.choice(((60,), (60,), (60, 220, 380))):
            text = document.line(1, 3) if x == 60 else document.amount()
            part, kind = shown(text, x, y, document.size), chance.random()
            new = b"/P <</MCID %d>> BDC" % count
            if kind < 0.08:
                content += [b"/Artifact BMC", part, b"EMC"]
            elif kind < 0.12:
                content.append(part)
            elif kind < 0.16:
                content += [b"/Artifact <</Type /Pagination /Subtype /Header>> BDC", part, b"EMC"]
            elif kind < 0.2 and count:
                content += [b"/P <</MCID %d>> BDC" % chance.randrange(count), part, b"EMC"]
            else:
                content += [new, b"/Span BMC", part, b"EMC EMC"] if kind < 0.24 else [new, part]
                content += [b"EMC"] if kind >= 0.26 else []
                count += 1
    return content, count


def _tree(document: Document, root: Any, top: Any, page: Any, order: list[int], count: int) -> Any:
    """Elements around marked content; which of them each number belongs to."""
    pdf, chance = document.pdf, document.chance
    owners = [Dictionary()] * count

    def element(parent: Any) -> Any:
        made = pdf.make_indirect(
            Dictionary(Type=Name.StructElem, S=Name(f"/{chance.choice(_KINDS)}"), P=parent, K=Array())
        )
        (top if parent is root else parent.K).append(made)
        return made

    here = element(root)
    for number in order:
        kind = chance.random()
        if kind < 0.6:
            here = element(here if kind < 0.4 else root)
        if chance.random() < 0.1:
            here.Alt = String("a picture")
        here.Pg = page
        here.K.append(number)
        owners[number] = here
    return Array(owners)


SHAPES = (fields, tagged)
