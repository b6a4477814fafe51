"""The environment of a process that reads foreign documents: what Python and its libraries need, and no more.

The environment of the daemon is full of other people's secrets: rules name their passwords by `env:`, and whoever
starts the daemon has tokens of his own there.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Mapping

_NAMES = """
    PATH LANG LANGUAGE TZ TZDIR HOME USERPROFILE TMPDIR TEMP TMP
    LD_LIBRARY_PATH DYLD_LIBRARY_PATH DYLD_FALLBACK_LIBRARY_PATH NIX_LD NIX_LD_LIBRARY_PATH
    FONTCONFIG_FILE FONTCONFIG_PATH FONTCONFIG_SYSROOT XDG_DATA_HOME XDG_DATA_DIRS XDG_CACHE_HOME XDG_CONFIG_HOME
    SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC PATHEXT APPDATA LOCALAPPDATA PROGRAMDATA PROGRAMFILES
    NUMBER_OF_PROCESSORS PROCESSOR_ARCHITECTURE
    PYTHONPATH PYTHONHOME PYTHONUSERBASE PYTHONNOUSERSITE PYTHONPLATLIBDIR PYTHONPYCACHEPREFIX PYTHONDONTWRITEBYTECODE
    PYTHONUTF8 PYTHONIOENCODING PYTHONCOERCECLOCALE PYTHONHASHSEED PYTHONWARNINGS PYTHONDEVMODE PYTHONMALLOC
    VIRTUAL_ENV SSL_CERT_FILE SSL_CERT_DIR
    """
_BEGINNINGS = ("LC_", "OMP_", "OPENBLAS_", "PAPERCHUTE_OCR_")


def plain_environment(**more: str) -> dict[str, str]:
    """What of this process's environment a process may have that is started to read documents, and `more`."""
    return {**_allowed(os.environ), **more}


def take(name: str) -> str:
    """A variable's value, empty when it is not set; afterwards it stands neither in the environment nor in the memory
    that the system shows as the process's first environment (/proc/PID/environ)."""
    value = os.environ.get(name, "")
    if sys.platform != "win32":
        libc = ctypes.CDLL(None)
        libc.getenv.restype = ctypes.c_void_p
        found = libc.getenv(os.fsencode(name))
        if found:
            ctypes.memset(found, ord("-"), len(ctypes.string_at(found)))
    os.environ.pop(name, None)
    return value


def _allowed(variables: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in variables.items() if _is_plain(name.upper())}


def _is_plain(name: str) -> bool:
    return name in _NAMES.split() or name.startswith(_BEGINNINGS)
