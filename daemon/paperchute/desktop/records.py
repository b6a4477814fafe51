"""What the tray and the other faces are told."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

FaceState = Literal["idle", "working", "paused", "attention", "down"]


@dataclass(frozen=True)
class Face:
    """One picture of the daemon for people.

    done and total count the jobs of the current burst (total 0 = nothing to do). attention: number of failures not
    yet looked at, plus troubles. now: what runs, one line each. results: latest outputs, newest first.
    troubles: sentences.
    """

    state: FaceState
    done: int = 0
    total: int = 0
    attention: int = 0
    now: tuple[str, ...] = ()
    results: tuple[Path, ...] = ()
    failures: tuple[tuple[str, str], ...] = ()
    troubles: tuple[str, ...] = ()
    hot_folders: tuple[Path, ...] = ()


@dataclass(frozen=True)
class Command:
    """What a person asked for in a menu."""

    verb: Literal["pause", "resume", "retry", "open", "show", "edit-rules", "quit"]
    argument: str = ""
