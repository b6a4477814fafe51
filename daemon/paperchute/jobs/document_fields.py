"""What a document says of itself, for the job that is made of it: read once, kept, and asked of a person where unsure.

The service's answer to `document-extract` is parsed by a reader process (`answer_fields`) and kept in the journal, so
an answer given days later costs no second call. Only what the service says to be sure is taken, and what a person says.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from paperchute import invocation
from paperchute.errors import PaperchuteError
from paperchute.files.names import listed
from paperchute.files.reader import readers
from paperchute.files.reader_line import Said
from paperchute.jobs.model import Job
from paperchute.language import _
from paperchute.notation.document_kinds import E_CREDIT_NOTE, E_INVOICE
from paperchute.redaction import clean, masked
from paperchute.rules import known_senders
from paperchute.rules.document_fields import FIELDS, NONE, OWN_NAME, accepted, needed, reads
from paperchute.rules.known_senders import Marks, fitting, number
from paperchute.rules.model import Rule

UNSURE = "unsure"
"""The error code of jobs that wait for a person's answer."""

MOST_BYTES = 64 << 20
"""Of an answer of the service, which holds all tables of a document too."""

_TOLD_APART = "number", "date", "total", "iban"
"""Fields of which page and data must not say different things."""
_MOST_CANDIDATES = 5
_MARKS = ("vat", "iban", "domain", "labelled")
_MOST_MARKS = 500
_LONGEST = 300
"""Characters of a value, its words, or a reason."""
_FURTHEST = 100_000
"""Pixels from the corner of a page: a page of a PDF has 14,400 units a side at most (ISO 32000-1, annex C)."""


@dataclass(frozen=True)
class Candidate:
    """A value that a field may have."""

    value: str
    page: int = 0
    """Where it stands; 0 where the answer does not say."""
    words: str = ""
    """As it is printed there."""
    box: tuple[int, ...] = ()
    """Left, top, right and bottom of these words on the upright page, in pixels of 144 dpi; empty if not known."""


@dataclass(frozen=True)
class FieldSaid:
    """What the document says of one field: a value that is sure, or what it may be, and why that is open."""

    value: str = ""
    candidates: tuple[Candidate, ...] = ()
    reason: str = ""
    is_disputed: bool = False
    """Whether the page says one thing and the invoice's data in the same file another, or several known senders fit: a
    person must see that."""
    place: Candidate | None = None
    """Where the value stands; None where there is none, or the answer does not say."""
    model: str = ""
    """The model that chose the value; empty where the reading itself, or a person, is sure."""

    @property
    def likeliest(self) -> str:
        """The answer that is most likely right."""
        return self.candidates[0].value if self.candidates else "..."

    @property
    def sentence(self) -> str:
        """What is asked, where that is a sentence of its own."""
        return ""

    def lines(self) -> list[str]:
        """Return what it may be, each in a line."""
        return ["  ".join(_told(one)) for one in self.candidates]


def _told(one: Candidate) -> Iterator[str]:
    yield one.value
    if one.page:
        yield _("page {page}", page=one.page)
    if one.words and one.words != one.value:
        yield f'"{one.words}"'


class UnsureError(PaperchuteError):
    """Fields that a rule needs, or pages that a step is to work on, are not sure."""

    def __init__(self, job: Job, unsure: Mapping[str, FieldSaid]) -> None:
        """unsure: what is known of each."""
        asked = next((said.sentence for said in unsure.values() if said.sentence), "")
        super().__init__(
            _("{name} needs an answer: {asked}", name=job.path.name, asked=asked)
            if asked
            else _(
                "{name} needs an answer: its {fields} is not sure.", name=job.path.name, fields=listed(list(unsure))
            ),
            _("Answer on the page, or run: {command}", command=answer_command(job, unsure)),
        )
        self.unsure = unsure


def asked(rule: Rule, said: Mapping[str, FieldSaid]) -> tuple[str, ...]:
    """Name the fields that must be sure before the rule's steps begin: what it needs, and what page and data dispute.

    Two invoices in one file are a mistake or a fraud, whatever the rule makes of it.
    """
    names = needed(rule)
    if not reads(rule) and not rule.when:
        return ()
    return (*names, *(name for name in _TOLD_APART if name not in names and said.get(name, FieldSaid()).is_disputed))


def answer_command(job: Job, unsure: Mapping[str, FieldSaid]) -> str:
    """Return the command that answers, with the likeliest value of each field."""
    given = [f"{name}={said.likeliest}" for name, said in unsure.items()]
    return invocation.command(f"answer {job.id} {' '.join(map(shlex.quote, given))}")


def needs_you_text(job: Job, error: UnsureError) -> str:
    """Return the text of `NAME.needs-you.txt`: what is open, why, what it may be, and how to answer."""
    lines = [error.what]
    for name, said in error.unsure.items():
        lines += ["", f"{name}: {said.reason or _('nothing of the kind was found.')}"]
        lines += [f"  - {line}" for line in said.lines()]
    lines += ["", error.advice]
    if job.undecided:
        lines.append(
            _(
                "What the document has none of is answered by {none}: {example}",
                none=NONE,
                example=f"{next(iter(error.unsure))}={NONE}",
            )
        )
    lines += [
        "",
        _("The original lies beside this text until then. Rule: {rule}", rule=job.rule.name),
    ]
    return "\n".join([*map(clean, lines), ""])


# ---------- what the service says ----------


def read_fields(path: Path) -> dict[str, Any]:
    """Read what an answer of `document-extract` says of the document, as JSON values that are fit to be kept.

    Raises PaperchuteError, and OSError.
    """
    if path.stat().st_size > MOST_BYTES:
        raise PaperchuteError(
            _("The service's answer about the document is larger than {most} MB.", most=MOST_BYTES >> 20)
        )
    said, _content = readers.read(path.name, {"do": "document fields"}, path.read_bytes())
    found = said.get("fields")
    if not isinstance(found, dict):
        raise PaperchuteError(
            _("The service does not say which of the document's fields are sure."),
            _(
                "Use the built-in engine for this rule, or name its results without {placeholders}.",
                placeholders="{doc.…}",
            ),
        )
    marks = said.get("marks")
    return {**fields_as_json(fields_from(found)), "marks": marks if isinstance(marks, dict) else {}}


def known_fields(raw: Mapping[str, Any], senders: str) -> dict[str, FieldSaid]:
    """Return what was kept of a document, with what a list of known senders makes of it. Raises SendersError.

    senders: its path; empty for none.
    """
    fields = fields_from(raw)
    if senders:
        _with_known_sender(fields, raw, senders)
    _with_model(fields, raw.get("model"))
    return fields


def _with_known_sender(fields: dict[str, FieldSaid], raw: Mapping[str, Any], senders: str) -> None:
    sender, recipient = (fields.get(name, FieldSaid()) for name in ("sender", "recipient"))
    marks = _marks_from(raw.get("marks"))
    marks = replace(marks, iban={*marks.iban, fields.get("iban", FieldSaid()).value})
    found = fitting(known_senders.read(Path(senders)), marks, sender.value, recipient.value)
    if len(found) == 1:
        (one,) = found
        fields["sender"] = replace(sender, value=field_value("sender", one.name))
        if one.kind and not fields.get("kind", FieldSaid()).value:
            fields["kind"] = FieldSaid(one.kind)
    elif found:
        names = [field_value("sender", one.name) for one in found]
        told = tuple(Candidate(name) for name in dict.fromkeys(names) if name)
        fields["sender"] = FieldSaid(
            "", (*told, *sender.candidates)[:_MOST_CANDIDATES], _("several known senders fit."), is_disputed=True
        )


def _with_model(fields: dict[str, FieldSaid], kept: object) -> None:
    """Take in what a model has answered: what the reading had found, too, is sure, and all else is proposed.

    kept: its answers, which stand in the document, or why there are none, as `jobs.document_reading` keeps them.
    """
    if not isinstance(kept, dict):
        return
    name, values, trouble = _short(kept.get("name")), kept.get("values"), _short(kept.get("trouble"))
    answered = {of: _candidate(of, one) for of, one in values.items()} if isinstance(values, dict) else {}
    failed = _list(kept.get("failed"))
    for field in (*_list(kept.get("asked")), *failed):
        said, found = fields.get(field, FieldSaid()), answered.get(field, Candidate(""))
        if said.value or said.is_disputed:
            continue
        same = next((one for one in said.candidates if one.value == found.value and (one.page or one.words)), None)
        if same is not None:
            fields[field] = replace(said, value=same.value, place=same, model=name)
        elif found.value:
            others = tuple(one for one in said.candidates if one.value != found.value)
            reason = _("{model} proposes {value}, which the reading had not found.", model=name, value=found.value)
            fields[field] = replace(said, candidates=(found, *others)[:_MOST_CANDIDATES], reason=reason)
        elif field in failed:
            reason = _("{model} was asked, and gave no answer: {why}.", model=name, why=trouble)
            fields[field] = replace(said, reason=". ".join(filter(None, (said.reason.removesuffix("."), reason))))


def _marks_from(raw: object) -> Marks:
    kept = raw if isinstance(raw, dict) else {}
    texts = {name: frozenset(one for one in _list(kept.get(name)) if isinstance(one, str)) for name in _MARKS}
    return Marks(**texts)


def fields_from(raw: Mapping[str, Any]) -> dict[str, FieldSaid]:
    """Return what `fields_as_json` made, as far as it is well-formed: foreign files stand behind it."""
    found = {name: _said_from(name, raw[name]) for name in FIELDS if isinstance(raw.get(name), dict)}
    return found | {name: _said_from(name, one) for name, one in _own_in(raw).items() if isinstance(one, dict)}


def _own_in(raw: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of one's own, as they stand beside the others."""
    own = raw.get("own")
    named = own.items() if isinstance(own, dict) else ()
    return {name: one for name, one in named if OWN_NAME.fullmatch(name) and name not in FIELDS}


def fields_as_json(fields: Mapping[str, FieldSaid]) -> dict[str, Any]:
    """Return fields as JSON values."""
    told = {name: asdict(said) for name, said in fields.items() if name in FIELDS}
    return told | {"own": {name: asdict(said) for name, said in fields.items() if name not in FIELDS}}


def decisive(fields: Mapping[str, FieldSaid]) -> dict[str, str]:
    """Return by field what conditions may go by: what is sure; empty for a field of one's own that is nowhere.

    What has such a label or fits such a pattern stands there or does not, where a document may well have a date or a
    sender that was not found.
    """
    sure = {name: said.value for name, said in fields.items() if said.value}
    nowhere = {name: "" for name, said in fields.items() if name not in FIELDS and not (said.value or said.candidates)}
    return sure | nowhere


def _said_from(name: str, raw: Mapping[str, Any]) -> FieldSaid:
    value = field_value(name, raw.get("value"))
    candidates = [_candidate(name, one) for one in _list(raw.get("candidates")) if isinstance(one, dict)]
    told = tuple(one for one in candidates if one.value)[:_MOST_CANDIDATES]
    place = _candidate(name, raw["place"]) if value and isinstance(raw.get("place"), dict) else None
    return FieldSaid(value, told, _short(raw.get("reason")), not value and bool(raw.get("is_disputed")), place)


def _candidate(name: str, raw: Mapping[str, Any]) -> Candidate:
    page = raw.get("page")
    number = page if isinstance(page, int) and page > 0 else 0
    return Candidate(field_value(name, raw.get("value")), number, _short(raw.get("words")), _box(raw.get("box")))


def _box(raw: object) -> tuple[int, ...]:
    sides = tuple(side for side in _list(raw) if type(side) is int and 0 <= side <= _FURTHEST)
    return sides if len(sides) == 4 and sides[0] <= sides[2] and sides[1] <= sides[3] else ()


def field_value(name: str, raw: object) -> str:
    """Return a value as it is kept; empty for what cannot be one."""
    try:
        return masked(accepted(name, raw)) if isinstance(raw, str) and len(raw) <= _LONGEST else ""
    except ValueError:
        return ""


def _short(raw: object) -> str:
    return clean(raw[:_LONGEST]) if isinstance(raw, str) else ""


def _list(raw: object) -> Sequence[Any]:
    return raw if isinstance(raw, list | tuple) else ()


def answer_fields(_request: Mapping[str, Any], content: bytes) -> Said:
    """Pick the fields out of an answer of `document-extract`, in the reader process."""
    try:
        raw = json.loads(content)
    except (ValueError, RecursionError):
        return {"fields": None}, b""
    document = raw.get("Document") if isinstance(raw, dict) else None
    if not isinstance(document, dict):
        return {"fields": None}, b""
    fields: dict[str, Any] = {name: _flat(document.get(name)) for name in FIELDS}
    if isinstance(document.get("eInvoice"), dict):
        fields["kind"] = _as_data(fields["kind"])
    fields["own"] = {name: _flat(one) for name, one in _own_in(document).items()}
    return {"fields": fields, "marks": _marks_in(raw, document)}, b""


def _as_data(kind: dict[str, Any]) -> dict[str, Any]:
    """The kind of a document that has an invoice as data; one that is not sure stays so."""
    if kind["value"] is None and kind.get("candidates"):
        return kind
    return {**kind, "value": E_CREDIT_NOTE if kind["value"] == "credit_note" else E_INVOICE}


def _marks_in(raw: Mapping[str, Any], document: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return what may prove the sender: the identifiers that the service found, and what stands behind labels."""
    listed = document.get("identifiers")
    named = [one for one in _list(listed.get("value") if isinstance(listed, dict) else None) if isinstance(one, dict)]
    found = {
        name: [value for one in named if one.get("kind") == name and isinstance(value := one.get("value"), str)]
        for name in _MARKS[:-1]
    }
    pages = (page for name, page in raw.items() if name != "Document" and isinstance(page, dict))
    values = (value for page in pages for value in page.values() if isinstance(value, str))
    labelled = dict.fromkeys(number(value) for value in values if len(value) <= _LONGEST)
    return {name: [one for one in texts if len(one) <= _LONGEST][:_MOST_MARKS] for name, texts in found.items()} | {
        "labelled": list(labelled)[:_MOST_MARKS]
    }


def _flat(raw: object) -> dict[str, Any]:
    """A field as the service gives it (docs/reading.md#document-extract): the language is a text, the others tables."""
    if not isinstance(raw, dict):
        return {"value": raw if isinstance(raw, str) else None}
    candidates = [_placed(one) for one in _list(raw.get("candidates"))[:_MOST_CANDIDATES] if isinstance(one, dict)]
    return {
        "value": raw.get("value"),
        "candidates": candidates,
        "reason": raw.get("reason"),
        "is_disputed": isinstance(raw.get("disputed"), dict),
        "place": _placed(raw),
    }


def _placed(raw: Mapping[str, Any]) -> dict[str, Any]:
    first = next((one for one in _list(raw.get("evidence")) if isinstance(one, dict)), {})
    corners = _list(next(iter(_list(first.get("bboxes"))), None))
    is_placed = len(corners) == 8 and all(isinstance(at, int) for at in corners)
    across, down = corners[::2], corners[1::2]
    box = [min(across), min(down), max(across), max(down)] if is_placed else None
    return {"value": raw.get("value"), "page": first.get("page"), "words": first.get("words"), "box": box}


def with_folder(rule: Rule, values: Mapping[str, str]) -> Mapping[str, str]:
    """Return what a document says, with the folder of its sender where the rule has a list of known ones."""
    if not rule.senders or not values.get("sender"):
        return values
    folder = known_senders.folder_of(known_senders.read(Path(rule.senders)), values["sender"])
    return {**values, "folder": folder.as_posix()}
