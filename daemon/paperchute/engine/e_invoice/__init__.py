"""Invoices as data: EN 16931 in its two syntaxes, CII and UBL, and its rules."""
