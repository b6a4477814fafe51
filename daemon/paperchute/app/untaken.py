"""What lies in hot folders: files that no rule takes, whose owner waits for nothing, and those that a new rule will."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from loguru import logger

from paperchute.app.empty_folders import EmptyFolders
from paperchute.app.rulebook import Rulebook
from paperchute.app.selection import hot_folders, says_something
from paperchute.errors import PaperchuteError
from paperchute.files.names import folded, is_half_made, is_hidden, is_temporary, quoted
from paperchute.language import _, ngettext
from paperchute.rules.destinations import siblings
from paperchute.rules.match import first_match
from paperchute.rules.model import Rule
from paperchute.rules.output import configured_folder
from paperchute.rules.patterns import glob
from paperchute.watch.interface import HotFolder
from paperchute.watch.judge import is_whole_document
from paperchute.watch.roots import DEEPEST

_PAUSE_SECONDS = 20.0
_PAUSES = 200
"""A pause is as many times as long as the round before it, so that a folder of many files costs little."""
_YOUNG_SECONDS = 60.0
"""A file that has just come may be about to be renamed or moved on."""
_MOST_FILES = 20_000
"""Of one hot folder; its others are not looked at, and what is said of it says "at least"."""
_NAMES_SHOWN = 3


@dataclass(frozen=True)
class Untaken:
    """Files of one hot folder that no rule takes, all for the same reason."""

    folder: Path
    """The hot folder."""
    reason: str
    """Why, without the files' own names."""
    files: int
    """How many there are."""
    names: tuple[str, ...]
    """The first of them, relative to the folder."""
    more: bool = False
    """The folder has more files than are looked at."""

    def line(self) -> str:
        """All of it, in one line for people."""
        shown = ", ".join(map(quoted, self.names)) + (", …" if self.files > len(self.names) else "")
        count = ngettext("{n} file", "{n} files", self.files)
        if self.more:
            count = _("at least {files}", files=count)
        return _(
            "{folder}: {files} not taken: {reason} ({names})",
            files=count,
            folder=self.folder,
            reason=self.reason,
            names=shown,
        )

    def as_json(self) -> dict[str, Any]:
        """For `paperchute status --json` (docs/cli.md)."""
        return {
            "folder": str(self.folder),
            "reason": self.reason,
            "files": self.files,
            "names": list(self.names),
            "told": self.line(),
        }


class Rounds:
    """Goes round the hot folders again and again, on a thread of its own, since a share may hang."""

    def __init__(self, rulebook: Rulebook, folders: EmptyFolders) -> None:
        """folders: removes those that are left empty."""
        self._rulebook = rulebook
        self._folders = folders
        self._found: tuple[Untaken, ...] = ()
        self._go = threading.Event()
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name="untaken", daemon=True)

    def start(self) -> None:
        """Begin with the first round."""
        self._thread.start()

    def stop(self) -> None:
        """End; a hung share is not waited for."""
        self._stopping = True
        self._go.set()

    def now(self) -> tuple[Untaken, ...]:
        """Return what the last round found, in the order of the folders. Any thread may ask."""
        return self._found

    def look_now(self) -> None:
        """The rules have changed, so begin another round."""
        self._go.set()

    def _run(self) -> None:
        while not self._stopping:
            self._go.clear()
            begun = time.monotonic()
            self._found = tuple(self._round())
            self._go.wait(max(_PAUSE_SECONDS, _PAUSES * (time.monotonic() - begun)))

    def _round(self) -> Iterator[Untaken]:
        rules = self._rulebook.rules
        for hot in hot_folders(rules):
            try:
                yield from untaken_in(hot, rules, time.time())
                self._folders.look(hot.path, rules, _written(rules), time.time(), time.monotonic())
            except (OSError, sqlite3.Error) as error:
                logger.debug("{} cannot be looked through just now ({})", hot.path, error)


def untaken_in(hot: HotFolder, rules: Sequence[Rule], now: float) -> list[Untaken]:
    """What no rule takes by its name and place, by reason. now: Unix time. Raises OSError when it cannot be listed."""
    names: dict[str, list[str]] = {}
    found = lying(hot, rules)
    for entry, relative in islice(found, _MOST_FILES):
        if (why := why_untaken(hot, rules, entry, relative)) and _is_old(entry, now):
            names.setdefault(why, []).append(str(relative))
    more = next(found, None) is not None
    return [
        Untaken(hot.path, why, len(those), tuple(sorted(those)[:_NAMES_SHOWN]), more) for why, those in names.items()
    ]


def check_drop(rules: Sequence[Rule], folder: Path, name: str) -> None:
    """Raise PaperchuteError for a file that would lie in a hot folder for ever, with the folders that would take it.

    Only names are looked at. Beside a web page anything may be a part of it.
    """
    here = [rule for rule in rules if rule.enabled and rule.folder == folder]
    if any(first_match(here, folder, Path(one)) is not None for one in (name, "page.html")):
        return
    if says_something(here, folder, Path(name)):
        return
    others = {rule.folder for rule in rules if rule.enabled}
    takers = sorted(other.name for other in others if first_match(rules, other, Path(name)) is not None)
    patterns = " ".join(dict.fromkeys(pattern for rule in here for pattern in rule.match))
    raise PaperchuteError(
        _("No rule of {folder} takes {name}; it takes {patterns}.", folder=folder.name, name=name, patterns=patterns)
        if any(rule.gather != "folder" for rule in here)
        else _("No rule of {folder} takes {name}; only sub-folders are taken here.", folder=folder.name, name=name),
        _("Put it into {folders}.", folders=", ".join(takers)) if takers else _("Make a rule for it first."),
    )


def told_of_waiting(rule: Rule, rules: Sequence[Rule]) -> str:
    """What lies in a rule's hot folder and is taken at once, for whoever has just pointed the rule there; or nothing.

    By name and place, among the rules that the file has with it.
    """
    hot = next((hot for hot in hot_folders(rules) if hot.path == rule.folder), None)
    if hot is None:
        return ""
    try:
        found = lying(hot, rules)
        first = islice(found, _MOST_FILES)
        files = [relative for entry, relative in first if _is_taken_as_file(entry)]
        more = next(found, None) is not None
    except OSError:
        return ""  # it is made when Paperchute runs, or said to be away
    count = sum(first_match(rules, hot.path, relative) is rule for relative in files)
    if not count:
        if not more:
            return ""
        return _(
            "More than {n} files are in {folder} already; those that fit will be taken, too.",
            n=_MOST_FILES,
            folder=rule.folder,
        )
    if more:
        return ngettext(
            "At least {n} file is in {folder} already and will be taken, too.",
            "At least {n} files are in {folder} already and will be taken, too.",
            count,
            folder=rule.folder,
        )
    return ngettext(
        "{n} file is in {folder} already and will be taken, too.",
        "{n} files are in {folder} already and will be taken, too.",
        count,
        folder=rule.folder,
    )


def _written(rules: Sequence[Rule]) -> frozenset[Path]:
    """The folders that rules fill: what lies there was not dropped."""
    filled = {folder for rule in rules for folder in (configured_folder(rule), *vars(siblings(rule)).values())}
    filled |= {Path(rule.original) for rule in rules if Path(rule.original).is_absolute()}
    return frozenset(map(folded, filled))


def lying(hot: HotFolder, rules: Sequence[Rule]) -> Iterator[tuple[os.DirEntry[str], Path]]:
    """List what lies in a hot folder and below, with its path there: all but folders that are looked into.

    What rules fill, and the folders of programs and hidden ones, are passed over. Raises OSError.
    """
    written = _written(rules)
    folders = [(os.fspath(hot.path), Path())]
    while folders:
        folder, at = folders.pop()
        try:
            entries = os.scandir(folder)
        except OSError:
            if not at.parts:
                raise
            continue  # the watcher says which folder may not be listed
        with entries:
            for entry in entries:
                relative = at / entry.name
                if not entry.is_dir(follow_symlinks=False) or is_half_made(entry.name):
                    yield entry, relative
                elif not hot.enters(relative.parts) or len(relative.parts) >= DEEPEST:
                    continue
                elif folded(hot.path / relative) not in written:
                    folders.append((entry.path, relative))


def why_untaken(hot: HotFolder, rules: Sequence[Rule], entry: os.DirEntry[str], relative: Path) -> str:
    """Say why nobody takes what `lying` has listed; empty where somebody does or may, or nobody misses it."""
    here = [rule for rule in rules if rule.enabled and rule.folder == hot.path]
    if is_temporary(entry.name) or is_half_made(entry.name):
        return _why_passed_over(entry)
    if entry.is_symlink():
        return _("links are not followed")
    if not entry.is_file(follow_symlinks=False):
        return _("neither a file nor a folder")
    if len(relative.parts) > 1 and hot.gather:
        return ""  # what a set leaves out is said at its job
    if first_match(here, hot.path, relative) is not None or says_something(here, hot.path, relative):
        return ""
    if is_hidden(entry.name):
        shown = relative.with_name(entry.name.lstrip(".") or entry.name)
        return _("hidden, and no `match` names it") if first_match(here, hot.path, shown) is not None else ""
    if len(relative.parts) > 1 and not hot.recursive:
        return _("sub-folders are not looked into")
    excepting = [rule for rule in here if any(glob(relative, pattern) for pattern in rule.except_)]
    if excepting:
        return _("left out by rule '{name}'", name=excepting[0].name)
    if not hot.files:
        return _("only sub-folders are taken here")
    patterns = dict.fromkeys(pattern for rule in here for pattern in rule.match)
    return _("not matched by {patterns}", patterns=" ".join(patterns))


def _why_passed_over(entry: os.DirEntry[str]) -> str:
    """Say it of a program's own or unfinished file, by its name, where it is a whole document all the same."""
    if not is_whole_document(entry.path):
        return ""
    return _("it has the name of a program's own or unfinished file; give it another one")


def _is_taken_as_file(entry: os.DirEntry[str]) -> bool:
    return entry.is_file(follow_symlinks=False) and not is_temporary(entry.name)


def _is_old(entry: os.DirEntry[str], now: float) -> bool:
    """Tell if it has been here for a while: its inode changes with each write and move, where a copy keeps its date."""
    try:
        return now - entry.stat(follow_symlinks=False).st_ctime >= _YOUNG_SECONDS
    except OSError:
        return False
