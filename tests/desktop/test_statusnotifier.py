"""The icon and menu as a Linux panel gets them over a real session bus."""

from __future__ import annotations

import asyncio
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from paperchute.desktop.icon import draw
from paperchute.desktop.menu import Command
from paperchute.desktop.tray import Tray
from paperchute.events import Status
from tests.desktop.conftest import PATIENCE, Screen, TrayProcess, ended, until

if not sys.platform.startswith("linux"):
    pytest.skip("StatusNotifier panels are a thing of Linux", allow_module_level=True)

from dbus_fast import Message, MessageType, Variant
from dbus_fast.aio import MessageBus

from tests.desktop.bus_services import Watcher

WATCHER = "org.kde.StatusNotifierWatcher"
ITEM = "/StatusNotifierItem"
MENU = "/MenuBar"
MENU_INTERFACE = "com.canonical.dbusmenu"


@dataclass
class Line:
    """A line of the menu as the panel shows it."""

    id: int
    text: str
    enabled: bool
    below: list[Line]


class PanelOnBus:
    """A panel that fetches icon and menu the way KDE's and GNOME's do."""

    async def open(self) -> None:
        self.bus = await MessageBus().connect()
        self.watcher = Watcher()
        self.bus.export("/StatusNotifierWatcher", self.watcher)
        self.signals: asyncio.Queue[str] = asyncio.Queue()
        self.bus.add_message_handler(self._hear)
        await self.ask("org.freedesktop.DBus", "/", "org.freedesktop.DBus", "AddMatch", "s", "type='signal'")
        await self.bus.request_name(WATCHER)

    async def meet(self) -> None:
        self.icon = await asyncio.wait_for(self.watcher.signed_in.get(), PATIENCE)

    async def ask(self, to: str, path: str, interface: str, member: str, signature: str = "", *body: object) -> Any:
        reply = await self.bus.call(
            Message(destination=to, path=path, interface=interface, member=member, signature=signature, body=[*body])
        )
        assert reply
        assert reply.message_type is MessageType.METHOD_RETURN, reply.body
        return reply.body[0] if len(reply.body) == 1 else reply.body

    async def looks(self, name: str) -> Any:
        item = "org.kde.StatusNotifierItem"
        answer = await self.ask(self.icon, ITEM, "org.freedesktop.DBus.Properties", "Get", "ss", item, name)
        return answer.value

    async def menu(self) -> list[Line]:
        _, layout = await self.ask(self.icon, MENU, MENU_INTERFACE, "GetLayout", "iias", 0, -1, [])
        return [self._line(child.value) for child in layout[2]]

    async def menu_with(self, text: str) -> list[Line]:
        """The menu once it has this line."""
        async with asyncio.timeout(PATIENCE):
            while True:
                menu = await self.menu()
                if text in (line.text for line in menu):
                    return menu
                await asyncio.sleep(0.05)

    async def click(self, line: Line) -> None:
        await self.ask(self.icon, MENU, MENU_INTERFACE, "Event", "isvu", line.id, "clicked", Variant("i", 0), 0)

    def _line(self, layout: Any) -> Line:
        number, properties, children = layout
        label = properties["label"].value if "label" in properties else "---"
        enabled = properties["enabled"].value if "enabled" in properties else True
        return Line(number, label, enabled, [self._line(child.value) for child in children])

    def _hear(self, message: Message) -> None:
        if message.message_type is MessageType.SIGNAL and message.member:
            self.signals.put_nowait(message.member)


class RunningTray:
    """A tray in a thread; `stop` must end it."""

    def __init__(self) -> None:
        self.commands: queue.SimpleQueue[Command] = queue.SimpleQueue()
        self.tray = Tray(self.commands)
        self.thread = threading.Thread(target=self.tray.run, args=(lambda: None,))
        self.thread.start()

    async def command(self) -> Command:
        return await asyncio.to_thread(self.commands.get, timeout=PATIENCE)

    def end(self) -> None:
        self.tray.stop()
        self.thread.join(PATIENCE)
        assert not self.thread.is_alive()


@pytest.fixture
def runner(session_bus: object, monkeypatch: pytest.MonkeyPatch) -> Iterator[asyncio.Runner]:
    for name in ("DISPLAY", "PYSTRAY_BACKEND"):
        monkeypatch.delenv(name, raising=False)
    with asyncio.Runner() as runner:
        yield runner


@pytest.fixture
def panel(runner: asyncio.Runner) -> PanelOnBus:
    panel = PanelOnBus()
    runner.run(panel.open())
    return panel


@pytest.fixture
def running(panel: PanelOnBus) -> Iterator[RunningTray]:
    running = RunningTray()
    yield running
    running.end()


FACE = Status(
    "attention",
    attention=2,
    done=1,
    total=4,
    now=("tax_2024.pdf: pdf-to-markdown",),
    results=((1, Path("/hot/out/a_b.md")),),
    failures=(("job-7", "c.pdf: damaged"),),
    troubles=("The disk is full.",),
    hot_folders=(Path("/hot/in"),),
)


def test_the_panel_shows_another_icon_than_was_drawn(
    runner: asyncio.Runner, panel: PanelOnBus, running: RunningTray
) -> None:
    async def story() -> None:
        await panel.meet()
        running.tray.show(FACE)
        await panel.menu_with("The disk is full.")
        pixmaps = {width: bytes(argb) for width, _, argb in await panel.looks("IconPixmap")}
        red, green, blue, alpha = draw(FACE, 22).split()
        wanted = zip(*(channel.get_flattened_data() for channel in (alpha, red, green, blue)), strict=True)
        assert pixmaps[22] == bytes(part for pixel in wanted for part in pixel)
        assert (await panel.looks("ToolTip"))[2] == "Paperchute: 2 things need your attention; 1 of 4 done"

    runner.run(story())


def test_a_choice_in_the_menu_does_something_else(
    runner: asyncio.Runner, panel: PanelOnBus, running: RunningTray
) -> None:
    async def story() -> None:
        await panel.meet()
        running.tray.show(FACE)
        menu = await panel.menu_with("The disk is full.")
        lines = {line.text: line for line in menu}
        (running_now,) = lines["At work"].below
        assert (running_now.text, running_now.enabled) == ("tax__2024.pdf: pdf-to-markdown", False)
        await panel.click(lines["Last results"].below[0])
        assert await running.command() == Command("open", "/hot/out/a_b.md")
        needs = {line.text: line for line in lines["Needs you (2)"].below}
        await panel.click(needs["Failed (1)"].below[0].below[1])
        assert await running.command() == Command("retry", "job-7")
        await panel.click(lines["Quit Paperchute"])
        assert await running.command() == Command("quit")
        await panel.ask(panel.icon, ITEM, "org.kde.StatusNotifierItem", "Activate", "ii", 0, 0)
        assert await running.command() == Command("page", "needs")

    runner.run(story())


def test_a_click_on_a_menu_that_just_changed_quits_instead_of_opening(
    runner: asyncio.Runner, panel: PanelOnBus, running: RunningTray
) -> None:
    async def story() -> None:
        await panel.meet()
        running.tray.show(FACE)
        old = {line.text: line for line in await panel.menu_with("The disk is full.")}
        running.tray.show(Status("paused"))
        new = {line.text: line for line in await panel.menu_with("Resume")}
        assert old["Quit Paperchute"].id == new["Quit Paperchute"].id
        await panel.click(old["Last results"].below[0])  # gone: does nothing
        await panel.click(old["Edit rules"])
        assert await running.command() == Command("edit-rules")

    runner.run(story())


def test_a_panel_that_restarts_has_lost_the_icon(
    runner: asyncio.Runner, panel: PanelOnBus, running: RunningTray
) -> None:
    async def story() -> None:
        await panel.meet()
        await panel.bus.release_name(WATCHER)
        await panel.bus.request_name(WATCHER)
        await panel.meet()
        assert await panel.looks("Id") == "paperchute"

    runner.run(story())


@pytest.mark.screen
def test_a_panel_of_another_kind_takes_the_icon_over(
    runner: asyncio.Runner, panel: PanelOnBus, screen: Screen, start_tray: Callable[[dict[str, str]], TrayProcess]
) -> None:
    there = {name: os.environ[name] for name in ("DBUS_SESSION_BUS_ADDRESS", "PATH")}
    tray = start_tray({**there, "DISPLAY": screen.environment["DISPLAY"]})

    async def change() -> None:
        await panel.meet()
        await panel.bus.release_name(WATCHER)
        screen.start_panel()
        await asyncio.to_thread(until, screen.icon_place)

    runner.run(change())
    assert tray.heard() == "ready"
    assert tray.stop()[0] == 0


def test_a_thousand_files_make_the_panel_redraw_a_thousand_times(
    runner: asyncio.Runner, panel: PanelOnBus, running: RunningTray
) -> None:
    async def story() -> None:
        await panel.meet()
        for done in range(1000):
            running.tray.show(Status("working", done=done, total=1000))
        running.tray.show(Status("paused"))
        running.tray.show(Status("paused"))
        await panel.menu_with("Resume")
        signals = [panel.signals.get_nowait() for _ in range(panel.signals.qsize())]
        assert 1 <= signals.count("NewIcon") < 20
        assert 1 <= signals.count("LayoutUpdated") < 20

    runner.run(story())


def test_a_session_bus_without_a_panel_ends_the_daemon(
    session_bus: object, start_tray: Callable[[dict[str, str]], TrayProcess]
) -> None:
    tray = start_tray({"DBUS_SESSION_BUS_ADDRESS": os.environ["DBUS_SESSION_BUS_ADDRESS"], "PATH": "/usr/bin:/bin"})
    assert tray.heard().startswith("There is no desktop session here.")
    assert tray.stop()[0] == 0


def test_a_session_bus_that_dies_takes_the_daemon_along(
    runner: asyncio.Runner, panel: PanelOnBus, running: RunningTray, session_bus: subprocess.Popen[str]
) -> None:
    runner.run(panel.meet())
    ended(session_bus)
    running.tray.show(FACE)
    running.thread.join(1)
    assert running.thread.is_alive()


def test_a_dead_session_bus_ends_the_daemon(start_tray: Callable[[dict[str, str]], TrayProcess]) -> None:
    tray = start_tray({"DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere/bus", "PATH": "/usr/bin:/bin"})
    assert tray.heard().startswith("There is no desktop session here.")
    assert tray.stop()[0] == 0


def test_a_garbled_session_bus_ends_the_daemon(start_tray: Callable[[dict[str, str]], TrayProcess]) -> None:
    tray = start_tray({"DBUS_SESSION_BUS_ADDRESS": "garbled", "PATH": "/usr/bin:/bin"})
    assert tray.heard().startswith("There is no desktop session here.")
    assert tray.stop()[0] == 0
