"""Codes that prove themselves by their check digits: IBANs, GTINs (EAN, UPC), ISBNs, ISSNs and IMEIs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

IBAN = re.compile(r"(?<![A-Z0-9])[A-Z]{2}\s{0,2}\d{2}(?:\s{0,2}[A-Z0-9]{1,4}){3,9}(?![A-Z0-9])")
"""What may be an IBAN, in groups or in one."""

_MODULUS = 97
"""ISO 13616: an IBAN leaves 1 when divided by it."""

IBAN_LENGTHS = {
    "AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22, "BI": 27, "BR": 29,
    "BY": 28, "CH": 21, "CR": 22, "CY": 28, "CZ": 24, "DE": 22, "DJ": 27, "DK": 18, "DO": 28, "EE": 20, "EG": 29,
    "ES": 24, "FI": 18, "FK": 18, "FO": 18, "FR": 27, "GB": 22, "GE": 22, "GI": 23, "GL": 18, "GR": 27, "GT": 28,
    "HN": 28, "HR": 21, "HU": 28, "IE": 22, "IL": 23, "IQ": 23, "IS": 26, "IT": 27, "JO": 30, "KW": 30, "KZ": 20,
    "LB": 28, "LC": 32, "LI": 21, "LT": 20, "LU": 20, "LV": 21, "LY": 25, "MC": 27, "MD": 24, "ME": 22, "MK": 19,
    "MN": 20, "MR": 27, "MT": 31, "MU": 30, "NI": 28, "NL": 18, "NO": 15, "OM": 23, "PK": 24, "PL": 28, "PS": 29,
    "PT": 25, "QA": 29, "RO": 24, "RS": 22, "RU": 33, "SA": 24, "SC": 31, "SD": 18, "SE": 24, "SI": 19, "SK": 24,
    "SM": 27, "SO": 23, "ST": 25, "SV": 28, "TL": 23, "TN": 24, "TR": 26, "UA": 29, "VA": 22, "VG": 24, "XK": 20,
    "YE": 30,
}  # fmt: skip
"""Characters of an IBAN by country (the registry of ISO 13616, as python-stdnum keeps it: a test compares them)."""


def is_iban(text: str) -> bool:
    """Tell if a text without spaces is an IBAN of a known country with the right checksum (ISO 13616, ISO 7064)."""
    if len(text) != IBAN_LENGTHS.get(text[:2]) or not text.isascii() or not text.isalnum() or text != text.upper():
        return False
    return int("".join(str(int(character, 36)) for character in text[4:] + text[:4])) % _MODULUS == 1


_VAT_FORMS = {
    "AT": r"U\d{8}", "BE": r"[01]\d{9}", "CH": r"E\d{9}", "CZ": r"\d{8,10}", "DE": r"[1-9]\d{8}", "DK": r"\d{8}",
    "ES": r"[A-Z0-9]\d{7}[A-Z0-9]", "FI": r"\d{8}", "FR": r"[A-Z0-9]{2}\d{9}", "GB": r"\d{9}(?:\d{3})?",
    "IE": r"\d[A-Z0-9]\d{5}[A-Z]{1,2}", "IT": r"\d{11}", "LU": r"\d{8}", "NL": r"\d{9}B\d\d", "PL": r"\d{10}",
    "PT": r"\d{9}", "SE": r"\d{12}",
}  # fmt: skip
"""What follows the country in a VAT id (Commission, VIES FAQ, question 11; of Switzerland the UID)."""


def vat_id(text: str) -> str:
    """Return a VAT id as it is compared: in capitals, without spaces, points, hyphens and `MWST` behind it."""
    return re.sub(r"[\s.\-/]", "", text).upper().removesuffix("MWST").removesuffix("TVA").removesuffix("IVA")


def is_vat_id(text: str) -> bool:
    """Decide whether a text as `vat_id` makes it is a VAT id, by its form and, where it has one, its check digit."""
    country, rest = text[:2], text[2:]
    form = _VAT_FORMS.get(country)
    if form is None or not text.isascii() or not re.fullmatch(form, rest):
        return False
    digits = [int(digit) for digit in rest if digit.isdecimal()]
    match country:
        case "DE":  # ISO 7064, mod 11, 10
            product = 10
            for digit in digits[:-1]:
                product = 2 * ((product + digit) % 10 or 10) % 11
            return (11 - product) % 10 == digits[-1]
        case "AT":
            total = sum(
                digit if place % 2 == 0 else sum(divmod(2 * digit, 10)) for place, digit in enumerate(digits[:-1])
            )
            return (96 - total) % 10 == digits[-1]
        case "BE":
            return (int(rest[:8]) + int(rest[8:])) % _MODULUS == 0
        case "FR":
            return not rest[:2].isdecimal() or int(rest[2:] + "12") % 97 == int(rest[:2])
        case "IT":
            doubled = (digit if place % 2 == 0 else sum(divmod(2 * digit, 10)) for place, digit in enumerate(digits))
            return sum(doubled) % 10 == 0
        case "LU":
            return int(rest[:6]) % 89 == int(rest[6:])
        case "PL":
            weighed = zip((6, 5, 7, 2, 3, 4, 5, 6, 7), digits, strict=False)
            return sum(weight * digit for weight, digit in weighed) % 11 == digits[-1]
        case "CH":
            weighed = zip((5, 4, 3, 2, 7, 6, 5, 4), digits, strict=False)
            return (11 - sum(weight * digit for weight, digit in weighed) % 11) % 11 == digits[-1]
    return True


def is_gtin(digits: str) -> bool:
    """Tell if digits are a GTIN of 8, 12, 13 or 14 (EAN, UPC, ISBN-13) with the right check digit (ISO/IEC 15420)."""
    if len(digits) not in (8, 12, 13, 14) or not _are_digits(digits):
        return False
    return sum(int(digit) * (3 if place % 2 else 1) for place, digit in enumerate(reversed(digits))) % 10 == 0


def is_isbn(digits: str) -> bool:
    """Decide whether digits are an ISBN of 13, or one of 10, with the right check digit (ISO 2108)."""
    return is_gtin(digits) if len(digits) == 13 else len(digits) == 10 and _leaves_none_by_eleven(digits)


def is_issn(digits: str) -> bool:
    """Decide whether digits are an ISSN with the right check digit (ISO 3297)."""
    return len(digits) == 8 and _leaves_none_by_eleven(digits)


def is_imei(digits: str) -> bool:
    """Decide whether digits are the number of a telephone with the right check digit (ISO/IEC 7812-1, Luhn)."""
    if len(digits) != 15 or not _are_digits(digits):
        return False
    doubled = (int(digit) * (1 + place % 2) for place, digit in enumerate(reversed(digits)))
    return sum(value // 10 + value % 10 for value in doubled) % 10 == 0


def _are_digits(text: str) -> bool:
    return text.isascii() and text.isdecimal()


def _leaves_none_by_eleven(digits: str) -> bool:
    if not _are_digits(digits[:-1]) or digits[-1] not in "0123456789X":
        return False
    values = [10 if digit == "X" else int(digit) for digit in digits]
    return sum(weight * value for weight, value in enumerate(reversed(values), 1)) % 11 == 0


class _Named(NamedTuple):
    """A code that its name stands before. pattern: with the code as its group."""

    pattern: re.Pattern[str]
    proves: Callable[[str], bool]


_CODE = r"[^0-9A-Za-z\n]{0,3}([0-9A-Za-z](?:[ -]?[0-9A-Za-z]){%s})(?![0-9A-Za-z])"
_NAMED = (
    _Named(re.compile(r"\b(?:EAN|GTIN|UPC)(?:-(?:8|1[234]))?" + _CODE % "6,13"), is_gtin),
    _Named(re.compile(r"\bISBN(?:-1[03])?" + _CODE % "8,12"), is_isbn),
    _Named(re.compile(r"\bISSN" + _CODE % "6,7"), is_issn),
    _Named(re.compile(r"\bIMEI" + _CODE % "13,15"), is_imei),
)
_NAMED_IBAN = re.compile(
    r"\bIBAN\b[^0-9A-Za-z\n]{0,3}([A-Za-z0-9]{2} {0,2}(?=[A-Za-z]?\d)[A-Za-z0-9](?: {0,2}[A-Za-z0-9])+)"
)
_FEWEST_DIGITS = 8
"""Of what is called a code: with fewer it is a word, or none at all."""


def broken_codes(line: str) -> Iterator[tuple[int, int]]:
    """Yield where a line has codes whose check digits fail: one of their characters is another, or is not there.

    IBANs are told by their country and length, or by their name before them; the others by that alone, as any number
    has a last digit.
    """
    for start, end in dict.fromkeys(_ibans(line)):
        if not is_iban("".join(line[start:end].split())):
            yield start, end
    for named in _NAMED:
        for match in named.pattern.finditer(line):
            code = re.sub(r"[ -]", "", match[1])
            if sum(map(str.isdecimal, code)) >= min(_FEWEST_DIGITS, len(code) - 1) and not named.proves(code):
                yield match.span(1)


def _ibans(line: str) -> Iterator[tuple[int, int]]:
    """Yield where a line has IBANs, right or wrong: of their country's length, or, after their name, about as long."""
    for match in IBAN.finditer(line):
        length = IBAN_LENGTHS.get(match[0][:2])
        end = _end_of(line, match.start(), match.end(), length or 0)
        if end is not None and (end == match.end() or line[end].isspace()):
            yield match.start(), end
    for match in _NAMED_IBAN.finditer(line):
        start, stop = match.span(1)
        length = IBAN_LENGTHS.get(match[1][:2].upper())
        end = _end_of(line, start, stop, length) if length else stop
        if sum(map(str.isdecimal, line[start : end or stop])) >= _FEWEST_DIGITS:
            yield start, end or stop


def _end_of(line: str, start: int, stop: int, length: int) -> int | None:
    """Return where so many characters that are no spaces end; None where there are fewer."""
    for at in range(start, stop):
        length -= not line[at].isspace()
        if length == 0:
            return at + 1
    return None
