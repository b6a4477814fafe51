"""Numbers and addresses of people in a running text: found by their form and their check digits."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from paperchute.notation.check_digits import IBAN_LENGTHS, is_gtin, is_iban

Span = tuple[int, int]

_DATE = re.compile(r"\d{1,4}([./-])\d{1,2}\1\d{2,4}(?!\1?\d)")
_PARTING = re.compile(r"[ .\-/]")
_CARD_LENGTHS = range(13, 20)  # ISO/IEC 7812-1
_FEWEST_DIALLED = 7


def is_luhn(digits: str) -> bool:
    """Decide whether digits end with the right check digit of ISO/IEC 7812-1, annex B."""
    doubled = (int(digit) * (1 + place % 2) for place, digit in enumerate(reversed(digits)))
    return sum(value // 10 + value % 10 for value in doubled) % 10 == 0


def _weighted(digits: str, weights: tuple[int, ...]) -> int:
    return sum(weight * int(digit) for weight, digit in zip(weights, digits, strict=False))


def _is_german(digits: str) -> bool:
    """The tax number of a person, whose digit is ISO 7064 MOD 11,10; one of its first ten digits stands in it twice."""
    product = 10
    for digit in digits[:10]:
        product = (int(digit) + product) % 10 or 10
        product = product * 2 % 11
    return digits[0] != "0" and len(set(digits[:10])) in (8, 9) and (11 - product) % 10 == int(digits[10])


def _is_spanish(code: str) -> bool:
    """DNI and NIE: the letter is that of the number by 23."""
    digits = str("XYZ".index(code[0])) + code[1:-1] if code[0] in "XYZ" else code[:-1]
    return "TRWAGMYFPDXBNJZSQVHLCKE"[int(digits) % 23] == code[-1]


_ODD = {
    letter: value
    for letters in ("0123456789", "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    for letter, value in zip(
        letters,
        (1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23),
        strict=False,
    )
}
"""Values of the characters at odd places of a codice fiscale (decree of 23 December 1976)."""


def _is_italian(code: str) -> bool:
    total = sum(
        _ODD[letter] if place % 2 == 0 else int(letter) if letter.isdecimal() else ord(letter) - ord("A")
        for place, letter in enumerate(code[:15])
    )
    return chr(ord("A") + total % 26) == code[15]


def _is_french(code: str) -> bool:
    """NIR: 97 less the number by 97; Corsica's 2A and 2B stand for 19 and 18."""
    digits = code.replace("2A", "19").replace("2B", "18")
    return digits.isdecimal() and 97 - int(digits[:13]) % 97 == int(digits[13:])


def _is_belgian(digits: str) -> bool:
    return any(97 - int(century + digits[:9]) % 97 == int(digits[9:]) for century in ("", "2"))


def _is_dutch(digits: str) -> bool:
    return int(digits) > 0 and (_weighted(digits, (9, 8, 7, 6, 5, 4, 3, 2)) - int(digits[8])) % 11 == 0


def _is_polish(digits: str) -> bool:
    total = _weighted(digits, (1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1))
    return total % 10 == 0 and 1 <= int(digits[2:4]) % 20 <= 12


def _is_portuguese(digits: str) -> bool:
    rest = _weighted(digits, (9, 8, 7, 6, 5, 4, 3, 2)) % 11
    return (0 if rest < 2 else 11 - rest) == int(digits[8]) and digits[0] in "1235689"


def _is_swedish(digits: str) -> bool:
    return is_luhn(digits[-10:]) and 1 <= int(digits[-8:-6]) <= 12


def _is_finnish(code: str) -> bool:
    return "0123456789ABCDEFHJKLMNPRSTUVWXY"[int(code[:6] + code[7:10]) % 31] == code[10]


def _is_norwegian(digits: str) -> bool:
    first = _weighted(digits, (3, 7, 6, 1, 8, 9, 4, 5, 2, 1)) % 11
    return first == 0 and _weighted(digits, (5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1)) % 11 == 0


def _is_austrian(digits: str) -> bool:
    return _weighted(digits, (3, 7, 9, 0, 5, 8, 4, 2, 1, 6)) % 11 == int(digits[3]) and digits[0] != "0"


def _is_brazilian(digits: str) -> bool:
    def digit(known: str) -> int:
        return (11 - _weighted(known, tuple(range(len(known) + 1, 1, -1))) % 11) % 11 % 10

    return len(set(digits)) > 1 and digits[9:] == f"{digit(digits[:9])}{digit(digits[:10])}"


def _is_chinese(code: str) -> bool:
    """The number of a resident: ISO 7064 MOD 11-2."""
    total = _weighted(code[:17], tuple(2 ** (17 - place) % 11 for place in range(17)))
    return "10X98765432"[total % 11] == code[17]


def _is_american(digits: str) -> bool:
    """A social security number has no check digit, but numbers that are never given."""
    return digits[:3] not in ("000", "666") and digits[0] != "9" and digits[3:5] != "00" and digits[5:] != "0000"


def _is_card(digits: str) -> bool:
    return len(digits) in _CARD_LENGTHS and digits[0] in "23456" and is_luhn(digits)


@dataclass(frozen=True, slots=True)
class _Kind:
    """What is found by its form. proves: of the form without spaces, dots, hyphens and strokes, in capitals."""

    form: re.Pattern[str]
    proves: Callable[[str], bool]


def _kind(form: str, proves: Callable[[str], bool]) -> _Kind:
    return _Kind(re.compile(rf"(?<![^\W_])(?:{form})(?![^\W_])", re.IGNORECASE | re.ASCII), proves)


_NATIONAL = (
    _kind(r"\d{2} ?\d{3} ?\d{3} ?\d{3}", _is_german),
    _kind(r"(?:[XYZ][ -]?\d{7}|\d{8}|\d{2}\.\d{3}\.\d{3})[ -]?[A-Z]", _is_spanish),
    _kind(r"[A-Z]{6} ?[\dLMNP-V]{2}[A-EHLMPRST][\dLMNP-V]{2} ?[A-Z][\dLMNP-V]{3}[A-Z]", _is_italian),
    _kind(r"[12] ?\d\d ?\d\d ?(?:\d\d|2[AB]) ?\d{3} ?\d{3} ?\d\d", _is_french),
    _kind(r"\d\d\.?\d\d\.?\d\d[ -]?\d{3}\.?\d\d", _is_belgian),
    _kind(r"\d{4}[. ]?\d{2}[. ]?\d{3}|\d{3}[. ]\d{3}[. ]\d{3}", _is_dutch),
    _kind(r"\d{11}", _is_polish),
    _kind(r"\d{3} ?\d{3} ?\d{3}", _is_portuguese),
    _kind(r"(?:\d\d)?\d{6}[-+]?\d{4}", _is_swedish),
    _kind(r"\d{6}[-+A-FU-Y]\d{3}[\dA-Y]", _is_finnish),
    _kind(r"\d{6} ?\d{5}", _is_norwegian),
    _kind(r"\d{4} ?\d{6}", _is_austrian),
    _kind(r"756[. ]?\d{4}[. ]?\d{4}[. ]?\d\d", is_gtin),  # Switzerland
    _kind(r"\d{3}\.?\d{3}\.?\d{3}[-/]?\d\d", _is_brazilian),
    _kind(r"\d{17}[\dX]", _is_chinese),
    _kind(r"\d{3}[- ]\d{2}[- ]\d{4}", _is_american),
)
_CARD_BEGUN = re.compile(r"(?<![^\W_])[2-6](?:[ .-]?\d){12,18}", re.ASCII)
_IBAN = re.compile(
    r"(?:(?<![^\W_])|(?<=IBAN))[A-Z]{2}[ ./_|\u00b7-]?\d{2}(?:[ ./_|\u00b7-]{0,2}[A-Z0-9]){11,29}",
    re.IGNORECASE | re.ASCII,
)
_EMAIL = re.compile(r"[\w.+%'&=/!#$*?^{|}~-]{1,64} ?@ ?(?:[\w-]{1,63}\.){1,8}[^\W\d_]{2,24}")
_PHONES = (
    re.compile(r"(?<![^\W_])(?<!\+)(?:\+ ?|00)[1-9](?:[ ()\[\]./\u2215-]{0,3}\d){6,14}(?!\d)"),
    re.compile(r"(?<![^\W_])(?<!\d )(?<![.,])\({0,1}0\d{1,5}\)?(?:[ /.-]{0,3}\d){4,12}(?![^\W_])"),
    re.compile(r"(?<![^\W_])(?:1[ .-])?(?:\([2-9]\d{2}\)|[2-9]\d{2}[ .-])[ .-]?\d{3}[ .-]\d{4}(?![^\W_])"),
)


def ibans(text: str) -> Iterator[Span]:
    """Find IBANs with the right checksum, each as long as its country's are."""
    place = 0
    while (match := _IBAN.search(text, place)) is not None:
        place = match.start() + 1
        length = IBAN_LENGTHS.get(match[0][:2].upper(), 0)
        code = ""
        for end in range(match.start(), match.end()):
            code += text[end].upper() if text[end].isalnum() else ""
            if length and len(code) == length:
                if is_iban(code):
                    yield match.start(), end + 1
                    place = end + 1
                break


def emails(text: str) -> Iterator[Span]:
    """Find addresses of electronic mail."""
    return (match.span() for match in _EMAIL.finditer(text))


def phones(text: str) -> Iterator[Span]:
    """Find telephone numbers: with the code of a country, with a leading nought, or as North America writes them."""
    for form in _PHONES:
        for match in form.finditer(text):
            if sum(map(str.isdecimal, match[0])) >= _FEWEST_DIALLED and not _DATE.match(match[0]):
                yield match.span()


def cards(text: str) -> Iterator[Span]:
    """Find numbers of payment cards with the right check digit (ISO/IEC 7812-1)."""
    for match in _searched(_CARD_BEGUN, text):
        for size in range(len(match[0]), 0, -1):
            end = match.start() + size
            whole = text[end - 1].isdecimal() and not text[end : end + 1].isalnum()
            if whole and _is_card(_PARTING.sub("", match[0][:size])):
                yield match.start(), end
                break


def national_ids(text: str) -> Iterator[Span]:
    """Find the numbers by which states know people."""
    for kind in _NATIONAL:
        yield from _proven(kind, text)


def _proven(kind: _Kind, text: str) -> Iterator[Span]:
    for match in _searched(kind.form, text):
        bare = _PARTING.sub("", match[0].upper()) if kind.proves is not _is_finnish else match[0].upper()
        if kind.proves(bare):
            yield match.span()


def _searched(form: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """All places where a form begins: what is no number may cover the beginning of one."""
    place = 0
    while (match := form.search(text, place)) is not None:
        yield match
        place = match.start() + 1


IDENTIFIERS: Mapping[str, Callable[[str], Iterator[Span]]] = {
    "iban": ibans,
    "email": emails,
    "phone": phones,
    "card": cards,
    "nationalId": national_ids,
}
"""By the words of the parameter `patterns`."""
