"""What a panel asks of the system, where that system is not here."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from paperchute.desktop.panels import PystrayPanel
from paperchute.events import Status
from tests import windows


@pytest.mark.parametrize("system", ["darwin", "linux"])
def test_macos_is_asked_not_to_slow_down_what_has_no_window(system: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []
    process = SimpleNamespace(beginActivityWithOptions_reason_=lambda *asked: seen.append(asked))
    foundation = SimpleNamespace(NSProcessInfo=SimpleNamespace(processInfo=lambda: process))
    icon = SimpleNamespace(run=lambda setup: (setup(None), seen.append("shown")))
    pystray = SimpleNamespace(Icon=lambda *_, **__: icon)
    monkeypatch.setitem(sys.modules, "Foundation", foundation)
    monkeypatch.setitem(sys.modules, "pystray", pystray)
    monkeypatch.setattr(sys, "platform", system)
    PystrayPanel(seen.append).run(lambda: seen.append("ready"))
    asked = [(0x00EFFFFF, "Hot folders are watched.")] if system == "darwin" else []
    assert seen == [*asked, "ready", "shown"]


@pytest.fixture(name="panel")
def _panel() -> Iterator[PystrayPanel]:
    panel = PystrayPanel(lambda _: None)
    ready = threading.Event()
    shown = threading.Thread(target=panel.run, args=(ready.set,))
    shown.start()
    assert ready.wait(120)
    yield panel
    panel.close()
    shown.join(120)


@windows.windows
def test_the_icon_forbids_to_log_off(panel: PystrayPanel) -> None:
    if sys.platform != "win32":
        raise AssertionError("its mark skips it")
    answers = [windows.say(window, windows.QUERY_END_SESSION) for window in windows.windows_of(os.getpid())]
    assert len(answers) >= 2  # pystray's
    assert set(answers) == {1}


@windows.windows
def test_the_icon_is_never_drawn(panel: PystrayPanel) -> None:
    panel.paint(Status("idle"))
    first = panel._icon._icon_handle
    panel.paint(Status("working"))
    assert first
    assert panel._icon._icon_handle
