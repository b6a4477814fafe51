"""Sheets of offices on which what stands beside each other must not be woven: payslips, labels, menus, signatures."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from benchmarks.sets import printing, truth
from benchmarks.sets.documents import Table, cells
from benchmarks.sets.languages import ENGLISH, FRENCH, GERMAN
from benchmarks.sets.prose import Prose
from benchmarks.sets.reports import with_and_without_tags
from benchmarks.sets.statements import amount
from benchmarks.sets.writing import Sample


@dataclass(frozen=True, slots=True)
class Sheet:
    """What a page shows, and what it says in the order in which it is read."""

    body: str
    truth: tuple[str, ...]


def words_of(words: str) -> tuple[str, ...]:
    """Words in one string, parted by bars."""
    return tuple(words.split("|"))


_LABELS = words_of(
    "Gross pay|Net pay|Income tax|Church tax|Pension scheme|Sick pay|Overtime|Night shifts|Bonus|Travel costs|"
    "Union fee|Meal vouchers|Health insurance|Unemployment insurance|Care insurance|Company car|Advance payment"
)
_FACTS = words_of(
    "Personnel no.|Tax class|Department|Date of birth|Cost centre|Joined on|Social security no.|Bank account|"
    "Children|Contract|Weekly hours|Leave left|Manager|Pay group|Denomination|Office"
)
_STREETS = words_of("Mill Lane|Station Road|Lindenweg|Hauptstraße|Rue du Lac|Quai Sud|Church Hill|Am Bach|Kirchplatz")
_TOWNS = words_of("Ashbourne|Lübeck|Orléans|Graz|Northfield|Bern|Reims|Celle|Whitby|Aachen")
_DISHES = words_of(
    "Leek soup|Smoked trout|Roast beef|Mushroom risotto|Green salad|Lemon tart|Goat cheese|Duck breast|Apple strudel|"
    "Tomato bread|Grilled cod|Lentil stew|Plum cake|Baked potato|Fig sorbet|Olives|Onion pie|Pea purée"
)
_WORKS = words_of(
    "Sonata in D minor|Six Songs|Overture|String Quartet No. 3|The Swan|Adagio|Nocturne|Scherzo|Evening Hymn|"
    "Three Dances|Rondo|Partita"
)
_PARTS = words_of("Director|Costumes|Lighting|Sound|First Citizen|A Nurse|The Duke|Stage manager|Chorus|Piano|Violin")


def payslip(prose: Prose) -> Sheet:
    """Blocks of labels and values in pairs beside each other, of different length."""
    chance = prose.chance
    title = prose.title()
    parts, said = [heading(title, 1)], [f"# {title}"]
    for _ in range(chance.randint(1, 2)):
        blocks = [_block(prose, k) for k in range(2)]
        parts.append(beside([_pairs(block) for block in blocks]))
        said += [truth.table(Table(tuple(map(cells, block)), 0)) for block in blocks]
    parts.append(f"<p>{html.escape(last := prose.sentences(1, 2))}</p>")
    return Sheet("".join(parts), (*said, last))


def _block(prose: Prose, number: int) -> list[tuple[str, str]]:
    chance = prose.chance
    count = chance.randint(3, 7)
    if chance.random() < 0.5:
        names = chance.sample(_LABELS, count)
        return [(name, amount(chance.uniform(3, 4000), prose.language.code, 2)) for name in names]
    values: tuple[Callable[[], str], ...] = (
        prose.date,
        prose.name,
        lambda: str(chance.randint(1, 99_999)),
        lambda: chance.choice(_TOWNS),
    )
    colon = ":" if chance.random() < 0.5 else ""
    return [(name + colon, chance.choice(values)()) for name in chance.sample(_FACTS, count)]


def labels(prose: Prose) -> Sheet:
    """Addresses for letters, three or four beside each other, all over the page."""
    chance = prose.chance
    columns = chance.choice((2, 3, 3, 4))
    people = [_address(prose) for _ in range(columns * chance.randint(3, 6) - chance.randint(0, 1))]
    rows = [people[start : start + columns] for start in range(0, len(people), columns)]
    shown = "".join(f"<tr>{''.join(f'<td>{lines_of(lines)}</td>' for lines in row)}</tr>" for row in rows)
    said = [cells(" ".join(lines) for lines in row) for row in rows]
    said[-1] += cells([""] * (columns - len(said[-1])))
    return Sheet(f'<table class="labels">{shown}</table>', (truth.table(Table(tuple(said), 0)),))


def _address(prose: Prose) -> list[str]:
    chance = prose.chance
    made = [f"{prose.name()}"]
    if chance.random() < 0.3:
        made.append(chance.choice(("Dental practice", "Bakery", "c/o Winter", "Office 12", "Books & Co")))
    made.append(f"{chance.choice(_STREETS)} {chance.randint(1, 190)}")
    if chance.random() < 0.15:
        made.append("2nd floor")
    return [*made, f"{chance.randint(10000, 99999)} {chance.choice(_TOWNS)}"]


def menu(prose: Prose) -> Sheet:
    """Courses with dishes and prices in two columns, with leaders or without."""
    chance = prose.chance
    leaders = chance.random() < 0.5
    sides: list[str] = []
    said: list[str] = [f"# {(title := prose.title())}"]
    dishes = chance.sample(_DISHES, 18)
    courses = chance.sample(("Starters", "Mains", "Desserts", "Cheese", "To share", "Children"), 4)
    for side in range(2):
        body = ""
        for course in courses[2 * side : 2 * side + 2]:
            own = [dishes.pop() for _ in range(chance.randint(3, 4))]
            rows = [(dish, amount(chance.uniform(4, 40), prose.language.code, 2)) for dish in own]
            body += heading(course, 2) + "".join(_dish(*row, leaders) for row in rows)
            said += [f"## {course}", truth.table(Table(tuple(map(cells, rows)), 0))]
        sides.append(body)
    return Sheet(heading(title, 1) + beside([f'<div style="flex:1">{side}</div>' for side in sides]), tuple(said))


def _dish(name: str, price: str, leaders: bool) -> str:
    between = f"<span>{' .' * ((44 - len(name)) // 2)}</span>" if leaders else ""
    style = "display:flex;justify-content:space-between"
    return f'<div style="{style}"><span>{html.escape(name)}</span>{between}<span>&nbsp;{price}</span></div>'


def programme(prose: Prose) -> Sheet:
    """Works with their composers left, parts with who plays them right."""
    chance = prose.chance
    works = [(work, prose.name()) for work in chance.sample(_WORKS, chance.randint(5, 8))]
    roles = [(role, prose.name()) for role in chance.sample(_PARTS, chance.randint(5, 9))]
    left = heading("Programme", 2) + "".join(
        f"<p><b>{html.escape(who)}</b><br>{html.escape(work)}</p>" for work, who in works
    )
    right = heading("Cast", 2) + _pairs(roles)
    title = prose.title()
    sides = beside([f'<div style="flex:1">{left}</div>', f'<div style="flex:1">{right}</div>'])
    said = ["## Programme", *(f"{who} {work}" for work, who in works)]
    said += ["## Cast", truth.table(Table(tuple(map(cells, roles)), 0))]
    return Sheet(heading(title, 1) + sides, (f"# {title}", *said))


def signatures(prose: Prose) -> Sheet:
    """A contract's last clauses, and two who sign it beside each other."""
    chance = prose.chance
    clauses = [f"{number}. {prose.sentences(1, 3)}" for number in range(7, 7 + chance.randint(2, 4))]
    wide = chance.random() < 0.5
    people = [
        [
            chance.choice(("For the client", "For the supplier", "The landlord", "The tenant", "Party A", "Party B")),
            f"{chance.choice(_TOWNS)}, {prose.date()}",
            *(["_" * 28] if chance.random() < 0.5 else []),
            f"Name: {prose.name()}" if wide else prose.name(),
            f"Title: {chance.choice(('Director', 'Head of purchasing', 'Partner'))}" if wide else "Director",
        ]
        for _ in range(2)
    ]
    body = "".join(f"<p>{html.escape(clause)}</p>" for clause in clauses)
    blocks = beside([f'<div style="flex:1">{lines_of(lines)}</div>' for lines in people])
    return Sheet(body + blocks, (*clauses, *(" ".join(lines).replace("_" * 28, "").strip() for lines in people)))


def safety(prose: Prose) -> Sheet:
    """A data sheet: a column of labels beside text of one or several lines, under numbered headings."""
    chance = prose.chance
    parts: list[str] = []
    said: list[str] = []
    for number, name in enumerate(prose.headings(chance.randint(3, 5)), 1):
        rows = [
            (name, prose.sentences(1, 3) if chance.random() < 0.7 else prose.phrase())
            for name in chance.sample(_FACTS, chance.randint(3, 5))
        ]
        cells_ = "".join(
            f'<div style="display:flex;margin-bottom:4pt"><div style="width:45mm">{html.escape(a)}</div>'
            f'<div style="flex:1">{html.escape(b)}</div></div>'
            for a, b in rows
        )
        title = f"SECTION {number}: {name}"
        parts.append(heading(title, 2) + cells_)
        said += [f"## {title}", truth.table(Table(tuple(map(cells, rows)), 0))]
    return Sheet("".join(parts), tuple(said))


def exam(prose: Prose) -> Sheet:
    """Questions with their parts, the points of each at the right margin."""
    chance = prose.chance
    parts: list[str] = []
    said: list[str] = []
    mark = chance.choice(("[{}]", "({} points)", "{} P", "[{} marks]"))
    for number in range(1, chance.randint(4, 7)):
        for part in ["", *"abc"[: chance.choice((0, 2, 3))]]:
            words = f"({part}) {prose.sentences(1, 2)}" if part else f"{number}. {prose.sentences(1, 2)}"
            points = mark.format(chance.randint(1, 12))
            parts.append(
                '<div style="display:flex;align-items:flex-end;margin-bottom:6pt">'
                f'<div style="flex:1;padding-right:22mm">{html.escape(words)}</div><div>{points}</div></div>'
            )
            said.append(f"{words} {points}")
    return Sheet("".join(parts), tuple(said))


def listing(prose: Prose) -> Sheet:
    """A program over a page's end, deep within its loops there."""
    chance = prose.chance
    lines: list[str] = []
    depth = 0
    while len(lines) < chance.randint(90, 110):
        depth = max(0, min(depth + chance.choice((-1, 0, 0, 1)), 5))
        lines.append("    " * depth + f"{chance.choice(('read', 'count', 'send', 'check'))}(x{chance.randint(1, 999)})")
    smallest = min(len(line) - len(line.lstrip()) for line in lines)
    lines = [line[smallest:] for line in lines]
    code = html.escape("\n".join(lines))
    title = prose.title()
    return Sheet(f"{heading(title, 1)}<pre>{code}</pre>", (f"# {title}", "```\n" + "\n".join(lines) + "\n```"))


def wordy(prose: Prose) -> Sheet:
    """A table without rules whose cells hold sentences, and lists."""
    chance = prose.chance
    rows = []
    for name in chance.sample(_FACTS, chance.randint(4, 6)):
        items = [prose.phrase() for _ in range(chance.randint(2, 3))] if chance.random() < 0.5 else []
        rows.append((name, prose.sentences(1, 2), items or [prose.phrase()]))
    head = ("Topic", "What was found", "To do")
    shown = "".join(
        f"<tr><td>{html.escape(a)}</td><td>{html.escape(b)}</td><td>{_items(c)}</td></tr>" for a, b, c in rows
    )
    heads = "".join(f"<th><b>{name}</b></th>" for name in head)
    title = prose.title()
    body = f'{heading(title, 1)}<table class="wordy"><tr>{heads}</tr>{shown}</table>'
    said = [cells(head), *(cells((a, b, " ".join(c))) for a, b, c in rows)]
    return Sheet(body, (f"# {title}", truth.table(Table(tuple(said)))))


def heads(prose: Prose) -> Sheet:
    """A table whose head cells wrap to one, two or three lines, each in the middle of the tallest."""
    chance = prose.chance
    count = chance.randint(3, 5)
    names = ["Region", *(" ".join(prose.phrase() for _ in range(chance.randint(1, 2))) for _ in range(count))]
    rows = [
        (place, *(amount(chance.uniform(1, 900), prose.language.code, 1) for _ in range(count)))
        for place in chance.sample(_TOWNS, chance.randint(4, 8))
    ]
    head = "".join(f'<th style="width:26mm;vertical-align:middle">{html.escape(name)}</th>' for name in names)
    shown = "".join(
        f"<tr>{''.join(f'<td{_RIGHT if n else str()}>{html.escape(t)}</td>' for n, t in enumerate(row))}</tr>"
        for row in rows
    )
    rule = chance.choice(("", "border-bottom:1px solid #000"))
    before, after = prose.sentences(1, 2), prose.sentences(1, 2)
    body = (
        f'<p>{html.escape(before)}</p><table><tr style="{rule}">{head}</tr>{shown}</table><p>{html.escape(after)}</p>'
    )
    return Sheet(body, (before, truth.table(Table((cells(names), *map(cells, rows)))), after))


_RIGHT = ' style="text-align:right"'

SHEETS: dict[str, Callable[[Prose], Sheet]] = {
    "payslip": payslip,
    "labels": labels,
    "signatures": signatures,
    "menu": menu,
    "programme": programme,
    "safety": safety,
    "exam": exam,
    "wordy": wordy,
    "heads": heads,
    "listing": listing,
}


def printed(number: int, seed: str, place: Path) -> Iterator[Sample]:
    """One sheet of the kind whose turn it is, by a browser or by us."""
    yield from printed_of(SHEETS, number, seed, place)


def printed_of(kinds: Mapping[str, Callable[[Prose], Sheet]], number: int, seed: str, place: Path) -> Iterator[Sample]:
    """The same of other kinds."""
    name = list(kinds)[number % len(kinds)]
    producer = ("browser", "ours")[number // len(kinds) % 2]
    chance = Random(seed)
    prose = Prose(chance, ENGLISH if chance.random() < 0.6 else chance.choice((GERMAN, FRENCH)))
    sheet = kinds[name](prose)
    pdf = place / "sheet.pdf"
    page = (
        f'<!doctype html><html lang="{prose.language.code}"><head><meta charset="utf-8"><style>{_css(chance)}</style>'
        f"</head><body>{sheet.body}</body></html>"
    )
    (printing.browser if producer == "browser" else printing.ours)(page, pdf)
    yield from with_and_without_tags((name, producer), pdf, "\n\n".join(sheet.truth) + "\n")


def _css(chance: Random) -> str:
    family = chance.choice(("serif", "sans-serif", "DejaVu Sans", "Liberation Sans", "Liberation Serif"))
    return (
        f"@page {{size: A4; margin: {chance.choice((15, 20))}mm}}"
        f"body {{font-family: {family}; font-size: {chance.choice((9, 10, 11))}pt; margin: 0; line-height: 1.3}}"
        "table {border-collapse: collapse} td, th {padding: 2px 8px 2px 0; vertical-align: top; text-align: left}"
        "th {font-weight: normal} td.r {text-align: right} .labels {width: 100%; table-layout: fixed}"
        ".labels td {padding-bottom: 7mm} .wordy td {padding: 4pt 12pt 4pt 0} ul {margin: 0}"
        f".beside {{display: flex; gap: {chance.choice((8, 15, 25))}mm; margin: 6mm 0}} pre {{font-size: 85%}}"
    )


def heading(words: str, level: int) -> str:
    """A heading as HTML."""
    return f"<h{level}>{html.escape(words)}</h{level}>"


def beside(parts: Sequence[str]) -> str:
    """Parts of a page side by side."""
    return f'<div class="beside">{"".join(parts)}</div>'


def _pairs(rows: Iterable[tuple[str, str]]) -> str:
    made = ""
    for name, value in rows:
        right = ' class="r"' if value[:1].isdigit() and value[-1:].isdigit() and "," in value + "," else ""
        made += f"<tr><td>{html.escape(name)}</td><td{right}>{html.escape(value)}</td></tr>"
    return f"<table>{made}</table>"


def lines_of(lines: Iterable[str]) -> str:
    """Lines under each other."""
    return "<br>".join(map(html.escape, lines))


def _items(items: Sequence[str]) -> str:
    if len(items) == 1:
        return html.escape(items[0])
    return f"<ul>{''.join(f'<li>{html.escape(item)}</li>' for item in items)}</ul>"
