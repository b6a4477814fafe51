"""What a process may still do, and the environment it is started with."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

_NAMES = """
    PATH LANG LANGUAGE TZ TZDIR HOME USERPROFILE TMPDIR TEMP TMP
    LD_LIBRARY_PATH DYLD_LIBRARY_PATH DYLD_FALLBACK_LIBRARY_PATH NIX_LD NIX_LD_LIBRARY_PATH
    FONTCONFIG_FILE FONTCONFIG_PATH FONTCONFIG_SYSROOT XDG_DATA_HOME XDG_DATA_DIRS XDG_CACHE_HOME XDG_CONFIG_HOME
    SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC PATHEXT APPDATA LOCALAPPDATA PROGRAMDATA PROGRAMFILES
    NUMBER_OF_PROCESSORS PROCESSOR_ARCHITECTURE
    PYTHONPATH PYTHONHOME PYTHONUSERBASE PYTHONNOUSERSITE PYTHONPLATLIBDIR PYTHONPYCACHEPREFIX PYTHONDONTWRITEBYTECODE
    PYTHONUTF8 PYTHONIOENCODING PYTHONCOERCECLOCALE PYTHONHASHSEED PYTHONWARNINGS PYTHONDEVMODE PYTHONMALLOC
    VIRTUAL_ENV SSL_CERT_FILE SSL_CERT_DIR TESSDATA_PREFIX
    """
_BEGINNINGS = ("LC_", "OMP_", "OPENBLAS_", "PAPERCHUTE_OCR_")


def plain_environment(**more: str) -> dict[str, str]:
    """Return what of this process's environment a process may have that is started to read documents, and `more`."""
    return {**_allowed(os.environ), **more}


def take(name: str) -> str:
    """A variable's value, empty when it is not set, and no longer anywhere afterwards.

    It stands neither in the environment nor in the memory that the system shows as the process's first environment
    (/proc/PID/environ). What is not set may lie in a file, as whoever runs containers hands secrets over: NAME_FILE
    says where. Raises OSError when that cannot be read.
    """
    value = os.environ.get(name, "")
    place = os.environ.get(f"{name}_FILE", "")
    if place and not value:
        return Path(place).read_text("utf-8", "replace").strip()
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


@dataclass(frozen=True)
class Fence:
    """What a process that reads foreign documents keeps.

    Never a network, another program, another process, or anybody's files but these.
    """

    read: tuple[Path, ...] = ()
    """Folders and files that it may read, beside Python, its libraries, fonts and what the system says of itself."""
    write: tuple[Path, ...] = ()
    """Folders in which it may write as well."""
    memory: int = 0
    """Bytes of its own; 0 for as much as there is."""
    output: int = 0
    """Bytes of the largest file that it may write; 0 for any."""
    files: int = 4096
    """How many it may have open."""


@dataclass(frozen=True)
class Standing:
    """Which fences stand and which do not, each with the reason, for log and status."""

    up: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()

    def __str__(self) -> str:
        text = ", ".join(self.up) or "none"
        return f"{text}; missing: {', '.join(self.missing)}" if self.missing else text


def raised(fences: Iterable[tuple[str, Callable[[], str]]]) -> Standing:
    """Put fences up in their order. Each gives its version, or nothing; it raises OSError where the system has none."""
    up: list[str] = []
    missing: list[str] = []
    for name, fence in fences:
        try:
            up.append(f"{name} {fence()}".strip())
        except (OSError, ValueError, AttributeError) as error:  # AttributeError: the C library does not know the call
            missing.append(f"{name} ({getattr(error, 'strerror', None) or error})")
    return Standing(tuple(up), tuple(missing))
