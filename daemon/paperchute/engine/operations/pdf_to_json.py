"""pdf-to-json: what is on the pages, as JSON (docs/contract.md#document-parsing has the form).

- resolveType: TEXT, TABLE or IMAGE leaves blocks of that kind alone; EXTRACT has everything.
- Pictures are in the JSON, as base64; isContainImg 0 leaves them out.
- isOutputDocumentPerPage: a file for each page. pageLayoutMode changes nothing: each block has its place.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from paperchute.engine.operations import document_parsing
from paperchute.engine.reading.source import stem_of
from paperchute.engine.work import Work

_FILTERS = {"TEXT": "text", "TABLE": "table", "IMAGE": "image"}


def run(work: Work) -> list[Path]:
    """The JSON file, or one for each page. Raises Refused 02201, 120002, 02207, 110001."""
    wanted = _FILTERS.get(work.text("resolveType"), "all")
    parameters = {**work.parameters, "content_filter": wanted, "image_type": "base64"}
    made = document_parsing.run(replace(work, parameters=parameters))
    results = [path for path in made if path.name == "result.json"]
    stem = stem_of(work)
    outputs = []
    for path in results:
        number = path.parent.name.removeprefix("page") if path.parent != work.folder else ""
        outputs.append(path.rename(work.folder / f"{stem}{number}.json"))
    return outputs
