"""Tables of accounts: a stub of words, years of figures, sums, notes, signs in columns of their own."""

from __future__ import annotations

from random import Random

from benchmarks.sets.documents import Cell, Table
from benchmarks.sets.prose import Prose
from benchmarks.sets.terms import TERMS, Terms

_POINTS = {"en": (",", "."), "de": (".", ","), "fr": ("\u00a0", ","), "es": (".", ",")}


def amount(value: float, language: str, decimals: int = 0) -> str:
    """A figure as the language writes it."""
    thousands, point = _POINTS[language]
    return f"{value:,.{decimals}f}".replace(",", "\0").replace(".", point).replace("\0", thousands)


def terms(prose: Prose) -> Terms:
    """The words of the prose's language."""
    return TERMS[prose.language.code]


def income(prose: Prose) -> Table:
    """An income statement."""
    return _statement(prose, terms(prose).income)


def balance(prose: Prose) -> Table:
    """A balance sheet."""
    return _statement(prose, terms(prose).balance)


def cash(prose: Prose) -> Table:
    """A cash flow statement."""
    return _statement(prose, terms(prose).cash)


def signs(prose: Prose) -> Table:
    """Currency sign, figure and closing bracket or per cent sign; producers set them in columns of their own."""
    chance = prose.chance
    year = chance.randint(2008, 2024)
    heads = [Cell(text, bold=True, align="right") for text in (str(year), str(year - 1), "%")]
    rows = [(Cell(""), *heads)]
    for line in terms(prose).income:
        figures = [chance.randint(10, 99_999) for _ in range(2)]
        form = "$ ({})" if line.startswith("-") else "$ {}"
        change = f"{chance.randint(0, 80)}.{chance.randint(0, 9)}"
        per_cent = f"({change})%" if chance.random() < 0.3 else f"{change} %"
        bold = line.startswith("+")
        texts = [*(form.format(amount(figure, "en")) for figure in figures), per_cent]
        rows.append((Cell(line.lstrip("+-="), bold=bold), *(Cell(text, bold=bold) for text in texts)))
    return Table(tuple(rows), 1, "", "lrrr")


def spaces(prose: Prose) -> Table:
    """Figures whose thousands are set apart by spaces."""
    chance = prose.chance
    year = chance.randint(1990, 2018)
    years = range(year, year + chance.randint(3, 6))
    rows = [tuple(Cell(text, bold=True) for text in ("", *map(str, years)))]
    space = chance.choice((" ", "\u00a0", "\u202f"))
    for _ in range(chance.randint(5, 10)):
        figures = (f"{chance.choice((chance.randint(1, 999), chance.randint(1000, 9_999_999))):,}" for _ in years)
        rows.append((Cell(prose.phrase()), *(Cell(figure.replace(",", space)) for figure in figures)))
    return Table(tuple(rows), 1, "", "l" + "r" * len(years))


def leaders(prose: Prose) -> Table:
    """A list of sums, each led to by points."""
    chance = prose.chance
    rows: list[tuple[Cell, ...]] = []
    for _ in range(chance.randint(6, 12)):
        words = prose.phrase()
        dots = " " + ". " * chance.randint(8, 14) if chance.random() < 0.5 else " " + "." * chance.randint(12, 30)
        rows.append((Cell(words + dots.rstrip()), Cell(amount(chance.uniform(5, 90_000), prose.language.code, 2))))
    total = amount(chance.uniform(100_000, 900_000), prose.language.code, 2)
    rows.append((Cell(terms(prose).total, bold=True), Cell(total, bold=True)))
    return Table(tuple(rows), 0, "", "lr")


def _statement(prose: Prose, lines: tuple[str, ...]) -> Table:
    """Years side by side; at times a column of notes, a unit below the years, a wrapped remark in the stub."""
    chance: Random = prose.chance
    words = terms(prose)
    years = chance.randint(2, 4)
    last = chance.randint(2005, 2024)
    notes, units = chance.random() < 0.5, chance.random() < 0.4
    head = ["", *([words.notes] if notes else []), *(str(last - n) for n in range(years))]
    rows: list[tuple[Cell, ...]] = [tuple(Cell(text, bold=True) for text in head)]
    if units:
        unit = chance.choice(("€ 000", "£m", "EUR", "CHF", f"{words.thousands} €"))
        rows.append(tuple(Cell(unit if text.isdigit() else "") for text in head))
    brackets, indent = chance.random() < 0.6, chance.random() < 0.5
    for line in lines:
        kind, label = (line[0], line[1:]) if line[0] in "+-=" else ("", line)
        stub = Cell(label, bold=kind in "+=" and bool(kind), indent=int(indent and kind not in ("+", "=")))
        if not kind and chance.random() < 0.1:
            stub = Cell(f"{label}, {chance.choice(words.remarks)}", indent=stub.indent)
        figures = ["" if kind == "=" else _figure(prose, kind, brackets) for _ in range(years)]
        note = [str(chance.randint(1, 32)) if not kind and chance.random() < 0.5 else ""] if notes else []
        rows.append((stub, *(Cell(text) for text in note), *(Cell(text, bold=kind == "+") for text in figures)))
    aligns = "l" + ("c" if notes else "") + "r" * years
    return Table(tuple(rows), 2 if units else 1, "", aligns, (70, *(0,) * (len(aligns) - 1)))


def _figure(prose: Prose, kind: str, brackets: bool) -> str:
    chance = prose.chance
    if not kind and chance.random() < 0.08:
        return "–"
    figure = amount(chance.choice((chance.randint(1, 999), chance.randint(1000, 250_000))), prose.language.code)
    if kind == "-":
        return f"({figure})" if brackets else f"-{figure}"
    return figure
