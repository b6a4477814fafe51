"""The custom actions of Thunar, which lie in one XML file with those of the person: ours alone are touched in it."""

from __future__ import annotations

import hashlib
import shlex
import stat
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers.expat import ExpatError, ParserCreate
from xml.sax.saxutils import escape

from paperchute.desktop.sendto import Entry, menu_title
from paperchute.files.placement import remove, write_whole

_ID = "paperchute-"
"""Begins the `unique-id` of ours; a hash of name and command follows."""
_MOST_BYTES = 4 << 20
_FOR_ALL = "<directories/><audio-files/><image-files/><other-files/><text-files/><video-files/>"
_EMPTY = '<?xml version="1.0" encoding="UTF-8"?>\n<actions>\n</actions>\n'


@dataclass
class _Action:
    """An action of the file, and where in it it stands, in bytes."""

    start: int
    end: int = 0
    values: dict[str, str] = field(default_factory=dict)

    @property
    def is_ours(self) -> bool:
        return self.values.get("unique-id", "").startswith(_ID)

    @property
    def is_as_written(self) -> bool:
        return self.values.get("unique-id") == _id(self.values.get("name", ""), self.values.get("command", ""))


@dataclass(frozen=True)
class ThunarActions:
    """See `FileManager`. Every other byte of the file stays as it is."""

    path: Path
    defaults: tuple[Path, ...] = ()
    """The system's folders of settings: one of their files holds while the person has none of their own."""
    name: str = "Thunar"

    def put(self, entries: Sequence[Entry]) -> None:
        """See `FileManager`."""
        content = self._content()
        close = _read(content)[1]
        added = "".join(_action(entry) for entry in entries).encode("utf-8")
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._write(content[:close] + added + content[close:])

    def titles(self) -> list[str]:
        """See `FileManager`."""
        return [action.values["name"] for action in _read(self._content())[0] if action.is_as_written]

    def take_away(self) -> list[Path]:
        """See `FileManager`."""
        if not self.path.exists():
            return []
        content = self._content()
        ours = [action for action in _read(content)[0] if action.is_ours]
        kept = content
        for action in reversed([one for one in ours if one.is_as_written]):
            end = action.end + (kept[action.end : action.end + 1] == b"\n")
            kept = kept[: action.start] + kept[end:]
        if kept != content:
            if kept == self._default():  # made by `put`, and nothing has been added since
                remove(self.path)
            else:
                self._write(kept)
        return [] if all(action.is_as_written for action in ours) else [self.path]

    def _content(self) -> bytes:
        if not self.path.exists():
            return self._default()
        if not self.path.is_file():
            raise ValueError(str(self.path))
        with self.path.open("rb") as file:
            content = file.read(_MOST_BYTES + 1)
        if len(content) > _MOST_BYTES:
            raise ValueError(str(self.path))
        return content

    def _default(self) -> bytes:
        """Give what holds where the person has no file; a file of theirs would hide it, so it must begin with that."""
        for folder in self.defaults:
            if (folder / "Thunar" / "uca.xml").is_file():
                return (folder / "Thunar" / "uca.xml").read_bytes()
        return _EMPTY.encode("utf-8")

    def _write(self, content: bytes) -> None:
        target = self.path.resolve()  # settings are often links into a folder that is kept elsewhere
        mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else None
        write_whole(target, content.decode("utf-8"), newline="")
        if mode is not None:
            target.chmod(mode)


def _action(entry: Entry) -> str:
    command = " ".join(shlex.quote(word).replace("%", "%%") for word in entry.words) + " %F"
    title = " ".join(entry.title.split())
    values = {
        "icon": "document-send",
        "name": title,
        "submenu": menu_title(),
        "unique-id": _id(title, command),
        "command": command,
        "description": "",
        "range": "*",
        "patterns": "*",
    }
    lines = "".join(f"<{name}>{escape(value)}</{name}>" for name, value in values.items())
    return f"<action>{lines}{_FOR_ALL}</action>\n"


def _id(name: str, command: str) -> str:
    return _ID + hashlib.sha256(f"{name}\0{command}".encode()).hexdigest()[:16]


def _read(content: bytes) -> tuple[list[_Action], int]:
    """The actions, and where the list of them ends. Raises ValueError for what is no such file."""
    actions: list[_Action] = []
    path: list[str] = []
    close = -1
    parser = ParserCreate()

    def begin(name: str, _attributes: object) -> None:
        path.append(name)
        if path == ["actions", "action"]:
            actions.append(_Action(parser.CurrentByteIndex))

    def end(_name: str) -> None:
        nonlocal close
        if path == ["actions", "action"]:
            actions[-1].end = content.index(b">", parser.CurrentByteIndex) + 1
        elif path == ["actions"]:
            close = parser.CurrentByteIndex
        path.pop()

    def text(data: str) -> None:
        if path[:2] == ["actions", "action"] and len(path) == 3:
            values = actions[-1].values
            values[path[2]] = values.get(path[2], "") + data

    def refuse(*_details: object) -> None:
        raise ValueError("entities of its own")

    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = begin, end, text
    parser.EntityDeclHandler = refuse
    try:
        content.decode("utf-8")
        parser.Parse(content, True)
    except ExpatError as error:
        raise ValueError(str(error)) from error
    if close < 0 or content[close : close + 2] != b"</":
        raise ValueError("no list of actions")
    return actions, close
