"""Finds in a document what business documents say of themselves, without being told what it is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from itertools import islice

from paperchute.engine.document.model import Page
from paperchute.engine.extraction.amounts import Amount, amounts_in, currencies_in, decimal_mark
from paperchute.engine.extraction.bundles import findings_of
from paperchute.engine.extraction.closing import closing, handed_over, rounded
from paperchute.engine.extraction.confidence import CONFIDENCE
from paperchute.engine.extraction.constraints import Document, decided
from paperchute.engine.extraction.dating import date_of, due_of
from paperchute.engine.extraction.days import days_in, order
from paperchute.engine.extraction.entries import Entry, entries
from paperchute.engine.extraction.findings import Candidate, Findings, Found, opened, sure, unsure
from paperchute.engine.extraction.identifiers import countries, iban
from paperchute.engine.extraction.items import has_discounts, judged, lines_of, receipt_lines, sum_of
from paperchute.engine.extraction.kinds import insurers, letter, receipt, titled
from paperchute.engine.extraction.lookup import below, beside, named
from paperchute.engine.extraction.measures import BOUNDS
from paperchute.engine.extraction.numbering import kind_named, number_of
from paperchute.engine.extraction.parties import parties
from paperchute.engine.extraction.printed import Sheet, sheet_of
from paperchute.engine.extraction.totals import Totals, totals
from paperchute.engine.extraction.vocabulary import language_of
from paperchute.language import N_
from paperchute.notation.currencies import currencies_of
from paperchute.notation.document_kinds import DocumentKind
from paperchute.notation.languages import known_locale, mark_of


def findings(pages: Iterable[Page]) -> Findings:
    """Return what the pages of a file say; they must have been read with their words."""
    return findings_in([sheet_of(page) for page in pages])


def findings_in(sheets: Sequence[Sheet]) -> Findings:
    """Return what the rows of a file's pages say."""
    return findings_of(sheets, _findings)


def _findings(sheets: Sequence[Sheet]) -> Findings:
    """Return what the pages of one document say: what each field may be, then what the others leave of it."""
    document, found = candidates_in(sheets)
    return decided(found, document)


def candidates_in(sheets: Sequence[Sheet]) -> tuple[Document, Findings]:
    """Return what one document shows, and each field for itself, as its own evidence has it."""
    language = _language(sheets)
    named_countries = countries(sheets)
    days = [day for sheet in sheets for row in sheet.rows for day in days_in(row.whole)][: BOUNDS.values]
    written = order(days, language, named_countries)
    amounts = list(islice(_amounts(sheets), BOUNDS.values))
    mark = decimal_mark(amounts) or _usual_mark(amounts, language)
    labelled = entries(sheets, mark)
    title = _kind(sheets, has_sums=bool(labelled))
    kind = title.value
    lines = lines_of(sheets, mark)
    sums = totals(labelled, sum_of(lines))
    lines = lines or list(receipt_lines(sheets, mark, sums.total.value))
    is_priced = any(entry.currency for entry in labelled) or any(amount.is_priced for amount in amounts)
    sender, recipient = parties(sheets, kind, language)
    document = Document(
        title,
        is_money=is_priced or sums.tax.value is not None or bool(_currency_said(sheets)),
        is_payslip=_is_payslip(sheets),
        insurer=insurers(sheets, sender) or Found(),
        ends=closing(sheets, kind, mark),
    )
    return document, Findings(
        kind=document.insurer if kind == "letter" and document.insurer.value else title,
        date=date_of(sheets, kind, written),
        number=number_of(sheets, kind),
        sender=sender,
        recipient=recipient,
        currency=_currency(sheets, amounts, labelled, language, named_countries) if labelled or lines else Found(),
        net=sums.net,
        tax=sums.tax,
        tax_rate=sums.tax_rate,
        total=_total(sheets, sums.total, document.ends, labelled, mark),
        iban=iban(sheets),
        due=due_of(sheets, kind, written, [value for entry in labelled for value in entry.values]),
        items=judged(lines, _sums(sums, labelled), has_discounts(sheets), kind),
        language=language,
    )


def _total(
    sheets: Sequence[Sheet], total: Found[Decimal], ends: Found[Decimal], labelled: Sequence[Entry], mark: str
) -> Found[Decimal]:
    """The total: what such a document ends with, else by its label, after a receipt's rounding, by its change."""
    if ends.value is not None or (ends.candidates and total.value is None):
        return ends
    return handed_over(sheets, rounded(sheets, total, labelled, mark), mark)


def _is_payslip(sheets: Sequence[Sheet]) -> bool:
    """Tell if a line begins with what only payslips say: their gross and net are no total and no net of an invoice."""
    return any(piece.begins_as("pay") for sheet in sheets for piece in sheet.pieces())


def _kind(sheets: Sequence[Sheet], has_sums: bool) -> Found[DocumentKind]:
    """By its title, else the change of a receipt, the label of its number, or a letter's greeting.

    A letter may name the number of an invoice.
    """
    title = titled(sheets)
    if title.value is not None or title.candidates:
        return title
    written = letter(sheets)
    changed = receipt(sheets)
    if changed.value is not None and written.value is None:
        return changed
    of_number = kind_named(sheets) if written.value is None or has_sums else Found()
    if of_number.value is not None and written.value is not None and _is_below(of_number, written):
        return unsure([*written.possible, *of_number.possible], N_("nothing confirms it"))
    if of_number.value is not None or of_number.candidates:
        return of_number
    number = number_of(sheets, None) if has_sums else Found()
    is_numbered = number.value is not None or bool(number.candidates)
    return opened(written) if is_numbered else written  # it may be an invoice that goes by another name


def _is_below(found: Found[DocumentKind], letter: Found[DocumentKind]) -> bool:
    """Tell if what tells a kind stands below the greeting of a letter: `We have received: Invoice number: 4711`."""
    place, greeting = found.places[0], letter.places[0]
    return (place.page, place.box.top) > (greeting.page, greeting.box.top)


def _language(sheets: Sequence[Sheet]) -> str:
    pieces = [piece for sheet in sheets for piece in sheet.pieces()]
    keys = [token.key for piece in pieces for token in piece.tokens]
    return language_of(keys, [label for piece in pieces for label in piece.labels])


def _amounts(sheets: Iterable[Sheet]) -> Iterable[Amount]:
    for sheet in sheets:
        for piece in sheet.pieces():
            yield from amounts_in(piece)


def _usual_mark(amounts: Sequence[Amount], language: str) -> str:
    """The decimal mark of a document's language, where no amount of it speaks against any."""
    proven = {mark for amount in amounts if amount.is_money and len(amount.readings) == 1 for mark in amount.readings}
    locale = known_locale(language) if language and not proven else None
    return mark_of(locale) if locale is not None else ""


def _sums(come_to: Totals, labelled: Sequence[Entry]) -> list[Decimal]:
    """Return what the lines may come to: net or total, before what is taken off or added."""
    sums = [found.value for found in (come_to.net, come_to.total) if found.value is not None]
    aside = [value for entry in labelled if entry.role == "adjustment" for value in entry.values]
    return sums + [one + sign * abs(other) for one in sums for other in aside[: BOUNDS.places] for sign in (1, -1)]


def _currency(
    sheets: Sequence[Sheet],
    amounts: Sequence[Amount],
    labelled: Sequence[Entry],
    language: str,
    named_countries: frozenset[str],
) -> Found[str]:
    """The one currency of its amounts and labels; a sign of several, such as $, needs a word on which it is.

    labelled: its sums, with what stands beside them.
    """
    of_sums = [currencies_of(entry.currency) for entry in labelled if entry.currency]
    said = _currency_said(sheets)
    if len(said) == 1 and len(only := next(iter(said))) == 1 and all(only[0] in codes for codes in of_sums):
        return sure(said[only])  # a sign or word beside another figure may be of something else
    found = dict[tuple[str, ...], Candidate[str]]()
    for amount in amounts:
        if amount.currency:
            codes = currencies_of(amount.currency)
            piece = amount.piece
            found.setdefault(
                codes, Candidate(codes[0], CONFIDENCE.labelled, (piece.evidence(amount.start, amount.end),))
            )
    for entry in labelled:
        if entry.currency:
            codes = currencies_of(entry.currency)
            found.setdefault(codes, Candidate(codes[0], CONFIDENCE.labelled, (entry.evidence,)))
    for codes, candidate in said.items():
        found.setdefault(codes, candidate)
    if language == "zh" and (yuan := found.get(currencies_of("¥"))) is not None:
        found = {currencies_of("CNY"): Candidate("CNY", yuan.confidence, yuan.evidence)}
    return _one_currency(found, named_countries)


def _currency_said(sheets: Sequence[Sheet]) -> dict[tuple[str, ...], Candidate[str]]:
    """Return what stands behind `Currency`, by the codes that it may mean."""
    said: dict[tuple[str, ...], Candidate[str]] = {}
    for at in named(sheets, "currency"):
        for place in (*beside(at), *below(at)):
            for match in currencies_in(place.piece.text[place.start : place.end]):
                where = place.piece.evidence(place.start + match.start(), place.start + match.end())
                said.setdefault(
                    currencies_of(match[0]), Candidate(currencies_of(match[0])[0], CONFIDENCE.labelled, (where,))
                )
            break
    return said


def _one_currency(found: dict[tuple[str, ...], Candidate[str]], named_countries: frozenset[str]) -> Found[str]:
    certain = {codes[0]: candidate for codes, candidate in found.items() if len(codes) == 1}
    if len(certain) == 1:
        ((code, candidate),) = certain.items()
        if all(code in codes for codes in found):
            return sure(candidate)
    several = [codes for codes in found if len(codes) > 1]
    if not certain and len(several) == 1 and several[0][0] == "USD" and named_countries == {"US"}:
        return sure(found[several[0]])
    candidates = [
        Candidate(code, candidate.confidence / len(codes), candidate.evidence)
        for codes, candidate in found.items()
        for code in codes
    ]
    return unsure(candidates, N_("several currencies are possible")) if candidates else Found()
