"""How paths, inputs and texts stand in the journal's columns."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from pathlib import Path, PurePath

from paperchute.files.identity import FileKey
from paperchute.jobs.records import Member, SetFacts


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


def facts_text(facts: SetFacts | None) -> str | None:
    """What is known of a set, as JSON."""
    if facts is None:
        return None
    said = {"warnings": facts.warnings, "held": facts.held, "after": facts.after}
    return json.dumps({"others": json.loads(members_text(facts.others)), **said})


def facts_from(text: str | None) -> SetFacts | None:
    """What `facts_text` wrote."""
    if text is None:
        return None
    raw = json.loads(text)
    return SetFacts(members_from(json.dumps(raw["others"])), tuple(raw["warnings"]), raw["held"], raw["after"])


def identity_of(members: Sequence[Member]) -> str:
    """One short text for these inputs with these keys: equal when nothing about them has changed."""
    return hashlib.sha256(members_text(members).encode()).hexdigest()[:32]
