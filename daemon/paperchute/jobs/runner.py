"""One job's way: steps, delivery, filing. Every stage can be entered again after a crash and goes on from there."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from loguru import logger

from paperchute.errors import PaperchuteError
from paperchute.events import Observer
from paperchute.files import placement
from paperchute.files.names import listed
from paperchute.files.reader import ReaderError
from paperchute.jobs import delivery, error_texts, originals, publication
from paperchute.jobs.calls import Caller
from paperchute.jobs.circuit import hopeless
from paperchute.jobs.decision import decision_of
from paperchute.jobs.document_fields import UNSURE, UnsureError, needs_you_text
from paperchute.jobs.duplicates import (
    DUPLICATE,
    DuplicateError,
    First,
    done_before,
    first_like,
    first_of,
    is_asked_for,
    keep_fingerprint,
    told,
)
from paperchute.jobs.error_texts import error_text
from paperchute.jobs.inputs import (
    back_to_watching,
    changes_of,
    gone_of,
    in_reach,
    is_beside,
    late_files,
    late_sidecars,
)
from paperchute.jobs.journal import Journal
from paperchute.jobs.model import Changed, DeliveryPlan, FilingPlan, Job, Outcome
from paperchute.jobs.refusal import refusal_of
from paperchute.jobs.steps import Stepper
from paperchute.jobs.work import Service, Settings, Work
from paperchute.language import _
from paperchute.redaction import clean
from paperchute.rules.document_fields import FINGERPRINT
from paperchute.rules.requirements import absent_files, broken_senders
from paperchute.service.model import InputChangedError, ServiceError

_LOOK_SECONDS = 2.0  # until a job looks again whether its input was found under its new name
_RENAMED_SECONDS = 60.0  # beyond what its rule waits, until nobody will find it
_ABSENT_SECONDS = 10.0  # until a job looks again whether what its rule names is there
_EXPIRED = "05004"  # contract.toml: the result is no longer there


class Runner:
    """Runs jobs. Stateless but for its tools and its end, so any number of workers may share one."""

    def __init__(
        self, journal: Journal, service: Callable[[str], Service], settings: Settings, observer: Observer
    ) -> None:
        """service: the client of a name, which may be another after the rule file has changed. Raises ServiceError."""
        self._journal = journal
        self._settings = settings
        self._is_ending = False
        self._caller = Caller(journal, service, settings, observer)
        self._stepper = Stepper(journal, self._caller, settings)

    def run(self, job: Job) -> Outcome:
        """Take a job as far as it goes. Never raises for anything that a file, service or disk can do."""
        try:
            return self._run(job)
        except ServiceError as error:
            try:
                return self._service_failed(job, error)
            except OSError as refusal:
                return self._storage_failed(job, refusal)
        except OSError as error:
            return self._storage_failed(job, error)
        except UnsureError as error:
            self._journal.plans.plan_failure(job, error.what, UNSURE, needs_you_text(job, error))
            return self._again(job)
        except PaperchuteError as error:
            code = DUPLICATE if isinstance(error, DuplicateError) else None
            if job.facts is not None and job.facts.warnings:  # a folder of which too little is taken, most likely
                error = PaperchuteError(" ".join([error.what, *job.facts.warnings]), error.advice)
            self._journal.plans.plan_failure(
                job, error.what, code, error_text(job, error, self._journal.history.events(job.id))
            )
            return self._again(job)

    def end(self) -> None:
        """The program ends, and calls under way with it: what that cuts off is no failure, and goes on next time."""
        self._is_ending = True

    def give_up(self, job: Job) -> Outcome:
        """Fail a job that faults of ours keep from its end. May raise anything itself."""
        job = self._fresh(job)
        if job.stage != "failing":
            problem = PaperchuteError(
                _("{name} could not be done: Paperchute met an internal error three times.", name=job.path.name),
                _("Please report it with what the log says."),
            )
            events = self._journal.history.events(job.id)
            self._journal.plans.plan_failure(job, problem.what, "fault", error_text(job, problem, events))
        return self._again(job)

    # ---------- the stages ----------

    def _run(self, job: Job) -> Outcome:
        in_reach(job)
        if job.stage in ("steps", "failing") and (late := late_files(job)):
            names = listed([path.name for path in late])
            note = _("{names} arrived in its folder, so it starts again.", names=names)
            return self._cancel(job, note, back_to_watching(job))
        if job.stage == "failing":
            return self._fail(job)
        if not job.rule.steps:
            raise _unreadable(job)
        if job.stage == "delivering":
            plan = self._journal.plans.delivery(job)
            if plan is None:
                raise _unreadable(job)
            if not delivery.is_whole(job, plan):
                self._journal.plans.deliver_again(job)
                return self._again(job)
            return self._publish(job, plan)
        if job.stage == "steps":
            if gone := gone_of(job):
                return self._gone(job, gone)
            standing = self._settings.standing(job)
            if job.undecided:
                return self._decide(job)
            if standing.changed and not self._journal.calls.have_begun(job):
                if job.members or standing.rule is None:
                    return self._cancel(job, _("Its rule has changed."), back_to_watching(job))
                self._journal.inserts.take_rule(job, standing.rule)
                return self._again(job)
            if late_sidecars(job):
                return self._cancel(job, _("A file that says more about it has come."), back_to_watching(job))
            self._heed(job)
            if job.rule.original == "keep" and done_before(self._journal, job):
                return self._cancel(job, _("Only its times have changed since it was done."), ())
            try:
                if job.rule.duplicates != "process" and (outcome := self._done_before(job)):
                    return outcome
            except InputChangedError as error:
                if gone := gone_of(job):
                    return self._gone(job, gone)
                return self._cancel(job, error.what, back_to_watching(job))
            if absent := absent_files(job.rule):
                if self._settings.in_force(job):
                    return self._waits_for_files(job, absent)
                return self._cancel(job, _("Its rule has changed."), back_to_watching(job))
            work = self._resumed(job) if job.started is not None else Work(job)
            try:
                plan = self._stepper.prepared(work)
            except InputChangedError as error:
                if gone := gone_of(job):
                    return self._gone(job, gone)
                return self._cancel(job, error.what, changes_of(job, work.hashes) or back_to_watching(job))
            if changes := changes_of(job, work.hashes):
                if gone := gone_of(job):
                    return self._gone(job, gone)
                return self._cancel(job, _("It changed while it was being worked on."), changes)
            self._journal.plans.plan_delivery(job, plan)
            return self._publish(job, plan)
        return self._file(job, self._journal.plans.filings(job), self._journal.plans.delivery(job))

    def _decide(self, job: Job) -> Outcome:
        """Find which rules have a file by what its document says, and go on under the first of them.

        Raises UnsureError where that is not sure, and what reading raises.
        """
        if late_sidecars(job):
            return self._cancel(job, _("A file that says more about it has come."), back_to_watching(job))
        ladder = self._settings.ladder(job)
        if not ladder:
            return self._cancel(job, _("Its rule has changed."), back_to_watching(job))
        if ladder[0].fingerprint != job.rule.fingerprint:
            self._journal.decisions.begin_with(job, ladder[0])
            return self._again(job)
        if spoilt := next(filter(None, map(broken_senders, ladder)), ""):
            return self._waits_for_files(job, spoilt)
        work = self._resumed(job)
        try:
            decision = decision_of(self._journal, self._stepper, work, ladder)
        except InputChangedError as error:
            if gone := gone_of(job):
                return self._gone(job, gone)
            return self._cancel(job, error.what, changes_of(job, work.hashes) or back_to_watching(job))
        names = [rule.fingerprint for rule in ladder]
        if not decision.takers:
            self._clear(job)
            self._journal.decisions.leave(job, names, decision.told)
            logger.bind(job=job.id).info("no rule has {}: {}", job.path, decision.told)
            return Outcome("cancelled", self._fresh(job))
        if not self._journal.decisions.take(job, decision.takers, names, decision.told):
            return self._cancel(job, _("Its rules have done it, or are at it."), ())
        return self._again(job)

    def _done_before(self, job: Job) -> Outcome | None:
        """Skip a file that the rule has done before, or wait for the job that may be doing it; None to go on with it.

        Raises DuplicateError where the rule asks.
        """
        if not job.members or self._journal.calls.have_begun(job, steps_only=True) or is_asked_for(self._journal, job):
            return None
        first = first_of(self._journal, job) or self._like(job)
        if first is None:
            return None
        if first.job.state not in ("done", "warned"):
            waits = _("It waits for job {number}, which may be at the same file.", number=first.job.id)
            self._journal.queue.wait_until(job.id, time.time() + _ABSENT_SECONDS, waits, None, attempt=False)
            return Outcome("waiting", self._fresh(job))
        said = told(self._journal, first)
        if job.rule.duplicates == "ask":
            raise DuplicateError(job, said)
        if first.likeness == "unsure":
            self._journal.history.note(job, "noted", said)
            return None
        note, planned = _("skipped: {reason}", reason=said), originals.plans_for(job)
        self._journal.plans.delivered(job, (), note, planned)
        return self._file(replace(job, stage="filing", note=note), planned, None)

    def _like(self, job: Job) -> First | None:
        """Find the job that has done the same document by its content, where the rule compares that.

        A document that the engine refuses is compared with none: the rule's own steps say what is wrong with it.
        """
        if job.rule.duplicates_by != "content" or len(job.members) != 1:
            return None
        try:
            content = self._journal.fingerprints.of(job)
            if content is None:
                content = self._stepper.documents.fingerprint(self._resumed(job))
                keep_fingerprint(self._journal, job, content)
            return first_like(self._journal, job, content)
        except ServiceError as error:
            if self._caller.decide(job, error).kind != "fail":
                raise
            self._journal.calls.refused(job, FINGERPRINT)
            said = error.what
        except ReaderError as error:
            said = error.what
        self._journal.history.note(job, "noted", _("It was not compared with other documents: {why}", why=said))
        return None

    def _gone(self, job: Job, gone: Path) -> Outcome:
        """Go on under the new name of an input that was renamed; end the job of one that was removed."""
        fresh = self._fresh(job)
        if fresh.path != job.path:  # the intake has found it
            self._discard(job)
            return self.run(fresh)
        removed = _("{name} was removed before it was done.", name=gone.name)
        if not is_beside(job):
            return self._cancel(job, removed, back_to_watching(job))
        renamed = _("{name} has another name now, under which it is looked for.", name=gone.name)
        events = self._journal.history.events(job.id)
        since = next((event.at for event in events if event.text == clean(renamed)), time.time())
        if time.time() - since > _RENAMED_SECONDS + job.rule.settle:  # no rule takes it by that name
            return self._cancel(job, removed, back_to_watching(job))
        self._journal.queue.wait_until(job.id, time.time() + _LOOK_SECONDS, renamed, None, attempt=False)
        return Outcome("waiting", self._fresh(job))

    def abandon(self, job: Job) -> None:
        """Have the service end what it does for a job whose input was removed."""
        self._caller.abandon(job)

    def _heed(self, job: Job) -> None:
        """Tell the job that a set came too late for. Raises PaperchuteError when the set must not be done as it is."""
        facts = job.facts
        if facts is None:
            return
        if facts.after is not None:
            known = self._members_of(facts.after)
            late = listed([member.path.name for member in job.members if member.path not in known])
            said = _("{files} arrived too late for the result (job {job} says more).", files=late, job=job.id)
            error_texts.write_warnings(self._journal, self._journal.completion.warn_afterwards(facts.after, said))
        if facts.held:
            raise PaperchuteError(facts.held)

    def _members_of(self, number: int) -> set[Path]:
        job = self._journal.queries.job(number)
        return {member.path for member in job.members} if job is not None else set()

    def _resumed(self, job: Job) -> Work:
        draft = self._journal.plans.delivery(job)
        if draft is not None and any(event.kind == "renamed" for event in self._journal.history.events(job.id)):
            delivery.discard(job, draft)
            draft = None  # it may be that of the name before
        return Work(job, self._journal.calls.memos(job), draft)

    def _publish(self, job: Job, plan: DeliveryPlan) -> Outcome:
        made = publication.publish(self._journal, job, plan)
        planned = originals.plans_for(job)
        warnings = self._journal.plans.delivered(job, made.written, made.note, planned)
        job = replace(job, stage="filing", outputs=tuple(made.outputs), note=made.note, warnings=warnings)
        is_gone = bool(made.written) and not plan.is_folder  # by its rename
        return self._file(job, planned, None if is_gone else plan)

    def _file(self, job: Job, planned: Mapping[int, FilingPlan], delivered: DeliveryPlan | None) -> Outcome:
        placement.remove(self._stepper.folder(job))
        if delivered is not None:
            delivery.discard(job, delivered)
        if job.warnings:
            error_texts.write_warnings(self._journal, job)
        if not (job.rule.also and self._journal.completion.leave(job, "done")):
            self._file_last(job, planned)
        log = logger.bind(job=job.id)
        log.info("done: {} -> {}", job.path, ", ".join(str(o) for o in job.outputs) or job.note)
        for sentence in job.warnings:
            log.warning("{}: {}", job.path, sentence)
        return Outcome("done", replace(job, state="warned" if job.warnings else "done"))

    def _file_last(self, job: Job, planned: Mapping[int, FilingPlan]) -> None:
        """The original's own end; where another rule has failed on it, it goes where that failure is put right."""
        failed = self._journal.completion.failed_companions(job) if job.rule.also else []
        if failed:
            originals.file_failure(self._journal, failed[0], failed[1:])
            if job.rule.original != "keep":
                self._journal.completion.let_retry(failed)
            self._journal.completion.finish(
                job, "done", kept=True
            )  # it need not be done again when the original comes back
            return
        whole = (
            replace(job, members=self._journal.completion.members_of_all(job)) if job.rule.also and job.is_set else job
        )
        fate = originals.file_originals(self._journal, whole, planned)
        originals.put_right(self._journal, job)
        error_texts.forget_error_text(self._journal, job)
        self._journal.completion.finish(job, "done", kept=fate == "kept", unfiled=fate == "away")

    def _fail(self, job: Job) -> Outcome:
        if job.error_code == UNSURE:  # what steps have made is looked at until a person has answered
            self._discard(job)
        else:
            self._clear(job)
        self._close_calls(job)
        if not (job.rule.also and self._journal.completion.leave(job, "failed")):
            failed = self._journal.completion.failed_companions(job) if job.rule.also else []
            kept = originals.file_failure(self._journal, job, failed)
            if not kept:
                self._journal.completion.let_retry(failed)
            self._journal.completion.finish(job, "failed", kept=kept)
        job = self._fresh(job)
        logger.bind(job=job.id).warning("failed: {}: {}", job.path, job.error)
        return Outcome("failed", job)

    def _close_calls(self, job: Job) -> None:
        """Have a retry by a person ask again: under the same key for what has no answer, anew for what has expired."""
        for (number, part), memo in self._journal.calls.memos(job).items():
            if memo.answer is None and memo.task is None and memo.sent is not None:
                self._journal.calls.withdrawn(job, number, part)
            elif memo.answer is not None and memo.outputs is None and job.error_code == _EXPIRED:
                self._journal.calls.forget_answer(job, number, part)

    # ---------- when something fails ----------

    def _cancel(self, job: Job, note: str, changed: tuple[Changed, ...]) -> Outcome:
        in_reach(job)
        self._clear(job)
        self._journal.completion.cancel(job, note, kept=not changed)
        logger.bind(job=job.id).info("cancelled: {}: {}", job.path, note)
        return Outcome("cancelled", job, changed=changed)

    def _waits_for_files(self, job: Job, absent: str) -> Outcome:
        """The job is as good as its rule: it goes on when the template, or whatever the rule names, is back."""
        what = _("Rule '{rule}': {problem}. The work waits for it.", rule=job.rule.name, problem=absent)
        logger.bind(job=job.id).warning("{}", what)
        self._journal.queue.wait_until(job.id, time.time() + _ABSENT_SECONDS, what, None, attempt=False)
        return Outcome("waiting", job)

    def _service_failed(self, job: Job, error: ServiceError) -> Outcome:
        if self._is_ending and not error.answered:
            self._journal.queue.requeue(job.id)
            said = _("Stopping; unfinished work continues after the next start.")
            return Outcome("waiting", replace(job, error=said))
        if job.stage == "steps" and error.kind != "down" and (gone := gone_of(job)):
            return self._gone(job, gone)
        decision = self._caller.decide(job, error)
        match decision.kind:
            case "service":  # it stays taken until all know that this service does no work
                return Outcome("service", job, error=error)
            case "retry":
                self._journal.queue.wait_until(
                    job.id, time.time() + decision.delay, str(error), error.code, attempt=decision.attempt
                )
                return Outcome("waiting", job, error=error)
            case "fail":
                text = error_text(job, error, self._journal.history.events(job.id))
                self._journal.plans.plan_failure(job, error.what, error.code or None, text, answered=error.answered)
                return self._again(job)

    def _storage_failed(self, job: Job, error: OSError) -> Outcome:
        refusal = refusal_of(job, error)
        what = refusal.what
        logger.bind(job=job.id).warning("{}", what)
        if hopeless(error) and job.stage != "failing":
            problem = PaperchuteError(what, _("Check the name and the folder."))
            self._journal.plans.plan_failure(
                job, what, None, error_text(job, problem, self._journal.history.events(job.id))
            )
            return self._again(job)
        self._journal.queue.wait_until(job.id, time.time() + refusal.pause, what, "storage", attempt=False)
        return Outcome("storage", self._fresh(job), alone=refusal.pause > 0)

    def _clear(self, job: Job) -> None:
        """Take back what was received and will not be delivered."""
        placement.remove(self._stepper.folder(job))
        self._discard(job)

    def _discard(self, job: Job) -> None:
        if plan := self._journal.plans.delivery(job):
            delivery.discard(job, plan)

    def _again(self, job: Job) -> Outcome:
        return self.run(self._fresh(job))

    def _fresh(self, job: Job) -> Job:
        fresh = self._journal.queries.job(job.id)
        assert fresh is not None
        return fresh


def _unreadable(job: Job) -> PaperchuteError:
    return PaperchuteError(
        _("{name} was taken by another version of Paperchute, whose notes this one cannot read.", name=job.path.name),
        _("Try it again: the current rules then apply."),
    )
