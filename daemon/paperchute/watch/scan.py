"""The reconcile scan: what is really in a hot folder, whatever the events said. Some 3 microseconds a file."""

from __future__ import annotations

import errno
import os

from paperchute.files.identity import key_from
from paperchute.files.names import is_temporary
from paperchute.watch.observing import Observing, deep_message, denied_message
from paperchute.watch.roots import DEEPEST, Entry, Root
from paperchute.watch.settle import Settler
from paperchute.watch.troubles import Troubles


def scan(root: Root, settler: Settler, troubles: Troubles, observing: Observing) -> None:
    """Tell `settler` of every file and set that the table of `root` lacks, or still has though it is gone.

    Known ones are compared by stat only when `root.full_scan` says so. Sub-folders that are not watched yet become so,
    before they are listed; those that may not be listed are told as trouble. Raises OSError when the root itself may
    not be, or does not answer.
    """
    present: set[str] = set()
    too_deep = False
    folders = [root.real]
    while folders:
        folder = folders.pop()
        try:
            with os.scandir(folder) as items:
                for item in items:
                    relative = root.relative(item.path)
                    if item.is_dir(follow_symlinks=False):
                        if not root.deep or is_temporary(item.name):
                            continue
                        if relative.count(os.sep) >= DEEPEST:
                            too_deep = True
                            continue
                        observing.ensure(root, item.path)
                        folders.append(item.path)
                    if _tell(root, settler, item, relative):
                        present.add(relative)
        except PermissionError as error:
            if folder == root.real:
                raise
            root.refused = True
            troubles.tell(root.hot.path, "denied", denied_message(error.filename))
        except OSError as error:
            if folder == root.real or error.errno not in (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG):
                raise
            too_deep = too_deep or error.errno == errno.ENAMETOOLONG
    if too_deep:
        troubles.tell(root.hot.path, "deep", deep_message(root.hot.path))
    else:
        troubles.over(root.hot.path, "deep")
    for name in root.table.copy().keys() - present:
        settler.gone(root, name)


def _tell(root: Root, settler: Settler, item: os.DirEntry[str], relative: str) -> bool:
    """Tell of a file or set that is new or changed; False when `item` is neither."""
    inside_set = root.hot.gather and os.sep in relative
    is_set = root.hot.gather and not inside_set and item.is_dir(follow_symlinks=False)
    if inside_set or not (is_set or item.is_file(follow_symlinks=False)):
        return False
    entry = root.table.get(relative)
    if entry is None or (_at_rest(root, entry) and (is_set or _changed(item.path, entry))):
        settler.seen(root, relative, "listed", folder=is_set)
    return True


def _at_rest(root: Root, entry: Entry) -> bool:
    """Whether nobody is about to look at it, though it may have changed."""
    return not entry.due and (root.full_scan or entry.stuck)


def _changed(path: str, entry: Entry) -> bool:
    try:
        return key_from(os.lstat(path)) != entry.look  # not the stat of os.DirEntry: it has no inode on Windows
    except FileNotFoundError:
        return True
