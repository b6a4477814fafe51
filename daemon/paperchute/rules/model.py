"""The rule: one model, from which everything that knows about rules is made.

`RuleKeys` is one `[[rule]]` as its owner writes it. Each key is one field, and its declaration by `key` says all of it:
type, default, meaning, an example, and what it bears on. From there come the checks of `paperchute check`, the schema
for editors, the reference page, the defaults, the fingerprint and the journal's text.

`Rule` is the same model once it is finished: paths absolute, `operation` and `parameters` folded into `steps` ...
`rules.build` makes it, and touches what needs it. docs/architecture.md ("Adding a rule key") has the steps to a key.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator, ConfigDict, Field, model_validator

from paperchute.rules import values
from paperchute.rules.keys import Bearing, Table, bearing_of, is_default, key
from paperchute.rules.tables import Find, Step
from paperchute.rules.values import Days, Folder, Pages, Seconds, Settle, Several, Size, Text, Wanted, Whole, not_empty


class RuleKeys(Table):
    """One `[[rule]]`."""

    name: Text = key(
        meaning="What the rule is called in messages, the log and the tray.", example="Read PDFs", affects_result=True
    )
    folder: Folder = key(
        meaning="The hot folder. `~` is the home folder; relative to the rule file.",
        example="~/Hot/read",
        affects_result=True,
    )
    match: Several = key(
        (),
        meaning="Which files: one glob or a list, on the path below the hot folder, or on the name alone where a glob "
        "has no slash. Default: what the operation reads.",
        example=["*.pdf", "scan-*"],
        affects_result=True,
        of_files=True,
    )
    except_: Several = key(
        (),
        alias="except",
        meaning="Which of those not: one glob or a list.",
        example="draft*",
        affects_result=True,
        of_files=True,
    )
    recursive: bool = key(
        False,
        meaning="Sub-folders too; results and originals keep their place in them.",
        example=True,
        affects_result=True,
        of_files=True,
    )
    depth: Annotated[Whole, Field(ge=1, le=64)] | None = key(
        None,
        meaning="With `recursive`: at most so many levels of sub-folders.",
        example=2,
        affects_result=True,
        of_files=True,
        goes_with=("recursive", True),
    )
    empty_folders: values.EmptyFolders = key(
        "remove",
        meaning="With `recursive`: what becomes of sub-folders that were dropped here once their files are done and "
        "nothing has happened in them for ten minutes. Those that were there before, or made empty by hand, stay.",
        example="keep",
        affects_result=False,
        of_files=True,
        goes_with=("recursive", True),
    )
    kind: Several = key(
        (),
        meaning="What the content is, whatever the name says: pdf, png, docx ... or image; one or a list.",
        example="pdf",
        affects_result=True,
        of_files=True,
    )
    min_size: Size | None = key(
        None,
        meaning='Only files of at least this size, such as "500 kB".',
        example="500 kB",
        affects_result=True,
        of_files=True,
    )
    max_size: Size | None = key(
        None,
        meaning='Only files of at most this size, such as "10 MB".',
        example="10 MB",
        affects_result=True,
        of_files=True,
    )
    pages: Pages = key(
        "",
        meaning='Only PDFs of so many pages: "1", "1-3", ">=2", or several with commas between.',
        example=">=2",
        affects_result=True,
        of_files=True,
    )
    signed: bool | None = key(
        None,
        meaning="Only PDFs that somebody has signed or certified; false: only files that nobody has.",
        example=True,
        affects_result=True,
        of_files=True,
    )
    text: Several = key(
        (),
        meaning="Words that the first ten pages must contain; of a list, all. Pictures of text hold none.",
        example=["invoice", "total"],
        affects_result=True,
        of_files=True,
    )
    when: dict[str, Wanted] = key(
        {},
        meaning="What the document must say of itself: date, sender, recipient, kind, number, total, currency, iban, "
        'due, language. Names are globs; amounts and days may be compared, such as ">=1000"; of a list, one. It is '
        "read once, and asked of you where it is not sure.",
        example={"currency": "EUR", "kind": "invoice", "total": ">=1000"},
        affects_result=True,
        of_files=True,
    )
    pattern: Text = key(
        "",
        meaning="A regular expression that must be found in the name. Its groups, `(?P<customer>...)`, are "
        "placeholders for `output`.",
        example=r"^(?P<customer>\w+) \d+",
        affects_result=True,
        of_files=True,
    )
    between: Several = key(
        (),
        meaning='Hours in which work may begin, such as "22:00-06:00"; one span or a list.',
        example="22:00-06:00",
        affects_result=False,
    )
    days: Several = key(
        (),
        meaning='Days on which work may begin, such as "mon-fri"; hours over midnight belong to the day on which '
        "they begin.",
        example="mon-fri",
        affects_result=False,
    )
    also: bool = key(
        False,
        meaning="on: the next rule that matches may have the file too.",
        example=True,
        affects_result=False,
        of_files=True,
    )
    gather: values.Gather | None = key(
        None,
        meaning="Several files, one job. `folder`: those of a sub-folder dropped here. `batch`: what comes "
        "together. `pair`: two files of one stem. `rows`: a list, with a template: one PDF a row.",
        example="folder",
        affects_result=True,
        of_files=True,
    )
    quiet: Annotated[Seconds, Field(ge=0.1, le=86_400)] = key(
        10.0,
        meaning="With `batch`: seconds after the last file until the batch is whole.",
        example=30,
        affects_result=True,
        of_files=True,
        goes_with=("gather", "batch"),
    )
    batch_size: Annotated[Whole, Field(ge=2, le=10_000)] = key(
        1000,
        meaning="With `batch`: the most files of one job.",
        example=50,
        affects_result=True,
        of_files=True,
        goes_with=("gather", "batch"),
    )
    set_size: Annotated[Whole, Field(ge=1, le=100_000)] | None = key(
        None,
        meaning="With `folder`: so many files that `match` lets through make the set; it waits for them, and no "
        "longer. Default: it is complete after some quiet.",
        example=3,
        affects_result=True,
        goes_with=("gather", "folder"),
    )
    set_end: Several = key(
        (),
        meaning='With `folder`: the file that comes last, such as "*.end", one glob or a list; the set waits for '
        "it, and no longer. It is not an input, and may be empty.",
        example="*.end",
        affects_result=True,
        goes_with=("gather", "folder"),
    )
    left_out: values.LeftOut = key(
        "warn",
        meaning="With `folder`: what becomes of a set with files that no rule takes and `except` does not name. "
        "`warn`: it is done, with a warning. `hold`: it fails before the first call.",
        example="hold",
        affects_result=True,
        goes_with=("gather", "folder"),
    )
    partner: Several = key(
        (),
        meaning="With `pair`: what the second file's name has instead of the first one's suffix, one or a "
        "list. Default: `.json` for pdf-generate, `.insert.pdf` for pdf-insert.",
        example="-back.pdf",
        affects_result=True,
        of_files=True,
        goes_with=("gather", "pair"),
    )
    schedule: Text = key(
        "",
        meaning='Without a dropped file, at these times: "hourly", "daily 06:00", "monday 07:30", "mon-fri 07:30" '
        'or "monthly 1 06:00". For what needs no file, such as pdf-generate with htmlUrl.',
        example="daily 06:00",
        affects_result=False,
    )
    operation: Text | None = key(
        None, meaning="What to do, by its contract id. Or `steps`.", example="pdf-to-markdown", affects_result=True
    )
    parameters: dict[str, Any] = key(
        {}, meaning="Its parameters, by their contract names.", example={"pageRanges": "1-3"}, affects_result=True
    )
    steps: Annotated[tuple[Step, ...], BeforeValidator(not_empty), Field(json_schema_extra={"minItems": 1})] = key(
        (),
        meaning="Several operations, one after the other.",
        example=[{"operation": "pdf-to-editable"}, {"operation": "pdf-to-docx"}],
        affects_result=True,
    )
    service: Text = key(
        "",
        meaning="Who does the work, also at a step: a NAME of `[services]`, `built-in` for the built-in engine, or "
        "`default`, as `[service]` says. What the document says of itself is asked where the first step is done.",
        example="built-in",
        affects_result=True,
    )
    or_: Text = key(
        "",
        alias="or",
        meaning="Who does it, also at a step, where that service is away or has no calls or units left, with a "
        "warning; never what that one may have taken. Default: nobody, so the work waits.",
        example="built-in",
        affects_result=True,
    )
    output: Text = key(
        "",
        meaning="Where results go, as a template, relative to the folder that the hot folder lies in.",
        example="Archive/{date:%Y}/{stem}.{ext}",
        affects_result=True,
    )
    senders: Text = key(
        "",
        meaning="A CSV file of senders that you know, relative to the rule file; it decides who a document is from, "
        "and gives `{doc.folder}`.",
        example="senders.csv",
        affects_result=True,
    )
    require: Several = key(
        (),
        meaning="What of the document must be sure beside what `output` names, such as its sender: else it waits in "
        "*Needs you*. Any of date, sender, recipient, kind, number, total, currency, iban, due, language.",
        example=["sender", "total"],
        affects_result=True,
        of_files=True,
    )
    find: dict[str, Find] = key(
        {},
        meaning="Fields of your own, `{doc.NAME}`: by name, each with the `label` or `pattern` that finds it.",
        example={"customer": {"label": "Customer no."}},
        affects_result=True,
        of_files=True,
    )
    ask_model: bool = key(
        False,
        meaning="The document's text is sent to the model of `[model]` where what the rule needs of it is not sure.",
        example=True,
        affects_result=True,
        of_files=True,
    )
    write_fields: bool = key(
        False,
        meaning="What was read of the document goes into a `NAME.json` beside the result: each field, whether it is "
        "sure, and where it stands.",
        example=True,
        affects_result=True,
        of_files=True,
    )
    on_conflict: values.Conflict = key(
        "number",
        meaning="When an output of that name exists: add a number; replace it, if it is an unchanged result of this"
        " rule; or skip this one, with a warning.",
        example="replace",
        affects_result=True,
    )
    duplicates: values.Duplicates = key(
        "process",
        meaning="When the rule has done a file of the very same bytes before, as far as the journal remembers: do it "
        "again; skip it, which files it as if it were done, and says where the first is; or ask.",
        example="skip",
        affects_result=True,
        of_files=True,
    )
    duplicates_by: values.DuplicatesBy = key(
        "bytes",
        meaning="How `duplicates` knows a file again: by its bytes, or also by its content, text and picture of each"
        " page, as that of a paper which was scanned twice. The built-in engine reads each file for it.",
        example="content",
        affects_result=True,
        of_files=True,
    )
    original: Text = key(
        "done", meaning="done | keep | delete | trash, or a folder for originals.", example="keep", affects_result=True
    )
    keep_done: Days | None = key(
        None,
        meaning='How long originals stay in the folder that ends in `.done`, such as "90 days" or "12 weeks"; then '
        "they go to the desktop's trash, if they are as they were filed. Default: for ever.",
        example="90 days",
        affects_result=False,
        of_files=True,
    )
    settle: Settle = key(
        0.0,
        meaning="Seconds a file must have been quiet, or `scanner` (6 s); 0 = as its format and writer allow.",
        example="scanner",
        affects_result=True,
        of_files=True,
    )
    retries: Annotated[Whole, Field(ge=0, le=100)] = key(
        8,
        meaning="How often passing failures are tried again. 0: a call whose answer was lost is not repeated.",
        example=3,
        affects_result=True,
    )
    timeout: Annotated[Seconds, Field(ge=1, le=86_400)] = key(
        600.0, meaning="Seconds that one call of the service may take.", example=1800, affects_result=True
    )
    passwords: Several = key(
        (),
        meaning="Where passwords are that may open locked PDFs; tried in order, and only on locked ones.",
        example=["keyring:paperchute/incoming"],
        affects_result=True,
        of_files=True,
    )
    sidecar_secrets: Several = key(
        (),
        meaning="References to secrets that a file's own `.toml`, or a `job.toml`, may name, each written there in "
        "the same way; none without.",
        example=["env:CLIENT_PW"],
        affects_result=True,
    )
    hosts: Several = key(
        (),
        meaning="Hosts that the built-in engine may fetch pictures, style sheets and pages from, such as "
        '"intranet.example", beside those that the rule\'s own parameters name; none without. Addresses of private '
        "networks stay closed, save for the `inner_host`s of `[engine]`.",
        example="intranet.example",
        affects_result=True,
    )
    protection: values.Protecting = key(
        "keep",
        meaning="Passwords and restrictions of locked PDFs: `keep` them on results that are PDFs, or `drop` what "
        "the passwords given allow to be dropped.",
        example="drop",
        affects_result=True,
    )
    priority: Annotated[Whole, Field(ge=-100, le=100)] = key(
        0,
        meaning="Jobs of a higher number go first; within one number, hot folders take turns.",
        example=10,
        affects_result=False,
    )
    watch: values.WatchMode = key(
        "auto",
        meaning="How changes are noticed: `native` by the system's events, `poll` by looking every two seconds; "
        "`auto` polls network shares only.",
        example="poll",
        affects_result=False,
    )
    shared: bool = key(
        False,
        meaning="Several Paperchutes watch this folder: each file is claimed, and taken by one of them.",
        example=True,
        affects_result=False,
        of_files=True,
    )
    history: Annotated[Whole, Field(ge=2, le=36_500)] = key(
        values.DEFAULT_HISTORY,
        meaning="Days that done jobs stay in the journal, and in `paperchute jobs`. What is still needed stays: "
        "failures until they are seen to, and which files that lie in the hot folder are done.",
        example=30,
        affects_result=False,
    )
    full_text: bool = key(
        True,
        meaning="The text of results is kept for the search in what was done (`paperchute search`, and the page), "
        "as long as the job is in the journal; off: only names are.",
        example=False,
        affects_result=False,
    )
    enabled: bool = key(
        True,
        meaning="off: the rule is kept but does nothing; what waits for its first call waits on.",
        example=False,
        affects_result=False,
    )


KEYS: Mapping[str, Bearing] = {
    name: bearing for name, declared in RuleKeys.model_fields.items() if (bearing := bearing_of(declared))
}
"""What each key bears on, by field name."""

RULE_KEYS = tuple(declared.alias or name for name, declared in RuleKeys.model_fields.items())
"""The keys as they stand in a rule file."""


class Rule(RuleKeys):
    """One rule as the rest of the house sees it: checked, every default filled in, and at least one step.

    match is what the operation reads where the file does not say, and empty with `schedule`. original is an absolute
    path where it is no word. pages, between, days and schedule are as `rules.values` and `rules.schedule` read them;
    passwords, sidecar_secrets and secret parameters are references, with absolute paths. hosts holds those that the
    rule's own parameters name, too. partner is also that of a template dropped beside a list of rows.
    """

    model_config = ConfigDict(validate_by_name=True, validate_by_alias=True)

    line: int = 0
    """Where it starts in the rule file, 1-based."""
    fingerprint: str = ""
    """Changes when what the rule does changes."""
    kept: dict[str, Any] = Field({})
    """Keys of a rule that another release wrote into the journal, which this one does not know."""

    @model_validator(mode="before")
    @classmethod
    def _without_defaults(cls, values: dict[str, Any]) -> dict[str, Any]:
        """Let what is absent be given as its default, which nobody may write: an empty text or list."""
        return {name: value for name, value in values.items() if not is_default(cls, name, value)}
