"""An invoice's data as a page for people: all that the file says, each once, in the language that is spoken.

What has no place of its own on the page stands at its end, under the names that the data have: nothing is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from paperchute.engine.e_invoice.codes import UNITS
from paperchute.engine.e_invoice.invoice import Invoice, Part
from paperchute.engine.e_invoice.terms import NAMESPACES, TERMS
from paperchute.engine.e_invoice.wording import (
    ACCOUNTS,
    CATEGORIES,
    DOCUMENTS,
    MEANS,
    NOTES,
    OF_PARTIES,
    PARTIES,
    REFERENCES,
    amount,
    country,
    day,
    plain_name,
    quantity,
    shown,
    word,
)
from paperchute.language import _

LANGUAGES = ("en", "de", "fr", "es")
"""That pages are made in: those whose catalogue has all their words."""
_STYLE = """
@page { size: A4; margin: 16mm 15mm 18mm 20mm;
  @bottom-right { content: counter(page) " / " counter(pages); font: 8pt "Liberation Sans"; } }
body { font: 9pt "Liberation Sans", sans-serif; color: #111; overflow-wrap: anywhere; }
h1 { font-size: 16pt; margin: 0 0 8pt; } h2 { font-size: 10.5pt; margin: 12pt 0 3pt; }
table { width: 100%; border-collapse: collapse; table-layout: fixed; }
td, th { text-align: left; vertical-align: top; padding: 2pt 5pt 2pt 0; }
.grid th { border-bottom: .75pt solid #444; } .grid td { border-bottom: .3pt solid #bbb; }
.n { text-align: right; padding-right: 0; padding-left: 5pt; } .small { font-size: 8pt; color: #444; }
.sums { width: 62%; margin-left: 38%; } .due td { font-weight: bold; border-top: .75pt solid #444; }
thead { display: table-header-group; } tr { page-break-inside: avoid; } p { margin: 2pt 0; }
"""
_FACTS = ("BT-1", "BT-2", "BT-9", "BT-72", "BT-73", "BT-74", "BT-10")
_SUMS = ("BT-106", "BT-107", "BT-108", "BT-109", "BT-110", "BT-111", "BT-112", "BT-113", "BT-114", "BT-115")
_DAYS = frozenset({"BT-2", "BT-9", "BT-72", "BT-73", "BT-74", "BT-134", "BT-135"})
_STREETS = frozenset({"LineOne", "LineTwo", "LineThree", "StreetName", "AdditionalStreetName", "Line"})
_TOWNS = frozenset({"PostcodeCode", "CityName", "PostalZone"})
_COUNTRIES = frozenset({"CountryID", "IdentificationCode"})
_ADDRESS = frozenset({*_STREETS, *_TOWNS, *_COUNTRIES, "CountrySubDivisionName", "CountrySubentity"})
_NAMES = frozenset({"PartyName/Name", "RegistrationName", "TradingBusinessName"})
_SAID_BY_ITS_PLACE = frozenset({"ChargeIndicator/Indicator", "ChargeIndicator"})
"""What the page says by where it has the rest."""
_TAX = frozenset({"TaxScheme/ID", "ApplicableTradeTax/TypeCode", "CategoryTradeTax/TypeCode"})
_BINARY = frozenset({"AttachmentBinaryObject", "EmbeddedDocumentBinaryObject"})


def page_of(invoice: Invoice, language: str) -> str:
    """The page as HTML. language: en, de, fr or es, which must be the one that is spoken."""
    return "".join(_Page(invoice, language).parts())


class _Page:
    """The page while it is made. left: the elements with text that are not on it yet."""

    def __init__(self, invoice: Invoice, language: str) -> None:
        self._invoice = invoice
        self._language = language
        self._spaces = NAMESPACES[invoice.syntax]
        self._currency = invoice.whole.text("BT-5")
        self._left: dict[Any, None] = {}
        for element in invoice.whole.element.iter():
            if (element.text or "").strip():
                self._left[element] = None

    def parts(self) -> Iterator[str]:
        """The page from its head to its end."""
        yield f'<html lang="{self._language}"><head><title>{self._title()}</title><style>{_STYLE}</style></head><body>'
        yield f"<h1>{self._title()}</h1>"
        parties = [one for title, *paths in PARTIES for one in self._parties(_(title), paths[self._is_ubl])]
        for start in range(0, len(parties), 2):
            cells = "".join(f'<td style="width:50%">{one}</td>' for one in parties[start : start + 2])
            yield f"<table><tr>{cells}</tr></table>"
        yield from self._facts()
        yield from self._notes()
        yield from self._lines()
        yield from self._more_and_less()
        yield from self._taxes()
        yield from self._sums()
        yield from self._payment()
        yield from self._rest()
        yield "</body></html>"

    @property
    def _is_ubl(self) -> bool:
        return self._invoice.syntax == "UBL"

    # ---------- taking from the data ----------

    def _take(self, part: Part, term: str) -> list[str]:
        """The texts of a term, which are on the page with that."""
        return self._taken(part.found(term))

    def _taken(self, found: Sequence[Any]) -> list[str]:
        texts = []
        for one in found:
            text = str(one if isinstance(one, str) else one.text or "").strip()
            if not isinstance(one, str):
                if one not in self._left:
                    continue
                del self._left[one]
            if text:
                texts.append(text)
        return texts

    def _at(self, paths: Sequence[str]) -> list[str]:
        return self._taken(self._invoice.whole.element.xpath(paths[self._is_ubl], namespaces=self._spaces))

    def _leaves(self, element: Any) -> list[Any]:
        return [one for one in element.iter() if one in self._left]

    # ---------- head ----------

    def _title(self) -> str:
        whole = self._invoice.whole
        code = whole.text("BT-3")
        return shown(f"{word(DOCUMENTS, code, _('Invoice') + (' ({code})' if code else ''))} {whole.text('BT-1')}")

    def _parties(self, title: str, path: str) -> Iterator[str]:
        for element in self._invoice.whole.element.xpath(path, namespaces=self._spaces):
            if told := self._party(element):
                yield f"<h2>{title}</h2>{told}"

    def _party(self, element: Any) -> str:
        names: dict[str, None] = {}
        streets: list[str] = []
        towns: list[str] = []
        region: list[str] = []
        facts = []
        for leaf in self._leaves(element):
            path = _path(leaf)
            name, (text,) = path[-1], self._taken([leaf])
            is_own = name == "Name" and path[-2] == _local(element)
            if is_own or name in _NAMES or "/".join(path[-2:]) in _NAMES:
                names[text] = None
            elif name in _STREETS:
                streets.append(text)
            elif name in _TOWNS:
                towns.insert(0 if name != "CityName" else len(towns), text)
            elif name in _ADDRESS:
                region.append(country(text, self._language) if name in _COUNTRIES else text)
            elif not (text == "VAT" and name == "ID" and path[-2] == "TaxScheme"):
                facts.append(f"{self._of_party(leaf, path)}: {shown(text)}")
        lines = [f"<b>{shown(name)}</b>" for name in names]
        lines += map(shown, [*streets, *([" ".join(towns)] if towns else []), *region])
        return "<br>".join([*lines, *(f'<span class="small">{one}</span>' for one in facts)])

    def _of_party(self, leaf: Any, path: list[str]) -> str:
        scheme = leaf.get("schemeID", "")
        if path[-2:] == ["PartyTaxScheme", "CompanyID"]:
            scheme = (
                "VA"
                if "VAT" in leaf.getparent().xpath("cac:TaxScheme/cbc:ID/text()", namespaces=self._spaces)
                else "FC"
            )
        for key in (scheme if scheme in ("VA", "FC") else "", "/".join(path[-2:]), path[-1]):
            if key in OF_PARTIES:
                return _(OF_PARTIES[key])
        return shown(plain_name(path[-2:]))

    def _facts(self) -> Iterator[str]:
        rows = [self._fact(_head(_(TERMS[term].name)), self._said(term)) for term in _FACTS]
        rows += [self._fact(_(label), self._at(paths)) for label, *paths in REFERENCES]
        self._take(self._invoice.whole, "BT-3")
        self._take(self._invoice.whole, "BT-5")
        rows.append(self._fact(_("Currency"), [self._currency] if self._currency else []))
        yield f"<h2>{_('Details')}</h2><table>{''.join(rows)}</table>"

    def _said(self, term: str) -> list[str]:
        part = self._invoice.whole
        when = part.day(term) if term in _DAYS else None
        texts = self._take(part, term)
        return [day(when, self._language)] if when is not None and len(texts) == 1 else texts

    def _fact(self, label: str, texts: Sequence[str]) -> str:
        return "".join(f'<tr><td style="width:38%">{shown(label)}</td><td>{shown(text)}</td></tr>' for text in texts)

    def _notes(self) -> Iterator[str]:
        for text in self._at(NOTES):
            yield "".join(f"<p>{shown(line)}</p>" for line in text.splitlines())

    # ---------- lines, taxes, sums ----------

    def _lines(self) -> Iterator[str]:
        widths = "8%", "40%", "14%", "14%", "10%", "14%"
        names = _("No."), _("Item"), _("Quantity"), _("Price"), _("VAT"), self._in_currency(_("Amount"))
        heads = "".join(
            f'<th style="width:{width}"{_right(number > 1)}>{name}</th>'
            for number, (width, name) in enumerate(zip(widths, names, strict=True))
        )
        yield f'<h2>{_("Lines")}</h2><table class="grid"><thead><tr>{heads}</tr></thead><tbody>'
        for line in self._invoice.groups["line"]:
            yield self._line(line)
        yield "</tbody></table>"

    def _line(self, line: Part) -> str:
        number, name = self._take(line, "BT-126"), self._take(line, "BT-153")
        unit = line.text("BT-130")
        count = f"{self._number(line, 'BT-129')} {UNITS.get(unit, unit)}".strip()
        price, rate, total = (
            self._amount(line, "BT-146"),
            self._rate(line, "BT-151", "BT-152"),
            self._amount(line, "BT-131"),
        )
        details = "".join(f"<br>{one}" for one in self._details(line.element))
        told = f'{shown(" ".join(name))}<span class="small">{details}</span>'
        cells = (shown(" ".join(number)), told, shown(count), price, rate, total)
        return f"<tr>{''.join(f'<td{_right(at > 1)}>{cell}</td>' for at, cell in enumerate(cells))}</tr>"

    def _details(self, element: Any) -> Iterator[str]:
        """Yield what else stands in an element, each with its name."""
        base = len(_path(element))
        for leaf in self._leaves(element):
            path = _path(leaf)
            (text,) = self._taken([leaf])
            if not _is_said_by_its_place(path, text):
                label = "" if path[-1] == "Description" else f"{shown(plain_name(path[base:][-2:]))}: "
                yield label + self._value(leaf, path, text)

    def _more_and_less(self) -> Iterator[str]:
        rows = []
        for reason, code, rate, term in (("BT-97", "BT-95", "BT-96", "BT-92"), ("BT-104", "BT-102", "BT-103", "BT-99")):
            for part in self._invoice.groups[TERMS[term].group]:
                kind = _("Allowance") if term == "BT-92" else _("Charge")
                why, vat, value = self._take(part, reason), self._rate(part, code, rate), self._amount(part, term)
                details = "".join(f'<br><span class="small">{one}</span>' for one in self._details(part.element))
                rows.append(_row(f"{kind}: {shown(', '.join(why))}{details}", vat, value))
        if rows:
            yield f"<h2>{_('Allowances and charges')}</h2><table class=grid>{''.join(rows)}</table>"

    def _taxes(self) -> Iterator[str]:
        rows = []
        for part in self._invoice.groups["vat"]:
            rate, base, tax = (
                self._rate(part, "BT-118", "BT-119"),
                self._amount(part, "BT-116"),
                self._amount(part, "BT-117"),
            )
            why = "".join(f'<br><span class="small">{shown(one)}</span>' for one in self._take(part, "BT-120"))
            why += "".join(f'<br><span class="small">{one}</span>' for one in self._details(part.element))
            rows.append(_row(f"{_('VAT')} {rate}{why}", base, tax))
        if rows:
            net, tax = self._in_currency(_("Net")), self._in_currency(_("VAT"))
            head = f"<tr><th></th><th class=n>{net}</th><th class=n>{tax}</th></tr>"
            yield f"<h2>{_('VAT by rate')}</h2><table class=grid>{head}{''.join(rows)}</table>"

    def _sums(self) -> Iterator[str]:
        yield f'<h2>{_("Totals")}</h2><table class="sums">'
        for term in _SUMS:
            whole = self._invoice.whole
            usual = whole.text("BT-6") if term == "BT-111" else self._currency
            currency = "" if _other_currency(whole.found(term), usual) else usual
            text = self._amount(whole, term, usual)
            if text:
                last = ' class="due"' if term == "BT-115" else ""
                yield f"<tr{last}><td>{_head(_(TERMS[term].name))}</td><td class=n>{text} {shown(currency)}</td></tr>"
        yield "</table>"

    def _payment(self) -> Iterator[str]:
        whole = self._invoice.whole
        means = [word(MEANS, code, "{code}") for code in dict.fromkeys(self._take(whole, "BT-81"))]
        rows = [self._fact(_("Payment by"), means), self._fact(_("Account"), self._take(whole, "BT-84"))]
        rows += [self._fact(_(label), self._at(paths)) for label, *paths in ACCOUNTS]
        rows.append(self._fact(_("Terms"), self._take(whole, "BT-20")))
        if any(rows):
            yield f"<h2>{_('Payment')}</h2><table>{''.join(rows)}</table>"

    def _rest(self) -> Iterator[str]:
        rows = []
        for leaf in list(self._left):
            path = _path(leaf)
            (text,) = self._taken([leaf])
            if not _is_said_by_its_place(path, text):
                rows.append(
                    f'<tr><td style="width:50%">{shown(plain_name(path[-2:]))}</td>'
                    f"<td>{self._value(leaf, path, text)}</td></tr>"
                )
        if rows:
            yield f'<h2>{_("Further data of the file")}</h2><table class="grid small">{"".join(rows)}</table>'

    # ---------- values ----------

    def _in_currency(self, head: str) -> str:
        return f"{head} ({shown(self._currency)})" if self._currency else head

    def _number(self, part: Part, term: str) -> str:
        value, texts = part.amount(term), self._take(part, term)
        return quantity(value, self._language) if value is not None and len(texts) == 1 else " ".join(texts)

    def _amount(self, part: Part, term: str, usual: str | None = None) -> str:
        """An amount, with its currency where that is another than the `usual` one of its place."""
        other = _other_currency(part.found(term), self._currency if usual is None else usual)
        value, texts = part.amount(term), self._take(part, term)
        text = amount(value, self._language) if value is not None and len(texts) == 1 else shown(" ".join(texts))
        return f"{text} {shown(other)}".strip()

    def _rate(self, part: Part, code: str, rate: str) -> str:
        codes, percent = self._take(part, code), self._number(part, rate)
        words = [word(CATEGORIES, one, "{code}") for one in codes if one != "S"]
        return shown(" ".join([f"{percent} %"] * bool(percent) + words))

    def _value(self, leaf: Any, path: list[str], text: str) -> str:
        """A text as people read it: numbers in their language; of a file within the data what it is."""
        if path[-1] in _BINARY:
            name = leaf.get("filename", "") or _("a file")
            return shown(_("{name}, in the attached data", name=name))
        part = Part(leaf, "invoice", self._invoice.syntax)
        value = part.own_amount() if path[-1].endswith(("Amount", "Quantity", "Percent")) else None
        other = _other_currency([leaf], self._currency)
        more = f" {other}" if other else ""
        if value is None:
            return shown(text + more)
        money = path[-1].endswith("Amount")
        return shown((amount if money else quantity)(value, self._language) + more)


def _other_currency(elements: Iterable[Any], usual: str) -> str:
    """The currencies that amounts are stated in, but for the usual one."""
    stated = dict.fromkeys(element.get("currencyID", "") for element in elements)
    return " ".join(currency for currency in stated if currency not in ("", usual))


def _head(text: str) -> str:
    """A name as it stands at the head of a row."""
    return text[:1].upper() + text[1:]


def _path(element: Any) -> list[str]:
    """The local names from the root's children down to an element."""
    names = [_local(element), *(_local(one) for one in element.iterancestors())]
    return names[-2::-1] or names


def _local(element: Any) -> str:
    return str(element.tag).rpartition("}")[2]


def _is_said_by_its_place(path: list[str], text: str) -> bool:
    is_tax = text == "VAT" and "/".join(path[-2:]) in _TAX
    return is_tax or path[-1] in _SAID_BY_ITS_PLACE or "/".join(path[-2:]) in _SAID_BY_ITS_PLACE


def _right(is_number: bool) -> str:
    return " class=n" if is_number else ""


def _row(*cells: str) -> str:
    return f"<tr>{''.join(f'<td{_right(at > 0)}>{cell}</td>' for at, cell in enumerate(cells))}</tr>"
