"""`[notify]`: what cannot work is a mistake before the first message."""

from __future__ import annotations

from pathlib import Path

import pytest

from paperchute.rules.file import parse
from paperchute.rules.problems import RuleFileError
from paperchute.rules.requirements import missing_secrets

MAIL = 'mail_to = "a@b.example"\nmail_from = "c@d.example"\nsmtp_host = "mail.example"\n'


def mistakes(text: str) -> str:
    with pytest.raises(RuleFileError) as error:
        parse(f"version = 1\n[notify]\n{text}\n", Path("/rules/rules.toml"))
    return "\n".join(error.value.lines())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("gather = 5", "nobody is told"),
        ('mail_to = "a@b.example"', "`smtp_host` is missing"),
        (f'{MAIL}smtp_password = "hunter2"', "the secret itself must not be written here"),
        (f'{MAIL}smtp_user = "me"', "`smtp_password` is missing"),
        (f'{MAIL}smtp_security = "none"', "in the clear"),
        (MAIL.replace("a@b.example", "Anna <a@b.example>"), "is not an e-mail address"),
        (MAIL.replace("mail.example", "https://mail.example"), "is not the name of a host"),
        (f'{MAIL}on = ["failures"]', "there is no 'failures'"),
        (f'{MAIL}digest = "weekly"', 'takes "hourly"'),
        ('ntfy_url = "http://ntfy.example/topic"', "must be https"),
        ('webhook_url = "ftp://example.com"', "takes an address"),
        ('webhook_token = "env:T"\nntfy_url = "https://ntfy.sh/t"', "`webhook_url` is missing"),
        (f"{MAIL}smtp_prot = 25", "Did you mean smtp_port?"),
        (f"{MAIL}smtp_port = 0", "must be at least 1"),
    ],
)
def test_a_mistake_is_told_with_its_cure(text: str, said: str) -> None:
    assert said in mistakes(text)
    assert "hunter2" not in mistakes(text)


def test_what_works_is_taken_and_its_secrets_are_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_SUCH_WORD", raising=False)
    text = f'version = 1\n[notify]\n{MAIL}smtp_user = "me"\nsmtp_password = "env:NO_SUCH_WORD"\n'
    text += 'on = []\nwebhook_url = "file:hook"\n'
    rules = parse(text, Path("/rules/rules.toml"))
    assert rules.notify.outlets() == ("mail", "webhook")
    assert (rules.notify.on, rules.notify.webhook_url) == ((), "file:/rules/hook")
    assert "NO_SUCH_WORD" in missing_secrets(rules)[0].message
    assert parse("version = 1\n", Path("/rules/rules.toml")).notify.outlets() == ()
