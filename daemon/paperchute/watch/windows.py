"""ReadDirectoryChangesW for hot folders: one thread and one completion port for all of them; no gap is silent.

Stands behind `watch.emitter` in place of watchdog's `WindowsApiEmitter`, which hands on what it collected only when the
folder has been quiet for a second (so never, while anything below it is written), asks to be told of reading too, drops
an overflow without a word, and takes any error for the end of the folder. Here each buffer is told at once, the next
one being asked for first; files and folders are asked for by a handle each, since no record says which it is of.

A folder that is renamed keeps its handle and tells nobody: the keeper's look at its path, each second, finds that.
"""

from __future__ import annotations

import ctypes
import itertools
import sys
import threading
from ctypes import wintypes

from loguru import logger

from paperchute.files.presence import is_folder
from paperchute.watch.emitter import Emitter
from paperchute.watch.interface import Sink
from paperchute.watch.windows_changes import tell_of_files, tell_of_folders

assert sys.platform == "win32"  # nobody else imports it, and mypy looks no further on other systems

_LIST, _SHARE_ALL, _OPEN_EXISTING = 0x1, 0x7, 3  # CreateFileW
_BACKUP_SEMANTICS, _OVERLAPPED = 0x0200_0000, 0x4000_0000
_FILE_NAMES, _FOLDER_NAMES, _SIZES, _LAST_WRITES = 0x1, 0x2, 0x8, 0x10  # FILE_NOTIFY_CHANGE_...
_INVALID_PARAMETER, _NOTIFY_ENUM_DIR, _NOT_FOUND = 87, 1022, 1168  # winerror.h
_FOREVER = 0xFFFF_FFFF
_BUFFER = 1 << 18
_BUFFER_OF_SHARES = 1 << 16  # the most that the protocols of shares can carry; beyond it they refuse
_FAREWELL_MILLISECONDS = 1000
_LONGEST_PATH = 1 << 15
_INVALID_HANDLE = wintypes.HANDLE(-1).value


class _Overlapped(ctypes.Structure):
    """OVERLAPPED (minwinbase.h)."""

    _fields_ = (
        ("internal", ctypes.c_size_t),
        ("internal_high", ctypes.c_size_t),
        ("offset", ctypes.c_uint64),
        ("event", wintypes.HANDLE),
    )


_kernel32 = ctypes.WinDLL("kernel32", use_last_error=True)
_kernel32.CreateFileW.restype = wintypes.HANDLE
_kernel32.CreateFileW.argtypes = (
    wintypes.LPCWSTR, wintypes.DWORD, wintypes.DWORD, wintypes.LPVOID, wintypes.DWORD, wintypes.DWORD, wintypes.HANDLE,
)  # fmt: skip
_kernel32.CreateIoCompletionPort.restype = wintypes.HANDLE
_kernel32.CreateIoCompletionPort.argtypes = (wintypes.HANDLE, wintypes.HANDLE, ctypes.c_size_t, wintypes.DWORD)
_kernel32.GetQueuedCompletionStatus.argtypes = (
    wintypes.HANDLE, wintypes.LPDWORD, ctypes.POINTER(ctypes.c_size_t), ctypes.POINTER(ctypes.c_void_p), wintypes.DWORD,
)  # fmt: skip
_kernel32.PostQueuedCompletionStatus.argtypes = (wintypes.HANDLE, wintypes.DWORD, ctypes.c_size_t, wintypes.LPVOID)
_kernel32.ReadDirectoryChangesW.argtypes = (
    wintypes.HANDLE, wintypes.LPVOID, wintypes.DWORD, wintypes.BOOL, wintypes.DWORD, wintypes.LPDWORD, wintypes.LPVOID,
    wintypes.LPVOID,
)  # fmt: skip
_kernel32.CancelIoEx.argtypes = (wintypes.HANDLE, wintypes.LPVOID)
_kernel32.CloseHandle.argtypes = (wintypes.HANDLE,)
_kernel32.GetLongPathNameW.argtypes = (wintypes.LPCWSTR, wintypes.LPWSTR, wintypes.DWORD)


def _failure() -> OSError:
    return ctypes.WinError(ctypes.get_last_error())


def _long_name(path: str) -> str:
    """The path as a listing has it; as it stands where nothing is there any more."""
    found = ctypes.create_unicode_buffer(_LONGEST_PATH)
    return found.value if _kernel32.GetLongPathNameW(path, found, _LONGEST_PATH) else path


class _Question:
    """What is asked of the system about one folder, by one handle. The system writes into it while it is `asked`."""

    def __init__(self, emitter: Emitter, wanted: int) -> None:
        """wanted: FILE_NOTIFY_CHANGE_... Raises OSError."""
        self.emitter = emitter
        self.about_folders = wanted == _FOLDER_NAMES
        self.asked = False
        self.closed = False
        self._wanted = wanted
        self._overlapped = _Overlapped()
        self._size = _BUFFER_OF_SHARES if self.about_folders else _BUFFER
        self._buffer = (ctypes.c_uint32 * (self._size // 4))()
        self.handle = _kernel32.CreateFileW(
            emitter.root, _LIST, _SHARE_ALL, None, _OPEN_EXISTING, _BACKUP_SEMANTICS | _OVERLAPPED, None
        )
        if self.handle == _INVALID_HANDLE:
            raise _failure()

    def ask(self) -> None:
        """Have the next changes written down; what happens until then the system keeps. Raises OSError."""
        self.asked = bool(self._read())
        if not self.asked and ctypes.get_last_error() == _INVALID_PARAMETER and self._size > _BUFFER_OF_SHARES:
            self._size = _BUFFER_OF_SHARES
            self.asked = bool(self._read())
        if not self.asked:
            raise _failure()

    def _read(self) -> int:
        deep = self.emitter.watch.is_recursive
        overlapped = ctypes.byref(self._overlapped)
        found: int = _kernel32.ReadDirectoryChangesW(
            self.handle, self._buffer, self._size, deep, self._wanted, None, overlapped, None
        )
        return found

    def written(self, length: int) -> bytes:
        """Return what the system has written down."""
        return ctypes.string_at(self._buffer, length)

    def close(self) -> None:
        """Ask no more. Whoever waits at the port hears of it once more if it was `asked`."""
        if not self.closed:
            self.closed = True
            _kernel32.CancelIoEx(self.handle, None)
            _kernel32.CloseHandle(self.handle)


_unanswered: list[_Question] = []  # of readers that have ended: the system may write into them yet


class Reader(threading.Thread):
    """Takes what the completion port gives and tells the sink. Raises OSError when there is no port to be had."""

    def __init__(self, sink: Sink) -> None:
        super().__init__(name="directory-changes", daemon=True)
        self._sink = sink
        self._lock = threading.Lock()  # guards the table
        self._questions: dict[int, _Question] = {}
        self._numbers = itertools.count(1)
        self._port = _kernel32.CreateIoCompletionPort(_INVALID_HANDLE, None, 0, 1)
        if not self._port:
            raise _failure()
        self._closing = False

    def register(self, emitter: Emitter) -> None:
        """Watch the emitter's root. Raises OSError when the system refuses it."""
        try:
            self._add(_Question(emitter, _FILE_NAMES | _SIZES | _LAST_WRITES))
            if emitter.watch.is_recursive:
                self._add(_Question(emitter, _FOLDER_NAMES))
        except OSError:
            self.unregister(emitter)
            raise

    def _add(self, question: _Question) -> None:
        with self._lock:
            number = next(self._numbers)
            try:
                if not _kernel32.CreateIoCompletionPort(question.handle, self._port, number, 0):
                    raise _failure()
                question.ask()
            except OSError:
                question.close()
                raise
            self._questions[number] = question

    def unregister(self, emitter: Emitter) -> None:
        """Stop watching for the emitter."""
        with self._lock:
            for number, question in list(self._questions.items()):
                if question.emitter is emitter:
                    question.close()
                    if not question.asked:
                        del self._questions[number]

    def ensure(self, path: str, emitter: Emitter) -> None:
        """See `Emitter.ensure`. There is nothing to do: the system watches all that is below a root."""

    def close(self) -> None:
        """End the thread and give all handles back."""
        with self._lock:
            for question in self._questions.values():
                question.close()
        self._closing = True
        _kernel32.PostQueuedCompletionStatus(self._port, 0, 0, None)
        if self.is_alive():
            self.join()
        _kernel32.CloseHandle(self._port)
        _unanswered.extend(question for question in self._questions.values() if question.asked)

    def run(self) -> None:
        """Take and tell until it is closed, whatever happens."""
        length, number, which = wintypes.DWORD(), ctypes.c_size_t(), ctypes.c_void_p()
        while not (self._closing and not self._questions):
            wait = _FAREWELL_MILLISECONDS if self._closing else _FOREVER
            fine = _kernel32.GetQueuedCompletionStatus(
                self._port, ctypes.byref(length), ctypes.byref(number), ctypes.byref(which), wait
            )
            code = 0 if fine else ctypes.get_last_error()
            if which.value is None:
                if fine:
                    continue  # `close` wakes us
                break  # nothing more comes
            try:
                self._take(number.value, length.value, code)
            except Exception:  # noqa: BLE001 - whatever it was, the other folders must stay watched, and a scan repairs
                logger.exception("The reader of directory changes stumbled and goes on.")
                self._stumbled(number.value)

    def _take(self, number: int, length: int, code: int) -> None:
        with self._lock:
            question = self._questions[number]
            question.asked = False
            if question.closed:
                del self._questions[number]
                return
            written = question.written(length) if not code else b""
            root = question.emitter.root
            try:
                if code not in (0, _NOTIFY_ENUM_DIR):
                    raise ctypes.WinError(code)
                question.ask()
            except OSError as error:  # the folder is being deleted, its share went away
                logger.info("{!r} is watched no more ({}).", root, error)
                question.close()
                del self._questions[number]
        if number not in self._questions:
            self._sink.lost(root)
        elif not written:
            self._sink.overflowed(root)
        elif question.about_folders:
            tell_of_folders(self._sink, root, written, _long_name)
        else:
            tell_of_files(self._sink, root, written, is_folder, _long_name)

    def _stumbled(self, number: int) -> None:
        with self._lock:
            question = self._questions.get(number)
        if question is not None:
            self._sink.overflowed(question.emitter.root)
