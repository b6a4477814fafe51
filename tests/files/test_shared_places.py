"""A rule of the house: places that others can write to are changed through `files/folder.py` alone.

A path is looked up anew each time it is used, so between a check and a use somebody may put a link there. Modules that
change files by paths are listed here, each with the reason why nobody else can write where they do.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import paperchute

ROOT = Path(paperchute.__file__).parent
ROOMS = ("app", "cli", "desktop", "files", "jobs", "rules", "service", "watch")

BY_PATHS = {
    "app/daemon.py": "the daemon's own state folder",
    "app/first_rules.py": "the rule file",
    "app/places.py": "the daemon's own state folder",
    "app/rule_changes.py": "the rule file",
    "app/search_index.py": "the index, in the daemon's own state folder",
    "app/separator_sheets.py": "a file that a person names on the command line",
    "app/status.py": "the daemon's own state folder",
    "app/sample_calls.py": "a folder for a sample, in the daemon's own state folder",
    "app/trial.py": "a folder for a sample, in the daemon's own state folder",
    "app/rulebook.py": "makes hot folders where the rules say, and nothing in them",
    "cli/demo.py": "a folder that a person names on the command line",
    "cli/inputs.py": "the scratch folder of a call, where standard input is written",
    "cli/outputs.py": "a file or folder that a person names on the command line",
    "cli/tools.py": "a scratch folder of its own, in the folder for temporary files",
    "cli/init.py": "the rule file, and hot folders where the rules say",
    "desktop/autostart.py": "the folders of the person's own desktop, where their programs begin",
    "desktop/quick_actions.py": "the person's own menus",
    "desktop/send_to_folder.py": "the person's own menus",
    "desktop/scripts_folder.py": "the person's own menus",
    "desktop/sendto.py": "the person's own menus",
    "desktop/service_menu.py": "the person's own menus",
    "desktop/thunar.py": "the person's own menus",
    "files/beneath.py": "the way to a configured folder, which it may make",
    "files/folder.py": "the one that knows how",
    "files/placement.py": "what the one that knows how stands on",
    "files/open_files.py": "a probe made with O_EXCL, which follows no link",
    "app/results.py": "the daemon's own state folder",
    "jobs/expiry.py": "the desktop's trash takes paths and nothing else",
    "jobs/originals.py": "the desktop's trash takes paths and nothing else",
    "jobs/undo/trash.py": "the desktop's trash takes paths and nothing else",
    "jobs/runner.py": "the work folder, in the daemon's own state folder",
    "jobs/journal/salvage.py": "the journal, in the daemon's own state folder",
    "jobs/preparation.py": "the work folder, in the daemon's own state folder",
    "jobs/steps.py": "the work folder, in the daemon's own state folder",
    "service/client.py": "the work folder, in the daemon's own state folder",
    "service/engine_process.py": "the daemon's own state folder",
    "service/results.py": "the work folder, in the daemon's own state folder",
}

_PATH_METHODS = {
    "rename": {1}, "replace": {1}, "unlink": {0}, "rmdir": {0}, "mkdir": {0, 1}, "touch": {0}, "chmod": {1},
    "write_text": {1, 2}, "write_bytes": {1}, "symlink_to": {1}, "hardlink_to": {1},
}  # fmt: skip
"""With how many arguments they are those of a path: `text.replace(one, other)` and `folder.unlink(name)` are not."""

_OF_MODULES = {
    "os": {
        "rename",
        "replace",
        "renames",
        "unlink",
        "remove",
        "rmdir",
        "mkdir",
        "makedirs",
        "link",
        "symlink",
        "chmod",
    },
    "shutil": {"rmtree", "move", "copy", "copy2", "copyfile", "copytree"},
    "placement": {"place_new", "place_over", "remove", "write_whole", "rename_new"},
}

_OTHER_REPLACES = {"self", "_watcher", "_services"}
"""Receivers whose `replace` has nothing to do with files."""


def changes(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """(line, what is called) for everything that changes files by paths."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        called, given = node.func, len(node.args)
        if isinstance(called, ast.Name) and called.id in ("send2trash", "remove", "write_whole"):
            yield node.lineno, called.id
        if not isinstance(called, ast.Attribute):
            continue
        receiver = called.value.attr if isinstance(called.value, ast.Attribute) else getattr(called.value, "id", "")
        if called.attr in _OF_MODULES.get(receiver, ()):
            yield node.lineno, f"{receiver}.{called.attr}"
        elif given in _PATH_METHODS.get(called.attr, ()) and not (
            called.attr == "replace" and (receiver in _OTHER_REPLACES or not node.args)
        ):
            yield node.lineno, called.attr
        elif called.attr == "open" and any(
            _writes(mode) for mode in [*node.args[:2], *(k.value for k in node.keywords)]
        ):
            yield node.lineno, "open to write"


def _writes(mode: ast.expr) -> bool:
    text = mode.value if isinstance(mode, ast.Constant) else None
    return (
        isinstance(text, str) and 0 < len(text) <= 3 and set(text) <= set("rwaxbt+") and bool(set(text) & set("wax+"))
    )


def modules() -> list[str]:
    return sorted(path.relative_to(ROOT).as_posix() for room in ROOMS for path in (ROOT / room).rglob("*.py"))


@pytest.mark.parametrize("module", modules())
def test_only_known_modules_change_files_by_paths(module: str) -> None:
    found = [f"line {line}: {what}" for line, what in changes(ast.parse((ROOT / module).read_text("utf-8")))]
    assert module in BY_PATHS or not found, f"{module}: {found}: use files/folder.py, or say here why it need not"


def test_the_list_names_no_module_in_vain() -> None:
    idle = [name for name in BY_PATHS if not list(changes(ast.parse((ROOT / name).read_text("utf-8"))))]
    assert idle == []


@pytest.mark.parametrize(
    "text",
    [
        "path.rename(other)", "path.parent.mkdir(parents=True)", "os.replace(a, b)", "place.open('wb')",
        "path.open(mode='x')", "shutil.rmtree(x)", "path.unlink(missing_ok=True)", "placement.remove(path)",
    ],
)  # fmt: skip
def test_the_rule_sees_what_it_is_for(text: str) -> None:
    assert list(changes(ast.parse(text)))
