"""The repairs of a page's picture, in their order: what each looks at, what it changes, and when it runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from paperchute.engine import report
from paperchute.engine.imaging.measures import PRINT
from paperchute.engine.reading.ocr.detection import find_lines
from paperchute.engine.reading.ocr.dropouts import left_out
from paperchute.engine.reading.ocr.recognised import WorkingPicture
from paperchute.engine.reading.ocr.show_through import front_of
from paperchute.engine.reading.ocr.specks import spoiled
from paperchute.engine.reading.ocr.streaks import without_streaks
from paperchute.engine.reading.ocr.unread import is_stamped_over
from paperchute.engine.reading.ocr.upright import (
    flatten,
    laid_along,
    lay_along,
    lay_straight,
    stand_up,
    turn_across,
)
from paperchute.language import _

When = Literal["before lines are found", "once lines are found", "once lines are read", "once words are placed"]


@dataclass(frozen=True, slots=True)
class Repair:
    """A repair of a page, or of what is believed of it. What each costs: `python -m benchmarks.scans --repairs`.

    run: gives whether it found something amiss. needs: the fields of `WorkingPicture` that it looks at. gives: those
    that it changes.
    """

    run: Callable[[WorkingPicture], bool]
    when: When
    needs: frozenset[str]
    gives: frozenset[str]

    @property
    def name(self) -> str:
        """The repair in words: "take out streaks"."""
        return self.run.__name__.replace("_", " ")


def repair(page: WorkingPicture, when: When) -> bool:
    """Run the repairs that are due. Whether one of them found something amiss."""
    amiss = False
    for each in REPAIRS:
        if each.when == when:
            amiss |= each.run(page)
    return amiss


def take_out_streaks(page: WorkingPicture) -> bool:
    """Take out what dust on the scanner's glass has drawn; where it hid letters the page is unsure."""
    clean, hidden = without_streaks(page.picture, page.dpi)
    if clean is page.picture:
        return False
    page.picture, page.unsure = clean, max(page.unsure, hidden)
    report.note(_("Streaks left by dust on the scanner's glass were removed from the text. Clean the glass."))
    return True


def take_off_back(page: WorkingPicture) -> bool:
    """Take off what shines through from the back of the sheet, and look for lines anew."""
    upright = page.upright
    if upright.front is not None:
        return False
    front = front_of(upright.picture, page.level, page.cut, page.readings, page.model, page.scale)
    if front is None:
        return False
    upright.front = front
    upright.lines = laid_along(find_lines(front, page.scale).lines)
    return True


def doubt_specks(page: WorkingPicture) -> bool:
    """Make a page unsure as far as specks are bound to have spoiled its lines."""
    return _doubt(page, spoiled(page.upright.readable, page.upright.lines, page.scale))


def doubt_dropouts(page: WorkingPicture) -> bool:
    """Make a page unsure whose letters dead elements cut: the sensor's, and once it is laid straight the printer's."""
    skewed = left_out(page.upright.readable, page.dpi) if page.upright.skew else 0.0
    return _doubt(page, max(left_out(page.picture, page.dpi), skewed))


def doubt_stamped(page: WorkingPicture) -> bool:
    """Make a page unsure where a stamp lies over its lines."""
    return _doubt(page, PRINT.few if is_stamped_over(page.words) else 0.0)


def _doubt(page: WorkingPicture, share: float) -> bool:
    page.unsure = max(page.unsure, share)
    return share > 0


def _repair(run: Callable[[WorkingPicture], bool], when: When, needs: str, gives: str) -> Repair:
    return Repair(run, when, frozenset(needs.split()), frozenset(gives.split()))


REPAIRS: tuple[Repair, ...] = (
    _repair(take_out_streaks, "before lines are found", "picture dpi unsure", "picture unsure"),
    _repair(turn_across, "once lines are found", "upright", "upright"),
    _repair(flatten, "once lines are found", "upright middles scale straighten", "upright"),
    _repair(lay_straight, "once lines are found", "upright scale straighten", "upright"),
    _repair(stand_up, "once lines are found", "upright model", "upright"),
    _repair(lay_along, "once lines are found", "upright", "upright"),
    _repair(take_off_back, "once lines are read", "upright level cut readings model scale", "upright"),
    _repair(doubt_specks, "once words are placed", "upright scale unsure", "unsure"),
    _repair(doubt_dropouts, "once words are placed", "picture dpi upright unsure", "unsure"),
    _repair(doubt_stamped, "once words are placed", "words unsure", "unsure"),
)
