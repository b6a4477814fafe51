"""Tables of science and statistics: spanning heads, deviations, errors below coefficients, wrapped stubs, row spans."""

from __future__ import annotations

from benchmarks.sets.documents import Cell, Table, cells
from benchmarks.sets.prose import Prose


def spanning(prose: Prose) -> Table:
    """Two head lines: groups over columns."""
    chance = prose.chance
    groups, each = chance.randint(2, 3), chance.randint(2, 3)
    names = different(prose, groups)
    measures = chance.sample(("Mean", "SD", "N", "Min", "Max", "Median"), each)
    top = (Cell("", bold=True), *(Cell(name, each, bold=True, align="center") for name in names))
    if chance.random() < 0.4:
        top = (Cell("Region", rows=2, bold=True), *top[1:])
        second = cells(measures * groups, True)
    else:
        second = cells(("Region", *measures * groups), True)
    rows = [
        cells((label, *(_number(prose) for _ in range(groups * each))))
        for label in different(prose, chance.randint(4, 9))
    ]
    return Table((top, second, *rows), 2, "", "l" + "r" * groups * each)


def deviations(prose: Prose) -> Table:
    """Figures with their deviation, `a ± b`."""
    chance = prose.chance
    columns = chance.randint(2, 4)
    rows = [cells(("", *different(prose, columns)), True)]
    for label in different(prose, chance.randint(4, 9)):
        digits = chance.randint(0, 2)
        figures = (f"{chance.uniform(1, 200):.{digits}f} ± {chance.uniform(0, 9):.{digits}f}" for _ in range(columns))
        rows.append(cells((label, *figures)))
    return Table(tuple(rows), 1, "", "l" + "c" * columns)


def coefficients(prose: Prose) -> Table:
    """Regressions side by side: each coefficient over its standard error, stars, counts below."""
    chance = prose.chance
    columns = chance.randint(2, 4)
    rows = [cells(("", *(f"({n + 1})" for n in range(columns))), True)]
    for label in different(prose, chance.randint(3, 6)):
        there = [chance.random() < 0.8 for _ in range(columns)]
        stars = (chance.choice(("", "*", "**", "***")) for _ in range(columns))
        values = (f"{chance.uniform(-2, 2):.3f}{star}".replace("-", "−") for star in stars)
        rows.append(cells((label, *(value if known else "" for value, known in zip(values, there, strict=True)))))
        errors = (f"({chance.uniform(0, 1):.3f})" for _ in range(columns))
        rows.append(cells(("", *(error if known else "" for error, known in zip(errors, there, strict=True)))))
    rows.append(cells(("Observations", *(f"{chance.randint(100, 9999):,}" for _ in range(columns)))))
    rows.append(cells(("R2", *(f"{chance.random():.2f}" for _ in range(columns)))))
    return Table(tuple(rows), 1, "", "l" + "c" * columns)


def wrapped(prose: Prose) -> Table:
    """Stubs of more than one line before figures."""
    chance = prose.chance
    columns = chance.randint(2, 4)
    rows = [cells(("Question", *(str(2010 + 3 * n) for n in range(columns))), True)]
    for _ in range(chance.randint(4, 7)):
        rows.append(cells((prose.sentence(), *(_number(prose) for _ in range(columns)))))
    return Table(tuple(rows), 1, "", "l" + "r" * columns, (60, *(0,) * columns))


def words(prose: Prose) -> Table:
    """Cells of running text beside each other."""
    chance = prose.chance
    rows = [cells(("Risk", "Effect", "Measure"), True)]
    for label in different(prose, chance.randint(3, 6)):
        rows.append(cells((label, prose.sentence(), prose.sentences(1, 2))))
    return Table(tuple(rows), 1, "", "lll", (28, 50, 60))


def row_spans(prose: Prose) -> Table:
    """Groups named once, beside all their rows."""
    chance = prose.chance
    columns = chance.randint(2, 3)
    rows = [cells(("District", "Class", *different(prose, columns)), True)]
    for group in different(prose, chance.randint(2, 4)):
        labels = different(prose, chance.randint(2, 4))
        for number, label in enumerate(labels):
            first = (Cell(group, rows=len(labels)),) if number == 0 else ()
            rows.append((*first, *cells((label, *(_number(prose) for _ in range(columns))))))
    return Table(tuple(rows), 1, "", "ll" + "r" * columns)


def different(prose: Prose, count: int) -> list[str]:
    """Labels, none twice."""
    made: dict[str, None] = {}
    while len(made) < count:
        made[prose.phrase()] = None
    return list(made)


def _number(prose: Prose) -> str:
    chance = prose.chance
    return chance.choice(
        (
            f"{chance.randint(0, 999)}",
            f"{chance.uniform(0, 10):.3f}",
            f"{chance.uniform(0, 100):.1f}%",
            f"{chance.randint(1000, 99999):,}",
        )
    )
