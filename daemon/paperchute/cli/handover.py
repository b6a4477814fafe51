"""An upgrade while the daemon runs: what is at work ends, and the version that is in place now goes on.

A package manager, `uv tool upgrade` or `git pull` replaces the files of a program that runs. What it has not read of
them yet, and the processes that it starts, are of the other version from then on. So it begins no new job once its
files are no longer those it was started from; when they lie still and no job is at work, the other version is asked
whether it can read rules and journal, and takes this process over.
"""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from loguru import logger

import paperchute
from paperchute.app.daemon import Daemon
from paperchute.children import apart
from paperchute.cli.context import Context
from paperchute.events import Trouble
from paperchute.invocation import again
from paperchute.language import _
from paperchute.redaction import clean

_LOOK_SECONDS = 10.0
"""Between two looks once there is an upgrade."""
_QUIET_LOOK_SECONDS = 60.0
"""And before: a look takes five thousandths of a second, and a daemon at rest is to take a thousandth of a core."""
_STILL_SECONDS = 20.0
"""So long nothing must have changed: dpkg renames all files of a package at its end, pip takes some seconds."""
_SAID_AFTER_SECONDS = 60.0
"""Who waits longer for a job to begin is told why."""
_PATIENCE_SECONDS = 600.0
"""What is at work for longer is cut off as when Paperchute is quit, and goes on with the other version."""
_ANSWER_SECONDS = 600.0
"""So long the other version has to answer: `start.py` may install libraries first."""
_AGAIN_SECONDS = 600.0
"""After a refusal, whose cause may be a mistake in the rule file that somebody is about to mend."""
_LONGEST_REASON = 300
"""Characters; a traceback's last line can hold a whole document."""
_QUESTIONS = (["rule", "list"], ["jobs", "--limit", "1"])
"""What fails where rules or journal are not for that version; an older one refuses the journal of a newer one."""


class Handover:
    """Looks after an upgrade on behalf of `run`. One thread calls."""

    def __init__(self, chosen: Context) -> None:
        self.is_due = False
        """Whether `go` is to be called when everything of this version has ended."""
        options = {"--rules": chosen.rules_option, "--state": chosen.state_option}
        self._options = [word for name, path in options.items() if path is not None for word in (name, str(path))]
        self._rules = chosen.rules_path
        self._mine = self._seen = files_of_program()
        """The files that this version was started from, and those that were there at the last look."""
        self._next_look = time.monotonic() + _QUIET_LOOK_SECONDS
        self._changed = 0.0  # when they last did, as monotonic seconds
        self._since = 0.0  # when the present upgrade was seen first; 0 = there is none
        self._told = ""  # what people know of it
        self._asking = False
        self._answers: queue.SimpleQueue[str] = queue.SimpleQueue()

    def look(self, daemon: Daemon) -> bool:
        """See whether there is an upgrade, and how far it is; True once this version is to end. Call it each round."""
        now = time.monotonic()
        if self._asking:
            if not self._answers.empty():
                self._hear(daemon)
        elif now >= self._next_look:
            self._compare(daemon, now)
            self._next_look = now + (_LOOK_SECONDS if self._since else _QUIET_LOOK_SECONDS)
        return self.is_due

    def go(self) -> None:
        """Become the other version. On Windows, where no process can, wait for it and exit as it did."""
        words = [*again(), *sys.argv[1:]]
        sys.stdout.flush()
        sys.stderr.flush()
        if sys.platform == "win32":
            sys.exit(subprocess.call(words))
        os.execvpe(words[0], words, _environment())

    def _compare(self, daemon: Daemon, now: float) -> None:
        before, self._seen = self._seen, files_of_program()
        if self._seen != before:
            self._changed = now
        if self._seen == self._mine:
            if self._since:
                logger.info("the files of the program are again those that it was started from")
                self._since = 0.0
                daemon.drain(False)
            self._tell(daemon, "")
            return
        if not self._since:
            logger.info("other files are in the place of those that the program was started from; it drains")
            self._since = now
        idle = daemon.drain(True)
        if now - self._changed >= _STILL_SECONDS and (idle or now - self._since >= _PATIENCE_SECONDS):
            self._ask()
        elif now - self._since >= _SAID_AFTER_SECONDS:
            text = _(
                "Another version of Paperchute has been installed, and takes over once the current work has finished."
            )
            self._tell(daemon, text)

    def _ask(self) -> None:
        self._asking = True
        questions = [verb for verb in _QUESTIONS if verb[0] != "rule" or self._rules.exists()]  # there may be none yet
        threading.Thread(
            target=lambda: self._answers.put(_asked(self._options, questions)), name="upgrade", daemon=True
        ).start()  # `start.py` may take minutes, and who quits meanwhile does not wait for it

    def _hear(self, daemon: Daemon) -> None:
        self._asking, answer = False, self._answers.get()
        if files_of_program() != self._seen:
            return  # they have changed meanwhile, and are asked again
        if not answer:
            logger.info("the other version takes over")
            self.is_due = True
            return
        logger.error("the other version does not start: {}", answer)
        self._since, self._next_look = 0.0, time.monotonic() + _AGAIN_SECONDS
        daemon.drain(False)
        text = _(
            "Another version of Paperchute has been installed, and it does not start ({reason}). The"
            " previous one keeps running until it is quit.",
            reason=answer,
        )
        self._tell(daemon, text)

    def _tell(self, daemon: Daemon, text: str) -> None:
        if text != self._told:
            told = text or _("The upgrade of Paperchute has ended.")
            daemon.tell(Trouble("upgrade", str(Path(paperchute.__file__).parent), told, over=not text))
            self._told = text


def _asked(options: list[str], questions: list[list[str]]) -> str:
    """Have the other version do what shows that it can go on; empty when it can, else why not, in a line."""
    for verb in questions:
        try:
            done = subprocess.run(
                [*again(), *options, *verb],
                env=_environment(),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_ANSWER_SECONDS,
                check=False,
                **apart(),
            )
        except subprocess.TimeoutExpired:
            return _("it does not answer")
        except OSError as error:
            return error.strerror or str(error)
        if done.returncode != 0:
            said = [line.strip() for line in done.stderr.decode("utf-8", "replace").split("\n") if line.strip()]
            return clean(said[-1])[:_LONGEST_REASON] if said else f"{verb[0]}: {done.returncode}"
    return ""


def files_of_program() -> frozenset[tuple[str, int, int]]:
    """The files of this version: their paths, sizes and times. Empty where they are gone."""
    try:
        if getattr(sys, "frozen", False):
            found = Path(sys.executable).stat()
            return frozenset([(f"{found.st_ino}", found.st_size, found.st_mtime_ns)])
        return frozenset(_sources(str(Path(paperchute.__file__).parent)))
    except OSError:  # they are being replaced just now, or were taken away
        return frozenset()


def _sources(folder: str) -> Iterator[tuple[str, int, int]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(".py"):
                found = entry.stat()
                yield entry.path, found.st_size, found.st_mtime_ns
            elif entry.name != "__pycache__" and entry.is_dir(follow_symlinks=False):
                yield from _sources(entry.path)


def _environment() -> dict[str, str]:
    """What is started is a program of its own, no part of the one that runs (PyInstaller's word for it)."""
    return {**os.environ, "PYINSTALLER_RESET_ENVIRONMENT": "1"}
