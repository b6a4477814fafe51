"""Documents of daily life: manuals, newspapers, contracts, letters, invoices, dictionaries, plays, slides, logs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random

from benchmarks.sets import findings, papers
from benchmarks.sets.documents import (
    Block,
    Cell,
    Code,
    Figure,
    Formula,
    Heading,
    Listing,
    Paragraph,
    Run,
    Table,
    cells,
    text,
)
from benchmarks.sets.prose import Prose
from benchmarks.sets.statements import amount, terms


@dataclass(frozen=True, slots=True)
class Genre:
    """What a kind of document says, and the CSS that it is known by."""

    name: str
    make: Callable[[Prose], list[Block]]
    css: str = ""
    columns: int = 1
    office: bool = False
    """A Word file can be made of it, too."""
    running: bool = True
    """Pages may have a running head and numbers."""


def manual(prose: Prose) -> list[Block]:
    """Chapters with lists, code and tables."""
    chance = prose.chance
    made: list[Block] = [Heading(prose.title(), 1)]
    for heading in prose.headings(chance.randint(3, 5)):
        made += [Heading(heading, 2), papers.paragraph(prose)]
        for _ in range(chance.randint(1, 3)):
            made += [_piece(prose), papers.paragraph(prose)]
        if chance.random() < 0.5:
            made += [Heading(prose.headings(1)[0], 3), papers.paragraph(prose)]
    return made


def essay(prose: Prose) -> list[Block]:
    """Headings and prose, at times a table or a list."""
    found = papers.body(prose, prose.chance.randint(4, 6))
    flat = [block for block in found if not isinstance(block, Code | Formula | Figure)]
    lower = [replace(block, level=block.level + 1) if isinstance(block, Heading) else block for block in flat]
    return [Heading(prose.title(), 1), *lower]


def newspaper(prose: Prose) -> list[Block]:
    """Stories, each with a headline and who wrote it."""
    made: list[Block] = [Heading(prose.title(), 1)]
    for _ in range(prose.chance.randint(4, 7)):
        made += [Heading(prose.title(), 2), Paragraph((Run(prose.name(), "emphasis"),))]
        made += [text(prose.sentences(2, 5)) for _ in range(prose.chance.randint(2, 4))]
    return made


def contract(prose: Prose) -> list[Block]:
    """Numbered clauses, paragraphs and letters below them."""
    chance = prose.chance
    sign = chance.choice(("{}.", "§ {}", "Article {}", "{}"))
    made: list[Block] = [Heading(prose.title(), 1), text(f"{prose.name()} – {prose.name()}, {prose.date()}")]
    for number, heading in enumerate(prose.headings(chance.randint(5, 8)), 1):
        made.append(Heading(f"{sign.format(number)} {heading}", 2))
        for clause in range(1, chance.randint(2, 4)):
            made.append(text(f"{number}.{clause} {prose.sentences(1, 3)}"))
            for letter in "abc"[: chance.choice((0, 0, 2, 3))]:
                made.append(text(f"({letter}) {prose.sentence()}"))
    return made


def letter(prose: Prose) -> list[Block]:
    """Sender, address, date, subject, text, name."""
    chance = prose.chance
    greeting = {
        "en": ("Dear", "Yours sincerely"),
        "de": ("Guten Tag", "Mit freundlichen Grüßen"),
        "fr": ("Bonjour", "Salutations distinguées"),
        "es": ("Estimado", "Atentamente"),
    }[prose.language.code]
    sender, receiver = prose.name(), prose.name()
    town = f"{chance.randint(10000, 99999)} {chance.choice(('Ashbourne', 'Lübeck', 'Orléans', 'Graz', 'Málaga'))}"
    body = [text(prose.sentences(2, 5)) for _ in range(chance.randint(3, 9))]
    return [
        text(f"{sender}, {prose.phrase()} {chance.randint(1, 90)}, {town}"),
        text(f"{receiver}"),
        text(f"{prose.phrase()} {chance.randint(1, 200)}"),
        text(town),
        text(prose.date()),
        Paragraph((Run(prose.title(), "strong"),)),
        text(f"{greeting[0]} {receiver},"),
        *body,
        text(greeting[1]),
        text(sender),
    ]


def invoice(prose: Prose) -> list[Block]:
    """Who, to whom, number and date, items, sums, how to pay."""
    chance, words = prose.chance, terms(prose)
    name = {"en": "Invoice", "de": "Rechnung", "fr": "Facture"}[prose.language.code]
    rows = [cells((words.item, "No.", words.price, words.total), True)]
    net = 0.0
    for goods in chance.sample(words.goods, chance.randint(2, 8)):
        count, price = chance.randint(1, 20), round(chance.uniform(1, 400), 2)
        net += count * price
        rows.append(cells((goods, str(count), _money(prose, price), _money(prose, count * price))))
    for label, value in (("Net", net), ("VAT 20 %", net * 0.2), (words.total, net * 1.2)):
        rows.append((Cell(label, 3, bold=label == words.total, align="right"), Cell(_money(prose, value))))
    number = f"{chance.randint(2019, 2025)}-{chance.randint(100, 9999)}"
    return [
        text(
            f"{prose.phrase()} Ltd, {prose.phrase()} {chance.randint(1, 99)}, {chance.randint(10000, 99999)} Northfield"
        ),
        Heading(f"{name} {number}", 1),
        text(prose.name()),
        text(f"{prose.phrase()} {chance.randint(1, 99)}"),
        text(f"{chance.randint(10000, 99999)} Ashbourne"),
        text(f"{name}: {number}"),
        text(prose.date()),
        Table(tuple(rows), 1, "", "lrrr"),
        text(prose.sentences(1, 2)),
        text("IBAN: DE89 3704 0044 0532 0130 00 · BIC: COBADEFFXXX"),
    ]


def dictionary(prose: Prose) -> list[Block]:
    """Words in bold and what they mean."""
    chance = prose.chance
    words = sorted({prose.phrase().lower() for _ in range(90)})
    kinds = ("n.", "v.", "adj.", "adv.")
    return [
        Heading(prose.title(), 1),
        *(Paragraph((Run(f"{chance.choice(kinds)} {prose.sentence()}"),), word) for word in words),
    ]


def play(prose: Prose) -> list[Block]:
    """Names in capitals in the middle, what they say below, directions in brackets."""
    chance = prose.chance
    persons = [name.upper() for name in prose.names(3)]
    made: list[Block] = [Heading(prose.title(), 1)]
    for scene in range(1, chance.randint(3, 5)):
        made += [Heading(f"INT. {prose.phrase().upper()} {scene}", 2), text(prose.sentence())]
        for _ in range(chance.randint(4, 9)):
            made += [Paragraph((Run(chance.choice(persons), "strong"),)), text(prose.sentences(1, 2))]
            if chance.random() < 0.2:
                made.append(Paragraph((Run(f"({prose.sentence()})", "emphasis"),)))
    return made


def slides(prose: Prose) -> list[Block]:
    """A title and a few points on each page."""
    made: list[Block] = [Heading(prose.title(), 1), text(prose.name()), text(prose.date())]
    for heading in prose.headings(prose.chance.randint(5, 8)):
        made.append(Heading(heading, 2))
        if prose.chance.random() < 0.3:
            made.append(findings.spanning(prose))
        else:
            made.append(Listing(tuple(prose.sentence() for _ in range(prose.chance.randint(2, 5)))))
    return made


def minutes(prose: Prose) -> list[Block]:
    """Who was there, what was said, who does what until when."""
    chance = prose.chance
    people = prose.names(chance.randint(3, 6))
    made: list[Block] = [Heading(prose.title(), 1), text(prose.date()), Listing(people)]
    for number, heading in enumerate(prose.headings(chance.randint(3, 6)), 1):
        made += [Heading(f"{number}. {heading}", 2), text(prose.sentences(1, 4))]
        if chance.random() < 0.4:
            made.append(Listing(tuple(prose.sentence() for _ in range(chance.randint(2, 4))), True))
    rows = [cells((prose.sentence(), chance.choice(people), prose.date())) for _ in range(chance.randint(2, 5))]
    return [*made, Table((cells(("Action", "Who", "When"), True), *rows), 1, "", "lll", (80, 0, 0))]


def log(prose: Prose) -> list[Block]:
    """Lines that begin alike, over pages."""
    chance = prose.chance
    lines = []
    for number in range(chance.randint(120, 220)):
        level = chance.choice(("INFO", "INFO", "WARN", "ERROR"))
        lines.append(
            f"2024-03-{1 + number // 60:02} {8 + number // 60:02}:{number % 60:02} {level} {prose.phrase()} {number}"
        )
    return [Heading(prose.title(), 1), Code(tuple(lines))]


def _piece(prose: Prose) -> Block:
    chance = prose.chance
    makers: tuple[Callable[[], Block], ...] = (
        lambda: Listing(tuple(prose.sentence() for _ in range(chance.randint(3, 6))), chance.random() < 0.4),
        lambda: Code(tuple(_code(chance) for _ in range(chance.randint(2, 6)))),
        lambda: papers.results(prose, chance.randint(3, 7)),
        lambda: findings.row_spans(prose),
    )
    return chance.choice(makers)()


def _code(chance: Random) -> str:
    name = chance.choice(("count", "rows", "path", "limit", "buffer"))
    return chance.choice(
        (
            f"{name} = read_all({name}, {chance.randint(1, 99)})",
            f"for {name} in range({chance.randint(2, 99)}):",
            f"    print({name} + 1)",
            f"$ tool --{name} {chance.randint(1, 9)} input.txt",
            f"return {name} * {chance.randint(2, 9)}",
        )
    )


def _money(prose: Prose, value: float) -> str:
    figure = amount(value, prose.language.code, 2)
    return f"£{figure}" if prose.language.code == "en" else f"{figure} €"


_SLIDE = (
    "@page {size: 254mm 143mm; margin: 12mm 16mm} h2 {break-before: page; font-size: 22pt} body {font-size: 14pt}"
    "h1 {margin-top: 40mm; font-size: 30pt}"
)
_LETTER = "p {margin: 0 0 3pt} p:nth-of-type(n+5) {margin-bottom: 10pt} p:nth-of-type(5) {text-align: right}"
_NEWS = "h2 {font-size: 125%; margin: 6pt 0 2pt} .flow {column-rule: 1px solid #555} p {margin: 0 0 4pt}"
_PLAY = "body {font-family: 'Liberation Mono'} p:has(strong) {text-align: center} p {margin: 4pt 24mm}"
_INVOICE = "p {margin: 0 0 2pt} h1 {font-size: 150%} table {margin: 16pt 0}"
_LOG = "pre {background: none; font-size: 8pt; padding: 0}"

GENRES = (
    Genre("manual", manual),
    Genre("two-columns", essay, columns=2),
    Genre("newspaper", newspaper, _NEWS, 3),
    Genre("contract", contract, office=True),
    Genre("letter", letter, _LETTER, office=True, running=False),
    Genre("invoice", invoice, _INVOICE, running=False),
    Genre("dictionary", dictionary, "p {margin: 0 0 2pt 10pt; text-indent: -10pt}", 2),
    Genre("play", play, _PLAY),
    Genre("slides", slides, _SLIDE),
    Genre("minutes", minutes, office=True),
    Genre("log", log, _LOG),
    Genre("essay", essay, office=True),
)
