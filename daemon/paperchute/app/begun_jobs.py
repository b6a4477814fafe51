"""Files that other rules have by now, whose jobs go on as they were written down: no rule takes them a second time.

A rule may be renamed, moved behind another one or taken out of the rule file while nothing runs. What looks through the
hot folders at the next start then finds the file of a job that is still open, and another rule for it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from paperchute.app.rulebook import Rulebook
from paperchute.jobs.journal import Journal
from paperchute.jobs.journal.store import OUTLIVED
from paperchute.jobs.model import Job, NewJob
from paperchute.language import _


def without_begun(journal: Journal, rulebook: Rulebook, found: Sequence[NewJob]) -> list[NewJob]:
    """Leave out the jobs whose files are left to a job of another rule; that one's history says so.

    found: all that the rules as they stand ask of one input. Raises sqlite3.Error.
    """
    names = {new.rule.name for new in found}
    for new in found:
        names.update(rule.name for rule in rulebook.rules if rule.fingerprint in new.ladder)
    return [new for new in found if not _is_left(journal, rulebook, new, names)]


def _is_left(journal: Journal, rulebook: Rulebook, new: NewJob, names: Collection[str]) -> bool:
    """Decide whether a job of a rule that is none of those which have the input now does it, or has done it."""
    known = journal.queries.on_files_of(new)
    if any(job.rule.name == new.rule.name for job in known):
        return False  # it is told from that one when it is written down
    for job in known:
        if job.rule.name in names or job.undecided or (not job.finished and not _goes_on(journal, rulebook, job)):
            continue
        said = _(
            "Rule '{rule}' would take the file now. Rule '{before}' took it first and finishes it.",
            rule=new.rule.name,
            before=job.rule.name,
        )
        journal.history.note_once(job, OUTLIVED, said)
        return True
    return False


def _goes_on(journal: Journal, rulebook: Rulebook, job: Job) -> bool:
    """Decide whether an open job is finished under the rule that it was written down under, as far as one can tell."""
    if job.stage != "steps" or journal.calls.have_begun(job):
        return True
    standing = rulebook.standing(job)
    return not (standing.changed or standing.waits)
