"""Reading a rule file: all problems at once, each with its place, or the finished rules."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from paperchute.contract import contract
from paperchute.contract.built_in import MODELS_VARIABLE
from paperchute.contract.operations import nearest
from paperchute.invocation import command
from paperchute.language import _
from paperchute.rules.build import Builder
from paperchute.rules.finding import together
from paperchute.rules.keys import Table
from paperchute.rules.language_model import ModelKeys, model_problems
from paperchute.rules.lint import also_problems, loop_problems, odd_original, warnings
from paperchute.rules.model import RULE_KEYS, Rule, RuleKeys
from paperchute.rules.notify import NotifyKeys, notify_problems
from paperchute.rules.page import PageKeys, page_problems, page_warning
from paperchute.rules.problems import KeyPath, Problem, RuleFileError
from paperchute.rules.recovery import MORE, MOST_PROBLEMS, Document
from paperchute.rules.recovery import read as read_toml
from paperchute.rules.secrets import anchored
from paperchute.rules.service_choice import idle_model, idle_services, impossible, unknown_services
from paperchute.rules.service_names import BUILT_IN, name_problem
from paperchute.rules.settings import (
    SERVICE_SECRETS,
    EngineKeys,
    FileKeys,
    NamedServiceKeys,
    RuleFile,
    ServiceKeys,
    ServiceSettings,
    engine_problems,
    given,
    service_problems,
)
from paperchute.rules.tables import Find, Step
from paperchute.rules.toml import decoded
from paperchute.rules.toml_errors import findings

_MOST_BYTES = 1 << 20
_UNREAD = "unread"  # in the place of what could not be read, so that the rest of its rule is checked
_TABLES: Mapping[str, type[Table]] = {
    "service": ServiceKeys,
    "services": NamedServiceKeys,
    "notify": NotifyKeys,
    "model": ModelKeys,
    "page": PageKeys,
    "rule": RuleKeys,
    "steps": Step,
    "find": Find,
}
_Settings = TypeVar("_Settings", NotifyKeys, ModelKeys, PageKeys)
_IN: Mapping[str, Collection[str]] = {
    "service": ServiceKeys.model_fields,
    "services": (),
    "engine": EngineKeys.model_fields,
    "notify": NotifyKeys.model_fields,
    "model": ModelKeys.model_fields,
    "page": PageKeys.model_fields,
    "rule": RULE_KEYS,
    "defaults": RULE_KEYS,
}
"""The keys of each table."""


def load(path: Path) -> RuleFile:
    """Read and check the rule file at `path` (absolute). Raises RuleFileError with everything that is wrong."""
    return parse(read(path), path)


def parse(text: str, path: Path) -> RuleFile:
    """Check the text of a rule file that is, or is going to be, at `path`. Raises RuleFileError as `load` does."""
    found = read_toml(text)
    if found.raw is None:
        raise RuleFileError(path, found.problems)
    return replace(_Loading(path, found.raw, found).finish(), text=text)


def read(path: Path) -> str:
    """The text of the rule file, with line feeds alone between lines. Raises RuleFileError."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # a pipe would never end
            raise RuleFileError(path, [Problem(0, 0, _("it is a folder, a pipe or the like, and must be a file"))])
        with path.open("rb") as file:
            content = file.read(_MOST_BYTES + 1)
    except FileNotFoundError:
        advice = _("`{command}` makes a first one; --rules names another.", command=command("init"))
        raise RuleFileError(path, [Problem(0, 0, _("there is no such file"))], advice) from None
    except OSError as error:
        raise RuleFileError(path, [Problem(0, 0, _("it cannot be read ({error})", error=error.strerror))]) from None
    if len(content) > _MOST_BYTES:
        raise RuleFileError(path, [Problem(0, 0, _("it is larger than 1 MB, so it cannot be a rule file"))])
    text = decoded(content)
    if isinstance(text, Problem):
        raise RuleFileError(path, [text])
    return text


class _Loading:
    """One file on its way from raw values to rules."""

    def __init__(self, path: Path, raw: dict[str, Any], found: Document) -> None:
        self._path = path
        self._raw = raw
        self._places = found.places
        self._broken = found.broken
        self._problems = list(found.problems)
        self._odd: list[Problem] = []  # warnings that need what was written, and not what it became

    def finish(self) -> RuleFile:
        raw = self._raw
        self._top()
        service = self._service(raw.get("service", {}), self._engine(raw.get("engine", {})))
        services = self._services(service)
        notify = self._settings("notify", NotifyKeys, notify_problems)
        page = self._settings("page", PageKeys, page_problems)
        model = self._settings("model", ModelKeys, model_problems)
        rules = self._rules(raw.get("rule", []), raw.get("defaults", {}))
        rules, apart = together(rules)
        for rule, key, message in apart:
            self._problem(("rule", self._index[rule.name], *key), message, rule.name)
        self._problems += loop_problems(rules, self._place) + also_problems(rules, self._place)
        file = RuleFile(self._path, service, tuple(rules), (), notify, page, model, services=services)
        if not self._is_broken("service") and not self._is_broken("services"):
            self._impossible(rules, file)
        if self._problems:
            raise RuleFileError(self._path, self._problems)
        fetches = bool(service.engine.get("allow_host"))
        found = [*self._odd, *warnings(rules, self._place, remote=file.is_remote, fetches=fetches)]
        found += [Problem(*self._places.of(key), said) for key, said in (*idle_services(file), *idle_model(file))]
        if in_the_clear := page_warning(page):
            found.append(Problem(*self._places.of(("page", "listen")), in_the_clear))
        found.sort(key=lambda problem: (problem.line, problem.column))
        return replace(file, warnings=tuple(found))

    def _impossible(self, rules: Sequence[Rule], file: RuleFile) -> None:
        """Refuse services that are not there, and what the one that is asked does for no file."""
        models = str(file.service.engine.get("ocr_models") or os.environ.get(MODELS_VARIABLE, ""))
        for rule in rules:
            here = [*unknown_services(rule, file)]
            if rule.ask_model and not file.model.address and not self._is_broken("model"):
                said = _("there is no model to be asked; [model] says which, with `base_url` and `model`")
                here.append((("ask_model",), said, None))
            if not here and rule.enabled:
                here = [(key, message, None) for key, message in impossible(rule, file, models)]
            for key, message, near in here:
                self._problem(("rule", self._index[rule.name], *key), message, rule.name, near)

    def _top(self) -> None:
        known = list(FileKeys.model_fields)
        for key in self._raw:
            if key not in known:
                message = _elsewhere(key, ()) or _("there is no key {key} here", key=repr(key))
                self._problem((key,), message, suggestion=nearest(key, known))
        version = self._raw.get("version")
        if (version != 1 or isinstance(version, bool)) and not self._is_broken("version"):
            self._problem(("version",), _of_version(version))
        defaults = self._raw.get("defaults", {})
        if not isinstance(defaults, dict):
            self._problem(("defaults",), _("[{name}] must be a table", name="defaults"))
            self._raw["defaults"] = {}
            return
        for key in defaults:
            if key not in RULE_KEYS:
                message = _elsewhere(key, ("defaults",)) or _("rules have no key {key}", key=repr(key))
                self._problem(("defaults", key), message, suggestion=nearest(key, list(RULE_KEYS)))

    def _service(self, raw: Any, engine: Mapping[str, Any]) -> ServiceSettings:
        if not isinstance(raw, dict):
            self._problem(("service",), _("[{name}] must be a table", name="service"))
            return ServiceSettings(engine=dict(engine))
        try:
            keys = ServiceKeys.model_validate(raw)
        except ValidationError as error:
            self._from_pydantic(error, ("service",), None, ServiceKeys)
            return ServiceSettings(engine=dict(engine))
        if not self._is_broken("service"):
            for key, message in service_problems(keys):
                self._problem(("service", key), message)
        return self._finished(keys, engine)

    def _finished(self, keys: ServiceKeys | NamedServiceKeys, engine: Mapping[str, Any]) -> ServiceSettings:
        home = self._path.parent
        secrets = {key: anchored(value, home) for key in SERVICE_SECRETS if (value := getattr(keys, key)) is not None}
        return ServiceSettings(**{**dict(keys), **secrets, "engine": engine})

    def _services(self, usual: ServiceSettings) -> dict[str, ServiceSettings]:
        raw = self._raw.get("services", {})
        if not isinstance(raw, dict):
            self._problem(("services",), _("[{name}] must be a table", name="services"))
            return {}
        found: dict[str, ServiceSettings] = {}
        for name, values in raw.items():
            if said := name_problem(name):
                self._problem(("services", name), said)
                continue
            found[name] = ServiceSettings(base_url=_UNREAD)  # it is there, whatever is wrong with it
            if not isinstance(values, dict):
                self._problem(("services", name), _("[{name}] must be a table", name=f"services.{name}"))
                continue
            try:
                keys = NamedServiceKeys.model_validate(values)
            except ValidationError as error:
                self._from_pydantic(error, ("services", name), None, NamedServiceKeys)
                continue
            for key, message in service_problems(keys) if not self._is_broken("services", name) else ():
                self._problem(("services", name, key), message)
            del found[name]
            listens = {one.webhook_listen for one in (usual, *found.values())} - {None}
            if keys.webhook_listen in listens:
                said = _("another service's webhooks are received there; take another port")
                self._problem(("services", name, "webhook_listen"), said)
            found[name] = self._finished(keys, {})
        return found

    def _settings(
        self, name: str, keys_of: type[_Settings], problems: Callable[[_Settings], Iterable[tuple[str, str]]]
    ) -> _Settings:
        """A table of settings whose secrets stand in it as references."""
        raw = self._raw.get(name, {})
        if not isinstance(raw, dict):
            self._problem((name,), _("[{name}] must be a table", name=name))
            return keys_of()
        try:
            keys = keys_of.model_validate(raw)
        except ValidationError as error:
            self._from_pydantic(error, (name,), None, keys_of)
            return keys_of()
        for key, message in problems(keys) if raw and not self._is_broken(name) else ():
            self._problem((name, key), message)
        return keys.anchored(self._path.parent)

    def _engine(self, raw: Any) -> Mapping[str, Any]:
        if not isinstance(raw, dict):
            self._problem(("engine",), _("[{name}] must be a table", name="engine"))
            return {}
        try:
            options = given(EngineKeys.model_validate(raw), self._path.parent)
        except ValidationError as error:
            self._from_pydantic(error, ("engine",), None, EngineKeys)
            return {}
        for key, message in engine_problems(options) if not self._is_broken("engine") else ():
            self._problem(("engine", key), message)
        return options

    def _rules(self, raw: Any, defaults: Mapping[str, Any]) -> list[Rule]:
        self._index: dict[str, int] = {}
        if not isinstance(raw, list):
            self._problem(("rule",), _("rules are written as [[rule]], with double brackets"))
            return []
        rules = []
        for number, entry in enumerate(raw):
            rule = self._rule(number, entry, defaults)
            if rule is not None:
                rules.append(rule)
        return rules

    def _rule(self, number: int, raw: Any, defaults: Mapping[str, Any]) -> Rule | None:
        base: KeyPath = ("rule", number)
        if not isinstance(raw, dict):
            self._problem(base, _("a rule must be a table, [[rule]]"))
            return None
        found = raw.get("name")
        name = found if isinstance(found, str) else None
        raw = self._without_misplaced(number, raw, name)
        usable = {k: v for k, v in defaults.items() if k in RULE_KEYS and not (k == "operation" and "steps" in raw)}
        if "or" not in raw and raw.get("service") in (BUILT_IN, usable.get("or")):
            usable.pop("or", None)  # it is for rules that ask the service which they have by default
        unread = {key: _UNREAD for key in ("name", "folder") if self._lacks(number, key)}
        keys, written, whole = self._keys({**unread, **usable, **raw}, base, name)
        if keys is None:
            return None
        if name is not None and keys.name in self._index:
            first = self._places.of(("rule", self._index[keys.name], "name"))[0]
            self._problem((*base, "name"), _("the rule in line {first} already has this name", first=first), keys.name)
            whole = False
        self._index.setdefault(keys.name, number)

        def problem(key: KeyPath, message: str, suggestion: str | None = None, *, needs: Sequence[str] = ()) -> None:
            if not any(self._lacks(number, one) for one in needs):
                self._problem((*base, *key), message, name, suggestion)

        line = self._places.of(base)[0]
        rule = Builder(self._path.parent, keys, written, line, problem).rule()
        if rule is not None and rule.enabled:
            self._odd += [
                Problem(*self._places.of((*base, key)), message, name)
                for key, message in odd_original(rule, keys.original)
            ]
        return rule if whole and not self._is_broken(*base) else None

    def _without_misplaced(self, number: int, raw: dict[str, Any], name: str | None) -> dict[str, Any]:
        """The rule with its keys where they belong, also those that stand behind the line [rule.parameters]; told."""
        given = raw.get("parameters")
        if not isinstance(given, dict):
            return raw
        operation = contract().operation(str(raw.get("operation", given.get("operation"))))
        moved = [
            key
            for key in given
            if key in RULE_KEYS and key not in raw and (operation is None or operation.parameter(key) is None)
        ]
        for key in moved:
            line = self._places.of(("rule", number, "parameters"))[0]
            message = _(
                "`{key}` is a key of the rule, but is among the parameters of line {line}; move it above them",
                key=key,
                line=line,
            )
            self._problem(("rule", number, "parameters", key), message, name)
        kept = {key: value for key, value in given.items() if key not in moved}
        return {**raw, "parameters": kept, **{key: given[key] for key in moved}}

    def _is_broken(self, *key: str | int) -> bool:
        """Decide whether something is written for the key, or below it, that could not be read."""
        return any(path[: len(key)] == key for path in self._broken)

    def _lacks(self, number: int, key: str) -> bool:
        """Tell if a key of a rule, or its default, could not be read; what is said of its absence would be wrong."""
        return self._is_broken("rule", number, key) or self._is_broken("defaults", key)

    def _keys(
        self, raw: dict[str, Any], base: KeyPath, name: str | None
    ) -> tuple[RuleKeys | None, dict[str, Any], bool]:
        """A rule's keys, the values they are made of, and whether that is the whole rule.

        What is wrong is told and left out, so that the rest is checked too. No keys when what is left makes no rule.
        """
        try:
            return RuleKeys.model_validate(raw), raw, True
        except ValidationError as error:
            wrong = {str(detail["loc"][0]) for detail in error.errors(include_url=False) if detail["loc"]} & set(raw)
            # taken for what was meant, which then is not told to be missing
            unknown = [key for key in raw if key in wrong and key not in RULE_KEYS][:MOST_PROBLEMS]
            meant = {key: found for key in unknown if (found := nearest(key, list(RULE_KEYS)))}
            self._broken |= {(*base, key) for key in meant.values() if key not in raw}
            self._from_pydantic(error, base, name, RuleKeys)
        left = {key: value for key, value in raw.items() if key not in wrong}
        for key, found in meant.items():
            left.setdefault(found, raw[key])
        self._broken |= {(*base, key) for key in wrong}
        try:
            return RuleKeys.model_validate(left), left, False
        except ValidationError:
            return None, left, False

    def _from_pydantic(self, error: ValidationError, base: KeyPath, rule: str | None, shape: type[Table]) -> None:
        for key, message, suggestion in findings(error, shape, _TABLES):
            if said := self._as_parameter(key, base) or (_elsewhere(key[0], base) if len(key) == 1 else ""):
                message, suggestion = said, None
            if not self._is_broken(*base, *key):
                self._problem((*base, *key), message, rule, suggestion)

    def _as_parameter(self, key: KeyPath, base: KeyPath) -> str:
        """Return what to say of an unknown key of a rule that is a parameter of its operation; empty for any other."""
        if base[:1] != ("rule",) or len(base) != 2 or len(key) != 1 or key[0] in RULE_KEYS:
            return ""
        raw = self._raw["rule"][base[1]]
        operation = contract().operation(str(raw.get("operation", "")))
        if operation is None or operation.parameter(str(key[0])) is None:
            return ""
        return _(
            "{parameter} is a parameter of {operation}; write {example}",
            parameter=key[0],
            operation=operation.id,
            example=f"parameters = {{ {key[0]} = ... }}",
        )

    def _problem(self, key: KeyPath, message: str, rule: str | None = None, suggestion: str | None = None) -> None:
        line, column = self._places.of(key)
        if len(self._problems) >= MOST_PROBLEMS:
            raise RuleFileError(self._path, [*self._problems, Problem(line, column, _(MORE))])
        self._problems.append(Problem(line, column, message, rule, suggestion))

    def _place(self, rule: Rule, *key: str | int) -> tuple[int, int]:
        return self._places.of(("rule", self._index[rule.name], *key))


def _of_version(version: Any) -> str:
    """Return what is wrong with the first line."""
    if isinstance(version, int) and version > 1:
        return _("this file is of version {version}, for a newer Paperchute; this one reads version 1", version=version)
    return _("`version = 1` must stand at the top of the file")


def _elsewhere(key: str | int, base: KeyPath) -> str:
    """Return what to say of a key that stands in the wrong table; empty for one that has its place here, or nowhere."""
    here = base[0] if base else ""
    if key in (NamedServiceKeys.model_fields if here == "services" and len(base) > 1 else _IN.get(str(here), ())):
        return ""
    table = next((name for name in ("rule", "service", "engine", "notify", "model", "page") if key in _IN[name]), "")
    header = "[[rule]]" if table == "rule" else f"[{table}]"
    return _("`{key}` has its place below {header}", key=key, header=header) if table else ""
