"""pdf-del-watermark: take out the marks that a PDF says are watermarks (docs/pages.md#marks).

`indices` names some of them, counted from 1 in the order in which pages show them; the same mark on several pages is
one. Nothing is looked for by its looks: what is drawn like any other content stays.
"""

from __future__ import annotations

from pathlib import Path

import pikepdf

from paperchute.contract import told_of_pages
from paperchute.engine.pdf.document import FAULTS
from paperchute.engine.pdf.pages import rewrite
from paperchute.engine.pdf.watermark_removal import drop_layers, marks_of, take_out
from paperchute.engine.work import Refused, Work, chosen_pages
from paperchute.language import _


def run(work: Work) -> list[Path]:
    """The document without them. Raises Refused 02201, 120002, 02207, 110001, and 130102 where it has none."""
    name = work.sources[0].name

    def remove(pdf: pikepdf.Pdf) -> None:
        indices = sorted(set(chosen_pages(work.text("pages"), len(pdf.pages), name)))
        unread: list[int] = []
        found: dict[str, list[int]] = {}
        for index in range(len(pdf.pages)):
            try:
                for mark in marks_of(pdf.pages[index]):
                    found.setdefault(mark.key, []).append(index)
            except FAULTS:
                unread.append(index)
        keys = _chosen(work, list(found))
        on = [index for index in indices if any(index in found[key] for key in keys)]
        if not on:
            raise Refused(
                "130102",
                _(
                    "{name} says of nothing on these pages that it is a watermark. A mark that is drawn like any other "
                    "content cannot be told from it, so nothing was taken out",
                    name=name,
                ),
            )
        for index in on:
            take_out(pdf, pdf.pages[index], keys)
        drop_layers(pdf)
        if left := [i for i in on if any(mark.key in keys for mark in marks_of(pdf.pages[i]))]:
            raise RuntimeError(f"marks are still there on pages {left}")
        work.note(_("Watermarks were taken out of {pages}.", pages=told_of_pages(index + 1 for index in on)))
        if missed := [index + 1 for index in indices if index in unread]:
            work.warn(_("Not read, and left as they are: {pages}.", pages=told_of_pages(missed)))

    return rewrite(work, remove)


def _chosen(work: Work, keys: list[str]) -> list[str]:
    """The marks that are asked for. Raises Refused 130102 for one that is not there."""
    wanted = [int(number) for number in work.texts("indices")] or list(range(1, len(keys) + 1))
    if beyond := [number for number in wanted if number > len(keys)]:
        raise Refused(
            "130102",
            _(
                "{name} has {count} marks that it says are watermarks, so there is none with the number {number}",
                name=work.sources[0].name,
                count=len(keys),
                number=beyond[0],
            ),
        )
    return [keys[number - 1] for number in wanted]
