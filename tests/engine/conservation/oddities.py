"""Shapes that few programs make: words over edges, behind clips, in odd fonts, in annotations, under pictures."""

from __future__ import annotations

from typing import Any

from pikepdf import Array, Dictionary, Name, NumberTree, String

from tests.engine.conservation.documents import HEIGHT, WIDTH, Document, lines, octets, shown, spelled, width_of
from tests.engine.pdf_parts import attach

_LETTERS = "GLOTabcdefghijklmnopqrstuvwxyz0123456789"
"""Those of the words that lines are made of."""
_JOINED = f"{_LETTERS} ﬁﬂﬀﬃﬄ"
_BOTH = f"אבגדהוזחטיכל {_LETTERS}"


def over_edges(document: Document) -> None:
    """Words that run over an edge of the page, and some that lie beyond it."""
    document.ordered = False
    chance = document.chance
    content: list[bytes] = []
    lines(document, content, chance.randint(0, 10), x=150, y=600, words=(1, 3))
    for n in range(chance.randint(1, 6)):
        word = document.line(0, 0)
        wide = width_of(word, 12)
        places = (
            (WIDTH - wide * chance.uniform(0.1, 0.9), 60 + 110 * n),
            (-wide * chance.uniform(0.1, 0.9), 60 + 110 * n),
            (40 + 85 * n, HEIGHT - chance.uniform(1, 8)),
            (40 + 85 * n, -chance.uniform(1, 6)),
            (600 + 200 * n, chance.uniform(-500, 1500)),
        )
        x, y = chance.choice(places)
        content.append(shown(word, x, y, 12))
    document.page(content)


def clipped(document: Document) -> None:
    """Lines behind a clip that leaves some of them to be seen, or none; and text that is itself a clip."""
    chance = document.chance
    content: list[bytes] = []
    lines(document, content, chance.randint(3, 20), words=(2, 5))
    clip = b"%g %g %g %g re W n" % (chance.uniform(0, 300), chance.uniform(0, 600), 200, chance.choice((0, 5, 100)))
    document.page([b"q", clip, *content, b"Q", shown(document.line(), 60, 90)])  # not so low that it is a foot
    own: list[bytes] = []
    lines(document, own, chance.randint(1, 5))
    document.page([b"q %d Tr" % chance.choice((4, 5, 6, 7)), *own, b"Q"])


def ligatures(document: Document) -> None:
    """Joined letters, each one letter of the font."""
    font = document.script(_JOINED, 0.5)
    content: list[bytes] = []
    for row in range(document.chance.randint(2, 20)):
        text = document.line()
        for plain, joined in (("ffi", "ﬃ"), ("fi", "ﬁ"), ("fl", "ﬂ"), ("ff", "ﬀ")):
            text = text.replace(plain, joined)
        extra = document.note(document.chance.choice(("fifi", "flflo", "office", "baﬄe")))
        extra = extra.replace("ffi", "ﬃ").replace("fi", "ﬁ").replace("fl", "ﬂ")
        content.append(spelled(_JOINED, font, f"{text} {extra}", 60, 780 - 14 * row, 10))
    document.page(content)


def soft_hyphens(document: Document) -> None:
    """Words with soft hyphens, in the line and at its end, as word processors print them."""
    content: list[bytes] = []
    y = 780.0
    for _ in range(document.chance.randint(2, 12)):
        whole = document.chance.choice(("harbourmaster", "quayside", "lighthouse", "shipbuilder"))
        at = document.chance.randint(3, len(whole) - 3)
        first, second = document.line(5, 6), document.line(5, 6)
        document.note(whole)
        content.append(shown(f"{first} {whole[:at]}\u00ad", 60, y))
        content.append(shown(f"{whole[at:]} {second}", 60, y - 13))
        y -= 39
    document.page(content)


def drawn_fonts(document: Document) -> None:
    """Type 3 fonts: each letter is content of its own; with a table of their meaning, or by its name alone."""
    chance = document.chance
    letters = _LETTERS
    box = document.pdf.make_stream(b"500 0 50 0 450 700 d1 50 0 400 700 re f")
    names = [letter if letter.isalpha() else f"{_DIGITS[int(letter)]}" for letter in letters]
    font = Dictionary(Type=Name.Font, Subtype=Name.Type3, FontBBox=Array([0, 0, 500, 700]), FirstChar=40)
    font.LastChar, font.Widths = 39 + len(letters), Array([500] * len(letters))
    font.FontMatrix = Array([0.001, 0, 0, 0.001, 0, 0])
    font.CharProcs = Dictionary({f"/{name}": box for name in names})
    font.Encoding = Dictionary(Type=Name.Encoding, Differences=Array([40, *(Name(f"/{name}") for name in names)]))
    if chance.random() < 0.5:
        pairs = "".join(f"<{n + 40:02x}> <{ord(c):04x}>\n" for n, c in enumerate(letters))
        font.ToUnicode = document.pdf.make_stream(
            "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def 1 begincodespacerange "
            f"<00> <ff> endcodespacerange {len(letters)} beginbfchar\n{pairs}endbfchar endcmap end end".encode()
        )
    document.fonts["/T3"] = document.pdf.make_indirect(font)
    content: list[bytes] = []
    for row in range(chance.randint(2, 20)):
        x = 60.0
        for word in document.line(2, 4).split():
            codes = "".join(f"{letters.index(c) + 40:02x}" for c in word)
            content.append(b"BT /T3 10 Tf %g %g Td <%s> Tj ET" % (x, 780 - 14 * row, codes.encode()))
            x += 5 * (len(word) + 1)
    document.page(content)


_DIGITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def annotated(document: Document) -> None:
    """What annotations say: free text, stamps, notes, fields with a look or a value alone, with and without a form.

    What a link says of itself is none of the text.
    """
    document.ordered, document.again = False, True
    chance = document.chance
    content: list[bytes] = []
    lines(document, content, chance.randint(2, 8), words=(2, 5))
    notes = []
    for number in range(chance.randint(1, 6)):
        kind = chance.choice(("FreeText", "Stamp", "Text", "Link", "Widget", "Highlight", "Square", "FileAttachment"))
        text = "what the link is about" if kind == "Link" else document.line(1, 4)
        y = 60 + 60 * number
        note = Dictionary(Type=Name.Annot, Subtype=Name(f"/{kind}"), Rect=Array([60, y, 500, y + 30]), F=4)
        looks = kind in ("FreeText", "Stamp", "Widget", "FileAttachment") and (
            kind != "FreeText" or chance.random() < 0.6
        )
        if looks:
            note.AP = Dictionary(N=document.form([shown(text, 4, 10)], (0, 0, 440, 30)))
        if kind == "FileAttachment":
            note.Contents = String("brick")
        if kind == "Widget" and chance.random() < 0.4:
            looks = False
            del note["/AP"]
            note.V = String(text)
        elif not looks:
            note.Contents = String(text)
        if kind == "FreeText":
            note.DA = String("/Helv 10 Tf 0 g")
        if kind == "Widget":
            note.FT = chance.choice((Name.Tx, Name.Sig)) if looks else Name.Tx
            note.T = String(f"field{number}")
        notes.append(document.pdf.make_indirect(note))
    document.page(content, Annots=Array(notes))
    if chance.random() < 0.5:
        fields = [note for note in notes if note.Subtype == Name.Widget]
        document.pdf.Root.AcroForm = Dictionary(Fields=Array(fields))


def extremes(document: Document) -> None:
    """Pages without a size, of a point, with a large unit, with a box that is no box; plain ones between them."""
    chance = document.chance
    for _ in range(chance.randint(1, 4)):
        content: list[bytes] = []
        lines(document, content, chance.randint(1, 5), words=(1, 3))
        document.page(content)
        box: Any = chance.choice(([0, 0, 0, 0], [0, 0, 1, 1], [10, 10, 10, 900], [0, 0, -595, -842]))
        odd = document.page([], WIDTH, HEIGHT)
        odd.MediaBox = Array(box)
        unit = document.page([shown(document.line(1, 2), 20, 100, 10)], 200, 200)
        unit.UserUnit = chance.choice((1, 2.5, 75))


def both_ways(document: Document) -> None:
    """Words from right to left among those from left to right."""
    document.ordered = False
    font = document.script(_BOTH, 0.55)
    content: list[bytes] = []
    for row in range(document.chance.randint(2, 15)):
        words = ["".join(document.chance.choice(_BOTH[:12]) for _ in range(4)) for _ in range(2)]
        text = document.line(1, 3)
        for word in words:
            document.note(word)
        printed = f"{words[0][::-1]} {text} {words[1][::-1]}"
        content.append(spelled(_BOTH, font, printed, 60, 780 - 14 * row, 10))
    document.page(content)


def below_picture(document: Document) -> None:
    """A layer of words, unseen or not, with a picture of the whole page over or under it."""
    chance = document.chance
    content: list[bytes] = []
    lines(document, content, chance.randint(2, 25))
    picture = document.pdf.make_stream(bytes(chance.choice((255, 128)) for _ in range(64)))
    picture.update(Dictionary(Type=Name.XObject, Subtype=Name.Image, Width=8, Height=8, BitsPerComponent=8))
    picture.ColorSpace = Name.DeviceGray
    over = b"q 595 0 0 842 0 0 cm /P Do Q"
    layer = [b"q %d Tr" % chance.choice((0, 3)), *content, b"Q"]
    document.page([over, *layer] if chance.random() < 0.5 else [*layer, over], objects={"/P": picture})


def tab_stops(document: Document) -> None:
    """Words at tab stops, by tabs in the string, by jumps in one array, or one by one."""
    document.ordered = False
    chance = document.chance
    content: list[bytes] = []
    stops = sorted(chance.sample(range(60, 520, 50), chance.randint(2, 5)))
    for row in range(chance.randint(2, 25)):
        y = 780 - 14 * row
        how = chance.choice(("each", "array"))
        cells = [document.line(0, 1) for _ in stops]
        if how == "each":
            content += [shown(cell, 60 + (x - 60) * 1.6, y, 8) for cell, x in zip(cells, stops, strict=True)]
        else:
            parts = b" ".join(b"<%s> -3000" % octets(cell).hex().encode() for cell in cells)
            content.append(b"BT /R 8 Tf 60 %g Td [%s] TJ ET" % (y, parts))
    document.page(content, 900)


def set_apart(document: Document) -> None:
    """Letters set apart, squeezed, mirrored, printed twice for boldness, raised, or in a negative size."""
    document.ordered = False
    content: list[bytes] = []
    for row in range(document.chance.randint(2, 14)):
        text, y = octets(document.line(1, 3)).hex().encode(), 780 - 30 * row
        how = document.chance.choice(
            (
                b"3 Tc /R 10 Tf 60 %g Td <%s> Tj",
                b"60 Tz /R 10 Tf 60 %g Td <%s> Tj",
                b"8 Tw /R 10 Tf 60 %g Td <%s> Tj",
                b"/R 10 Tf 60 %g Td <%s> Tj 0.2 0 Td <%s> Tj",
                b"5 Ts /R 10 Tf 60 %g Td <%s> Tj",
                b"/R -10 Tf -1 0 0 -1 60 %g Tm <%s> Tj",
                b"/R 1 Tf 10 0 0 10 60 %g Tm <%s> Tj",
                b"/R 10 Tf 1 0 0.3 1 60 %g Tm <%s> Tj",
            )
        )
        content.append(b"q BT " + how.replace(b"<%s>", b"<" + text + b">") % y + b" ET Q")
    document.page(content)


def furnished(document: Document) -> None:
    """Labels of pages, attached files, layers that are off, an outline, and marked content around words."""
    chance = document.chance
    for _ in range(chance.randint(1, 4)):
        content: list[bytes] = []
        lines(document, content, chance.randint(2, 15))
        marked = [b"/Span << /Lang (de) >> BDC", *content, b"EMC"]
        document.page(marked if chance.random() < 0.5 else content)
    labels = NumberTree.new(document.pdf)
    labels[0] = Dictionary(S=Name.r, P=String("App-"))
    document.pdf.Root.PageLabels = labels.obj
    if chance.random() < 0.6:
        attach(document.pdf, "notes.txt", b"brick")


SHAPES = (
    *(over_edges, clipped, ligatures, soft_hyphens, drawn_fonts, annotated, extremes),
    *(both_ways, below_picture, tab_stops, set_apart, furnished),
)
