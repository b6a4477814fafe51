"""What the tray's menu asks for, carried out on the daemon's thread."""

from __future__ import annotations

import queue
from collections.abc import Callable
from pathlib import Path

from loguru import logger

from paperchute.app.daemon import Daemon
from paperchute.desktop.opener import open_path
from paperchute.desktop.records import Command
from paperchute.errors import PaperchuteError


class Menu:
    """Answers the tray's commands."""

    def __init__(self, daemon: Daemon, commands: queue.SimpleQueue[Command], quit_: Callable[[], None]) -> None:
        self._daemon = daemon
        self._commands = commands
        self._quit = quit_

    def answer(self) -> None:
        """Carry out what has been asked for since the last call."""
        while not self._commands.empty():
            command = self._commands.get()
            try:
                self._do(command)
            except (PaperchuteError, OSError) as error:
                logger.warning("{}", error)

    def _do(self, command: Command) -> None:
        match command.verb:
            case "pause" | "resume":
                self._daemon.pause(command.verb == "pause")
            case "retry":
                for problem in self._daemon.retry(int(command.argument) if command.argument else None):
                    logger.warning("{}", problem)
            case "seen":
                self._daemon.see_warnings(int(command.argument) if command.argument else None)
            case "open":
                open_path(Path(command.argument))
            case "show":
                open_path(self._daemon.what_to_show(int(command.argument) if command.argument else None))
            case "edit-rules":
                open_path(self._daemon.rules.path)
            case "quit":
                self._quit()
