"""How a class takes title, authors, abstract and keywords, and what the page then shows of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from benchmarks.sets.documents import Block, Front, Heading, Paragraph, text
from benchmarks.sets.latex import escaped
from benchmarks.sets.layouts import Layout

Shown = list[Block]


@dataclass(frozen=True, slots=True)
class Setting:
    """Source for a front, and what it shows."""

    source: str
    shown: Shown


def setting(front: Front, layout: Layout, abstract: str) -> Setting:
    """`abstract` is its heading's word."""
    return _FRONTS[layout.front](front, layout, abstract)


def _and(names: tuple[str, ...], command: str = "and") -> str:
    return rf" \{command} ".join(map(escaped, names))


def _article(front: Front, layout: Layout, abstract: str) -> Setting:
    places = r" \\ ".join(map(escaped, front.places))
    source = "\n".join(
        (
            rf"\title{{{escaped(front.title)}}}\author{{{_and(front.authors)}\\{places}}}\date{{}}",
            rf"\begin{{document}}\maketitle\begin{{abstract}}{escaped(front.abstract)}\end{{abstract}}",
        )
    )
    return Setting(source, [*_who(front), *_abstract(front, layout, abstract)])


def _revtex(front: Front, layout: Layout, _: str) -> Setting:
    authors = "".join(rf"\author{{{escaped(name)}}}" for name in front.authors)
    source = "\n".join(
        (
            r"\begin{document}",
            rf"\title{{{escaped(front.title)}}}{authors}\affiliation{{{escaped(front.places[0])}}}",
            rf"\begin{{abstract}}{escaped(front.abstract)}\end{{abstract}}\maketitle",
        )
    )
    *first, last = front.authors
    names = f"{', '.join(first)}{',' if len(first) > 1 else ''} and {last}" if first else last
    return Setting(source, [Heading(front.title), text(names), text(front.places[0]), text(front.abstract)])


def _ieee(front: Front, _: Layout, __: str) -> Setting:
    source = "\n".join(
        (
            rf"\title{{{escaped(front.title)}}}\author{{{escaped(', '.join(front.authors))}}}",
            rf"\begin{{document}}\maketitle\begin{{abstract}}{escaped(front.abstract)}\end{{abstract}}",
            rf"\begin{{IEEEkeywords}}{escaped(', '.join(front.keywords))}\end{{IEEEkeywords}}",
        )
    )
    shown: Shown = [Heading(front.title), text(", ".join(front.authors)), text(f"Abstract—{front.abstract}")]
    return Setting(source, [*shown, text(f"Index Terms—{', '.join(front.keywords)}")])


def _ams(front: Front, _: Layout, __: str) -> Setting:
    authors = "".join(rf"\author{{{escaped(name)}}}" for name in front.authors)
    source = "\n".join(
        (
            rf"\begin{{document}}\title{{{escaped(front.title)}}}{authors}",
            rf"\begin{{abstract}}{escaped(front.abstract)}\end{{abstract}}\maketitle",
        )
    )
    *first, last = front.authors
    names = f"{', '.join(first)}{',' if len(first) > 1 else ''} and {last}" if first else last
    return Setting(source, [Heading(front.title.upper()), text(names.upper()), text(f"Abstract. {front.abstract}")])


def _elsevier(front: Front, layout: Layout, _: str) -> Setting:
    authors = "".join(rf"\author{{{escaped(name)}}}" for name in front.authors)
    source = "\n".join(
        (
            rf"\begin{{document}}\begin{{frontmatter}}\title{{{escaped(front.title)}}}{authors}",
            rf"\affiliation{{organization={{{escaped(front.places[0])}}}}}",
            rf"\begin{{abstract}}{escaped(front.abstract)}\end{{abstract}}",
            rf"\begin{{keyword}}{_and(front.keywords, 'sep')}\end{{keyword}}\end{{frontmatter}}",
        )
    )
    shown: Shown = [Heading(front.title), text(", ".join(front.authors)), text(front.places[0])]
    keywords = text(f"Keywords: {', '.join(front.keywords)}")
    return Setting(source, [*shown, *_abstract(front, layout, "Abstract"), keywords])


def _llncs(front: Front, _: Layout, __: str) -> Setting:
    source = "\n".join(
        (
            rf"\begin{{document}}\title{{{escaped(front.title)}}}\author{{{_and(front.authors)}}}",
            rf"\institute{{{escaped(front.places[0])}}}\maketitle",
            rf"\begin{{abstract}}{escaped(front.abstract)}\keywords{{{_and(front.keywords)}}}",
            r"\end{abstract}",
        )
    )
    *first, last = front.authors
    names = f"{', '.join(first)}{',' if len(first) > 1 else ''} and {last}" if first else last
    keywords = text(f"Keywords: {' · '.join(front.keywords)}")
    shown: Shown = [
        Heading(front.title),
        text(names),
        text(front.places[0]),
        text(f"Abstract. {front.abstract}"),
        keywords,
    ]
    return Setting(source, shown)


def _acm(front: Front, layout: Layout, _: str) -> Setting:
    authors = "".join(
        rf"\author{{{escaped(name)}}}\affiliation{{\institution{{{escaped(front.places[0])}}}\city{{Graz}}"
        r"\country{Austria}}"
        for name in front.authors
    )
    source = "\n".join(
        (
            r"\settopmatter{printacmref=false,printfolios=true}\begin{document}",
            rf"\title{{{escaped(front.title)}}}{authors}",
            rf"\begin{{abstract}}{escaped(front.abstract)}\end{{abstract}}",
            rf"\keywords{{{escaped(', '.join(front.keywords))}}}\maketitle",
        )
    )
    who = [text(f"{name} {front.places[0]} Graz, Austria") for name in front.authors]
    keywords: Shown = [Heading("KEYWORDS"), text(", ".join(front.keywords))]
    return Setting(source, [Heading(front.title), *who, *_abstract(front, layout, "ABSTRACT"), *keywords])


def _mnras(front: Front, _: Layout, __: str) -> Setting:
    source = "\n".join(
        (
            rf"\title{{{escaped(front.title)}}}",
            rf"\author{{{escaped(', '.join(front.authors))}\\{escaped(front.places[0])}}}",
            r"\date{}\pubyear{2020}\begin{document}\maketitle",
            rf"\begin{{abstract}}{escaped(front.abstract)}\end{{abstract}}",
            rf"\begin{{keywords}}{escaped(' -- '.join(front.keywords))}\end{{keywords}}",
        )
    )
    shown: Shown = [Heading(front.title), text(", ".join(front.authors)), text(front.places[0])]
    abstract: Shown = [Heading("ABSTRACT"), text(front.abstract), text(f"Key words: {' – '.join(front.keywords)}")]
    return Setting(source, [*shown, *abstract])


def _book(front: Front, _: Layout, __: str) -> Setting:
    source = rf"\title{{{escaped(front.title)}}}\author{{{_and(front.authors)}}}\date{{}}\begin{{document}}\maketitle"
    return Setting(source, [Heading(front.title), text(" ".join(front.authors))])


def _who(front: Front) -> list[Block]:
    return [Heading(front.title), text(" ".join(front.authors)), *map(text, front.places)]


def _abstract(front: Front, layout: Layout, word: str) -> list[Block]:
    if layout.abstract == "heading":
        return [Heading(word), text(front.abstract)]
    return [Paragraph(text(front.abstract).runs, f"{word}." if layout.abstract == "run-in" else "")]


_FRONTS: dict[str, Callable[[Front, Layout, str], Setting]] = {
    "article": _article,
    "report": _article,
    "revtex": _revtex,
    "ieee": _ieee,
    "ams": _ams,
    "elsevier": _elsevier,
    "llncs": _llncs,
    "acm": _acm,
    "mnras": _mnras,
    "book": _book,
}
