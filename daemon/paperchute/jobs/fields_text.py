"""`NAME.json` beside a result: what was read of its document, and what a person has answered (`write_fields`)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from paperchute.jobs.document_fields import Candidate, FieldSaid
from paperchute.jobs.model import Job


def fields_text(job: Job, said: Mapping[str, FieldSaid], given: Mapping[str, str]) -> bytes:
    """Return the file. said: what the document says, by field. given: what a person has answered, which goes first."""
    names = [*said, *(name for name in given if name not in said)]
    told = {name: _told(said.get(name, FieldSaid()), given.get(name, "")) for name in names}
    return (json.dumps({"file": job.path.name, "fields": told}, ensure_ascii=False, indent=1) + "\n").encode()


def _told(said: FieldSaid, given: str) -> dict[str, Any]:
    value = given or said.value
    found: dict[str, Any] = {"value": value or None, "sure": bool(value)}
    if given:
        found["answered"] = True
    elif said.place is not None:
        found |= _where(said.place)
        if said.model:
            found["model"] = said.model
    if said.reason:
        found["reason"] = said.reason
    if said.candidates:
        found["candidates"] = [{"value": one.value} | _where(one) for one in said.candidates]
    return found


def _where(place: Candidate) -> dict[str, Any]:
    """Return where a value stands: page and box as `document-extract` gives them, in pixels of 144 dpi."""
    found: dict[str, Any] = {"page": place.page} if place.page else {}
    if place.box:
        found["box"] = list(place.box)
    if place.words:
        found["words"] = place.words
    return found
