"""Words that a document says beside what it shows go, and what it shows stays."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pikepdf
import pypdfium2 as pdfium
import pytest
from pikepdf import Array, Dictionary, Name, Pdf, Stream, String

from tests.engine.operations.papers import done, paper, words

WORD = "Huberton"


def _content(data: bytes) -> Callable[[Pdf], None]:
    def change(pdf: Pdf) -> None:
        page = pdf.pages[0]
        page.Contents = pdf.make_stream(data % page.Contents.read_bytes())

    return change


def _in_form(pdf: Pdf) -> None:
    page = pdf.pages[0]
    facts = {"Type": Name.XObject, "Subtype": Name.Form, "BBox": Array([0, 0, 200, 100]), "Resources": page.Resources}
    form = Stream(pdf, b"% for Huberton\n" + page.Contents.read_bytes(), Name=Name(f"/{WORD}"), **facts)
    page.Resources = Dictionary(XObject=Dictionary(F=form))
    page.Contents = pdf.make_stream(b"/F Do")


def _glyph(pdf: Pdf) -> None:
    drawn = pdf.make_stream(b"500 0 d0 % Huberton\n0 0 500 500 re f")
    pdf.pages[0].Resources.Font.T = Dictionary(
        Type=Name.Font, Subtype=Name.Type3, FontBBox=[0, 0, 500, 500], FontMatrix=[0.001, 0, 0, 0.001, 0, 0],
        CharProcs=Dictionary({f"/{WORD}": drawn}), FirstChar=65, LastChar=65, Widths=[500], Resources=Dictionary(),
        Encoding=Dictionary(Type=Name.Encoding, Differences=Array([65, Name(f"/{WORD}")])),
    )  # fmt: skip
    pdf.pages[0].contents_add(b"BT /T 20 Tf 150 60 Td (A) Tj ET")


def _map(pdf: Pdf) -> None:
    lines = b"1 beginbfrange <20> <7e> <0020> endbfrange endcmap end end"
    head = b"12 dict begin begincmap 1 begincodespacerange <00> <ff> endcodespacerange\n"
    font = pdf.pages[0].Resources.Font.F1
    font.ToUnicode = pdf.make_stream(b"% for Huberton\n/CIDInit /ProcSet findresource begin\n" + head + lines)


def _tags(pdf: Pdf) -> None:
    kind = Name(f"/{WORD}")
    tag = Dictionary(Type=Name.StructElem, S=kind, C=kind, P=Name.Null, Pg=pdf.pages[0].obj, ID=String(WORD))
    root = Dictionary(Type=Name.StructTreeRoot, RoleMap=Dictionary({f"/{WORD}": Name.P}))
    root.ClassMap = Dictionary({f"/{WORD}": Dictionary(O=Name.Layout, Placement=Name.Block)})
    pdf.Root.StructTreeRoot = pdf.make_indirect(root)
    tag.P = pdf.Root.StructTreeRoot
    root.K = Array([pdf.make_indirect(tag)])
    pdf.Root.StructTreeRoot.K = root.K


def _unknown(pdf: Pdf) -> None:
    pdf.Root["/Zz"] = pdf.make_stream(b"secret of Huberton")
    pdf.pages[0].obj["/Zz"] = Dictionary(A=Name(f"/{WORD}"))
    pdf.pages[0].obj["/TemplateInstantiated"] = Name(f"/{WORD}")
    pdf.docinfo[f"/{WORD}"] = String("x")


@pytest.mark.parametrize(
    "change",
    [
        _content(b"%% drawn for Huberton\n%s"),
        _content(b"/Huberton MP /X <</Who (Huberton)>> DP %s"),
        _content(b"/Span <</Lang (en) /Who /Huberton /Deep [<</A (by Huberton)>>]>> BDC %s EMC"),
        _content(b"/Huberton BMC %s EMC"),
        *(_in_form, _glyph, _map, _tags, _unknown),
    ],
)
def test_what_is_said_beside_goes_and_what_is_shown_stays(tmp_path: Path, change: Callable[[Pdf], None]) -> None:
    source = paper(tmp_path / "in.pdf", "Plain 100%", "two")
    with pikepdf.open(source, allow_overwriting_input=True) as pdf:
        change(pdf)
        pdf.save(source)
    output = done("pdf-redact", tmp_path, source, words=[WORD])
    assert words(output) == words(source)
    assert _looks(output) == _looks(source)
    with pikepdf.open(output) as made:
        held = b"".join(item.read_bytes() for item in made.objects if isinstance(item, Stream))
        held += b"".join(item.unparse(resolved=True) for item in made.objects if not isinstance(item, Stream))
        held += b"".join(item.stream_dict.unparse() for item in made.objects if isinstance(item, Stream))
    assert WORD.encode() not in held


def _looks(path: Path) -> list[bytes]:
    with pdfium.PdfDocument(path) as document:
        return [page.render(scale=1).to_numpy().tobytes() for page in document]
