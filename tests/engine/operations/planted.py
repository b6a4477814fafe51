"""PDFs in which words are planted in every way that text is written, among words that stay."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pikepdf
from pikepdf import Array, Dictionary, Name, Object, Pdf, String

from paperchute.engine.pdf.textlayer.glyphless import to_unicode

SECRETS = ("Huberlin", "Kestrelby", "Officina", "Zander", "Montrosec")
FILLERS = ("alder", "birch", "cedar", "dogwood", "elder", "fir", "ginkgo", "hazel", "juniper", "larch", "maple", "oak")


@dataclass
class Planting:
    """A document under construction: how many words were planted, and the words of each page that stay."""

    chance: random.Random
    pdf: Pdf = field(default_factory=pikepdf.new)
    planted: int = 0
    stay: list[list[str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.helvetica = self.pdf.make_indirect(
            Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica, Encoding=Name.WinAnsiEncoding)
        )
        self.times = self.pdf.make_indirect(
            Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name("/Times-Bold"))
        )
        self.wide = self._composite()
        self.drawn = self._drawn()
        self.ligatures = self._ligatures()

    def secret(self) -> str:
        self.planted += 1
        return self.chance.choice(SECRETS)

    def fillers(self, count: int) -> list[str]:
        words = [self.chance.choice(FILLERS) for _ in range(count)]
        self.stay[-1] += words
        return words

    def page(self, ways: list[Callable[[Planting, Object], str]]) -> None:
        """A page with a line for each way, which has words that stay before and behind it."""
        page = self.pdf.add_blank_page(page_size=(595, 842))
        page.obj.Resources = Dictionary(
            Font=Dictionary(H=self.helvetica, T=self.times, W=self.wide, D=self.drawn, L=self.ligatures)
        )
        self.stay.append([])
        parts = []
        for number, way in enumerate(ways):
            y = 800 - 34 * number
            before, behind = self.fillers(2), self.fillers(1)
            parts.append(f"BT /H 11 Tf 1 0 0 1 40 {y} Tm ({' '.join(before)}) Tj ET")
            parts.append(f"q 1 0 0 1 150 {y} cm {way(self, page.obj)} Q")
            parts.append(f"BT /H 11 Tf 1 0 0 1 420 {y} Tm ({behind[0]}) Tj ET")
        page.obj.Contents = self.pdf.make_stream("\n".join(parts).encode("latin-1"))

    def save(self, path: Path) -> Path:
        self.pdf.save(path)
        return path

    def form(self, content: str, **more: Any) -> Object:
        form = self.pdf.make_stream(content.encode("latin-1"))
        form.Type, form.Subtype, form.BBox = Name.XObject, Name.Form, Array([0, -20, 300, 40])
        form.Resources = Dictionary(Font=Dictionary(H=self.helvetica), **more)
        return form

    def _composite(self) -> Object:
        codes = {code: chr(code - 7) for code in range(40, 140)}
        below = Dictionary(
            Type=Name.Font, Subtype=Name.CIDFontType2, BaseFont=Name("/Plain"), DW=600,
            CIDSystemInfo=Dictionary(Registry=String("Adobe"), Ordering=String("Identity"), Supplement=0),
            FontDescriptor=Dictionary(
                Type=Name.FontDescriptor, FontName=Name("/Plain"), Flags=4, ItalicAngle=0, Ascent=800, Descent=-200,
                StemV=80, CapHeight=700, FontBBox=Array([0, -200, 1000, 800]),
            ),
        )  # fmt: skip
        return self.pdf.make_indirect(
            Dictionary(
                Type=Name.Font, Subtype=Name.Type0, BaseFont=Name("/Plain"), Encoding=Name("/Identity-H"),
                DescendantFonts=Array([below]), ToUnicode=self.pdf.make_stream(to_unicode(codes)),
            )
        )  # fmt: skip

    def _drawn(self) -> Object:
        letters = [chr(code) for code in range(65, 123) if chr(code).isalpha()]
        return self.pdf.make_indirect(
            Dictionary(
                Type=Name.Font, Subtype=Name.Type3, FontMatrix=Array([0.001, 0, 0, 0.001, 0, 0]),
                FontBBox=Array([0, 0, 600, 700]), FirstChar=65, LastChar=122, Widths=Array([600] * 58),
                CharProcs=Dictionary({f"/{x}": self.pdf.make_stream(b"600 0 d0 50 0 400 600 re f") for x in letters}),
                Encoding=Dictionary(Type=Name.Encoding, Differences=Array([
                    item for letter in letters for item in (ord(letter), Name(f"/{letter}"))
                ])),
                Resources=Dictionary(),
            )
        )  # fmt: skip

    def _ligatures(self) -> Object:
        encoding = Dictionary(
            Type=Name.Encoding, BaseEncoding=Name.WinAnsiEncoding, Differences=Array([1, Name("/fi")])
        )
        return self.pdf.make_indirect(
            Dictionary(
                Type=Name.Font, Subtype=Name.Type1, BaseFont=Name("/Times-Roman"), Encoding=encoding,
                FirstChar=1, LastChar=126, Widths=Array([500] * 126),
            )
        )  # fmt: skip


def _show(text: str, before: str = "", font: str = "/H 11") -> str:
    return f"BT {before} {font} Tf ({text}) Tj ET"


def plain(p: Planting, _page: Object) -> str:
    return _show(f"{p.secret()}, {p.fillers(1)[0]}")


def kerned(p: Planting, _page: Object) -> str:
    word = p.secret()
    return f"BT /H 11 Tf [({word[:2]}) 40 ({word[2:4]}) -30 ({word[4:]}) -280 ({p.fillers(1)[0]})] TJ ET"


def next_line(p: Planting, _page: Object) -> str:
    return f"BT /H 11 Tf 12 TL 0 12 Td ({p.secret()}) ' ET"


def spaced_line(p: Planting, _page: Object) -> str:
    return f'BT /H 11 Tf 12 TL 0 12 Td 2 1 ({p.secret()} {p.fillers(1)[0]}) " ET'


def letters(p: Planting, _page: Object) -> str:
    return "BT /H 11 Tf " + " ".join(f"({letter}) Tj" for letter in p.secret()) + " ET"


def moved_letters(p: Planting, _page: Object) -> str:
    return "BT /W 10 Tf " + " ".join(f"<{ord(x) + 7:04X}> Tj 6.2 0 Td" for x in p.secret()) + " ET"


def spread(p: Planting, _page: Object) -> str:
    return f"BT 9 Tc /H 11 Tf ({p.secret()}) Tj ET"


def hexed(p: Planting, _page: Object) -> str:
    return f"BT /H 11 Tf <{p.secret().encode().hex()}> Tj ET"


def wide(p: Planting, _page: Object) -> str:
    text = f"{p.secret()} {p.fillers(1)[0]}"
    return "BT /W 10 Tf <" + "".join(f"{ord(letter) + 7:04X}" for letter in text) + "> Tj ET"


def drawn(p: Planting, _page: Object) -> str:
    return _show(p.secret(), font="/D 10")


def hidden(p: Planting, _page: Object) -> str:
    return _show(f"{p.secret()} {p.fillers(1)[0]}", "3 Tr")


def clipped(p: Planting, _page: Object) -> str:
    return f"q 0 0 1 1 re W n {_show(p.secret())} Q"


def turned(p: Planting, _page: Object) -> str:
    return _show(p.secret(), "0.96 0.28 -0.28 0.96 0 0 Tm")


def stretched(p: Planting, _page: Object) -> str:
    return _show(f"{p.secret()} {p.fillers(1)[0]}", "130 Tz 1 Tc 2 Tw 2 Ts")


def two_fonts(p: Planting, _page: Object) -> str:
    word = p.secret()
    return f"BT /H 11 Tf ({word[:3]}) Tj /T 11 Tf ({word[3:]}) Tj ET"


def hyphenated(p: Planting, _page: Object) -> str:
    word = p.secret()
    return f"BT /H 11 Tf 0 6 Td ({p.fillers(1)[0]} {word[:4]}-) Tj 0 -12 Td ({word[4:]} {p.fillers(1)[0]}) Tj ET"


def soft_hyphened(p: Planting, _page: Object) -> str:
    word = p.secret()
    return _show(f"{word[:3]}\xad{word[3:]}")


def ligature(p: Planting, _page: Object) -> str:
    p.planted += 1
    return f"BT /L 11 Tf (Of\\001cina and {p.fillers(1)[0]}) Tj ET".replace(" and ", " ")


def said_otherwise(p: Planting, _page: Object) -> str:
    return f"/Span << /ActualText (nothing) >> BDC {_show(p.secret())} EMC"


def said(p: Planting, _page: Object) -> str:
    return f"/Span << /ActualText ({p.secret()}) >> BDC {_show('')} EMC"


def _name(page: Object, form: Object) -> str:
    return str(pikepdf.Page(page).add_resource(form, Name.XObject))


def in_form(p: Planting, page: Object) -> str:
    return f"{_name(page, p.form(_show(f'{p.secret()} {p.fillers(1)[0]}')))} Do"


def in_nested_form(p: Planting, page: Object) -> str:
    inner = p.form(_show(p.secret()))
    outer = p.form("q 0.9 0 0 0.9 3 2 cm /In Do Q", XObject=Dictionary(In=inner))
    return f"q 1.1 0 0 1.1 0 0 cm {_name(page, outer)} Do Q"


def unused(p: Planting, page: Object) -> str:
    """A form that no page draws, and is among its resources."""
    _name(page, p.form(_show(p.secret())))
    return ""


def beyond(p: Planting, _page: Object) -> str:
    return _show(p.secret(), "1 0 0 1 700 0 Tm")


def white(p: Planting, _page: Object) -> str:
    return f"1 g {_show(p.secret())} 0 g"


def twice(p: Planting, _page: Object) -> str:
    word = p.secret()
    return f"{_show(word)} {_show(word, '1 0 0 1 0.3 0 Tm')}"


def on_hidden_layer(p: Planting, page: Object) -> str:
    layer = p.pdf.make_indirect(Dictionary(Type=Name.OCG, Name=String("layer")))
    page.Resources[Name.Properties] = page.Resources.get(Name.Properties, Dictionary())
    page.Resources.Properties.OC1 = layer
    p.pdf.Root.OCProperties = Dictionary(OCGs=Array([layer]), D=Dictionary(OFF=Array([layer]), Order=Array([layer])))
    return f"/OC /OC1 BDC {_show(p.secret())} EMC"


def _annotate(p: Planting, page: Object, **facts: Any) -> str:
    note = Dictionary(Type=Name.Annot, Rect=Array([500, 20, 560, 40]), **facts)
    if Name.Annots not in page:
        page.Annots = Array()
    page.Annots.append(p.pdf.make_indirect(note))
    return ""


def noted(p: Planting, page: Object) -> str:
    return _annotate(p, page, Subtype=Name.Text, Contents=String(f"see {p.secret()}"), T=String(p.secret()))


def stamped(p: Planting, page: Object) -> str:
    return _annotate(p, page, Subtype=Name.Stamp, AP=Dictionary(N=p.form(_show(p.secret()))))


def linked(p: Planting, page: Object) -> str:
    return _annotate(
        p, page, Subtype=Name.Link, A=Dictionary(S=Name.URI, URI=String(f"https://x.example/?q={p.secret().lower()}"))
    )


def filled_in(p: Planting, page: Object) -> str:
    word = p.secret()
    _annotate(
        p, page, Subtype=Name.Widget, FT=Name.Tx, T=String(f"f{p.planted}"), V=String(word), DV=String(word),
        DA=String("/H 10 Tf 0 g"), AP=Dictionary(N=p.form(_show(word))),
    )  # fmt: skip
    if Name.AcroForm not in p.pdf.Root:
        p.pdf.Root.AcroForm = Dictionary(Fields=Array(), DR=Dictionary(Font=Dictionary(H=p.helvetica)))
    p.pdf.Root.AcroForm.Fields.append(page.Annots[-1])
    return ""


SHOWN: list[Callable[[Planting, Object], str]] = [
    plain, kerned, next_line, spaced_line, letters, moved_letters, spread, hexed, wide, drawn, hidden, clipped, turned,
    stretched, two_fonts, hyphenated, soft_hyphened, ligature, said_otherwise, in_form, in_nested_form, beyond, white,
    twice, on_hidden_layer,
]  # fmt: skip
SAID: list[Callable[[Planting, Object], str]] = [said, unused, noted, stamped, linked, filled_in]


def planted(path: Path, seed: int, pages: int) -> Planting:
    """A document whose pages have each way at least once between them, and words beside the pages."""
    chance = random.Random(seed)
    p = Planting(chance)
    ways: list[Callable[[Planting, Object], str]] = []
    while len(ways) < 22 * pages:
        ways += [*SHOWN, *SAID]
    chance.shuffle(ways)
    for number in range(pages):
        p.page(ways[22 * number : 22 * (number + 1)])
    with p.pdf.open_outline() as tree:
        tree.root.append(pikepdf.OutlineItem(f"On {p.secret()}", 0))
    with p.pdf.open_metadata() as facts:
        facts["dc:title"] = f"About {p.secret()}"
        facts["dc:creator"] = [p.secret()]
    p.pdf.docinfo["/Subject"] = String(p.secret())
    p.pdf.docinfo["/Keywords"] = String(p.secret().encode("utf-16-be"))
    p.pdf.Root.Names = Dictionary(
        Dests=Dictionary(Names=Array([String(p.secret()), Array([p.pdf.pages[0].obj, Name.Fit])]))
    )
    p.pdf.Root.PageLabels = Dictionary(Nums=Array([0, Dictionary(P=String(f"{p.secret()}-"), S=Name.D)]))
    p.pdf.Root.StructTreeRoot = p.pdf.make_indirect(
        Dictionary(Type=Name.StructTreeRoot, K=Array([Dictionary(S=Name.Figure, Alt=String(p.secret()))]))
    )
    p.pdf.attachments["notes.txt"] = p.secret().encode()
    p.pdf.Root.PieceInfo = Dictionary(App=Dictionary(Private=String(p.secret())))
    p.save(path)
    return p
