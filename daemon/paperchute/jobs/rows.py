"""How paths, inputs and texts stand in the journal's columns."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from pathlib import Path, PurePath

from paperchute.files.identity import FileKey
from paperchute.jobs.records import Member


def stored(path: PurePath) -> str | bytes:
    """A path for a column: text, or bytes where the name is no valid UTF-8, which SQLite text cannot hold."""
    text = str(path)
    try:
        text.encode()
    except UnicodeEncodeError:
        return os.fsencode(text)
    return text


def path_from(stored: str | bytes) -> Path:
    """The path that `stored` put into a column."""
    return Path(os.fsdecode(stored))


def members_text(members: Sequence[Member]) -> str:
    """Inputs as JSON."""
    return json.dumps([[str(m.path), m.key.inode, m.key.size, m.key.mtime] for m in members])


def members_from(text: str) -> tuple[Member, ...]:
    """The inputs that `members_text` wrote, or its first version, which had the device before the inode."""
    return tuple(Member(Path(path), FileKey(*key[-3:])) for path, *key in json.loads(text))


def identity_of(members: Sequence[Member]) -> str:
    """One short text for these inputs with these keys: equal when nothing about them has changed."""
    return hashlib.sha256(members_text(members).encode()).hexdigest()[:32]
