"""The steps of one job: each gets what the one before has made, and the last one's result lies ready for delivery.

A step whose operation takes one file is called once for each that comes; one that takes several gets all of them. Each
call is written down by itself, so a crash repeats none that was answered.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from paperchute.contract import Value, contract
from paperchute.errors import PaperchuteError
from paperchute.files import placement
from paperchute.files.identity import hash_of
from paperchute.files.names import safe_name, shorten
from paperchute.jobs import delivery, merge_rounds
from paperchute.jobs.bates_numbers import numbered
from paperchute.jobs.calls import Caller
from paperchute.jobs.document_fields import UnsureError
from paperchute.jobs.document_reading import DocumentReader
from paperchute.jobs.folder_merge import Names, is_document
from paperchute.jobs.inputs import Inputs, in_reach, inputs_of
from paperchute.jobs.journal import Journal
from paperchute.jobs.lanes import in_parallel
from paperchute.jobs.lists import Row
from paperchute.jobs.model import DeliveryPlan, Job, Output
from paperchute.jobs.page_questions import decided, said_of, side_by_side
from paperchute.jobs.preparation import prepared_file, prepared_folder
from paperchute.jobs.row_calls import blamed_on, place_of, row_requests, secrets_of
from paperchute.jobs.work import Request, Service, Settings, Work
from paperchute.language import _
from paperchute.rules.document_fields import READING, step_of
from paperchute.rules.model import Rule
from paperchute.rules.output import has_part_results, page_texts, part_template, target, uses
from paperchute.rules.steps import split_step, takes_all
from paperchute.service.model import Answer, ServiceError


@dataclass(frozen=True)
class Item:
    """A file on its way through the steps."""

    path: Path
    stem: str
    """What is made of it is named after that."""
    row: Row | None = None
    """The row of a list that it was made of."""


@dataclass(frozen=True)
class Planned:
    """A call that a step makes."""

    request: Request
    stem: str
    """What its result is named after."""
    row: Row | None = None
    """The row of a list that it is for."""


class Stepper:
    """Runs the steps of jobs. Stateless but for its tools, so any number of workers may share one."""

    def __init__(self, journal: Journal, caller: Caller, settings: Settings) -> None:
        self._journal = journal
        self._caller = caller
        self._settings = settings
        self.documents = DocumentReader(journal, settings, self._received)
        self._takes_few = False  # the service has refused to join as many files as it was given

    def is_remote(self, job: Job) -> bool:
        """Tell whether a service elsewhere reads the job's document, which knows nothing of what is ours."""
        return self._caller.is_remote(step_of(job.rule, READING))

    def folder(self, job: Job) -> Path:
        """Return where what is received between steps lies."""
        return self._settings.work / job.token

    def prepared(self, work: Work) -> DeliveryPlan:
        """Run what is left of the steps; the last one's result ends up under its hidden name in the target folder.

        Raises ServiceError, InputChangedError, PaperchuteError and OSError.
        """
        try:
            return self._stepped(work)
        except ServiceError as error:
            if not self._takes_fewer(work, error):
                raise
            return self._stepped(work)

    def _stepped(self, work: Work) -> DeliveryPlan:
        last = len(work.job.rule.steps) - 1
        inputs = inputs_of(work)
        work.passwords = tuple(inputs.all_passwords())
        work.said = self.documents.said(work)
        work.decided = self._journal.answers.given(work.job.id)
        items = [Item(path, path.stem) for path in inputs.files]
        for number in range(last):
            items = self._between(work, inputs, number, items)
        return self._last(work, inputs, last, items)

    # ---------- between steps ----------

    def _between(self, work: Work, inputs: Inputs, number: int, items: list[Item]) -> list[Item]:
        if self._is_passed_on(work.job, number, items):
            return items
        calls = self._calls(work, inputs, number, items)

        def received(call: Planned) -> list[Path]:
            with blamed_on(work.job, inputs.list_name, call.row):
                return self._received(work, call.request)

        made = side_by_side(work.job, received, calls, self._settings.lanes)
        is_named = _names_parts(work.job.rule, number)
        if not any(made):
            operation = work.job.rule.steps[number].operation
            raise PaperchuteError(
                _("{operation} produced nothing from {name}.", operation=operation, name=work.job.path.name),
                _("Look at the file, then retry the job."),
            )
        return [
            Item(path, _stem_of(call, path, alone=len(calls) == 1, kept=len(paths) == 1 and not is_named), call.row)
            for call, paths in zip(calls, made, strict=True)
            for path in paths
        ]

    def _answer(self, work: Work, request: Request, draft: DeliveryPlan | None = None) -> Answer:
        """The answer of a call with what a person has decided for it. Raises UnsureError where it asks for more."""
        job, number, part = work.job, request.number, request.part
        before = work.answer(number, part)
        if before is not None and said_of(before.questions, number, part).keys() & work.decided.keys():
            self._journal.calls.ask_again(job, number, part)
            work.renew(self._journal.calls.memos(job))
        if number >= 0:  # and nothing is asked of what is only read
            more = decided(job.rule.steps[number], number, part, request.given, work.decided)
            request = replace(request, given={**request.given, **more})
        answer = self._caller.answer(work, request, draft)
        asks = said_of(answer.questions, number, part)
        if unsure := {name: said for name, said in asks.items() if name not in work.decided}:
            raise UnsureError(job, unsure)
        return answer

    def _received(self, work: Work, request: Request) -> list[Path]:
        """The outputs of a call in the work folder, from before or from now."""
        folder = self.folder(work.job) / str(request.number + 1) / (request.part or "all")
        outputs = _lying(work, request, folder)
        if outputs is None:
            answer = self._answer(work, request)
            placement.remove(folder)
            folder.mkdir(parents=True)
            with placement.naming(folder):
                files = self._caller.fetched(
                    work.job, request.number, request.part, lambda service, step: service.download(answer, step, folder)
                )
            outputs = tuple(_output(path, folder) for path in files)
            self._journal.calls.received(work.job, request.number, request.part, outputs)
        return [folder / output.name for output in outputs]

    # ---------- the last step ----------

    def _last(self, work: Work, inputs: Inputs, number: int, items: list[Item]) -> DeliveryPlan:
        job = work.job
        draft = self._drafted(work)
        if self._is_passed_on(job, number, items):
            return self._copied(work, draft, items[0].path)
        calls = self._calls(work, inputs, number, items)
        is_named = _names_parts(job.rule, number)
        if len(calls) > 1 or calls[0].row is not None or (has_part_results(job.rule) and not is_named):
            return self._delivered_together(work, inputs, draft, calls)
        request = calls[0].request
        if work.answer(number) is not None:
            self._note_draft(work, draft)
        answer = self._answer(work, request, draft)
        place = self._received_in(job)
        with placement.naming(place):
            fetched = self._caller.fetched(job, number, "", lambda service, step: service.fetch(answer, step, place))
        in_reach(job)  # the call took its time, and no folder must be made where a share has gone
        if fetched.name and is_named:  # a part like any other
            alone = placement.place_over(place, place.with_name("part"))
            place.mkdir()
            placement.place_over(alone, place / fetched.name)
        elif fetched.name:
            return prepared_file(
                self._journal, work, draft, place, PurePosixPath(fetched.name).suffix, self.folder(job)
            )
        documents = [""] if is_document(fetched.files) else []
        return prepared_folder(self._journal, work, draft, place, fetched.files, documents)

    def _delivered_together(
        self, work: Work, inputs: Inputs, draft: DeliveryPlan, calls: Sequence[Planned]
    ) -> DeliveryPlan:
        """Several calls' results become one folder. What was received of them stays through a crash."""
        self._note_draft(work, draft)
        names = Names()
        places = [names.free(_place(work.job, call, inputs.list_name)) for call in calls]

        def received(pair: tuple[Planned, PurePosixPath]) -> list[str]:
            with blamed_on(work.job, inputs.list_name, pair[0].row):
                return self._received_at(work, pair[0].request, pair[1])

        made = side_by_side(work.job, received, list(zip(calls, places, strict=True)), self._settings.lanes)
        in_reach(work.job)
        documents = [str(place) for place, files in zip(places, made, strict=True) if is_document(files)]
        files = [name for names in made for name in names]
        return prepared_folder(self._journal, work, draft, self._received_in(work.job), files, documents)

    def _received_at(self, work: Work, request: Request, place: PurePosixPath) -> list[str]:
        """The outputs of a call at `place` in the folder for all of them, as paths there."""
        folder = self._received_in(work.job)
        outputs = _lying(work, request, folder)
        if outputs is None:
            answer = self._answer(work, request)
            files = self._caller.fetched(
                work.job,
                request.number,
                request.part,
                lambda service, step: _fetched(folder, place, service, answer, step),
            )
            outputs = tuple(_output(path, folder) for path in files)
            self._journal.calls.received(work.job, request.number, request.part, outputs)
        return [output.name for output in outputs]

    def _received_in(self, job: Job) -> Path:
        """Where what the last step has made is received: out of reach of those who may write to the target folder."""
        folder = self.folder(job)
        folder.mkdir(parents=True, exist_ok=True)
        return folder / "result"

    def _copied(self, work: Work, draft: DeliveryPlan, path: Path) -> DeliveryPlan:
        self._note_draft(work, draft)
        in_reach(work.job)
        return prepared_file(self._journal, work, draft, path, path.suffix, self.folder(work.job))

    def _drafted(self, work: Work) -> DeliveryPlan:
        """Where the result is going to be built. Noted before anything is there, so that it is found after a crash."""
        job = work.job
        if work.draft is None:
            counter = self._journal.settings.count_up(job.rule.name) if uses(job.rule, "counter") else 0
            pages = self._settings.pages(job) if uses(job.rule, "pages") else None
            place = target(job.rule, job.relative, now=time.time(), counter=counter, pages=pages, said=work.said)
            work.draft = delivery.draft(job, place)
        return work.draft

    def _note_draft(self, work: Work, draft: DeliveryPlan) -> None:
        if not work.draft_is_noted:
            self._journal.plans.draft_delivery(work.job, draft)
            work.draft_is_noted = True

    # ---------- which calls a step makes ----------

    def _is_passed_on(self, job: Job, number: int, items: Sequence[Item]) -> bool:
        """Decide whether a step has nothing to do: one file that earlier steps have made is joined already."""
        return number > 0 and len(items) == 1 and job.rule.steps[number].operation == "pdf-merge"

    def _calls(self, work: Work, inputs: Inputs, number: int, items: Sequence[Item]) -> list[Planned]:
        """The calls of a step, for what comes to it. Earlier rounds of a large merge are made here already."""
        step = work.job.rule.steps[number]
        given = inputs.over(number)
        if _names_parts(work.job.rule, number):
            given = {"partName": self._part_name(work), **given}
        given = {**given, **page_texts(work.job.rule, step, given, work.job.relative, now=work.job.created)}
        if number == 0 and inputs.rows is not None:
            filled = row_requests(work.job, inputs, remote=self._caller.is_remote(step))
            return [Planned(request, work.job.path.stem, row) for row, request in filled]
        if number > 0 and not takes_all(step) and (len(items) > 1 or items[0].row is not None):
            calls = []
            for index, item in enumerate(items, start=1):
                own = {**given, **secrets_of(step, item.row, inputs.list_name)}
                request = Request(number, (item.path,), step.parameters, str(index), own)
                calls.append(Planned(self._numbered(work, request), item.stem, item.row))
            return calls
        paths = tuple(item.path for item in items)
        stem = items[0].stem if items else work.job.path.stem
        if step.operation == "pdf-merge":
            return [Planned(self._merge(work, inputs, number, paths), stem)]
        return [Planned(self._numbered(work, Request(number, paths, step.parameters, given=given)), stem)]

    def _numbered(self, work: Work, request: Request) -> Request:
        return numbered(work, request, self._journal, self._settings)

    def _part_name(self, work: Work) -> str:
        """Return what the parts of a document are called: `output` says it, and pdf-split numbers them."""
        job = work.job
        pages = self._settings.pages(job) if uses(job.rule, "pages") else None
        return part_template(job.rule, job.relative, now=job.created, pages=pages, said=work.said)

    # ---------- joining in rounds ----------

    def _merge(self, work: Work, inputs: Inputs, number: int, paths: Sequence[Path]) -> Request:
        """The call that joins everything, once no more is left to join than the service takes at once."""
        pieces: Sequence[merge_rounds.Piece] = merge_rounds.pieces_of(work.job, inputs, number, paths)
        given = {name: value for name, value in inputs.over(number).items() if name not in merge_rounds.LISTS}
        memo = work.memo(number)
        few = self._takes_few or self._caller.is_remote(work.job.rule.steps[number])
        limit = contract().known("pdf-merge").max_files if few else len(pieces)
        if memo.answer is None and memo.task is None:  # else that call need not be made
            while len(pieces) > limit:
                pieces = in_parallel(
                    lambda group: self._joined(work, number, group, given),
                    merge_rounds.groups(pieces, limit),
                    self._settings.lanes,
                )
        return merge_rounds.joining(work.job, number, pieces, "", given)

    def _joined(
        self, work: Work, number: int, group: Sequence[merge_rounds.Piece], given: Mapping[str, Value]
    ) -> merge_rounds.Piece:
        if len(group) == 1:
            return group[0]
        (path,) = self._received(
            work, merge_rounds.joining(work.job, number, group, merge_rounds.name_of(group), given)
        )
        return merge_rounds.Piece(path, group[0].first, group[-1].last)

    def _takes_fewer(self, work: Work, error: ServiceError) -> bool:
        """Decide whether the service has refused a merge of so many files and may take fewer, in rounds."""
        if error.code != merge_rounds.TOO_MANY or self._takes_few:
            return False
        for (number, part), memo in self._journal.calls.memos(work.job).items():
            if not part and memo.sent is not None and memo.answer is None:
                self._journal.calls.refused(work.job, number)
        work.renew(self._journal.calls.memos(work.job))
        self._takes_few = True
        return True


def _place(job: Job, call: Planned, list_name: str) -> PurePosixPath:
    """Return where one of several results goes below their folder, still without a suffix."""
    if call.row is None:
        return PurePosixPath(shorten(safe_name(call.stem), "", delivery.STEM_BYTES))
    return place_of(job, call.row, list_name)


def _fetched(folder: Path, place: PurePosixPath, service: Service, answer: Answer, operation: str) -> list[Path]:
    """Fetch one of several results to `place` below `folder`: a file, its suffix added, or a folder; its files."""
    wanted = folder / place
    wanted.parent.mkdir(parents=True, exist_ok=True)
    token = hashlib.sha256(str(place).encode("utf-8", "surrogatepass")).hexdigest()[:16]
    temporary = wanted.with_name(placement.temporary_name(token))  # the name itself may be as long as names can be
    with placement.naming(temporary):
        fetched = service.fetch(answer, operation, temporary)
    if not fetched.name:
        placement.remove(wanted)  # left by a crash
        placement.place_over(temporary, wanted)
        return [wanted / name for name in fetched.files]
    return [placement.place_over(temporary, wanted.with_name(wanted.name + PurePosixPath(fetched.name).suffix))]


def _lying(work: Work, request: Request, folder: Path) -> tuple[Output, ...] | None:
    """The outputs of a call when all of them lie below `folder` as they were received."""
    outputs = work.memo(request.number, request.part).outputs
    if outputs is None:
        return None
    for output in outputs:
        path = folder / output.name
        if not path.is_file() or path.stat().st_size != output.size or hash_of(path) != output.sha256:
            return None
    return outputs


def _output(path: Path, folder: Path) -> Output:
    return Output(path.relative_to(folder).as_posix(), path.stat().st_size, hash_of(path))


def _names_parts(rule: Rule, number: int) -> bool:
    """Decide whether a step is the one that makes the parts which `output` names."""
    return has_part_results(rule) and split_step(rule.steps) == number


def _stem_of(call: Planned, path: Path, *, alone: bool, kept: bool) -> str:
    """What an output is called after: its source where it is `kept`, else itself, and its source too unless `alone`."""
    if kept:
        return call.stem
    return path.stem if alone else f"{call.stem}-{path.stem}"
