"""Where undone results go: the desktop's trash, and where there is none a folder of our own."""

from __future__ import annotations

from pathlib import Path

from loguru import logger
from send2trash import send2trash

from paperchute.files import beneath, placement
from paperchute.files.copies import move_across
from paperchute.files.folder import Folder


class Trash:
    """Takes files and folders whole."""

    def __init__(self, own: Path) -> None:
        """own: the folder for what the desktop's trash does not take, as on a server; nothing in it is ever removed."""
        self._own = own

    def take(self, folder: Folder, name: str, token: str) -> None:
        """Take what is called `name`. token: names what is left by a crash. Raises OSError."""
        path = folder.path / name
        try:
            send2trash(str(path))  # it takes paths only; what lies there was looked at right before
        except OSError as error:
            if folder.status(name) is None:
                raise
            logger.info("{} goes to {}, since there is no trash for it ({})", path, self._own, error)
            with beneath.opened(self._own, make=True) as own:
                next(new for new in placement.numbered(Path(name)) if move_across(folder, name, own, new.name, token))
