"""What the rule file says beside its rules, table by table: shown as fields, checked and written like rules."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from paperchute.app.rule_changes import checked, put, seen, text_of
from paperchute.app.rule_form import field_of, filled, translated
from paperchute.app.workshop import Filled, fill, placed
from paperchute.errors import PaperchuteError
from paperchute.language import _
from paperchute.rules import edit
from paperchute.rules.docs.schema import keys_of
from paperchute.rules.file import parse
from paperchute.rules.keys import Table
from paperchute.rules.language_model import ModelKeys
from paperchute.rules.model import RuleKeys
from paperchute.rules.notify import NotifyKeys
from paperchute.rules.page import PageKeys
from paperchute.rules.problems import Problem, RuleFileError, told
from paperchute.rules.settings import EngineKeys, FileKeys, NamedServiceKeys, RuleFile, ServiceKeys
from paperchute.rules.toml import Places

SERVICES = "services"
"""The table of tables, of which each further service has one."""

_KEYS: Mapping[str, type[Table]] = {
    "defaults": RuleKeys,
    "service": ServiceKeys,
    SERVICES: NamedServiceKeys,
    "notify": NotifyKeys,
    "model": ModelKeys,
    "page": PageKeys,
    "engine": EngineKeys,
}
FOR_ALL = ("defaults",)
"""Tables that say what rules do. The others say where documents and keys go and who comes in: whoever may change
them can send any secret of the keyring to an address of theirs, so the page's password alone is not enough."""


class TableDraft(BaseModel):
    """What somebody wants of a table."""

    table: str
    """Its name as its header has it: `service`, or `services.NAME` of a further one."""
    keys: dict[str, Filled | None] = {}
    """Those that are changed; None: it goes."""

    @property
    def path(self) -> tuple[str, ...]:
        """The names of the tables that lead to it. Raises PaperchuteError where the file has no such table."""
        kind, dot, name = self.table.partition(".")
        if kind not in _KEYS or bool(dot and name) != (kind == SERVICES):
            raise PaperchuteError(_("There is no key {key}.", key=repr(self.table)))
        return (kind, name) if name else (kind,)


@cache
def table_fields(table: str) -> Mapping[str, dict[str, Any]]:
    """The keys of a table; of `services` those of each below it."""
    alone = ("name",) if table == "defaults" else ()  # no two rules have one name
    return {name: field_of(name, about) for name, about in keys_of(_KEYS[table]).items() if name not in alone}


def sentences() -> Iterator[str]:
    """Yield what the form tells of tables and their keys, for the catalogues."""
    for table in _KEYS:
        yield _about(table)
        yield from (about["meaning"] for about in table_fields(table).values())


def _about(table: str) -> str:
    return FileKeys.model_fields[table].description or ""


def shown(text: str, *, all_of_them: bool) -> list[dict[str, Any]]:
    """The tables with their fields and what stands in the file, as JSON's values. text: of a file without mistakes.

    That of `services` is empty, for who wants one more; those that there are follow it.
    """
    raw = tomllib.loads(text)
    found: list[dict[str, Any]] = []
    for kind in _KEYS if all_of_them else FOR_ALL:
        its = raw.get(kind, {})
        further = {f"{kind}.{name}": values for name, values in its.items()} if kind == SERVICES else {}
        for table, values in {kind: {} if kind == SERVICES else its, **further}.items():
            fields = table_fields(kind)
            found.append(
                {
                    "name": table,
                    "about": _(_about(kind)),
                    "keys": [translated(field) for field in fields.values()],
                    "values": {key: filled(fields.get(key), key, value) for key, value in values.items()},
                }
            )
    return found


def look(
    path: Path, digest: str, draft: TableDraft, *, confined: bool = False
) -> tuple[dict[str, Any], RuleFile | None]:
    """Return what is wrong with a draft, and what looks like a mistake since; the file with it. Raises PaperchuteError.

    confined: see `checked`.
    """
    text = text_of(path)
    seen(text, digest)
    before = parse(text, path)
    changed = _with_draft(text, draft)
    try:
        rules = checked(path, before, changed, confined=confined)
    except RuleFileError as error:
        places = Places(changed)
        fields = {places.of((*draft.path, key)): key for key in _table_of(changed, draft.path)}
        found = [(placed(problem, fields), problem) for problem in error.problems]
        problems = [at if at["field"] else {**at, "message": _of_its_rule(problem)} for at, problem in found]
        return {"problems": problems, "warnings": []}, None
    known = {(problem.rule, problem.message) for problem in before.warnings}
    new = [_of_its_rule(problem) for problem in rules.warnings if (problem.rule, problem.message) not in known]
    return {"problems": [], "warnings": new}, rules


def save(path: Path, digest: str, draft: TableDraft, *, confined: bool = False) -> dict[str, Any]:
    """Write a draft, if nothing is wrong with it; what is, and warnings, as JSON's values. Raises PaperchuteError."""
    said, rules = look(path, digest, draft, confined=confined)
    if rules is not None:
        put(path, digest, rules.text)
    return said


def _of_its_rule(problem: Problem) -> str:
    """A problem in words, with the rule that has it, and without a place in a file that nobody has seen."""
    return told(replace(problem, line=0)).strip()


def _with_draft(text: str, draft: TableDraft) -> str:
    keys = _table_of(text, draft.path)
    fill(keys, draft.keys, table_fields(draft.path[0]))
    return edit.with_table(text, draft.path, keys) if draft.keys else text


def _table_of(text: str, path: Sequence[str]) -> dict[str, Any]:
    """Give what a file says in a table; nothing where it has none."""
    table: Any = tomllib.loads(text)
    for name in path:
        table = table.get(name, {}) if isinstance(table, dict) else {}
    return table if isinstance(table, dict) else {}
