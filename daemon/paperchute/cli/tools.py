"""The tools that `mcp` offers: verbs of the command line, each in a process of its own, with what it may touch checked.

Whoever calls them may have been led by a document that it has read. So they name no file outside of the folders that
somebody has shared, no secret, no address, and spend nothing.
"""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from paperchute.children import apart
from paperchute.cli.context import Context
from paperchute.cli.operations import check_done, known_operation
from paperchute.contract import Operation, ValueRefused, accept
from paperchute.errors import PaperchuteError
from paperchute.files.beneath import holder
from paperchute.invocation import again
from paperchute.language import _
from paperchute.redaction import clean, clean_lines
from paperchute.rules.steps import named_hosts

if TYPE_CHECKING:
    from paperchute.rules.settings import RuleFile


_MOST_TEXT = 40_000
"""Characters of one answer: about 10,000 tokens of a model, of whose memory a longer one would take all."""


@dataclass(frozen=True)
class Shared:
    """What the person who started `mcp` lets the assistant reach: the hot folders, and one folder."""

    chosen: Context
    folder: Path | None

    def check(self) -> RuleFile:
        """Give the rule file as it is now. Raises RuleFileError, and PaperchuteError for a folder that cannot be."""
        rules = self.chosen.rules()
        if self.folder is not None:
            if not self.folder.is_dir():
                raise PaperchuteError(_("There is no folder {value}.", value=self.folder))
            real = self.folder.resolve()
            for rule in rules.rules:
                hot = rule.folder.resolve()
                if hot.is_relative_to(real) or real.is_relative_to(hot):
                    raise PaperchuteError(
                        _("Results in {folder} would be taken for files that were dropped.", folder=self.folder),
                        _("Name a folder that is apart from the hot folder {hot}.", hot=rule.folder),
                    )
        return rules

    def found(self, name: str) -> tuple[Path, Path]:
        """(the shared folder, the path below it) for what an assistant names. Raises PaperchuteError for any other."""
        path = Path(os.path.abspath(Path(name).expanduser()))  # noqa: PTH100 -- resolve() follows links
        roots = [rule.folder for rule in self.check().rules if rule.enabled]
        for root in [*roots, *([self.folder] if self.folder else [])]:
            if path.is_relative_to(root) and path != root:
                return root, path
        raise PaperchuteError(
            _("{name} is in no folder that is shared with assistants.", name=path),
            _("These are the hot folders, and the folder that `paperchute mcp` is given."),
        )

    def copy(self, name: str, place: Path) -> Path:
        """Copy a shared file into the folder `place`, without following links. Raises PaperchuteError."""
        root, path = self.found(name)
        copied = place / path.name
        try:
            place.mkdir()
            with holder(root, path) as (folder, last), folder.open(last) as source, copied.open("xb") as target:
                shutil.copyfileobj(source, target)
                mode = stat.S_IMODE(os.fstat(source.fileno()).st_mode)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise PaperchuteError(_("{name} cannot be read ({reason}).", name=path, reason=reason)) from error
        copied.chmod(mode | stat.S_IRUSR | stat.S_IWUSR)  # what others may not read, results keep from them
        return copied


class Arguments(BaseModel):
    """Arguments of a tool; what it does not know is refused."""

    model_config = ConfigDict(extra="forbid", strict=True)


class OperationsArguments(Arguments):
    """Arguments of `operations`."""

    operation: Annotated[str | None, Field(description="One operation's id, for its parameters.")] = None


class JobsArguments(Arguments):
    """Arguments of `jobs`."""

    job: Annotated[int | None, Field(ge=1, description="The number of one job, for it alone.")] = None
    state: Annotated[str | None, Field(description="Only jobs in this state, such as failed or done.")] = None
    limit: Annotated[int, Field(ge=1, le=200, description="How many at most, newest first.")] = 20


class ExplainArguments(Arguments):
    """Arguments of `explain`."""

    file: Annotated[str, Field(description="A path in a hot folder or the shared folder; need not exist.")]


class UndoArguments(Arguments):
    """Arguments of `undo`."""

    job: Annotated[int, Field(ge=1, description="The job's number, as `jobs` gives it.")]
    confirm: Annotated[bool, Field(description="Do it. Without this, it is only shown.")] = False


class DoArguments(Arguments):
    """Arguments of `do`."""

    operation: Annotated[str, Field(description="An operation's id, as `operations` lists them.")]
    files: Annotated[list[str], Field(max_length=1000, description="Files in hot folders or the shared one, in order.")]
    parameters: Annotated[
        dict[str, str | int | float | bool | list[Any] | dict[str, Any]],
        Field(description="By name, as `operations` tells them; passwords and addresses are refused."),
    ] = {}


@dataclass(frozen=True)
class Tool:
    """One tool."""

    name: str
    about: str
    arguments: type[Arguments]
    work: Callable[[Shared, Any], Awaitable[tuple[str, bool]]]
    only_reads: bool = True
    needs_folder: bool = False

    async def call(self, shared: Shared, given: Mapping[str, Any]) -> tuple[str, bool]:
        """Give (what it says, whether it failed)."""
        try:
            said, failed = await self.work(shared, self.arguments.model_validate(given))
            return bounded_answer(said), failed
        except ValidationError as error:
            wrong = (f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors(include_input=False))
            return clean("; ".join(wrong)), True
        except PaperchuteError as error:
            return clean_lines(str(error)), True


async def _operations(shared: Shared, asked: OperationsArguments) -> tuple[str, bool]:
    return await _verb(shared, ["operations", *([known_operation(asked.operation).id] if asked.operation else [])])


async def _jobs(shared: Shared, asked: JobsArguments) -> tuple[str, bool]:
    state = [f"--state={asked.state}"] if asked.state else []
    one = [str(asked.job)] if asked.job is not None else []
    return await _verb(shared, ["jobs", "--json", f"--limit={asked.limit}", *state, *one])


async def _explain(shared: Shared, asked: ExplainArguments) -> tuple[str, bool]:
    root, path = shared.found(asked.file)
    try:
        with holder(root, path) as (folder, last):
            status = folder.status(last)
    except FileNotFoundError:
        status = None
    except (OSError, ValueError) as error:
        raise PaperchuteError(_("{name} cannot be read ({reason}).", name=path, reason=error)) from error
    if status is not None and stat.S_ISLNK(status.st_mode):
        raise PaperchuteError(_("{name} is a link, which is not followed.", name=path))
    return await _verb(shared, ["explain", str(path)])


async def _undo(shared: Shared, asked: UndoArguments) -> tuple[str, bool]:
    return await _verb(shared, ["undo", str(asked.job), *(["--yes"] if asked.confirm else [])])


async def _do(shared: Shared, asked: DoArguments) -> tuple[str, bool]:
    operation, rules = known_operation(asked.operation), shared.check()
    if rules.service.base_url:
        raise PaperchuteError(
            _("A remote service does the work here, and assistants spend nothing."),
            _("Put the file into a hot folder, whose rule says what may be spent."),
        )
    check_done(operation, rules.service)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        scratch = Path(name)
        copies = [shared.copy(file, scratch / str(number)) for number, file in enumerate(asked.files)]
        texts = _texts(operation, asked.parameters)
        for parameter in operation.parameters:
            if parameter.type == "file" and parameter.name in texts:
                texts[parameter.name] = str(shared.copy(texts[parameter.name], scratch / parameter.name))
        (work := scratch / "work").mkdir()
        words = [f"--parameter={name}={text}" for name, text in texts.items()]
        said, failed = await _verb(
            shared, ["do", "--json", f"--output={shared.folder}{os.sep}", *words, operation.id, *map(str, copies)], work
        )
    for copied, file in zip(copies, asked.files, strict=True):  # the copies are gone, and nobody knows their names
        said = said.replace(json.dumps(str(copied)), json.dumps(file))
    return said, failed


def _texts(operation: Operation, parameters: Mapping[str, Any]) -> dict[str, str]:
    """The parameters as the command line takes them. Raises PaperchuteError for what assistants may not name."""
    texts = {}
    for name, value in parameters.items():
        known = operation.parameter(name)
        if known is None:
            raise PaperchuteError(_("{operation} has no parameter '{name}'.", operation=operation.id, name=name))
        if known.is_secret:
            raise PaperchuteError(
                _("{name} takes a secret, and assistants name none.", name=name),
                _("A rule can, for what is put into its hot folder."),
            )
        if known.name in texts:
            raise PaperchuteError(_("{name} is given twice.", name=known.name))
        try:
            canonical = accept(known, value)
        except ValueRefused as error:
            raise PaperchuteError(f"{error}.") from None
        if hosts := named_hosts({known.name: canonical}):
            raise PaperchuteError(
                _("{name} names the address {host}, and assistants have nothing fetched.", name=name, host=hosts[0])
            )
        texts[known.name] = canonical if isinstance(canonical, str) else json.dumps(canonical)
    return texts


async def _verb(shared: Shared, words: Sequence[str], work: Path | None = None) -> tuple[str, bool]:
    """Run a verb in a process that ends with the call; (what it says, whether it failed).

    work: where it keeps what it needs for a while.
    """
    from anyio import run_process

    options = {"--rules": shared.chosen.rules_option, "--state": shared.chosen.state_option}
    own = [word for name, path in options.items() if path for word in (name, str(path.expanduser().absolute()))]
    places = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(work)) if work else {}
    done = await run_process(
        [*again(), *own, *words],
        stdin=subprocess.DEVNULL,
        check=False,
        env={**os.environ, **places, "PYTHONIOENCODING": "utf-8"},
        **apart(),
    )
    said = "\n".join(one.decode("utf-8", "replace").strip() for one in (done.stdout, done.stderr))
    return clean_lines(said.strip()), done.returncode != 0


def bounded_answer(said: str) -> str:
    """Shorten what a verb has said where it is too long, with a word in the place of what is left out.

    What failed comes first then: an assistant that hears of results alone would not tell what they lack.
    """
    if len(said) <= _MOST_TEXT:
        return said
    try:
        value, end = json.JSONDecoder().raw_decode(said)
    except ValueError:
        value, end = None, 0
    if isinstance(value, list):
        value.sort(key=lambda one: not (isinstance(one, dict) and one.get("error")))
    for most in (200, 50, 10, 3):
        short = "" if value is None else json.dumps(_shortened(value, most))
        if value is not None and len(short) + len(said) - end <= _MOST_TEXT:
            return short + said[end:]
    return said[:_MOST_TEXT] + _left_out(len(said) - _MOST_TEXT)


def _shortened(value: Any, most: int) -> Any:
    """The value with at most so many entries of each list, and ten times as many characters of each text."""
    if isinstance(value, list):
        more = [_left_out(len(value) - most)] if len(value) > most else []
        return [*(_shortened(one, most) for one in value[:most]), *more]
    if isinstance(value, dict):
        return {key: _shortened(one, most) for key, one in value.items()}
    if isinstance(value, str) and len(value) > 10 * most:
        return value[: 10 * most] + _left_out(len(value) - 10 * most)
    return value


def _left_out(count: int) -> str:
    return f" [... {count} more left out]"


TOOLS = (
    Tool(
        "operations",
        "List what can be done with documents, or the parameters of one.",
        OperationsArguments,
        _operations,
    ),
    Tool("jobs", "List jobs of the hot folders as JSON, newest first, with errors and warnings.", JobsArguments, _jobs),
    Tool("explain", "Say for a file which rule takes it, and why the others do not.", ExplainArguments, _explain),
    Tool(
        "undo",
        "Take back a job: results go to the trash, originals to where they were dropped. Shows it unless confirmed.",
        UndoArguments,
        _undo,
        only_reads=False,
    ),
    Tool(
        "do",
        "Run one operation on files now, with the built-in engine. Results go into the shared folder, over no file.",
        DoArguments,
        _do,
        only_reads=False,
        needs_folder=True,
    ),
)
"""What is offered. The texts are for models, which read English best."""
