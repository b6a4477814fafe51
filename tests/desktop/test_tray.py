"""The tray where there is none, and in a real panel on a real screen."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image, ImageChops

from paperchute.desktop import tray as trays
from paperchute.desktop.menu import Command, Entry
from paperchute.desktop.tray import Tray
from paperchute.events import Status
from tests.desktop.conftest import Screen, TrayProcess, ended, until
from tests.pixels import pixels
from tests.systems import posix

Start = Callable[[dict[str, str]], TrayProcess]

BLUE = (10, 132, 255)
RED = (214, 31, 38)


@pytest.fixture
def nothing() -> dict[str, str]:
    """An environment without display and session bus."""
    desktop = ("DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "PYSTRAY_BACKEND")
    return {name: value for name, value in os.environ.items() if name not in desktop}


@posix
@pytest.mark.parametrize("backend", [{}, {"PYSTRAY_BACKEND": "xorg"}, {"PYSTRAY_BACKEND": "nonsense"}])
def test_a_machine_without_a_desktop_gets_a_stack_trace(
    backend: dict[str, str], nothing: dict[str, str], start_tray: Start
) -> None:
    tray = start_tray({**nothing, **backend, "PAPERCHUTE_COMMAND": "python3 start.py"})
    line = tray.heard()
    code, errors = tray.stop()
    assert line.endswith("Paperchute runs without a tray icon; `python3 start.py status` shows what it is doing.")
    assert code == 0
    assert "Traceback" not in errors


@posix
def test_a_display_that_does_not_answer_is_a_crash(nothing: dict[str, str], start_tray: Start) -> None:
    tray = start_tray({**nothing, "DISPLAY": ":9876"})
    assert tray.heard().startswith("The display :9876 cannot be reached.")
    assert tray.stop()[0] == 0


class _Broken:
    """A panel that takes no icon, until it is mended."""

    def __init__(self) -> None:
        self.mended = False
        self._closed = threading.Event()

    def run(self, ready: Callable[[], None]) -> None:
        ready()
        self._closed.wait()

    def paint(self, status: Status) -> None:
        if not self.mended:
            raise OSError("the taskbar did not accept it")

    def write(self, title: str, menu: tuple[Entry, ...]) -> None:
        pass

    def close(self) -> None:
        self._closed.set()


def test_an_icon_that_cannot_be_shown_is_known_to_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    panel = _Broken()
    monkeypatch.setattr(trays, "_open_panel", lambda choose: panel)
    monkeypatch.setattr(trays, "FAILING_FOR", 0)
    monkeypatch.setattr(trays, "LOOK_AGAIN_EVERY", 0.01)
    tray = Tray(queue.SimpleQueue())
    shown = threading.Thread(target=tray.run, args=(lambda: None,))
    shown.start()
    trouble = until(lambda: tray.trouble)
    panel.mended = True  # and no news come
    until(lambda: not tray.trouble)
    tray.stop()
    shown.join()
    assert trouble == "The tray icon cannot be shown (the taskbar did not accept it); everything else continues."


def has(colour: tuple[int, int, int], icon: Image.Image, count: int) -> bool:
    near = (max(abs(a - b) for a, b in zip(pixel, colour, strict=True)) < 40 for pixel in pixels(icon))
    return sum(near) >= count


@pytest.mark.screen
def test_a_desktop_without_a_tray_leaves_people_guessing(screen: Screen, start_tray: Start) -> None:
    tray = start_tray({**screen.environment, "PYSTRAY_BACKEND": "xorg"})
    assert tray.heard().startswith("This desktop has no place for tray icons")


@pytest.mark.screen
def test_the_icon_in_the_panel_does_not_show_what_happens(screen: Screen, start_tray: Start, tmp_path: Path) -> None:
    screen.start_panel()
    tray = start_tray({**screen.environment, "PYSTRAY_BACKEND": "xorg"})
    assert tray.heard() == "ready"

    def shown(status: Status, fits: Callable[[Image.Image], bool]) -> Image.Image:
        tray.show(status)

        def look() -> Image.Image | None:
            icon = screen.icon(tmp_path / "screen.png")
            return icon if icon and fits(icon) else None

        return until(look)

    idle = shown(Status("idle"), lambda icon: has((255, 255, 255), icon, 20) and not has(BLUE, icon, 1))
    working = shown(Status("working", done=5, total=10), lambda icon: has(BLUE, icon, 20))
    down = shown(Status("down"), lambda icon: has(RED, icon, 10))
    assert ImageChops.difference(idle, working).getbbox()
    assert ImageChops.difference(working, down).getbbox()

    code, errors = tray.stop()
    assert code == 0
    assert "Traceback" not in errors
    until(lambda: screen.icon_place() is None)


@pytest.mark.screen
def test_a_click_on_the_icon_does_nothing(screen: Screen, start_tray: Start) -> None:
    screen.start_panel()
    tray = start_tray({**screen.environment, "PYSTRAY_BACKEND": "xorg"})
    assert tray.heard() == "ready"
    tray.show(Status("working", total=2, hot_folders=(Path("/home/me/Hot/md"), Path("/home/me/Hot/merge"))))
    until(lambda: "Working: 0 of 2" in screen.call("xwininfo", "-root", "-tree"))
    screen.click()
    assert tray.command() == Command("open", "/home/me/Hot")
    tray.show(Status("attention", attention=1, troubles=("The disk is full.",)))
    until(lambda: "1 thing needs your attention" in screen.call("xwininfo", "-root", "-tree"))
    screen.click()
    assert tray.command() == Command("page", "needs")
    screen.click("3")
    assert tray.command() == Command("page", "now")


@pytest.mark.screen
@pytest.mark.parametrize("by", ["SIGTERM", "SIGKILL"])
def test_a_restarted_panel_loses_the_icon_for_good(by: str, screen: Screen, start_tray: Start) -> None:
    screen.start_panel()
    tray = start_tray({**screen.environment, "PYSTRAY_BACKEND": "xorg"})
    assert tray.heard() == "ready"
    until(screen.icon_place)
    screen.stop_panel(signal.Signals[by])
    until(lambda: screen.icon_place() is None)
    screen.start_panel()
    until(screen.icon_place)
    code, errors = tray.stop()
    assert code == 0
    assert "Traceback" not in errors
    assert "X protocol error" not in errors


@pytest.mark.screen
def test_ctrl_c_is_lost_in_the_panel(screen: Screen, start_tray: Start) -> None:
    screen.start_panel()
    tray = start_tray({**screen.environment, "PYSTRAY_BACKEND": "xorg"})
    assert tray.heard() == "ready"
    until(screen.icon_place)
    tray.process.send_signal(signal.SIGINT)
    assert tray.command() == Command("quit")


@pytest.mark.screen
def test_the_end_of_the_session_takes_the_daemon_along(screen: Screen, start_tray: Start) -> None:
    screen.start_panel()
    tray = start_tray({**screen.environment, "PYSTRAY_BACKEND": "xorg"})
    assert tray.heard() == "ready"
    until(screen.icon_place)
    ended(screen.server)
    tray.show(Status("down"))
    with pytest.raises(subprocess.TimeoutExpired):
        tray.process.wait(1)
    code, errors = tray.stop()
    assert code == 0
    assert "Traceback" not in errors
