"""The contents of a paper by chance: front matter, sections, tables, formulas, theorems, algorithms, literature."""

from __future__ import annotations

from random import Random

from benchmarks.sets.documents import (
    Block,
    Cell,
    Code,
    Figure,
    Formula,
    Front,
    Heading,
    Listing,
    Paragraph,
    References,
    Run,
    Table,
    cells,
)
from benchmarks.sets.findings import different
from benchmarks.sets.prose import Prose

_INLINE = (
    ("n", "n"),
    (r"\alpha", "α"),
    ("x_i", "xi"),
    ("p < 0.05", "p < 0.05"),
    (r"\sigma^2", "σ2"),
    (r"O(n \log n)", "O(n log n)"),
    (r"\beta_0", "β0"),
    ("k = 3", "k = 3"),
    (r"\Delta T", "∆T"),
)

_FORMULAS = (
    r"\hat\beta = (X^{\top} X)^{-1} X^{\top} y",
    r"\int_0^\infty e^{-x^2}\,dx = \frac{\sqrt{\pi}}{2}",
    r"\frac{\partial u}{\partial t} = \kappa \frac{\partial^2 u}{\partial x^2} + f(x, t)",
    r"\sum_{i=1}^{n} \left( x_i - \bar{x} \right)^2 \leq n \sigma^2",
    r"E = \sqrt{m^2 c^4 + p^2 c^2}",
    r"\Pr(A \mid B) = \frac{\Pr(B \mid A) \Pr(A)}{\Pr(B)}",
    r"\begin{pmatrix} a & b \\ c & d \end{pmatrix} v = \lambda v, \qquad v = \begin{pmatrix} x \\ y \end{pmatrix}",
    r"y_{it} = \alpha_i + \beta x_{it} + \gamma z_t + \varepsilon_{it}",
    r"f(x) = \begin{cases} x^2 & \text{if } x \geq 0, \\ -x & \text{otherwise.} \end{cases}",
    r"\lim_{N \to \infty} \frac{1}{N} \sum_{k=0}^{N-1} \phi(T^k x) = \int \phi \, d\mu",
)

_ALGORITHMS = (
    (
        ("State", "set all distances to infinity"),
        ("ForAll", "nodes of the queue"),
        ("State", "take the nearest node out of the queue"),
        ("If", "its distance is larger than known"),
        ("State", "skip it"),
        ("EndIf", ""),
        ("EndFor", ""),
        ("State", "return the distances"),
    ),
    (
        ("State", "sort the samples by weight"),
        ("While", "the error is above the bound"),
        ("State", "fit a line to the remaining samples"),
        ("State", "remove the worst sample"),
        ("EndWhile", ""),
        ("State", "return the fitted line"),
    ),
)


def front(prose: Prose) -> Front:
    """Title, authors, where they work, abstract."""
    chance = prose.chance
    authors = prose.names(chance.randint(1, 4))
    kinds = ("Department of Physics, University of", "Institute for Statistics,", "School of Engineering,", "Bureau of")
    towns = ("Northfield", "Ashbourne", "Graz", "Lyon", "Tartu", "Valencia", "Leiden", "Uppsala")
    places = tuple(f"{chance.choice(kinds)} {town}" for town in chance.sample(towns, min(2, len(authors))))
    words = tuple(dict.fromkeys(prose.phrase().lower() for _ in range(4)))
    return Front(prose.title(), authors, places, prose.sentences(3, 6), words)


def body(prose: Prose, sections: int, depth: int = 2, mathematical: bool = False) -> list[Block]:
    """Sections with what papers have in them."""
    made: list[Block] = []
    counts = {"theorem": 0, "algorithm": 0, "notes": 0}
    for heading in prose.headings(sections):
        made.append(Heading(heading))
        made += _passage(prose, mathematical, counts)
        if depth > 1 and prose.chance.random() < 0.5:
            for sub in prose.headings(prose.chance.randint(2, 3)):
                made.append(Heading(sub, 2))
                made += _passage(prose, mathematical, counts)
                if depth > 2 and prose.chance.random() < 0.4:
                    made += [Heading(prose.headings(1)[0], 3), paragraph(prose)]
    return made


def references(prose: Prose, count: int) -> References:
    """The literature."""
    return References(prose.language.references, tuple(prose.entry() for _ in range(count)))


def paragraph(prose: Prose, fewest: int = 2, most: int = 6) -> Paragraph:
    """Prose with a word in italics or a formula in the line here and there."""
    runs: list[Run] = []
    for number in range(prose.chance.randint(fewest, most)):
        words = prose.sentence()
        runs.append(Run(" " if number else ""))
        dice = prose.chance.random()
        if dice < 0.08:
            source, shown = prose.chance.choice(_INLINE)
            head, _, rest = words.partition(", ")
            runs += (
                [Run(f"{head} "), Run(shown, "maths", source), Run(f", {rest}" if rest else ".")]
                if rest
                else [Run(words)]
            )
        elif dice < 0.14:
            first, _, rest = words.partition(" ")
            runs += [Run(first, "emphasis"), Run(f" {rest}")]
        else:
            runs.append(Run(words))
    return Paragraph(tuple(runs))


def _passage(prose: Prose, mathematical: bool, counts: dict[str, int]) -> list[Block]:
    """One to three paragraphs and at times something between them."""
    chance = prose.chance
    made: list[Block] = [paragraph(prose)]
    for _ in range(chance.randint(0, 2)):
        dice = chance.random()
        if dice < (0.45 if mathematical else 0.18):
            made += [Formula(chance.choice(_FORMULAS), chance.random() < 0.7)]
        elif dice < 0.55:
            made.append(results(prose, chance.randint(3, 7)))
        elif dice < 0.63:
            made.append(Figure(prose.sentence()))
        elif dice < 0.73:
            made.append(Listing(tuple(prose.sentence() for _ in range(chance.randint(3, 5))), chance.random() < 0.4))
        elif dice < 0.8 and mathematical:
            counts["theorem"] += 1
            made.append(Paragraph((Run(prose.sentences(1, 2)),), f"Theorem {counts['theorem']}."))
        elif dice < 0.86 and not counts["algorithm"]:
            counts["algorithm"] = 1
            made.append(Code(tuple(f"{kind}|{words}" for kind, words in chance.choice(_ALGORITHMS)), prose.phrase()))
        elif dice < 0.94:
            counts["notes"] += 1
            whole = paragraph(prose)
            made.append(Paragraph((*whole.runs, Run(prose.sentence(), "note"))))
        made.append(paragraph(prose))
    return made


def results(prose: Prose, rows: int) -> Table:
    """A table of results: labels and figures, some with deviations, some with spans over the heads."""
    chance: Random = prose.chance
    columns = chance.randint(2, 4)
    kind = chance.choice(("plain", "deviation", "spanned", "errors", "words"))
    labels = different(prose, rows)
    caption = prose.sentence()
    if kind == "words":
        body_rows = [cells((label, prose.sentence())) for label in labels]
        return Table((cells(("Item", "Description"), True), *body_rows), 1, caption, "ll", (0, 45))
    heads = (
        cells(("", *different(prose, columns)), True) if columns < 4 else cells(("", "N", "Mean", "SD", "Max"), True)
    )
    if kind == "spanned":
        groups = (
            Cell(""),
            Cell("Sample A", 2, bold=True, align="center"),
            Cell("Sample B", 2, bold=True, align="center"),
        )
        heads = cells(("Variable", "Mean", "SD", "Mean", "SD"), True)
        body_rows = [cells((label, *(_figure(chance) for _ in range(4)))) for label in labels]
        return Table((groups, heads, *body_rows), 2, caption, "lrrrr")
    body_rows = []
    for label in labels:
        if kind == "deviation":
            figures = [f"{chance.uniform(0, 90):.1f} ± {chance.uniform(0, 5):.1f}" for _ in range(columns)]
        else:
            figures = [_figure(chance) for _ in range(columns)]
        body_rows.append(cells((label, *figures)))
        if kind == "errors":
            body_rows.append(cells(("", *(f"({chance.uniform(0, 1):.3f})" for _ in range(columns)))))
    aligns = "l" + ("c" if kind in ("deviation", "errors") else "r") * columns
    return Table((heads, *body_rows), 1, caption, aligns)


def _figure(chance: Random) -> str:
    return chance.choice(
        (
            f"{chance.randint(0, 999)}",
            f"{chance.uniform(0, 10):.3f}",
            f"{chance.uniform(0, 100):.1f}%",
            f"{chance.uniform(0, 1):.2f}",
        )
    )
