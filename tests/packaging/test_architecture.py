"""What docs/architecture.md lists is what there is."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]


def thread_names(source: str) -> Iterator[str | None]:
    """The names that a module gives its threads, numbered ones with 0; None for a thread without a name.

    A name that comes from elsewhere is passed over: whoever gives it names the thread.
    """
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        arguments = {keyword.arg for keyword in node.keywords}
        match ast.unparse(node.func):
            case "threading.Thread" if arguments:  # without any it stands for one that is to come
                yield from _name(node)
            case "super().__init__" if "daemon" in arguments:
                yield from _name(node)


def _name(call: ast.Call) -> Iterator[str | None]:
    given = next((keyword.value for keyword in call.keywords if keyword.arg == "name"), None)
    match given:
        case None:
            yield None
        case ast.Constant(value=str(name)):
            yield name
        case ast.JoinedStr(values=[ast.Constant(value=str(start)), *_]):
            yield f"{start}0"


def test_every_thread_has_a_name_and_is_in_the_list() -> None:
    text = (ROOT / "docs/architecture.md").read_text("utf-8")
    (section,) = re.findall(r"^## Threads and processes\n(.*?)^## ", text, re.DOTALL | re.MULTILINE)
    listed = set(re.findall(r"`([\w-]+)`", "".join(line.split("|")[1] for line in section.splitlines() if "|" in line)))
    found = {
        path.relative_to(ROOT).as_posix(): set(thread_names(path.read_text("utf-8")))
        for path in (ROOT / "daemon").rglob("*.py")
    }
    assert not {path for path, names in found.items() if None in names}, "threads without a name"
    assert not {name: path for path, names in found.items() for name in names - listed}
    assert len(set().union(*found.values())) > 20


def test_how_threads_are_found() -> None:
    source = """
threading.Thread(target=run, name="one")
threading.Thread(target=run, name=f"two-{number}")
threading.Thread(target=run, name=self.name)
threading.Thread(target=run)
threading.Thread()
super().__init__(name="three", daemon=True)
"""
    assert sorted(thread_names(source), key=str) == [None, "one", "three", "two-0"]
