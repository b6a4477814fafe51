"""The measures of paper and print that share all who look at pictures of pages: cleaning, parting, recognition."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PrintSettings:
    """What all that looks at scans of printed sheets has in common. Lengths are inches where nothing else is said."""

    sheet: float = 11.7
    """The long side of A4, by which a picture of unknown size is scaled."""

    coarsest: float = 50.0
    """Pixels per inch, at least: below, no letter is told from a streak or a gap."""

    hidden: float = 0.008
    """The width of a gap up to which no letter or sign is lost in it: a full stop of 8 points, the smallest that an
    amount hangs on, has 0.012. Of 566 words with four gaps of 0.005 none was misread, with 0.01 4 were, with 0.02 27.
    Of 30 pages with four streaks of 0.013 no word was lost, of those with 0.02 one to four."""

    speck: float = 0.01
    """Of a whole: less of it is a speck of dirt, or chance."""

    grain: float = 0.02
    """Of a whole: what grain, fringes and dirt take of it at the most."""

    hair: float = 0.05
    """Of a whole, a height or a likelihood: less of it makes no difference."""

    few: float = 0.1
    """Of a whole or a height: so little may be otherwise for once. Of a page's lines what is not surely read, at least,
    where something amiss may have changed letters."""

    slight: float = 0.15
    """Of a whole or a font size: so far measures of the same thing stray."""

    quarter: float = 0.25
    """Of a whole or a height: a small part of it."""

    part: float = 0.3
    """Of a whole or a height: a good part of it."""

    less: float = 0.4
    """Of a whole or a height: clearly less than half."""

    half: float = 0.5
    """Of a whole, a height or a likelihood: whatever has more is mostly so."""

    more: float = 0.6
    """Of a whole, a height or a likelihood: clearly more than half. Of the paper's tone, below which is ink."""

    most: float = 0.8
    """Of a whole, a height or a likelihood: most of it, noise aside."""

    nearly: float = 0.9
    """Of a whole, a height or a likelihood: nearly all of it."""

    surely: float = 0.95
    """Of a whole or a likelihood: all of it, but for measuring."""

    longer: float = 1.5
    """Times: clearly longer, wider or more."""

    twice: float = 2.0
    """Times: so much longer, larger or more that it is another thing."""

    thrice: float = 3.0
    """Times: more than the same thing ever is."""

    pair: int = 2
    """So many of a kind, at least: of one alone nothing is known."""

    some: int = 3
    """So many of a kind are no chance, and enough to tell by."""

    several: int = 4
    """So many, or times as much, where more is at stake, or more of them are about."""

    sample: int = 6
    """Lines, rows or parts of a page that tell what is alike on all of it."""

    dozen: int = 12
    """So many faults of a scanner on one page are none, but a pattern."""

    bound: int = 4_000
    """Things of one kind on a page: a bound on work on noise and hostile pages."""

    soft: float = 2.0
    """Points around what is printed that belong to it: its soft edges."""

    strip: float = 24.0
    """Points: the height of the strips by which words are found; decides nothing."""

    search: float = 100.0
    """Pixels per inch in which lines, pictures and the paper's level are looked for: common type is then as high as the
    network was trained on. Of 6 sample scans change 6 at 0.8 times, 6 at 0.9, 6 at 1.1, 6 at 1.2."""

    fine: float = 300.0
    """Pixels per inch: more do not help reading."""

    coarse: float = 150.0
    """Pixels per inch that are enough for what has no text, and the least for text."""

    faint: int = 40
    """Of 255, between the faintest letters of scans and their paper: more is an edge, or another colour of ink."""

    contrast: int = 24
    """Of 255, between ink or colour and the paper's: less cannot be told from grain and the lamp's light."""

    coloured: int = 60
    """Of 255: more colour or darkness is print, and no fringe of a scanner or of JPEG."""

    painted: int = 3
    """Pixels around a hole from which it is painted over: about a letter's stroke at 150 to 300 dpi."""

    quality: int = 88
    """Of JPEG, where the source does not say its own: above it files grow fast, and nothing more is seen."""


PRINT = PrintSettings()
