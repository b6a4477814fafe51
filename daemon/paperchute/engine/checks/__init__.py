"""What the server asks of a call before it queues it: rules between parameters that the contract cannot say.

They stand apart from the operations, so that the server loads none of the libraries that documents are worked on with:
these would hold up the first call by 0.4 s, and keep up to 80 MB for as long as the engine runs. No check reads a file.
"""

from __future__ import annotations

from collections.abc import Callable

from paperchute.engine.checks.pages import (
    check_add_watermark,
    check_compare,
    check_compress,
    check_del_watermark,
    check_delete,
    check_done,
    check_encrypt,
    check_images,
    check_impose,
    check_insert,
    check_merge,
    check_metadata,
    check_number,
    check_reorder,
    check_split,
)
from paperchute.engine.checks.printing import check_generate, check_no_password, check_print
from paperchute.engine.checks.reading import check_extraction, check_parsing, check_reading, check_table
from paperchute.engine.checks.redaction import check_redact
from paperchute.engine.checks.text_layers import check_editable, check_magic_color, check_picture, check_scan
from paperchute.engine.work import Work

CHECKS: dict[str, Callable[[Work], None]] = {
    "csv-to-pdf": check_print,
    "document-extract": check_extraction,
    "document-layout": check_reading,
    "document-parsing": check_parsing,
    "documents-to-table": check_table,
    "docx-to-pdf": check_print,
    "html-to-pdf": check_no_password,
    "img-to-csv": check_reading,
    "img-to-docx": check_reading,
    "img-to-html": check_reading,
    "img-to-json": check_reading,
    "img-to-pdf": check_picture,
    "img-to-pptx": check_reading,
    "img-to-rtf": check_reading,
    "img-to-txt": check_reading,
    "img-to-xlsx": check_reading,
    "magic-color": check_magic_color,
    "pdf-add-watermark": check_add_watermark,
    "pdf-compare": check_compare,
    "pdf-compress": check_compress,
    "pdf-convert-type": check_done,
    "pdf-del-watermark": check_del_watermark,
    "pdf-delete": check_delete,
    "pdf-encrypt": check_encrypt,
    "pdf-generate": check_generate,
    "pdf-impose": check_impose,
    "pdf-insert": check_insert,
    "pdf-merge": check_merge,
    "pdf-metadata": check_metadata,
    "pdf-number": check_number,
    "pdf-redact": check_redact,
    "pdf-reorder": check_reorder,
    "pdf-split": check_split,
    "pdf-to-csv": check_reading,
    "pdf-to-docx": check_reading,
    "pdf-to-editable": check_editable,
    "pdf-to-html": check_reading,
    "pdf-to-img": check_images,
    "pdf-to-json": check_reading,
    "pdf-to-markdown": check_reading,
    "pdf-to-pptx": check_reading,
    "pdf-to-rtf": check_reading,
    "pdf-to-txt": check_reading,
    "pdf-to-xlsx": check_reading,
    "pptx-to-pdf": check_print,
    "rtf-to-pdf": check_print,
    "scan": check_scan,
    "txt-to-pdf": check_print,
    "xlsx-to-pdf": check_print,
}
"""By the operation's contract id. Each raises Refused."""

UNCHECKED = frozenset(
    {"document-fingerprint", "e-invoice-check", "e-invoice-to-pdf", "pdf-decrypt", "pdf-extract", "pdf-rotate"}
)
"""Operations of whose parameters the contract says all that can be known before the file is read."""
