"""What of a rule file may leave the machine: all of it but secrets, wherever they stand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import tomli_w
from hypothesis import given
from hypothesis import strategies as st

from paperchute.redaction import masked
from paperchute.rules.disclosure import learn_from_environment, rule_text, scrubbed, told_of_rule

HOME = Path("/rules")
SECRETS = st.text("abcdefXYZ0189-_.!$%äß", min_size=6, max_size=20).map(lambda text: f"s3{text}")
"""No word of a rule file or of its keys."""


@given(SECRETS, st.sampled_from(["api_key", "hub_key", "webhook_token", "userPassword", "passwords", "secret"]))
def test_a_secret_that_stands_in_the_file_itself_goes_out(secret: str, key: str) -> None:
    written = tomli_w.dumps(
        {"version": 1, "rule": [{"name": "a", key: [secret, "env:NAME"]}], "service": {key: secret}}
    )
    escaped = written.replace(secret, "".join(f"\\u{ord(letter):04x}" for letter in secret))
    inline = f'[[rule]]\nname = "a"\nparameters = {{ pages = "1-3", {key} = {json.dumps(secret)} }}\n'
    for text in (written, escaped, inline, f"[[rule]\n{inline}", f"# my {key}: {secret}\nversion = 1"):
        told = rule_text(text, HOME)
        assert secret not in told
        assert "\\u0073" not in told
        if text in (written, inline):
            assert 'name = "a"' in told
    assert "env:NAME" in rule_text(written, HOME)


@given(SECRETS)
def test_an_address_that_lets_in_goes_out(secret: str) -> None:
    addresses = {
        "webhook_url": f"https://hooks.example/services/{secret}",
        "base_url": f"https://me:{secret}@service.example/server",
        "url": f"https://shop.example/list?key={secret}",
    }
    told = rule_text(tomli_w.dumps({"service": addresses}), HOME)
    assert secret not in told
    assert "service.example/server" in told
    assert all(secret not in scrubbed(f"at {address}: no") for name, address in addresses.items())


@given(SECRETS)
def test_what_a_reference_leads_to_goes_out(tmp_path_factory: pytest.TempPathFactory, secret: str) -> None:
    folder = tmp_path_factory.mktemp("secrets")
    for name, text in (("key", secret), ("list.csv", f"anna;{secret}\nbert;b\n")):
        (folder / name).write_text(text, "utf-8")
        (folder / name).chmod(0o600)
    for reference in ("file:key", "csv:list.csv/{stem}"):
        text = f'[service]\napi_key = "{reference}"\n'
        assert rule_text(text, folder) == text
        assert secret not in masked(f"the log says {secret} and {json.dumps(secret)}")


@pytest.mark.parametrize(
    "line",
    [
        "Authorization: Bearer s3cr-et.v4lue",
        'password = "s3cr-et.v4lue"',
        "smtp_password='s3cr-et.v4lue'",
        '{"apiKey": "s3cr-et.v4lue"}',
        "https://anna:s3cr-et.v4lue@host/x",
        "GET https://host/a?x=1&token=s3cr-et.v4lue",
        "token: s3cr-et.v4lue",
    ],
)
def test_a_secret_that_nothing_knows_of_goes_out_by_its_form(line: str) -> None:
    assert "v4lue" not in scrubbed(line)


def test_secrets_of_the_environment_go_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_SERVICE_TOKEN", "t0ken-of-mine")
    monkeypatch.setenv("KEYBOARD", "layout-one")
    learn_from_environment()
    assert masked("t0ken-of-mine, layout-one") == "***, layout-one"


def test_what_is_no_secret_is_told() -> None:
    text = (
        'version = 1\n# Read what comes.\n[[rule]]\nname = "Read"\nfolder = "~/in"\noperation = "pdf-encrypt"\n'
        'parameters = { userPassword = "env:LOCK", allowPrint = true }\noutput = "{date:%Y}/{stem}.{ext}"\n'
    )
    assert rule_text(text, HOME) == text


@pytest.mark.parametrize(
    ("comment", "secret"),
    [
        ("# Zugang: GeheimZugang77", "GeheimZugang77"),
        ("# mot de passe = Soleil", "Soleil"),
        ("# 密码：春天", "春天"),
        ("# heslo Jaro2026!", "Jaro2026!"),
        ("# Anmelden geht mit Sommerwiese9", "Sommerwiese9"),
        ("# lykilorð: Fjallabak", "Fjallabak"),
        ("# the one of Anna: sk-live-51HxAbCdEf", "sk-live-51HxAbCdEf"),
    ],
)
def test_what_looks_like_a_secret_in_a_comment_goes_out_in_any_language(comment: str, secret: str) -> None:
    for text in (f"{comment}\nversion = 1\n", f"version = 1 {comment}\n", f"[[broken\n{comment}\n"):
        assert secret not in rule_text(text, HOME)
        assert secret not in told_of_rule(text)


def test_a_key_in_a_path_goes_out_and_other_comments_stay() -> None:
    told = rule_text('[[rule]]\noutput = "x/sk-live-abcdef123456/{stem}.{ext}"\nname = "a#b: c"\n', HOME)
    assert "sk-live" not in told
    assert '"a#b: c"' in told
    for comment in (
        "# Scans dropped here become PDFs, 10MB at most.",
        '# folder = "~/Hot/scans"',
        "# a note: it is slow",
    ):
        assert comment in rule_text(f"{comment}\nversion = 1\n", HOME)
