"""Ways out of a worker, tried from inside an operation. Each returns what it got, or raises for what it did not get."""

# One system call each, as whoever has taken a worker over would make it.
# ruff: noqa: PTH101, PTH208, PTH211
from __future__ import annotations

import ctypes
import json
import mmap
import os
import platform
import resource
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from paperchute.engine.work import Work
from paperchute.sandbox.seccomp import ARCHITECTURES

assert sys.platform == "linux"


def attempt(work: Work, word: str) -> list[Path]:
    """Try what `word` names, with what stands after its `=`; tell what came of it."""
    name, _, value = word.partition("=")
    way = WAYS[name]
    try:
        told = {"got": True, "what": str(way(value, work))[:2000]}
    except (OSError, MemoryError, RuntimeError) as error:
        told = {"got": False, "what": f"{type(error).__name__}: {error}"}
    output = work.folder / "told.json"
    output.write_text(json.dumps(told), "utf-8")
    return [output]


def call(name: str, *arguments: Any) -> int:
    """A system call by its name."""
    return numbered(ARCHITECTURES[platform.machine()].calls[name], *arguments)


def numbered(number: int, *arguments: Any) -> int:
    """A system call by its number. Raises OSError."""
    libc = ctypes.CDLL(None, use_errno=True)
    result = int(libc.syscall(ctypes.c_long(number), *arguments))
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
    return result


def _link(value: str, work: Work) -> bytes:
    os.link(value, work.folder / "linked")
    return (work.folder / "linked").read_bytes()


def _symlink(value: str, work: Work) -> bytes:
    os.symlink(value, work.folder / "linked")
    return (work.folder / "linked").read_bytes()


def _move_in(value: str, work: Work) -> bytes:
    Path(value).rename(work.folder / "moved")
    return (work.folder / "moved").read_bytes()


def _move_out(value: str, work: Work) -> None:
    inside = work.folder / "mine"
    inside.write_text("planted", "utf-8")
    inside.rename(value)


def _own_input(value: str, work: Work) -> None:
    work.sources[0].path.write_text("changed", "utf-8")


def _unix(value: str, work: Work) -> None:
    with socket.socket(socket.AF_UNIX) as door:
        door.connect("\0" + value[1:] if value.startswith("@") else value)


def _tcp(value: str, work: Work) -> None:
    host, _, port = value.rpartition(":")
    with socket.create_connection((host, int(port))):
        pass


def _udp(value: str, work: Work) -> None:
    host, _, port = value.rpartition(":")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as door:
        door.sendto(b"x", (host, int(port)))


def _preload(value: str, work: Work) -> str:
    (work.folder / "evil.so").write_bytes(b"\x7fELF")
    return _run([sys.executable, "-c", "print('out')"], {"LD_PRELOAD": str(work.folder / "evil.so")})


def _run(command: list[str], environment: dict[str, str] | None = None) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout


def _execute_from_memory(value: str, work: Work) -> None:
    descriptor = os.memfd_create("program")
    os.write(descriptor, Path(sys.executable).resolve().read_bytes())
    os.execve(descriptor, [sys.executable, "-c", "pass"], {})


def _fork(value: str, work: Work) -> int:
    child = os.fork()
    if not child:
        os._exit(0)
    return os.waitpid(child, 0)[1]


def _threads(value: str, work: Work) -> None:
    threading.stack_size(64 << 10)
    while True:
        threading.Thread(target=time.sleep, args=(600,), daemon=True).start()


def _many_files(value: str, work: Work) -> None:
    for number in range(1_000):
        with (work.folder / str(number)).open("wb") as file:
            file.truncate(15 << 20)
    time.sleep(600)


def _raise_limit(value: str, work: Work) -> None:
    if resource.getrlimit(resource.RLIMIT_DATA)[1] == resource.RLIM_INFINITY:
        return
    resource.setrlimit(resource.RLIMIT_DATA, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def _outlive(value: str, work: Work) -> None:
    if ctypes.CDLL(None, use_errno=True).prctl(1, 0, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")


def _shared_memory(value: str, work: Work) -> None:
    mmap.mmap(-1, 4096).close()


def _terminal(value: str, work: Work) -> None:
    import fcntl

    fcntl.ioctl(2, 0x5412, b"x")


def _device(value: str, work: Work) -> None:
    os.mknod(work.folder / "disk", 0o600 | 0o060000, os.makedev(7, 0))


def _handle_of_process(value: str, work: Work) -> None:
    os.pidfd_open(int(value))


def _owner(value: str, work: Work) -> None:
    """Have the system send a signal when a pipe is ready."""
    import fcntl

    ready, _ = os.pipe()
    fcntl.fcntl(ready, 8, int(value))


def _owner_by_ioctl(value: str, work: Work) -> None:
    import fcntl
    import struct

    ready, _ = os.pipe()
    fcntl.ioctl(ready, 0x8901, struct.pack("i", int(value)))


WAYS: dict[str, Callable[[str, Work], Any]] = {
    "read": lambda value, work: Path(value).read_bytes(),
    "list": lambda value, work: os.listdir(value),
    "parents_environment": lambda value, work: Path(f"/proc/{os.getppid()}/environ").read_bytes(),
    "parents_memory": lambda value, work: Path(f"/proc/{os.getppid()}/mem").open("rb").close(),
    "parents_files": lambda value, work: os.listdir(f"/proc/{os.getppid()}/fd"),
    "own_environment": lambda value, work: Path("/proc/self/environ").read_bytes(),
    "through_root": lambda value, work: Path("/proc/self/root" + value).read_bytes(),
    "upwards": lambda value, work: (work.folder / "../../../../engine.log").read_bytes(),
    "write": lambda value, work: Path(value).write_text("planted", "utf-8"),
    "append": lambda value, work: Path(value).open("ab").close(),
    "delete": lambda value, work: Path(value).unlink(),
    "make_folder": lambda value, work: Path(value).mkdir(),
    "truncate": lambda value, work: os.truncate(value, 0),
    "rights": lambda value, work: os.chmod(value, 0o777),
    "times": lambda value, work: os.utime(value, (0, 0)),
    "attribute": lambda value, work: os.setxattr(value, "user.x", b"x"),
    "own_input": _own_input,
    "link": _link,
    "symlink": _symlink,
    "move_in": _move_in,
    "move_out": _move_out,
    "pipe": lambda value, work: os.mkfifo(work.folder / "pipe"),
    "device": _device,
    "tcp": _tcp,
    "udp": _udp,
    "unix": _unix,
    "listen": lambda value, work: socket.create_server(("127.0.0.1", 0)).close(),
    "netlink": lambda value, work: socket.socket(16, socket.SOCK_RAW, 0).close(),
    "packets": lambda value, work: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1).close(),
    "virtual_machine": lambda value, work: socket.socket(40, socket.SOCK_STREAM).close(),
    "pair": lambda value, work: [end.close() for end in socket.socketpair()],
    "name": lambda value, work: socket.getaddrinfo("localhost", 80),
    "start": lambda value, work: _run([sys.executable, "-c", "print('out')"]),
    "shell": lambda value, work: os.posix_spawn("/bin/sh", ["sh", "-c", "true"], {}),
    "preload": _preload,
    "fork": _fork,
    "threads": _threads,
    "many_files": _many_files,
    "from_memory": _execute_from_memory,
    "replace": lambda value, work: os.execv(sys.executable, [sys.executable, "-c", "pass"]),
    "signal": lambda value, work: os.kill(int(value), signal.SIGTERM),
    "signal_parent": lambda value, work: os.kill(os.getppid(), 0),
    "signal_all": lambda value, work: os.kill(-1, 0),
    "signal_group": lambda value, work: os.killpg(os.getpgid(int(value)), 0),
    "queue_signal": lambda value, work: call("rt_sigqueueinfo", int(value), 0, ctypes.create_string_buffer(128)),
    "handle_of_process": _handle_of_process,
    "owner": _owner,
    "owner_by_ioctl": _owner_by_ioctl,
    "processors": lambda value, work: os.sched_setaffinity(int(value), {0}),
    "leave_group": lambda value, work: os.setsid(),
    "outlive": _outlive,
    "slow_down": lambda value, work: os.setpriority(os.PRIO_PROCESS, int(value), 19),
    "limits_of_other": lambda value, work: resource.prlimit(int(value), resource.RLIMIT_NOFILE),
    "raise_limit": _raise_limit,
    "shared_memory": _shared_memory,
    "memory_file": lambda value, work: os.close(os.memfd_create("x")),
    "shm": lambda value, work: call("shmget", 1234, 4096, 0o1600),
    "message_queue": lambda value, work: call("msgget", 1234, 0o1600),
    "watch": lambda value, work: call("inotify_init1", 0),
    "terminal": _terminal,
    "io_uring": lambda value, work: call("io_uring_setup", 1, ctypes.create_string_buffer(256)),
    "future_call": lambda value, work: numbered(500, 0),
    "machine_name": lambda value, work: call("sethostname", b"x", 1),
    "ptrace": lambda value, work: call("ptrace", 16, int(value), 0, 0),
    "read_memory": lambda value, work: call("process_vm_readv", int(value), 0, 0, 0, 0, 0),
    "mount": lambda value, work: call("mount", b"none", b"/mnt", b"tmpfs", 0, 0),
    "namespace": lambda value, work: call("unshare", 0x10000000),
    "new_root": lambda value, work: call("chroot", b"/"),
    "bpf": lambda value, work: call("bpf", 0, 0, 0),
    "faults": lambda value, work: call("userfaultfd", 0),
    "performance": lambda value, work: call("perf_event_open", 0, 0, 0, 0, 0),
    "keyring": lambda value, work: call("keyctl", 0, -3, 0, 0, 0),
    "handle": lambda value, work: call("open_by_handle_at", -100, 0, 0),
    "module": lambda value, work: call("finit_module", 0, b"", 0),
    "x32": lambda value, work: numbered(0x40000000 + 39),
}
