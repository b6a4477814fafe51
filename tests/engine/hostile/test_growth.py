"""Processor time and memory hold to a line in the size of the input, whichever kind of object a document is full of.

The processor's own time is compared, with that of another size or with that of a known work, each case in a process of
its own: a busy machine changes nothing.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from paperchute.contract import libreoffice
from tests.engine.hostile.families import FAMILIES, MULTIPLIED

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="it has no account of a process's time and memory like this"),
]

_SEED = 4711
_FLOOR_SECONDS, _FLOOR_BYTES = 1.0, 100 << 20
"""What nobody minds, and in which a line could not be told from noise."""
_STEEPEST = 3.0
"""Times as much for twice the size: a line has 2, a square 4."""
_MOST_SECONDS = 60
_SECONDS, _BYTES_A_SECOND = 5.0, 10_000
_BYTES, _BYTES_A_BYTE = 400 << 20, 200
"""The line: five seconds and 400 MB, and what the size adds."""
_MACHINE_SECONDS = 0.75
"""What a machine as we know it takes for the measure; a slower one has more time."""

_MEASURED = """
import json, re, resource, sys, threading, zlib
from pathlib import Path
from paperchute.engine.work import Refused
from paperchute.engine.tasks import worker
from tests.engine.operations.papers import work

def used():
    now = resource.getrusage(resource.RUSAGE_SELF)
    try:  # the other peak begins with that of the process which started this one
        peak = int(re.search(r"VmHWM:\\s*(\\d+)", Path("/proc/self/status").read_text())[1]) * 1024
    except (OSError, TypeError):
        peak = now.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return now.ru_utime + now.ru_stime, peak

def measure():
    operation, folder = sys.argv[1], Path(sys.argv[2])
    for number, path in enumerate(map(Path, sys.argv[3:])):  # the first loads what is needed
        place = folder / str(number)
        place.mkdir()
        before, peak = used()
        try:
            ended = worker._run(work(operation, place, path), 2 << 30, lambda done, total: None, lambda name: None)
        except Refused as refused:
            ended = {"reason": refused.reason}
        assert number or "outputs" in ended, ended
        after, grown = used()
        found.append((after - before, grown, grown - peak))
    before, _ = used()
    for _ in range(10):
        zlib.compress(b"".join(b"%d" % n for n in range(100_000)), 6)
    found.append((used()[0] - before, 0, 0))

found = []
threading.stack_size(512 << 20)
thread = threading.Thread(target=measure)
thread.start()
thread.join()
print(json.dumps(found[1:]))
"""
"""Runs documents as a worker does; the last that it measures is a work of its own, by which a machine is known."""


def _measured(name: str, operation: str, folder: Path, *documents: bytes) -> list[tuple[float, int, int]]:
    """Of each document but the first the seconds, the peak and how much the peak grew in bytes; then the machine's."""
    paths = []
    for number, content in enumerate(documents):
        paths.append(folder / f"{number}.bin")
        paths[-1].write_bytes(content)
    limited = f"import resource; resource.setrlimit(resource.RLIMIT_CPU, ({_MOST_SECONDS},) * 2)\n" + _MEASURED
    own = {
        **os.environ,
        libreoffice.CHOICE_VARIABLE: "built-in",
    }  # other printers are held by their worker's fence alone
    done = subprocess.run(
        [sys.executable, "-c", limited, operation, str(folder), *map(str, paths)],
        capture_output=True,
        text=True,
        check=False,
        env=own,
        cwd=Path(__file__).parents[3],
    )
    assert done.returncode == 0, f"{name}: ended with {done.returncode}\n{done.stderr[-2000:]}"
    return [tuple(row) for row in json.loads(done.stdout.splitlines()[-1])]


@pytest.mark.parametrize("name", FAMILIES)
def test_twice_the_size_is_no_more_than_twice_the_work(name: str, tmp_path: Path) -> None:
    operation, size, made = FAMILIES[name]
    small, large = (made(times * size, random.Random(_SEED)) for times in (2, 4))
    (seconds, _, _), (more, _, grown), _machine = _measured(name, operation, tmp_path, small, small, large)
    assert more < max(_FLOOR_SECONDS, _STEEPEST * seconds), f"{name}: {seconds:.2f} s, then {more:.2f} s"
    assert grown < _FLOOR_BYTES, f"{name}: {grown >> 20} MB more for twice the size"


@pytest.mark.parametrize("name", MULTIPLIED)
def test_what_is_said_over_and_over_takes_no_more_than_its_size_has(name: str, tmp_path: Path) -> None:
    operation, size, made = MULTIPLIED[name]
    content = made(size, random.Random(_SEED))
    (seconds, peak, _), (machine, _, _) = _measured(name, operation, tmp_path, made(1, random.Random(_SEED)), content)
    slower = max(machine / _MACHINE_SECONDS, 1.0)
    line = (_SECONDS + len(content) / _BYTES_A_SECOND) * slower
    assert seconds < line, f"{name}: {seconds:.1f} s of {line:.1f} s for {len(content)} bytes"
    most = _BYTES + _BYTES_A_BYTE * len(content)
    assert peak < most, f"{name}: {peak >> 20} MB of {most >> 20} MB for {len(content)} bytes"
