"""Whether something is there, asked by its name alone.

Python's own questions (`os.lstat`, `os.path.lexists`, `Path.is_dir`) open what they ask about on Windows. What is
deleted meanwhile stays until that is closed, so whoever deletes its folder too hears that the folder is not empty; and
no folder is renamed while anything below it is open. GetFileAttributesW opens nothing (fileapi.h).
"""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path

if sys.platform == "win32":
    import ctypes
    from ctypes import wintypes

    _FOLDER, _NONE = 0x10, 0xFFFF_FFFF  # FILE_ATTRIBUTE_DIRECTORY, INVALID_FILE_ATTRIBUTES
    _NOWHERE = (2, 3, 123, 161, 206)
    """ERROR_FILE_NOT_FOUND, _PATH_NOT_FOUND, and what nothing can be called: ERROR_INVALID_NAME, _BAD_PATHNAME,
    _FILENAME_EXCED_RANGE (winerror.h)."""
    _kernel32 = ctypes.WinDLL("kernel32", use_last_error=True)
    _kernel32.GetFileAttributesW.restype = wintypes.DWORD
    _kernel32.GetFileAttributesW.argtypes = (wintypes.LPCWSTR,)

    def is_there(path: str | Path) -> bool:
        """Decide whether anything bears the name, links not followed; True, too, for what may not be looked at."""
        found: int = _kernel32.GetFileAttributesW(str(path))
        return found != _NONE or ctypes.get_last_error() not in _NOWHERE

    def is_folder(path: str | Path) -> bool:
        """Decide whether it is a folder, or a link to one."""
        found: int = _kernel32.GetFileAttributesW(str(path))
        return found != _NONE and bool(found & _FOLDER)

else:
    _NOWHERE = (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG)

    def is_there(path: str | Path) -> bool:
        """Decide whether anything bears the name, links not followed; True, too, for what may not be looked at."""
        try:
            os.lstat(path)
        except OSError as error:
            return error.errno not in _NOWHERE
        return True

    def is_folder(path: str | Path) -> bool:
        """Decide whether it is a folder, or a link to one."""
        return os.path.isdir(path)  # noqa: PTH112 -- False for what may not be looked at, too
