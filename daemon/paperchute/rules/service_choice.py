"""Who does each step of a rule, and what that service does for no file: told before the first one comes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from paperchute.contract import contract
from paperchute.contract.built_in import is_done, refusals
from paperchute.contract.engine_libraries import PRINTED, has_printer, without_printer
from paperchute.contract.kinds import canonical
from paperchute.contract.operations import nearest
from paperchute.language import _
from paperchute.rules.document_fields import needed
from paperchute.rules.model import Rule
from paperchute.rules.patterns import suffix_of
from paperchute.rules.problems import KeyPath
from paperchute.rules.service_names import BUILT_IN, DEFAULT, named_by, told
from paperchute.rules.settings import RuleFile
from paperchute.rules.steps import only_built_in, split_step
from paperchute.rules.tables import Step


def unknown_services(rule: Rule, file: RuleFile) -> Iterator[tuple[KeyPath, str, str | None]]:
    """(key path in the rule, message, suggestion) for services that are not there, or take their own place."""
    known = (*file.services, BUILT_IN, DEFAULT)
    for number, step in enumerate(rule.steps):
        for key, name in named_by(step).items():
            if file.settings_of(name) is None:
                said = _("there is no service {name}; there are {known}", name=repr(name), known=" ".join(known))
                yield (*_base(rule, number), key), said, nearest(name, list(known))
        if not step.or_:
            continue
        if file.resolved(step.or_) == file.resolved(step.service):
            said = _("`or` names the very service that does the step")
            yield (*_base(rule, number), "or"), said, None
        elif not file.is_remote(step.service):
            said = _("the built-in engine has no quota and is started again by itself, so `or` does nothing here")
            yield (*_base(rule, number), "or"), said, None


def impossible(rule: Rule, file: RuleFile, models: str) -> Iterator[tuple[KeyPath, str]]:
    """(key path in the rule, message) for what a service that is asked does for no file. models: our engine's folder.

    Who may have to do a step instead must be able to, too: it is asked when nobody is there to put that right.
    """
    first = rule.steps[0]
    for name in (first.service, *([first.or_] if first.or_ else [])):
        if not file.is_remote(name):
            yield from _unprinted(rule)
    for number, step in enumerate(rule.steps):
        for name in (step.service, *([step.or_] if step.or_ else [])):
            if file.is_remote(name):
                yield from _not_there(rule, number, step, _who(name, file))
            else:
                yield from _not_here(rule, number, step, models)


def idle_services(file: RuleFile) -> Iterator[tuple[KeyPath, str]]:
    """(key path in the file, message) for services, and settings of our engine, that nobody uses."""
    used = file.in_use
    for name in file.services:
        if name not in used:
            said = _("no rule that is on asks this service; write service = {name} in one", name=f'"{name}"')
            yield ("services", name), said
    if file.service.engine and BUILT_IN not in used:
        if file.is_remote("") and not file.services:
            yield ("engine",), _("[engine] does nothing: the service at base_url does the work")
        else:
            yield ("engine",), _("[engine] does nothing: no rule that is on asks the built-in engine")


def idle_model(file: RuleFile) -> Iterator[tuple[KeyPath, str]]:
    """(key path in the file, message) for a model that no rule asks anything."""
    if file.model.address and not any(rule.enabled and rule.ask_model and _is_asked(rule) for rule in file.rules):
        yield (
            ("model",),
            _("[model] does nothing: no rule that is on has ask_model and needs anything of its documents"),
        )


def _is_asked(rule: Rule) -> bool:
    return bool(rule.when or needed(rule))


def _base(rule: Rule, number: int) -> KeyPath:
    return ("steps", number) if len(rule.steps) > 1 else ()


def _who(name: str, file: RuleFile) -> str:
    """Return what is said of a remote service behind what it cannot do."""
    if file.resolved(name) == DEFAULT:
        return _("`base_url` in [service] names a remote service")
    return _("{name} is a remote service", name=repr(told(name)))


def _unprinted(rule: Rule) -> Iterator[tuple[KeyPath, str]]:
    """A rule all of whose files our engine would have to print first, and cannot."""
    is_read = rule.gather != "rows" and is_done(rule.steps[0].operation)
    if is_read and not has_printer() and all(canonical(suffix_of(one) or "") in PRINTED for one in rule.match):
        said = _(
            "none of these can be read: {why}; a remote service may, which `base_url` in [service] names",
            why=without_printer(),
        )
        yield ("match",), said


def _not_here(rule: Rule, number: int, step: Step, models: str) -> Iterator[tuple[KeyPath, str]]:
    """Yield what our own engine refuses of every file in a step."""
    base = _base(rule, number)
    for parameter, why in refusals(contract().known(step.operation), step.parameters, models):
        if parameter:
            yield (*base, "parameters", parameter), why.removesuffix(".")
        else:
            said = _("{why}; a remote service may, which `base_url` in [service] names", why=why)
            yield (*base, "operation"), said


def _not_there(rule: Rule, number: int, step: Step, who: str) -> Iterator[tuple[KeyPath, str]]:
    """Yield what our own engine alone does in a step, and a remote service is asked for."""
    matched = {suffix_of(pattern) or "" for pattern in rule.match} if number == 0 else set()
    for key, why in only_built_in(contract().known(step.operation), step.parameters, matched):
        yield key if key == ("match",) else (*_base(rule, number), *key), _("{why}, and {who}", why=why, who=who)
    if number == 0 and rule.duplicates_by == "content":
        why = _("{name} is done by the built-in engine alone", name='duplicates_by = "content"')
        yield ("duplicates_by",), _("{why}, and {who}", why=why, who=who)
    if number == 0 and rule.find:
        yield (
            ("find",),
            _("{why}, and {who}", why=_("fields of your own are found by the built-in engine alone"), who=who),
        )
    if number == 0 and rule.ask_model and _is_asked(rule):
        why = _("{name} is done by the built-in engine alone", name="ask_model")
        yield ("ask_model",), _("{why}, and {who}", why=why, who=who)
    if number == split_step(rule.steps) and re.search(r"\{(?:part|code)\b", rule.output):
        why = _("{place} is filled in by the built-in engine alone", place="{part}")
        yield ("output",), _("{why}, and {who}", why=why, who=who)
