"""A job's inputs: what its files are to its steps, and whether they are still what the job was made for."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from paperchute.contract import Value, contract
from paperchute.errors import PaperchuteError
from paperchute.files import beneath
from paperchute.files.identity import FileKey, hash_of, key_from, key_of
from paperchute.files.open_files import writer_open
from paperchute.files.sets import TransferError, inside
from paperchute.jobs.lists import MOST_BYTES as MOST_LIST_BYTES
from paperchute.jobs.lists import Row, overrides_of, rows_of
from paperchute.jobs.model import Changed, Job, Member, originals_of
from paperchute.jobs.work import Work
from paperchute.language import _
from paperchute.rules.match import lead_stem
from paperchute.rules.model import Rule
from paperchute.rules.secrets import LOCKS, PASSWORDS, is_reference, resolve
from paperchute.rules.sidecar import (
    JOB_FILE,
    MOST_BYTES,
    NOT_ALLOWED,
    SUFFIX,
    FileOverrides,
    Overrides,
    is_for_rule_alone,
    may_name,
    plain_name,
)
from paperchute.service.model import InputChangedError

_NEVER_CLOSED_SECONDS = 60.0  # a file kept open for so long without a change is not being written


@dataclass(frozen=True)
class Inputs:
    """What a job's files are to its steps, once they and what lies beside them were read."""

    files: tuple[Path, ...]
    """The files for the first step, in order."""
    rows: tuple[Row, ...] | None = None
    """The rows of the list, where each is a call of its own."""
    given: tuple[Mapping[str, Value], ...] = ()
    """For each step the values that stand over the rule's, secrets themselves; never written down."""
    pages: Mapping[Path, str] = field(default_factory=dict)
    """The pages to take of single files of a merge."""
    passwords: Mapping[Path, str] = field(default_factory=dict)
    """The passwords of single files of a merge; never written down."""
    list_name: str = ""
    """The file that holds the rows."""

    def over(self, number: int) -> Mapping[str, Value]:
        """Return what stands over the rule's values in a step."""
        return self.given[number] if self.given else {}

    def all_passwords(self) -> Iterator[str]:
        """Those that the files beside the inputs give, for whichever input and step."""
        yield from self.passwords.values()
        for values in self.given:
            for name in (*PASSWORDS, *LOCKS):
                value = values.get(name, [])
                yield from (str(one) for one in (value if isinstance(value, list) else [value]) if one)


def inputs_of(work: Work) -> Inputs:
    """Read what a job's files say.

    Raises PaperchuteError for what cannot be followed, InputChangedError and OSError.
    """
    job = work.job
    beside = sidecars_of(job)
    sidecars = [member for member in job.members if member.path in beside]
    files = tuple(member.path for member in job.members if member.path not in beside)
    rows, list_name = None, ""
    if job.rule.gather == "rows":
        lists = [m for m in job.members if m.path in files and lead_stem(job.rule, m.path) is None]
        list_name = lists[0].path.name
        rows = rows_of(list_name, _content(work, lists[0], MOST_LIST_BYTES))
        files = tuple(path for path in files if path != lists[0].path)
    overrides = {member.path: _overrides(work, member, files) for member in sidecars}
    return _with_overrides(job, Inputs(files, rows, list_name=list_name), overrides)


def sidecars_of(job: Job) -> frozenset[Path]:
    """Those of its members that are not inputs but say something about them."""
    paths = {member.path for member in job.members}
    if job.is_set:
        return frozenset(paths & {job.path / JOB_FILE})
    return frozenset(paths & {path.with_name(path.name + SUFFIX) for path in paths})


def late_sidecars(job: Job) -> list[Path]:
    """Overrides that have come after the job was made: with them it is another one. Raises OSError."""
    if job.is_set:
        return [path for path in (job.path / JOB_FILE,) if path not in sidecars_of(job) and key_of(path) is not None]
    known = {member.path.name for member in job.members}
    # of a claimed file it comes where the file was dropped
    places = (original.home.with_name(original.home.name + SUFFIX) for original in originals_of(job))
    return [p for p in places if p.name not in known and not p.name.endswith(2 * SUFFIX) and key_of(p) is not None]


def _content(work: Work, member: Member, most: int) -> bytes:
    """The bytes of a member, which must be what the job was made for."""
    if member.key.size > most:
        raise PaperchuteError(
            _("{name} is larger than {most} MB.", name=member.path.name, most=most >> 20), _("Split it.")
        )
    try:
        with beneath.reading(member.path, work.job.rule.folder) as file:
            content = file.read(member.key.size + 1)
            now = key_from(os.fstat(file.fileno()))
    except FileNotFoundError as error:
        raise InputChangedError(member.path) from error
    if not now.same_bytes_likely(member.key) or len(content) != now.size:
        raise InputChangedError(member.path)
    work.learn([member.path], [hashlib.sha256(content).hexdigest()])
    return content


def _overrides(work: Work, member: Member, files: Sequence[Path]) -> Overrides:
    job = work.job
    content = _content(work, member, MOST_BYTES)
    if job.is_set:
        names = [path.relative_to(job.path).as_posix() for path in files]
        return overrides_of(f"{job.path.name}/{JOB_FILE}", content, job.rule, names)
    return overrides_of(member.path.name, content, job.rule, None)


def _with_overrides(job: Job, inputs: Inputs, overrides: Mapping[Path, Overrides]) -> Inputs:
    """The inputs as the overrides change them. Raises PaperchuteError."""
    files = list(inputs.files)
    given: list[dict[str, Value]] = [{} for _ in job.rule.steps]
    single: dict[Path, FileOverrides] = {}
    for place, override in overrides.items():
        if job.is_set:
            paths = {plain_name(path.relative_to(job.path).as_posix()): path for path in files}
            first = [paths[plain_name(name)] for name in override.order]
            files = [*dict.fromkeys([*first, *files])]
            single.update({paths[plain_name(name)]: one for name, one in override.files.items()})
        else:
            single.update({place.with_name(place.name[: -len(SUFFIX)]): one for one in override.files.values()})
        for number, values in enumerate(override.steps):
            given[number].update(_plain(job.rule, number, values))
    pages = {path: one.pages for path, one in single.items() if one.pages}
    passwords = {path: _secret(job.rule, one.password) for path, one in single.items() if one.password}
    if job.rule.steps[0].operation != "pdf-merge":
        for number, path in enumerate(files):
            given[0].update(_of_one(job, number, path.name, pages.get(path), passwords.get(path)))
        pages, passwords = {}, {}
    return replace(inputs, files=tuple(files), given=tuple(given), pages=pages, passwords=passwords)


def _of_one(job: Job, number: int, name: str, pages: str | None, password: str | None) -> dict[str, Value]:
    """Pages and password of one input as the parameters of its operation; pdf-insert has some for each of its files."""
    operation = contract().known(job.rule.steps[0].operation)
    named = {"pages": "pageRanges", "password": "password"}
    if operation.id == "pdf-insert":
        named = {"pages": "sourcePages", "password": "insertPassword"} if number else {"password": "targetPassword"}
    found: dict[str, Value] = {}
    for key, value in (("pages", pages), ("password", password)):
        if value is None:
            continue
        parameter = operation.parameter(named.get(key, ""))
        if parameter is None:
            raise PaperchuteError(
                _("{operation} takes no {key} for {name}.", operation=operation.id, key=key, name=name),
                _("Leave out {key}, and try again.", key=key),
            )
        found[parameter.name] = value
    return found


def _plain(rule: Rule, number: int, values: Mapping[str, Value]) -> dict[str, Value]:
    """A step's overrides, with the secrets in place of references to them. Raises PaperchuteError."""
    known = contract().known(rule.steps[number].operation)
    plain: dict[str, Value] = {}
    for name, value in values.items():
        parameter = known.parameter(name)
        if parameter is None or parameter.type == "file" or is_for_rule_alone(rule, number, parameter):
            raise PaperchuteError(_("Only the rule can set {name}.", name=name), _("Leave it out, and try again."))
        if not parameter.is_secret:
            plain[name] = value
        else:
            plain[name] = [_secret(rule, v) for v in value] if isinstance(value, list) else _secret(rule, str(value))
    return plain


def _secret(rule: Rule, text: str) -> str:
    """The secret that a file beside the inputs gives or names. Raises PaperchuteError."""
    if not may_name(rule, text):
        raise PaperchuteError(_("{message}.", message=_(NOT_ALLOWED)), _("Correct it, and try again."))
    return resolve(text) if is_reference(text) else text


# ---------- are they still what the job was made for? ----------


def in_reach(job: Job) -> None:
    """Raise OSError while the hot folder is away: what is not to be found then has not been taken away."""
    job.rule.folder.stat()


def changes_of(job: Job, hashes: tuple[str, ...]) -> tuple[Changed, ...]:
    """The input, when it is no longer what was sent, or somebody is writing to it. hashes: as `Work.hashes`."""
    if late_sidecars(job) or late_files(job):
        return back_to_watching(job)
    for index, member in enumerate(job.members):
        sha256 = hashes[index] or None
        if is_same(member.path, member.key, sha256) and not _being_written(member):
            continue
        now = key_of(member.path)
        gap = max(0.0, (now.mtime - member.key.mtime) / 1e9) if now else 0.0
        return back_to_watching(job, gap)
    return ()


def back_to_watching(job: Job, gap: float = 0.0) -> tuple[Changed, ...]:
    """Everything that the job was made for, to be judged again. gap: seconds that a change took; 0 = unknown."""
    paths = [job.path] if job.is_set else [member.path for member in job.members]
    return tuple(Changed(path, gap) for path in paths)


def gone_of(job: Job) -> Path | None:
    """Return the first input that is no longer in its place, or None. Raises OSError while the hot folder is away."""
    in_reach(job)
    return next((member.path for member in job.members if key_of(member.path) is None), None)


def is_beside(job: Job) -> bool:
    """Tell whether the one file or folder that is gone from its place lies beside it, under another name.

    Raises OSError.
    """
    first = job.members[0]
    if not first.key.inode or not (job.is_set or len(job.members) == 1):
        return False
    inside = first.path.relative_to(job.path)  # "." of a file
    try:
        return any(key_of(path / inside) == first.key for path in job.path.parent.iterdir())
    except FileNotFoundError:
        return False  # its folder has gone with it: a claim that others gave back


def _being_written(member: Member) -> bool:
    quiet = time.time() - member.key.mtime / 1e9
    return quiet < _NEVER_CLOSED_SECONDS and writer_open(member.path) is True


def late_files(job: Job) -> list[Path]:
    """Return what lies in the folder of a job's set and did not when the job was made. Raises OSError.

    Of a claimed set more comes where it was dropped.
    """
    if not job.is_set or job.facts is None:
        return []
    known = {member.path for member in (*job.members, *job.facts.others)}
    found: list[Path] = []
    for top in dict.fromkeys((job.path, job.home)):
        try:
            found += [top / name for name in inside(str(top)).files]
        except TransferError as transfer:
            found.append(Path(str(transfer)))
        except (FileNotFoundError, NotADirectoryError):
            continue
    return [path for path in found if path not in known]


def is_same(path: Path, key: FileKey, sha256: str | None = None) -> bool:
    """Tell if the file at `path` still is the one of `key`: by its stat, or where only times differ, by its hash."""
    now = key_of(path)
    if now is None or not now.same_bytes_likely(key):
        return False
    return now == key or sha256 is None or hash_of(path) == sha256
