"""pdf-insert: pages of another PDF or picture, or blank ones, into a PDF (docs/contract.md#pdf-insert)."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from paperchute.contract import kind_of
from paperchute.engine.html.fetch import FetchRefused, fetch_to
from paperchute.engine.pdf.assembly import Joiner, Taken
from paperchute.engine.pdf.document import open_pdf
from paperchute.engine.pdf.protection import lock, lock_for, protection_of
from paperchute.engine.printing.bundle import with_pdfs
from paperchute.engine.work import Refused, Source, Work, chosen_pages, output_name
from paperchute.language import _


def run(work: Work) -> list[Path]:
    """The target with the new pages; the first of them gets the number `index`."""
    files = with_pdfs(replace(work, sources=work.sources or _fetched(work))).sources
    output = work.folder / output_name(work, "pdf", files[0].name)
    target_password = work.text("targetPassword") or work.text("password")
    joiner = Joiner()
    with ExitStack() as opened:
        pdf = opened.enter_context(open_pdf(files[0].path, files[0].name, target_password))
        protections = [protection_of(pdf, files[0].name, target_password)]
        at = _position(work, len(pdf.pages)) - 1
        target = joiner.take(pdf, range(len(pdf.pages)), files[0].name)
        if work.text("actionType") == "BLANK":
            new = _blank(work, joiner)
        else:
            password = work.text("insertPassword")
            source = opened.enter_context(open_pdf(files[1].path, files[1].name, password))
            protections.append(protection_of(source, files[1].name, password))
            chosen = chosen_pages(work.text("sourcePages"), len(source.pages), files[1].name)
            new = joiner.take(source, chosen, files[1].name)
        how = lock_for(protections, work.protection)
        shown = target.shown
        joiner.save(
            output, [*target.pages[:at], *new.pages, *target.pages[at:]], [*shown[:at], *new.shown, *shown[at:]]
        )
    lock([output], how)
    return [output]


def _position(work: Work, pages: int) -> int:
    index = work.integer("index")
    if not 1 <= index <= pages + 1:
        raise Refused("110002", _("index {index} is outside 1 to {most}", index=index, most=pages + 1))
    return index


def _blank(work: Work, joiner: Joiner) -> Taken:
    width, height = (work.number(name) for name in ("width", "height"))
    count = work.integer("count", 1)
    return Taken([joiner.blank(width, height) for _ in range(count)], None)


def _fetched(work: Work) -> tuple[Source, ...]:
    sources = []
    for number, url in enumerate(work.texts("urls")):
        path = work.folder / f"fetched-{number}"
        try:
            fetch_to(url, path, work.fetch)
        except FetchRefused as error:
            raise Refused("01004", _("{url}: {reason}", url=url, reason=error)) from None
        sources.append(Source("file", path, Path(url.partition("?")[0]).name or "document.pdf", kind_of(path)))
    return tuple(sources)
