"""Shapes of pages: turned, cropped, of odd sizes, put together of others, written in an odd order."""

from __future__ import annotations

import math
from typing import Any

from pikepdf import Array

from tests.engine.conservation.documents import HEIGHT, WIDTH, Document, lines, shown

_TURNS = {0: b"", 90: b"0 1 -1 0 595 0 cm", 180: b"-1 0 0 -1 595 842 cm", 270: b"0 -1 1 0 0 842 cm"}


def turned(document: Document) -> None:
    """Text that runs upwards, downwards or upside down, on pages that are shown upright or not."""
    chance = document.chance
    for _ in range(chance.randint(1, 3)):
        content: list[bytes] = []
        angle = chance.choice((90, 180, 270))
        lines(document, content, chance.randint(3, 25), y=780 if angle == 180 else 480)
        shown_upright = {"Rotate": angle} if chance.random() < 0.5 else {}
        document.page([b"q", _TURNS[angle], *content, b"Q"], **shown_upright)


def cropped(document: Document) -> None:
    """Boxes of all kinds around the text: corners the other way round, larger than the page, print marks."""
    chance = document.chance
    content: list[bytes] = []
    lines(document, content, chance.randint(3, 30), x=100, y=700, words=(2, 5), bottom=100)
    box = chance.choice(([90, 90, 560, 760], [560, 760, 90, 90], [-500, -500, 5000, 5000], [90.5, 90, 560, 760.25]))
    boxes: dict[str, Any] = {"TrimBox": Array([300, 300, 310, 310])}
    if chance.random() < 0.8:
        boxes = {"CropBox": Array(box)}
    document.page(content, Rotate=chance.choice((0, 90, 180, 270)), **boxes)


def paper(document: Document) -> None:
    """Sheets as large as a wall, labels, and till rolls."""
    chance = document.chance
    width, height = chance.choice(((14400, 14400), (150, 100), (120, 3000), (3000, 100), (14000, 500), (200, 14000)))
    content: list[bytes] = []
    lines(document, content, chance.randint(1, 30), 5, height - 15, (0, 0) if width < 400 else (4, 8), 10, 5)
    document.page(content, width, height)


def sizes(document: Document) -> None:
    """Lines from smallest print to posters."""
    document.ordered = False
    content: list[bytes] = []
    y = 800.0
    for _ in range(document.chance.randint(4, 14)):
        size = document.chance.choice((1, 2, 3, 5, 8, 10, 14, 24, 48, 90))
        y -= size * 1.2
        if y < 10:
            break
        content.append(shown(document.line(0, 0), 20, y, size))
    document.page(content)


def crossing(document: Document) -> None:
    """Lines over lines, and a word across the page behind or over them."""
    document.ordered = False
    chance = document.chance
    content: list[bytes] = []
    for _ in range(chance.randint(1, 4)):
        lines(document, content, chance.randint(2, 8), chance.uniform(40, 250), chance.uniform(200, 780))
    angle = math.radians(chance.choice((45, 30, -45, 0)))
    word = document.note(chance.choice(("DRAFT", "COPY", "SPECIMEN")))
    matrix = (math.cos(angle), math.sin(angle), -math.sin(angle), math.cos(angle))
    stamp = b"q .85 g " + shown(word, 120, 300, chance.choice((40, 70)), "B", matrix) + b" Q"
    document.page([stamp, *content] if chance.random() < 0.5 else [*content, stamp])


def several_up(document: Document) -> None:
    """Two or four pages on one sheet, as drivers print them."""
    chance = document.chance
    count = chance.choice((2, 4))
    forms = {}
    for n in range(count):
        content: list[bytes] = []
        lines(document, content, chance.randint(5, 30))
        forms[f"/F{n}"] = document.form(content, (0, 0, WIDTH, HEIGHT))
    document.ordered = count == 2
    if count == 2:
        document.page([b"q .7 0 0 .7 %g 0 cm /F%d Do Q" % (421 * n, n) for n in range(2)], HEIGHT, WIDTH, forms)
    else:
        places = [(297 * (n % 2), 421 * (1 - n // 2), n) for n in range(4)]
        document.page([b"q .5 0 0 .5 %g %g cm /F%d Do Q" % place for place in places], objects=forms)


def reused(document: Document) -> None:
    """One head that all pages show from one form."""
    document.again = True
    head = document.form([shown("Accounts of the harbour office", 0, 0, 9)], (-5, -5, 300, 20))
    for _ in range(document.chance.randint(1, 6)):
        content = [b"q 1 0 0 1 200 815 cm /H Do Q"]
        lines(document, content, document.chance.randint(2, 40), y=770)
        document.page(content, objects={"/H": head})


def shuffled(document: Document) -> None:
    """Words or single letters, written in any order."""
    chance = document.chance
    content: list[bytes] = []
    y, letters = 780.0, chance.random() < 0.5
    for _ in range(chance.randint(2, 20)):
        x = 60.0
        for word in document.line(2, 5).split():
            if letters:
                content += [shown(letter, x + 6 * n, y, 10, "M") for n, letter in enumerate(word)]
            else:
                content.append(shown(word, x, y, 10, "M"))
            x += 6 * (len(word) + 1)
        y -= 13
    if chance.random() < 0.7:
        chance.shuffle(content)
    document.page(content)


def in_pieces(document: Document) -> None:
    """The content cut into streams between any two operators."""
    chance = document.chance
    content: list[bytes] = []
    lines(document, content, chance.randint(3, 30))
    page = document.page(content)
    cuts = sorted(chance.randint(0, len(content)) for _ in range(chance.randint(1, 6)))
    parts = [content[a:b] for a, b in zip([0, *cuts], [*cuts, len(content)], strict=True)]
    page.Contents = Array([document.pdf.make_stream(b"\n".join(part)) for part in parts])


SHAPES = (turned, cropped, paper, sizes, crossing, several_up, reused, shuffled, in_pieces)
