"""What lies below a folder that somebody configured, reached without ever following a link.

Hot folders, and what results and originals are put into, are often shared, so whoever may write there may plant links
or swap a folder for one at any moment. So whoever reads or changes anything there does it in an open `Folder`, and
nothing below a configured folder is opened through a link. Links on the way *to* one are a person's own business (a hot
folder on another disk) and followed, unless another user could have planted them.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import stat
import sys
from collections import deque
from collections.abc import Iterator
from pathlib import Path

from paperchute.files import identity
from paperchute.files.folder import NO_FOLDER, Folder, regular
from paperchute.files.identity import FileKey, key_from
from paperchute.language import _

if sys.platform == "win32":
    from paperchute.files.open_files import reading_beside
    from paperchute.files.windows_folder import hold
else:
    from paperchute.files.folder import READ, SEARCH

_MOST_LINKS = 40  # as the kernel has it, path_resolution(7)


class PlantedLinkError(OSError):
    """A configured folder is reached through a link that another user may have planted."""

    def __init__(self, link: str, owner: int) -> None:
        super().__init__(
            errno.ELOOP,
            _(
                "it is a link that belongs to another user (number {owner}), in a folder that others can write "
                "to; remove it, or make it yourself if it is meant",
                owner=owner,
            ),
            link,
        )


def opened(root: Path, *, make: bool = False) -> Folder:
    """The configured folder at `root`. make: with what is missing on the way.

    Raises PlantedLinkError for a link on the way that another user may have planted, and OSError.
    """
    if sys.platform == "win32":
        if make:
            try:
                root.mkdir(parents=True, exist_ok=True)
            except FileExistsError as error:
                raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(root)) from error
        return Folder(root, hold(str(root.resolve())))
    else:  # noqa: RET505 -- for the type checker, which knows the names below on one side alone
        return Folder(root, _reached(root, make=make))


Holding = contextlib.AbstractContextManager[tuple[Folder, str]]


@contextlib.contextmanager
def holder(root: Path, path: Path, *, make: bool = False, mode: int = 0o777) -> Iterator[tuple[Folder, str]]:
    """The open folder that holds `path`, and its name there. make: what is missing on the way, `root` included.

    Raises ValueError for a path that is not below `root`, and as `opened` and `Folder.child`.
    """
    parts = path.relative_to(root).parts
    with opened(root, make=make) as folder:
        if len(parts) == 1:
            yield folder, parts[0]
            return
        with folder.below(parts[:-1], make=make, mode=mode) as below:
            yield below, parts[-1]


def status_of(root: Path, path: Path) -> os.stat_result | None:
    """Return what is at `path`, no link below `root` followed; None for nothing, and for what only a link leads to."""
    try:
        with holder(root, path) as (folder, name):
            return folder.status(name)
    except (FileNotFoundError, NotADirectoryError):
        return None


def key_of(root: Path, path: Path) -> FileKey | None:
    """As `identity.key_of`; None, too, for what only a link below `root` leads to."""
    if path.parent == root:
        return identity.key_of(path)
    status = status_of(root, path)
    return key_from(status) if status is not None and stat.S_ISREG(status.st_mode) else None


def reading(path: Path, root: Path | None) -> io.BufferedReader:
    """The regular file at `path`, open; where it is below `root`, no link on the way from there is followed.

    A pipe in the place of the file is not waited for. Raises FileNotFoundError, for what only a link leads to as well,
    and OSError.
    """
    if root is None or not path.is_relative_to(root):
        if sys.platform == "win32":
            return regular(reading_beside(path))
        else:  # noqa: RET505 -- for the type checker, as above
            return regular(os.open(path, READ & ~os.O_NOFOLLOW))
    try:
        with holder(root, path) as (folder, name):
            return folder.open(name)
    except OSError as error:
        if error.errno not in NO_FOLDER:
            raise
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path)) from error


if sys.platform != "win32":

    def _reached(root: Path, *, make: bool) -> int:
        ahead = deque(root.absolute().parts[1:])
        handle = os.open("/", SEARCH)
        links = 0
        try:
            while ahead:
                part = ahead.popleft()
                try:
                    below = _through(handle, part, make=make)
                except OSError as error:
                    error.filename = str(root)
                    if error.errno not in NO_FOLDER:
                        raise
                    target = _followed(handle, part, root)
                    links += 1
                    if target is None or links > _MOST_LINKS:
                        raise
                    ahead.extendleft(reversed([p for p in target.split("/") if p not in ("", ".")]))
                    below = os.open("/", SEARCH) if target.startswith("/") else os.dup(handle)
                os.close(handle)
                handle = below
        except BaseException:
            os.close(handle)
            raise
        return handle

    def _through(handle: int, part: str, *, make: bool) -> int:
        try:
            return os.open(part, SEARCH, dir_fd=handle)
        except FileNotFoundError:
            if not make:
                raise
        with contextlib.suppress(FileExistsError):
            os.mkdir(part, dir_fd=handle)
        return os.open(part, SEARCH, dir_fd=handle)

    def _followed(handle: int, part: str, root: Path) -> str | None:
        """Return where the link `part` leads; None when it is none. Raises PlantedLinkError."""
        status = os.stat(part, dir_fd=handle, follow_symlinks=False)
        if not stat.S_ISLNK(status.st_mode):
            return None
        trusted = (0, os.geteuid())
        around = os.fstat(handle)
        closed = around.st_uid in trusted and not around.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
        if status.st_uid not in trusted and not closed:
            raise PlantedLinkError(str(root), status.st_uid)
        return os.readlink(part, dir_fd=handle)
