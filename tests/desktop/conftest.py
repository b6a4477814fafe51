"""A screen with a tray and a session bus, both real and private to a test."""

from __future__ import annotations

import json
import os
import queue
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TypeVar

import pytest
from PIL import Image

import paperchute
from paperchute.desktop.menu import Command
from paperchute.events import Status

PROGRAMS = {
    "Xvfb": "xvfb",
    "openbox": "openbox",
    "trayer": "trayer",
    "xdotool": "xdotool",
    "import": "imagemagick",
    "xwininfo": "x11-utils",
    "xprop": "x11-utils",
}
PATIENCE = 120.0
"""Seconds after which a test that waits has failed."""
PANEL = 24
"""Pixels of the panel's height."""

T = TypeVar("T")


def until(look: Callable[[], T | None]) -> T:
    """What `look` returns as soon as that is true."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if found := look():
            return found
        time.sleep(0.05)
    pytest.fail(f"waited in vain; last: {found!r}")


def ended(process: subprocess.Popen[str]) -> None:
    process.terminate()
    try:
        process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


class Screen:
    """A virtual display of 640 by 160 px with a window manager and, from `start_panel` on, a tray at the top right."""

    def __init__(self, server: subprocess.Popen[str], number: str) -> None:
        self.server = server
        self.environment = {**os.environ, "DISPLAY": f":{number}"}
        self.environment.pop("XAUTHORITY", None)
        self._processes: list[subprocess.Popen[str]] = []
        self._panel: subprocess.Popen[str] | None = None

    def start(self, *command: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            command, env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True
        )
        self._processes.append(process)
        return process

    def call(self, *command: str) -> str:
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True, timeout=PATIENCE)
        return done.stdout

    def start_panel(self) -> None:
        size = ("--height", str(PANEL), "--widthtype", "request")
        self._panel = self.start("trayer", "--edge", "top", "--align", "right", "--SetDockType", "true", *size)
        until(lambda: '"panel" "trayer"' in self.call("xwininfo", "-root", "-tree"))

    def stop_panel(self, by: signal.Signals) -> None:
        assert self._panel
        self._panel.send_signal(by)
        self._panel.wait(PATIENCE)

    def icon_place(self) -> tuple[int, int, int, int] | None:
        """Left, top, width and height of the docked icon, None while it is not docked and shown."""
        tree = self.call("xwininfo", "-root", "-tree")
        window = re.search(r"(0x[0-9a-f]+) [^\n]*paperchuteSystemTrayIcon", tree)
        if not window:
            return None
        facts = self.call("xwininfo", "-id", window[1])
        if "IsViewable" not in facts:
            return None
        names = ("Absolute upper-left X", "Absolute upper-left Y", "Width", "Height")
        left, top, width, height = (int(re.findall(rf"{name}:\s+(-?\d+)", facts)[0]) for name in names)
        return (left, top, width, height) if width >= 16 and height >= 16 and top >= 0 else None

    def icon(self, to: Path) -> Image.Image | None:
        """The pixels where the icon is, from a picture of the whole screen that is kept in the file."""
        place = self.icon_place()
        if not place:
            return None
        self.call("import", "-window", "root", str(to))
        left, top, width, height = place
        with Image.open(to) as shot:
            return shot.convert("RGB").crop((left, top, left + width, top + height))

    def click(self, button: str = "1") -> None:
        left, top, width, height = until(self.icon_place)
        self.call("xdotool", "mousemove", str(left + width // 2), str(top + height // 2), "click", button)

    def end(self) -> None:
        for process in reversed(self._processes):
            ended(process)


@pytest.fixture
def screen() -> Iterator[Screen]:
    missing = sorted({package for program, package in PROGRAMS.items() if not shutil.which(program)})
    if missing:
        pytest.skip(f"needs the Debian packages {' '.join(missing)}")
    reading, writing = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writing), "-screen", "0", "640x160x24", "-nolisten", "tcp", "-noreset"],
        pass_fds=(writing,),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    os.close(writing)
    with os.fdopen(reading) as pipe:
        number = pipe.readline().strip()
    assert number, "Xvfb found no free display"
    screen = Screen(server, number)
    try:
        screen.start("openbox")
        until(lambda: "window id" in screen.call("xprop", "-root", "_NET_SUPPORTING_WM_CHECK"))
        yield screen
    finally:
        screen.end()
        ended(server)


class TrayProcess:
    """The tray in a process of its own, as the daemon runs it."""

    def __init__(self, environment: dict[str, str]) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("tray_process.py"))],
            env={**environment, "PYTHONPATH": str(Path(paperchute.__file__).parents[1])},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.said: queue.SimpleQueue[str] = queue.SimpleQueue()
        threading.Thread(target=self._listen, daemon=True).start()

    def show(self, status: Status) -> None:
        assert self.process.stdin
        print(json.dumps(asdict(status), default=str), file=self.process.stdin, flush=True)

    def heard(self) -> str:
        return self.said.get(timeout=PATIENCE)

    def command(self) -> Command:
        return Command(**json.loads(self.heard()))

    def stop(self) -> tuple[int, str]:
        """Ask it to stop; its exit code and everything it wrote to its error output."""
        assert self.process.stdin
        assert self.process.stderr
        self.process.stdin.close()
        try:
            code = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            pytest.fail(f"it does not stop: {self.process.stderr.read()}")
        return code, self.process.stderr.read()

    def _listen(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self.said.put(line.strip())


@pytest.fixture
def start_tray() -> Iterator[Callable[[dict[str, str]], TrayProcess]]:
    started: list[TrayProcess] = []

    def start(environment: dict[str, str]) -> TrayProcess:
        started.append(TrayProcess(environment))
        return started[-1]

    yield start
    for tray in started:
        ended(tray.process)


@pytest.fixture
def session_bus(monkeypatch: pytest.MonkeyPatch) -> Iterator[subprocess.Popen[str]]:
    """A session bus of the test's own, which its environment names."""
    if not shutil.which("dbus-daemon"):
        pytest.skip("needs the Debian package dbus-daemon")
    command = ["dbus-daemon", "--session", "--nofork", "--print-address"]
    bus = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert bus.stdout
        address = bus.stdout.readline().strip()
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
        yield bus
    finally:
        ended(bus)
