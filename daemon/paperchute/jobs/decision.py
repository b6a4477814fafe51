"""Which rules have a file by what its document says: their `when` against what was read and answered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from paperchute.contract import contract
from paperchute.contract.kinds import canonical
from paperchute.files.identity import FileKey
from paperchute.jobs.document_fields import FieldSaid, UnsureError, decisive, known_fields
from paperchute.jobs.journal import Journal
from paperchute.jobs.steps import Stepper
from paperchute.jobs.work import Work
from paperchute.language import _
from paperchute.rules.document_fields import FIELDS, OPERATION
from paperchute.rules.match import kinds
from paperchute.rules.model import Rule
from paperchute.rules.stored import among_several
from paperchute.rules.when import decide, judged


@dataclass(frozen=True)
class Taken:
    """The rules that have a file, as they work on it together, and why."""

    takers: tuple[Rule, ...]
    told: str
    """Each rule with its conditions and what was seen, in one line."""


def decision_of(journal: Journal, stepper: Stepper, work: Work, ladder: Sequence[Rule]) -> Taken:
    """Decide which rules have a job's file, reading its document where that is asked.

    ladder: the rules that may have it by all else, in order. Raises UnsureError where what decides is not sure, and
    what `DocumentReader.read` raises. The model is asked where each of these rules would have it asked: before that is
    decided, the document may be any one's.
    """
    job, rungs = work.job, [(rule.when, rule.also) for rule in ladder]
    said: Mapping[str, FieldSaid] = {}
    own = (name for rule in ladder for name in rule.find)
    values = dict.fromkeys((*FIELDS, *own), "")
    if any(rule.when for rule in ladder) and is_read(job.path.name, is_remote=stepper.is_remote(job)):
        said = stepper.documents.read(work, senders_of(ladder))
        values = decisive(said) | journal.answers.given(job.id)
    found = decide(rungs, values)
    if found.open and said and all(rule.ask_model for rule in ladder):
        said = stepper.documents.advised(work, senders_of(ladder), [*found.open])
        values = decisive(said) | journal.answers.given(job.id)
        found = decide(rungs, values)
    if found.open:
        journal.decisions.ask(job, rungs, senders_of(ladder))
        raise UnsureError(job, {name: said.get(name, FieldSaid()) for name in found.open})
    taking = [ladder[number] for number in found.takers]
    last = taking[-1].original if taking else ""
    shared = tuple(among_several(rule, last) for rule in taking) if len(taking) > 1 else tuple(taking)
    return Taken(shared, told_of(ladder, values))


def senders_of(rules: Sequence[Rule]) -> str:
    """Return the list of known senders that the first rule with one names; empty where none does."""
    return next((rule.senders for rule in rules if rule.senders), "")


def known_of(journal: Journal, senders: str, path: Path, key: FileKey) -> dict[str, str] | None:
    """Return what is sure of a file's document, by field; None where no job has read it as it is now.

    senders: as `senders_of` gives it.
    """
    found = journal.answers.of_file(path, key)
    if found is None:
        return None
    said, given = found
    return decisive(known_fields(said, senders)) | given


def is_read(name: str, *, is_remote: bool = False) -> bool:
    """Decide by a file's name whether `document-extract` may read it; where the name does not tell, it may."""
    known, operation = canonical(name.rpartition(".")[2].lower()), contract().known(OPERATION)
    return known not in kinds() or known in map(canonical, operation.read_remotely if is_remote else operation.reads)


def told_of(ladder: Sequence[Rule], values: Mapping[str, str]) -> str:
    """Say of each rule whether it has a document, with the first condition that does not hold."""
    lines = []
    for rule in ladder:
        conditions = list(judged(rule.when, values))
        against = next((one for one in conditions if not one.holds), None)
        shown = [against] if against is not None else conditions
        seen = ", ".join(f"{one.name} {one.seen}" for one in shown)
        verdict = _("no") if against is not None else _("yes")
        lines.append(f"'{rule.name}': {verdict}" + (f", {seen}" if seen else ""))
        if against is None and not rule.also:
            break
    return "; ".join(lines)
