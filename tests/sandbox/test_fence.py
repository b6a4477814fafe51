"""What a process that reads documents is started with, and what it may still read."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from paperchute.sandbox import Fence, plain_environment
from paperchute.sandbox.fence import raised
from paperchute.sandbox.limits import common_places
from paperchute.sandbox.macos import profile


def test_the_environment_holds_what_python_needs_and_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_SECRET_ACCESS_KEY", "RULE_PASSWORD", "SSH_AUTH_SOCK", "LD_PRELOAD", "DBUS_SESSION_BUS_ADDRESS"):
        monkeypatch.setenv(name, "hunter2")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    environment = plain_environment(MORE="more")
    assert "hunter2" not in environment.values()
    assert (environment["LC_ALL"], environment["MORE"]) == ("C.UTF-8", "more")
    assert environment["PATH"] == os.environ["PATH"]


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")
def test_a_secret_that_was_taken_is_not_in_the_first_environment_either() -> None:
    program = (
        "import os; from paperchute.sandbox import take;"
        "print([take('KEY'), take('KEY'), b'hunter2' in open('/proc/self/environ', 'rb').read(), 'KEY' in os.environ])"
    )
    environment = {**os.environ, "KEY": "hunter2", "PYTHONPATH": str(Path(__file__).parents[2] / "daemon")}
    said = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "['hunter2', '', False, False]"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has one root for each drive")
def test_neither_a_home_nor_everything_is_given_out(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.setattr(sys, "path", ["", "/", str(tmp_path), str(tmp_path / "user"), str(tmp_path / "user" / "code")])
    (tmp_path / "user" / "code").mkdir(parents=True)
    places = common_places()
    assert tmp_path / "user" / "code" in places
    assert not {Path("/"), tmp_path, tmp_path / "user"} & set(places)


def test_compiled_modules_are_read_where_python_keeps_them(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "pycache_prefix", str(tmp_path / "compiled"))
    assert tmp_path / "compiled" not in common_places()
    (tmp_path / "compiled").mkdir()
    assert tmp_path / "compiled" in common_places()


def test_a_fence_that_a_system_lacks_is_said_and_the_others_stand() -> None:
    def lacking() -> str:
        raise OSError(38, "Function not implemented")

    standing = raised([("one", lambda: "7"), ("two", lacking), ("three", lambda: "")])
    assert standing.up == ("one 7", "three")
    assert str(standing) == "one 7, three; missing: two (Function not implemented)"


def test_the_profile_of_macos_names_a_folder_whatever_it_is_called(tmp_path: Path) -> None:
    folder = tmp_path / 'a "b" \\ c'
    said = profile(Fence(write=(folder,)))
    quoted = str(folder.resolve()).replace("\\", "\\\\").replace('"', '\\"')
    assert f'(allow file-write* (subpath "{quoted}"))' in said
    assert said.index("(deny file-write*)") < said.index("(allow file-write*")


@pytest.mark.skipif(sys.platform != "win32", reason="a job is Windows's")
def test_the_job_of_a_closed_in_process_is_told_how_much_of_the_processor_it_may_take() -> None:
    """What Windows makes of that, `tests.files.test_reader` shows."""
    program = (
        "from paperchute.sandbox import Fence, bound, confine, windows\n"
        "assert 'job object' in confine(Fence(memory=1 << 30)).up\n"
        "given = []\n"
        "told = windows._kernel.SetInformationJobObject\n"
        "def tell(job, kind, limits, size):\n"
        "    basic, memory = limits._obj.basic, limits._obj.job_memory\n"
        "    given.append((basic.flags & 0x202, basic.process_time / 1e7, memory))\n"
        "    return told(job, kind, limits, size)\n"
        "windows._kernel.SetInformationJobObject = tell\n"
        "bound(5)\n"
        "bound(7)\n"
        "print(given)\n"
    )
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    (flags, first, memory), (_, second, _) = ast.literal_eval(said.stdout)
    assert (flags, memory) == (0x202, 1 << 30)
    assert 5 <= first < second
    assert second >= 7


@pytest.mark.skipif(sys.platform != "linux", reason="the fences are Linux's")
def test_a_process_with_threads_is_not_half_closed_in() -> None:
    program = (
        "import threading, time; threading.Thread(target=time.sleep, args=(9,), daemon=True).start();"
        "from paperchute.sandbox import Fence, confine; print(confine(Fence()))"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / "daemon")}
    said = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    assert "Landlock (the process has threads already)" in said.stdout
