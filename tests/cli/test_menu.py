"""What the tray's commands come to."""

from __future__ import annotations

import queue
from pathlib import Path
from typing import Any

import pytest

from paperchute.cli import run
from paperchute.desktop.menu import Command


def test_a_result_that_is_gone_leads_to_where_it_can_be_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Page:
        def open(self, view: str) -> str:
            return f"page:{view}"

    shown: list[Any] = []
    monkeypatch.setattr(run, "open_path", shown.append)
    commands: queue.SimpleQueue[Command] = queue.SimpleQueue()
    menu = run.Menu(None, Page(), commands, lambda: None, None)  # type: ignore[arg-type]
    (tmp_path / "there.pdf").touch()
    for name in ("there.pdf", "gone.pdf"):
        commands.put(Command("open", str(tmp_path / name)))
    menu.answer()
    assert shown == [tmp_path / "there.pdf", "page:history"]
