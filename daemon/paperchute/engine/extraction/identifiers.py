"""The IBAN of a document, and the countries that its VAT numbers, IBANs and addresses name."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator

from paperchute.engine.extraction.confidence import CONFIDENCE
from paperchute.engine.extraction.findings import Candidate, Found, sure, unsure
from paperchute.engine.extraction.lookup import under
from paperchute.engine.extraction.printed import Piece, Row, Sheet
from paperchute.language import N_
from paperchute.notation.check_digits import IBAN, IBAN_LENGTHS, is_iban, is_vat_id, vat_id

_TEXT_WORDS = 7
"""Words of a line of text: lines of addresses, sums and banks have fewer. Chosen by eye."""

_VAT = re.compile(
    r"(?<![A-Z0-9])(?:(DE)\s?\d{9}|(AT)\s?U\d{8}|(FR)\s?[A-Z0-9]{2}\s?\d{9}|(ES)\s?[A-Z0-9]\d{7}[A-Z0-9]|(GB)\s?\d{9}|(IE)\s?\d[A-Z0-9]\d{5}[A-Z]{1,2}"
    r"|(NL)\s?\d{9}B\d\d|(BE)\s?0\d{9}|(IT)\s?\d{11}|(LU)\s?\d{8}|(PL)\s?\d{10}|(PT)\s?\d{9}|(CH)E-?\d{3}\.?\d{3}\.?\d{3})(?![A-Z0-9])"
)
_VAT_BEGUN = re.compile(r"(?<![A-Za-z0-9])[A-Z]{2}(?=E?[\s.-]?U?[0-9A-Z])")
_LONGEST_VAT = 24
"""Characters of one in groups: twelve behind its country, and what divides them."""
_MAIL = re.compile(r"[\w.+-]{1,64}@((?:[\w-]{1,63}\.){1,8}[a-z]{2,24})(?![\w-])", re.IGNORECASE)
_MOST = 100
"""Of a kind, which bounds the answer: no letter names so many."""
_BEGUN = re.compile(r"(?<![A-Z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{1,4})*\s*$")
"""The beginning of an IBAN at the end of a line."""
_GROUP = re.compile(r"[A-Z0-9]+")
_STATES = (
    "AL|AK|AZ|AR|CA|CO|CT|DE|FL|GA|HI|ID|IL|IN|IA|KS|KY|LA|ME|MD|MA|MI|MN|MS|MO|MT|NE|NV|NH|NJ|NM|NY|NC|ND|OH|OK|OR|PA|"
    "RI|SC|SD|TN|TX|UT|VT|VA|WA|WV|WI|WY|DC"
)
_ADDRESSES = {
    "US": re.compile(rf",\s(?:{_STATES})\s\d{{5}}(?:-\d{{4}})?(?!\d)"),
    "GB": re.compile(r"(?<![A-Z0-9])[A-Z]{1,2}\d[A-Z\d]?\s\d[A-Z]{2}(?![A-Z0-9])"),
    "MY": re.compile(
        r"(?i)(?<!\w)(?:sdn\.?\s{0,2}bhd|johor|selangor|kuala\s{1,2}lumpur|pulau\s{1,2}pinang|malaysia)(?!\w)|(?<!\w)RM\s?\d{1,5}\.\d\d(?!\d)"
    ),
}


def iban(sheets: Iterable[Sheet]) -> Found[str]:
    """The IBAN of a document. Several are unsure, since one may be the customer's; so is one whose checksum fails.

    One that stands only in a text of a later page, such as terms, may be anybody's; one beside words of a debit or
    refund is that of whoever gets the document.
    """
    proven: dict[str, Candidate[str]] = {}
    wrong: dict[str, Candidate[str]] = {}
    plainly: set[str] = set()
    others: set[str] = set()
    for number, sheet in enumerate(sheets):
        is_text = number > 0 and _is_text(sheet)
        for row in sheet.rows:
            for text, candidate in (*_ibans(row.whole), *_parted_ibans(row, sheet)):
                (proven if is_iban(text) else wrong).setdefault(text, candidate)
                plainly.update([] if is_text else [text])
                others.update([text] if _is_payers(row, sheet) else [])
    if len(proven) + len(wrong) > 1:
        return unsure([*proven.values(), *wrong.values()], N_("there are several IBANs"))
    if wrong:
        return unsure(list(wrong.values()), N_("its checksum is wrong"))
    if proven and not plainly:
        return unsure(list(proven.values()), N_("it appears only in the text of a later page"))
    if others:
        return unsure(list(proven.values()), N_("it may be the account of the recipient"))
    return sure(*proven.values()) if proven else Found()


def _is_payers(row: Row, sheet: Sheet) -> bool:
    """Decide whether a row or those around it, as lines of one sentence, come to speak of the reader's own account."""
    number, size = row.pieces[0].row, row.whole.size
    near = [row.whole]
    for other in sheet.rows[max(number - 1, 0) : number + 2]:
        apart = max(other.whole.box.top - row.whole.box.bottom, row.whole.box.top - other.whole.box.bottom)
        if apart <= size:
            near.append(other.whole)
    if any(label.means("payer_account") for line in near for label in line.labels):
        return True
    pairs = itertools.pairwise(row.whole.labels)  # `Customer IBAN`
    return any(one.means("recipient") and other.means("iban") and other.first == one.after for one, other in pairs)


def _is_text(sheet: Sheet) -> bool:
    """Decide whether most words of a page stand in full lines, as in terms and contracts."""
    words = [(len(piece.tokens), len(piece.tokens) >= _TEXT_WORDS) for row in sheet.rows for piece in row.pieces]
    return 2 * sum(count for count, is_line in words if is_line) > sum(count for count, _ in words)


def _ibans(line: Piece) -> Iterator[tuple[str, Candidate[str]]]:
    """The IBANs of a line, each as long as its country's are: in the groups behind it the next one may begin."""
    named = any(label.means("iban") for label in line.labels)
    place = 0
    while (match := IBAN.search(line.text, place)) is not None:
        length = IBAN_LENGTHS.get(match[0][:2], 0)
        place = match.start() + 1
        end = match.start()
        text = ""
        while end < match.end() and len(text) < length:
            text += line.text[end].strip()
            end += 1
        if length and (is_iban(text) or (named and len(text) == length)):
            likely = CONFIDENCE.proven if is_iban(text) else CONFIDENCE.alone / 2
            where = (line.evidence(match.start(), end),)
            yield text, Candidate(text, likely * line.certainty(match.start(), end), where)
            place = end


def _parted_ibans(row: Row, sheet: Sheet) -> Iterator[tuple[str, Candidate[str]]]:
    """The IBANs that end a piece of a row and go on in the line below it."""
    for piece in row.pieces:
        begun = _BEGUN.search(piece.text)
        lower = next(under(piece, sheet), None) if begun is not None else None
        if begun is None or lower is None or lower.row != piece.row + 1:
            continue
        text, length = "".join(begun[0].split()), IBAN_LENGTHS.get(begun[0][:2], 0)
        for match in re.finditer(r"\S+", lower.text):
            if len(text) >= length or not _GROUP.fullmatch(match[0]):
                break
            text += match[0]
            if len(text) == length and is_iban(text):
                where = piece.evidence(begun.start()), lower.evidence(0, match.end())
                certain = min(piece.certainty(begun.start()), lower.certainty(0, match.end()))
                yield text, Candidate(text, CONFIDENCE.proven * certain, where)


def identifiers(sheets: Iterable[Sheet]) -> list[dict[str, str]]:
    """Find all that names who a document is of or to: VAT ids and IBANs whose check digits are right, mail domains.

    Of each the first hundred, in the order of the pages.
    """
    found: dict[str, dict[str, None]] = {"vat": {}, "iban": {}, "domain": {}}
    for sheet in sheets:
        for row in sheet.rows:
            text = row.whole.text
            found["vat"] |= dict.fromkeys(_vat_ids(text))
            ibans = (value for value, _candidate in (*_ibans(row.whole), *_parted_ibans(row, sheet)))
            found["iban"] |= dict.fromkeys(filter(is_iban, ibans))
            found["domain"] |= dict.fromkeys(match[1].lower() for match in _MAIL.finditer(text))
    return [{"kind": kind, "value": value} for kind, values in found.items() for value in list(values)[:_MOST]]


def _vat_ids(text: str) -> Iterator[str]:
    """The VAT ids of a line, in one or in groups as people write them."""
    for begun in _VAT_BEGUN.finditer(text):
        for end in range(begun.end(), min(len(text), begun.start() + _LONGEST_VAT) + 1):
            if text[end : end + 1].isalnum() or not text[end - 1].isalnum():
                continue
            if is_vat_id(one := vat_id(text[begun.start() : end])):
                yield one
                break


def countries(sheets: Iterable[Sheet]) -> frozenset[str]:
    """The countries (ISO 3166-1) that VAT numbers, IBANs and addresses of a document name."""
    found: set[str] = set()
    for sheet in sheets:
        for row in sheet.rows:
            text = row.whole.text
            found.update(code for match in _VAT.finditer(text) for code in match.groups() if code)
            found.update(code for code, pattern in _ADDRESSES.items() if pattern.search(text))
            found.update(value[:2] for value, _candidate in _ibans(row.whole) if is_iban(value))
    return frozenset(found)
