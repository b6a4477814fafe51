"""What needs a person: failed jobs, results that lack something, mistakes in the rules, files that no rule takes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from paperchute.app.cures import is_locked, is_of_its_file, is_unrecognised, open_fields
from paperchute.app.daemon import Daemon
from paperchute.jobs.document_fields import FieldSaid
from paperchute.jobs.model import Job
from paperchute.jobs.page_questions import PagesSaid
from paperchute.language import N_, _
from paperchute.page.picture import folder_id
from paperchute.page.slips import slips
from paperchute.rules.document_fields import NONE

_MOST = 100
_TITLES = {
    "date": N_("Date of the document"),
    "sender": N_("Sender"),
    "recipient": N_("Recipient"),
    "kind": N_("Kind of document"),
    "number": N_("Number of the document"),
    "total": N_("Total"),
    "currency": N_("Currency"),
    "iban": N_("IBAN"),
    "due": N_("Due by"),
    "language": N_("Language of the document"),
}
"""What the fields of a document (`rules.document_fields`) are called."""
_PAGE_TITLES = {"firstPages": N_("First pages of documents"), "removePages": N_("Pages to take out")}
_CHOICES = {"firstPages": N_("A document begins here"), "removePages": N_("Take out")}
"""What pages are asked for, by the parameter that takes the answer, and what choosing one means."""
_MOST_PAGES = 500
"""Pages that are shown of one document; of a longer one those alone that are asked about."""


def title_of(name: str) -> str:
    """Return what a field of a document is called; one of one's own by its name."""
    return _(_TITLES[name]) if name in _TITLES else name


def needs(daemon: Daemon) -> dict[str, Any]:
    """All of it, as JSON's values. Any thread may ask."""
    queries = daemon.journal.queries
    told = daemon.told
    rules = told.get("rules", {})
    return {
        "failed": [
            {**_job(job), "reason": job.error or "", **_cure(daemon, job)} for job in queries.jobs(["failed"], _MOST)
        ],
        "failed_count": queries.counts().of("failed"),
        "warned": [
            {**_job(job), "warnings": list(job.warnings), "can_recognise": is_unrecognised(daemon.journal, job)}
            for job in queries.unseen_warnings(_MOST)
        ],
        "mistakes": slips(daemon.rules, rules.get("errors", [])),
        "broken": rules.get("broken", False),
        "advice": rules.get("warnings", []),
        "troubles": [one for one in told.get("troubles", ()) if one not in rules.get("errors", ())],
        "untaken": [
            *(one["told"] for one in told.get("unwanted", ())),
            *(f"{one['path']}: {one['reason']}" for one in told.get("untaken", ())),
        ],
    }


def _page_to_show(fields: Mapping[str, FieldSaid]) -> int:
    """The page on which most of what is open may stand; the first where nothing says."""
    own = [said for said in fields.values() if not isinstance(said, PagesSaid)]
    pages = Counter(one.page for said in own for one in said.candidates if one.page)
    return pages.most_common(1)[0][0] if pages else 1


def _cure(daemon: Daemon, job: Job) -> dict[str, Any]:
    """Return what would help: a password, answers, or another file, for which the hot folder is named."""
    hot = job.rule.folder
    another = is_of_its_file(job) and not job.is_set and any(one.folder == hot for one in daemon.rules.rules)
    fields = open_fields(daemon.journal, job)
    return {
        "is_locked": is_locked(job),
        "page": _page_to_show(fields),
        "pages": [_pages(name, said) for name, said in fields.items() if isinstance(said, PagesSaid)],
        "unsure": [
            {
                "field": name,
                "title": title_of(name),
                "reason": said.reason or _("Nothing of the kind was found."),
                "candidates": [
                    *({"value": one.value, "page": one.page} for one in said.candidates),
                    *([{"value": NONE, "page": 0, "is_none": True}] if job.undecided else ()),
                ],
            }
            for name, said in fields.items()
            if not isinstance(said, PagesSaid)
        ],
        "another": {"folder": folder_id(hot), "name": hot.name} if another else None,
    }


def _pages(name: str, said: PagesSaid) -> dict[str, Any]:
    """Pages to be chosen: those that are asked about, or all of a document that is not too long to be shown."""
    question = said.question
    known = {one.page: one for one in question.pages}
    shows_all = question.any_page and question.page_count <= _MOST_PAGES
    return {
        "field": name,
        "title": _(_PAGE_TITLES.get(question.parameter, question.parameter)),
        "choice": _(_CHOICES.get(question.parameter, question.parameter)),
        "reason": question.reason,
        "proposed": question.proposed,
        "large": not question.any_page,
        "pages": [
            {"page": page, "reason": known[page].reason if page in known else ""}
            for page in (range(1, question.page_count + 1) if shows_all else [*known][:_MOST_PAGES])
        ],
    }


def _job(job: Job) -> dict[str, Any]:
    return {
        "job": job.id,
        "name": job.path.name,
        "rule": job.rule.name,
        "operation": job.rule.steps[0].operation if job.rule.steps else "",
        "at": job.finished or job.created,
    }
