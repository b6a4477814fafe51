"""What each repair of a scanned page costs, as a share of the processor time of reading it, and on how many it acts."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from benchmarks.scans.readers import ours
from benchmarks.watching.tables import Row


def costs_of_repairs(pictures: list[Path]) -> list[Row]:
    """A row for each repair, measured over all pictures in this process; the first is read once before."""
    from paperchute.engine.reading.ocr import repairs
    from paperchute.engine.reading.ocr.recognised import WorkingPicture

    spent = dict.fromkeys((each.name for each in repairs.REPAIRS), 0.0)
    amiss: dict[str, set[Path]] = {each.name: set() for each in repairs.REPAIRS}
    current = pictures[0]

    def timed(each: repairs.Repair) -> repairs.Repair:
        def run(page: WorkingPicture) -> bool:
            began = time.process_time()
            found = each.run(page)
            spent[each.name] += time.process_time() - began
            if found:
                amiss[each.name].add(current)
            return found

        return replace(each, run=run)

    usual = repairs.REPAIRS
    read: Callable[[Path], str] = ours()
    read(current)
    repairs.REPAIRS = tuple(map(timed, usual))
    try:
        began = time.process_time()
        for current in pictures:
            read(current)
        whole = time.process_time() - began
    finally:
        repairs.REPAIRS = usual
    return [
        {
            "repair": each.name,
            "when": each.when,
            "of a page %": round(100 * spent[each.name] / whole, 1),
            "ms/page": round(1000 * spent[each.name] / len(pictures)),
            "pages amiss": len(amiss[each.name]),
        }
        for each in usual
    ]
