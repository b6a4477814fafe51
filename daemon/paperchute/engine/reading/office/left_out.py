"""What an office file says and no page of it has here: told, so that nothing of it goes in silence."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from paperchute.engine.work import Work
from paperchute.language import N_, _, ngettext

_ASIDE = (
    (re.compile(r"ppt/notesSlides/notesSlide\d+\.xml"), N_("speaker notes")),
    (re.compile(r"(?:word/comments|xl/comments/?\w*|ppt/comments/\w+)\.xml"), N_("comments")),
)
_TEXT = re.compile(rb"<(?:w:|a:|c:)?(?:t|v)(?: [^<>]*)?>([^<>]*[^\s<>0-9][^<>]*)<")
"""What is no number alone: notes hold that of their page."""


_FEW = 10  # names in one sentence


@dataclass(slots=True)
class LeftOut:
    """What the writers of pages pass over. place: the slide or sheet that is read, for those who look for it."""

    place: str = ""
    _aside: dict[str, None] = field(default_factory=dict)
    _unread: dict[str, None] = field(default_factory=dict)
    _embedded: bool = False
    _lost_pictures: int = 0
    _unread_pictures: int = 0
    _hidden: dict[str, None] = field(default_factory=dict)
    _without_values: dict[str, None] = field(default_factory=dict)

    def aside(self, kind: str) -> None:
        """Something beside the pages, or that people do not see: a note says so. kind: marked by N_."""
        self._aside[kind] = None

    def unread_drawing(self) -> None:
        """A chart, diagram or drawing whose words people see: a warning says so."""
        self._unread[self.place] = None

    def embedded(self) -> None:
        """Another document stands in the text in its own format: a warning says so."""
        self._embedded = True

    def lost_picture(self) -> None:
        """A picture that the file names and does not hold: a note says so."""
        self._lost_pictures += 1

    def unread_picture(self) -> None:
        """A picture in a format that is not read here: a warning says so."""
        self._unread_pictures += 1

    def seen_by_nobody(self, title: str) -> None:
        """A sheet or slide that is in the result though people do not see all of it: a note says so."""
        self._hidden[title] = None

    def without_values(self, sheet: str) -> None:
        """Formulas of a sheet say nothing of what they give, so their cells are empty: a warning says so."""
        self._without_values[sheet] = None

    def tell(self, path: Path, work: Work) -> None:
        """Say it, with what stands in parts of the file that nothing here reads."""
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            said = [
                _(kind)
                for pattern, kind in _ASIDE
                if any(pattern.fullmatch(name) and _TEXT.search(archive.read(name)) for name in names)
            ]
        said += map(_, self._aside)
        name = work.sources[0].name
        if self._unread:
            places = [f"{name} ({place})" if place else name for place in self._unread]
            work.warn(
                _(
                    "{name} has charts, diagrams, ink or lists to choose from, which are not read: their words are not "
                    "in the result.",
                    name=_few(places),
                )
            )
        if said:
            work.note(_("Left out of {name}: {what}.", name=name, what=", ".join(dict.fromkeys(said))))
        if self._embedded:
            work.warn(_("{name} has documents of another format in its text, which are not read.", name=name))
        if self._without_values:
            work.warn(
                _(
                    "Formulas in {name} ({sheets}) were saved without their values, so their cells are empty in the "
                    "result: open the file in a spreadsheet program, save it, and try again.",
                    name=name,
                    sheets=_few(self._without_values),
                )
            )
        if self._lost_pictures:
            work.note(
                ngettext(
                    "{n} picture of {name} does not lie in the file.",
                    "{n} pictures of {name} do not lie in the file.",
                    self._lost_pictures,
                    name=name,
                )
            )
        if self._unread_pictures:
            work.warn(
                ngettext(
                    "{n} picture of {name} is in a format that is not read here, such as EMF: it is not in the result.",
                    "{n} pictures of {name} are in a format that is not read here, such as EMF: they are not in the "
                    "result.",
                    self._unread_pictures,
                    name=name,
                )
            )
        if self._hidden:
            work.note(_("Hidden in {name}, and in the result: {what}.", name=name, what=_few(self._hidden)))


def _few(names: Iterable[str]) -> str:
    """The first names, as many as a sentence bears."""
    known = list(names)
    return ", ".join(known[:_FEW]) + (" ..." if len(known) > _FEW else "")
