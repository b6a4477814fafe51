"""What the tests' operations do: what the first source (or the parameter html) tells them to, as `do: ACTION WORD`."""

from __future__ import annotations

import ctypes
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from paperchute.engine.report import counted, loading
from paperchute.engine.work import Refused, Work
from paperchute.language import _


def run(work: Work) -> list[Path]:
    """Do what the document says; without a word, tell what has come."""
    text = work.sources[0].path.read_bytes().decode("latin-1") if work.sources else work.text("html")
    found = re.search(r"do: (\w+) ?(\S*)", text)
    return _ACTIONS[found[1]](work, found[2]) if found else _tell(work, "")


def _tell(work: Work, word: str) -> list[Path]:
    """All that the operation was given, as JSON."""
    told = {
        "parameters": dict(work.parameters),
        "sources": [
            {"part": s.part, "name": s.name, "kind": s.kind, "text": s.path.read_bytes().decode("latin-1")[:200]}
            for s in work.sources
        ],
        "process": os.getpid(),
        "temporary": os.environ["TMPDIR"],
        "key_known": any("sesame" in value for value in os.environ.values()),
        "hosts": list(work.fetch.hosts),
        "protection": work.protection,
    }
    output = work.folder / (work.text("outputFileName") or "told.json")
    output.write_text(json.dumps(told), "utf-8")
    return [output]


def _parsed(work: Work, word: str) -> list[Path]:
    """What document parsing gives, in the shape of docs/contract.md#document-parsing."""
    block = {"id": 1, "type": "text", "text": "Hello", "pos": [1, 2, 9, 2, 9, 4, 1, 4], "outline_level": -1}
    page = {"page_id": 1, "angle": 0, "width": 1190, "height": 1684, "structured": [block], "content": [block]}
    result = {"code": 200, "message": "success", "result": {"pages": [page], "markdown": "# Hello"}}
    outputs = [work.folder / "result.json", work.folder / "result.md"]
    outputs[0].write_text(json.dumps(result), "utf-8")
    outputs[1].write_text("# Hello", "utf-8")
    return outputs


def _several(work: Work, word: str) -> list[Path]:
    outputs = [work.folder / "page 1.txt", work.folder / "images" / "ü.txt"]
    outputs[1].parent.mkdir()
    for number, output in enumerate(outputs):
        output.write_text(f"output {number}", "utf-8")
    return outputs


def _hang(work: Work, word: str) -> list[Path]:
    """Say in the file `word` that it has begun, then never end."""
    with Path(word).open("a", encoding="utf-8") as file:
        file.write(f"{os.getpid()}\n")
    while True:
        time.sleep(1)


def _spin(work: Work, word: str) -> list[Path]:
    """Keep the processor busy, 0.4 seconds for each of so many pages; without a number for ever, at the first."""
    for _page in counted(range(int(word or 1)), int(word or 1)):
        end = time.process_time() + 0.4
        while not word or time.process_time() < end:
            pass
    return _tell(work, "")


def _warn(work: Work, word: str) -> list[Path]:
    """Succeed, and say twice the same of what is missing, once a second thing."""
    for text in (_("{name} has no pages.", name="a.html"), _("{name} has no pages.", name="a.html"), word):
        work.warn(text)
    return _tell(work, word)


def _wait(work: Work, word: str) -> list[Path]:
    """Say in the file `word` that it has begun, then go on when the file `word`.go is there."""
    with Path(word).open("a", encoding="utf-8") as file:
        file.write(f"{os.getpid()}\n")
    while not Path(f"{word}.go").exists():
        time.sleep(0.02)
    return _tell(work, word)


def _pages(work: Work, word: str) -> list[Path]:
    """Tell of twelve pages, and at the fifth go on when `go on` lies in the folder `word`."""
    for page in counted(range(12), 12):
        if page == 3:
            time.sleep(0.3)  # pages that come too quickly are not told one by one
        while page == 4 and not Path(word, "go on").exists():
            time.sleep(0.02)
    return _tell(work, "")


def _child(work: Work, word: str) -> list[Path]:
    """Start a process of its own, then die."""
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    Path(word).write_text(str(child.pid), "utf-8")
    time.sleep(600)
    return []


def _crowd(work: Work, word: str) -> list[Path]:
    """Start more processes than a task may have."""
    with Path(word).open("a", encoding="utf-8") as file:
        for _ in range(20):
            child = subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(600)"])
            file.write(f"{child.pid}\n")
            file.flush()
    time.sleep(600)
    return []


def _greedy_child(work: Work, word: str) -> list[Path]:
    """Start a process that takes more memory than the task may have."""
    subprocess.run([sys.executable, "-S", "-c", "x = b'x' * (600 << 20); import time; time.sleep(600)"], check=True)
    return []


def _files(work: Work, word: str) -> list[Path]:
    """Open files without end."""
    opened = []
    while True:
        opened.append(Path(os.devnull).open())  # noqa: SIM115 - that is the point


def _exit(work: Work, word: str) -> list[Path]:
    os._exit(3)


def _load(work: Work, word: str) -> list[Path]:
    """Damaged trained data ends the process that loads it."""
    with loading(word):
        os.abort()


def _segfault(work: Work, word: str) -> list[Path]:
    ctypes.string_at(0)
    return []


def _eat(work: Work, word: str) -> list[Path]:
    eaten = []
    while True:
        eaten.append(bytearray(b"x") * (16 << 20))


def _flood(work: Work, word: str) -> list[Path]:
    output = work.folder / "flood.bin"
    with output.open("wb") as file:
        while True:
            file.write(bytes(1 << 20))


def _echo(work: Work, word: str) -> list[Path]:
    """Give back what has come."""
    output = work.folder / "echo.txt"
    output.write_bytes(work.sources[0].path.read_bytes())
    return [output]


def _fail(work: Work, word: str) -> list[Path]:
    raise ValueError(f"cannot use {work.folder} with {work.parameters}")


def _refuse(work: Work, word: str) -> list[Path]:
    raise Refused("02201", _("{name} is locked and no password was given", name="a.html"))


def _say(work: Work, word: str) -> list[Path]:
    """Warn, note and (`refused-...`) refuse with what documents bring along and no database takes, or at length."""
    text = {"null": "a\0b", "half": "a\ud800b", "long": "x" * (1 << 20)}[word.removeprefix("refused-")]
    for number in range(30):
        work.warn(f"{number} {text}")
        work.note(f"{number} {text}")
    if word.startswith("refused-"):
        raise Refused("02201", text)
    return _tell(work, "")


def _escape(work: Work, word: str) -> list[Path]:
    return [Path("/etc/hostname")]


def _nothing(work: Work, word: str) -> list[Path]:
    return []


def _chatter(work: Work, word: str) -> list[Path]:
    """Print as a library might, to Python's and to the process's output."""
    sys.stdout.write('{"outputs": []}\n')
    os.write(1, b'{"outputs": []}\n')
    return _tell(work, word)


def _lie(work: Work, word: str) -> list[Path]:
    """Answer in the worker's place, as one that has been taken over might."""
    lies = {
        "garbage": "no JSON",
        "list": "[1, 2]",
        "deep": "[" * 100_000,
        "endless": "x" * (20 << 20),
        "code": '{"code": "odd", "reason": "x"}',
        "key": '{"outputs": [], "odd": "x"}',
        "pages": '{"done": 5, "total": 1}',
        "number": '{"done": 1, "total": ' + "9" * 5_000 + "}",
        "outputs": '{"outputs": [[1]]}',
        "many": json.dumps({"outputs": ["x"] * 200_000}),
        "warnings": json.dumps({"outputs": [], "warnings": [["x", "y"]] * 50}),
        "elsewhere": '{"outputs": ["/etc/hostname"], "warnings": []}',
        "above": json.dumps({"outputs": [str(work.folder / ".." / "x")], "warnings": []}),
        "name": json.dumps({"outputs": [str(work.folder / "\udcff.pdf")]}),
        "fetch": '{"fetch": [1]}',
        "loading": '{"loading": "the weather"}',
    }
    said = (lies[word] + "\n").encode()
    for descriptor in range(3, 30):
        try:
            if str(Path(f"/proc/self/fd/{descriptor}").readlink()).startswith("pipe:"):
                while said:
                    said = said[os.write(descriptor, said) :]
        except OSError:
            continue
    time.sleep(600)
    return []


def _try(work: Work, word: str) -> list[Path]:
    """A way out of the worker."""
    if sys.platform != "linux":
        raise AssertionError("they are asked of Linux alone")
    import escaping

    return escaping.attempt(work, word)


_ACTIONS: dict[str, Callable[[Work, str], list[Path]]] = {
    "tell": _tell,
    "parsed": _parsed,
    "several": _several,
    "hang": _hang,
    "spin": _spin,
    "wait": _wait,
    "warn": _warn,
    "pages": _pages,
    "child": _child,
    "crowd": _crowd,
    "greedy_child": _greedy_child,
    "files": _files,
    "exit": _exit,
    "segfault": _segfault,
    "load": _load,
    "eat": _eat,
    "flood": _flood,
    "echo": _echo,
    "fail": _fail,
    "refuse": _refuse,
    "say": _say,
    "escape": _escape,
    "nothing": _nothing,
    "chatter": _chatter,
    "lie": _lie,
    "try": _try,
}
