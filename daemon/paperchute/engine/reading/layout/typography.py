"""What all of layout takes for near, alike, large, few and most: the measures of printed text, for every method."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TypographySettings:
    """Measures of printed text. A method keeps a number of its own only where a document shows that it differs."""

    touching: float = 0.15
    """Of the font size: a gap that is narrower than any space, as between the parts of one word."""

    same_baseline: float = 0.25
    """Of the font size: baselines, or edges, that differ by less are the same, but for signs set a little off."""

    half_em: float = 0.5
    """Of the font size: an indent or an offset that is meant. What is off by less stands in the same row or column."""

    wide_space: float = 0.7
    """Of the font size: wider than the spaces of justified text, so that it parts what stands beside each other."""

    em: float = 1.0
    """Of the font size: a gap that no space of a text has, as between cells and at the edge of what stands apart."""

    next_line: float = 1.9
    """Of the font size: from a baseline to the next one of the same text, at most; double spacing is wider."""

    tight_line: float = 1.6
    """The same where nothing but the distance tells that both lines are of one text."""

    tab: float = 2.0
    """Of the font size: the gap of a tab, or of two quads; also of an empty line, from edge to edge."""

    blank_line: float = 2.6
    """Of the font size: between baselines with an empty line between, and a little."""

    quads: float = 3.0
    """Of the font size: a gap beyond tabs and two quads, as between texts of their own in one row."""

    wider_leading: float = 1.2
    """Times the usual distance of baselines: lines further apart are of two paragraphs. Also the usual distance itself,
    in font sizes, as most fonts have it."""

    same_size: float = 0.15
    """Of a font size: sizes that differ by less are those of one text in several faces."""

    larger: float = 1.09
    """Times the size of the text: type that is larger; in steps of half a point 11 on 10 is, 10.5 is not."""

    plainly_larger: float = 1.3
    """Times the size of the text: type, or a length, that is larger at first sight."""

    display: float = 1.8
    """Times the size of the text: display type, as of names over a page and of initials over two lines."""

    smaller: float = 0.9
    """Times the size of the text: small type, as of notes and captions; half a point of larger text is no smaller."""

    plainly_smaller: float = 0.85
    """Times the size of the text: as small as type gets that still heads a text, and as indices begin."""

    hardly: float = 0.05
    """A share that is hardly any: exceptions, rounding, and what misses a middle or an edge."""

    tenth: float = 0.1
    """A share that is small, as of the page at its edges."""

    fifth: float = 0.2
    """A share that counts: less of something is there by chance."""

    third: float = 0.35
    """A share that chance hardly reaches: a third and a little."""

    half: float = 0.5
    """A share from which something is so on the whole."""

    most: float = 0.6
    """A share that is most of it: plainly more than half."""

    nearly_all: float = 0.8
    """A share that is nearly all of it: but for ends, headings and padding."""

    pair: int = 2
    """How many of a kind may be meant, where something else speaks for it."""

    several: int = 3
    """How many of a kind show by themselves that they are meant: two may be so by chance."""

    few: int = 4
    """Lines, words or signs of a heading, a label or a row: more are text, and as many a pattern that is sure."""

    short_text: int = 8
    """Lines of a short text, as of a form or of the end of a list."""

    phrase: int = 8
    """Words of a phrase, or characters of a value or of Chinese and Japanese text: more words are running text."""

    cell_chars: int = 18
    """Characters of a line of running text; cells of tables have fewer."""

    running_chars: int = 36
    """Characters from which a line is surely one of running text: cells, headings and ends of paragraphs have fewer."""

    line_chars: int = 60
    """Characters of a full line of running text in one column."""

    heading_chars: int = 220
    """Characters of a heading over several lines; more are a paragraph."""

    rounding: float = 1.0
    """Points by which programs round places, and by which letters reach out of their boxes."""

    size_step: float = 0.5
    """Points: the step to which programs round sizes, and places at their best."""

    frame: float = 3.0
    """Points: the thickness of a frame, and between the pieces that a line or a drawing is made of."""

    label_reach: float = 22.0
    """Points from a drawing to its labels, with a mark and a space between."""

    row_reach: float = 150.0
    """Points beside something: words of its row within it are of the same table or text."""

    sign: tuple[float, float] = (5.0, 18.0)
    """Points: the sides of a drawn sign beside a word, as a tick box or a sample of colour; bullets are smaller."""

    figure_side: float = 36.0
    """Points: the least side of a chart or a drawing; half an inch. Smaller ones are icons and ornaments."""


TYPOGRAPHY = TypographySettings()


@dataclass(frozen=True, slots=True)
class BoundSettings:
    """Bounds on work, beyond any printed page: they decide nothing but how long hostile documents may take."""

    beside: int = 60
    """Pieces that stand beside each other in one row."""

    tried: int = 8
    """Places, or ways, that are tried for one thing."""

    lines: int = 1500
    """Lines, areas or groups of a page that are compared with each other; a newspaper's page has 600 lines."""

    marks: int = 30_000
    """Words or shapes of a page that are looked at beside each other."""

    pairs: int = 1_000_000
    """Comparisons of one page, and characters that wait; a dense page has 20,000 of the one."""

    remembered: int = 100_000
    """Words and places of a document that are remembered."""

    strip: float = 10.0
    """Points: the height of the strips of a page by which neighbours are found."""


BOUNDS = BoundSettings()
