"""Shapes with amounts: statements, tables side by side, cells with pictures, leaders, running sums."""

from __future__ import annotations

from pikepdf import Dictionary, Name

from tests.engine.conservation.documents import SPELLINGS, Document, lines, shown, width_of


def statement(document: Document) -> None:
    """Labels and columns of amounts, some of them negative, set to one side."""
    chance = document.chance
    spelling, left = chance.choice(SPELLINGS), chance.random() < 0.3
    for _ in range(chance.randint(1, 3)):
        content: list[bytes] = []
        columns, y = chance.randint(2, 5), 790.0
        for _ in range(chance.randint(3, 45)):
            y -= document.size * 1.35
            if y < 40:
                break
            content.append(shown(document.line(0, 2), 40, y, document.size))
            for column in range(columns):
                text = document.amount(spelling if chance.random() < 0.4 else "")
                x = 210 + 76 * column
                content.append(shown(text, x if left else x + 66 - width_of(text, 8), y, 8))
        document.page(content)


def account(document: Document) -> None:
    """Lines of a bank statement: date, text, amount with its sign behind, balance; further lines of the text."""
    chance = document.chance
    spelling = chance.choice(("{}-", "{} CR", "-{}", "−{}"))
    content: list[bytes] = []
    y = 790.0
    for n in range(chance.randint(4, 30)):
        y -= document.size * 1.6
        if y < 60:
            break
        content.append(shown(document.note(f"{n % 28 + 1:02}.11.2026"), 40, y, 8))
        content.append(shown(document.line(1, 3), 100, y, 8))
        for right, text in (
            (440, document.amount(spelling if chance.random() < 0.5 else "")),
            (550, document.amount()),
        ):
            content.append(shown(text, right - width_of(text, 8), y, 8))
        if chance.random() < 0.3:
            y -= 10
            content.append(shown(document.line(1, 2), 100, y, 8))
    document.page(content)


def side_by_side(document: Document) -> None:
    """Two tables of labels and amounts beside each other, one longer, under one title."""
    document.ordered = False
    chance = document.chance
    content = [shown(document.line(2, 4), 60, 800, 14, "B")]
    for x in (40, 320):
        y = 760.0
        for _ in range(chance.randint(3, 25)):
            text = document.amount(chance.choice(("", "", "-{}", "({})")))
            content += [
                shown(document.line(0, 1), x, y, 9),
                shown(text, x + 220 - width_of(text, 9), y, 9),
            ]
            y -= 14
    document.page(content)


def cells(document: Document) -> None:
    """Drawn grids whose cells hold words, amounts, pictures, or nothing."""
    chance = document.chance
    image = document.pdf.make_stream(bytes(chance.randrange(256) for _ in range(48)))
    image.update(Dictionary(Type=Name.XObject, Subtype=Name.Image, Width=4, Height=4, BitsPerComponent=8))
    image.ColorSpace = Name.DeviceRGB
    for _ in range(chance.randint(1, 2)):
        content: list[bytes] = []
        columns, height, drawn = chance.randint(2, 5), chance.choice((30, 45)), chance.random() < 0.7
        document.ordered = document.ordered and drawn
        lines(document, content, 1, y=795)
        for row in range(1, chance.randint(3, 12)):
            for column in range(columns):
                x, y, kind = 60 + 480 / columns * column, 780 - row * height, chance.random()
                if kind < 0.25:
                    content.append(b"q 14 0 0 14 %g %g cm /I Do Q" % (x + 3, y + 5))
                if 0.2 < kind < 0.5:
                    content.append(shown(document.amount(), x + 20, y + 10, 8))
                elif kind > 0.6:
                    content.append(shown(document.line(0, 1), x + 5, y + 10, 8))
                if drawn:
                    content.append(b"%g %g %g %g re S" % (x, y, 480 / columns, height))
        document.page(content, objects={"/I": image})


def leaders(document: Document) -> None:
    """Rows of dots from a label to its number."""
    chance = document.chance
    for _ in range(chance.randint(1, 2)):
        content: list[bytes] = []
        y, one = 790.0, chance.random() < 0.5
        for _ in range(chance.randint(3, 40)):
            y -= document.size * 1.4
            if y < 40:
                break
            label, dots, number = document.line(1, 4), chance.randint(5, 40), document.note(str(chance.randint(1, 300)))
            if one:
                content.append(shown(f"{label} {'.' * dots} {number}", 60, y, document.size))
            else:
                content += [
                    shown(label, 60, y, document.size),
                    shown(". " * min(dots, 30), 320, y, document.size),
                    shown(number, 530, y, document.size),
                ]
        document.page(content)


def carried_sums(document: Document) -> None:
    """Heads that count, and feet with a sum that is carried to the next page."""
    chance = document.chance
    title = chance.choice(("Quarterly statement", "Minutes", "Invoice", "Chapter"))
    for number in range(chance.randint(2, 8)):
        content = [shown(document.note(f"{title} {number + 1}"), 60, 800, chance.choice((9, 9, 14)))]
        lines(document, content, chance.randint(1, 40), y=770)
        text = document.amount()
        content.append(shown(f"{document.note('Carried')} {text}", 60, 30, 9))
        document.page(content)


SHAPES = (statement, account, side_by_side, cells, leaders, carried_sums)
