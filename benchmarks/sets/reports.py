"""Reports: headings, prose and tables of many kinds, made by several programs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from benchmarks.sets import findings, hypertext, latex, office, printing, schedules, statements, tags, truth
from benchmarks.sets.documents import Beside, Block, Heading, Table, text
from benchmarks.sets.languages import ENGLISH, FRENCH, GERMAN
from benchmarks.sets.layouts import CHARTER, HELVETICA, MODERN, PALATINO, TIMES
from benchmarks.sets.prose import Prose
from benchmarks.sets.writing import Sample


@dataclass(frozen=True, slots=True)
class TableKind:
    """How a kind of table is made, and what it asks of those that print it."""

    name: str
    make: Callable[[Prose], Table]
    looks: tuple[str, ...] = hypertext.LOOKS
    most: int = 3
    producers: tuple[str, ...] = ("browser", "writer", "latex", "ours", "calc")


_PAGES = ("browser", "latex", "ours")
_FLOWING = ("browser", "writer", "ours", "calc")

TABLE_KINDS = (
    TableKind("income", statements.income, ("bare", "rules", "bare", "lines")),
    TableKind("balance", statements.balance, ("bare", "rules", "bands")),
    TableKind("cash-flow", statements.cash, ("bare", "rules", "lines")),
    TableKind("signs", statements.signs, ("bare", "rules", "lines"), producers=("browser", "writer", "latex", "ours")),
    TableKind("spanning", findings.spanning),
    TableKind("deviations", findings.deviations),
    TableKind("coefficients", findings.coefficients, ("bare", "rules", "rules")),
    TableKind("wrapped", findings.wrapped),
    TableKind("spaces", statements.spaces),
    TableKind("row-spans", findings.row_spans, ("rules", "lines", "grid", "bare")),
    TableKind("beside", schedules.short, producers=_PAGES),
    TableKind("word-styles", findings.spanning, producers=("writer",)),
    TableKind("long", schedules.long, most=1, producers=_FLOWING),
    TableKind("leaders", statements.leaders, ("bare",)),
    TableKind("prices", schedules.prices),
    TableKind("timetable", schedules.timetable, producers=("browser", "latex", "ours", "calc")),
    TableKind("words", findings.words, ("lines", "grid", "bare")),
)

_NEEDS_WORDS = {statements.income, statements.balance, statements.cash}
_FONTS = (TIMES, MODERN, PALATINO, CHARTER, HELVETICA)


def report(number: int, seed: str, place: Path) -> Iterator[Sample]:
    """One report of the table kind and by the program whose turn it is; with tags, and without where there were any."""
    kind = TABLE_KINDS[number % len(TABLE_KINDS)]
    producer = kind.producers[(number // len(TABLE_KINDS) + number) % len(kind.producers)]
    chance = Random(seed)
    language = ENGLISH if chance.random() < 0.6 else chance.choice((GERMAN, FRENCH))
    prose = Prose(chance, language)
    blocks = _blocks(prose, kind, producer)
    pdf = place / "report.pdf"
    _printed(blocks, kind, producer, prose, pdf)
    markdown = truth.markdown(blocks)
    yield from with_and_without_tags((kind.name, producer), pdf, markdown)


def with_and_without_tags(labels: tuple[str, ...], pdf: Path, markdown: str) -> Iterator[Sample]:
    """The document twice where it has structure tags, else once among those without."""
    bare = pdf.with_name("untagged.pdf")
    tags.strip(pdf, bare)
    if tags.has_tags(pdf):
        yield Sample(labels, pdf, markdown)
    yield Sample(labels, bare, markdown, "untagged")


def _blocks(prose: Prose, kind: TableKind, producer: str) -> list[Block]:
    chance = prose.chance
    made: list[Block] = [Heading(prose.title(), 1)]
    count = 1 if producer == "calc" else chance.randint(1, kind.most)
    for heading in prose.headings(count):
        if producer != "calc":
            made += [Heading(heading, 2), text(prose.sentences(1, 5))]
        if kind.name == "beside":
            made.append(Beside(tuple(kind.make(prose) for _ in range(chance.randint(2, 3)))))
        else:
            table = kind.make(prose)
            caption = (
                f"{prose.language.table}: {prose.phrase()}" if producer != "calc" and chance.random() < 0.3 else ""
            )
            made.append(replace(table, caption=caption))
        if producer != "calc" and chance.random() < 0.6:
            made.append(text(prose.sentences(1, 4)))
    return made


def _printed(blocks: list[Block], kind: TableKind, producer: str, prose: Prose, pdf: Path) -> None:
    chance = prose.chance
    look = chance.choice(kind.looks)
    if kind.name == "signs":
        blocks = [hypertext.with_signs_apart(block) if isinstance(block, Table) else block for block in blocks]
    if producer in ("browser", "ours"):
        page = hypertext.page(blocks, hypertext.style(chance, look), prose.language.code)
        (printing.browser if producer == "browser" else printing.ours)(page, pdf)
    elif producer == "writer":
        source = pdf.with_suffix(".docx")
        named = chance.choice(office.STYLES) if kind.name == "word-styles" else ""
        office.word(blocks, look, chance, source, named)
        printing.office(source, pdf)
    elif producer == "calc":
        source = pdf.with_suffix(".xlsx")
        office.sheet(blocks, look, chance, source)
        printing.office(source, pdf)
    else:
        _latex(blocks, {"rules": "booktabs", "bands": "lines"}.get(look, look), prose, pdf)


def _latex(blocks: list[Block], look: str, prose: Prose, pdf: Path) -> None:
    font = prose.chance.choice(_FONTS)
    document = rf"\documentclass[{prose.chance.choice((10, 11, 12))}pt,a4paper]{{article}}"
    page = (r"\usepackage[margin=20mm]{geometry}", r"\setlength{\parindent}{0pt}\setlength{\parskip}{5pt}")
    head = latex.preamble(document, (*font, *page), prose.language.babel)
    body = latex.source(blocks, numbers=False, look=look)
    latex.compiled("\n".join((head, r"\begin{document}", body, r"\end{document}")), pdf)
