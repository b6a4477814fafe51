"""How LaTeX classes set a paper: what they load, how headings are numbered and written, what they add."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

_ROMAN = ((10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"))

TIMES = (r"\usepackage{mathptmx}",)
MODERN = (r"\usepackage{lmodern}",)
PALATINO = (r"\usepackage{palatino}",)
CHARTER = (r"\usepackage{charter}",)
HELVETICA = (r"\usepackage{helvet}\renewcommand{\familydefault}{\sfdefault}",)


def roman(number: int) -> str:
    """In Roman numerals."""
    made = ""
    for value, letters in _ROMAN:
        while number >= value:
            made, number = made + letters, number - value
    return made


def letter(number: int) -> str:
    """A for 1."""
    return chr(ord("A") + number - 1)


def decimal(numbers: tuple[int, ...]) -> str:
    """1, 1.1, 1.1.1."""
    return ".".join(map(str, numbers))


def pointed(numbers: tuple[int, ...]) -> str:
    """1., 1.1., 1.1.1."""
    return decimal(numbers) + "."


def mixed(numbers: tuple[int, ...]) -> str:
    """I., A., 1."""
    kinds: tuple[Callable[[int], str], ...] = (roman, letter, str)
    return kinds[len(numbers) - 1](numbers[-1]) + "."


def lettered(numbers: tuple[int, ...]) -> str:
    """A, A.1, A.1.1."""
    return ".".join([letter(numbers[0]), *map(str, numbers[1:])])


def none(_: tuple[int, ...]) -> str:
    """Without numbers."""
    return ""


@dataclass(frozen=True, slots=True)
class Layout:
    """One way to set a paper."""

    name: str
    document: str
    """Class, with options."""
    packages: tuple[str, ...] = MODERN
    front: str = "article"
    """Whose commands for title, authors and abstract are used."""
    numbers: Callable[[tuple[int, ...]], str] = decimal
    capitals: tuple[int, ...] = ()
    """Levels that are shown in capitals."""
    run_in: int = 9
    """From this level on, headings stand at the beginning of their paragraph."""
    abstract: str = "heading"
    """heading, run-in, or none."""
    columns: int = 1
    depth: int = 2
    literature: str = "References"
    """Heading of the list of literature in English; none where it is empty."""
    mathematical: bool = False
    chapters: bool = False
    contents: bool = False
    """It begins with a table of contents."""


_TITLES = r"\usepackage{titlesec}"
_CENTRED = (
    _TITLES,
    r"\titleformat{\section}[block]{\normalfont\normalsize\scshape\filcenter}{\thesection.}{0.5em}{}",
    r"\titleformat{\subsection}[block]{\normalfont\normalsize\itshape}{\thesubsection.}{0.5em}{}",
    r"\renewcommand{\thesection}{\Roman{section}}\renewcommand{\thesubsection}{\Alph{subsection}}",
)
_ITALIC = (
    _TITLES,
    r"\titleformat{\section}{\normalfont\normalsize\bfseries}{\thesection}{0.6em}{}",
    r"\titleformat{\subsection}{\normalfont\normalsize\itshape}{\thesubsection}{0.6em}{}",
)
_LETTERED = (r"\renewcommand{\thesection}{\Alph{section}}",)
_LINES = (r"\usepackage{lineno}\linenumbers",)
_WIDE = (r"\usepackage[margin=22mm]{geometry}",)
_SPACED = (r"\linespread{1.6}",)
_INDENTED = (r"\setlength{\parindent}{0pt}\setlength{\parskip}{6pt}",)

LAYOUTS = (
    Layout("article", r"\documentclass[11pt,a4paper]{article}"),
    Layout(
        "revtex",
        r"\documentclass[aps,prb,reprint]{revtex4-2}",
        TIMES,
        "revtex",
        mixed,
        (1,),
        abstract="none",
        columns=2,
        literature="",
        mathematical=True,
    ),
    Layout(
        "ieee",
        r"\documentclass[journal]{IEEEtran}",
        TIMES,
        "ieee",
        mixed,
        (1,),
        abstract="run-in",
        columns=2,
        literature="REFERENCES",
    ),
    Layout("amsart", r"\documentclass{amsart}", MODERN, "ams", pointed, run_in=2, abstract="run-in", mathematical=True),
    Layout("koma", r"\documentclass[abstract=true]{scrartcl}"),
    Layout("elsevier", r"\documentclass[preprint,12pt]{elsarticle}", TIMES, "elsevier", pointed, abstract="heading"),
    Layout("llncs", r"\documentclass{llncs}", MODERN, "llncs", decimal, abstract="run-in", depth=1),
    Layout("two-columns", r"\documentclass[10pt,twocolumn]{article}", TIMES, columns=2),
    Layout("centred", r"\documentclass[11pt]{article}", (*TIMES, *_CENTRED), numbers=mixed),
    Layout(
        "acm",
        r"\documentclass[sigconf,nonacm]{acmart}",
        TIMES,
        "acm",
        decimal,
        (1,),
        columns=2,
        depth=1,
        literature="REFERENCES",
    ),
    Layout("lines", r"\documentclass[12pt]{article}", (*TIMES, *_WIDE, *_SPACED, *_LINES)),
    Layout("lettered", r"\documentclass[11pt]{article}", (*PALATINO, *_LETTERED), numbers=lettered),
    Layout(
        "unnumbered",
        r"\documentclass[11pt]{article}",
        (*CHARTER, *_INDENTED, r"\setcounter{secnumdepth}{0}"),
        numbers=none,
    ),
    Layout(
        "revtex-preprint",
        r"\documentclass[aps,pre,preprint]{revtex4-2}",
        MODERN,
        "revtex",
        mixed,
        (1,),
        abstract="none",
        literature="",
        mathematical=True,
    ),
    Layout(
        "ieee-conference",
        r"\documentclass[conference]{IEEEtran}",
        TIMES,
        "ieee",
        mixed,
        (1,),
        abstract="run-in",
        columns=2,
        literature="REFERENCES",
    ),
    Layout(
        "report",
        r"\documentclass[11pt,a4paper]{report}",
        MODERN,
        "report",
        chapters=True,
        depth=3,
        literature="Bibliography",
    ),
    Layout("italic", r"\documentclass[11pt]{article}", (*TIMES, *_ITALIC)),
    Layout(
        "koma-report",
        r"\documentclass{scrreprt}",
        HELVETICA,
        "report",
        abstract="none",
        chapters=True,
        literature="Bibliography",
    ),
    Layout(
        "memoir",
        r"\documentclass[11pt,article]{memoir}",
        (*PALATINO, r"\setsecnumdepth{subsection}"),
        literature="Bibliography",
    ),
    Layout("koma-two", r"\documentclass[twocolumn,fontsize=10pt]{scrartcl}", CHARTER, abstract="none", columns=2),
    Layout("elsevier-two", r"\documentclass[final,5p,twocolumn]{elsarticle}", TIMES, "elsevier", pointed, columns=2),
    Layout(
        "mnras",
        r"\documentclass{mnras}",
        TIMES,
        "mnras",
        decimal,
        (1,),
        abstract="heading",
        columns=2,
        literature="REFERENCES",
    ),
    Layout(
        "book",
        r"\documentclass[11pt,a5paper]{book}",
        PALATINO,
        "book",
        chapters=True,
        abstract="none",
        literature="Bibliography",
        contents=True,
        depth=3,
    ),
    Layout("contents", r"\documentclass[11pt,a4paper]{article}", (*TIMES, *_INDENTED), contents=True, depth=3),
)
