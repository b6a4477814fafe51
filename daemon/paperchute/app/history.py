"""What was done: by words, or the latest."""

from __future__ import annotations

import sqlite3
from typing import get_args

from paperchute.app.places import State
from paperchute.app.search_index import SearchIndex
from paperchute.errors import PaperchuteError
from paperchute.jobs.journal import Journal
from paperchute.jobs.model import Job
from paperchute.jobs.model import State as JobState
from paperchute.language import _

_ENDED: tuple[JobState, ...] = tuple(
    state for state in get_args(JobState) if state not in ("queued", "running", "waiting")
)


def jobs_with(journal: Journal, state: State, words: str, limit: int) -> list[Job]:
    """The newest jobs that have ended and have all the words, in names, rules, results or their text; without any all.

    Raises PaperchuteError where the index cannot be read.
    """
    if not words.strip():
        return journal.queries.jobs(_ENDED, limit)
    try:
        index = SearchIndex(state.search_index)
        try:
            numbers = index.search(words, limit)
        finally:
            index.close()
    except sqlite3.Error as error:
        raise PaperchuteError(_("The search index cannot be read ({reason}).", reason=error)) from error
    return [job for number in numbers if (job := journal.queries.job(number)) is not None]
