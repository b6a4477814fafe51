"""What rules want to know about a file's content, found out in a process of its own, within a bounded time."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path, PurePath
from typing import Any

from loguru import logger

from paperchute.files.reader import ReaderProcess
from paperchute.jobs.model import Job
from paperchute.rules.match import FileFacts, Need, plain
from paperchute.rules.model import Rule
from paperchute.rules.secrets import opening_passwords_for

Asking = tuple[Rule, PurePath]
"""A rule, and what it would take, relative to its folder."""

_SECONDS_A_FILE = 20.0


class FactReader:
    """Reads facts while its `with` block lasts; its process starts with the first file that needs it.

    One that crashes or takes too long over a file is ended, and another reads the next one.
    """

    def __init__(self, seconds: float = _SECONDS_A_FILE, command: Sequence[str] | None = None) -> None:
        """seconds: what one file may take. command: what to run instead of our reader (for tests)."""
        self._seconds = seconds
        self._process = ReaderProcess(command)

    def __enter__(self) -> FactReader:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.end()

    def read(self, path: Path, size: int | None, need: Collection[Need], asking: Sequence[Asking] = ()) -> FileFacts:
        """The facts of a file. Never raises: what is not known is said so.

        size: in bytes, as known already. asking: who wants to know; their passwords are for locked PDFs only.
        """
        if not need:
            return FileFacts(size)
        request: dict[str, Any] = {"path": str(path), "want": sorted(need)}
        found = self._ask(request)
        missing: dict[str, Sequence[str]] = {}
        if found is not None and found.get("locked") and asking:
            unlock = {}
            for rule, relative in asking:
                unlock[rule.name], missing[rule.name] = opening_passwords_for(rule, relative)
            if any(unlock.values()):
                found = self._ask({**request, "unlock": unlock})
        if found is None:
            logger.warning("{} could not be looked into: it took too long, or broke its reader", path)
            return FileFacts(size, trouble="it could not be read in time")
        text = found.get("text")
        return FileFacts(
            size,
            found.get("kind"),
            found.get("pages"),
            None if text is None else plain(text),
            found.get("trouble", ""),
            bool(found.get("locked")),
            frozenset(found.get("opened_by", ())),
            missing,
        )

    def opening(self, path: Path, passwords: Sequence[str]) -> int | None:
        """The number of the first password that opens a PDF, -1 when it is not locked.

        None when none does, or that cannot be told.
        """
        found = self._ask({"path": str(path), "passwords": list(passwords)})
        return found.get("opens") if found is not None else None

    def _ask(self, request: Mapping[str, Any]) -> dict[str, Any] | None:
        try:
            found = self._process.ask({"do": "facts", **request}, seconds=self._seconds)
        except OSError as error:
            logger.error("the reader cannot be started ({})", error)
            return None
        return found[0] if found is not None else None


def pages_of(job: Job) -> int | None:
    """How many pages a job's PDFs have together; None when that cannot be told, or there are none."""
    asking = [(job.rule, job.relative)]
    with FactReader() as reader:
        facts = [reader.read(member.path, member.key.size, {"pages"}, asking) for member in job.members]
    counts = [one.pages for one in facts if one.kind in ("pdf", None)]
    return sum(count for count in counts if count is not None) if counts and None not in counts else None


def opening_of(path: Path, passwords: Sequence[str]) -> int | None:
    """`FactReader.opening`, with a reader of its own."""
    with FactReader() as reader:
        return reader.opening(path, passwords)
