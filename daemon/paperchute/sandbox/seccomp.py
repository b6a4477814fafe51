"""seccomp: a Linux process gives up system calls, whatever file they would be about (kernel 3.17 and later).

What no library of ours has a use for ends the process, so that nobody who has taken it over can go on trying; what
libraries try and can do without fails with EPERM, or is not done. The filter is the classic BPF of seccomp(2).
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
from collections.abc import Iterator

from paperchute.sandbox.syscalls import ARCHITECTURES, Architecture

_SET_FILTER, _ALL_THREADS = 1, 1
_KILL, _ALLOW, _ERRNO = 0x8000_0000, 0x7FFF_0000, 0x0005_0000
_LOAD, _AND, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16  # where struct seccomp_data has them
_X32 = 0x4000_0000
_NEWEST = 462  # mseal of Linux 6.10; what is newer than this list does not exist for the process

_CLONE_THREAD = 0x10000
_SHARED_WITHOUT_FILE = 0x21  # MAP_SHARED, MAP_ANONYMOUS: memory that counts as nobody's
_PDEATHSIG = 1
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C  # put keys into the terminal's input
_FIOSETOWN, _SIOCSPGRP = 0x8901, 0x8902  # who gets a signal when a file is ready: any process of the same user
_F_SETOWN, _F_SETSIG, _F_SETOWN_EX = 8, 10, 15  # the same by fcntl


def _names(text: str) -> list[str]:
    return text.split()


_FATAL = _names("""
    execve execveat ptrace process_vm_readv process_vm_writev bpf perf_event_open userfaultfd
    mount umount2 pivot_root chroot setns unshare move_mount open_tree fsopen fsconfig fsmount fspick mount_setattr
    init_module finit_module delete_module kexec_load kexec_file_load open_by_handle_at keyctl add_key request_key
    reboot swapon swapoff iopl ioperm
""")
_FORBIDDEN = _names("""
    io_uring_setup io_uring_enter io_uring_register
    socket socketpair connect bind listen accept accept4
    fork vfork tkill rt_sigqueueinfo rt_tgsigqueueinfo pidfd_send_signal pidfd_open pidfd_getfd
    process_madvise process_mrelease kcmp move_pages migrate_pages
    setsid setpgid setpriority ioprio_set sched_setscheduler sched_setparam sched_setattr
    chown fchown lchown fchownat setxattr lsetxattr fsetxattr removexattr lremovexattr fremovexattr truncate
    inotify_init inotify_init1 fanotify_init memfd_create memfd_secret name_to_handle_at
    shmget shmat shmctl msgget msgsnd msgrcv msgctl semget semop semctl semtimedop mq_open mq_unlink
    sethostname setdomainname settimeofday clock_settime clock_adjtime adjtimex
    acct quotactl quotactl_fd syslog vhangup personality lookup_dcookie uselib
""")

_IGNORED = _names("chmod fchmod fchmodat fchmodat2 utime utimes futimesat utimensat sched_setaffinity")
"""Rights and times of files: Landlock knows nothing of them, and libraries that copy a file set them by habit. So do
some with the processors of their threads, which could be any process's."""

_Step = tuple[int, int, int, int]


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("steps", ctypes.c_char_p))


def restrict() -> None:
    """Close all threads of this process in. It must have given up new privileges. Raises OSError."""
    known = ARCHITECTURES.get(platform.machine()) if ctypes.sizeof(ctypes.c_void_p) == 8 else None
    if known is None:
        raise OSError(errno.ENOSYS, f"the system calls of {platform.machine()} are not known")
    steps = list(_program(known, os.getpid()))
    packed = b"".join(struct.pack("=HBBI", *step) for step in steps)
    program = _Program(len(steps), packed)
    libc = ctypes.CDLL(None, use_errno=True)
    done = libc.syscall(known.calls["seccomp"], _SET_FILTER, _ALL_THREADS, ctypes.byref(program))
    if done != 0:  # a positive number is a thread that could not be closed in
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))


def _program(known: Architecture, process: int) -> Iterator[_Step]:
    yield _LOAD, 0, 0, _ARCHITECTURE
    yield _EQUAL, 1, 0, known.audit
    yield _RETURN, 0, 0, _KILL
    yield _LOAD, 0, 0, _NUMBER
    if known.audit == ARCHITECTURES["x86_64"].audit:
        yield _AT_LEAST, 0, 1, _X32
        yield _RETURN, 0, 0, _KILL
    yield _AT_LEAST, 0, 1, _NEWEST + 1
    yield _RETURN, 0, 0, _ERRNO | errno.ENOSYS
    for names, answer in ((_FATAL, _KILL), (_FORBIDDEN, _ERRNO | errno.EPERM), (_IGNORED, _ERRNO)):
        for name in names:
            if name in known.calls:
                yield from _when(known.calls[name], [(_RETURN, 0, 0, answer)])
    # A C library that is told that there is no clone3 uses clone, whose flags can be seen.
    yield from _when(known.calls["clone3"], [(_RETURN, 0, 0, _ERRNO | errno.ENOSYS)])
    yield from _when(known.calls["clone"], _argument(0, (_ANY_BIT, _CLONE_THREAD)))
    for name in ("kill", "tgkill"):
        yield from _when(known.calls[name], _argument(0, (_EQUAL, process)))
    yield from _when(known.calls["prlimit64"], _argument(0, (_EQUAL, 0), (_EQUAL, process)))
    yield from _when(known.calls["prctl"], _argument(0, (_EQUAL, _PDEATHSIG), refuse=True))
    for name, refused in (
        ("ioctl", (_TIOCSTI, _TIOCLINUX, _FIOSETOWN, _SIOCSPGRP)),
        ("fcntl", (_F_SETOWN, _F_SETSIG, _F_SETOWN_EX)),
    ):
        yield from _when(known.calls[name], _argument(1, *((_EQUAL, value) for value in refused), refuse=True))
    masked = (_AND, 0, 0, _SHARED_WITHOUT_FILE)
    yield from _when(known.calls["mmap"], _argument(3, (_EQUAL, _SHARED_WITHOUT_FILE), refuse=True, before=[masked]))
    yield _RETURN, 0, 0, _ALLOW


def _when(number: int, steps: list[_Step]) -> Iterator[_Step]:
    """Steps for one call; they end in an answer."""
    yield _EQUAL, 0, len(steps), number
    yield from steps


def _argument(
    index: int, *tests: tuple[int, int], refuse: bool = False, before: list[_Step] | None = None
) -> list[_Step]:
    """Allow a call whose argument (its lower 32 bits) passes one of the tests, and no other; with `refuse` the other
    way round."""
    yes, no = _ERRNO | errno.EPERM, _ALLOW
    if not refuse:
        yes, no = no, yes
    steps = [(_LOAD, 0, 0, _ARGUMENTS + 8 * index), *(before or [])]
    for left, (code, value) in zip(range(len(tests), 0, -1), tests, strict=True):
        steps.append((code, left, 0, value))
    return [*steps, (_RETURN, 0, 0, no), (_RETURN, 0, 0, yes)]
