"""The filter says of every call what it should, on both processors: its program is run here as the kernel runs it."""

from __future__ import annotations

import errno

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperchute.sandbox import seccomp
from paperchute.sandbox.seccomp import ARCHITECTURES

_ME = 4711
_ALLOWED, _ENDED = 0x7FFF0000, 0x80000000
_EPERM, _ENOSYS, _IGNORED = 0x50000 | errno.EPERM, 0x50000 | errno.ENOSYS, 0x50000
_THREAD, _PROCESS = 0x3D0F00, 0x1200011  # flags of pthread_create and of fork in glibc

processors = pytest.mark.parametrize("processor", sorted(ARCHITECTURES))


def _answer(processor: str, number: int, *arguments: int, audit: int | None = None) -> int:
    known = ARCHITECTURES[processor]
    data = {0: number, 4: known.audit if audit is None else audit}
    data |= {16 + 8 * index: value & 0xFFFFFFFF for index, value in enumerate((*arguments, 0, 0, 0, 0, 0, 0)[:6])}
    steps = list(seccomp._program(known, _ME))
    assert len(steps) < 4096
    at = value = 0
    while True:
        code, yes, no, constant = steps[at]
        match code:
            case 0x20:
                value = data[constant]
            case 0x54:
                value &= constant
            case 0x15:
                at += yes if value == constant else no
            case 0x35:
                at += yes if value >= constant else no
            case 0x45:
                at += yes if value & constant else no
            case 0x06:
                return constant
        at += 1


def _named(processor: str, name: str, *arguments: int) -> int:
    return _answer(processor, ARCHITECTURES[processor].calls[name], *arguments)


@processors
@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("execve", (), _ENDED),
        ("ptrace", (), _ENDED),
        ("mount", (), _ENDED),
        ("socket", (), _EPERM),
        ("io_uring_setup", (), _EPERM),
        ("memfd_create", (), _EPERM),
        ("fchmodat", (), _IGNORED),
        ("clone3", (), _ENOSYS),
        ("clone", (_THREAD,), _ALLOWED),
        ("clone", (_PROCESS,), _EPERM),
        ("kill", (_ME, 9), _ALLOWED),
        ("kill", (1, 9), _EPERM),
        ("kill", (-1, 9), _EPERM),
        ("kill", (0, 9), _EPERM),
        ("tgkill", (_ME, _ME, 6), _ALLOWED),
        ("tgkill", (1, 1, 6), _EPERM),
        ("prlimit64", (0,), _ALLOWED),
        ("prlimit64", (_ME,), _ALLOWED),
        ("prlimit64", (1,), _EPERM),
        ("prctl", (1, 0), _EPERM),
        ("prctl", (15,), _ALLOWED),
        ("ioctl", (0, 0x5412), _EPERM),
        ("ioctl", (0, 0x541C), _EPERM),
        ("ioctl", (0, 0x8901), _EPERM),
        ("ioctl", (0, 0x5401), _ALLOWED),
        ("fcntl", (0, 8, 1), _EPERM),
        ("fcntl", (0, 15, 1), _EPERM),
        ("fcntl", (0, 2, 1), _ALLOWED),
        ("sched_setaffinity", (1,), _IGNORED),
        ("mmap", (0, 4096, 3, 0x22), _ALLOWED),
        ("mmap", (0, 4096, 3, 0x01), _ALLOWED),
        ("mmap", (0, 4096, 3, 0x21), _EPERM),
        ("mmap", (0, 4096, 3, 0x23), _EPERM),
    ],
)
def test_what_a_call_is_answered(processor: str, name: str, arguments: tuple[int, ...], expected: int) -> None:
    assert _named(processor, name, *arguments) == expected


@processors
@given(number=st.integers(0, 0x7FFFFFFF))
def test_calls_that_nobody_named_are_allowed_if_they_are_known_at_all(processor: str, number: int) -> None:
    if number not in ARCHITECTURES[processor].calls.values():
        beyond = _ENDED if processor == "x86_64" and number >= 0x40000000 else _ENOSYS
        assert _answer(processor, number) == (_ALLOWED if number <= 462 else beyond)


@processors
def test_calls_in_the_numbers_of_another_processor_end_the_process(processor: str) -> None:
    assert _answer(processor, 0, audit=0x40000003) == _ENDED, "32 bit calls have numbers of their own"


@processors
def test_every_call_that_the_filter_treats_apart_is_known(processor: str) -> None:
    old = {"fork", "vfork", "chmod", "chown", "lchown", "utime", "utimes", "futimesat", "inotify_init", "uselib"}
    named = {*seccomp._FATAL, *seccomp._FORBIDDEN, *seccomp._IGNORED}
    missing = named - set(ARCHITECTURES[processor].calls)
    assert missing <= (old | {"iopl", "ioperm"} if processor == "aarch64" else set())
