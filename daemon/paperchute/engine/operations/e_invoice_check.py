"""e-invoice-check: an invoice's data by the rules of EN 16931; ours beyond the interface (docs/reading.md#e-invoices).

The data are an XML file, or lie in a PDF, whose pages must say the same.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from paperchute.engine.e_invoice.conformance import MOST_FINDINGS, cautions, findings, profile_of
from paperchute.engine.e_invoice.invoice import invoice_of
from paperchute.engine.e_invoice.markup import content_of, parsed, why_unread
from paperchute.engine.e_invoice.rule import Finding
from paperchute.engine.extraction.comparison import disputed_fields
from paperchute.engine.extraction.embedded import invoice_files
from paperchute.engine.pdf.document import open_pdf
from paperchute.engine.work import Work, output_name
from paperchute.language import _

_MOST_WARNINGS = 10
"""Findings that are warnings one by one; the result has all that are told."""


def run(work: Work) -> list[Path]:
    """The findings as JSON, with a warning of each. Raises Refused 02201, 120002, 02207 for the PDF."""
    source = work.sources[0]
    is_pdf = source.kind == "pdf"
    if is_pdf:
        with open_pdf(source.path, source.name, work.text("password")):
            files = invoice_files(source.path, work.text("password"))
    else:
        files = [(source.name, content_of(source.path))]
    if not files:
        work.warn(_("No invoice lies in {name} as data, so nothing was checked.", name=source.name))
    invoices = [_checked(work, name, content, is_pdf) for name, content in files]
    output = work.folder / output_name(work, "json")
    result = {"file": source.name, "isValid": bool(files) and all(one["isValid"] for one in invoices)}
    output.write_text(json.dumps(result | {"invoices": invoices}, ensure_ascii=False, indent=1), "utf-8")
    return [output]


def _checked(work: Work, name: str, content: bytes | None, is_pdf: bool) -> dict[str, Any]:
    """Return what is found of one invoice, of which `work` is told."""
    root = parsed(content) if content else None
    invoice = invoice_of(root) if root is not None else None
    if root is None:
        found = [Finding("XML", _("it cannot be read: {why}", why=why_unread(content)))]
    elif invoice is None:
        found = [Finding("SYNTAX", _("it is no invoice in a syntax of EN 16931, which are CII and UBL"))]
    else:
        found = findings(invoice)
    beside = cautions(invoice) if invoice is not None else []
    said = disputed_fields(work, name, content) if is_pdf and content else {}
    _tell(work, name, found)
    _tell(work, name, beside)
    for field, (page, data) in said.items():
        work.warn(
            _(
                "{field}: the page says {page}, the invoice data in the file says {data}.",
                field=field,
                page=page,
                data=data,
            )
        )
    return {
        "name": name,
        "syntax": invoice.syntax if invoice else None,
        "specification": invoice.whole.text("BT-24") if invoice else None,
        "profile": profile_of(invoice) or None if invoice else None,
        "isValid": not found and not said,
        "findings": [_shown(one) for one in found],
        "cautions": [_shown(one) for one in beside],
        "disputed": [{"field": field, "page": page, "data": data} for field, (page, data) in said.items()],
    }


def _shown(one: Finding) -> dict[str, str]:
    return {"rule": one.rule, "says": one.says} | ({"line": one.line} if one.line else {})


def _tell(work: Work, name: str, found: list[Finding]) -> None:
    for one in found[:_MOST_WARNINGS]:
        if one.line:
            work.warn(_("{name}, {rule}, line {line}: {says}.", name=name, rule=one.rule, line=one.line, says=one.says))
        else:
            work.warn(_("{name}, {rule}: {says}.", name=name, rule=one.rule, says=one.says))
    if len(found) > _MOST_WARNINGS:
        more = f"{len(found) - _MOST_WARNINGS}{'+' if len(found) == MOST_FINDINGS else ''}"
        work.warn(_("{name} breaks {more} more rules, which the result lists.", name=name, more=more))
