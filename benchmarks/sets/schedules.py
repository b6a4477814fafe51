"""Price lists, timetables, logs and short lists side by side."""

from __future__ import annotations

from benchmarks.sets.documents import Cell, Table, cells
from benchmarks.sets.findings import different
from benchmarks.sets.prose import Prose
from benchmarks.sets.statements import amount, terms


def prices(prose: Prose) -> Table:
    """Articles in groups, each group's name in a row of its own."""
    chance, words = prose.chance, terms(prose)
    rows = [cells(("No.", words.item, words.unit, words.price), True)]
    for group in chance.sample(words.groups, chance.randint(1, 3)):
        rows.append((Cell(group, 4, bold=True, align="left"),))
        for goods in chance.sample(words.goods, chance.randint(3, 6)):
            number = f"{chance.randint(10, 99)}-{chance.randint(100, 999)}"
            unit = chance.choice(("pcs", "m", "100", "kg", "set"))
            rows.append(cells((number, goods, unit, amount(chance.uniform(0.2, 900), prose.language.code, 2))))
    return Table(tuple(rows), 1, "", "lllr")


def timetable(prose: Prose) -> Table:
    """Stops and trains; not every train calls at every stop."""
    chance = prose.chance
    trains = chance.randint(5, 9)
    rows = [cells(("", *(f"{chance.choice(('S', 'RE', 'R'))}{chance.randint(1, 99)}" for _ in range(trains))), True)]
    starts = [chance.randint(300, 420) + 35 * n for n in range(trains)]
    passes = chance.choice(("|", "–", ""))
    for stop, station in enumerate(chance.sample(terms(prose).stations, chance.randint(6, 10))):
        times = []
        for start in starts:
            minutes = start + stop * 7
            called = chance.random() < 0.85
            times.append(f"{minutes // 60 % 24:02}:{minutes % 60:02}" if called else passes)
        rows.append(cells((station, *times)))
    return Table(tuple(rows), 1, "", "l" + "c" * trains)


def long(prose: Prose) -> Table:
    """A journal that goes on over pages; the head is repeated on each, the truth has it once."""
    chance = prose.chance
    rows = [cells(("Date", "Text", "Debit", "Credit", "Balance"), True)]
    balance = chance.uniform(1000, 90_000)
    for _ in range(chance.randint(55, 90)):
        value = chance.uniform(1, 4000)
        debit = chance.random() < 0.5
        balance += -value if debit else value
        text = amount(value, prose.language.code, 2)
        date = f"{chance.randint(1, 28):02}.{chance.randint(1, 12):02}.2023"
        figures = (text if debit else "", "" if debit else text, amount(balance, prose.language.code, 2))
        rows.append(cells((date, prose.phrase(), *figures)))
    return Table(tuple(rows), 1, "", "llrrr")


def short(prose: Prose) -> Table:
    """A small table that has room for another at its side."""
    chance = prose.chance
    rows = [cells((chance.choice(("Region", "Group", "Year")), chance.choice(("Count", "Share"))), True)]
    for label in different(prose, chance.randint(3, 6)):
        rows.append(cells((label, f"{chance.randint(1, 999)}")))
    return Table(tuple(rows), 1, "", "lr")
