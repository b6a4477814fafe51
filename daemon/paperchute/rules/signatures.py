"""Signatures of PDFs (docs/pages.md#what-goes): which steps break them, and what is said of it before."""

from __future__ import annotations

from paperchute.contract import contract
from paperchute.language import _
from paperchute.rules.model import Rule
from paperchute.rules.steps import makes, reads


def changes_pdfs(operation_id: str) -> bool:
    """Decide whether an operation makes other PDFs of PDFs: no signature holds in those."""
    operation = contract().known(operation_id)
    return "pdf" in reads(operation) and makes(operation, {"pdf"}) == {"pdf"}


def broken_signature(name: str) -> str:
    """Say of a signed file that a remote service changes it; that service may well say nothing."""
    signed = _("{name} was signed.", name=name)
    return f"{signed} {_('This does not hold for the result, which is changed: keep the original as proof.')}"


def broken_signatures(rule: Rule) -> str:
    """Say of a rule what becomes of the signatures of a signed PDF; empty where no result could seem to be signed."""
    if not rule.steps or not changes_pdfs(rule.steps[0].operation):  # what the first makes of it bears none
        return ""
    changing = rule.steps[0].operation
    if rule.original in ("delete", "trash"):
        return _(
            "{operation} changes the documents, so their signatures do not hold in the results, and "
            'original = "{fate}" leaves no proof of them; "done" does',
            operation=changing,
            fate=rule.original,
        )
    return _(
        "{operation} changes the documents, so their signatures do not hold in the results; the originals stay "
        "the proof",
        operation=changing,
    )
