"""Scripts and the like hung anywhere in a PDF, in many spellings: none is left, and what holds none stays as it is."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pikepdf
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pikepdf import Array, Dictionary, Stream, String

from paperchute.engine.html.fetch import Page
from paperchute.engine.html.render import render
from paperchute.engine.operations import implementation
from paperchute.engine.pdf.actions import is_beside, leads_to_web
from paperchute.engine.pdf.assembly import Joiner
from paperchute.engine.pdf.sanitize import defuse
from paperchute.engine.work import FetchPolicy
from tests.engine.hostile.bad_pdfs import one_page, stream
from tests.engine.operations.papers import work

# ---------- what is hung up ----------

_CHAINS = (0, 1, 3, 999, 1000, 1005)
_UNC = rb"\\\\\\\\x.test\\\\CANARY"


def _name(name: str, spelled: bool) -> bytes:
    """A name, or the same with numbers for letters (ISO 32000-1, 7.3.5)."""
    if not spelled:
        return b"/" + name.encode()
    return b"/" + b"".join(
        b"#%02x" % ord(letter) if number % 2 else letter.encode() for number, letter in enumerate(name)
    )


def _string(text: str, way: str) -> bytes:
    match way:
        case "hex":
            return b"<" + text.encode().hex().encode() + b">"
        case "wide":
            return b"<" + ("\ufeff" + text).encode("utf-16-be").hex().encode() + b">"
        case "octal":
            return b"(" + b"".join(b"\\%03o" % byte for byte in text.encode()) + b")"
    return b"(" + text.replace("\\", "\\\\").encode() + b")"


_ADDRESSES = (
    *(
        "javascript:CANARY()",
        "java\tscript:CANARY()",
        " JavaScript:CANARY",
        "\x01javascript:CANARY",
        "java\nscript:CANARY",
    ),
    *("%6aavascript:CANARY", "%256Aavascript:CANARY", "vbscript:CANARY", "data:text/html,CANARY", "file:///CANARY.exe"),
    *(
        r"\\x.test\CANARY",
        "//x.test/CANARY",
        r"a\..\CANARY",
        "/bin/CANARY",
        "ms-settings:CANARY",
        "FILE://x.test/CANARY",
    ),
    *("C:/CANARY.exe", "search-ms:query=CANARY", "mailto:a@b.example?attach=CANARY", "%5c%5cx.test%5cCANARY"),
)


@st.composite
def harm(draw: st.DrawFn) -> tuple[bytes, dict[int, bytes]]:
    """An action with the word CANARY that may stay nowhere, with the objects that it needs, from number 50."""
    spelled, way = draw(st.booleans()), draw(st.sampled_from(["plain", "hex", "wide", "octal"]))
    kind = draw(
        st.sampled_from(
            [
                *("JavaScript", "Launch", "ImportData", "GoToR", "GoToE", "Thread", "SubmitForm", "URI", "Rendition"),
                "RichMediaExecute",
            ]
        )
    )
    more: dict[int, bytes] = {}
    script = _string("app.alert('CANARY')", way)
    if kind == "JavaScript" and draw(st.booleans()):
        more[50], script = stream(b"CANARY()"), b"50 0 R"
    address = _string(draw(st.sampled_from(_ADDRESSES)), way)
    file = draw(st.sampled_from([address, b"<</F%s/UF%s>>" % (address, address), b"<</FS/URL/F%s>>" % address]))
    body = {
        "JavaScript": b"/JS %s" % script,
        "Launch": b"/F(CANARY.exe)/Win<</F(CANARY)/P(CANARY)>>",
        "ImportData": b"/F(CANARY.fdf)",
        "GoToR": b"/F%s/D[0/Fit]" % file,
        "GoToE": b"/F%s/D[0/Fit]/T<</R/C/N(x)>>" % file,
        "Thread": b"/F%s/D 0" % file,
        "SubmitForm": b"/F%s/Flags 4" % file,
        "URI": b"/URI%s" % address,
        "Rendition": b"/OP 0/JS %s" % script,
        "RichMediaExecute": b"/TA 3 0 R/CMD<</C%s>>" % script,
    }[kind]
    return b"<<%s%s%s>>" % (_name("S", spelled), _name(kind, spelled), body), more


@st.composite
def chained(draw: st.DrawFn) -> tuple[bytes, dict[int, bytes]]:
    """Harm behind so many harmless steps, in its own object or not."""
    action, more = draw(harm())
    length = draw(st.sampled_from(_CHAINS))
    if length == 0:
        return action, more
    more[100 + length] = action
    for number in range(length):
        following = b"%d 0 R" % (101 + number)
        if draw(st.booleans()) if length < 10 else False:
            following = b"[%s<</S/Hide/T(x)>>]" % following
        more[100 + number] = b"<</S/GoTo/D[3 0 R/Fit]/Next %s>>" % following
    return b"100 0 R", more


_PLACES = (
    *("open", "close", "names", "page", "link", "entered", "before", "field", "hidden field", "widget", "outline"),
    *("property", "element", "popup", "resource", "form", "odd", "array", "template", "events as stream", "in stream"),
)


def hung(place: str, action: bytes, more: dict[int, bytes]) -> bytes:
    """A PDF with an action in one of its places."""
    note = b"/Subtype/Link/Rect[0 0 9 9]"
    match place:
        case "open":
            return one_page(b"/OpenAction %s" % action, b"", more)
        case "close":
            return one_page(b"/AA<</WC %s/DP %s>>" % (action, action), b"", more)
        case "names":
            return one_page(b"/Names<</JavaScript<</Kids[20 0 R]>>>>", b"", {**more, 20: b"<</Names[(a)%s]>>" % action})
        case "page":
            return one_page(b"", b"/AA<</O %s>>" % action, more)
        case "link":
            return one_page(b"", b"/Annots[<<%s/A %s>>]" % (note, action), more)
        case "entered":
            return one_page(b"", b"/Annots[<<%s/AA<</E %s/X 30 0 R>>>>]" % (note, action), {**more, 30: action})
        case "before":
            return one_page(b"", b"/Annots 20 0 R", {**more, 20: b"[<<%s/PA %s>>]" % (note, action)})
        case "field" | "hidden field":
            fields = b"[20 0 R]" if place == "field" else b"[]"
            field = b"<</Subtype/Widget/FT/Tx/T(t)/Rect[0 0 9 9]/A %s/AA<</K %s>>>>" % (action, action)
            return one_page(b"/AcroForm<</Fields%s/CO[20 0 R]>>" % fields, b"/Tabs/S/X 20 0 R", {**more, 20: field})
        case "widget":
            field = b"<</FT/Btn/T(t)/Kids[<<%s/A %s>>]>>" % (note.replace(b"Link", b"Widget"), action)
            return one_page(b"/AcroForm<</Fields[20 0 R]>>", b"", {**more, 20: field})
        case "outline":
            items = {20: b"<</First 21 0 R/Last 21 0 R>>", 21: b"<</Title(x)/Parent 20 0 R/A %s>>" % action}
            return one_page(b"/Outlines 20 0 R", b"", {**more, **items})
        case "property":
            return one_page(b"", b"/PieceInfo<</X<</Private<</A %s>>>>>>" % action, more)
        case "element":
            root = {20: b"<</Type/StructTreeRoot/K 21 0 R>>", 21: b"<</S/P/P 20 0 R/A %s/K[0]>>" % action}
            return one_page(b"/StructTreeRoot 20 0 R", b"", {**more, **root})
        case "popup":
            popup = {20: b"<<%s/Popup 21 0 R>>" % note, 21: b"<</Subtype/Popup/Rect[0 0 9 9]/AA<</PO %s>>>>" % action}
            return one_page(b"", b"/Annots[20 0 R]", {**more, **popup})
        case "resource":
            return one_page(b"", b"/Resources<</Properties<</A %s/AA<</O %s>>>>>>" % (action, action), more)
        case "form":
            drawn = stream(b"", b"/Type/XObject/Subtype/Form/BBox[0 0 9 9]/A %s/AA<</D %s>>" % (action, action))
            return one_page(b"", b"/Resources<</XObject<</AA 20 0 R>>>>", {**more, 20: drawn})
        case "odd":
            return one_page(b"/Next %s/Unheard<</Of[[[%s]]]>>" % (action, action), b"", more)
        case "array":
            return one_page(b"/OpenAction<</S/GoTo/D[3 0 R/Fit]/Next[[%s][null 7 %s]]>>" % (action, action), b"", more)
        case "template":
            template = b"<</Type/Template/MediaBox[0 0 9 9]/AA<</O %s/C %s>>>>" % (action, action)
            return one_page(b"/Names<</Templates<</Names[(a)20 0 R]>>>>", b"", {**more, 20: template})
        case "events as stream":
            return one_page(b"", b"/AA 20 0 R", {**more, 20: stream(b"", b"/O %s" % action)})
        case _:
            held = action[2:-2] if action.startswith(b"<<") else b"/S/GoTo/D[3 0 R/Fit]/Next %s" % action
            return one_page(b"/OpenAction 20 0 R", b"/AA<</O 20 0 R>>", {**more, 20: stream(b"", held)})


def joined(content: bytes) -> bytes:
    """As the operations do that join."""
    with pikepdf.open(io.BytesIO(content)) as pdf:
        joiner = Joiner()
        taken = joiner.take(pdf, [0], "a.pdf")
        for page in taken.pages:
            page.Parent = joiner.pdf.Root.Pages
        joiner.pdf.Root.Pages.Kids = Array(list(taken.pages))
        joiner.pdf.Root.Pages.Count = 1
        out = io.BytesIO()
        defuse(joiner.pdf)
        joiner.pdf.save(out, object_stream_mode=pikepdf.ObjectStreamMode.disable)
        return out.getvalue()


def passed(content: bytes) -> bytes:
    """As the operations do that change."""
    with pikepdf.open(io.BytesIO(content)) as pdf:
        out = io.BytesIO()
        defuse(pdf)
        pdf.save(out, object_stream_mode=pikepdf.ObjectStreamMode.disable)
        return out.getvalue()


def texts(content: bytes) -> Iterator[bytes]:
    """All strings and unpacked streams of a PDF."""
    with pikepdf.open(io.BytesIO(content)) as pdf:
        stack: list[Any] = list(pdf.objects)
        while stack:
            item = stack.pop()
            if isinstance(item, String):
                yield bytes(item)
                yield str(item).encode()
            elif isinstance(item, Array):
                stack += [
                    part for part in item if not (isinstance(part, Dictionary | Array | Stream) and part.is_indirect)
                ]
            elif isinstance(item, Dictionary | Stream):
                if isinstance(item, Stream):
                    yield item.read_raw_bytes()
                parts = [item[key] for key in list(item.keys())]
                stack += [
                    part for part in parts if not (isinstance(part, Dictionary | Array | Stream) and part.is_indirect)
                ]


@pytest.mark.parametrize("way", [joined, passed])
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(place=st.sampled_from(_PLACES), action=chained())
def test_nothing_that_runs_is_left_wherever_it_hangs(
    way: Any, place: str, action: tuple[bytes, dict[int, bytes]]
) -> None:
    found = [text for text in texts(way(hung(place, *action))) if b"CANARY" in text]
    assert found == []


_REACHING: dict[str, bytes] = {
    "a form that runs": one_page(
        b"/NeedsRendering true/AcroForm<</Fields[]/XFA[(a)20 0 R]>>", b"", {20: stream(b"CANARY")}
    ),
    "a form that runs, at once": one_page(b"/AcroForm 21 0 R", b"", {20: stream(b"CANARY"), 21: b"<</XFA 20 0 R>>"}),
    "a script of a model": one_page(
        b"",
        b"/Annots[<</Subtype/3D/Rect[0 0 9 9]/3DD 20 0 R>>]",
        {20: stream(b"U3D", b"/Type/3D/Subtype/U3D/OnInstantiate 21 0 R"), 21: stream(b"CANARY")},
    ),
    "a script of a film": one_page(
        b"",
        b"/Annots[<</Subtype/RichMedia/Rect[0 0 9 9]/RichMediaSettings<</Activation<</Condition/PO/Scripts[20 0 R]>>>>"
        b"/RichMediaContent<</Assets<</Names[(a)20 0 R]>>>>>>]",
        {20: b"<</Type/Filespec/F(a.js)/EF<</F 21 0 R>>>>", 21: stream(b"CANARY")},
    ),
    "content that lies outside": one_page(b"", b"/Contents 20 0 R", {20: stream(b"", b"/F(%s)" % _UNC)}),
    "content that lies outside, said at length": one_page(
        b"", b"/Contents 20 0 R", {20: stream(b"", b"/F<</FS/URL/F(http://x.test/CANARY)>>")}
    ),
    "a page of another document": one_page(
        b"",
        b"/Resources<</XObject<</X 20 0 R>>>>",
        {20: stream(b"", b"/Subtype/Form/BBox[0 0 9 9]/Ref<</F<</F(http://x.test/CANARY)/FS/URL>>/Page 0>>")},
    ),
    "a program for the printer": one_page(
        b"",
        b"/Resources<</XObject<</X 20 0 R>>>>",
        {20: stream(b"CANARY", b"/Subtype/PS/Level1 21 0 R"), 21: stream(b"CANARY")},
    ),
    "another program for the printer": one_page(
        b"",
        b"/Resources<</XObject<</X 20 0 R>>>>",
        {20: stream(b"", b"/Subtype/Form/Subtype2/PS/PS 21 0 R/BBox[0 0 9 9]"), 21: stream(b"CANARY")},
    ),
    "a film that lies elsewhere": one_page(
        b"", b"/Annots[<</Subtype/Movie/Rect[0 0 9 9]/Movie<</F(%s)/N(x)/V 1>>/A<</Mode/Once>>>>]" % _UNC
    ),
    "a clip that lies elsewhere": one_page(
        b"",
        b"/Annots[<</Subtype/Screen/Rect[0 0 9 9]/A<</S/Rendition/OP 0/AN 3 0 R/R<</S/MR/C<</S/MCD/D<</F(%s)/N(x)/V 1>>"
        b">>>>>>>>]" % _UNC,
    ),
    "a slide show": one_page(
        b"/Names<</AlternatePresentations<</Names[(a)<</Type/SlideShow/StartResource(CANARY)>>]>>>>"
    ),
    "the cover of a portfolio": one_page(b"/Collection<</Navigator<</SWF(CANARY)>>>>"),
    "pages to be fetched again": one_page(b"/SpiderInfo<</V 1.0/C[<</URL(file://x.test/CANARY)>>]>>"),
    "a server of a signer": one_page(
        b"/AcroForm<</Fields[<</FT/Sig/T(s)/SV<</TimeStamp<</URL(file://x/CANARY)>>>>>>]>>"
    ),
    "a second address of a form": one_page(
        b"",
        b"/Annots[<</Subtype/Link/Rect[0 0 9 9]/A<</S/SubmitForm/F<</FS/URL/F(https://a.example/)/UF(%s)>>>>>>]" % _UNC,
    ),
    "where all links start from": one_page(b"/URI<</Base(file://x.test/CANARY/)>>"),
}


@pytest.mark.parametrize("way", [joined, passed])
@pytest.mark.parametrize("name", _REACHING)
def test_what_runs_without_being_an_action_goes_too(name: str, way: Any) -> None:
    with pikepdf.open(io.BytesIO(way(_REACHING[name]))) as pdf:
        assert len(pdf.pages) == 1
    assert not any(b"CANARY" in text for text in texts(way(_REACHING[name])))


def test_the_end_of_a_chain_that_is_too_long_is_cut_and_the_rest_stays() -> None:
    steps = {100 + n: b"<</S/GoTo/D[3 0 R/Fit]/Next %d 0 R>>" % (101 + n) for n in range(1005)}
    content = passed(one_page(b"/OpenAction 100 0 R", b"", {**steps, 1105: b"<</S/JavaScript/JS(CANARY)>>"}))
    with pikepdf.open(io.BytesIO(content)) as pdf:
        step, length = pdf.Root.OpenAction, 1
        while "/Next" in step:
            step, length = step.Next, length + 1
    assert length == 1000


# ---------- what stays ----------

_ADDRESS = st.sampled_from(
    [
        "https://a.example/b?c=d:e#f",
        "mailto:a@b.example",
        "tel:+49 30 1",
        "www.a.example:80/x",
        "b.html",
        "b c/d.pdf#x",
        "",
    ]
)


@st.composite
def harmless(draw: st.DrawFn) -> bytes:
    """A PDF that runs nothing, with the names that actions have in places where they mean something else."""
    address = _string(draw(_ADDRESS), draw(st.sampled_from(["plain", "hex", "wide", "octal"])))
    clicks = [
        b"<</S/URI/URI%s>>" % address,
        b"<</S/GoTo/D[3 0 R/Fit]/Next<</S/URI/URI%s>>>>" % address,
        b"<</S/GoToR/F(b c.pdf)/D[0/Fit]>>",
        b"<</S/GoToR/F<</Type/Filespec/F(../x/b.pdf)/UF<feff0078>>>/D(chapter)>>",
        b"<</S/Named/N/Print>>",
        b"<</S/ResetForm>>",
        b"<</S/Hide/T(x)>>",
        b"<</S/SubmitForm/F<</FS/URL/F(https://a.example/form)>>/Flags 4>>",
        b"<</S/Thread/D 0>>",
        b'<</S/JavaScript/JS(AFNumber_Format\\(2, 0, 0, 0, "", true\\);)>>',
    ]
    annotation = b"<</Subtype/Link/F 4/Rect[0 0 9 9]/A%s>>" % draw(st.sampled_from(clicks))
    field = b"<</Subtype/Widget/FT/Tx/T(t)/F 4/Rect[0 0 9 9]/AA<</F<</S/JavaScript/JS(AFDate_Format\\(1\\))>>>>>>"
    element = draw(
        st.sampled_from(
            [
                b"<</S/JavaScript/P 22 0 R/A<</O/Layout/Placement/Block>>/K[0]>>",
                b"<</S/Launch/P 22 0 R/A[<</O/UserProperties/P[<</N(x)/V 1/F(12:30, 5)>>]>>]/K[0]>>",
            ]
        )
    )
    group = stream(b"", b"/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Group<</S/Transparency>>")
    attached = b"<</Type/Filespec/F(C:\\\\x.csv)/UF(C:\\\\x.csv)/EF<</F 28 0 R>>>>"
    names = draw(st.sampled_from([b"AA", b"A", b"PA", b"Next", b"JS", b"XFA", b"Ref", b"F", b"OnX"]))
    return one_page(
        b"/OpenAction%s/AcroForm<</Fields[21 0 R]>>/StructTreeRoot 22 0 R/Names<</EmbeddedFiles<</Names[(a)27 0 R]>>"
        b"/Dests<</Names[(JavaScript)[3 0 R/Fit]]>>>>/OutputIntents[<</S/GTS_PDFX>>]/URI<</Base(https://a.example/)>>"
        % draw(st.sampled_from([b"[3 0 R/Fit]", b"<</S/GoTo/D[3 0 R/Fit]>>", b"<</S/Named/N/FirstPage>>"])),
        b"/Annots[%s 21 0 R]/Trans<</S/Fly>>/Resources<</XObject<</%s 24 0 R>>/ExtGState<</%s<</SMask<</S/Alpha"
        b"/G 24 0 R>>>>>>/Font<</F 25 0 R>>>>" % (annotation, names, names),
        {
            21: field,
            22: b"<</Type/StructTreeRoot/K 23 0 R/ClassMap<</A<</O/Layout>>>>/RoleMap<</JavaScript/Code/Launch/P>>>>",
            23: element,
            24: group,
            25: b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
            27: attached,
            28: stream(b"javascript:", b"/Type/EmbeddedFile"),
        },
    )


@settings(max_examples=150, deadline=None)
@given(content=harmless())
def test_a_document_that_runs_nothing_stays_as_it_is_object_by_object(content: bytes) -> None:
    with pikepdf.open(io.BytesIO(content)) as pdf:
        before = [item.unparse(resolved=True) for item in pdf.objects if not isinstance(item, Stream)]
        streams = [
            (item.stream_dict.unparse(), item.read_raw_bytes()) for item in pdf.objects if isinstance(item, Stream)
        ]
        defuse(pdf)
        assert [item.unparse(resolved=True) for item in pdf.objects if not isinstance(item, Stream)] == before
        assert [
            (item.stream_dict.unparse(), item.read_raw_bytes()) for item in pdf.objects if isinstance(item, Stream)
        ] == streams


@settings(max_examples=300, deadline=None)
@given(text=st.text(st.sampled_from("javscript:%613A/\\#?.wftp\t\0\u200b\uff1a "), max_size=24))
def test_an_address_that_stays_is_of_a_known_kind_however_it_is_read(text: str) -> None:
    if leads_to_web(String(text)):
        plain = "".join(letter for letter in text if letter > " " and letter.isprintable()).lower()
        assert not plain.startswith(("javascript:", "file:", "/", "\\"))
    if is_beside(String(text)):
        assert not set(text) & {":", "\\"}


# ---------- what is made of HTML ----------


_BESIDE_HTML = ("/bin/CANARY",)  # a path below the place where the HTML lay


def test_html_makes_no_link_that_runs(tmp_path: Path) -> None:
    links = "".join(f'<p><a href="{address}">CANARY link</a>' for address in _ADDRESSES if address not in _BESIDE_HTML)
    output = tmp_path / "a.pdf"
    render(Page(f'<html><body>{links}<a href="https://a.example/">ok</a>'), output, FetchPolicy())
    with pikepdf.open(output) as pdf:
        (note,) = pdf.pages[0].obj.Annots
        assert str(note.A.URI) == "https://a.example/"


@pytest.mark.parametrize("operation", ["magic-color", "pdf-to-editable"])
def test_what_changes_a_document_gives_it_back_without(tmp_path: Path, operation: str) -> None:
    path = tmp_path / "a.pdf"
    for place in ("open", "link", "hidden field", "property"):
        path.write_bytes(hung(place, b"<</S/Launch/F(CANARY)>>", {}))
        (output,) = implementation(operation).run(work(operation, tmp_path, path, enableOcr=0))
        assert not any(b"CANARY" in text for text in texts(output.read_bytes()))


def test_a_file_that_is_named_by_itself_ends() -> None:
    ring = {20: b"<</F 20 0 R/UF 20 0 R>>", 21: b"<</S/SubmitForm/F 20 0 R/Next<</S/GoToR/F 20 0 R>>>>"}
    content = passed(one_page(b"", b"/Annots[<</Subtype/Link/Rect[0 0 9 9]/A 21 0 R>>]", ring))
    with pikepdf.open(io.BytesIO(content)) as pdf:
        assert "/A" not in pdf.pages[0].obj.Annots[0]
