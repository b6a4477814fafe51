"""Where a table of documents finds them: paths from the workbook's folder to where a job's originals will lie.

The call comes before they are filed. Until then no other file can take their name in the hot folder, so what is free
where they go to is free when they come.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import quote

from paperchute.contract import Value, contract
from paperchute.files import placement
from paperchute.jobs.model import DeliveryPlan, Job, originals_of
from paperchute.jobs.originals import plans_for

_PARAMETER = "links"


def links_of(job: Job, operation: str, inputs: Sequence[Path], draft: DeliveryPlan | None) -> dict[str, Value]:
    """Give the parameter for an operation that links to its files, nothing for others and where no link would lead.

    draft: where the result is going to be, None between steps. Raises OSError.
    """
    if draft is None or contract().known(operation).parameter(_PARAMETER) is None:
        return {}
    places = dict(_places(job))
    links = [_link(places.get(path), draft.final.parent) for path in inputs]
    return {_PARAMETER: links} if any(links) else {}


def _places(job: Job) -> Iterator[tuple[Path, Path]]:
    """Each file of a job, and where it will lie; none where that hangs on other rules, or nothing will be left."""
    fate = job.rule.original
    if job.rule.also or fate in ("delete", "trash"):
        return
    plans = plans_for(job)
    for original in originals_of(job):
        if fate != "keep" and original.index not in plans:
            continue
        place = original.home if fate == "keep" else _free(plans[original.index].target)
        for member in job.members:
            if member.path == original.path or (job.is_set and member.path.is_relative_to(original.path)):
                yield member.path, place / member.path.relative_to(original.path)


def _free(target: Path) -> Path:
    """The name that it will get."""
    return next(path for path in placement.numbered(target) if not os.path.lexists(path))


def _link(place: Path | None, folder: Path) -> str:
    """The way from a folder to a file, with what means something in an address as its code; empty for none."""
    if place is None:
        return ""
    try:
        way = os.path.relpath(place, folder)
    except ValueError:  # on another drive
        way = str(place)
    drive, rest = os.path.splitdrive(Path(way).as_posix())
    return drive + "".join(letter if ord(letter) > 127 else quote(letter) for letter in rest)
