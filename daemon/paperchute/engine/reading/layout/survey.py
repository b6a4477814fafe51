"""What a first, cheap pass over all pages learns: the size of running text, heading styles, running heads and feet."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest

from paperchute.engine.document.running import is_number
from paperchute.engine.reading.languages import LanguageSurvey
from paperchute.engine.reading.layout.front_matter import FrontLine, FrontMatter
from paperchute.engine.reading.layout.furniture import Furniture, MarginLine, margin_lines
from paperchute.engine.reading.layout.hyphens import Hyphens, HyphenSurvey
from paperchute.engine.reading.layout.levels import USUAL, Face, HeadingClass, face_of, heading_levels
from paperchute.engine.reading.layout.lines import TextLine
from paperchute.engine.reading.layout.marks import FIRST_WIDE
from paperchute.engine.reading.layout.numbering import counts_sections, section_number
from paperchute.engine.reading.layout.outline import Outline
from paperchute.engine.reading.layout.phrases import is_caption, is_statement, is_usual_title, may_begin_phrase
from paperchute.engine.reading.layout.typefaces import Typeface, TypefaceSurvey, TypewriterSurvey, single_font
from paperchute.engine.reading.layout.typography import TYPOGRAPHY


@dataclass(frozen=True, slots=True)
class SurveySettings:
    """What tells running text and headings over a whole document.

    Fixed on printed Markdown, of which it took the scores of headings from 0.903 to 0.931.
    """

    bold_size: float = 0.95
    """Of the body size: bold type of at least this size may be a heading; smaller is that of tables and captions. Three
    documents of LaTeX change at 0.9."""


SURVEY = SurveySettings()

_LETTER = re.compile(r"[^\W\d_]")
_LONE_NUMBER = re.compile(r"^(?:§\s?\d+|[A-Z]?\d*(?:\.\d+)*|[IVX]+|[A-Z])[.)]?$")
_YEAR = re.compile(r"\d{4}\W*$")
_NUMBERED = re.compile(r"^(?:[§第(\[]|\W?[A-Z]?\d|[IVX]+\b|[A-Z][.)])")
_WORD = re.compile(r"^[^\W\d_]+\.?$")


def number_of(text: str) -> str:
    """Return what `HeadingClass.number` is of a heading with this text."""
    number = section_number(text)
    if number is not None:
        return f"{number.scheme} {number.depth}"
    return USUAL if is_usual_title(text) else ""


def _may_tell(first: str) -> bool:
    """Tell if the first word of a line lets it say that it is a heading, or a caption; any in letters beyond ASCII."""
    if not _WORD.match(first):
        return False
    word = first.removesuffix(".")
    return len(word) == 1 or not word.isascii() or counts_sections(word) or may_begin_phrase(word)


def _is_number_above(text: str, line: TextLine, after: TextLine) -> bool:
    """Decide whether a line is a number alone, such as `Chapter 1`, over a title in other type."""
    number = section_number(text)
    return (
        number is not None
        and not number.title
        and 0 < after.baseline - line.baseline < TYPOGRAPHY.quads * after.size
        and after.chars <= TYPOGRAPHY.heading_chars
        and (after.bold or after.size > TYPOGRAPHY.larger * line.size)
    )


def _is_page_of(line: TextLine, other: TextLine) -> bool:
    """Decide whether one line is the number of the page where the other, an entry of a table of contents, leads to."""
    return abs(other.baseline - line.baseline) < 1 and other.left > line.right and is_number(other.text)


def _is_beside(line: TextLine, after: TextLine) -> bool:
    return abs(after.baseline - line.baseline) < 1 and 0 < after.left - line.right < TYPOGRAPHY.quads * line.size


def _letters(line: TextLine) -> int:
    """Count the characters of a line, those as wide as high as two each, as East Asian widths do (Unicode, UAX 11)."""
    return 2 * line.chars if line.words[0].text >= FIRST_WIDE else line.chars


@dataclass(frozen=True, slots=True)
class Norms:
    """What the whole document has in common.

    body: the face of running text, its size in points. levels: the level of each class of headings that there may be.
    outline: the document's own (bookmarks); outlined: the faces its titles are printed in. tagged: whether the
    document's own structure has headings. front: its title, and what stands between that and the text. typefaces:
    those of headings that are neither larger nor bold. typed: whether typewriter type is that of its text, not of code.
    """

    body: Face
    levels: dict[HeadingClass, int]
    outline: Outline
    outlined: frozenset[Face]
    tagged: bool
    front: FrontMatter
    furniture: Furniture
    hyphens: Hyphens
    typefaces: frozenset[Typeface] = frozenset()
    typed: bool = False

    def face_of(self, line: TextLine) -> Face:
        """The face of a line, also told by its font where headings have one of their own."""
        face = face_of(line)
        return face._replace(look="typeface") if not face.look and self.is_typeface(line, face) else face

    def is_typeface(self, line: TextLine, face: Face) -> bool:
        """Decide whether a line is set in a font of headings that are neither larger nor bold."""
        if not self.typefaces or face.bold:
            return False
        font = single_font(line)
        return font is not None and Typeface(font.name, face.size) in self.typefaces

    @property
    def body_size(self) -> float:
        """The size of running text in points."""
        return self.body.size

    def is_larger(self, face: Face) -> bool:
        """Decide whether type is larger than that of running text."""
        return face.size > TYPOGRAPHY.larger * self.body.size

    def is_code(self, line: TextLine) -> bool:
        """Decide whether a line of typewriter type is code rather than a heading."""
        size = line.size / self.body.size if self.body.size else 1.0
        return line.mono and size < (TYPOGRAPHY.larger if line.bold else TYPOGRAPHY.plainly_larger)

    def level_of(self, heading: HeadingClass) -> int:
        """The level of headings of a class, 0 where the document has none like it."""
        found = self.levels.get(heading)
        if found is None:
            found = min([level for one, level in self.levels.items() if one.face == heading.face], default=0)
        return found


@dataclass(slots=True)
class _Seen:
    """Lines of one class. told: those that a number or a usual title tells to be headings."""

    lines: int = 0
    told: int = 0
    last_page: int = 0


@dataclass(slots=True)
class Survey:
    """Takes in the pages one by one, then gives the norms."""

    outline: Outline = field(default_factory=Outline)
    _chars: Counter[Face] = field(default_factory=Counter)
    _running: Counter[Face] = field(default_factory=Counter)
    _classes: dict[HeadingClass, _Seen] = field(default_factory=dict)
    _outlined: defaultdict[HeadingClass, Counter[int]] = field(default_factory=lambda: defaultdict(Counter))
    _begun: set[Face] = field(default_factory=set)
    """Of lines with which a title of the outline begins, that goes on in the next."""
    _tagged: bool = False
    _hyphens: HyphenSurvey = field(default_factory=HyphenSurvey)
    languages: LanguageSurvey = field(default_factory=LanguageSurvey)
    """Tells what the words show to be the document's language."""
    _typefaces: TypefaceSurvey = field(default_factory=TypefaceSurvey)
    _typewriter: TypewriterSurvey = field(default_factory=TypewriterSurvey)
    _margins: dict[int, list[MarginLine]] = field(default_factory=dict)
    _front: tuple[int, list[FrontLine]] = (0, [])

    def add(self, number: int, height: float, lines: Sequence[TextLine], labels: Collection[int] = ()) -> None:
        """Take in the lines of page `number` (1-based). labels: the ids of those in figures, which head nothing."""
        outlined = number in self.outline
        front: list[FrontLine] | None = [] if not self._front[0] or number < self._front[0] else None
        above: tuple[TextLine | None, TextLine | None] = (None, None)
        for line, after, third in zip_longest(lines, lines[1:], lines[2:]):
            face = face_of(line)
            chars, letters = line.chars, _letters(line)
            self._tagged = self._tagged or (line.words[-1].level or 0) > 0
            self._chars[face] += chars
            if letters >= TYPOGRAPHY.running_chars:
                self._running[face] += chars
            if id(line) in labels:
                heading, begins = HeadingClass(face, ""), False
            else:
                heading, begins = self._count(number, line, (after, third), face)
            self._typefaces.add(line, above, (after, third), heading)
            self._typewriter.add(line)
            above = (above[1], line)
            if front is not None:
                front.append(FrontLine(line.box, heading, letters, begins))
            level = self.outline.level(number, line.text) if outlined else 0
            if level:
                self._outlined[HeadingClass(face, number_of(line.text))][level] += 1
            elif outlined and front is not None and self.outline.begins(number, line.text):
                self._begun.add(face)
        self._hyphens.add(lines)
        self.languages.add([word.text for line in lines for word in line.words])
        self._margins[number] = margin_lines(lines, height)
        if front is not None:
            self._front = number, front

    def _count(
        self, number: int, line: TextLine, following: Sequence[TextLine | None], face: Face
    ) -> tuple[HeadingClass, bool]:
        """Count a line that may be a heading: its class, and whether its number or words say that a section begins.

        following: the next two lines; what stands at one height with a number is its title.
        """
        after = following[0]
        first = line.words[0].text
        chars = line.chars
        found = HeadingClass(face, "")
        if chars > TYPOGRAPHY.heading_chars:
            return found, False
        worded = (
            chars <= TYPOGRAPHY.line_chars or not self._front[0]
        )  # on the first page `Abstract. ...` begins the text
        if _NUMBERED.match(first) or (worded and _may_tell(first)):  # others need no look at the whole line
            text = line.text
            if after is not None and _LONE_NUMBER.match(text) and _is_beside(line, after):
                text = f"{text} {after.text}"
                face = face_of(after)
                chars += after.chars
            elif after is not None and _is_number_above(text, line, after):
                face = face_of(after)
            if is_caption(text) or is_statement(text):
                return found, is_statement(text)
            found = HeadingClass(face, number_of(text))
            if found.number and any(other is not None and _is_page_of(line, other) for other in following):
                return found, False
        else:
            text = ""
        if not (_LETTER.search(text or first) or any(_LETTER.search(word.text) for word in line.words)):
            return found, False
        seen = self._classes.get(found)
        if seen is None:
            seen = self._classes[found] = _Seen()
        seen.lines += 1
        seen.last_page = max(number, seen.last_page)
        if found.number and chars <= TYPOGRAPHY.heading_chars and not text.endswith((".", ",", ";")):
            seen.told += 1
            # The front matter has names (F. Abbott) and dates (3 March 2026).
            return found, not found.number.startswith("letter") and not _YEAR.search(text)
        return found, False

    def norms(self) -> Norms:
        """Return what the pages have in common."""
        furniture = Furniture.of(self._margins, 0.0)
        repeated = list(furniture.repeated(self._margins))
        body = self._body(repeated)
        page, lines = self._front
        once = {c.face for c, seen in self._classes.items() if not c.number and seen.last_page == page}
        front = FrontMatter.of(page, lines, body, once)
        # The outline often leaves out the title, under which all others stand.
        outlined = {one.face for one in self._outlined} | self._begun
        below = int(front.title is not None and front.title not in outlined)
        typefaces = self._typefaces.found(body, TYPOGRAPHY.larger)
        return Norms(
            body=body,
            levels=self._levels(body, front, repeated, below, [one for found in typefaces.values() for one in found]),
            outline=self.outline.under(below),
            outlined=frozenset(one.face for one in self._outlined),
            tagged=self._tagged,
            front=front,
            furniture=replace(furniture, body_size=body.size),
            hyphens=self._hyphens.result(),
            typefaces=frozenset(typefaces),
            typed=self._typewriter.is_text(),
        )

    def _body(self, repeated: Sequence[MarginLine]) -> Face:
        """The face of running text, of which slides have less than of what stands at the foot of each."""
        chars, running = self._chars.copy(), self._running.copy()
        for line in repeated:
            length = sum(not character.isspace() for character in line.text)
            chars[line.face] -= length
            if length >= TYPOGRAPHY.running_chars:
                running[line.face] -= length
        # Long lines tell running text from tables, which often have the more characters, in smaller type.
        enough = running.total() > TYPOGRAPHY.fifth * chars.total()
        counted = running if enough else chars
        return max(counted, key=lambda face: counted[face], default=Face(0.0, False))

    def _levels(
        self,
        body: Face,
        front: FrontMatter,
        repeated: Sequence[MarginLine],
        below: int,
        typefaces: Sequence[HeadingClass],
    ) -> dict[HeadingClass, int]:
        """The levels of the classes of headings that there may be.

        repeated: running heads and feet. below: how far those of the outline go down. typefaces: the classes that only
        their font tells.
        """
        # Without a title of its own a document may have it over each page.
        heads = repeated if front.title is not None else ()
        running = Counter(HeadingClass(line.face, number_of(line.text)) for line in heads)
        outlined = {one: counts.most_common(1)[0][0] + below for one, counts in self._outlined.items()}
        title = HeadingClass(front.title, "") if front.title is not None else None
        classes = [
            one
            for one, seen in self._classes.items()
            if one == title or one in outlined or (seen.lines > running[one] and self._may_be(one, body, front))
        ]
        return heading_levels([*classes, *typefaces], title) | outlined

    def _may_be(self, one: HeadingClass, body: Face, front: FrontMatter) -> bool:
        """Decide whether lines of a class may be headings, as far as their looks and numbers tell."""
        face = one.face
        told = self._classes[one].told > 0
        larger = face.size > TYPOGRAPHY.larger * body.size
        lines = self._classes[one].lines
        if not one.number and lines <= front.above.count(one):
            return False
        if lines <= front.between.count(one) and not (face.bold and larger):
            return False
        if larger:
            return True
        if face.size < (TYPOGRAPHY.plainly_smaller if told else SURVEY.bold_size) * body.size:
            return False
        if face.bold and not body.bold:
            return told or not self._outlined
        looks = face.look not in ("", body.look)
        if not told:
            return looks and face.look == "caps" and self._typewriter.is_text()
        return looks or not one.number.startswith(LISTED)


LISTED = ("decimal", "roman", "letter")
"""Numbers that lists have too: in the type of the text they tell no heading."""
