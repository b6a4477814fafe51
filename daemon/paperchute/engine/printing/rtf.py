"""RTF without LibreOffice: its words alone."""

from __future__ import annotations

from striprtf.striprtf import rtf_to_text

from paperchute.engine.html.fetch import Page
from paperchute.engine.reading.office.markup import text_html
from paperchute.engine.work import Refused, Source, Work
from paperchute.language import _

_MOST_BYTES = 64 << 20


def rtf_page(source: Source, work: Work) -> Page:
    """Give the words of an RTF file as HTML, and warn of what that leaves out.

    Raises Refused: 02207 where it cannot be read, 02209 where it is too large.
    """
    content = source.path.read_bytes()
    if len(content) > _MOST_BYTES:
        megabytes = _MOST_BYTES >> 20
        raise Refused("02209", _("{name} is larger than {megabytes} MB", name=source.name, megabytes=megabytes))
    try:
        text = str(rtf_to_text(content.decode("latin-1"), errors="replace"))  # type: ignore[no-untyped-call]
    except (ValueError, LookupError, RecursionError, AttributeError, TypeError) as error:
        raise Refused(
            "02207", _("{name} cannot be opened: it is damaged, or not what its name says.", name=source.name)
        ) from error
    work.warn(
        _("Of {name} the words alone were printed: its pictures, tables and looks are missing.", name=source.name)
    )
    return Page(text_html(text))
