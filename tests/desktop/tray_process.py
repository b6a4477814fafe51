"""Runs the tray. In: statuses as lines of JSON, the end stops it. Out: "ready", commands as JSON, or why not."""

from __future__ import annotations

import json
import queue
import signal
import sys
import threading
from dataclasses import asdict
from pathlib import Path

from paperchute.desktop.menu import Command
from paperchute.desktop.tray import Tray, TrayUnavailable
from paperchute.events import Status


def say(text: str) -> None:
    print(text, flush=True)  # noqa: T201


def status(line: str) -> Status:
    fields = json.loads(line)
    fields["results"] = tuple((job, Path(path)) for job, path in fields["results"])
    fields["hot_folders"] = tuple(Path(path) for path in fields["hot_folders"])
    for name in ("now", "failures", "troubles"):
        fields[name] = tuple(tuple(item) if isinstance(item, list) else item for item in fields[name])
    return Status(**fields)


def main() -> None:
    commands: queue.SimpleQueue[Command] = queue.SimpleQueue()
    tray = Tray(commands)
    signal.signal(signal.SIGINT, lambda *_: commands.put(Command("quit")))

    def listen() -> None:
        for line in sys.stdin:
            tray.show(status(line))
        tray.stop()

    def tell() -> None:
        while True:
            say(json.dumps(asdict(commands.get())))

    for work in (listen, tell):
        threading.Thread(target=work, daemon=True).start()
    try:
        tray.run(lambda: say("ready"))
    except TrayUnavailable as error:
        say(str(error))


main()
