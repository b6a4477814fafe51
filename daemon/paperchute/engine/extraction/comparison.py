"""A PDF's pages against an invoice's data: what they say otherwise."""

from __future__ import annotations

from collections import deque
from dataclasses import replace

from paperchute.engine.extraction.answer import Watched, disputed
from paperchute.engine.extraction.embedded import Embedded
from paperchute.engine.extraction.stated import read_data
from paperchute.engine.reading.source import document_of
from paperchute.engine.work import Work


def disputed_fields(work: Work, name: str, content: bytes) -> dict[str, tuple[str, str]]:
    """The fields of which the pages of `work`'s PDF say one thing and an invoice's data another, with both.

    name: of the data's file.
    """
    data = read_data(content, name)
    if data is None:
        return {}
    # Read as pdf-to-txt reads, so that scans are recognised where they need it.
    reading = replace(work, operation="pdf-to-txt", parameters={"password": work.text("password")})
    watched = Watched([Embedded(name, data)])
    with document_of(reading, words=True, taken=1) as document:
        deque(watched.pages(document.pages), maxlen=0)
    return disputed(watched.findings())
