"""What docs/architecture.md lists is what there is."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from itertools import combinations
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


def modules() -> list[Path]:
    """All modules but those of operations, which bear the contract's ids."""
    room = ROOT / "daemon/paperchute"
    return [path for path in room.rglob("*.py") if path.stem != "__init__" and path.parent.name != "operations"]


def one_letter_apart(one: str, other: str) -> bool:
    """Whether a letter changed, added or left out makes one name the other."""
    shorter, longer = sorted((one, other), key=len)
    if len(shorter) == len(longer):
        return sum(a != b for a, b in zip(one, other, strict=True)) == 1
    return any(longer[:place] + longer[place + 1 :] == shorter for place in range(len(longer)))


def test_modules_of_a_room_are_told_apart() -> None:
    rooms: dict[Path, list[str]] = {}
    for path in modules():
        rooms.setdefault(path.parent, []).append(path.stem)
    near = [
        (room.name, one, other)
        for room, names in rooms.items()
        for one, other in combinations(sorted(names), 2)
        if one_letter_apart(one, other)
    ]
    assert near == []


def test_no_name_of_a_module_stands_five_times() -> None:
    assert {name: n for name, n in Counter(path.name for path in modules()).items() if n > 4} == {}


def test_modules_are_not_too_long_to_be_read() -> None:
    most = 440  # lines: a house rule, so that a module reads from top to bottom in one go
    assert {path.name: n for path in modules() if (n := len(path.read_text("utf-8").splitlines())) > most} == {}


def test_names_one_letter_apart() -> None:
    assert one_letter_apart("filing", "filling")
    assert one_letter_apart("row", "rows")
    assert one_letter_apart("fold", "gold")
    assert not one_letter_apart("rows", "table")
    assert not one_letter_apart("plans", "plans")
