"""What a person can do about one job from the page: open its file with a password, have it recognised, put it away."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from paperchute.app import failures, undoing
from paperchute.app.facts import unread_of
from paperchute.app.places import State
from paperchute.app.rule_changes import write
from paperchute.contract import contract
from paperchute.contract.recognition import SWITCH
from paperchute.errors import PaperchuteError
from paperchute.files.beneath import opened
from paperchute.jobs.document_fields import UNSURE, FieldSaid, decisive, fields_from, known_fields
from paperchute.jobs.document_fields import asked as asked_of
from paperchute.jobs.journal import Journal
from paperchute.jobs.model import Job
from paperchute.jobs.page_questions import PagesSaid, open_questions
from paperchute.language import _
from paperchute.notation.document_kinds import NAMES
from paperchute.redaction import in_use
from paperchute.rules import known_senders
from paperchute.rules.document_fields import NONE, accepted, needed
from paperchute.rules.match import plain
from paperchute.rules.sidecar import SUFFIX
from paperchute.rules.when import decide

_MOST = 100


class TypedPasswords:
    """Passwords that somebody has typed for a job, in memory only: a restart forgets them. Any thread may ask."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._of: OrderedDict[int, str] = OrderedDict()

    def keep(self, job: int, password: str) -> None:
        """For its next calls; from now on it is masked in whatever is told."""
        in_use(password)
        with self._lock:
            self._of[job] = password
            self._of.move_to_end(job)
            while len(self._of) > _MOST:
                self._of.popitem(last=False)

    def of(self, job: Job) -> tuple[str, ...]:
        """The one that was typed for it, if any."""
        with self._lock:
            password = self._of.get(job.id)
        return () if password is None else (password,)


def is_locked(job: Job) -> bool:
    """Decide whether it failed since no password opened its file."""
    return job.state == "failed" and contract().error_class(job.error_code or "", 200) == "password"


def is_of_its_file(job: Job) -> bool:
    """Decide whether it failed for what its file is, so that trying the very same again is of no use."""
    code = job.error_code or ""
    return job.state == "failed" and contract().error_class(code, 200) in ("bad-input", "no-content", "too-big")


def open_fields(journal: Journal, job: Job) -> dict[str, FieldSaid]:
    """Find the fields and pages that a job waits for, with what is known of them; none of a job that waits for none."""
    if job.state != "failed" or job.error_code != UNSURE:
        return {}
    asked = journal.decisions.asked(job)
    senders = asked[1] if asked is not None else job.rule.senders
    kept = journal.answers.said(job.id) or {}
    try:
        said = known_fields(kept, senders)
    except known_senders.SendersError:  # `check` says what is wrong with the list
        said = fields_from(kept)
    sure = decisive(said) | journal.answers.given(job.id)
    if asked is not None:
        return {name: said.get(name, FieldSaid()) for name in decide(asked[0], sure).open}
    fields = {name: said.get(name, FieldSaid()) for name in asked_of(job.rule, said) if not sure.get(name)}
    return fields | open_questions(journal, job)


def answer(journal: Journal, number: int, values: Mapping[str, str]) -> list[str]:
    """Keep a person's answers with a job, from any process, and have it go on once nothing is open.

    Returns the fields that are still open. Raises PaperchuteError where the job waits for no answer, for a value that
    its field cannot have, and where its original is not at its place; no answer is lost with the last. Where a field
    decides which rule has the document, `NONE` or an empty answer says that the document has none.
    """
    job = undoing.job_of(journal, number)
    fields = open_fields(journal, job)
    if job.state != "failed" or job.error_code != UNSURE:
        raise PaperchuteError(_("Job {job} does not wait for an answer.", job=number))
    kept = {}
    for name, text in values.items():
        if name not in fields and (job.undecided or name not in needed(job.rule)):
            still = _("Open are: {fields}.", fields=", ".join(fields)) if fields else ""
            raise PaperchuteError(_("Its rule asks for no {field}.", field=name), still)
        try:
            kept[name] = _accepted(job, name, fields.get(name), text)
        except ValueError as error:
            raise PaperchuteError(
                _("{value} cannot be its {field}.", value=repr(text), field=name), _("Give {what}.", what=error)
            ) from None
    journal.answers.give(job, kept)
    unwritten = _remembered(journal, job, kept["sender"]) if kept.get("sender") else ""
    left = list(open_fields(journal, job))
    if not left and (problems := failures.retry(journal, number)):
        raise PaperchuteError(problems[0])
    if unwritten:
        raise PaperchuteError(_("The answer is kept, but the list of senders was not written."), unwritten)
    return left


def _accepted(job: Job, name: str, said: FieldSaid | None, text: str) -> str:
    """Return an answer as it is kept. Raises ValueError, with what it should be in words."""
    if isinstance(said, PagesSaid):
        return said.question.accepted(text)
    return _decided(name, text) if job.undecided else accepted(name, text)


def _decided(field: str, text: str) -> str:
    """Return an answer by which rules have a document; of a kind that none can ask for, nobody would have it."""
    if text.strip() in ("", NONE):
        return ""
    if field == "kind" and text.strip() not in NAMES:
        raise ValueError(_("one of {kinds}", kinds=" ".join(NAMES)))
    return accepted(field, text)


def _remembered(journal: Journal, job: Job, name: str) -> str:
    """Write an answered sender into the list of known ones, unless it is there; why it could not be, else nothing."""
    asked = journal.decisions.asked(job)
    path = Path(asked[1] if asked is not None else job.rule.senders)
    if path == Path():
        return ""
    try:
        senders, text = known_senders.read(path), known_senders.text_of(path)
        if any(plain(one.name) == plain(name) for one in senders):
            return ""
        if lock := next((one for one in _locks(path) if one.exists()), None):
            return _("{path} is open in another program ({lock}).", path=path, lock=lock.name)
        said = fields_from(journal.answers.said(job.id) or {}).get("iban", FieldSaid())
        iban = "" if any(one.iban == said.value for one in senders) else said.value
        write(path, text, known_senders.with_line(text, {"name": name, "iban": iban}))
    except PaperchuteError as error:
        return str(error)
    return ""


def _locks(path: Path) -> tuple[Path, ...]:
    """Return what LibreOffice and Microsoft Office leave beside a file while it is open."""
    return path.with_name(f".~lock.{path.name}#"), path.with_name(f"~${path.name}")


def is_unrecognised(journal: Journal, job: Job) -> bool:
    """Decide whether it was done with warnings, of a single file with pages that its rule did not let be recognised."""
    off = any(step.parameters.get(SWITCH) in (False, 0, "0") for step in job.rule.steps)
    if not off or job.state != "warned" or len(job.members) != 1 or job.is_set:
        return False
    original = failures.original_of(journal, job.id)
    return original is not None and _is_scan(original, job.id)


@lru_cache(maxsize=500)
def _is_scan(path: Path, _job: int) -> bool:
    """Tell whether there are pages that nobody reads without recognition; a reader process looks once for each job."""
    unread = unread_of(path, "")
    return bool(unread.pages or unread.pictures)


def recognise(journal: Journal, state: State, number: int) -> None:
    """Take a job back, and have it done again with recognition, which a text beside its file asks for.

    Raises PaperchuteError where it cannot be taken back or there is such a text, and OSError.
    """
    job = undoing.job_of(journal, number)
    if not is_unrecognised(journal, job):
        raise PaperchuteError(
            _("Text recognition cannot help with {name}.", name=job.path.name), _("Look at what its warnings say.")
        )
    beside = job.home.with_name(job.home.name + SUFFIX)
    if beside.exists():
        raise PaperchuteError(
            _("{path} is there already.", path=beside), _("Write into it: parameters = {what}", what=_RECOGNISED)
        )
    left = undoing.undo_jobs(journal, state, [job])[1]
    if left:
        raise PaperchuteError(left[0].why)
    with opened(beside.parent) as folder, folder.create(beside.name) as file:
        file.write(f"parameters = {_RECOGNISED}\n".encode())
    failures.retry(journal, number)


_RECOGNISED = f"{{ {SWITCH} = true }}"
