"""What whoever starts the embedded engine may decide: flags of its command line, keys of `[engine]` in a rule file.

One list for both. Each field's metadata has `help`, and `form` where its type does not say enough: `bytes`, `folder`,
`host`, `address` or `secret`, which a command line gives by the name of an environment variable.
"""

from __future__ import annotations

from dataclasses import Field, dataclass, field, fields
from typing import Any

from paperchute.contract.libreoffice import CHOICES
from paperchute.language import N_


@dataclass(frozen=True)
class Setup:
    """How the engine works, and what it may reach."""

    workers: int = field(
        default=0,
        metadata={
            "help": N_(
                "tasks at work at the same time, each in a process of its own; 0: as many as the daemon's "
                "`concurrency`, by itself one a processor, up to four"
            )
        },
    )
    allow_host: tuple[str, ...] = field(
        default=(), metadata={"help": N_("hosts that any HTML may fetch from"), "form": "host"}
    )
    inner_host: tuple[str, ...] = field(
        default=(),
        metadata={
            "help": N_(
                "hosts at private or loopback addresses that an upload by url or a webhook may reach, and HTML "
                "where `allow_host` or a rule's `hosts` names them too"
            ),
            "form": "host",
        },
    )
    ocr_models: str = field(
        default="", metadata={"help": N_("folder with recognition models for further languages"), "form": "folder"}
    )
    office: str = field(
        default=CHOICES[0],
        metadata={
            "help": N_(
                "what prints Word, Excel, PowerPoint and RTF files: auto (LibreOffice where it is installed, else the "
                "libraries of the extra `office`, else the engine), libreoffice, built-in"
            ),
            "form": "printer",
        },
    )
    webhook_url: str = field(default="", metadata={"help": N_("address that hears of every task"), "form": "address"})
    webhook_token: str = field(default="", metadata={"help": N_("the token that goes with webhooks"), "form": "secret"})


ROLES = ("all", "api", "worker")


@dataclass(frozen=True)
class Sharing:
    """What engines have in common that are one service together; needs `paperchute[scale]`."""

    role: str = field(
        default="all",
        metadata={
            "help": N_("with a shared database: api answers calls, worker does the work, all is both"),
            "form": "role",
        },
    )
    database: str = field(
        default="",
        metadata={"help": N_("PostgreSQL that several engines share, as postgresql://user@host/name")},
    )
    files: str = field(
        default="",
        metadata={"help": N_("object storage that they share, as s3://bucket/prefix; its keys are in the environment")},
    )
    drain_seconds: float = field(
        default=25.0,
        metadata={"help": N_("how long a worker that is told to stop may still spend on what it has begun")},
    )
    metrics_port: int = field(
        default=0,
        metadata={
            "help": N_(
                "port where an engine of the role worker answers /metrics, /health and /ready; 0: none. The others "
                "answer them where they answer calls"
            )
        },
    )


@dataclass(frozen=True)
class Limits:
    """What one request or one task may take."""

    task_seconds: float = field(default=1800.0, metadata={"help": N_("longest time for one task")})
    processor_seconds: float = field(
        default=120.0,
        metadata={
            "help": N_(
                "processor time for one task, to which come a second for each 10 KB of its files and 30 for each page "
                "that it has done"
            )
        },
    )
    memory: int = field(default=2 << 30, metadata={"help": N_("most memory for one task"), "form": "bytes"})
    max_output: int = field(default=8 << 30, metadata={"help": N_("largest result of one task"), "form": "bytes"})
    max_file: int = field(default=2 << 30, metadata={"help": N_("largest uploaded file"), "form": "bytes"})
    max_text: int = field(
        default=32 << 20, metadata={"help": N_("all text fields of a request together"), "form": "bytes"}
    )
    max_merge: int = field(default=1000, metadata={"help": N_("most files to merge")})
    queue: int = field(
        default=1000, metadata={"help": N_("most tasks that wait for a worker, of heavy and of quick work each")}
    )
    files_per_task: int = field(default=5, metadata={"help": N_("most files of one asynchronous or pre-signed task")})
    max_storage: int = field(
        default=50 << 30, metadata={"help": N_("all uploads and results together"), "form": "bytes"}
    )
    max_key_storage: int = field(
        default=10 << 30,
        metadata={"help": N_("uploads and results of one API key of `paperchute keys`, together"), "form": "bytes"},
    )
    result_seconds: float = field(default=24 * 3600.0, metadata={"help": N_("how long results can be fetched")})
    upload_seconds: float = field(default=15 * 60.0, metadata={"help": N_("how long a pre-signed address is good")})
    overdue_seconds: float = field(default=3600.0, metadata={"help": N_("how long a task waits before it is dropped")})


ENGINE_OPTIONS: tuple[Field[Any], ...] = (*fields(Setup), *fields(Sharing), *fields(Limits))


def choices(option: Field[Any]) -> tuple[str, ...] | None:
    """The values that an option has, None for any."""
    return {"role": ROLES, "printer": CHOICES}.get(option.metadata.get("form", ""))


def flag(option: Field[Any]) -> str:
    """The option's flag on the engine's command line."""
    ending = "-env" if option.metadata.get("form") == "secret" else ""
    return f"--{option.name.replace('_', '-')}{ending}"
