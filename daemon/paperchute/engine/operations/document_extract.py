"""document-extract: fields and tables of a document as JSON, by a schema or all that it shows as such.

- mode vision looks at each page for itself; layout at the whole document: a table over several pages is one, and each
  wanted field is given once, where it is found most clearly. Neither reads meaning: a field is found by its name or
  `prompt` as it is printed, beside or above its value, in a form's cell or in a table's head.
- enableGrounding (layout only) gives each value as {value, page, bboxes}, in pixels at 144 dpi.
- optionsJson: of the parser's settings (`engine/parse_options.py`) mergeTables, use_layout_detection and
  ignore_labels matter here.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from paperchute.engine.document.flow import with_blocks, with_merged_tables
from paperchute.engine.document.model import Page
from paperchute.engine.extraction.fields import Fields, over_all_pages, page_by_page
from paperchute.engine.extraction.schema import Schema, read_schema
from paperchute.engine.parse_options import parse_options
from paperchute.engine.reading.source import check_reading, document_of, stem_of
from paperchute.engine.work import Work
from paperchute.engine.writing.parsed import as_json


def check(work: Work) -> None:
    """Raises Refused: 02002 for a file this engine does not read, 01006 and 03000 for the schema and the options."""
    read_schema(work.text("extractFields"))
    parse_options(work.text("optionsJson"), "optionsJson")
    check_reading(work)


def run(work: Work) -> list[Path]:
    """The JSON file, or one for each page. Raises Refused 02201, 120002, 02207, 110001."""
    schema = read_schema(work.text("extractFields"))
    options = parse_options(work.text("optionsJson"), "optionsJson")
    whole = work.text("mode") == "layout"
    stem = stem_of(work)
    with document_of(work, layout=options.layout_detection) as document:
        pages = with_blocks(document.pages, lambda block: block.kind not in options.ignored, notes=False)
        if not work.flag("isOutputDocumentPerPage"):
            merged = with_merged_tables(pages) if whole or options.merge_tables else pages
            path = work.folder / f"{stem}.json"
            _write(path, _found(work, merged, schema, whole))
            return [path]
        outputs = []
        digits = len(str(document.facts.page_count))
        for page in pages:
            path = work.folder / f"{stem}-{page.number:0{digits}}.json"
            _write(path, _found(work, [page], schema, whole))
            outputs.append(path)
    return list(dict.fromkeys(outputs))


def _found(work: Work, pages: Iterable[Page], schema: Schema, whole: bool) -> Iterator[tuple[str, Fields]]:
    grounded = whole and bool(work.parameters.get("enableGrounding", True))
    return over_all_pages(pages, schema, grounded) if whole else page_by_page(pages, schema, grounded)


def _write(path: Path, pages: Iterable[tuple[str, Fields]]) -> None:
    """One object, page by page."""
    with path.open("w", encoding="utf-8", newline="\n") as out:
        out.write("{")
        for number, (name, fields) in enumerate(pages):
            out.write(f"{',' if number else ''}\n{json.dumps(name)}: {as_json(fields)}")
        out.write("\n}\n")
