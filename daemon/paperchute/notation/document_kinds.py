"""Kinds of documents, as `document-extract` names them and rules ask for them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

DocumentKind = Literal[
    "invoice",
    "credit_note",
    "reminder",
    "receipt",
    "delivery_note",
    "statement",
    "contract",
    "quotation",
    "order",
    "order_confirmation",
    "payslip",
    "insurance",
    "letter",
]
KINDS: tuple[DocumentKind, ...] = get_args(DocumentKind)
E_INVOICE, E_CREDIT_NOTE = "e-invoice", "e-credit_note"
NAMES: Mapping[str, tuple[str, ...]] = {
    **{kind: (kind,) for kind in KINDS},
    E_INVOICE: (E_INVOICE, "invoice"),
    E_CREDIT_NOTE: (E_CREDIT_NOTE, E_INVOICE, "credit_note"),
}
"""By kind as rules have it, what a condition may call it: an e-invoice is an invoice, and comes as data."""
