"""Several results into a folder that exists: which name each gets, and what of it may be replaced. Nothing is changed.

A result is a file, or a document: a file and what it refers to by name, such as a page and its pictures. The files of
a document keep their names among each other, so a clash of one of them gives the folder of all a number.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path, PurePosixPath

from paperchute.files import placement
from paperchute.files.folder import Folder
from paperchute.jobs.model import Move
from paperchute.rules.values import Conflict

_REFERRING = frozenset({".md", ".html", ".htm", ".xhtml", ".xml", ".css", ".svg"})
"""Files that name other files, which must then be found beside them under just these names."""

IsOwn = Callable[[PurePosixPath, PurePosixPath], bool]
"""Whether the file at a place below the folder is an unchanged earlier result, asked for at another (or that) place."""


@dataclass
class Decision:
    """What goes where, and what of it needs a word."""

    moves: list[Move] = field(default_factory=list)
    skipped: list[PurePosixPath] = field(default_factory=list)
    """Names that were taken, whose results are left out."""
    beside: list[tuple[PurePosixPath, PurePosixPath]] = field(default_factory=list)
    """Names that were taken, and those that the results get instead."""


def is_document(names: Iterable[str]) -> bool:
    """Decide whether files of one result may refer to each other."""
    refer = [PurePosixPath(name).suffix.lower() in _REFERRING for name in names]
    return any(refer) and not all(refer)


def decide(
    top: Folder, names: Sequence[str], documents: Sequence[str], conflict: Conflict, is_own: IsOwn
) -> Decision | None:
    """Return where each of these results goes below the folder `top`.

    documents: folders among the names that are one document each; empty text for all of it as one. None when all of it
    is one document which cannot be put here as it is.
    """
    merger = _Merger(_Lying(top), conflict, is_own)
    for document in documents:
        inside = [name for name in names if not document or PurePosixPath(name).is_relative_to(document)]
        if not merger.add_document(PurePosixPath(document), inside) and not document:
            return None
    if "" not in documents:
        for name in names:
            if not any(PurePosixPath(name).is_relative_to(document) for document in documents):
                merger.add_file(PurePosixPath(name))
    return merger.found


def plain(name: str) -> str:
    """What names have in common that some system or person takes for one: letter case and Unicode form do not count."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


class _Merger:
    def __init__(self, lying: _Lying, conflict: Conflict, is_own: IsOwn) -> None:
        self.found = Decision()
        self._lying = lying
        self._conflict = conflict
        self._is_own = is_own

    def add_file(self, name: PurePosixPath) -> None:
        where = self._lying.folder_for(name.parent)
        place = where / name.name
        if self._lying.is_free(place):
            self._move(name, place)
        elif self._conflict == "skip":
            self.found.skipped.append(place)
        else:
            self._beside_or_over(name, place)

    def _beside_or_over(self, name: PurePosixPath, place: PurePosixPath) -> None:
        for candidate in map(PurePosixPath, placement.numbered(Path(place))):
            if self._lying.is_free(candidate):
                if self._conflict == "replace":
                    self.found.beside.append((place, candidate))
                self._move(name, candidate)
                return
            if self._may_replace(candidate, name):
                self._move(name, candidate, over=True)
                return

    def add_document(self, document: PurePosixPath, names: Sequence[str]) -> bool:
        """Add its files; False when it must get a folder of another name, which for the whole is not decided here."""
        below = [(PurePosixPath(name), PurePosixPath(name).relative_to(document)) for name in names]
        place = document if document == PurePosixPath() else self._lying.folder_for(document)
        if self._fits(place, below):
            self._move_all(place, below)
        elif self._conflict == "skip":
            self.found.skipped.append(place)
        elif document == PurePosixPath():
            return False
        else:
            for candidate in map(PurePosixPath, placement.numbered(Path(place))):
                if self._lying.is_free(candidate) or (candidate != place and self._fits(candidate, below)):
                    if self._conflict == "replace":
                        self.found.beside.append((place, candidate))
                    self._lying.add_folder(candidate)
                    self._move_all(candidate, below)
                    break
        return True

    def _fits(self, place: PurePosixPath, below: Sequence[tuple[PurePosixPath, PurePosixPath]]) -> bool:
        """Decide whether all of a document can go there under its own names."""
        return all(
            self._lying.holds_no(place / inner) or self._may_replace(place / inner, name) for name, inner in below
        )

    def _may_replace(self, place: PurePosixPath, name: PurePosixPath) -> bool:
        return self._conflict == "replace" and self._lying.is_there(place) and self._is_own(place, name)

    def _move_all(self, place: PurePosixPath, below: Sequence[tuple[PurePosixPath, PurePosixPath]]) -> None:
        for name, inner in below:
            self._lying.folder_for((place / inner).parent)
            self._move(name, place / inner, over=not self._lying.is_free(place / inner))

    def _move(self, name: PurePosixPath, place: PurePosixPath, *, over: bool = False) -> None:
        self.found.moves.append(Move(str(name), str(place), over))
        self._lying.add_file(place)


class _Lying:
    """What lies below a folder, and what is about to."""

    def __init__(self, top: Folder) -> None:
        self._top = top
        self._known: dict[PurePosixPath, dict[str, str]] = {}
        self._given: set[PurePosixPath] = set()
        self._folders: set[PurePosixPath] = set()

    def is_free(self, place: PurePosixPath) -> bool:
        """Decide whether nothing bears this name, nor one that a person or system takes for the same."""
        return plain(place.name) not in self._names(place.parent)

    def is_there(self, place: PurePosixPath) -> bool:
        """Decide whether something with just this name was there before."""
        actual = self._names(place.parent).get(plain(place.name))
        same = actual is not None and unicodedata.normalize("NFC", actual) == unicodedata.normalize("NFC", place.name)
        return same and place not in self._given

    def holds_no(self, place: PurePosixPath) -> bool:
        """Decide whether a file could be put there, its folders made where they are missing."""
        for parent in reversed(place.parents[:-1]):
            if self.is_free(parent):
                return True
            if not self._is_folder(parent):
                return False
        return self.is_free(place)

    def folder_for(self, wanted: PurePosixPath) -> PurePosixPath:
        """The folder that stands for `wanted`: of its name in any spelling, or a numbered one where that is taken."""
        place = PurePosixPath()
        for part in wanted.parts:
            for candidate in placement.numbered(Path(part)):
                actual = self._names(place).get(plain(candidate.name))
                if actual is None:
                    place /= candidate.name
                    self.add_folder(place)
                    break
                if self._is_folder(place / actual):
                    place /= actual
                    break
        return place

    def add_folder(self, place: PurePosixPath) -> None:
        self._names(place.parent)[plain(place.name)] = place.name
        self._folders.add(place)
        self._known.setdefault(place, {})

    def add_file(self, place: PurePosixPath) -> None:
        self._names(place.parent)[plain(place.name)] = place.name
        self._given.add(place)

    def _is_folder(self, place: PurePosixPath) -> bool:
        if place not in self._folders:
            try:
                with self._top.below(place.parts):
                    self._folders.add(place)
            except (FileNotFoundError, NotADirectoryError):
                return False
        return True

    def _names(self, where: PurePosixPath) -> dict[str, str]:
        if where not in self._known:
            try:
                with self._top.below(where.parts) as folder:
                    self._known[where] = {plain(name): name for name in folder.names()}
            except (FileNotFoundError, NotADirectoryError):
                self._known[where] = {}
        return self._known[where]


class Names:
    """Names, still without a suffix, that differ on every platform."""

    def __init__(self) -> None:
        self._used: dict[str, int] = {}  # how often each was wanted

    def free(self, wanted: PurePosixPath) -> PurePosixPath:
        """`wanted`, or the first with a number that was not given yet."""
        for number in count(self._used.get(plain(str(wanted)), 0) + 1):
            name = wanted if number == 1 else wanted.with_name(f"{wanted.name} ({number})")
            if plain(str(name)) not in self._used:
                self._used[plain(str(name))] = 1
                self._used[plain(str(wanted))] = number
                return name
        raise AssertionError("count() never ends")
