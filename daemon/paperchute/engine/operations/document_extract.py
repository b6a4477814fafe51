"""document-extract: fields and tables of a document as JSON, by a schema or all that it shows as such.

- mode vision looks at each page for itself; layout at the whole document: a table over several pages is one, and each
  wanted field is given once, where it is found most clearly. Neither reads meaning: a field is found by its name or
  `prompt` as it is printed, beside or above its value, in a form's cell or in a table's head.
- What business documents have (`extraction.findings`: date, number, total, IBAN ...) is found without being told: with
  an empty schema it stands under `Document`, each with evidence and confidence, or with why it is not sure; a schema's
  field of such a name takes it from there.
- An invoice that lies in a PDF as data (`extraction.embedded`) is compared with the pages, but where each page has a
  file of its own. A file of such data alone (`e_invoice_file`) is told as it says.
- find: fields of one's own by label or pattern, which stand under `Document` too (`extraction.own_fields`).
- words: the words of the pages stand under `Document` too, in rows and pieces as labels and values are looked for.
- enableGrounding (layout only) gives each value as {value, page, bboxes}, in pixels at 144 dpi; 0 leaves the evidence
  out of `Document` too.
- optionsJson: of the parser's settings (`engine/parse_options.py`) mergeTables, use_layout_detection and
  ignore_labels matter here.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from paperchute.engine.checks.reading import is_data
from paperchute.engine.document.flow import with_blocks, with_merged_tables
from paperchute.engine.document.model import Page
from paperchute.engine.e_invoice.markup import content_of
from paperchute.engine.extraction.answer import (
    Watched,
    answer,
    disputed,
    named_field,
    stated_text,
    unsure_fields,
    watched_page,
)
from paperchute.engine.extraction.embedded import Embedded, embedded
from paperchute.engine.extraction.fields import Fields, over_all_pages, page_by_page
from paperchute.engine.extraction.schema import Schema, read_own_fields, read_schema
from paperchute.engine.extraction.stated import read_data
from paperchute.engine.parse_options import parse_options
from paperchute.engine.reading.source import document_of, stem_of
from paperchute.engine.work import Work
from paperchute.engine.writing.parsed import as_json
from paperchute.language import _


def run(work: Work) -> list[Path]:
    """The JSON file, or one for each page. Raises Refused 02201, 120002, 02207, 110001."""
    schema = read_schema(work.text("extractFields"))
    if is_data(work.sources[0]):
        path = work.folder / f"{stem_of(work)}.json"
        _write(path, _of_data(work, schema))
        return [path]
    options = parse_options(work.text("optionsJson"), "optionsJson")
    whole = work.text("mode") == "layout"
    stem = stem_of(work)
    data = _embedded(work)
    with document_of(work, layout=options.layout_detection, words=True, taken=len(data)) as document:
        own = read_own_fields(work.text("find"))
        worded = work.flag("words")
        watched = Watched(data, own, worded)
        seen = watched.pages(document.pages)
        pages = with_blocks(seen, lambda block: block.kind not in options.ignored, notes=False)
        if not work.flag("isOutputDocumentPerPage"):
            merged = with_merged_tables(pages) if whole or options.merge_tables else pages
            path = work.folder / f"{stem}.json"
            _write(path, _found(work, merged, schema, watched))
            return [path]
        outputs = []
        digits = len(str(document.facts.page_count))
        for page in pages:
            path = work.folder / f"{stem}-{page.number:0{digits}}.json"
            _write(path, _found(work, [page], schema, watched_page(page, own, worded=worded)))
            outputs.append(path)
    return list(dict.fromkeys(outputs))


def _embedded(work: Work) -> list[Embedded]:
    """The invoices that lie in a PDF as data, of which those that cannot be read are told."""
    source = work.sources[0]
    if source.kind != "pdf" or work.flag("isOutputDocumentPerPage"):  # a page of its own may be of another invoice
        return []
    data = embedded(source.path, work.text("password"))
    for one in data:
        if one.findings is None:
            work.warn(_("The invoice's data in {file} could not be read.", file=one.name))
    return data


def _found(work: Work, pages: Iterable[Page], schema: Schema, watched: Watched) -> Iterator[tuple[str, Fields]]:
    whole = work.text("mode") == "layout"
    wanted = bool(work.parameters.get("enableGrounding", True))
    if whole:
        yield from over_all_pages(pages, schema, wanted, watched)
    else:
        yield from page_by_page(pages, schema, grounded=False)
    if schema.automatic:
        yield "Document", answer(watched, wanted or not whole)
        _tell_unsure(work, watched)
    if watched.data:
        wanted_names = [named_field(key) for key in schema.keys]
        for name, (page, said) in disputed(watched.findings()).items():
            if schema.automatic or name in wanted_names:
                sentence = _(
                    "{field}: the page says {page}, the invoice data in the file says {data}.",
                    field=name,
                    page=page,
                    data=said,
                )
                work.warn(sentence)


def _of_data(work: Work, schema: Schema) -> Iterator[tuple[str, Fields]]:
    """Yield what an invoice's XML says; it has no pages, so what is asked of them is told to have no effect."""
    source = work.sources[0]
    read = read_data(content_of(source.path) or b"", source.name)
    if read is None:
        work.warn(_("{name} is no e-invoice that can be read, so nothing is told of it.", name=source.name))
    for name in ("pageRanges", "isOutputDocumentPerPage"):
        if work.parameters.get(name):
            work.warn(_("{name} has no pages: {parameter} has no effect.", name=source.name, parameter=name))
    watched = Watched([Embedded(source.name, read)], read_own_fields(work.text("find")), work.flag("words"))
    if watched.own:
        work.warn(_("Fields of your own are looked for on pages, of which {name} has none.", name=source.name))
    if schema.automatic:
        yield "Document", answer(watched, bool(work.parameters.get("enableGrounding", True)))
        _tell_unsure(work, watched)
        return
    if schema.tables:
        work.warn(_("Tables are looked for on pages, of which {name} has none.", name=source.name))
    yield "Page-1", {wanted.name: _stated_for(watched, named_field(wanted), work) for wanted in schema.keys}


def _stated_for(watched: Watched, name: str, work: Work) -> Any:
    found = stated_text(watched.findings(), name) if name else None
    grounded = work.text("mode") == "layout" and bool(work.parameters.get("enableGrounding", True))
    if not grounded:
        return found[0] if found else ""
    return {"value": found[0], "attachment": found[1].name} if found else ""


def _tell_unsure(work: Work, watched: Watched) -> None:
    if unsure := unsure_fields(watched):
        work.warn(_("Not sure: {fields}. The result lists what they may be, and why.", fields=", ".join(unsure)))


def _write(path: Path, pages: Iterable[tuple[str, Fields]]) -> None:
    """One object, page by page."""
    with path.open("w", encoding="utf-8", newline="\n") as out:
        out.write("{")
        for number, (name, fields) in enumerate(pages):
            out.write(f"{',' if number else ''}\n{json.dumps(name)}: {as_json(fields)}")
        out.write("\n}\n")
