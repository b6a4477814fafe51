"""seccomp: a Linux process gives up system calls, whatever file they would be about (kernel 3.17 and later)."""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Architecture:
    """audit: its AUDIT_ARCH number, by which a filter knows whose numbers these are. calls: numbers by name."""

    audit: int
    calls: dict[str, int]


def _numbers(text: str) -> dict[str, int]:
    return {name: int(number) for name, _, number in (word.partition("=") for word in text.split())}


_X86_64 = Architecture(
    0xC000_003E,
    _numbers("""
        accept=43 accept4=288 acct=163 add_key=248 adjtimex=159 bind=49 bpf=321 capset=126 chmod=90 chown=92
        chroot=161 clock_adjtime=305 clock_settime=227 clone=56 clone3=435 connect=42 delete_module=176 execve=59
        execveat=322 fanotify_init=300 fchmod=91 fchmodat=268 fchmodat2=452 fcntl=72 fchown=93 fchownat=260
        finit_module=313
        fork=57 fremovexattr=199 fsconfig=431 fsetxattr=190 fsmount=432 fsopen=430 fspick=433 futimesat=261
        init_module=175 inotify_init=253 inotify_init1=294 io_uring_enter=426 io_uring_register=427
        io_uring_setup=425 ioctl=16 ioperm=173 iopl=172 ioprio_set=251 kcmp=312 kexec_file_load=320 kexec_load=246
        keyctl=250 kill=62 lchown=94 listen=50 lookup_dcookie=212 lremovexattr=198 lsetxattr=189 memfd_create=319
        memfd_secret=447 migrate_pages=256 mmap=9 mount=165 mount_setattr=442 move_mount=429 move_pages=279
        mq_open=240 mq_unlink=241 msgctl=71 msgget=68 msgrcv=70 msgsnd=69 name_to_handle_at=303
        open_by_handle_at=304 open_tree=428 perf_event_open=298 personality=135 pidfd_getfd=438 pidfd_open=434
        pidfd_send_signal=424 pivot_root=155 prctl=157 prlimit64=302 process_madvise=440 process_mrelease=448
        process_vm_readv=310 process_vm_writev=311 ptrace=101 quotactl=179 quotactl_fd=443 reboot=169
        removexattr=197 request_key=249 rt_sigqueueinfo=129 rt_tgsigqueueinfo=297
        sched_setaffinity=203 sched_setattr=314
        sched_setparam=142 sched_setscheduler=144 seccomp=317 semctl=66 semget=64 semop=65 semtimedop=220
        setdomainname=171 sethostname=170 setns=308 setpgid=109 setpriority=141 setsid=112 settimeofday=164
        setxattr=188 shmat=30 shmctl=31 shmget=29 socket=41 socketpair=53 swapoff=168 swapon=167 syslog=103
        tgkill=234 tkill=200 truncate=76 umount2=166 unshare=272 uselib=134 userfaultfd=323 utime=132 utimensat=280
        utimes=235 vfork=58 vhangup=153
    """),
)
_AARCH64 = Architecture(
    0xC000_00B7,
    _numbers("""
        accept=202 accept4=242 acct=89 add_key=217 adjtimex=171 bind=200 bpf=280 capset=91 chroot=51
        clock_adjtime=266 clock_settime=112 clone=220 clone3=435 connect=203 delete_module=106 execve=221
        execveat=281 fanotify_init=262 fchmod=52 fchmodat=53 fchmodat2=452 fcntl=25 fchown=55 fchownat=54
        finit_module=273
        fremovexattr=16 fsconfig=431 fsetxattr=7 fsmount=432 fsopen=430 fspick=433 init_module=105 inotify_init1=26
        io_uring_enter=426 io_uring_register=427 io_uring_setup=425 ioctl=29 ioprio_set=30 kcmp=272
        kexec_file_load=294 kexec_load=104 keyctl=219 kill=129 listen=201 lookup_dcookie=18 lremovexattr=15
        lsetxattr=6 memfd_create=279 memfd_secret=447 migrate_pages=238 mmap=222 mount=40 mount_setattr=442
        move_mount=429 move_pages=239 mq_open=180 mq_unlink=181 msgctl=187 msgget=186 msgrcv=188 msgsnd=189
        name_to_handle_at=264 open_by_handle_at=265 open_tree=428 perf_event_open=241 personality=92 pidfd_getfd=438
        pidfd_open=434 pidfd_send_signal=424 pivot_root=41 prctl=167 prlimit64=261 process_madvise=440
        process_mrelease=448 process_vm_readv=270 process_vm_writev=271 ptrace=117 quotactl=60 quotactl_fd=443
        reboot=142 removexattr=14 request_key=218 rt_sigqueueinfo=138 rt_tgsigqueueinfo=240
        sched_setaffinity=122 sched_setattr=274
        sched_setparam=118 sched_setscheduler=119 seccomp=277 semctl=191 semget=190 semop=193 semtimedop=192
        setdomainname=162 sethostname=161 setns=268 setpgid=154 setpriority=140 setsid=157 settimeofday=170
        setxattr=5 shmat=196 shmctl=195 shmget=194 socket=198 socketpair=199 swapoff=225 swapon=224 syslog=116
        tgkill=131 tkill=130 truncate=45 umount2=39 unshare=97 userfaultfd=282 utimensat=88 vhangup=58
    """),
)

ARCHITECTURES = {"x86_64": _X86_64, "aarch64": _AARCH64}
"""By the name that the system gives its processor."""

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
    """Allow a call whose argument (its lower 32 bits) passes one of the tests, and no other.

    With `refuse` the other way round.
    """
    yes, no = _ERRNO | errno.EPERM, _ALLOW
    if not refuse:
        yes, no = no, yes
    steps = [(_LOAD, 0, 0, _ARGUMENTS + 8 * index), *(before or [])]
    for left, (code, value) in zip(range(len(tests), 0, -1), tests, strict=True):
        steps.append((code, left, 0, value))
    return [*steps, (_RETURN, 0, 0, no), (_RETURN, 0, 0, yes)]
