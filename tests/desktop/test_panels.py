"""What a panel asks of the system, where that system is not here."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import pytest

from paperchute.desktop import panels
from paperchute.desktop.panels import PystrayPanel


@pytest.mark.parametrize("system", ["darwin", "linux"])
def test_macos_is_asked_not_to_slow_down_what_has_no_window(system: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []
    process = SimpleNamespace(beginActivityWithOptions_reason_=lambda *asked: seen.append(asked))
    foundation = SimpleNamespace(NSProcessInfo=SimpleNamespace(processInfo=lambda: process))
    icon = SimpleNamespace(run=lambda setup: (setup(None), seen.append("shown")))
    pystray = SimpleNamespace(Icon=lambda *_, **__: icon)
    monkeypatch.setitem(sys.modules, "Foundation", foundation)
    monkeypatch.setitem(sys.modules, "pystray", pystray)
    monkeypatch.setattr(panels.sys, "platform", system)
    PystrayPanel(seen.append).run(lambda: seen.append("ready"))
    asked = [(0x00EFFFFF, "Hot folders are watched.")] if system == "darwin" else []
    assert seen == [*asked, "ready", "shown"]
