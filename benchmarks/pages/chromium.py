"""Chromium as a peer: one browser that stays open and prints page after page, spoken to over its debugging pipe."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import jinja2

from benchmarks.pages.programs import MemoryWatch, Took, cpu_of

PROGRAM = "chromium"
_FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--remote-debugging-pipe")


def took(task: str, place: Path) -> Took:
    """`html` or `invoices`, once the browser has printed the warm-up; filling the templates counts, too.

    Raises RuntimeError when the browser does not answer.
    """
    with tempfile.TemporaryDirectory() as profile, _Browser(profile) as browser:
        _print(browser, task, place / "warm", place / "out")
        watch = MemoryWatch(browser.pid)
        before, began = _cpu(browser), time.perf_counter()
        _print(browser, task, place / "in", place / "out")
        return Took(time.perf_counter() - began, _cpu(browser) - before, watch.stop())


def _cpu(browser: _Browser) -> float:
    return time.thread_time() + cpu_of(browser.pid)


def _print(browser: _Browser, task: str, given: Path, out: Path) -> None:
    if task == "html":
        browser.print((given / "report.html").read_text("utf-8"), out / "report.pdf")
        return
    template = jinja2.Environment(autoescape=True).from_string((given / "template.html").read_text("utf-8"))
    for data in sorted(given.glob("*.json")):
        browser.print(template.render(json.loads(data.read_text("utf-8"))), out / f"{data.stem}.pdf")


class _Browser:
    """A browser with one page. Commands go into its file descriptor 3, answers come from 4, each ended by NUL."""

    def __init__(self, profile: str) -> None:
        to_read, self._to = os.pipe()
        self._from, to_write = os.pipe()

        def place_pipes() -> None:
            os.dup2(to_read, 103)
            os.dup2(to_write, 104)
            os.dup2(103, 3)
            os.dup2(104, 4)

        self._process = subprocess.Popen(
            [PROGRAM, *_FLAGS, f"--user-data-dir={profile}"],
            preexec_fn=place_pipes,
            close_fds=False,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.pid = self._process.pid
        for end in (to_read, to_write):
            os.close(end)
        self._waiting = b""
        self._number = 0
        self._session = ""
        target = self._ask("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self._frame = self._ask("Page.getFrameTree")["frameTree"]["frame"]["id"]

    def __enter__(self) -> _Browser:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        for end in (self._to, self._from):
            os.close(end)

    def print(self, html: str, output: Path) -> None:
        """One document to a PDF, at its own page size."""
        self._ask("Page.setDocumentContent", frameId=self._frame, html=html)
        printed = self._ask("Page.printToPDF", preferCSSPageSize=True, printBackground=True)
        output.write_bytes(base64.b64decode(printed["data"]))

    def _ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        whole = json.dumps(message).encode() + b"\0"
        while whole:
            whole = whole[os.write(self._to, whole) :]
        while True:
            answer: dict[str, Any] = json.loads(self._next())
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"the browser refused {method}: {answer['error'].get('message')}")
                return dict(answer["result"])

    def _next(self) -> bytes:
        while b"\0" not in self._waiting:
            block = os.read(self._from, 1 << 20)
            if not block:
                raise RuntimeError("the browser has ended")
            self._waiting += block
        message, _, self._waiting = self._waiting.partition(b"\0")
        return message
