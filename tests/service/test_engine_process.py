"""The engine's process: up with an address, gone with the daemon, and a plain word when it does not come up."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from paperchute.contract.engine_options import ENGINE_OPTIONS, flag
from paperchute.service.client import ServiceClient
from paperchute.service.engine_process import EngineError, EngineProcess


def test_the_real_engine_comes_up_answers_and_ends(tmp_path: Path) -> None:
    engine = EngineProcess(tmp_path / "engine", {"workers": 1})
    client = ServiceClient(engine.start())
    client.check()
    client.close()
    assert engine.alive()
    engine.stop()
    assert not engine.alive()


@pytest.mark.parametrize(
    "program", ["import sys; sys.exit('no disk left')", "print('no JSON'); import sys; sys.stderr.write('odd')"]
)
def test_an_engine_that_does_not_come_up_is_explained(tmp_path: Path, program: str) -> None:
    engine = EngineProcess(tmp_path / "engine", command=[sys.executable, "-c", program])
    with pytest.raises(EngineError, match="The engine did not start"):
        engine.start()
    assert not engine.alive()


def test_an_engine_that_ends_before_it_is_told_anything_is_explained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell = EngineProcess._tell

    def late(engine: EngineProcess, secrets: Mapping[str, str]) -> None:
        assert engine._process is not None
        engine._process.wait(60)
        tell(engine, secrets)

    monkeypatch.setattr(EngineProcess, "_tell", late)
    engine = EngineProcess(tmp_path / "engine", command=[sys.executable, "-c", "import sys; sys.exit('no disk left')"])
    with pytest.raises(EngineError, match="The engine did not start: no disk left"):
        engine.start()
    assert not engine.alive()


def test_every_setting_reaches_the_engine_and_secrets_by_its_input_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = (
        "import json, os, sys; told = json.loads(sys.stdin.readline());"
        "sys.exit(json.dumps([sys.argv[1:], told['webhook_token'], [*os.environ.values()]]))"
    )
    monkeypatch.setenv("SECRET_OF_A_RULE", "hunter3")
    options: dict[str, Any] = {
        option.name: ("a.example", "b.example") if isinstance(option.default, tuple)
        else "text" if isinstance(option.default, str) else 7
        for option in ENGINE_OPTIONS
    }  # fmt: skip
    engine = EngineProcess(tmp_path / "engine", {**options, "webhook_token": "hunter2"})
    engine._command[1:3] = ["-c", program]  # all that follows stays as it would be given to the engine
    with pytest.raises(EngineError) as error:
        engine.start()
    arguments, token, environment = json.loads(error.value.what.partition(": ")[2])
    assert token == "hunter2"
    assert not any("hunter" in value for value in environment)
    assert not any("hunter2" in argument for argument in arguments)
    for option in ENGINE_OPTIONS:
        values = options[option.name] if isinstance(option.default, tuple) else [options[option.name]]
        if option.metadata.get("form") == "secret":
            values = []
        assert [a.partition("=")[2] for a in arguments if a.startswith(f"{flag(option)}=")] == [str(v) for v in values]


def test_the_real_engine_knows_every_flag(tmp_path: Path) -> None:
    options: dict[str, object] = {"allow_host": ("a.example",), "ocr_models": str(tmp_path), "webhook_token": "token"}
    options |= {o.name: o.default - 1 for o in ENGINE_OPTIONS if isinstance(o.default, int | float) and o.default}
    engine = EngineProcess(tmp_path / "engine", {**options, "webhook_url": "https://a.example"})
    try:
        engine.start()
    finally:
        engine.stop()
