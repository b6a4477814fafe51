"""Holding a folder on Windows: while it is held nobody can rename it, delete it or put a junction in its place."""

from __future__ import annotations

import sys

if sys.platform == "win32":
    import ctypes
    import errno
    import os
    import stat
    from ctypes import wintypes
    from pathlib import Path

    _READ_ATTRIBUTES, _LIST = 0x80, 0x1
    _SHARE_READ_WRITE = 0x3  # and not FILE_SHARE_DELETE, which a rename by others needs
    _OPEN_EXISTING = 3
    _BACKUP_SEMANTICS, _OPEN_REPARSE_POINT = 0x02000000, 0x00200000
    _NAME_SURROGATE = 0x20000000  # bit of a reparse tag: stands for another place; files in the cloud do not have it

    _kernel = ctypes.WinDLL("kernel32", use_last_error=True)
    _kernel.CreateFileW.restype = wintypes.HANDLE
    _kernel.CreateFileW.argtypes = [
        wintypes.LPCWSTR,
        wintypes.DWORD,
        wintypes.DWORD,
        wintypes.LPVOID,
        wintypes.DWORD,
        wintypes.DWORD,
        wintypes.HANDLE,
    ]
    _kernel.CloseHandle.argtypes = [wintypes.HANDLE]
    _INVALID = ctypes.c_void_p(-1).value

    def hold(path: str) -> int:
        """Open the folder at `path`, which must be one itself. Raises OSError."""
        handle = _kernel.CreateFileW(
            path,
            _READ_ATTRIBUTES | _LIST,
            _SHARE_READ_WRITE,
            None,
            _OPEN_EXISTING,
            _BACKUP_SEMANTICS | _OPEN_REPARSE_POINT,
            None,
        )
        if handle == _INVALID or handle is None:
            raise ctypes.WinError(ctypes.get_last_error())
        try:
            status = Path(path).lstat()  # of what is held: its name cannot change hands any more
            tag = status.st_reparse_tag if status.st_file_attributes & stat.FILE_ATTRIBUTE_REPARSE_POINT else 0
            if tag & _NAME_SURROGATE or not stat.S_ISDIR(status.st_mode):
                raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), path)
        except BaseException:
            let_go(handle)
            raise
        return int(handle)

    def let_go(handle: int) -> None:
        """Close what `hold` gave."""
        _kernel.CloseHandle(handle)
