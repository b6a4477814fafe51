"""The hot folders of the rules: made when a rule is new, waited for when they were there before."""

from __future__ import annotations

import json

from loguru import logger

from paperchute.jobs.journal import Journal
from paperchute.rules.settings import RuleFile

_SETTING = "folders"


def make_folders(rules: RuleFile, journal: Journal) -> None:
    """Make the hot folders that no rule had before.

    One that is known and missing now is on a share that is away, or was renamed: made anew it would lie in the bare
    mount point, and what people drop there would vanish under the share when it comes back. The watcher says that it is
    missing, and takes it up again once it is there.
    """
    text = journal.settings.get(_SETTING)
    known = set(json.loads(text)) if text else set()
    there = set()
    for rule in rules.rules:
        name = str(rule.folder)
        if rule.enabled and name not in known:
            try:
                rule.folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                logger.warning("the hot folder {} cannot be made: {}", rule.folder, error)
                continue
        if rule.enabled or name in known:
            there.add(name)
    if there != known:
        journal.settings.set(_SETTING, json.dumps(sorted(there)))
