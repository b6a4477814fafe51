"""Where things lie on this machine, and the lock that keeps one daemon to a state folder."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import platformdirs

from paperchute.errors import PaperchuteError
from paperchute.file_lock import try_lock
from paperchute.language import _

_TRIES = 50
_TRY_SECONDS = 0.01
"""An asker's moment is some microseconds."""
_ENDING_SECONDS = 60.0
"""How long one that is ending is waited for: it gives its jobs ten seconds, and its threads and engine some each."""
_ENDING = "ending"


class AlreadyRunningError(PaperchuteError):
    """Another daemon holds this state folder."""


def rules_path(given: Path | None) -> Path:
    """The rule file: as given, else $PAPERCHUTE_RULES, else `rules.toml` in the user's config folder."""
    if given is not None:
        return given.expanduser().absolute()
    named = os.environ.get("PAPERCHUTE_RULES")
    if named:
        return Path(named).expanduser().absolute()
    return platformdirs.user_config_path("paperchute", appauthor=False) / "rules.toml"


class State:
    """The state folder: as given, else $PAPERCHUTE_STATE, else the platform's user folder. Made with mode 0700."""

    def __init__(self, given: Path | None) -> None:
        """Raises PaperchuteError when the folder cannot be made or written."""
        named = os.environ.get("PAPERCHUTE_STATE")
        folder = given or (Path(named) if named else platformdirs.user_state_path("paperchute", appauthor=False))
        self.folder = folder.expanduser().absolute()
        self._held: IO[str] | None = None
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self.folder.chmod(0o700)
            self.work.mkdir(exist_ok=True)
        except OSError as error:
            raise PaperchuteError(
                _("The state folder {folder} cannot be used ({reason}).", folder=self.folder, reason=error.strerror),
                _("Give another one with --state or $PAPERCHUTE_STATE."),
            ) from error

    @property
    def journal(self) -> Path:
        """The journal's file."""
        return self.folder / "journal.sqlite"

    @property
    def work(self) -> Path:
        """Folder for what was received and is not delivered yet."""
        return self.folder / "work"

    @property
    def engine(self) -> Path:
        """The embedded engine's own state folder."""
        return self.folder / "engine"

    @property
    def log(self) -> Path:
        """The daemon's log file."""
        return self.folder / "paperchute.log"

    @property
    def status(self) -> Path:
        """What the running daemon last said of itself, as JSON."""
        return self.folder / "status.json"

    @property
    def page(self) -> Path:
        """Where the running daemon's page listens, and the key to it, as JSON; readable by its owner alone."""
        return self.folder / "page.json"

    @property
    def door(self) -> Path:
        """What a browser is given to open: it leads on to the page, and is the owner's alone."""
        return self.folder / "open.html"

    @property
    def drops(self) -> Path:
        """Where files grow that are dropped on the page."""
        return self.folder / "drops"

    @property
    def samples(self) -> Path:
        """Where a sample lies on which a draft of a rule is tried."""
        return self.folder / "samples"

    @property
    def search_index(self) -> Path:
        """The words of what was done."""
        return self.folder / "search.sqlite"

    @property
    def trash(self) -> Path:
        """Where undone results go that the desktop's trash does not take."""
        return self.folder / "trash"

    @contextmanager
    def undoing(self) -> Iterator[bool]:
        """Keep other processes from undoing anything for the length of the block; False where one is at it already."""
        with (self.folder / "undo.lock").open("a+") as file:
            yield try_lock(file)

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Hold the state folder for the length of the block, once who is ending has ended.

        Raises AlreadyRunningError where another one goes on.
        """
        path = self.folder / "daemon.lock"
        with path.open("a+") as file:
            if not _lock_soon(file):
                pid = next(iter(_said(file)), "?")
                raise AlreadyRunningError(
                    _(
                        "Paperchute is already running here (process {pid}, state folder {folder}).",
                        pid=pid,
                        folder=self.folder,
                    ),
                    _("Use that one, or give this one its own --state."),
                )
            file.truncate(0)
            file.write(str(os.getpid()))
            file.flush()
            self._held = file
            try:
                yield
            finally:
                self._held = None

    def tell_ending(self) -> None:
        """Have whoever starts now wait for us, who hold the state folder and are about to end."""
        if self._held is not None:
            self._held.write(f" {_ENDING}")
            self._held.flush()

    def locked(self) -> bool:
        """Decide whether a daemon is running on this state folder."""
        path = self.folder / "daemon.lock"
        if not path.exists():
            return False
        with path.open("r+") as file:
            return not try_lock(file)


def _lock_soon(file: IO[str]) -> bool:
    """Lock it, or say that a daemon has it and goes on.

    Who only asks whether one runs (`locked`) has it for a moment, too.
    """
    tries, end = _TRIES, time.monotonic() + _ENDING_SECONDS
    while not try_lock(file):
        if _ENDING not in _said(file):
            tries -= 1
        if not tries or time.monotonic() >= end:
            return False
        time.sleep(_TRY_SECONDS)
    return True


def _said(file: IO[str]) -> list[str]:
    """Return what the daemon that has it says: its pid, and whether it is ending."""
    file.seek(0)
    return file.read().split()
