"""Firefox, driven by the protocol that it speaks itself (Marionette): no driver has to be installed beside it."""

from __future__ import annotations

import json
import re
import shutil
import socket
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import axe_playwright_python

PROGRAM = next(filter(None, map(shutil.which, ("firefox-esr", "firefox"))), None)
_AXE = Path(axe_playwright_python.__file__).parent / "axe.min.js"
_PATIENCE = 120.0
_ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # W3C WebDriver, "web element identifier"
TAB, ENTER = "\ue004", "\ue007"
_NAMED = """
const named = (one) => {
  const label = one.labels?.length ? one.labels[0].firstChild : one;
  return (one.getAttribute("aria-label") ?? label.textContent).trim();
};
"""


class Firefox:
    """A headless one with a profile of its own."""

    def __init__(self, profile: Path) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        (profile / "user.js").write_text(
            f'user_pref("marionette.port", {port});\n'
            'user_pref("datareporting.policy.dataSubmissionEnabled", false);\n'
            'user_pref("intl.accept_languages", "en");\n',
            "utf-8",
        )
        assert PROGRAM is not None
        self._process = subprocess.Popen(
            [PROGRAM, "--headless", "--marionette", "--no-remote", "--profile", str(profile)],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        self._line = self._connected(port)
        self._heard = self._line.makefile("rb")
        self._sent = 0
        self._answer()
        self.ask("WebDriver:NewSession", capabilities={"alwaysMatch": {}})

    def close(self) -> None:
        """End it."""
        self._process.terminate()
        self._process.wait(60)
        self._heard.close()
        self._line.close()

    def ask(self, command: str, **values: Any) -> Any:
        """What a command of the protocol gives."""
        self._sent += 1
        text = json.dumps([0, self._sent, command, values]).encode()
        self._line.sendall(b"%d:%b" % (len(text), text))
        _kind, _number, error, result = self._answer()
        assert error is None, error
        return result["value"] if isinstance(result, dict) and "value" in result else result

    def go(self, address: str) -> None:
        """Show a page."""
        self.ask("WebDriver:Navigate", url=address)

    def run(self, script: str, *values: Any) -> Any:
        """What a script of the page's own world returns."""
        return self.ask("WebDriver:ExecuteScript", script=_NAMED + script, args=list(values))

    def until(self, script: str, *values: Any) -> Any:
        """Wait for a script to return something true; it."""
        end = time.monotonic() + _PATIENCE
        while not (found := self.run(script, *values)):
            assert time.monotonic() < end, (script, values, self.run("return document.body.innerText"))
            time.sleep(0.05)
        return found

    def until_said(self, words: str) -> None:
        """Wait for words of the page."""
        self.until("return document.body.innerText.includes(arguments[0])", words)

    def element(self, name: str, kind: str = "*") -> Any:
        """Wait for what has this name for people."""
        script = "return [...document.querySelectorAll(arguments[1])].find((one) => named(one) === arguments[0])"
        return self.until(script, name, kind)

    def choose(self, name: str, *paths: Path) -> None:
        """Choose files for a field."""
        field = self.element(name, "input[type=file]")
        self.ask("WebDriver:ElementSendKeys", id=field[_ELEMENT], text="\n".join(map(str, paths)))

    def keys(self, text: str) -> None:
        """Type, wherever the focus is."""
        strokes = [{"type": kind, "value": one} for one in text for kind in ("keyDown", "keyUp")]
        self.ask("WebDriver:PerformActions", actions=[{"type": "key", "id": "keys", "actions": strokes}])

    def reach(self, name: str, kind: str = "button, a, input, textarea, select, summary") -> None:
        """Reach something by the tab key; what goes and comes again while the page is drawn anew is waited for."""
        self.element(name, kind)
        end = time.monotonic() + _PATIENCE
        while time.monotonic() < end:
            if self.run("return document.activeElement && named(document.activeElement) === arguments[0]", name):
                return
            self.keys(TAB)
        raise AssertionError(f"{name} is out of the tab key's reach")

    def press(self, name: str) -> None:
        """Reach a button by the tab key, and press it."""
        self.reach(name, "button, a")
        self.keys(ENTER)

    def violations(self) -> Sequence[str]:
        """What axe finds."""
        script = _AXE.read_text("utf-8") + "\naxe.run().then((found) => arguments[0](found.violations));"
        found = self.ask("WebDriver:ExecuteAsyncScript", script=script, args=[])
        return [f"{one['id']}: {one['nodes'][0]['html']}" for one in found]

    def _connected(self, port: int) -> socket.socket:
        end = time.monotonic() + _PATIENCE
        while True:
            try:
                return socket.create_connection(("127.0.0.1", port), timeout=_PATIENCE)
            except OSError:
                assert time.monotonic() < end, "Firefox does not listen"
                assert self._process.poll() is None, "Firefox has ended"
                time.sleep(0.1)

    def _answer(self) -> Any:
        size = b""
        while (one := self._heard.read(1)) != b":":
            assert re.fullmatch(rb"\d", one), one
            size += one
        return json.loads(self._heard.read(int(size)))
