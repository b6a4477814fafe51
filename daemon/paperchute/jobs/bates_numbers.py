"""Bates numbers: `{bates}` in the line of pdf-number counts pages on from file to file, by a count of the rule."""

from __future__ import annotations

import time
from dataclasses import replace

from paperchute.contract import PageListError, parse_page_list, select_pages
from paperchute.errors import PaperchuteError
from paperchute.jobs.journal import Journal
from paperchute.jobs.work import Request, Settings, Work
from paperchute.language import _
from paperchute.notation.page_lines import counting_on, counts_on

_LOOK_SECONDS = 0.05


def numbered(work: Work, request: Request, journal: Journal, settings: Settings) -> Request:
    """Return a call with its own numbers in the place of `{bates}`, which stay its own through each retry.

    Jobs at work at the same time take theirs in the order in which they came. Raises PaperchuteError where the pages of
    the file cannot be counted.
    """
    values = {**request.parameters, **request.given}
    text = str(values.get("text", ""))
    if work.job.rule.steps[request.number].operation != "pdf-number" or not counts_on(text):
        return request
    (path,) = request.inputs
    count = settings.page_count(path, [*work.passwords, str(values.get("password", ""))])
    if count is None:
        raise PaperchuteError(
            _("The pages of {name} cannot be counted, so they get no Bates numbers.", name=path.name),
            _("Look at the file, then retry the job."),
        )
    before = journal.bates_numbers.before(work.job, request.number, request.part)
    if before is None:
        while journal.bates_numbers.has_to_wait(work.job, request.number):
            time.sleep(_LOOK_SECONDS)
        try:
            pages = len(set(select_pages(str(values.get("pages", "")), count)))
        except PageListError:  # the call is refused for it, and takes no numbers
            return request
        before = journal.bates_numbers.take(work.job, request.number, request.part, pages)
    start = before + int(str(values.get("start", 1)))
    given = {**request.given, "text": counting_on(text), "start": start}
    if not parse_page_list(str(values.get("pages", ""))):
        given["pages"] = f"1-{count}"  # a file may have more than it says, whose numbers would be the next one's
    return replace(request, given=given)
