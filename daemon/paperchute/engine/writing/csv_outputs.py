"""What the operations that give CSV share: which tables go into which file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from paperchute.engine.document.merging import with_merged_tables
from paperchute.engine.document.model import Page, Table
from paperchute.engine.reading.source import document_of
from paperchute.engine.work import Refused, Work, output_name
from paperchute.engine.writing.csv_tables import write_csv


def written_tables(work: Work) -> list[Path]:
    """By excelWorksheetOption a file for each table, for each page that has any, or one for the document.

    Several files are named after page and table. Tables that a page end broke are one, save in files a page (and with
    isOutputDocumentPerPage). Raises Refused 190007 without any table, and as `document_of` does.
    """
    whole = work.folder / output_name(work, "csv")
    per = work.text("excelWorksheetOption") or "e_ForTable"
    parted = work.flag("isOutputDocumentPerPage")
    found: list[tuple[str, list[Table]]] = []
    with document_of(work) as document:
        digits = len(str(document.facts.page_count))
        pages: Iterator[Page] = document.pages
        if per != "e_ForPage" and not parted:
            pages = with_merged_tables(pages)
        for page in pages:
            tables = [block.table for block in page.blocks if block.table is not None]
            name = f"-{page.number:0{digits}}"
            if per == "e_ForTable":
                found += [(f"{name}-{place}", [table]) for place, table in enumerate(tables, start=1)]
            elif tables and (per == "e_ForPage" or parted):
                found.append((name, tables))
            elif tables and found:
                found[0][1].extend(tables)
            elif tables:
                found.append(("", tables))
    if not found:
        raise Refused("190007", _no_table(work), "没有找到表格。")
    if len(found) == 1 and not parted:
        return [write_csv(whole, found[0][1])]
    paths = [write_csv(whole.with_name(f"{whole.stem}{name}.csv"), tables) for name, tables in found]
    return list(dict.fromkeys(paths))


def _no_table(work: Work) -> str:
    name = work.sources[0].name
    if work.operation.startswith("img-") and not work.flag("enableOcr"):
        return f"There is no table in {name}: enableOcr 0 reads no text from a picture; send 1."
    if not work.parameters.get("enableAiLayout", True):
        return f"There is no table in {name}: enableAiLayout 0 turns off what finds tables; send 1."
    return f"There is no table in {name}, and CSV holds tables only."
