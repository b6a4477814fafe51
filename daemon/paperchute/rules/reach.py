"""What rules reach: the folders, files, secrets and addresses that a rule file names.

Who may change rules, but is not trusted with the whole account, as a session over the network, names nothing of these
that the file does not name already. What names nothing is listed here, so that a new key or parameter counts as naming
something until somebody has said otherwise.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, get_args

from paperchute.contract import contract
from paperchute.rules.model import Rule, RuleKeys
from paperchute.rules.output import absolute_template
from paperchute.rules.secrets import is_reference
from paperchute.rules.service_names import BUILT_IN, DEFAULT, named_by
from paperchute.rules.settings import RuleFile
from paperchute.rules.tables import Step

_KEYS_THAT_NAME_NOTHING = frozenset(
    {
        "name",
        "match",
        "except",
        "except_",
        "kind",
        "pages",
        "text",
        "pattern",
        "between",
        "days",
        "set_end",
        "schedule",
        "when",
    }
)
"""Keys whose text is a name, a condition or a time. Numbers, switches and choices name nothing anyway."""

_PARAMETERS_THAT_NAME_NOTHING = frozenset(
    {
        *("extractFields", "fontColor", "insertColor", "outputFileName", "partName", "replaceColor"),
        *("separatorCode", "separatorText", "text", "uaLanguage", "uaTitle"),
    }
)
"""Parameters whose text is shown, or names a result. Page lists, and values out of a list, name nothing anyway."""

_ORIGINAL_WORDS = frozenset({"done", "keep", "delete", "trash"})


@dataclass(frozen=True, order=True)
class Named:
    """Something outside of the rule file that it names, and the key that names it."""

    key: str
    value: str


def beyond(before: RuleFile, after: RuleFile) -> list[Named]:
    """List what the rules name after a change and did not name before it, each with its key."""
    return sorted(set(_named(after)) - set(_named(before)))


def _named(rules: RuleFile) -> Iterator[Named]:
    for rule in rules.rules:
        yield from _of_rule(rule)
        if rule.ask_model:  # who names nothing has no text of documents sent elsewhere, either
            yield Named("ask_model", rules.model.address)
    for key, value in tomllib.loads(rules.text).get("defaults", {}).items():
        yield from (Named(key, text) for text in _texts(value) if not _names_nothing(key, text))


def _of_rule(rule: Rule) -> Iterator[Named]:
    for key, value in rule:
        match key:
            case "folder":
                yield Named(key, str(rule.folder))
            case "output":
                if rule.output:
                    yield Named(key, absolute_template(rule))
            case "steps":
                for step in rule.steps:
                    yield from _of_step(step)
            case "fingerprint" | "line" | "operation" | "parameters":
                pass
            case _:
                yield from (Named(key, text) for text in _texts(value) if not _names_nothing(key, text))


def _of_step(step: Step) -> Iterator[Named]:
    for name in named_by(step).values():
        if name not in (BUILT_IN, DEFAULT):
            yield Named("service", name)
    known = contract().known(step.operation)
    for name, value in step.parameters.items():
        parameter = known.parameter(name)
        listed = parameter is not None and (bool(parameter.values) or (parameter.format or "").startswith("page-list"))
        for text in _texts(value):
            if text and (is_reference(text) or not (listed or name in _PARAMETERS_THAT_NAME_NOTHING)):
                yield Named(name, text)


def _names_nothing(key: str, text: str) -> bool:
    if key == "original" and text.lower() in _ORIGINAL_WORDS:
        return True
    if is_reference(text):
        return False
    if key == "partner":  # the end of a name, beside the file that it belongs to
        return not set("/\\") & set(text)
    field = RuleKeys.model_fields.get(key)
    return key in _KEYS_THAT_NAME_NOTHING or (field is not None and text in _choices(field.annotation))


def _choices(annotation: Any) -> Iterator[Any]:
    """The words of a key that takes one out of several."""
    for one in get_args(annotation):
        yield from (one,) if isinstance(one, str) else _choices(one)


def _texts(value: Any) -> Iterator[str]:
    """All texts within a value, keys of tables among them."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, its in value.items():
            yield from (*_texts(key), *_texts(its))
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _texts(one)
