"""What one engine is told when it starts. Its limits are its own (contract [limits])."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from paperchute.contract.engine_options import Limits
from paperchute.engine.work import FetchPolicy

__all__ = ["SECRETS_KEY", "Limits", "Settings"]

SECRETS_KEY = "PAPERCHUTE_SECRETS_KEY"
"""The variable with the key that passwords of waiting tasks are sealed with."""


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
