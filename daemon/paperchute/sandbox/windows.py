"""Windows: the process lowers its own integrity, gives its privileges away for good, and shuts itself into a job.

At low integrity it can write nowhere but where the label says so, and send no window a message. It can still read
what its user may read, and reach the network: a firewall rule or an AppContainer, which has to be set up beforehand,
would be needed against that.
"""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path

from paperchute.sandbox.fence import Fence, Standing, raised

if sys.platform == "win32":
    import subprocess
    from ctypes import wintypes

    _TOKEN_ACCESS = 0x0080 | 0x0020 | 0x0008  # adjust default, adjust privileges, query
    _TOKEN_PRIVILEGES, _TOKEN_INTEGRITY = 3, 25
    _PRIVILEGE_REMOVED = 0x4
    _SE_GROUP_INTEGRITY = 0x20
    _LOW = "S-1-16-4096"
    _EXTENDED_LIMITS, _UI_LIMITS = 9, 4
    _ACTIVE_PROCESS, _JOB_MEMORY, _DIE_ON_EXCEPTION, _KILL_ON_CLOSE = 0x8, 0x200, 0x400, 0x2000
    _PROCESS_TIME, _TICKS = 0x2, 10_000_000  # of the second
    _ALL_UI_LIMITS = 0xFF
    _NO_CHILDREN_POLICY, _NO_CHILDREN = 13, 1
    _LABEL_SECONDS = 30.0

    class _BasicLimits(ctypes.Structure):
        _fields_ = (
            ("process_time", ctypes.c_int64),
            ("job_time", ctypes.c_int64),
            ("flags", wintypes.DWORD),
            ("least_working_set", ctypes.c_size_t),
            ("most_working_set", ctypes.c_size_t),
            ("processes", wintypes.DWORD),
            ("affinity", ctypes.c_size_t),
            ("priority", wintypes.DWORD),
            ("scheduling", wintypes.DWORD),
        )

    class _ExtendedLimits(ctypes.Structure):
        _fields_ = (
            ("basic", _BasicLimits),
            ("io", ctypes.c_uint64 * 6),
            ("process_memory", ctypes.c_size_t),
            ("job_memory", ctypes.c_size_t),
            ("peak_process", ctypes.c_size_t),
            ("peak_job", ctypes.c_size_t),
        )

    class _Label(ctypes.Structure):
        _fields_ = (("sid", ctypes.c_void_p), ("attributes", wintypes.DWORD))

    _jail: list[tuple[int, _ExtendedLimits]] = []
    """The job that this process is in, with its limits; the handle stays open, as closing it would end the process."""

    _kernel = ctypes.WinDLL("kernel32", use_last_error=True)
    _security = ctypes.WinDLL("advapi32", use_last_error=True)
    _kernel.GetCurrentProcess.restype = wintypes.HANDLE
    _kernel.CreateJobObjectW.restype = wintypes.HANDLE
    _kernel.CreateJobObjectW.argtypes = (ctypes.c_void_p, wintypes.LPCWSTR)
    _kernel.SetInformationJobObject.argtypes = (wintypes.HANDLE, ctypes.c_int, ctypes.c_void_p, wintypes.DWORD)
    _kernel.AssignProcessToJobObject.argtypes = (wintypes.HANDLE, wintypes.HANDLE)
    _security.OpenProcessToken.argtypes = (wintypes.HANDLE, wintypes.DWORD, ctypes.POINTER(wintypes.HANDLE))
    _security.SetTokenInformation.argtypes = (wintypes.HANDLE, ctypes.c_int, ctypes.c_void_p, wintypes.DWORD)
    _security.GetTokenInformation.argtypes = (
        wintypes.HANDLE,
        ctypes.c_int,
        ctypes.c_void_p,
        wintypes.DWORD,
        ctypes.POINTER(wintypes.DWORD),
    )
    _security.AdjustTokenPrivileges.argtypes = (
        wintypes.HANDLE,
        wintypes.BOOL,
        ctypes.c_void_p,
        wintypes.DWORD,
        ctypes.c_void_p,
        ctypes.c_void_p,
    )
    _security.ConvertStringSidToSidW.argtypes = (wintypes.LPCWSTR, ctypes.POINTER(ctypes.c_void_p))
    _security.GetLengthSid.argtypes = (ctypes.c_void_p,)
    _security.GetLengthSid.restype = wintypes.DWORD

    def confine(fence: Fence) -> Standing:
        """See `fence.confine`."""
        return raised(
            [
                ("no privileges", _no_privileges),
                ("low integrity", lambda: _low_integrity(fence)),
                ("no child processes", _no_children),
                ("job object", lambda: _job(fence)),
            ]
        )

    def bound(seconds: float) -> None:
        """See `paperchute.sandbox.bound`. Only its own instructions count, and Windows looks every few seconds.

        Of a process that stands in no job nothing is counted.
        """
        for job, limits in _jail:
            limits.basic.flags |= _PROCESS_TIME
            limits.basic.process_time = int((os.times().user + seconds) * _TICKS)
            _check(_kernel.SetInformationJobObject(job, _EXTENDED_LIMITS, ctypes.byref(limits), ctypes.sizeof(limits)))

    def _no_privileges() -> str:
        token = _token()
        size = wintypes.DWORD()
        _security.GetTokenInformation(token, _TOKEN_PRIVILEGES, None, 0, ctypes.byref(size))
        found = (wintypes.DWORD * (size.value // ctypes.sizeof(wintypes.DWORD)))()
        _check(_security.GetTokenInformation(token, _TOKEN_PRIVILEGES, found, size, ctypes.byref(size)))
        for entry in range(found[0]):  # a number in two halves, and its attributes
            found[3 * entry + 3] = _PRIVILEGE_REMOVED
        _check(_security.AdjustTokenPrivileges(token, False, found, 0, None, None))
        return ""

    def _low_integrity(fence: Fence) -> str:
        for folder in fence.write:
            _label(folder)
        sid = ctypes.c_void_p()
        _check(_security.ConvertStringSidToSidW(_LOW, ctypes.byref(sid)))
        label = _Label(sid, _SE_GROUP_INTEGRITY)
        size = ctypes.sizeof(label) + _security.GetLengthSid(sid)
        _check(_security.SetTokenInformation(_token(), _TOKEN_INTEGRITY, ctypes.byref(label), size))
        return ""

    def _label(folder: Path) -> None:
        """Low integrity for a folder and what will be in it."""
        command = ["icacls", str(folder), "/setintegritylevel", "(OI)(CI)L"]
        done = subprocess.run(command, capture_output=True, timeout=_LABEL_SECONDS, check=False)
        if done.returncode != 0:
            raise OSError(f"{folder} cannot be labelled: icacls ended with {done.returncode}")

    def _no_children() -> str:
        policy = wintypes.DWORD(_NO_CHILDREN)
        _check(_kernel.SetProcessMitigationPolicy(_NO_CHILDREN_POLICY, ctypes.byref(policy), ctypes.sizeof(policy)))
        return ""

    def _job(fence: Fence) -> str:
        job = _kernel.CreateJobObjectW(None, None)
        _check(job)
        limits = _ExtendedLimits()
        limits.basic.flags = _ACTIVE_PROCESS | _DIE_ON_EXCEPTION | _KILL_ON_CLOSE
        limits.basic.processes = 1
        if fence.memory:
            limits.basic.flags |= _JOB_MEMORY
            limits.job_memory = fence.memory
        _check(_kernel.SetInformationJobObject(job, _EXTENDED_LIMITS, ctypes.byref(limits), ctypes.sizeof(limits)))
        allowed = wintypes.DWORD(_ALL_UI_LIMITS)
        _check(_kernel.SetInformationJobObject(job, _UI_LIMITS, ctypes.byref(allowed), ctypes.sizeof(allowed)))
        _check(_kernel.AssignProcessToJobObject(job, _kernel.GetCurrentProcess()))
        _jail.append((job, limits))
        return ""

    def _token() -> wintypes.HANDLE:
        token = wintypes.HANDLE()
        _check(_security.OpenProcessToken(_kernel.GetCurrentProcess(), _TOKEN_ACCESS, ctypes.byref(token)))
        return token

    def _check(done: int) -> None:
        if not done:
            raise ctypes.WinError(ctypes.get_last_error())
