"""What an operation gets and what it gives back. One file in `operations/` is one operation of the contract."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Literal

from paperchute.contract import PICTURES, PageListError, Value, pages_beyond, select_pages, told_of_ranges
from paperchute.contract.kinds import canonical
from paperchute.contract.questions import Question
from paperchute.engine import report
from paperchute.language import _

Protecting = Literal["keep", "drop"]
"""Of locked documents: their protection stays, or goes as far as the passwords given allow it."""


@dataclass(frozen=True)
class Source:
    """One uploaded file: the form part it came in, where it lies, the name its sender gave it, its kind by content.

    `name` is for output names and messages only, never a path. `kind` as `contract.kind_of` gives it.
    """

    part: str
    path: Path
    name: str
    kind: str


@dataclass(frozen=True)
class FetchPolicy:
    """What operations may fetch. Nothing from the network unless a host is listed.

    See docs/architecture.md#the-engines-server.

    `hosts`: names that may be fetched over http and https; private, loopback and link-local addresses stay closed
    for them too, after DNS and after each redirect, save for names that are also in `inner`.
    """

    hosts: tuple[str, ...] = ()
    inner: tuple[str, ...] = ()


@dataclass(frozen=True)
class Work:
    """One task as an operation sees it. Plain data, so that it can go to another process or machine.

    sources: the files, in the order of their parts. parameters: canonical values (`contract.accept`), the
    contract's defaults filled in where it states any, absent ones missing. folder: an empty folder of the task's
    own, for scratch and outputs; it is removed afterwards, so the process's temporary folder points into it.
    protection: whether passwords and restrictions of the sources stay on results that are PDFs. language: of what is
    said about the task. broken: the printer that one of its files has broken already, empty for none.
    """

    operation: str
    sources: tuple[Source, ...]
    parameters: Mapping[str, Value]
    folder: Path
    fetch: FetchPolicy = field(default_factory=FetchPolicy)
    protection: Protecting = "keep"
    language: str = "en"
    broken: str = ""

    def text(self, name: str) -> str:
        """The text of a parameter, empty when absent."""
        return str(self.parameters.get(name, ""))

    def integer(self, name: str, default: int = 0) -> int:
        """A whole-number parameter; `default` when absent."""
        return int(str(self.parameters.get(name, default)))

    def number(self, name: str, default: float = 0.0) -> float:
        """A number parameter; `default` when absent."""
        return float(str(self.parameters.get(name, default)))

    def flag(self, name: str) -> bool:
        """A flag or boolean parameter; False when absent."""
        return bool(self.parameters.get(name, False))

    def texts(self, name: str) -> list[str]:
        """An array parameter; empty when absent."""
        value = self.parameters.get(name)
        return list(value) if isinstance(value, list) else []

    def warn(self, text: str) -> None:
        """Say what is left out or done otherwise than asked: see `report.warn`."""
        report.warn(text)

    def note(self, text: str) -> None:
        """Say how it was done, where that is worth knowing and nothing is missing: see `report.note`."""
        report.note(text)

    def ask(self, question: Question) -> None:
        """Ask a person for what is not sure: see `report.ask`."""
        report.ask(question)


class Refused(Exception):
    """The service's own "no": a code of the contract (`[error_use]`) and a sentence.

    Raised by an operation's `check` it is a request error (its HTTP status, `data` null); raised by its `run`, a
    failed record. `reason` says what is wrong in the client's language, which is the one in use wherever a request or
    a task is worked on. Never holds a secret or a path of this machine.
    """

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(code, reason)
        self.code = code
        self.reason = reason


class AskLater(Refused):
    """The service cannot take this now: 01001. seconds: after which the client may ask again.

    status: of HTTP; 503 where the service is busy, 429 where this caller asks too much. is_dropped: what had been taken
    has been dropped again, and nobody will work on it.
    """

    def __init__(self, reason: str, seconds: int = 5, status: int = 503, *, is_dropped: bool = False) -> None:
        super().__init__("01001", reason)
        self.seconds = seconds
        self.status = status
        self.is_dropped = is_dropped


def chosen_pages(ranges: str, count: int, name: str) -> list[int]:
    """The 0-based pages of a file that a page list selects; those that the file does not have are warned of.

    Raises Refused 110001 where it has none of them.
    """
    try:
        chosen = select_pages(ranges, count)
    except PageListError as error:
        raise Refused("110001", _("{name}: {reason}", name=name, reason=error)) from None
    beyond = pages_beyond(ranges, count)
    if beyond:
        report.warn(
            _(
                "{name} ends with page {count}. Asked for, but not there: {pages}.",
                name=name,
                count=count,
                pages=told_of_ranges(beyond),
            )
        )
    return chosen


def output_name(work: Work, extension: str, default: str = "") -> str:
    """`outputFileName` where given, else `default`, else the first source's stem; one safe name with `extension`.

    default: a source's name, of which a picture's own extension goes.
    """
    if canonical(PurePosixPath(default).suffix) in PICTURES:
        default = PurePosixPath(default).stem
    wanted = work.text("outputFileName") or default
    if not wanted:
        wanted = PurePosixPath(work.sources[0].name).stem if work.sources else work.operation
    return file_name(PurePosixPath(wanted.replace("\\", "/")).name, extension)


def file_name(wanted: str, extension: str) -> str:
    """One safe name with `extension`, whatever anybody may have called a document or a part of it."""
    last = wanted
    stem = last[: -len(extension) - 1] if last.lower().endswith(f".{extension}") else last
    stem = re.sub(r'[<>:"/\\|?*\x00-\x1f\x7f]', "_", stem).strip(". ") or "result"
    while len(stem.encode()) > 230:
        stem = stem[:-1]
    return f"{stem}.{extension}"
