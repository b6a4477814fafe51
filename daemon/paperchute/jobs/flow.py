"""One job's way: steps, delivery, filing. Every stage can be entered again after a crash and goes on from there."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from loguru import logger

from paperchute.errors import PaperchuteError
from paperchute.files import placement
from paperchute.files.identity import key_of
from paperchute.files.names import OWN_TEMPORARY
from paperchute.jobs import delivery, filing, publishing
from paperchute.jobs.calling import Caller
from paperchute.jobs.error_text import error_text
from paperchute.jobs.inputs import back_to_watching, changes_of, done_before, in_reach
from paperchute.jobs.journal import Journal
from paperchute.jobs.lateness import late_files, named
from paperchute.jobs.material import late_asides
from paperchute.jobs.records import Changed, DeliveryPlan, FilingPlan, Job
from paperchute.jobs.retry import hopeless
from paperchute.jobs.stepping import Stepper
from paperchute.jobs.unlocking import Opener
from paperchute.jobs.work import Service, Work
from paperchute.rules.reachable import absent_files
from paperchute.service.model import InputChangedError, ServiceError

_ABSENT_SECONDS = 10.0  # until a job looks again whether what its rule names is there
_EXPIRED = "05004"  # contract.toml: the result is no longer there


@dataclass(frozen=True)
class Verdict:
    """How a run of a job ended.

    done, failed, cancelled: for good; what is done may have warnings. waiting: it comes back by itself. service: the
    whole service must wait, for `error`. storage: a disk or share refuses. changed: what watching must look at again.
    """

    kind: Literal["done", "failed", "cancelled", "waiting", "service", "storage"]
    job: Job
    error: ServiceError | None = None
    changed: tuple[Changed, ...] = ()


class Flow:
    """Runs jobs. Stateless but for its tools, so any number of workers may share one."""

    def __init__(
        self,
        journal: Journal,
        service: Callable[[], Service],
        work: Path,
        progress: Callable[[Job, int], None] = lambda job, step: None,
        monthly_calls: Callable[[], int | None] = lambda: None,
        pages: Callable[[Job], int | None] = lambda job: None,
        lanes: int = 4,
        opener: Opener = lambda path, passwords: None,
        on_pages: Callable[[Job, int, int], None] = lambda job, done, total: None,
        in_force: Callable[[Job], bool] = lambda job: True,
    ) -> None:
        """work: folder for received files, on any file system. progress: told when a step of a job begins.

        monthly_calls: how many times a remote service may be asked in a month, None = any number. pages: how many a
        job's inputs have, None = unknown; asked only where a rule's `output` says so. lanes: how many calls may be at
        work at the same time, of all jobs together. opener: finds the password of a locked PDF.
        on_pages: told, on any thread, how many pages of the present step are done and how many there are, where the
        service says so. in_force: whether the steps of a job's rule are still those of the rule file.
        """
        self._in_force = in_force
        self._journal = journal
        self._caller = Caller(journal, service, progress, monthly_calls, lanes, opener, on_pages)
        self._stepper = Stepper(journal, self._caller, work, lanes, pages)

    def run(self, job: Job) -> Verdict:
        """Take a job as far as it goes. Never raises for anything that a file, service or disk can do."""
        try:
            return self._run(job)
        except ServiceError as error:
            return self._service_failed(job, error)
        except OSError as error:
            return self._storage_failed(job, error)
        except PaperchuteError as error:
            self._journal.plan_failure(job, error.what, None, error_text(job, error, self._journal.events(job.id)))
            return self._again(job)

    def give_up(self, job: Job) -> Verdict:
        """Fail a job that faults of ours keep from its end. May raise anything itself."""
        job = self._fresh(job)
        if job.stage != "failing":
            problem = PaperchuteError(
                f"{job.path.name} could not be done: Paperchute met the same or another fault of its own three times.",
                "Please report it with what the log says.",
            )
            events = self._journal.events(job.id)
            self._journal.plan_failure(job, problem.what, "fault", error_text(job, problem, events))
        return self._again(job)

    # ---------- the stages ----------

    def _run(self, job: Job) -> Verdict:
        in_reach(job)
        if job.stage in ("steps", "failing") and (late := late_files(job)):
            return self._cancel(job, f"{named(late)} came into its folder: it begins anew.", back_to_watching(job))
        if job.stage == "failing":
            return self._fail(job)
        if not job.rule.steps:
            raise PaperchuteError(
                f"{job.path.name} was taken by another version of Paperchute, whose notes cannot be read any more.",
                "Try it again: it is then taken anew by the rules as they are now.",
            )
        if job.stage == "delivering":
            plan = self._journal.delivery(job)
            assert plan is not None
            if not delivery.is_whole(job, plan):
                self._journal.deliver_again(job)
                return self._again(job)
            return self._publish(job, plan)
        if job.stage == "steps":
            gone = [m.path for m in job.members if key_of(m.path) is None]
            if gone:
                note = f"{gone[0].name} was taken away before its work was done."
                return self._cancel(job, note, back_to_watching(job))
            if late_asides(job):
                return self._cancel(job, "Something that says more about it has come.", back_to_watching(job))
            self._heed(job)
            if job.rule.original == "keep" and done_before(self._journal, job):
                return self._cancel(job, "Only its times have changed since it was done.", ())
            if absent := absent_files(job.rule):
                if self._in_force(job):
                    return self._waits_for_files(job, absent)
                return self._cancel(job, "Its rule has changed.", back_to_watching(job))
            work = self._resumed(job) if job.started is not None else Work(job)
            try:
                plan = self._stepper.prepared(work)
            except InputChangedError as error:
                return self._cancel(job, error.what, changes_of(job, work.hashes) or back_to_watching(job))
            if changes := changes_of(job, work.hashes):
                return self._cancel(job, "It changed while it was being worked on.", changes)
            self._journal.plan_delivery(job, plan)
            return self._publish(job, plan)
        return self._file(job, self._journal.filings(job))

    def _heed(self, job: Job) -> None:
        """Tell the job that a set came too late for. Raises PaperchuteError when the set must not be done as it is."""
        facts = job.facts
        if facts is None:
            return
        if facts.after is not None:
            late = named([member.path for member in job.members if member.path not in self._members_of(facts.after)])
            said = f"{late} came after this was done: not in the result (job {job.id} says more)."
            filing.write_warnings(self._journal, self._journal.warn_afterwards(facts.after, said))
        if facts.held:
            raise PaperchuteError(facts.held)

    def _members_of(self, number: int) -> set[Path]:
        job = self._journal.job(number)
        return {member.path for member in job.members} if job is not None else set()

    def _resumed(self, job: Job) -> Work:
        return Work(job, self._journal.memos(job), self._journal.delivery(job))

    def _publish(self, job: Job, plan: DeliveryPlan) -> Verdict:
        made = publishing.publish(self._journal, job, plan)
        planned = filing.plans_for(job)
        warnings = self._journal.delivered(job, made.written, made.note, planned)
        job = replace(job, stage="filing", outputs=tuple(made.outputs), note=made.note, warnings=warnings)
        return self._file(job, planned)

    def _file(self, job: Job, planned: Mapping[int, FilingPlan]) -> Verdict:
        placement.remove(self._stepper.folder(job))
        self._discard(job)
        if job.warnings:
            filing.write_warnings(self._journal, job)
        if not (job.rule.also and self._journal.leave(job, "done")):
            self._file_last(job, planned)
        log = logger.bind(job=job.id)
        log.info("done: {} -> {}", job.path, ", ".join(str(o) for o in job.outputs) or job.note)
        for sentence in job.warnings:
            log.warning("{}: {}", job.path, sentence)
        return Verdict("done", replace(job, state="warned" if job.warnings else "done"))

    def _file_last(self, job: Job, planned: Mapping[int, FilingPlan]) -> None:
        """The original's own end; where another rule has failed on it, it goes where that failure is put right."""
        failed = self._journal.failed_companions(job) if job.rule.also else []
        if failed:
            filing.file_failure(self._journal, failed[0], failed[1:])
            if job.rule.original != "keep":
                self._journal.let_retry(failed)
            self._journal.finish(job, "done", kept=True)  # it need not be done again when the original comes back
            return
        whole = replace(job, members=self._journal.members_of_all(job)) if job.rule.also and job.is_set else job
        fate = filing.file_originals(self._journal, whole, planned)
        filing.put_right(self._journal, job)
        filing.forget_error_text(self._journal, job)
        self._journal.finish(job, "done", kept=fate == "kept", unfiled=fate == "away")

    def _fail(self, job: Job) -> Verdict:
        self._clear(job)
        self._close_calls(job)
        if not (job.rule.also and self._journal.leave(job, "failed")):
            failed = self._journal.failed_companions(job) if job.rule.also else []
            kept = filing.file_failure(self._journal, job, failed)
            if not kept:
                self._journal.let_retry(failed)
            self._journal.finish(job, "failed", kept=kept)
        job = self._fresh(job)
        logger.bind(job=job.id).warning("failed: {}: {}", job.path, job.error)
        return Verdict("failed", job)

    def _close_calls(self, job: Job) -> None:
        """What a failed job has asked for and cannot get any more is asked for anew when a person tries it again."""
        for (number, part), memo in self._journal.memos(job).items():
            if memo.answer is None and memo.sent is not None:
                self._journal.refused(job, number, part)
            elif memo.answer is not None and memo.outputs is None and job.error_code == _EXPIRED:
                self._journal.forget_answer(job, number, part)

    # ---------- when something fails ----------

    def _cancel(self, job: Job, note: str, changed: tuple[Changed, ...]) -> Verdict:
        in_reach(job)
        self._clear(job)
        self._journal.cancel(job, note, kept=not changed)
        logger.bind(job=job.id).info("cancelled: {}: {}", job.path, note)
        return Verdict("cancelled", job, changed=changed)

    def _waits_for_files(self, job: Job, absent: str) -> Verdict:
        """The job is as good as its rule: it goes on when the template, or whatever the rule names, is back."""
        what = f"Rule {job.rule.name!r}: {absent}. The work waits for it."
        logger.bind(job=job.id).warning("{}", what)
        self._journal.wait(job.id, time.time() + _ABSENT_SECONDS, what, None, attempt=False)
        return Verdict("waiting", job)

    def _service_failed(self, job: Job, error: ServiceError) -> Verdict:
        decision = self._caller.decide(job, error)
        match decision.kind:
            case "service":
                self._journal.requeue(job.id)
                return Verdict("service", job, error=error)
            case "retry":
                self._journal.wait(job.id, time.time() + decision.delay, str(error), error.code, attempt=True)
                return Verdict("waiting", job, error=error)
            case "fail":
                text = error_text(job, error, self._journal.events(job.id))
                self._journal.plan_failure(job, error.what, error.code or None, text)
                return self._again(job)

    def _storage_failed(self, job: Job, error: OSError) -> Verdict:
        where = Path(os.fsdecode(error.filename2 or error.filename or job.path))
        if OWN_TEMPORARY in where.name:
            where = where.parent
        what = f"{job.path.name}: {where} cannot be used ({error.strerror or error})."
        logger.bind(job=job.id).warning("{}", what)
        if hopeless(error) and job.stage != "failing":
            problem = PaperchuteError(what, "Check the name and the folder.")
            self._journal.plan_failure(job, what, None, error_text(job, problem, self._journal.events(job.id)))
            return self._again(job)
        self._journal.wait(job.id, time.time(), what, "storage", attempt=False)
        return Verdict("storage", self._fresh(job))

    def _clear(self, job: Job) -> None:
        """Take back what was received and will not be delivered."""
        placement.remove(self._stepper.folder(job))
        self._discard(job)

    def _discard(self, job: Job) -> None:
        if plan := self._journal.delivery(job):
            delivery.discard(job, plan)

    def _again(self, job: Job) -> Verdict:
        return self.run(self._fresh(job))

    def _fresh(self, job: Job) -> Job:
        fresh = self._journal.job(job.id)
        assert fresh is not None
        return fresh
