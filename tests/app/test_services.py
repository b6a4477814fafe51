"""Connections of several services: one that cannot be made holds up no other, and none is cut off without need."""

from __future__ import annotations

from pathlib import Path

import pytest

from paperchute.app.places import State
from paperchute.app.services import Services
from paperchute.errors import PaperchuteError
from paperchute.rules.file import parse
from paperchute.rules.settings import RuleFile
from paperchute.service.model import ServiceError
from tests.observers import Told

TABLE = '[services.{name}]\nbase_url = "http://127.0.0.1:9"\napi_key = "env:{name}_KEY_OF_TESTS"\n{more}'
RULE = '[[rule]]\nname = "{name}"\nfolder = "{name}"\noperation = "pdf-to-docx"\nservice = "{name}"\n'


def rules(home: Path, *names: str, more: str = "") -> RuleFile:
    tables = [TABLE.format(name=name, more=more) for name in names]
    text = "version = 1\n" + "".join(tables) + "".join(RULE.format(name=name) for name in names)
    return parse(text, home / "rules.toml")


def test_a_key_that_is_missing_holds_up_no_other_service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("beta_KEY_OF_TESTS", "the key of beta")
    services = Services(State(tmp_path / "state"), rules(tmp_path, "acme", "beta"), Told())
    with pytest.raises(ServiceError, match="is not running"):
        services.client("beta")
    services.start()
    try:
        assert services.client("beta") is services.client("beta")
        with pytest.raises(ServiceError, match="acme_KEY_OF_TESTS") as missing:
            services.client("acme")
        assert missing.value.kind == "down"
        with pytest.raises(ServiceError, match="acme_KEY_OF_TESTS"):
            services.check("acme", spent=False)
        with pytest.raises(PaperchuteError, match="The rule file has no service 'gone'"):
            services.client("gone")
        monkeypatch.setenv("acme_KEY_OF_TESTS", "the key of acme")
        services.keep_alive()
        assert services.client("acme") is not services.client("beta")
    finally:
        services.stop()


def test_only_a_service_that_is_another_one_now_is_cut_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("acme", "beta"):
        monkeypatch.setenv(f"{name}_KEY_OF_TESTS", f"the key of {name}")
    services = Services(State(tmp_path / "state"), rules(tmp_path, "acme", "beta"), Told())
    services.start()
    try:
        acme, beta = services.client("acme"), services.client("beta")
        services.replace(rules(tmp_path, "beta"))
        assert services.client("acme") is acme, "what it has taken is still asked for there"
        assert services.client("beta") is beta
        services.replace(rules(tmp_path, "acme", "beta", more="monthly_calls = 3\n"))
        assert services.client("acme") is not acme
    finally:
        services.stop()
