"""What a panel asks of the system, where that system is not here."""

from __future__ import annotations

import logging
import os
import queue
import sys
import threading
from collections.abc import Iterator
from contextlib import nullcontext, suppress
from types import SimpleNamespace
from typing import Any

import pytest
from loguru import logger

from paperchute.desktop import panels
from paperchute.desktop.menu import Command, Entry
from paperchute.desktop.panels import PystrayPanel
from paperchute.desktop.taskbar import TaskbarPanel, _taken
from paperchute.events import Status
from tests import windows

CLICK, LEFT_BUTTON_UP = 0x40B, 0x202  # pystray's message of the taskbar, and what it is about (winuser.h)


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


@pytest.mark.parametrize(("system", "level"), [("win32", "WARNING"), ("darwin", "WARNING"), ("linux", "DEBUG")])
def test_a_menu_that_fails_to_open_is_told_to_nobody(system: str, level: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr(panels._pystray_log, "handlers", [panels._Faults()])
    seen: list[tuple[str, str]] = []
    sink = logger.add(lambda line: seen.append((line.record["level"].name, line.record["message"])), level="DEBUG")
    for _ in range(3):  # each click on it
        try:
            raise OSError("no such menu")
        except OSError:
            logging.getLogger("pystray._base").exception("An error occurred when calling message handler")
    logger.remove(sink)
    fault = "The tray icon: An error occurred when calling message handler: OSError('no such menu')"
    assert seen == [(level, fault)]


@pytest.fixture(name="chosen")
def _chosen() -> queue.SimpleQueue[Command]:
    return queue.SimpleQueue()


@pytest.fixture(name="panel")
def _panel(chosen: queue.SimpleQueue[Command]) -> Iterator[TaskbarPanel]:
    panel = TaskbarPanel(chosen.put)
    ready = threading.Event()
    shown = threading.Thread(target=panel.run, args=(ready.set,))
    shown.start()
    assert ready.wait(120)
    yield panel
    panel.close()
    shown.join(120)


@windows.windows
def test_the_icon_forbids_to_log_off(panel: TaskbarPanel) -> None:
    if sys.platform != "win32":
        raise AssertionError("its mark skips it")
    answers = [windows.say(window, windows.QUERY_END_SESSION) for window in windows.windows_of(os.getpid())]
    assert len(answers) >= 2  # pystray's
    assert set(answers) == {1}


@windows.windows
def test_the_icon_is_never_drawn(panel: TaskbarPanel) -> None:
    with suppress(OSError):  # there is no taskbar where there is no screen
        panel.paint(Status("idle"))
    first = panel._icon._icon_handle
    with suppress(OSError):
        panel.paint(Status("working"))
    assert first
    assert panel._icon._icon_handle


@pytest.mark.parametrize("is_there", [True, False])
def test_a_taskbar_that_does_not_take_the_icon_goes_unnoticed(is_there: bool) -> None:
    asked = []

    def notify(wanted: int, icon: object) -> int:
        asked.append((wanted, icon))
        return is_there

    with nullcontext() if is_there else pytest.raises(OSError, match="the taskbar did not accept it"):
        _taken(0, notify, (0, "icon"))
    assert asked == [(1, "icon")]


@windows.windows
def test_a_menu_is_pulled_away_from_under_the_pointer(
    panel: TaskbarPanel, chosen: queue.SimpleQueue[Command], monkeypatch: pytest.MonkeyPatch
) -> None:
    icon = panel._icon
    panel.write("before", (Entry("before", Command("quit"), default=True),))
    shown = icon._menu_handle

    def choose(command: Command) -> None:  # while it is open
        panel.write("after", (Entry("after", Command("quit")),))
        chosen.put(command)
        assert icon._menu_handle == shown

    monkeypatch.setattr(panel, "_choose", choose)
    icon._message_handlers[CLICK](0, LEFT_BUTTON_UP)
    assert chosen.get_nowait() == Command("quit")
    assert [str(item) for item in icon.menu] == ["after"]
