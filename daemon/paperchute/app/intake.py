"""From "complete" to "written down": which rule takes a file, and its job in the journal."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from loguru import logger

from paperchute.jobs.journal import Journal
from paperchute.jobs.records import Member, NewJob
from paperchute.rules.match import first_match, is_matched
from paperchute.rules.model import Rule
from paperchute.watch.records import HotFolder, Ready


def hot_folders(rules: Sequence[Rule]) -> list[HotFolder]:
    """One entry per hot folder of the enabled rules, wide enough for all of them."""
    by_path: dict[Path, list[Rule]] = {}
    for rule in rules:
        if rule.enabled:
            by_path.setdefault(rule.folder, []).append(rule)
    return [
        HotFolder(
            path=path,
            files=any(rule.gather is None for rule in group),
            recursive=any(rule.recursive for rule in group if rule.gather is None),
            gather=any(rule.gather == "folder" for rule in group),
            settle=max(rule.settle for rule in group),
        )
        for path, group in by_path.items()
    ]


def wanted(rules: Sequence[Rule], folder: HotFolder, path: Path) -> bool:
    """Whether some rule takes `path`, so that watching need not judge what nobody wants."""
    relative = path.relative_to(folder.path)
    if first_match(rules, folder.path, relative) is not None:
        return True
    return folder.gather and first_match(rules, folder.path, relative, is_set=True) is not None


def wish(rules: Sequence[Rule], ready: Ready) -> NewJob | None:
    """The job that what is ready asks for; None when no rule takes it."""
    relative = ready.path.relative_to(ready.folder)
    rule = first_match(rules, ready.folder, relative, is_set=ready.is_set)
    if rule is None:
        return None
    members = tuple(
        Member(path, key)
        for path, key in ready.members
        if not ready.is_set or is_matched(rule, path.relative_to(ready.path))
    )
    if not members:
        logger.info("{} holds no file that rule {!r} takes", ready.path, rule.name)
        return None
    return NewJob(rule, ready.path, PurePosixPath(relative), members, ready.is_set)


def write_down(journal: Journal, wishes: Sequence[NewJob]) -> int:
    """Write jobs down together; how many of them were new. Raises OSError and sqlite3.Error; then none is."""
    numbers = journal.open_jobs(wishes)
    for number, new in zip(numbers, wishes, strict=True):
        if number is not None:
            logger.bind(job=number).info("queued: {} by rule {!r}", new.path, new.rule.name)
    return len(numbers) - numbers.count(None)
