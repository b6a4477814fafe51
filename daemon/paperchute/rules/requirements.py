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
from paperchute.files.names import expanded
from paperchute.files.whereabouts import chain
from paperchute.language import _
from paperchute.rules import known_senders
from paperchute.rules.destinations import WHAT_LANDS, landings, loops, twins
from paperchute.rules.model import Rule
from paperchute.rules.problems import Problem
from paperchute.rules.secrets import SecretError, placeholders, resolve
from paperchute.rules.service_names import BUILT_IN
from paperchute.rules.settings import SERVICE_SECRETS, RuleFile

IN_FILES = ("file:", "csv:")
OF_PROCESS = "env:"
"""References whose secret hangs on where Paperchute was started."""


def missing(rules: RuleFile) -> list[Problem]:
    """Return what makes work of enabled rules fail or wait, for as long as it stays so."""
    return [
        *_absent_engine(rules),
        *(Problem(rule.line, 1, absent, rule.name) for rule in _enabled(rules) if (absent := absent_files(rule))),
        *files_for_folders(rules),
        *_absent_parents(rules),
        *_one_folder_twice(rules),
        *missing_secrets(rules, IN_FILES),
    ]


def _absent_engine(rules: RuleFile) -> list[Problem]:
    is_needed = BUILT_IN in rules.in_use and any(_enabled(rules))
    return [Problem(1, 1, " ".join(without_engine()).removesuffix("."))] if is_needed and absent_library() else []


def absent_files(rule: Rule) -> str:
    """Give which of the files that a rule names are not there or cannot be used, in words; empty when all are well."""
    gone = [str(path) for path in _named_files(rule) if not path.is_file()]
    return _("there is no file {paths}", paths=", ".join(gone)) if gone else broken_senders(rule)


def broken_senders(rule: Rule) -> str:
    """Say what is wrong with a rule's list of known senders; empty where nothing is, and where there is none yet."""
    try:
        known_senders.read(Path(rule.senders)) if rule.senders else ()
    except known_senders.SendersError as error:
        return str(error).removesuffix(".")
    return ""


def missing_secrets(rules: RuleFile, kinds: Collection[str] = (OF_PROCESS, *IN_FILES)) -> list[Problem]:
    """A problem for each reference of an enabled rule, and of all other tables, that leads nowhere from here.

    kinds: of references. A keyring is not asked, since it may ask a person; nor is what hangs on the name of a file.
    """
    engine = rules.service.engine.get("webhook_token")
    services = [getattr(one, key) for one in (rules.service, *rules.services.values()) for key in SERVICE_SECRETS]
    others = (engine, *rules.notify.references(), *rules.page.references(), *rules.model.references())
    asked: list[tuple[Rule | None, str]] = [(None, reference) for reference in (*services, *others) if reference]
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


def _one_folder_twice(rules: RuleFile) -> Iterator[Problem]:
    """A problem for what two paths to one folder hide: files taken twice, or again and again without end."""
    for later, earlier in twins(rules.rules, chain):
        why = _(
            "{folder} and {other}, of rule {rule}, are one folder, so both take each file; write it in one way",
            folder=later.folder,
            other=earlier.folder,
            rule=repr(earlier.name),
        )
        yield Problem(later.line, 1, why, later.name)
    for one in loops(landings(rules.rules, chain)):
        why = _(
            "{folder} leads to {hot}, which rule {rule} watches: its {what} would be taken again, endlessly",
            folder=one.folder,
            hot=one.reader.folder,
            rule=repr(one.reader.name),
            what=_(WHAT_LANDS[one.what]),
        )
        yield Problem(one.writer.line, 1, why, one.writer.name)


def led_on(rules: RuleFile) -> list[Problem]:
    """A warning for what rules write into hot folders by another path than these have, and may be taken on there."""
    written = {(one.writer.name, one.reader.name, one.key) for one in landings(rules.rules)}
    found = landings(rules.rules, chain)
    endless = loops(found)
    return [
        Problem(
            one.writer.line,
            1,
            _(
                "{folder} leads to {hot}: its {what} there may be taken on by rule {rule}",
                folder=one.folder,
                hot=one.reader.folder,
                what=_(WHAT_LANDS[one.what]),
                rule=repr(one.reader.name),
            ),
            one.writer.name,
        )
        for one in found
        if one not in endless and (one.writer.name, one.reader.name, one.key) not in written
    ]


def absent_parent(folder: Path) -> Path | None:
    """Find the folder above a hot folder whose absence keeps that from being made; None where it can be.

    Of a hot folder only the last part is made: what is missing above it may be a share that is not connected, and would
    be made on the local disk, where what people drop vanishes from sight once the share is there. Below the home folder
    of the user, which is there or nobody is logged in, all of it is made.
    """
    parent = folder.parent
    if parent.is_dir():
        return None
    home = expanded("~")
    return None if parent.is_relative_to(home) and home.is_dir() else parent


def _absent_parents(rules: RuleFile) -> Iterator[Problem]:
    """A problem for each folder that is not there though hot folders of rules lie in it, at the first of these."""
    first: dict[Path, Rule] = {}
    for rule in _enabled(rules):
        if (parent := absent_parent(rule.folder)) is not None:
            first.setdefault(parent, rule)
    for parent, rule in first.items():
        why = _(
            "there is no folder {parent}, so {folder} is not made: connect the share if it is on one, or make it",
            parent=parent,
            folder=rule.folder,
        )
        yield Problem(rule.line, 1, why, rule.name)


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
