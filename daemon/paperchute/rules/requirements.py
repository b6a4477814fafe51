"""Whether what a rule file refers to is there, as far as that can be seen without asking anybody.

What is not is a mistake that goes away by itself: the rule file is good, and its other rules go on.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Collection, Iterator
from pathlib import Path

from paperchute.contract import contract
from paperchute.contract.engine_libraries import absent_library, without_engine
from paperchute.language import _
from paperchute.rules.model import Rule
from paperchute.rules.problems import Problem
from paperchute.rules.secrets import SecretError, placeholders, resolve
from paperchute.rules.settings import RuleFile

IN_FILES = ("file:", "csv:")
OF_PROCESS = "env:"
"""References whose secret hangs on where Paperchute was started."""


def missing(rules: RuleFile) -> list[Problem]:
    """What makes work of enabled rules fail or wait, for as long as it stays so."""
    return [
        *_absent_engine(rules),
        *(Problem(rule.line, 1, absent, rule.name) for rule in _enabled(rules) if (absent := absent_files(rule))),
        *files_for_folders(rules),
        *missing_secrets(rules, IN_FILES),
    ]


def _absent_engine(rules: RuleFile) -> list[Problem]:
    is_needed = rules.service.base_url is None and any(_enabled(rules))
    return [Problem(1, 1, " ".join(without_engine()).removesuffix("."))] if is_needed and absent_library() else []


def absent_files(rule: Rule) -> str:
    """Which of the files that a rule's parameters name are not there, in words; empty when all are."""
    gone = [str(path) for path in _named_files(rule) if not path.is_file()]
    return _("there is no file {paths}", paths=", ".join(gone)) if gone else ""


def missing_secrets(rules: RuleFile, kinds: Collection[str] = (OF_PROCESS, *IN_FILES)) -> list[Problem]:
    """A problem for each reference of an enabled rule, and of all other tables, that leads nowhere from here.

    kinds: of references. A keyring is not asked, since it may ask a person; nor is what hangs on the name of a file.
    """
    engine = rules.service.engine.get("webhook_token")
    service = (rules.service.api_key, rules.service.hub_key, rules.service.webhook_token, engine)
    asked: list[tuple[Rule | None, str]] = [
        (None, reference) for reference in (*service, *rules.notify.references(), *rules.page.references()) if reference
    ]
    asked += [(rule, reference) for rule in _enabled(rules) for reference in _references(rule)]
    found = []
    for rule, reference in asked:
        if not reference.startswith(tuple(kinds)) or placeholders(reference):
            continue
        try:
            resolve(reference)
        except SecretError as error:
            said = str(error).removesuffix(".")
            found.append(Problem(rule.line if rule else 1, 1, said, rule.name if rule else None))
    return list(dict.fromkeys(found))


def files_for_folders(rules: RuleFile) -> list[Problem]:
    """A problem for each enabled rule whose hot folder is a file."""
    return [
        Problem(
            rule.line,
            1,
            _("{folder} is a file; a hot folder is a folder, and `match` picks the files in it", folder=rule.folder),
            rule.name,
        )
        for rule in _enabled(rules)
        if rule.folder.is_file()
    ]


def folders_to_be_made(rules: RuleFile) -> list[Problem]:
    """A warning for each folder that is not there though hot folders of rules lie in it, at the first of these."""
    first: dict[Path, Rule] = {}
    for rule in _enabled(rules):
        if not rule.folder.parent.exists():
            first.setdefault(rule.folder.parent, rule)
    return [
        Problem(
            rule.line,
            1,
            _(
                "there is no folder {parent}, so {folder} is made with it; if it is on a share, connect that first",
                parent=parent,
                folder=rule.folder,
            ),
            rule.name,
        )
        for parent, rule in first.items()
    ]


def open_to_others(path: Path) -> list[Problem]:
    """A warning where other users can change a rule file: it says what becomes of files, and names secrets."""
    if sys.platform == "win32":
        return []
    try:
        file, folder = path.stat(), path.parent.stat()
    except OSError:
        return []
    mine = (os.getuid(), 0)
    if file.st_mode & stat.S_IWOTH or file.st_uid not in mine:
        return [
            Problem(
                1,
                1,
                _("others can change this file, and so what is done with your files: chmod go-w {path}", path=path),
            )
        ]
    swapped = folder.st_mode & stat.S_IWOTH and not folder.st_mode & stat.S_ISVTX
    if swapped or folder.st_uid not in mine:
        return [Problem(1, 1, _("others can replace this file: chmod go-w {parent}", parent=path.parent))]
    return []


def _enabled(rules: RuleFile) -> Iterator[Rule]:
    return (rule for rule in rules.rules if rule.enabled)


def _named_files(rule: Rule) -> Iterator[Path]:
    for step in rule.steps:
        known = contract().known(step.operation)
        for name, value in step.parameters.items():
            parameter = known.parameter(name)
            if parameter is not None and parameter.type == "file":
                yield Path(str(value))


def _references(rule: Rule) -> Iterator[str]:
    yield from (*rule.passwords, *rule.sidecar_secrets)
    for step in rule.steps:
        known = contract().known(step.operation)
        for name, value in step.parameters.items():
            parameter = known.parameter(name)
            if parameter is not None and parameter.is_secret:
                yield from (one for one in (value if isinstance(value, list) else [str(value)]) if one)
