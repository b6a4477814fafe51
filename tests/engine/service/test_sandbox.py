"""From inside an operation nobody gets out: tried in a worker that is closed in, and in one that is not."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.engine.service.running import KEY, RunningEngine, record_of, told_by, until

if sys.platform != "linux":
    pytest.skip("the ways out are those of Linux", allow_module_level=True)

_FATAL = "the document crashed the process that worked on it"
_LIMITS = ("--memory", str(300 << 20), "--max-output", str(20 << 20))


@dataclass(frozen=True)
class Outside:
    """What lies outside a worker, to be got at."""

    folder: Path
    secret: Path
    neighbour: subprocess.Popen[bytes]
    port: int


@pytest.fixture(scope="module")
def outside(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Outside]:
    """A person's folder with a secret, a process of theirs, and somebody who listens in every way there is."""
    folder = tmp_path_factory.mktemp("home")
    secret = folder / "id_ed25519"
    secret.write_text("PRIVATE KEY", "utf-8")
    neighbour = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
    with (
        socket.create_server(("127.0.0.1", 0)) as tcp,
        socket.socket(socket.AF_UNIX) as unix,
        socket.socket(socket.AF_UNIX) as hidden,
    ):
        here = Path.cwd()
        os.chdir(folder)  # the address of a UNIX socket is short
        unix.bind("door")
        os.chdir(here)
        hidden.bind(f"\0paperchute test {os.getpid()}".replace(" ", "_"))
        unix.listen()
        hidden.listen()
        yield Outside(folder, secret, neighbour, tcp.getsockname()[1])
    neighbour.kill()
    neighbour.wait()


@pytest.fixture(scope="module")
def tight(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningEngine]:
    """An engine whose worker is closed in as it is for people."""
    with RunningEngine(tmp_path_factory.mktemp("tight"), *_LIMITS, tight=True) as engine:
        yield engine


@pytest.fixture(scope="module")
def open_engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningEngine]:
    """An engine whose worker is not closed in."""
    with RunningEngine(tmp_path_factory.mktemp("open"), *_LIMITS, fenced=False) as engine:
        yield engine


def _standing(engine: RunningEngine) -> str:
    lines = [json.loads(line) for line in engine.log_file.read_text("utf-8").splitlines()]
    found = [line["message"] for line in lines if line["message"].startswith("workers are closed in by")]
    return str(found[-1])


def _needs(engine: RunningEngine, fence: str) -> None:
    told_by(engine.html("x"))
    if fence not in _standing(engine).partition("missing")[0]:
        pytest.skip(f"this system has no {fence}: {_standing(engine)}")


def _tried(engine: RunningEngine, way: str, value: object = "") -> dict[str, Any]:
    record = record_of(engine.html(f"do: try {way}={value}"))
    if record["status"] == "success":
        return dict(engine.client.get(record["downloadUrl"]).json())
    return {"got": False, "what": record["failureReason"]}


_FILES = (
    ("read", "{home}/id_ed25519"),
    ("read", "/etc/passwd"),
    ("read", "/dev/mem"),
    ("read", "{state}/engine.sqlite"),
    ("list", "{home}"),
    ("list", "/"),
    ("list", "/proc"),
    ("list", "{state}/files"),
    ("list", "{state}/workers"),
    ("through_root", "{home}/id_ed25519"),
    ("upwards", ""),
    ("parents_environment", ""),
    ("parents_memory", ""),
    ("parents_files", ""),
    ("write", "{home}/planted"),
    ("write", "{home}/id_ed25519"),
    ("write", "/dev/shm/planted"),
    ("append", "{home}/id_ed25519"),
    ("delete", "{home}/id_ed25519"),
    ("make_folder", "{home}/planted"),
    ("link", "{home}/id_ed25519"),
    ("symlink", "{home}/id_ed25519"),
    ("move_in", "{home}/id_ed25519"),
    ("move_out", "{home}/planted"),
    ("own_input", ""),
    ("pipe", ""),
    ("device", ""),
)
_CALLS = (
    ("truncate", "{home}/id_ed25519"),
    ("attribute", "{home}/id_ed25519"),
    ("tcp", "127.0.0.1:{port}"),
    ("tcp", "::1:{port}"),
    ("udp", "127.0.0.1:{port}"),
    ("unix", "{home}/door"),
    ("unix", "@paperchute_test_{me}"),
    ("listen", ""),
    ("netlink", ""),
    ("packets", ""),
    ("virtual_machine", ""),
    ("pair", ""),
    ("start", ""),
    ("shell", ""),
    ("preload", ""),
    ("fork", ""),
    ("from_memory", ""),
    ("signal", "{neighbour}"),
    ("signal_parent", ""),
    ("signal_all", ""),
    ("signal_group", "{neighbour}"),
    ("queue_signal", "{neighbour}"),
    ("handle_of_process", "{neighbour}"),
    ("owner", "{neighbour}"),
    ("owner_by_ioctl", "{neighbour}"),
    ("leave_group", ""),
    ("outlive", ""),
    ("slow_down", "{neighbour}"),
    ("limits_of_other", "{neighbour}"),
    ("shared_memory", ""),
    ("memory_file", ""),
    ("shm", ""),
    ("message_queue", ""),
    ("watch", ""),
    ("terminal", ""),
    ("io_uring", ""),
    ("future_call", ""),
    ("machine_name", ""),
)
_DEADLY = (
    ("replace", ""),
    ("ptrace", "{neighbour}"),
    ("read_memory", "{neighbour}"),
    ("mount", ""),
    ("namespace", ""),
    ("new_root", ""),
    ("bpf", ""),
    ("faults", ""),
    ("performance", ""),
    ("keyring", ""),
    ("handle", ""),
    ("module", ""),
)


def _filled(value: str, engine: RunningEngine, outside: Outside) -> str:
    return value.format(
        home=outside.folder, state=engine.state, port=outside.port, neighbour=outside.neighbour.pid, me=os.getpid()
    )


def _as_it_was(outside: Outside) -> None:
    assert sorted(path.name for path in outside.folder.iterdir()) == ["door", "id_ed25519"]
    assert outside.secret.read_text("utf-8") == "PRIVATE KEY"
    assert outside.neighbour.poll() is None


@pytest.mark.parametrize(("way", "value"), _FILES)
def test_no_file_but_its_own(tight: RunningEngine, outside: Outside, way: str, value: str) -> None:
    _needs(tight, "Landlock")
    said = _tried(tight, way, _filled(value, tight, outside))
    assert not said["got"], said
    _as_it_was(outside)


@pytest.mark.parametrize(("way", "value"), _CALLS)
def test_no_network_no_program_no_other_process(tight: RunningEngine, outside: Outside, way: str, value: str) -> None:
    _needs(tight, "seccomp")
    said = _tried(tight, way, _filled(value, tight, outside))
    assert not said["got"], said
    assert _FATAL not in said["what"], "the operation hears of it, since libraries of ours may try this"
    _as_it_was(outside)


@pytest.mark.parametrize(("way", "value"), _DEADLY)
def test_who_tries_what_no_library_does_is_ended(tight: RunningEngine, outside: Outside, way: str, value: str) -> None:
    _needs(tight, "seccomp")
    assert _tried(tight, way, _filled(value, tight, outside)) == {"got": False, "what": _FATAL}
    _as_it_was(outside)
    told_by(tight.html("the next"))


@pytest.mark.parametrize(
    ("way", "value"),
    [
        ("read", "{home}/id_ed25519"),
        ("list", "{state}/files"),
        ("parents_environment", ""),
        ("write", "{state}/planted"),
        ("own_input", ""),
        ("link", "{home}/id_ed25519"),
        ("pipe", ""),
        ("tcp", "127.0.0.1:{port}"),
        ("udp", "127.0.0.1:{port}"),
        ("unix", "@paperchute_test_{me}"),
        ("listen", ""),
        ("pair", ""),
        ("start", ""),
        ("shell", ""),
        ("fork", ""),
        ("signal_parent", ""),
        ("handle_of_process", "{neighbour}"),
        ("limits_of_other", "{neighbour}"),
        ("outlive", ""),
        ("shared_memory", ""),
        ("memory_file", ""),
    ],
)
def test_the_same_ways_lead_out_of_an_open_worker(
    open_engine: RunningEngine, outside: Outside, way: str, value: str
) -> None:
    said = _tried(open_engine, way, _filled(value, open_engine, outside))
    assert said["got"], said
    _as_it_was(outside)


def test_rights_and_times_of_files_stay(tight: RunningEngine, outside: Outside) -> None:
    _needs(tight, "seccomp")
    before = outside.secret.stat()
    for way in ("rights", "times"):
        _tried(tight, way, outside.secret)
    after = outside.secret.stat()
    assert (after.st_mode, after.st_mtime_ns) == (before.st_mode, before.st_mtime_ns)


def test_the_processors_of_another_process_stay(tight: RunningEngine, outside: Outside) -> None:
    _needs(tight, "seccomp")
    before = os.sched_getaffinity(outside.neighbour.pid)
    if len(before) < 2:
        pytest.skip("this machine has one processor")
    _tried(tight, "processors", outside.neighbour.pid)
    assert os.sched_getaffinity(outside.neighbour.pid) == before


def test_a_bomb_of_threads_or_files_costs_its_own_task(tight: RunningEngine) -> None:
    _needs(tight, "seccomp")
    assert not _tried(tight, "threads")["got"]
    said = _tried(tight, "many_files")
    assert said == {"got": False, "what": "the document fills the disk"}
    told_by(tight.html("the next"))
    assert [path for path in (tight.state / "workers").rglob("*") if path.is_file() and path.name.isdigit()] == []


def test_limits_cannot_be_raised(tight: RunningEngine) -> None:
    said = _tried(tight, "raise_limit")
    assert not said["got"] or os.geteuid() != 0, said


def test_another_tasks_files_are_out_of_reach(tight: RunningEngine, outside: Outside) -> None:
    _needs(tight, "Landlock")
    other = record_of(tight.html("a letter to somebody else"))["taskId"]
    folder = tight.state / "files" / other
    (result,) = folder.rglob("result")
    assert not _tried(tight, "list", folder)["got"]
    assert not _tried(tight, "read", result)["got"]


def test_neither_key_nor_secrets_of_the_environment_reach_engine_or_worker(tight: RunningEngine) -> None:
    worker = told_by(tight.html("x"))["process"]
    for process in (worker, tight.pid):
        environment = Path(f"/proc/{process}/environ").read_bytes()
        assert KEY.encode() not in environment
        assert KEY not in " ".join(psutil.Process(process).cmdline())
    assert b"HOOK_TOKEN" not in Path(f"/proc/{worker}/environ").read_bytes()


def test_the_log_says_which_fences_stand(tight: RunningEngine, open_engine: RunningEngine) -> None:
    told_by(tight.html("x"))
    told_by(open_engine.html("x"))
    assert "no new privileges" in _standing(tight)
    assert _standing(open_engine).endswith("none; missing: all: not wanted by a test")


def test_a_worker_holds_no_privilege_whoever_started_it(tight: RunningEngine) -> None:
    worker = told_by(tight.html("x"))["process"]
    status = dict(
        line.split(":\t", 1) for line in Path(f"/proc/{worker}/status").read_text("ascii").splitlines() if ":\t" in line
    )
    assert status["NoNewPrivs"] == "1"
    assert int(status["CapEff"], 16) & ~(1 << 2) == 0  # CAP_DAC_READ_SEARCH
    if "seccomp" in _standing(tight).partition("missing")[0]:
        assert status["Seccomp"] == "2"


def test_workers_go_with_their_engine(tmp_path: Path) -> None:
    with RunningEngine(tmp_path / "engine") as engine:
        marker = tmp_path / "marker"
        with engine.left_alone(f"do: hang {marker}", {"x-api-key": KEY}):
            until(lambda: marker.exists() and marker.read_text("utf-8").endswith("\n"))
        worker = psutil.Process(int(marker.read_text("utf-8")))
        engine.process.kill()
        until(lambda: not worker.is_running() or worker.status() == "zombie")
