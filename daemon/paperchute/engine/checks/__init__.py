"""What the server asks of a call before it queues it: rules between parameters that the contract cannot say.

They stand apart from the operations, so that the server loads none of the libraries that documents are worked on with:
these would hold up the first call by 0.4 s, and keep up to 80 MB for as long as the engine runs. No check reads a file.
"""

from __future__ import annotations

from collections.abc import Callable

from paperchute.engine.checks.pages import check_encrypt, check_insert, check_merge
from paperchute.engine.checks.printing import check_generate, check_html_to_pdf
from paperchute.engine.checks.reading import check_extraction, check_parsing, check_reading
from paperchute.engine.checks.text_layers import check_editable, check_magic_color
from paperchute.engine.work import Work

CHECKS: dict[str, Callable[[Work], None]] = {
    "document-extract": check_extraction,
    "document-parsing": check_parsing,
    "html-to-pdf": check_html_to_pdf,
    "img-to-csv": check_reading,
    "img-to-docx": check_reading,
    "img-to-html": check_reading,
    "img-to-rtf": check_reading,
    "img-to-xlsx": check_reading,
    "magic-color": check_magic_color,
    "pdf-encrypt": check_encrypt,
    "pdf-generate": check_generate,
    "pdf-insert": check_insert,
    "pdf-merge": check_merge,
    "pdf-to-csv": check_reading,
    "pdf-to-docx": check_reading,
    "pdf-to-editable": check_editable,
    "pdf-to-html": check_reading,
    "pdf-to-markdown": check_reading,
    "pdf-to-rtf": check_reading,
    "pdf-to-xlsx": check_reading,
}
"""By the operation's contract id. Each raises Refused."""
