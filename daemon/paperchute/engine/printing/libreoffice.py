"""LibreOffice as a printer: its library (LibreOfficeKit), loaded into the worker, behind the same fence as all else.

No program is started and no network is there, so that macros, links and fields that fetch reach nothing. The library
keeps what it knows between two documents, as a worker does; a document that breaks it ends the worker, and the engine
has the next printer try (`tasks.pool`). The interface is that of `LibreOfficeKit/LibreOfficeKit.h`, which only grows.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from paperchute.contract import libreoffice
from paperchute.engine import report
from paperchute.language import _

_OPTIONS = b"Batch=true,MacroSecurityLevel=3,EnableMacrosExecution=false"
"""No dialogue is waited for; macros run for nobody (3: only from trusted places, of which there are none)."""
_OFF = (
    ("Common/Security/Scripting", "DisableMacrosExecution", "true"),
    ("Common/Security/Scripting", "BlockUntrustedRefererLinks", "true"),
    ("Writer/Content/Update", "Link", "0"),  # never
    ("Calc/Content/Update", "Link", "1"),  # never
)
"""Of its settings: what of macros, links and updates a document could ask for."""
_SETTINGS = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry">{items}</oor:items>"""
_SETTING = """<item oor:path="/org.openoffice.Office.{path}">
<prop oor:name="{name}" oor:op="fuse"><value>{value}</value></prop></item>"""

_place: list[Path] = []
_Pointer = ctypes.c_void_p
_Text = ctypes.c_char_p


class PrinterError(Exception):
    """LibreOffice did not print a file. The text is its own, or ours where it said nothing."""


class _KitClass(ctypes.Structure):
    _fields_ = (
        ("size", ctypes.c_size_t),
        ("destroy", ctypes.CFUNCTYPE(None, _Pointer)),
        ("load", ctypes.CFUNCTYPE(_Pointer, _Pointer, _Text)),
        ("error", ctypes.CFUNCTYPE(_Pointer, _Pointer)),
        ("load_with", ctypes.CFUNCTYPE(_Pointer, _Pointer, _Text, _Text)),
    )


class _DocumentClass(ctypes.Structure):
    _fields_ = (
        ("size", ctypes.c_size_t),
        ("destroy", ctypes.CFUNCTYPE(None, _Pointer)),
        ("save_as", ctypes.CFUNCTYPE(ctypes.c_int, _Pointer, _Text, _Text, _Text)),
    )


def settle(folder: Path) -> None:
    """Say where LibreOffice may keep its profile. Without that, outside of a worker's fence, it is never loaded."""
    _place[:] = [folder]


def is_there() -> bool:
    """Tell whether this process can print with it."""
    return bool(_place) and libreoffice.shared_library() is not None


def print_file(source: Path, output: Path) -> None:
    """Print an office file as PDF.

    Args:
        source: The file, of one of `libreoffice.KINDS`, whatever its name.
        output: The PDF to write.

    Raises PrinterError.
    """
    with report.loading(libreoffice.NAME), _own_temporary():  # should it end the process, another printer has the file
        kit = _kit()
        methods = ctypes.cast(kit, ctypes.POINTER(ctypes.POINTER(_KitClass))).contents.contents
        document = methods.load_with(kit, source.absolute().as_uri().encode(), _OPTIONS)
        if not document:
            raise PrinterError(_said(methods, kit) or _("it does not open the file"))
        made = ctypes.cast(document, ctypes.POINTER(ctypes.POINTER(_DocumentClass))).contents.contents
        try:
            done = made.save_as(document, output.absolute().as_uri().encode(), b"pdf", None)
        finally:
            made.destroy(document)
        if not done or not output.is_file() or not output.stat().st_size:
            raise PrinterError(_said(methods, kit) or _("it wrote no pages"))


@cache
def _kit() -> int:
    """Load and begin it, once in a process. Raises PrinterError."""
    library = libreoffice.shared_library()
    if library is None:
        raise PrinterError(_("it is not installed"))
    profile = _place[0] / "profile"
    (profile / "user").mkdir(parents=True, exist_ok=True)
    items = "".join(_SETTING.format(path=path, name=name, value=value) for path, name, value in _OFF)
    (profile / "user" / "registrymodifications.xcu").write_text(_SETTINGS.format(items=items), "utf-8")
    os.environ["SAL_USE_VCLPLUGIN"] = "svp"  # draws into memory: there is no screen
    os.environ["SAL_DISABLE_OPENCL"] = "1"
    try:
        begin = ctypes.CDLL(str(library), mode=ctypes.RTLD_GLOBAL).libreofficekit_hook_2
    except (OSError, AttributeError) as error:
        raise PrinterError(str(error)) from None
    begin.restype, begin.argtypes = _Pointer, (_Text, _Text)
    kit = begin(os.fsencode(library.parent), profile.absolute().as_uri().encode())
    if not kit:
        raise PrinterError(_("it does not start"))
    return int(kit)


@contextmanager
def _own_temporary() -> Iterator[None]:
    """It keeps to the folder for temporary files that it first sees, and a task's own goes with the task."""
    before, own = os.environ.get("TMPDIR"), _place[0] / "temporary"
    own.mkdir(exist_ok=True)
    os.environ["TMPDIR"] = str(own)
    try:
        yield
    finally:
        if before is None:
            del os.environ["TMPDIR"]
        else:
            os.environ["TMPDIR"] = before


def _said(methods: _KitClass, kit: int) -> str:
    text = methods.error(kit)
    return ctypes.string_at(text).decode("utf-8", "replace").strip() if text else ""
