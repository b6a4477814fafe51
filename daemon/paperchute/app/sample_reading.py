"""What the document of a sample says, where on its pages it says so, and what fields of one's own would find on it."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from paperchute.app.sample_calls import SampleCalls
from paperchute.errors import PaperchuteError
from paperchute.files.reader import readers
from paperchute.files.reader_line import Said
from paperchute.jobs.decision import is_read, senders_of
from paperchute.jobs.document_fields import (
    MOST_BYTES,
    Candidate,
    FieldSaid,
    asked,
    decisive,
    known_fields,
    read_fields,
    with_folder,
)
from paperchute.language import _
from paperchute.redaction import clean
from paperchute.rules.document_fields import FIELDS, READING, reads, step_of
from paperchute.rules.explain import asked_of
from paperchute.rules.model import Rule

_MOST_SHEETS = 5
"""Pages that are shown: of longer documents somebody looks at the first ones, and each is a picture in the answer."""
_SIDE = 1400
"""Pixels of a page's longer side, to be read: 120 dpi on A4."""
_MOST_WORDS = 3000
"""Of a page, which is more than a newspaper's has: a bound on what the browser draws."""
_LONGEST = 120
"""Characters of one."""
_TURNS = (0, 90, 180, 270)


@dataclass(frozen=True)
class Reading:
    """What was read of a sample. fields: empty where nothing could be read. pages: as `answer_words` has them."""

    fields: Mapping[str, FieldSaid] = field(default_factory=dict)
    pages: Sequence[Mapping[str, Any]] = ()
    values: Mapping[str, str] | None = None
    """What is sure, by field, as conditions go by it; None where nobody has read the document."""

    def names(self, rule: Rule) -> Mapping[str, str]:
        """Return what the rule's results are named by."""
        return with_folder(rule, {name: said.value for name, said in self.fields.items() if said.value})

    def open(self, rule: Rule) -> list[str]:
        """The fields that a job would wait for: what is needed, and what decides whether the rule takes it."""
        if self.values is None:
            return []
        needed = (name for name in asked(rule, self.fields) if not self.fields.get(name, FieldSaid()).value)
        return list(dict.fromkeys([*needed, *(name for name in rule.when if name not in self.values)]))


def must_read(rule: Rule) -> bool:
    """Decide whether jobs of the rule have their documents read."""
    return reads(rule) or bool(rule.when)


def read(calls: SampleCalls) -> Reading:
    """Read a sample as a job of the rule would. Our own engine does so of any, to show what is on it.

    A remote service counts its calls, so it reads only what its jobs would have it read. Raises PaperchuteError, and
    OSError.
    """
    rule, step = calls.rule, step_of(calls.rule, READING)
    is_remote = calls.is_remote(step)
    rules = asked_of(calls.rules.rules, calls.path)
    if rule.gather is not None or rule.schedule or (is_remote and not (must_read(rule) and calls.account)):
        return Reading()
    if not is_read(calls.sample.name, is_remote=is_remote):
        own = (name for one in rules for name in one.find)
        return Reading(values=dict.fromkeys((*FIELDS, *own), "") if any(one.when for one in rules) else None)
    if not is_remote:
        step = step.model_copy(update={"parameters": {**step.parameters, "words": True}})
    (path, *_more) = calls.made(step, [calls.sample], "reading", opens=True)
    senders = senders_of(rules) if any(one.when for one in rules) else rule.senders
    fields = known_fields(read_fields(path), senders)
    return Reading(fields, [] if is_remote else _words(path), decisive(fields))


def found(calls: SampleCalls, wanted: Sequence[Mapping[Any, str]]) -> list[FieldSaid]:
    """Find fields of one's own on a sample. wanted: entries of `find`. Raises as `read` does."""
    step = step_of(calls.rule, READING)
    if calls.is_remote(step):
        raise PaperchuteError(
            _("Fields of your own are found by the built-in engine alone, and this rule names another service.")
        )
    names = {f"entry_{number}": find for number, find in enumerate(wanted)}
    step = step.model_copy(update={"parameters": {**step.parameters, "find": json.dumps(names, ensure_ascii=False)}})
    (path, *_more) = calls.made(step, [calls.sample], "reading", opens=True)
    said = known_fields(read_fields(path), "")
    return [said.get(name, FieldSaid()) for name in names]


def told_of_field(name: str, said: FieldSaid) -> dict[str, Any]:
    """A field as JSON's values: what it is, or may be, whether that is sure, and each place of it."""
    places = [said.place] if said.place is not None else list(said.candidates)
    return {
        "field": name,
        "value": said.value,
        "sure": bool(said.value),
        "reason": said.reason,
        "candidates": [one.value for one in said.candidates],
        "places": [{"page": one.page, "box": list(one.box)} for one in places if one.box and one.page],
    }


def told_of_fields(reading: Reading) -> list[dict[str, Any]]:
    """Each field of which the document says something, in the order of the rule file's docs."""
    names = [*FIELDS, *(name for name in reading.fields if name not in FIELDS)]
    known = ((name, reading.fields.get(name, FieldSaid())) for name in names)
    return [told_of_field(name, said) for name, said in known if said.value or said.candidates]


def sheets(sample: Path, reading: Reading) -> list[dict[str, Any]]:
    """The first pages as pictures with their sizes in pixels of 144 dpi, and their words where these are known."""
    return list(_sheets(sample, reading))


def _sheets(sample: Path, reading: Reading) -> Iterator[dict[str, Any]]:
    known = {page["page"]: page for page in reading.pages}
    places = {place.page for said in reading.fields.values() for place in _places(said) if place.page}
    for number in sorted({*known, *places})[:_MOST_SHEETS]:
        page = known.get(number, {"page": number, "rows": []})
        picture, size = _drawn(sample, number, page.get("angle", 0))
        yield {**size, **page, "picture": picture}


def _places(said: FieldSaid) -> Sequence[Candidate]:
    return [said.place] if said.place is not None else said.candidates


def _drawn(sample: Path, number: int, turn: int) -> tuple[str, dict[str, int]]:
    """A PNG of a page, in base64, and its size in pixels of 144 dpi; empty where there is none."""
    request = {"do": "thumbnail", "path": str(sample), "side": _SIDE, "page": number, "turn": turn}
    try:
        said, drawn = readers.read(sample.name, request, b"")
    except (PaperchuteError, OSError):
        return "", {}
    return base64.b64encode(drawn).decode("ascii"), {"width": int(said["width"]), "height": int(said["height"])}


def _words(path: Path) -> list[dict[str, Any]]:
    if path.stat().st_size > MOST_BYTES:
        return []
    said, _content = readers.read(path.name, {"do": "document words"}, path.read_bytes())
    return [
        {**page, "rows": [[[_fit(word) for word in piece] for piece in row] for row in page["rows"]]}
        for page in said["pages"]
    ]


def _fit(word: list[Any]) -> list[Any]:
    """A word that may leave the process."""
    text, *box = word
    return [clean(text), *box]


def answer_words(_request: Mapping[str, Any], content: bytes) -> Said:
    """Pick the first pages' words out of an answer of `document-extract`, in the reader process.

    Each page has `page`, `width`, `height`, `angle` and `rows`: lists of pieces, a piece a list of [text, left, top,
    right, bottom].
    """
    try:
        document = json.loads(content)["Document"]
        pages = [_page(page) for page in document["pages"][:_MOST_SHEETS]]
    except (ValueError, LookupError, TypeError, RecursionError):
        pages = []
    return {"pages": pages}, b""


def _page(raw: Mapping[str, Any]) -> dict[str, Any]:
    left = _MOST_WORDS
    rows = []
    for row in raw["rows"]:
        pieces = [[_word(word) for word in piece] for piece in row]
        left -= sum(map(len, pieces))
        if left < 0:
            break
        rows.append(pieces)
    turn = raw["angle"] if raw["angle"] in _TURNS else 0
    return {**{name: int(raw[name]) for name in ("page", "width", "height")}, "angle": turn, "rows": rows}


def _word(raw: Mapping[str, Any]) -> list[Any]:
    left, top, right, bottom = map(int, raw["box"])
    return [raw["text"][:_LONGEST], left, top, right, bottom]
