"""An open folder: each of its methods works on names in that very folder, whatever its path means by now.

On Linux and macOS that is openat() and its kin, one name at a time with O_NOFOLLOW; it needs no newer kernel than
that, so openat2() would say the same twice. On Windows a folder is held open without leave to rename or delete it, and
refused when it is a junction or a link. New files are made only where nothing was.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import io
import os
import stat
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from types import TracebackType

from paperchute.files import placement
from paperchute.files.identity import FileKey, key_from
from paperchute.files.sharing import when_free
from paperchute.language import _

_BLOCK = 1 << 20
_NOT_THERE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG)
NO_FOLDER = (errno.ENOTDIR, errno.ELOOP)

if sys.platform == "win32":
    from paperchute.files.open_files import reading_beside
    from paperchute.files.windows_folder import hold, let_go

    _NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_BINARY | os.O_NOINHERIT
else:
    # Without O_PATH (macOS) a folder must be readable to be gone through.
    SEARCH = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    _NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC  # a pipe must not be waited for


class Folder:
    """An open folder. `path` is for messages and for the journal. Close it, or use it in a `with` block."""

    def __init__(self, path: Path, handle: int) -> None:
        self.path = path
        self._handle = handle

    def __enter__(self) -> Folder:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Let it go. Idempotent."""
        handle, self._handle = self._handle, -1
        if handle < 0:
            return
        if sys.platform == "win32":
            let_go(handle)
        else:
            os.close(handle)

    # ---------- going down ----------

    def child(self, name: str, *, make: bool = False, mode: int = 0o777) -> Folder:
        """The folder `name` in this one. make: where there is nothing. Raises OSError: ENOTDIR for all else."""
        _check(name)
        where, at = self._at(name)
        with self.naming(name):
            if make:
                with contextlib.suppress(FileExistsError):
                    os.mkdir(where, mode, dir_fd=at)
            try:
                return Folder(self.path / name, _opened(where, at))
            except OSError as error:
                if error.errno not in NO_FOLDER:
                    raise
                raise NotADirectoryError(errno.ENOTDIR, _("it is a link or a file, but a folder is needed")) from error

    def below(self, parts: Sequence[str], *, make: bool = False, mode: int = 0o777) -> Folder:
        """The folder that these names lead to. Raises as `child`."""
        folder = self._again()
        for part in parts:
            with folder:
                folder = folder.child(part, make=make, mode=mode)
        return folder

    def room_for(self, parts: Sequence[str], mode: int = 0o777) -> Folder:
        """As `below`, made; where a link or a file is in the way, the folder beside it that bears a number."""
        folder = self._again()
        for part in parts:
            with folder:
                folder = folder._numbered_child(part, mode)
        return folder

    def _numbered_child(self, name: str, mode: int) -> Folder:
        for candidate in placement.numbered(Path(name)):
            try:
                return self.child(candidate.name, make=True, mode=mode)
            except NotADirectoryError:
                continue
        raise AssertionError("numbered() never ends")

    def _again(self) -> Folder:
        if sys.platform == "win32":
            return Folder(self.path, hold(str(self.path)))
        return Folder(self.path, os.dup(self._handle))

    # ---------- looking ----------

    def status(self, name: str) -> os.stat_result | None:
        """Return what is called `name`, links not followed; None for nothing. Raises OSError for any other trouble."""
        where, at = self._at(name)
        with self.naming(name):
            try:
                return os.stat(where, dir_fd=at, follow_symlinks=False)
            except OSError as error:
                if error.errno not in _NOT_THERE:
                    raise
                return None

    def key(self, name: str) -> FileKey | None:
        """As `identity.key_of`."""
        status = self.status(name)
        return key_from(status) if status is not None and stat.S_ISREG(status.st_mode) else None

    def is_folder(self, name: str) -> bool:
        """Decide whether `name` is a folder itself, and no link to one."""
        status = self.status(name)
        return status is not None and stat.S_ISDIR(status.st_mode)

    def owner(self) -> os.stat_result:
        """The status of the folder itself."""
        if sys.platform == "win32":
            return self.path.lstat()
        return os.fstat(self._handle)

    def names(self) -> list[str]:
        """Everything in it, sorted."""
        with self.naming(""):
            if sys.platform == "win32":
                return sorted(path.name for path in self.path.iterdir())
            with self.listable() as handle:
                return sorted(os.listdir(handle))  # noqa: PTH208 -- of a handle

    if sys.platform != "win32":

        @contextlib.contextmanager
        def listable(self) -> Iterator[int]:
            """A handle that lists the folder and takes a mode and times; ours only leads through it."""
            handle = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=self._handle)
            try:
                yield handle
            finally:
                os.close(handle)

    def files(self) -> Iterator[PurePosixPath]:
        """Everything in it and below that is no folder, links among it, as relative paths."""
        for name in self.names():
            if not self.is_folder(name):
                yield PurePosixPath(name)
                continue
            with contextlib.suppress(FileNotFoundError, NotADirectoryError), self.child(name) as inside:
                for path in inside.files():
                    yield PurePosixPath(name) / path

    def open(self, name: str) -> io.BufferedReader:
        """Read the regular file `name`. Raises OSError."""
        where, at = self._at(name)
        with self.naming(name):
            if sys.platform == "win32":
                return regular(reading_beside(where))
            else:  # noqa: RET505 -- for the type checker, as below
                return regular(os.open(where, READ, dir_fd=at))

    def hash(self, name: str) -> str:
        """sha256 of the file `name`, as hex. Raises OSError."""
        with self.open(name) as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    # ---------- changing ----------

    def create(self, name: str, mode: int = 0o666) -> io.BufferedWriter:
        """A new file, to be written. Raises FileExistsError where anything bears the name."""
        _check(name)
        where, at = self._at(name)
        with self.naming(name):
            return io.BufferedWriter(io.FileIO(os.open(where, _NEW, mode, dir_fd=at), "w"), _BLOCK)

    def write_whole(self, name: str, text: str, token: str, mode: int = 0o666) -> None:
        """A small text file that appears whole, over the one that was there. token: names what is left by a crash."""
        temporary = placement.temporary_name(token)
        self.remove(temporary)
        try:
            with self.create(temporary, mode) as file:
                file.write(text.encode("utf-8", "replace"))
            self.place_over(temporary, self, name)
        except BaseException:
            with contextlib.suppress(OSError):
                self.unlink(temporary)
            raise

    def place_new(self, name: str, other: Folder, new: str) -> bool:
        """Rename `name` to `new` in the folder `other`, atomically; False when something is there already."""
        _check(new)
        (old_where, old_at), (new_where, new_at) = self._at(name), other._at(new)
        with self.naming(name, other.path / new):
            try:
                placement.rename_new(old_where, new_where, old_at, new_at)
            except FileExistsError:
                if not _one_file(self.status(name), other.status(new)):
                    return False
                self.unlink(name)  # a crash between link and unlink leaves both names of one file
        return True

    def place_over(self, name: str, other: Folder, new: str) -> None:
        """Rename the file `name` over what is called `new` in the folder `other`, atomically."""
        _check(new)
        (old_where, old_at), (new_where, new_at) = self._at(name), other._at(new)
        with self.naming(name, other.path / new):
            when_free(lambda: os.replace(old_where, new_where, src_dir_fd=old_at, dst_dir_fd=new_at))

    def unlink(self, name: str) -> None:
        """Remove a file or link; nothing there is fine."""
        where, at = self._at(name)
        with self.naming(name), contextlib.suppress(FileNotFoundError):
            _make_removable(where)
            when_free(lambda: os.unlink(where, dir_fd=at))

    def rmdir(self, name: str) -> bool:
        """Remove an empty folder. False when it is not empty, or none."""
        where, at = self._at(name)
        with self.naming(name):
            try:
                when_free(lambda: os.rmdir(where, dir_fd=at))
            except OSError as error:
                if error.errno not in (errno.ENOTEMPTY, errno.EEXIST, *_NOT_THERE):
                    raise
                return False
        return True

    def remove(self, name: str) -> None:
        """Remove a file, a link, or a folder of our own with all that is in it; nothing there is fine."""
        status = self.status(name)
        if status is None:
            return
        if not stat.S_ISDIR(status.st_mode):
            self.unlink(name)
            return
        with self.child(name) as inside:
            for inner in inside.names():
                inside.remove(inner)
        self.rmdir(name)

    def copy_link(self, name: str, other: Folder, new: str) -> None:
        """Make a link `new` in the folder `other` that leads where the link `name` does."""
        _check(new)
        (where, at), (new_where, new_at) = self._at(name), other._at(new)
        with self.naming(name, other.path / new):
            os.symlink(os.readlink(where, dir_fd=at), new_where, dir_fd=new_at)

    # ---------- names ----------

    def _at(self, name: str) -> tuple[str, int | None]:
        if sys.platform == "win32":
            return str(self.path / name), None
        return name, self._handle

    @contextlib.contextmanager
    def naming(self, name: str, second: Path | None = None) -> Iterator[None]:
        """An OSError in the block names the whole path, since a name alone tells nobody where that is."""
        try:
            yield
        except OSError as error:
            error.filename = str(self.path / name)
            if second is not None:
                error.filename2 = str(second)
            raise


def regular(handle: int) -> io.BufferedReader:
    """Return what is open, to be read. Raises OSError for a pipe and the like, which are closed."""
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(errno.EINVAL, _("it is not a regular file"))
    return io.BufferedReader(io.FileIO(handle), _BLOCK)


def _check(name: str) -> None:
    if name in ("", ".", "..") or "/" in name or (os.altsep and os.sep in name):
        raise ValueError(_("{name} is not the name of a file", name=repr(name)))


def _make_removable(where: str) -> None:
    """Windows removes no file that is marked as read-only; elsewhere that is the folder's business."""
    if sys.platform == "win32" and os.lstat(where).st_file_attributes & stat.FILE_ATTRIBUTE_READONLY:
        Path(where).chmod(stat.S_IWRITE)


def _opened(where: str, at: int | None) -> int:
    if sys.platform == "win32":
        return hold(where)
    else:  # noqa: RET505
        return os.open(where, SEARCH, dir_fd=at)


def _one_file(one: os.stat_result | None, other: os.stat_result | None) -> bool:
    if one is None or other is None or not stat.S_ISREG(one.st_mode):
        return False
    return (one.st_dev, one.st_ino) == (other.st_dev, other.st_ino) and one.st_ino != 0
