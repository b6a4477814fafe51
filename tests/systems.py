"""What the system that the tests run on can do: Windows, Wine that stands for it, or a POSIX system."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest


def _under_wine() -> bool:
    if sys.platform != "win32":
        return False
    import ctypes

    return hasattr(ctypes.windll.ntdll, "wine_get_version")


def _makes_links() -> bool:
    with tempfile.TemporaryDirectory() as folder:
        link = Path(folder) / "link"
        try:
            link.symlink_to(folder, target_is_directory=True)
        except OSError:
            return False
        return link.is_symlink()


UNDER_WINE = _under_wine()
links = pytest.mark.skipif(not _makes_links(), reason="no symbolic links can be made here")
posix = pytest.mark.skipif(os.name != "posix", reason="a matter of POSIX systems")


def not_wine(reason: str) -> pytest.MarkDecorator:
    """A test of what Wine does otherwise than Windows; reason: what that is."""
    return pytest.mark.skipif(UNDER_WINE, reason=f"Wine is no Windows here: {reason}")


@contextlib.contextmanager
def largest_file(size: int) -> Iterator[None]:
    """Files of this process grow to `size` bytes and no further, as on a disk that is nearly full."""
    if sys.platform == "win32":
        raise NotImplementedError
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def peak_memory() -> int:
    """The most bytes that this process has had in memory so far."""
    if sys.platform == "win32":
        return int(psutil.Process().memory_info().peak_wset)
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
