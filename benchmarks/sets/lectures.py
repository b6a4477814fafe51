"""Slides by LaTeX's beamer: frames with a title and lists, tables, formulas, or two columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

from benchmarks.sets import latex, papers, truth
from benchmarks.sets.documents import Block, Formula, Front, Heading, Listing, Table, cells, text
from benchmarks.sets.languages import ENGLISH, FRENCH, GERMAN
from benchmarks.sets.prose import Prose
from benchmarks.sets.writing import Sample

THEMES = ("default", "Madrid", "Boadilla", "Pittsburgh", "CambridgeUS", "Bergen")
_FITTING_ROWS = 5


def lecture(number: int, seed: str, place: Path) -> Iterator[Sample]:
    """One lecture in the theme whose turn it is."""
    theme = THEMES[number % len(THEMES)]
    chance = Random(seed)
    prose = Prose(chance, chance.choice((ENGLISH, ENGLISH, GERMAN, FRENCH)))
    front = replace(papers.front(prose), authors=prose.names(1), places=("University of Graz",))
    shown: list[Block] = [Heading(front.title), text(front.authors[0]), text(front.places[0]), text("3 May 2021")]
    frames: list[str] = []
    for heading in prose.headings(chance.randint(6, 9)):
        columns = [[_piece(prose)] for _ in range(2)] if chance.random() < 0.3 else []
        blocks = [] if columns else [_piece(prose) for _ in range(chance.randint(1, 2))]
        frames.append(_frame(heading, blocks, columns))
        shown += [Heading(heading, 2), *blocks, *(block for column in columns for block in column)]
    pdf = place / "lecture.pdf"
    latex.compiled("\n".join((*_head(front, theme, prose), *frames, r"\end{document}")), pdf)
    yield Sample((theme.lower(),), pdf, truth.markdown(shown))


def _head(front: Front, theme: str, prose: Prose) -> Iterator[str]:
    yield r"\documentclass[11pt]{beamer}"
    yield r"\usepackage[T1]{fontenc}\usepackage{lmodern,booktabs,multirow,amsmath}"
    yield rf"\usepackage[{prose.language.babel}]{{babel}}\usetheme{{{theme}}}"
    yield latex.PLACE
    yield r"\setbeamertemplate{navigation symbols}{}"
    yield rf"\title[Lecture]{{{latex.escaped(front.title)}}}\author{{{latex.escaped(front.authors[0])}}}"
    yield rf"\institute{{{latex.escaped(front.places[0])}}}\date{{3 May 2021}}"
    yield r"\begin{document}\begin{frame}\titlepage\end{frame}"


def _frame(heading: str, blocks: list[Block], columns: list[list[Block]]) -> str:
    lines = [rf"\begin{{frame}}{{{latex.escaped(heading)}}}", *map(_source, blocks)]
    if columns:
        lines.append(r"\begin{columns}[t]")
        for column in columns:
            lines += [r"\begin{column}{0.47\textwidth}", *map(_source, column), r"\end{column}"]
        lines.append(r"\end{columns}")
    return "\n".join([*lines, r"\end{frame}"])


def _source(block: Block) -> str:
    if isinstance(block, Table):
        return rf"\begin{{center}}\small {latex.tabular(block)}\end{{center}}"
    return latex.source([block])


def _piece(prose: Prose) -> Block:
    chance = prose.chance
    dice = chance.random()
    if dice < 0.6:
        return Listing(tuple(prose.headings(chance.randint(2, 4))), chance.random() < 0.3)
    if dice < 0.75:
        return text(prose.sentence())
    if dice < 0.85:
        return Formula(r"\hat\beta = (X^{\top} X)^{-1} X^{\top} y", False)
    rows = [cells((label, str(chance.randint(1, 99)))) for label in prose.headings(_FITTING_ROWS - 1)]
    return Table((cells(("", "N"), True), *rows), 1, "", "lr")
