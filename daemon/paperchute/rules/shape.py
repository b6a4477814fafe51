"""The rule file's shape: every key, its type, its default and what it means. The schema and the docs come from here."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from paperchute.rules import values
from paperchute.rules.model import DEFAULT_HISTORY

DEFAULT_RETRIES = 8
DEFAULT_TIMEOUT = 600.0
SETTLE_PRESETS = {"scanner": 6.0}
"""Seconds by name. Scanners that write to a share open a file anew for each page, with pauses of up to 6 s seen."""


_HOST = re.compile(r"(?=.{1,253}\Z)[\w-]{1,63}(?:\.[\w-]{1,63})*")


def _listed(value: object) -> object:
    return [value] if isinstance(value, str) else value


def no_bool(value: object) -> object:
    """A number must not be a switch. Raises ValueError."""
    if isinstance(value, bool):
        raise ValueError("takes a number, not on or off")
    return value


def _settle(value: object) -> object:
    if isinstance(value, str):
        if value.lower() not in SETTLE_PRESETS:
            raise ValueError(f"takes seconds, or one of: {', '.join(SETTLE_PRESETS)}")
        return SETTLE_PRESETS[value.lower()]
    return no_bool(value)


def is_host(text: str) -> bool:
    """Whether `text` is the name of a host, or its number."""
    return _HOST.fullmatch(text) is not None


def _number_as_text(value: object) -> object:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


Text = Annotated[str, Field(min_length=1, strict=True)]
Globs = Annotated[list[Text], BeforeValidator(_listed), Field(min_length=1)]
Settle = Annotated[
    float,
    BeforeValidator(_settle),
    Field(ge=0, le=86_400),
    WithJsonSchema({"oneOf": [{"type": "number", "minimum": 0, "maximum": 86_400}, {"enum": list(SETTLE_PRESETS)}]}),
]
Pages = Annotated[Text, BeforeValidator(_number_as_text), WithJsonSchema({"type": ["integer", "string"]})]
Size = Annotated[
    int,
    BeforeValidator(values.size),
    WithJsonSchema(
        {"oneOf": [{"type": "integer", "minimum": 0}, {"type": "string", "pattern": "^[0-9.]+ *[A-Za-z]*$"}]}
    ),
]


class _Shape(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class StepShape(_Shape):
    """One entry of `steps`."""

    operation: Text = Field(description="What the service is to do, by its contract id.")
    parameters: dict[str, Any] = Field({}, description="The operation's parameters, by their contract names.")


class RuleShape(_Shape):
    """One `[[rule]]`."""

    name: Text = Field(description="What the rule is called in messages, the log and the tray.")
    folder: Text = Field(description="The hot folder. `~` is the home folder; relative to the rule file.")
    match: Globs | None = Field(None, description="Which files: one glob or a list. Default: what the operation reads.")
    except_: Globs = Field([], alias="except", description="Which of those not: one glob or a list.")
    recursive: bool = Field(False, description="Sub-folders too; results and originals keep their place in them.")
    depth: Annotated[int, BeforeValidator(no_bool), Field(ge=1, le=64)] | None = Field(
        None, description="With `recursive`: at most so many levels of sub-folders."
    )
    kind: Globs | None = Field(
        None, description="What the content is, whatever the name says: pdf, png, docx ... or image; one or a list."
    )
    min_size: Size | None = Field(None, description='Only files of at least this size, such as "500 kB".')
    max_size: Size | None = Field(None, description='Only files of at most this size, such as "10 MB".')
    pages: Pages | None = Field(
        None, description='Only PDFs of so many pages: "1", "1-3", ">=2", or several with commas between.'
    )
    text: Globs | None = Field(
        None, description="Words that the first ten pages must contain; of a list, all. Pictures of text hold none."
    )
    pattern: Text | None = Field(
        None,
        description="A regular expression that must be found in the name. Its groups, `(?P<customer>...)`, are "
        "placeholders for `output`.",
    )
    between: Globs | None = Field(
        None, description='Hours in which work may begin, such as "22:00-06:00"; one span or a list.'
    )
    days: Globs | None = Field(
        None,
        description='Days on which work may begin, such as "mon-fri"; hours over midnight belong to the day on which '
        "they begin.",
    )
    also: bool = Field(False, description="on: the next rule that matches may have the file too.")
    gather: Literal["folder", "batch", "pair", "rows"] | None = Field(
        None,
        description="Several files, one job. `folder`: those of a sub-folder dropped here. `batch`: what comes "
        "together. `pair`: two files of one stem. `rows`: a list, with a template: one PDF a row.",
    )
    quiet: Annotated[float, BeforeValidator(no_bool), Field(ge=0.1, le=86_400)] | None = Field(
        None, description="With `batch`: seconds after the last file until the batch is whole. Default: 10."
    )
    batch_size: Annotated[int, BeforeValidator(no_bool), Field(ge=2, le=10_000)] | None = Field(
        None, description="With `batch`: the most files of one job. Default: 1000."
    )
    set_size: Annotated[int, BeforeValidator(no_bool), Field(ge=1, le=100_000)] | None = Field(
        None,
        description="With `folder`: so many files that `match` lets through make the set; it waits for them, and no "
        "longer. Default: it is complete after some quiet.",
    )
    set_end: Globs | None = Field(
        None,
        description='With `folder`: the file that comes last, such as "*.end", one glob or a list; the set waits for '
        "it, and no longer. It is not an input, and may be empty.",
    )
    left_out: Literal["warn", "hold"] | None = Field(
        None,
        description="With `folder`: what becomes of a set with files that no rule takes and `except` does not name. "
        "`warn`: it is done, with a warning. `hold`: it fails before the first call. Default: warn.",
    )
    partner: Globs | None = Field(
        None,
        description="With `pair`: what the second file's name has in the place of the first one's suffix, one or a "
        "list. Default: `.json` for pdf-generate, `.insert.pdf` for pdf-insert.",
    )
    schedule: Text | None = Field(
        None,
        description='Without a dropped file, at these times: "hourly", "daily 06:00", "monday 07:30", "mon-fri 07:30" '
        'or "monthly 1 06:00". For what needs no file, such as pdf-generate with htmlUrl.',
    )
    operation: Text | None = Field(None, description="What to do, by its contract id. Or `steps`.")
    parameters: dict[str, Any] = Field({}, description="The operation's parameters, by their contract names.")
    steps: list[StepShape] | None = Field(None, min_length=1, description="Several operations, one after the other.")
    output: Text | None = Field(None, description="Where results go, as a template.")
    on_conflict: Literal["number", "replace", "skip"] = Field(
        "number",
        description="When an output of that name exists: add a number; replace it, if it is an unchanged result of this"
        " rule; or skip this one, with a warning.",
    )
    original: Text = Field("done", description="done | keep | delete | trash, or a folder for originals.")
    settle: Settle = Field(
        0.0, description="Seconds a file must have been quiet, or `scanner` (6 s); 0 = as its format and writer allow."
    )
    retries: Annotated[int, BeforeValidator(no_bool), Field(ge=0, le=100)] = Field(
        DEFAULT_RETRIES,
        description="How often passing failures are tried again. 0: a call whose answer was lost is not repeated.",
    )
    timeout: Annotated[float, BeforeValidator(no_bool), Field(ge=1, le=86_400)] = Field(
        DEFAULT_TIMEOUT, description="Seconds that one call of the service may take."
    )
    passwords: Globs | None = Field(
        None, description="Where passwords are that may open locked PDFs; tried in order, and only on locked ones."
    )
    sidecar_secrets: Globs | None = Field(
        None,
        description="References to secrets that a file's own `.toml`, or a `job.toml`, may name, each written there in "
        "the same way; none without.",
    )
    hosts: Globs | None = Field(
        None,
        description="Hosts that the built-in engine may fetch pictures, style sheets and pages from, such as "
        '"intranet.example", beside those that the rule\'s own parameters name; none without. Addresses of private '
        "networks stay closed, save for the `inner_host`s of `[engine]`.",
    )
    protection: Literal["keep", "drop"] = Field(
        "keep",
        description="Passwords and restrictions of locked PDFs: `keep` them on results that are PDFs, or `drop` what "
        "the passwords given allow to be dropped.",
    )
    priority: Annotated[int, BeforeValidator(no_bool), Field(ge=-100, le=100)] = Field(
        0, description="Jobs of a higher number go first; within one number, hot folders take turns."
    )
    watch: Literal["auto", "native", "poll"] = Field(
        "auto",
        description="How changes are noticed: `native` by the system's events, `poll` by looking every two seconds; "
        "`auto` polls network shares only.",
    )
    shared: bool = Field(
        False, description="Several Paperchutes watch this folder: each file is claimed, and taken by one of them."
    )
    history: Annotated[int, BeforeValidator(no_bool), Field(ge=2, le=36_500)] = Field(
        DEFAULT_HISTORY,
        description="Days that done jobs stay in the journal, and in `paperchute jobs`. What is still needed stays: "
        "failures until they are seen to, and which files that lie in the hot folder are done.",
    )
    enabled: bool = Field(True, description="off: the rule is kept but does nothing.")


class ServiceShape(_Shape):
    """`[service]`."""

    base_url: Text | None = Field(None, description="Address of a service. Left out: the built-in engine.")
    api_key: Text | None = Field(None, description="Where its key is: env:NAME, keyring:SERVICE/USER or file:PATH.")
    concurrency: Annotated[int, BeforeValidator(no_bool), Field(ge=1, le=64)] = Field(
        4,
        description="Jobs at work at the same time, and calls of all of them together; a change takes effect at the "
        "next start.",
    )
    mode: Literal["auto", "sync", "async", "secure"] = Field(
        "auto",
        description="How calls go out: in one request, as a task, or over a pre-signed address; `auto` goes by size.",
    )
    monthly_calls: Annotated[int, BeforeValidator(no_bool), Field(ge=0)] | None = Field(
        None, description="Stop after so many calls in a calendar month, and say so, rather than overspend."
    )
    names: dict[str, Text] = Field(
        {}, description="What this provider calls parameters, by their contract name; only those not in the seed."
    )
    hub_url: Text | None = Field(None, description="Address of the upload interface, for document-upload.")
    hub_key: Text | None = Field(None, description="Where its key is, like api_key.")
    hub_lookup: Text | None = Field(
        None, description="Path at which the hub tells of a task, with {taskId} in it; it goes into the receipt."
    )
    webhook_listen: Text | None = Field(
        None, description="Address to receive webhooks on, such as 127.0.0.1:8765. Left out: none are received."
    )
    webhook_token: Text | None = Field(None, description="Where the agreed token is, like api_key.")
    webhook_url: Text | None = Field(None, description="The address that the service calls; sent as callbackUrl.")


class FileShape(_Shape):
    """The whole file."""

    version: Literal[1] = Field(description="Version of this format.")
    service: ServiceShape = Field(ServiceShape(), description="Who does the work.")
    engine: dict[str, Any] = Field({}, description="Settings of the built-in engine.")
    defaults: dict[str, Any] = Field({}, description="Any key of a rule, for all rules that do not state it.")
    rule: list[RuleShape] = Field([], description="The rules, in order: the first that matches takes a file.")


RULE_KEYS = tuple(field.alias or name for name, field in RuleShape.model_fields.items())
