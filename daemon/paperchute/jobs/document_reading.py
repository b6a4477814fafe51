"""Reading a job's document before its steps: once, kept with the job, and shown to a model where a rule says so."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from loguru import logger

from paperchute.baton import baton
from paperchute.contract import Value
from paperchute.files.identity import hash_of
from paperchute.files.names import listed
from paperchute.jobs.document_fields import FieldSaid, UnsureError, asked, known_fields, read_fields, with_folder
from paperchute.jobs.fields_text import fields_text
from paperchute.jobs.inputs import Inputs, inputs_of
from paperchute.jobs.journal import Journal
from paperchute.jobs.model import Job
from paperchute.jobs.model_questions import (
    KEPT,
    ModelError,
    PageText,
    answers_in,
    may_be_asked,
    read_pages,
    request_body,
)
from paperchute.jobs.work import Request, Settings, Work
from paperchute.language import _
from paperchute.rules.document_fields import FIELDS, FINGERPRINT, READING, reads, step_of

Received = Callable[[Work, Request], list[Path]]
"""Gives the outputs of a call, from before or from now."""


class DocumentReader:
    """Finds what documents say. Stateless but for its tools, as `Stepper` is, whose part it is."""

    def __init__(self, journal: Journal, settings: Settings, received: Received) -> None:
        self._journal = journal
        self._settings = settings
        self._received = received

    def read(self, work: Work, senders: str) -> Mapping[str, FieldSaid]:
        """Return what the document says, which is read once for each original. Raises as `Stepper.prepared` does.

        senders: the path of a list of known ones; empty for none.
        """
        return known_fields(self._kept(work, _inputs(work)), senders or work.job.rule.senders)

    def advised(self, work: Work, senders: str, names: Sequence[str]) -> Mapping[str, FieldSaid]:
        """Return the same once the model has been asked for fields that are not sure, if there is one.

        Raises as `read` does; a model that gives no answer leaves the fields as they are, with the reason.
        """
        job, model = work.job, self._settings.model()
        senders, inputs = senders or job.rule.senders, _inputs(work)
        kept = self._kept(work, inputs)
        said = known_fields(kept, senders)
        if model is None:
            return said
        before = _earlier(kept, model.name)
        names = [name for name in names if may_be_asked(said.get(name, FieldSaid())) and name not in before["asked"]]
        pages = self._pages(work, inputs) if names else []
        if not pages:  # an invoice that is data alone has none
            return said
        body = request_body(model.name, names, said, pages, job.rule.find)
        logger.bind(job=job.id).info("{} is asked for {} of {}", model.address, ", ".join(names), job.path)
        try:
            with baton.handed_on():
                content = model.ask(body)
            found = answers_in(content, names, said, pages)
            values = before["values"] | {name: {"value": one.value, "page": one.page} for name, one in found.items()}
            answered = {**before, "asked": [*before["asked"], *names], "values": values}
            told = _told_of({name: one.value for name, one in found.items()}, names, model.name)
        except ModelError as error:
            answered = {**before, "failed": names, "trouble": error.what}
            told = _("{model} was asked, and gave no answer: {why}.", model=model.name, why=error.what)
        self._journal.answers.keep(job, {**kept, KEPT: answered})
        self._journal.history.note(job, "noted", told)
        logger.bind(job=job.id).info("{}: {}", job.path, told)
        return known_fields({**kept, KEPT: answered}, senders)

    def fingerprint(self, work: Work) -> bytes:
        """Return the fingerprint of the job's document as the engine made it, some 12 KB a page.

        Raises as `Stepper.prepared` does.
        """
        inputs = _inputs(work)
        (path, *_more) = self._received(work, Request(FINGERPRINT, inputs.files[:1], {}, given=_opening(inputs)))
        return path.read_bytes()

    def said(self, work: Work) -> Mapping[str, str]:
        """Return what the rule needs of the document. Raises UnsureError where that is not sure."""
        job = work.job
        if not reads(job.rule) and not (job.rule.when and self._journal.answers.said(job.id)):
            return {}
        answers = self._journal.answers.given(job.id)  # those about pages among them, which are none of a document
        given = {name: text for name, text in answers.items() if text and (name in FIELDS or name in job.rule.find)}
        said = self.read(work, "")
        unsure = _unsure(job, said, given)
        if unsure and job.rule.ask_model:
            said = self.advised(work, "", [*unsure])
            unsure = _unsure(job, said, given)
        if unsure:
            raise UnsureError(job, unsure)
        if job.rule.write_fields:
            work.fields = fields_text(job, said, given)
        return with_folder(job.rule, {name: one.value for name, one in said.items() if one.value} | given)

    def _kept(self, work: Work, inputs: Inputs) -> dict[str, Any]:
        job, step = work.job, step_of(work.job.rule, READING)
        kept = self._journal.answers.said(job.id)
        if kept is None and work.memo(READING).sent is None:
            kept = self._journal.answers.said_of_same(job, [hash_of(member.path) for member in job.members], step)
            if kept is not None:
                self._journal.answers.keep(job, kept)
        if kept is None:
            (path, *_more) = self._received(work, self._reading(work, inputs))
            kept = read_fields(path)
            self._journal.answers.keep(job, kept)
        return kept

    def _pages(self, work: Work, inputs: Inputs) -> list[PageText]:
        """The lines of the document's pages; where another rule had it read without them, it is read once more."""
        work.renew(self._journal.calls.memos(work.job))
        (path, *_more) = self._received(work, self._reading(work, inputs))
        pages = read_pages(path)
        if pages is None:
            self._journal.calls.ask_again(work.job, READING)
            work.renew(self._journal.calls.memos(work.job))
            (path, *_more) = self._received(work, self._reading(work, inputs))
            pages = read_pages(path)
        return pages or []

    def _reading(self, work: Work, inputs: Inputs) -> Request:
        step = step_of(work.job.rule, READING)
        return Request(READING, inputs.files[:1], step.parameters, given=_opening(inputs))


def _inputs(work: Work) -> Inputs:
    inputs = inputs_of(work)
    work.passwords = tuple(inputs.all_passwords())
    return inputs


def _opening(inputs: Inputs) -> Mapping[str, Value]:
    """The password that came with a job's file."""
    password = inputs.over(0).get("password")
    return {"password": password} if password else {}


def _unsure(job: Job, said: Mapping[str, FieldSaid], given: Mapping[str, str]) -> dict[str, FieldSaid]:
    known = {name: said.get(name, FieldSaid()) for name in asked(job.rule, said) if name not in given}
    return {name: one for name, one in known.items() if not one.value}


def _earlier(kept: Mapping[str, Any], model: str) -> dict[str, Any]:
    """Return what this very model has answered before; of what it gave no answer to, it is asked again."""
    before = kept.get(KEPT)
    same = before if isinstance(before, dict) and before.get("name") == model else {"asked": [], "values": {}}
    return {"name": model, "asked": same["asked"], "values": same["values"]}


def _told_of(found: Mapping[str, str], names: Sequence[str], model: str) -> str:
    """Return what a model has answered, and of which fields nothing that stands in the document."""
    told = ", ".join(f"{name} = {value}" for name, value in found.items()) or "-"
    left = [name for name in names if name not in found]
    sentence = _("{model} was asked: {answers}", model=model, answers=told)
    if not left:
        return sentence
    return f"{sentence} ({_('nothing that stands in the document for {fields}', fields=listed(left))})"
