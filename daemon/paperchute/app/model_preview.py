"""What would be sent to the language model for a file, shown before anything is: the document is read for it, here."""

from __future__ import annotations

import secrets
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from paperchute.app.connection import connect
from paperchute.app.facts import opening_of
from paperchute.contract import Value
from paperchute.jobs.decision import senders_of
from paperchute.jobs.document_fields import FieldSaid, asked, decisive, known_fields, read_fields
from paperchute.jobs.model_questions import PageText, may_be_asked, read_pages, request_body
from paperchute.language import _
from paperchute.rules.document_fields import OPERATION, READING, step_of
from paperchute.rules.explain import Explanation, unit
from paperchute.rules.match import candidates, ladder
from paperchute.rules.model import Rule
from paperchute.rules.secrets import opening_passwords_for
from paperchute.rules.service_names import BUILT_IN
from paperchute.rules.settings import RuleFile
from paperchute.rules.when import decide
from paperchute.service.model import Call
from paperchute.service.upload import parts_for


def would_be_sent(rules: RuleFile, explained: Explanation) -> Iterator[str]:
    """Give, line by line, the request for each rule that has the file and `ask_model`, and where it would go.

    Where the document decides between rules, it is the request by which that is decided, if one is needed, and else
    those of the rules that have it then. Raises ServiceError, PaperchuteError and OSError where the document cannot be
    read.
    """
    takers = explained.takers
    if explained.depends:
        may = _ladder(rules, explained)
        if not any(rule.ask_model for rule in may):
            return
        said, pages = _read(rules, may, explained.path)
        found = decide([(one.when, one.also) for one in may], decisive(said))
        if found.open and all(rule.ask_model for rule in may):
            yield from _told(rules, may, found.open, said, pages)
        takers = tuple(may[number] for number in found.takers)
    for rule in takers:
        if rule.ask_model:
            said, pages = _read(rules, [rule], explained.path)
            yield from _told(rules, [rule], asked(rule, said), said, pages)


def _ladder(rules: RuleFile, explained: Explanation) -> list[Rule]:
    """The rules that a job would decide between, as `facts.ladder_of` lists them for it."""
    first = next(one.rule for one in explained.rules if one.holds is None and one.rule.when)
    return ladder(candidates(rules.rules, first.folder, unit(first, explained.path)), explained.facts)


def _told(
    rules: RuleFile,
    together: Sequence[Rule],
    names: Sequence[str],
    said: Mapping[str, FieldSaid],
    pages: Sequence[PageText],
) -> Iterator[str]:
    """Yield what is sent of a document about these fields, as far as a model may be asked for them.

    together: the rules for which it is.
    """
    yield ""
    told = ", ".join(repr(rule.name) for rule in together)
    names = [name for name in names if may_be_asked(said.get(name, FieldSaid()))]
    if not (names and pages):
        yield _("rule {rules}: {model} would be asked nothing", rules=told, model=rules.model.model)
        return
    yield _("rule {rules} would send to {address}:", rules=told, address=rules.model.address)
    body = request_body(rules.model.model or "", names, said, pages, together[0].find)
    yield from body.decode().split("\n")


def _read(rules: RuleFile, together: Sequence[Rule], path: Path) -> tuple[Mapping[str, FieldSaid], Sequence[PageText]]:
    """Return what the document says, and its pages, as a job reads it that these rules may have."""
    with tempfile.TemporaryDirectory() as scratch:
        result = _answer(rules, together[0], path, Path(scratch))
        return known_fields(read_fields(result), senders_of(together)), read_pages(result) or []


def _answer(rules: RuleFile, rule: Rule, path: Path, scratch: Path) -> Path:
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
