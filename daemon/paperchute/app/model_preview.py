"""What would be sent to the language model for a file, shown before anything is: the document is read for it, here."""

from __future__ import annotations

import secrets
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from paperchute.app.connection import connect
from paperchute.app.facts import opening_of
from paperchute.contract import Value
from paperchute.jobs.decision import senders_of
from paperchute.jobs.document_fields import FieldSaid, asked, decisive, known_fields, read_fields
from paperchute.jobs.model_questions import may_be_asked, read_pages, request_body
from paperchute.language import _
from paperchute.rules.document_fields import OPERATION, READING, step_of
from paperchute.rules.explain import Explanation, unit
from paperchute.rules.model import Rule
from paperchute.rules.secrets import opening_passwords_for
from paperchute.rules.service_names import BUILT_IN
from paperchute.rules.settings import RuleFile
from paperchute.rules.when import decide
from paperchute.service.model import Call
from paperchute.service.upload import parts_for


def would_be_sent(rules: RuleFile, explained: Explanation) -> Iterator[str]:
    """Give, line by line, the request for each rule that has the file and `ask_model`, and where it would go.

    Raises ServiceError, PaperchuteError and OSError where the document cannot be read.
    """
    may = [one.rule for one in explained.rules if one.holds is not False] if explained.depends else []
    for together in [may] if may else [[rule] for rule in explained.takers]:
        if together and all(rule.ask_model for rule in together):
            yield ""
            names = ", ".join(repr(rule.name) for rule in together)
            body = _body(rules, together, explained.path, is_open=bool(may))
            if body is None:
                yield _("rule {rules}: {model} would be asked nothing", rules=names, model=rules.model.model)
            else:
                yield _("rule {rules} would send to {address}:", rules=names, address=rules.model.address)
                yield from body.decode().split("\n")


def _body(rules: RuleFile, together: Sequence[Rule], path: Path, *, is_open: bool) -> bytes | None:
    """What is sent of a document for the rules that may have it; is_open: which one that is hangs on the answer."""
    rule = together[0]
    with tempfile.TemporaryDirectory() as scratch:
        result = _read(rules, rule, path, Path(scratch))
        said, pages = known_fields(read_fields(result), senders_of(together)), read_pages(result)
    if is_open:
        names: Sequence[str] = decide([(one.when, one.also) for one in together], decisive(said)).open
    else:
        names = asked(rule, said)
    names = [name for name in names if may_be_asked(said.get(name, FieldSaid()))]
    return request_body(rules.model.model or "", names, said, pages, rule.find) if names and pages else None


def _read(rules: RuleFile, rule: Rule, path: Path, scratch: Path) -> Path:
    """The answer of `document-extract`, asked as the rule's job would ask it."""
    step = step_of(rule, READING)
    passwords, _missing = opening_passwords_for(rule, unit(rule, path))
    fits = opening_of(path, passwords) if passwords else None
    given: dict[str, Value] = {"password": passwords[fits]} if fits is not None and fits >= 0 else {}
    parts, parameters = parts_for(OPERATION, [path], {**step.parameters, **given})
    settings = rules.settings_of(step.service) or rules.settings_of(BUILT_IN)
    assert settings is not None, "the built-in engine is always there"
    with connect(settings, scratch / "engine") as client:
        answer = client.call(Call(OPERATION, tuple(parts), parameters, secrets.token_hex(16)))
        (result, *_more) = client.download(answer, OPERATION, scratch)
    return result
