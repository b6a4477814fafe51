"""A page that listens, over a daemon that is made and not started: its journal is real, and nothing works on it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from paperchute.app.daemon import Daemon
from paperchute.app.places import State
from paperchute.page import door
from paperchute.page.controls import Controls
from paperchute.page.picture import folder_id
from paperchute.page.server import Page
from paperchute.rules.file import load

RULES = """version = 1
[[rule]]
name = "Read PDFs"
folder = "in"
operation = "pdf-to-markdown"
[[rule]]
name = "Off"
folder = "off"
operation = "pdf-to-markdown"
enabled = false
"""


@dataclass
class Shown:
    """A page, its daemon, and a browser's way to speak to it."""

    page: Page
    daemon: Daemon
    state: State
    hot: Path
    client: httpx.Client
    asked: list[str]
    """What was asked of the program itself."""

    @property
    def drops(self) -> str:
        """The address below which files of the hot folder are put."""
        return f"/api/folders/{folder_id(self.hot)}"

    def ticket(self) -> str:
        """A fresh one, as `paperchute open` gets it."""
        return door.address_asked(self.state).partition("#")[2]

    def enter(self) -> None:
        """From now on the client shows a session."""
        session = self.client.post("/api/session", content=self.ticket()).json()["session"]
        self.client.headers["Authorization"] = f"Bearer {session}"

    def needs(self) -> Any:
        """What `GET /api/needs` says."""
        return self.client.get("/api/needs").json()


@pytest.fixture(name="rules")
def _rules() -> str:
    return RULES


@contextmanager
def page_over(tmp_path: Path, rules: str) -> Iterator[Shown]:
    """A page over a daemon with this rule file."""
    (tmp_path / "rules.toml").write_text(rules, "utf-8")
    (tmp_path / "in").mkdir()
    state = State(tmp_path / "state")
    asked: list[str] = []
    controls = Controls(lambda: asked.append("quit"), lambda: False, lambda on: asked.append(str(on)))
    page = Page(state, controls)
    daemon = page.shown(Daemon(load(tmp_path / "rules.toml"), state, (page,)))
    address = door.address_asked(state).partition("#")[0]
    with httpx.Client(base_url=address, trust_env=False, timeout=60) as client:
        yield Shown(page, daemon, state, tmp_path / "in", client, asked)
    page.stop()
    daemon.stop()


@pytest.fixture(name="shown")
def _shown(tmp_path: Path, rules: str) -> Iterator[Shown]:
    with page_over(tmp_path, rules) as shown:
        yield shown


def until(true: Callable[[], object]) -> None:
    """Wait for what happens by itself."""
    end = time.monotonic() + 60
    while not true():
        assert time.monotonic() < end
        time.sleep(0.02)
