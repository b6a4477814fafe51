"""The tables of the rule file beside its rules: each key has a field, and only what somebody changed is written."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

from paperchute.app.rule_tables import table_fields
from paperchute.errors import PaperchuteError
from paperchute.rules.docs.schema import schema
from paperchute.rules.edit import with_table
from tests.page.conftest import RULES, Shown

NOTIFY = """# Who hears of it
[notify]
ntfy_url   = "https://ntfy.sh/my-topic"  # the telephone
smtp_host  = "mail.example"
mail_to    = "me@mail.example"
mail_from  = "me@mail.example"
webhook_url = "https://hooks.example/T0K3N-of-mine"
# the digest comes later

"""
FILE = RULES.replace("[[rule]]", f"{NOTIFY}# The first\n[[rule]]", 1)


@pytest.fixture(name="rules")
def _rules() -> str:
    return FILE


def ask(shown: Shown, verb: str, table: str, **keys: Any) -> httpx.Response:
    """A call about a table by who has seen the file as it is now."""
    digest = shown.client.get("/api/workshop").json()["digest"]
    filled = {key: None if text is None else {"kind": kind, "text": text} for key, (kind, text) in keys.items()}
    wish = {"digest": digest, "table": {"table": table, "keys": filled}}
    return shown.client.post(f"/api/workshop/{verb}", content=json.dumps(wish))


def test_every_key_beside_the_rules_has_a_field() -> None:
    whole = schema()
    for table, definition in (("service", "ServiceKeys"), ("notify", "NotifyKeys"), ("page", "PageKeys")):
        assert set(table_fields(table)) == set(whole["$defs"][definition]["properties"])
    assert set(table_fields("engine")) == set(whole["properties"]["engine"]["properties"])
    assert {*table_fields("defaults"), "name"} == set(whole["properties"]["defaults"]["propertyNames"]["enum"])


def test_a_change_leaves_everything_else_as_it_was(shown: Shown) -> None:
    shown.enter()
    assert ask(
        shown, "save-table", "notify", digest=("text", "daily 08:00"), smtp_host=("text", "post.example")
    ).json() == {
        "problems": [],
        "warnings": [],
    }
    told = shown.daemon.rules.path.read_text("utf-8")
    assert told == FILE.replace('"mail.example"\nmail_to', '"post.example"\nmail_to').replace(
        'of-mine"\n', 'of-mine"\ndigest = "daily 08:00"\n'
    )


def test_a_table_that_is_missing_is_made_before_the_first_rule(shown: Shown) -> None:
    shown.enter()
    ask(shown, "save-table", "defaults", retries=("number", "5"), settle=("number", "3"))
    told = shown.daemon.rules.path.read_text("utf-8")
    made = "[defaults]\nretries = 5\nsettle = 3\n\n# The first"
    assert told == FILE.replace("# The first", made)


def test_a_further_service_is_made_changed_and_leaves_the_others_alone(shown: Shown) -> None:
    shown.enter()
    key = {"api_key": ("text", "env:KEY_OF_ARCHIVE")}
    address = {"base_url": ("text", "https://archive.example")}
    assert ask(shown, "save-table", "services.archive", **address, **key).json()["problems"] == []
    made = '[services.archive]\nbase_url = "https://archive.example"\napi_key = "env:KEY_OF_ARCHIVE"\n\n# The first'
    assert shown.daemon.rules.path.read_text("utf-8") == FILE.replace("# The first", made)
    assert ask(shown, "save-table", "services.other", **address, **key).json()["problems"] == []
    assert ask(shown, "save-table", "services.archive", monthly_calls=("number", "5")).json()["problems"] == []
    changed = shown.daemon.rules.path.read_text("utf-8")
    assert 'KEY_OF_ARCHIVE"\nmonthly_calls = 5\n\n[services.other]\n' in changed
    told = {one["name"]: one["values"] for one in shown.client.get("/api/workshop").json()["tables"]}
    assert told["services.archive"]["monthly_calls"] == {"kind": "number", "text": "5"}
    assert told["services"] == {}, "the form of one more"


@pytest.mark.parametrize("name", ["services", "services.", "notify.x", "rule", ""])
def test_a_table_that_there_cannot_be_is_refused(shown: Shown, name: str) -> None:
    shown.enter()
    assert ask(shown, "save-table", name, base_url=("text", "https://archive.example")).status_code == 409
    assert shown.daemon.rules.path.read_text("utf-8") == FILE


def test_a_further_service_has_a_name_that_rules_can_write(shown: Shown) -> None:
    shown.enter()
    values = {"base_url": ("text", "https://archive.example"), "api_key": ("text", "env:KEY_OF_ARCHIVE")}
    for name, why in (("built-in", "always means"), ("two words", "cannot be the name"), ("a.b", "cannot be the name")):
        (problem,) = ask(shown, "save-table", f"services.{name}", **values).json()["problems"]
        assert why in problem["message"]
    (problem,) = ask(shown, "save-table", "services.x", base_url=("text", "http://archive.example")).json()["problems"]
    assert problem["field"] == "base_url"
    assert shown.daemon.rules.path.read_text("utf-8") == FILE


def test_what_is_wrong_is_said_at_its_field_and_nothing_is_written(shown: Shown) -> None:
    shown.enter()
    (problem,) = ask(shown, "save-table", "notify", digest=("text", "sometimes")).json()["problems"]
    assert problem["field"] == "digest"
    (problem,) = ask(shown, "save-table", "service", base_url=("text", "http://elsewhere.example")).json()["problems"]
    assert problem["field"] == "base_url"
    (problem,) = ask(shown, "look-table", "page", hosts=("lines", "nas.local")).json()["problems"]
    assert problem["field"] == "hosts"
    (problem,) = ask(shown, "look-table", "defaults", also=("switch", "on"), set_size=("number", "2")).json()[
        "problems"
    ][:1]
    assert problem["message"].startswith("rule 'Read PDFs': ")
    assert shown.daemon.rules.path.read_text("utf-8") == FILE


def test_what_lets_others_write_is_not_sent_to_the_page(shown: Shown) -> None:
    shown.enter()
    answer = shown.client.get("/api/workshop")
    (notify,) = (one for one in answer.json()["tables"] if one["name"] == "notify")
    assert notify["values"]["webhook_url"] == {"hidden": True}
    assert "T0K3N" not in answer.text


def test_a_table_in_one_line_is_left_alone() -> None:
    text = 'version = 1\nnotify = { ntfy_url = "https://ntfy.sh/my-topic" }\n'
    with pytest.raises(PaperchuteError, match="cannot be changed here"):
        with_table(text, ["notify"], {"ntfy_url": "https://ntfy.sh/other"})
    inner = 'version = 1\n[service.names]\nenableOcr = "ocr"\n'
    with pytest.raises(PaperchuteError, match="cannot be changed here"):
        with_table(inner, ["service"], {"names": {"enableOcr": "ocr"}, "concurrency": 2})
