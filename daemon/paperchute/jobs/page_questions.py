"""Pages of which a job asks a person: what its calls were answered, what was said to it, and where the pages are.

The service's answer to a step may ask which pages are blank or the first of a document (`contract.questions`). Its
result is left where it is; the person's answer is kept as `job.answers` beside those about the document, and the call
is made again with it as a parameter.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from paperchute.contract import Value
from paperchute.contract.questions import Question, asked_by, questions_from
from paperchute.jobs.document_fields import Candidate, FieldSaid, UnsureError
from paperchute.jobs.journal import Journal
from paperchute.jobs.lanes import in_parallel
from paperchute.jobs.model import Job
from paperchute.language import _
from paperchute.rules.tables import Step

Given = TypeVar("Given")
Made = TypeVar("Made")


@dataclass(frozen=True)
class PagesSaid(FieldSaid):
    """Pages that are asked for, and by which call of which step."""

    question: Question = field(default_factory=lambda: Question("", "", 0, 0))
    number: int = 0
    part: str = ""

    @property
    def likeliest(self) -> str:
        """The pages that are proposed."""
        return self.question.proposed

    @property
    def sentence(self) -> str:
        """What is asked."""
        return self.question.reason

    def lines(self) -> list[str]:
        """Return what is seen of each page, in a line."""
        return [_("page {page}", page=one.page) + (f": {one.words}" if one.words else "") for one in self.candidates]


def field_of(number: int, part: str, parameter: str) -> str:
    """Name what is asked by a call: the parameter, and behind it which call it is but for the first step's only one."""
    if number == 0 and not part:
        return parameter
    return ".".join(filter(None, (parameter, str(number + 1), part)))


def said_of(questions: Iterable[Mapping[str, Any]], number: int, part: str) -> dict[str, PagesSaid]:
    """Return what a call asks, by field."""
    found = {}
    for question in questions_from(list(questions)):
        candidates = tuple(Candidate(str(one.page), one.page, one.reason) for one in question.pages)
        name = field_of(number, part, question.parameter)
        found[name] = PagesSaid("", candidates, question.reason, question=question, number=number, part=part)
    return found


def open_questions(journal: Journal, job: Job) -> dict[str, PagesSaid]:
    """Find what the calls of a job ask and nobody has answered, by field."""
    given = journal.answers.given(job.id)
    found: dict[str, PagesSaid] = {}
    for (number, part), memo in sorted(
        journal.calls.memos(job).items(), key=lambda item: (item[0][0], _order(item[0][1]))
    ):
        if memo.answer is not None:
            found |= said_of(json.loads(memo.answer).get("questions", ()), number, part)
    return {name: said for name, said in found.items() if name not in given}


def decided(
    step: Step, number: int, part: str, over: Mapping[str, Value], given: Mapping[str, str]
) -> dict[str, Value]:
    """Return the parameters of a call that a person has decided.

    over: what stands over the rule's values. given: all answers of the job.
    """
    parameter = asked_by(step.operation, {**step.parameters, **over})
    text = given.get(field_of(number, part, parameter)) if parameter else None
    return {parameter: text} if parameter and text else {}


def document_of(journal: Journal, job: Job, folder: Path, said: PagesSaid) -> Path | None:
    """Find the document that a step after the first was given, as it lies in the job's folder for received files."""
    memos = journal.calls.memos(job)
    for number in range(said.number - 1, -1, -1):  # a step that had nothing to do has made no call
        parts = {part: memo for (of, part), memo in memos.items() if of == number and memo.outputs is not None}
        names = [""] if "" in parts else sorted(parts, key=_order)
        files = [
            folder / str(number + 1) / (part or "all") / output.name
            for part in names
            for output in parts[part].outputs or ()
        ]
        if files:
            place = int(said.part) - 1 if said.part.isdigit() else 0
            return files[place] if place < len(files) else None
    return None


def _order(part: str) -> tuple[int, str]:
    return (int(part), "") if part.isdigit() else (0, part)


def side_by_side(
    job: Job, received: Callable[[Given], list[Made]], calls: Sequence[Given], lanes: int
) -> list[list[Made]]:
    """Return what is received of each call; what several of them ask is asked at once. Raises UnsureError."""
    unsure: dict[str, FieldSaid] = {}

    def asked(call: Given) -> list[Made]:
        try:
            return received(call)
        except UnsureError as error:
            unsure.update(error.unsure)
            return []

    made = in_parallel(asked, calls, lanes)
    if unsure:
        raise UnsureError(job, dict(sorted(unsure.items())))
    return made
