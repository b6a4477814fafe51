"""Signs and codes of currencies (ISO 4217) as amounts have them beside them."""

from __future__ import annotations

CODES = (
    *("USD", "EUR", "GBP", "JPY", "CHF", "CNY", "RMB", "INR", "KRW", "AUD", "CAD", "NZD", "SEK", "NOK", "DKK", "ISK"),
    *("PLN", "CZK", "HUF", "RON", "BGN", "UAH", "RUB", "TRY", "ILS", "AED", "SAR", "BRL", "MXN", "ARS", "CLP", "COP"),
    *("ZAR", "EGP", "NGN", "KES", "SGD", "HKD", "TWD", "THB", "MYR", "IDR", "PHP", "VND"),
)
"""Of those that most amounts are in; others are words of some language, such as ALL, TOP and PEN."""
SIGNS = (
    *(r"US\$", r"A\$", r"C\$", r"R\$", r"HK\$", r"NT\$", r"NZ\$", r"S\$", "[$€£¥￥₹₩₽₺₫₪฿₴₦₱₸₼₾]"),
    *(r"Fr\.", r"kr\.?", "zł", "Kč", "Ft", r"Rs\.?", r"лв\.?", r"руб\.?", "元", "円", "원"),
)
"""Patterns of signs, those of one letter more before those that begin as they do."""

CURRENCY = rf"(?:{'|'.join(SIGNS)}|(?:{'|'.join(CODES)})(?![^\W\d_]))"
"""A pattern for one of them."""
