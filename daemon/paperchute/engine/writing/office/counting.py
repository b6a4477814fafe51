"""Lists as word processors count them: the markers of items and the numbers of clauses, of several levels in one."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from paperchute.engine.writing.office.lists import Clause, clause_of, marker_before, read_as
from paperchute.engine.writing.office.measures import MEASURES
from paperchute.engine.writing.office.parts import (
    FlowPart,
    LayoutPart,
    Marker,
    NumberFormat,
    Paragraph,
    PicturePart,
    Section,
    TablePart,
)
from paperchute.engine.writing.office.runs import Run, text_of


@dataclass(frozen=True, slots=True)
class CountingSettings:
    """When numbers are ones that count. Lengths are points."""

    ahead: int = 60
    """Parts after a clause in which the next one of its number must stand: about two pages of clauses under it. A
    number that no other follows may be an amount, or the time of an event. Also a bound on memory."""

    alone: int = 3
    """Parts of a number that can be nothing else: of two it may be an amount."""

    most_level: int = 8
    """A Word list has nine levels."""


COUNTING = CountingSettings()


@dataclass(slots=True)
class _Level:
    """A level of a list. kind: what its numbers look like. last: the number shown last, None where it begins anew.

    spaced: a space follows them, and no tab. left: where the last one stands; hang: where its text does, from there.
    """

    kind: str
    format: NumberFormat
    pattern: str
    start: int
    last: int | None = None
    spaced: bool = False
    hang: float = 0.0
    left: float = 0.0

    @property
    def next(self) -> int:
        """What a word processor counts next."""
        return self.start if self.last is None else self.last + 1


@dataclass(slots=True)
class _List:
    """A list. base: the numbers that stand before its own as text. at: the level of its last item; left: its place."""

    series: int
    base: tuple[int, ...] = ()
    levels: dict[int, _Level] = field(default_factory=dict)
    at: int = 0
    left: float = 0.0

    def use(self, level: int, number: int, left: float) -> None:
        """Show a number; what is below it begins anew."""
        self.levels[level].last, self.levels[level].left = number, left
        for deeper, known in self.levels.items():
            if deeper > level:
                known.last = None
        self.at, self.left = level, left

    def level_of(self, values: Sequence[int]) -> int:
        """The level of a number whose other parts are those shown last, -1 for none."""
        own = tuple(values[len(self.base) :])
        if tuple(values[: len(self.base)]) != self.base or not own:
            return -1
        above = [self.levels.get(level) for level in range(len(own) - 1)]
        shown = [known.last if known is not None and known.format == "decimal" else None for known in above]
        return len(own) - 1 if shown == list(own[:-1]) else -1


@dataclass(slots=True)
class Counting:
    """Knows the lists of the document so far, so that one goes on after the text between its items."""

    _series: int = 0
    _last: _List | None = None
    _ordered: _List | None = None
    _clauses: _List | None = None
    _bullets: dict[str, _List] = field(default_factory=dict)
    _shift: int = 0
    _in_items: bool = False

    def pass_by(self) -> None:
        """Something else than an item stands here."""
        self._in_items = False

    def item(self, part: Paragraph, marker: Marker) -> Paragraph:
        """An item with its list and level there."""
        if not self._in_items:
            self._shift = 0
        self._in_items = True
        if marker.start == 0 and marker.format == "bullet":
            return part
        left = part.place.indent + part.place.first
        owner, level, number, style = self._place_of(part, marker, left)
        kind = f"{style} {marker.pattern}"
        if level not in owner.levels:
            pattern = marker.pattern if style == "bullet" else marker.pattern.replace("%", f"%{level + 1}")
            owner.levels[level] = _Level(kind, style, pattern, number)
        known = owner.levels[level]
        owner.use(level, number, left)
        self._last = owner
        counted = Marker(owner.series, known.start, style, known.pattern, marker.printed)
        return replace(part, level=level, marker=counted)

    def _place_of(self, part: Paragraph, marker: Marker, left: float) -> tuple[_List, int, int, NumberFormat]:
        """The list of an item, its level there, its number and format."""
        wanted = min(part.level + self._shift, COUNTING.most_level)
        for owner in self._known():
            levels = sorted(owner.levels, key=lambda level: (level != wanted, level != part.level, -level))
            for level in levels:
                known = owner.levels[level]
                deepest = owner.at + (left > owner.left + MEASURES.letter)
                fits = level == wanted or (part.level == 0 and level <= deepest)
                if fits and _goes_on(known, marker) and (level == wanted or marker.format != "bullet"):
                    self._shift = level - part.level
                    return owner, level, known.next if known.format != "bullet" else 1, known.format
        last = self._last
        if last is not None and marker.format != "bullet" and marker.start == 1 and part.level == 0:
            below = last.at + 1
            if left > last.left + MEASURES.letter and below not in last.levels and below <= COUNTING.most_level:
                self._shift = below
                return last, below, marker.start, marker.format
        if part.level and last is not None and wanted not in last.levels:
            return last, wanted, marker.start, marker.format
        if not part.level:
            self._shift = wanted = 0
        owner = self._opened()
        if wanted == 0 and marker.format == "bullet":
            self._bullets[marker.pattern] = owner
        elif wanted == 0:
            self._ordered = owner
        return owner, wanted, marker.start, marker.format

    def _known(self) -> Iterator[_List]:
        """Lists that may go on, the one of the last item first."""
        seen: list[_List] = []
        for one in (self._last, self._ordered, *self._bullets.values()):
            if one is not None and not any(one is other for other in seen):
                seen.append(one)
                yield one

    def _opened(self, base: tuple[int, ...] = ()) -> _List:
        self._series += 1
        return _List(self._series, base)

    def goes_on(self, part: Paragraph) -> Marker | None:
        """The marker of the item after the last one of a list, where a paragraph begins with it and stands as it does.

        Alone at a page's beginning it was no list to the reader.
        """
        marker = marker_before(text_of(part.runs))
        left = part.place.indent + part.place.first
        for owner in self._known() if marker is not None else ():
            for known in owner.levels.values():
                beside = known.last is not None and abs(known.left - left) <= MEASURES.letter
                if beside and marker is not None and _goes_on(known, marker):
                    return marker
        return None

    def counts_on(self, clause: Clause) -> bool:
        """Decide whether a clause has the number that comes next, or the first one below the clause before it."""
        for owner in (self._clauses, self._ordered):
            level = owner.level_of(clause.values) if owner is not None else -1
            if owner is None or level < 0:
                continue
            known = owner.levels.get(level)
            number = clause.values[-1]
            if known is not None and known.kind == clause.after and known.last is not None and known.next == number:
                return True
            if number == 1 and len(clause.values) >= COUNTING.alone and owner.at in (level - 1, level):
                return known is None or (known.kind == clause.after and known.next == 1)
        return False

    def clause(self, part: Paragraph, clause: Clause, hang: float) -> Paragraph:
        """A paragraph that begins with a number as an item without it. hang: of its further lines, 0 for none."""
        left = part.place.indent + part.place.first
        number = clause.values[-1]
        owner, level = self._clause_place(clause)
        if level not in owner.levels:
            base = "".join(f"{value}." for value in owner.base)
            own = ".".join(f"%{depth + 1}" for depth in range(level + 1))
            owner.levels[level] = _Level(clause.after, "decimal", f"{base}{own}{clause.after}", number, spaced=not hang)
        known = owner.levels[level]
        owner.use(level, number, left)
        known.hang = hang
        self._last = self._clauses = owner
        self._in_items = False
        printed = text_of(part.runs)[: clause.length].strip()
        marker = Marker(owner.series, known.start, "decimal", known.pattern, printed, known.spaced)
        place = replace(part.place, indent=left + hang, first=-hang) if hang else part.place
        return replace(_as_item(part, marker, len(printed)), level=level, place=place)

    def hang_of(self, clause: Clause) -> float:
        """Return how far further lines of the clause before of the same depth hang."""
        owner = self._clauses
        level = owner.level_of(clause.values) if owner is not None else -1
        return owner.levels[level].hang if owner is not None and level in owner.levels else 0.0

    def _clause_place(self, clause: Clause) -> tuple[_List, int]:
        for owner in (self._clauses, self._ordered):
            level = owner.level_of(clause.values) if owner is not None else -1
            if owner is None or not 0 <= level <= COUNTING.most_level:
                continue
            known = owner.levels.get(level)
            if known is None or (known.kind == clause.after and known.next == clause.values[-1]):
                return owner, level
        return self._opened(clause.values[:-1]), 0


def _goes_on(known: _Level, marker: Marker) -> bool:
    """Decide whether a marker is the next one of a level."""
    if known.kind != f"{known.format} {marker.pattern}":
        return False
    return known.format == "bullet" == marker.format or (
        "bullet" not in (known.format, marker.format) and read_as(marker, known.format) == known.next
    )


def _without(runs: Sequence[Run], length: int) -> tuple[Run, ...]:
    """Runs without their first characters."""
    kept = []
    for run in runs:
        cut = min(length, len(run.text))
        length -= cut
        if run.text[cut:] or run.note:
            kept.append(replace(run, text=run.text[cut:]))
    return tuple(kept)


def numbered(parts: Iterable[FlowPart | Section]) -> Iterator[FlowPart | Section]:
    """The parts of a document, its items and clauses counted. A clause waits for the next of its number."""
    counting = Counting()
    waiting: deque[FlowPart | Section] = deque()
    walk = iter(parts)
    ended = False
    while waiting or not ended:
        while not ended and (not waiting or (_needs_more(counting, waiting) and len(waiting) <= COUNTING.ahead)):
            part = next(walk, None)
            if part is None:
                ended = True
            else:
                waiting.append(part)
        if waiting:
            yield _counted(counting, waiting.popleft(), waiting)


def _needs_more(counting: Counting, waiting: Sequence[FlowPart | Section]) -> bool:
    """Decide whether what comes later decides about the first part that waits."""
    first = _clause(waiting[0])
    if first is None:
        return False
    return not counting.counts_on(first) and not any(_follows(first, one) for one in waiting)


def _counted(counting: Counting, part: FlowPart | Section, later: Sequence[FlowPart | Section]) -> FlowPart | Section:
    match part:
        case Paragraph(marker=Marker() as marker):
            return counting.item(part, marker)
        case Paragraph():
            clause = _clause(part)
            following = counting.goes_on(part) if _is_plain(part) else None
            if following is not None:
                return counting.item(_as_item(part, following, len(following.printed)), following)
            if clause is not None and (counting.counts_on(clause) or any(_follows(clause, one) for one in later)):
                return counting.clause(part, clause, _hang(counting, part, clause, later))
        case LayoutPart():
            cells = tuple(replace(cell, parts=tuple(_inner(counting, cell.parts))) for cell in part.cells)
            part = replace(part, cells=cells)
        case _:
            pass
    if isinstance(part, Paragraph | TablePart | PicturePart | LayoutPart):
        counting.pass_by()
    return part


def _inner(counting: Counting, parts: Iterable[FlowPart]) -> Iterator[FlowPart]:
    """Yield what stands in a cell, items counted."""
    for one in parts:
        counted = _counted(counting, one, ())
        assert not isinstance(counted, Section)
        yield counted


def _is_plain(part: Paragraph) -> bool:
    """Decide whether a paragraph is running text that a number may stand before."""
    if part.kind != "text" or part.marker is not None or part.rtl or part.stops or part.initial:
        return False
    return bool(part.runs) and not part.runs[0].note and part.place.align in ("left", "both")


def _clause(part: FlowPart | Section) -> Clause | None:
    """The number that a paragraph of running text begins with."""
    return clause_of(text_of(part.runs)) if isinstance(part, Paragraph) and _is_plain(part) else None


def _as_item(part: Paragraph, marker: Marker, length: int) -> Paragraph:
    """A paragraph without the marker it begins with. length: of this in its text, without the space behind."""
    rest = text_of(part.runs)[length:]
    runs = _without(part.runs, length + len(rest) - len(rest.lstrip()))
    return replace(part, kind="item", level=0, marker=marker, mark=part.runs[0].style, runs=runs)


def _follows(clause: Clause, part: FlowPart | Section) -> bool:
    """Decide whether a part begins with the number after a clause's."""
    other = _clause(part)
    after = (*clause.values[:-1], clause.values[-1] + 1)
    return other is not None and other.after == clause.after and other.values == after


def _hang(counting: Counting, part: Paragraph, clause: Clause, later: Iterable[FlowPart | Section]) -> float:
    """How far the further lines of a clause stand right of its number; of one line, those of others of its depth."""
    if part.place.first:
        return max(-part.place.first, 0.0)
    if known := counting.hang_of(clause):
        return known
    for one in later:
        other = _clause(one)
        if other is None or not isinstance(one, Paragraph) or len(other.values) != len(clause.values):
            continue
        if one.place.first < 0:
            return -one.place.first
    return 0.0
