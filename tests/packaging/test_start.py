"""Systems that the lock files have no libraries for are told so before installing; what nobody loads goes."""

from __future__ import annotations

import importlib.util
import os
import queue
import shutil
import subprocess
import sys
import sysconfig
import threading
import tomllib
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
_SPEC = importlib.util.spec_from_file_location("start", ROOT / "start.py")
assert _SPEC is not None
assert _SPEC.loader is not None
start = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(start)


@pytest.mark.parametrize(
    ("system", "build", "abi", "machine", "macos", "python", "said"),
    [
        ("linux", "linux-x86_64", "cpython-311-x86_64-linux-gnu", "x86_64", "", (3, 11), ""),
        ("linux", "linux-aarch64", "cpython-314-aarch64-linux-gnu", "aarch64", "", (3, 14), ""),
        ("linux", "linux-x86_64", "cpython-313-x86_64-linux-musl", "x86_64", "", (3, 13), "musl"),
        ("linux", "linux-armv7l", "cpython-313-arm-linux-gnueabihf", "armv7l", "", (3, 13), "linux-armv7l"),
        ("win32", "win-amd64", "", "AMD64", "", (3, 14), ""),
        ("win32", "win-amd64", "", "ARM64", "", (3, 14), ""),  # an Intel Python, which Windows on ARM runs
        ("win32", "win-arm64", "", "ARM64", "", (3, 13), "Windows installer (64-bit)"),
        ("win32", "win32", "", "AMD64", "", (3, 11), "Windows installer (64-bit)"),
        ("darwin", "macosx-10.13-universal2", "cpython-313-darwin", "arm64", "15.1", (3, 14), ""),
        ("darwin", "macosx-10.13-universal2", "cpython-313-darwin", "arm64", "14.6.1", (3, 13), "macOS 15"),
        ("darwin", "macosx-10.9-universal2", "cpython-311-darwin", "arm64", "10.16", (3, 11), ""),
        ("darwin", "macosx-10.13-universal2", "cpython-313-darwin", "x86_64", "15.1", (3, 13), ""),
        ("darwin", "macosx-10.13-universal2", "cpython-314-darwin", "x86_64", "15.1", (3, 14), "Python 3.13 or older"),
    ],
)
def test_a_system_without_the_libraries_is_told_why(
    system: str, build: str, abi: str, machine: str, macos: str, python: tuple[int, int], said: str
) -> None:
    why = start.why_unfit(system, build, abi, machine, macos, python)
    assert bool(why) == bool(said)
    assert said in why


def test_what_libraries_bring_for_those_who_build_on_them_is_left_out_and_nothing_else(tmp_path: Path) -> None:
    stays = (
        *("numpy/core.py", "numpy/__pycache__/core.pyc", "jinja2/tests.py", "numpy/testing/__init__.py"),
        *("onnxruntime/capi/onnxruntime_pybind11_state.so", "onnxruntime/capi/libonnxruntime_providers_shared.so"),
        *(
            "tools/transformers/here.py",
            "pip/__init__.py",
            "paperchute.pth",
            "cv2/cv2.abi3.so",
            "pipes/__pycache__/a.pyc",
        ),
    )
    goes = (
        *("numpy/core.pyi", "numpy/include/numpy.h", "numpy/random/lib/libnpyrandom.a", "lxml/etree.pyx", "lxml/x.pxd"),
        *("numpy/tests/test_core.py", "numpy/tests/data/a.csv", "numpy/lib/tests/__pycache__/test.pyc"),
        *("onnxruntime/capi/libonnxruntime.so.1.31.1", "onnxruntime/transformers/a.py", "onnxruntime/tools/a.py"),
        *("pip/__pycache__/__init__.pyc", "setuptools/command/__pycache__/build.pyc"),
    )
    site = tmp_path / "lib" / "python3.11" / "site-packages"
    for name in (*stays, *goes):
        path = site / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"")
    start.slim(str(tmp_path))
    left = {path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file()}
    assert left == set(stays)


def test_two_set_ups_at_once_break_each_other(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    program = (
        "import importlib.util as u, sys; s = u.spec_from_file_location('start', sys.argv[1]);"
        "m = u.module_from_spec(s); s.loader.exec_module(m); print('asks', flush=True)\n"
        "with m.Lock(sys.argv[2]): print('has it', flush=True)"
    )
    assert start.__file__ is not None
    with start.Lock(path):
        second = subprocess.Popen(
            [sys.executable, "-c", program, start.__file__, path], stdout=subprocess.PIPE, text=True
        )
        assert second.stdout is not None
        assert second.stdout.readline() == "asks\n"
        said: queue.SimpleQueue[str] = queue.SimpleQueue()
        threading.Thread(target=lambda: said.put(second.stdout.readline())).start()  # type: ignore[union-attr]
        with pytest.raises(queue.Empty):
            said.get(timeout=1)
    assert said.get(timeout=120) == "has it\n"
    assert second.wait(120) == 0
    second.stdout.close()


def test_an_environment_below_any_name_is_read_whatever_the_locale(tmp_path: Path) -> None:
    (tmp_path / "pyvenv.cfg").write_text(r"command = C:\Users\Ágnes\venv", "utf-8")  # not in Windows' own code page
    program = (
        "import importlib.util as u, sys; s = u.spec_from_file_location('start', sys.argv[1]);"
        "m = u.module_from_spec(s); s.loader.exec_module(m); print(m.read(sys.argv[2]).startswith('command'))"
    )
    ascii_alone = {**os.environ, "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    assert start.__file__ is not None
    done = subprocess.run(
        [sys.executable, "-S", "-c", program, start.__file__, tmp_path / "pyvenv.cfg"],
        env=ascii_alone,
        capture_output=True,
        text=True,
    )
    assert done.stdout == "True\n", done.stderr


@pytest.mark.parametrize("name", ["Büro", "文書 2026", "plain"])
def test_the_program_is_found_below_any_name_whatever_the_locale(name: str, tmp_path: Path) -> None:
    tree = tmp_path / name
    (tree / "daemon" / "paperchute").mkdir(parents=True)
    for part in ("start.py", "pyproject.toml", "README.md", "LICENSE", "daemon/paperchute/__init__.py"):
        shutil.copy(ROOT / part, tree / part)
    venv.create(tree / ".venv")
    clean = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "LANG", "PYTHONUTF8")}
    builds = {**clean, "LC_ALL": "C", "PYTHONPATH": sysconfig.get_path("purelib")}  # it has setuptools
    program = "import sys; sys.path.insert(0, ''); import start; start.add_program(); start.add_program()"
    done = subprocess.run([sys.executable, "-c", program], cwd=tree, env=builds, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    (python,) = (path for path in (tree / ".venv").glob("*/python*") if path.stem == "python")
    finds = "import importlib.metadata as m, paperchute; print(m.version('paperchute'), len(paperchute.__path__))"
    for spoken in ({"LC_ALL": "C"}, {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, {}):
        done = subprocess.run([python, "-P", "-c", finds], env={**clean, **spoken}, capture_output=True, text=True)
        assert done.stdout == f"{version(tree)} 1\n", done.stderr
    assert len([*(tree / ".venv").rglob("paperchute-*.dist-info")]) == 1


def version(tree: Path) -> str:
    project = tomllib.loads((tree / "pyproject.toml").read_text("utf-8"))["project"]
    return str(project["version"])


def test_what_cannot_be_added_is_said_in_its_own_words(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[project\n", "utf-8")
    shutil.copy(ROOT / "start.py", tmp_path)
    venv.create(tmp_path / ".venv")
    program = "import sys; sys.path.insert(0, ''); import start; start.add_program()"
    without = {**os.environ, "PYTHONPATH": ""}
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, env=without, capture_output=True, text=True)
    assert done.returncode == 1
    assert "Paperchute cannot be added to its environment." in done.stderr
    assert "No module named 'setuptools'" in done.stderr


@pytest.mark.parametrize(
    ("said", "advice"),
    [
        ("ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device", "Make room"),
        ("Could not install packages due to an OSError: [Errno 13] Permission denied: '/x'", "Give yourself the right"),
        ("Retrying after connection broken by 'NewConnectionError(...)'", "Check the network"),
        ("ERROR: No matching distribution found for numpy==2.4.0", "Check the network"),
        ("THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.", "mirror"),
    ],
)
def test_advice_is_for_what_pip_says(said: str, advice: str) -> None:
    assert advice in start.cure(said)
    assert start.cure(said).endswith("it goes on where it stopped.")


def test_the_network_is_not_blamed_for_what_it_has_no_part_in() -> None:
    assert start.cure("UnicodeEncodeError: 'ascii' codec can't encode character '\\xfc'") == ""
