"""What the client is asked to do and what it found out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from paperchute.contract import Value
from paperchute.errors import PaperchuteError
from paperchute.files.identity import FileKey
from paperchute.language import _
from paperchute.redaction import bounded, in_use
from paperchute.service.answers import whole_number

OnPages = Callable[[int, int], None]


def _unheard(done: int, total: int) -> None:
    """Nobody listens."""


@dataclass(frozen=True)
class ServiceAddress:
    """One service. `key` is the secret itself and never leaves this record: repr hides it.

    local: our own engine, which honours idempotency keys and whose port may change between runs. mode: how calls go
    out. names: what this provider calls parameters, by their contract name. callback_url: where it may announce that a
    task has ended. hub_url, hub_key: the upload interface (docs/contract.md#upload-interface), empty where there is
    none; hub_lookup: its path for a task, with {taskId} in it.
    """

    base_url: str
    key: str
    local: bool = False
    mode: Literal["auto", "sync", "async", "secure"] = "auto"
    names: Mapping[str, str] = field(default_factory=dict)
    callback_url: str = ""
    hub_url: str = ""
    hub_key: str = ""
    hub_lookup: str = ""

    def __post_init__(self) -> None:
        for secret in (self.key, self.hub_key):
            in_use(secret, lasting=True)

    def __repr__(self) -> str:
        return f"ServiceAddress({self.base_url!r}, local={self.local}, mode={self.mode})"


@dataclass(frozen=True)
class Asset:
    """One kind of units of an account (contract `asset-info`): left, and held by running tasks."""

    name: str
    left: int
    held: int

    @classmethod
    def read(cls, entry: Mapping[str, Any]) -> Asset:
        """From the wire; what is missing or no number counts as 0."""

        def number(name: str) -> int:
            return whole_number(entry.get(name)) or 0

        return cls(bounded(str(entry.get("assetTypeName", "")), 60), number("asset"), number("withholdingAsset"))


@dataclass(frozen=True)
class Call:
    """One operation on its inputs. `files` are (form part, path) in order; `parameters` canonical values.

    `keys`: what each input must still be when it is opened; a path without one is not checked. `folder`: the hot folder
    that these lie in, none of which is opened through a link below it.
    `idempotency_key` is the same for every repetition of the same step of the same job, sent as `Idempotency-Key`.
    `hosts`: what HTML may be fetched from, for our own engine; another service decides that itself. `protection`: as a
    rule has it, likewise.
    `timeout`: seconds for the whole answer. `on_pages`: told, on any thread, how many pages are done and how many there
    are, where the service says so.
    """

    operation: str
    files: tuple[tuple[str, Path], ...]
    parameters: Mapping[str, Value]
    idempotency_key: str
    keys: Mapping[Path, FileKey] = field(default_factory=dict)
    folder: Path | None = None
    timeout: float = 600.0
    hosts: tuple[str, ...] = ()
    protection: Literal["keep", "drop"] = "keep"
    on_pages: OnPages = field(default=_unheard, compare=False)

    def root_of(self, path: Path) -> Path | None:
        """The folder below which no link to an input is followed; None for files that the rule itself names."""
        return self.folder if path in self.keys else None


@dataclass(frozen=True)
class Answer:
    """A service's answer, as the journal keeps it: secrets masked, enough to download without calling again.

    `size` is convertSize in bytes, or None where the service gave none. `hashes`: sha256 of the inputs as uploaded,
    in the order of `Call.files`. `raw` is the envelope as JSON text, passwords masked and fileParameter dropped.
    `sent`: bytes of the inputs together, None where not known: a result is not thousands of times as large.
    `warnings`: what the result lacks of what was asked for, where the service says so, as our engine does;
    `notes`: how it was made; `words`: what became of the document's words (`contract.words`); `pages`: how
    many were in hand, 0 where the service does not say so. `questions`: JSON values of
    `contract.questions`.
    """

    task_id: str
    download_url: str
    file_name: str
    size: int | None
    hashes: tuple[str, ...]
    raw: str
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    sent: int | None = None
    words: Mapping[str, int] = field(default_factory=dict)
    pages: int = 0
    questions: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True)
class Fetched:
    """A result that has been fetched. name: what it should be called, empty for a folder of several files.

    files: the file's name, or the paths of the several ones below their folder, in the service's order.
    """

    name: str
    files: tuple[str, ...]


class InputChangedError(PaperchuteError):
    """An input is no longer what the job was made for: gone, replaced or grown. The job starts over from watching."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            _("{name} changed while it was being read.", name=path.name), _("It is taken again once it is complete.")
        )
        self.path = path


class ServiceError(PaperchuteError):
    """Any failure of a call. `code` and `reason` are the service's own words where it gave any.

    kind: as contract.toml `[error_use] client_classes` (password, bad-input, bad-parameters, no-content, too-big,
    auth, quota, transient, task, permanent), or `down` (nobody answered: connection refused, name not found),
    `limited` (HTTP 429: our key asks too much at a time, and is to come again later),
    or `lost` (the request went out and no answer came back: it may have been done, and charged).
    retry_after: seconds the service asked to wait, or None. answered: it is what the service has to say of the call, so
    that nothing comes of it any more and the next try is another call; else the call may have been taken (a server that
    is busy, or being restarted, says 503 to both), and is asked for under the same key. of_task: it is what a question
    about a task was answered, which the service has taken and goes on with.
    """

    def __init__(
        self,
        what: str,
        advice: str = "",
        *,
        kind: str,
        code: str = "",
        reason: str = "",
        retry_after: float | None = None,
        answered: bool | None = None,
        of_task: bool = False,
        service: str = "",
    ) -> None:
        """answered: None goes by the kind. service: whose failure it is, by its name; empty until somebody knows."""
        super().__init__(what, advice)
        self.kind = kind
        self.code = code
        self.reason = reason
        self.retry_after = retry_after
        unanswered = of_task or kind in ("down", "lost", "limited")
        self.answered = not unanswered if answered is None else answered
        self.of_task = of_task
        self.service = service
