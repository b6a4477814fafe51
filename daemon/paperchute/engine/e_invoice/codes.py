"""Code lists of EN 16931 that change seldom: countries, currencies, types of documents, VAT categories."""

from __future__ import annotations

from functools import cache

_DOCUMENT_TYPES = frozenset(
    map(
        str,
        (
            *(71, 80, 81, 82, 83, 84, 102, 130, 202, 203, 204, 211, 218, 219, 261, 262, 295, 296),
            *(308, 325, 326, 331, 380, 381, 382, 383, 384, 385, 386, 387, 388, 389, 390, 393, 394, 395),
            *(396, 420, 456, 457, 458, 471, 472, 473, 480, 500, 501, 502, 503, 527, 532, 553, 575, 623),
            *(633, 751, 780, 817, 870, 875, 876, 877, 935),
        ),
    )
)
"""UNTDID 1001, of invoices and credit notes in any of its editions."""
_VAT_CATEGORIES = frozenset({"S", "Z", "E", "AE", "K", "G", "O", "L", "M", "B"})
"""UNTDID 5305."""

UNITS = {
    "H87": "pc", "C62": "", "HUR": "h", "DAY": "d", "KGM": "kg", "MTR": "m", "LTR": "l", "MTK": "m²", "MTQ": "m³",
}  # fmt: skip
"""UN/ECE recommendation 20, as people write the most usual ones; others stay codes."""


def document_types() -> frozenset[str]:
    """Give the codes of invoices and credit notes (UNTDID 1001)."""
    return _DOCUMENT_TYPES


def vat_categories() -> frozenset[str]:
    """Give the codes of VAT categories (UNTDID 5305)."""
    return _VAT_CATEGORIES


@cache
def countries() -> frozenset[str]:
    """Give the codes of countries (ISO 3166-1), with those that Northern Ireland and Kosovo go by."""
    from babel import Locale  # it loads much that nothing else here needs

    known = map(str, Locale("en").territories)
    return frozenset(code for code in known if len(code) == 2 and code.isalpha()) | {"1A", "XI"}


@cache
def currencies() -> frozenset[str]:
    """Give the codes of currencies (ISO 4217)."""
    from babel import Locale

    return frozenset(Locale("en").currencies)
