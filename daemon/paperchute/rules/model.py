"""The rules as the rest of the house sees them: frozen records, checked and with every default filled in."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from paperchute.contract import Value

Conflict = Literal["number", "replace", "skip"]
Gather = Literal["folder", "batch", "pair", "rows"]
Protecting = Literal["keep", "drop"]
LeftOut = Literal["warn", "hold"]
WatchMode = Literal["auto", "native", "poll"]

DEFAULT_HISTORY = 90
"""Days."""


@dataclass(frozen=True)
class Step:
    """One operation within a rule. `parameters` hold canonical contract values, by contract name.

    Secrets stand as their reference (`env:NAME`, `keyring:SERVICE/USER`, `file:PATH`), resolved only when called.
    File parameters (templateFile, dataFile, htmlFile) are absolute paths.
    """

    operation: str
    parameters: Mapping[str, Value]


@dataclass(frozen=True)
class Rule:
    """One `[[rule]]`. Paths are absolute with `~` expanded; `fingerprint` changes when what it does changes.

    match, except_: globs on the path relative to the hot folder (name only when a glob has no slash), without case.
    output: template of the path, relative to the hot folder's parent; empty = the default `{folder.name}.out/...`.
    original: done | keep | delete | trash, or the absolute path of a folder.
    settle: seconds; retries: how often transient failures are tried again, and 0 also means that a call whose answer
    was lost is not repeated. priority: higher goes first. shared: files are claimed before they are taken. line:
    where the rule starts in the file, 1-based.
    kind, min_size, max_size (bytes), pages, text, pattern, depth: further conditions, each absent when empty or None;
    pages as `rules.values` reads it. between, days: when its work may begin, as `rules.schedule` writes them.
    quiet: seconds after a batch's last file; batch_size: the most of its files. partner: what the second file of a
    pair has in the place of the first one's suffix; also that of a template dropped beside a list of rows.
    set_size, set_end: what makes a gathered folder complete: the number of its files, globs for the file that comes
    last. left_out: what becomes of a gathered folder with files that no rule takes.
    also: later rules may have the file too. timeout: seconds for one call. passwords: references, to be tried in order
    on locked PDFs. hosts: what the built-in engine may fetch from. sidecar_secrets: references that files
    beside the inputs may name. history: days that ended jobs stay in the journal.
    protection: whether passwords and restrictions of locked PDFs stay on results that are PDFs.
    schedule: when it is due, as `rules.schedule` reads it; such a rule takes no file.
    """

    name: str
    folder: Path
    match: tuple[str, ...]
    except_: tuple[str, ...]
    recursive: bool
    gather: Gather | None
    steps: tuple[Step, ...]
    output: str
    on_conflict: Conflict
    original: str
    settle: float
    retries: int
    enabled: bool
    line: int
    fingerprint: str
    priority: int = 0
    watch: WatchMode = "auto"
    shared: bool = False
    depth: int | None = None
    kind: tuple[str, ...] = ()
    min_size: int | None = None
    max_size: int | None = None
    pages: str = ""
    text: tuple[str, ...] = ()
    pattern: str = ""
    between: tuple[str, ...] = ()
    days: tuple[str, ...] = ()
    also: bool = False
    timeout: float = 600.0
    passwords: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    sidecar_secrets: tuple[str, ...] = ()
    protection: Protecting = "keep"
    quiet: float = 10.0
    batch_size: int = 1000
    partner: tuple[str, ...] = ()
    history: int = DEFAULT_HISTORY
    set_size: int | None = None
    set_end: tuple[str, ...] = ()
    left_out: LeftOut = "warn"
    schedule: str = ""


def among_several(rule: Rule, original: str) -> Rule:
    """The rule as it works on a file that other rules have too: `also`, and with the same fate for the original."""
    mark = hashlib.sha256(f"{rule.fingerprint} also {original}".encode()).hexdigest()[:32]
    return replace(rule, original=original, also=True, fingerprint=mark)


@dataclass(frozen=True)
class ServiceSettings:
    """`[service]`; base_url None = the built-in engine. Keys and tokens are references, never the secret itself.

    names: what this provider calls parameters, by their contract name. webhook_listen: host:port. engine: what the
    file says in `[engine]`, by the names of `contract.engine_options`.
    """

    base_url: str | None = None
    api_key: str | None = None
    concurrency: int = 4
    mode: Literal["auto", "sync", "async", "secure"] = "auto"
    monthly_calls: int | None = None
    names: Mapping[str, str] = field(default_factory=dict)
    hub_url: str | None = None
    hub_key: str | None = None
    hub_lookup: str | None = None
    webhook_listen: str | None = None
    webhook_token: str | None = None
    webhook_url: str | None = None
    engine: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Problem:
    """One thing wrong in a rule file. `line` and `column` are 1-based; rule is None outside of rules."""

    line: int
    column: int
    message: str
    rule: str | None = None
    suggestion: str | None = None


@dataclass(frozen=True)
class RuleFile:
    """A whole, valid rule file. warnings: what looks like a mistake in it, in the order of the file."""

    path: Path
    service: ServiceSettings
    rules: tuple[Rule, ...]
    warnings: tuple[Problem, ...] = ()


@dataclass(frozen=True)
class Target:
    """Where a job's outputs go, decided by `rules.output`: pure, no file system looked at.

    folder: absolute; stem: the output's name without extension, already safe for every platform.
    One output becomes folder/stem.ext; several become a folder folder/stem/ holding them.
    extension: what the template fixed, or None = as the result is.
    """

    folder: Path
    stem: str
    extension: str | None = None
    values: Mapping[str, str] = field(default_factory=dict)
