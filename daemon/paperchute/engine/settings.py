"""What whoever starts the engine may decide. The limits of the embedded service are its own (contract [limits])."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from paperchute.engine.work import FetchPolicy


@dataclass(frozen=True)
class Settings:
    """state: the engine's own folder. key: the API key. Sizes in bytes, times in seconds.

    queue: tasks waiting for a worker before the service says it is busy. memory: address space of one worker.
    """

    state: Path
    key: str
    workers: int = 4
    fetch: FetchPolicy = field(default_factory=FetchPolicy)
    queue: int = 1000
    max_file: int = 4 << 30
    max_text: int = 32 << 20
    max_files: int = 1000
    task_seconds: float = 600.0
    memory: int = 4 << 30
    max_output: int = 8 << 30
    result_seconds: float = 24 * 3600.0
