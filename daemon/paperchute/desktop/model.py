"""What the tray and the other faces are told."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

FaceState = Literal["idle", "working", "paused", "attention", "down"]


@dataclass(frozen=True)
class Face:
    """One picture of the daemon for people.

    done and total count the jobs of the current burst (total 0 = nothing to do); part: how much of the running ones is
    done besides, counted in jobs, as far as the service tells their pages. attention: number of failures and
    warned jobs not yet looked at, plus troubles. now: what runs, one line each. results: latest outputs, newest first.
    failures: the id of the job, and the file's name with the reason in one sentence. warned: the same of jobs that were
    done with warnings. troubles: sentences.
    stopped_by: why the service does no work though it answers: its key is refused, or its units are used up.
    """

    state: FaceState
    done: int = 0
    total: int = 0
    part: float = 0.0
    attention: int = 0
    now: tuple[str, ...] = ()
    results: tuple[Path, ...] = ()
    failures: tuple[tuple[str, str], ...] = ()
    warned: tuple[tuple[str, str], ...] = ()
    troubles: tuple[str, ...] = ()
    hot_folders: tuple[Path, ...] = ()
    stopped_by: Literal["", "auth", "quota"] = ""


@dataclass(frozen=True)
class Command:
    """What a person asked for in a menu.

    argument: for "open" the path of a file or folder; for "retry" the id of a job, "" for all failed ones; for "seen"
    the id of a job whose warnings need no more attention, "" for all; for "show" the id of a failed or warned job whose
    reason is wanted, "" for the state of everything. The others have none.
    """

    verb: Literal["pause", "resume", "retry", "seen", "open", "show", "edit-rules", "quit"]
    argument: str = ""
