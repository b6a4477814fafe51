"""What whoever starts the engine may decide. The limits of the embedded service are its own (contract [limits])."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from paperchute.engine.work import FetchPolicy


@dataclass(frozen=True)
class Limits:
    """What one request or one task may take. Each is a flag of the command line (`--task-seconds` and so on)."""

    task_seconds: float = field(default=1800.0, metadata={"help": "longest time for one task"})
    memory: int = field(default=2 << 30, metadata={"help": "most memory for one task, in bytes"})
    max_output: int = field(default=8 << 30, metadata={"help": "largest result of one task, in bytes"})
    max_file: int = field(default=2 << 30, metadata={"help": "largest uploaded file, in bytes"})
    max_text: int = field(default=32 << 20, metadata={"help": "all text fields of a request together, in bytes"})
    max_merge: int = field(default=1000, metadata={"help": "most files to merge"})
    queue: int = field(default=1000, metadata={"help": "most tasks that wait for a worker"})
    files_per_task: int = field(default=5, metadata={"help": "most files of one asynchronous or pre-signed task"})
    max_storage: int = field(default=50 << 30, metadata={"help": "all uploads and results together, in bytes"})
    result_seconds: float = field(default=24 * 3600.0, metadata={"help": "how long results can be fetched"})
    upload_seconds: float = field(default=15 * 60.0, metadata={"help": "how long a pre-signed address is good"})
    overdue_seconds: float = field(default=3600.0, metadata={"help": "how long a task waits before it is dropped"})


@dataclass(frozen=True)
class Settings:
    """state: the engine's own folder, absolute. key: the API key, which repr hides.

    inner_hosts: names at private, loopback or link-local addresses that uploads by url and webhooks may reach.
    webhook_url: receives every event, empty for none; webhook_token: goes with every webhook. hosts_by_call: whoever
    has the key may name further hosts for a call to fetch from, in its header `Paperchute-Hosts`.
    """

    state: Path
    key: str = field(repr=False)
    inner_hosts: frozenset[str] = frozenset()
    webhook_url: str = ""
    webhook_token: str = field(default="", repr=False)
    workers: int = min(4, os.cpu_count() or 1)
    fetch: FetchPolicy = field(default_factory=FetchPolicy)
    limits: Limits = field(default_factory=Limits)
    hosts_by_call: bool = False
