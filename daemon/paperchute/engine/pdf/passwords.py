"""Passwords as PDF writes them down: PDFDocEncoding until AES-256, then UTF-8 of the SASLprep form.

Readers prepare what a person types in the same way (ISO 32000-2, 7.6.4.3.3), so the same word opens the file whether
its accents were typed in one piece or in two, in full width or half.
"""

from __future__ import annotations

import stringprep
import unicodedata

MOST_BYTES = 127  # of a UTF-8 password (ISO 32000-2, 7.6.4.3.3)
MOST_LETTERS_OLD = 32  # of any other; readers pass over the rest (ISO 32000-1, algorithm 2)

_FORBIDDEN = (
    stringprep.in_table_c12,
    stringprep.in_table_c21_c22,
    stringprep.in_table_c3,
    stringprep.in_table_c4,
    stringprep.in_table_c5,
    stringprep.in_table_c6,
    stringprep.in_table_c7,
    stringprep.in_table_c8,
    stringprep.in_table_c9,
)


def prepared(password: str) -> str:
    """The SASLprep form (RFC 4013, as a stored string but with unassigned letters let through, as new emoji are).

    Raises ValueError for letters that no password may have, such as control characters.
    """
    mapped = "".join(
        " " if stringprep.in_table_c12(letter) else letter for letter in password if not stringprep.in_table_b1(letter)
    )
    normal = unicodedata.normalize("NFKC", mapped)
    if any(forbidden(letter) for letter in normal for forbidden in _FORBIDDEN):
        raise ValueError("it has characters that no password may have, such as control characters")
    right_to_left = [stringprep.in_table_d1(letter) for letter in normal]
    if any(right_to_left):
        if any(stringprep.in_table_d2(letter) for letter in normal):
            raise ValueError("it mixes writing from the right and from the left")
        if not (right_to_left[0] and right_to_left[-1]):
            raise ValueError("it is written from the right, so a letter of that writing must be its first and last")
    return normal


def spellings(password: str) -> list[str]:
    """The password as it was typed (which careless writers need), and as PDF 2.0 prepares it."""
    try:
        return list(dict.fromkeys([password, prepared(password)]))
    except ValueError:
        return [password]


def in_old_encoding(password: str) -> bool:
    """Whether PDFDocEncoding has all letters of a password."""
    try:
        password.encode("pdfdoc")
    except UnicodeEncodeError:
        return False
    return True
