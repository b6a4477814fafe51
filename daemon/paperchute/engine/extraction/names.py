"""Names of people and companies: what looks like one, and which of an address's lines it takes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from paperchute.engine.extraction.findings import Candidate
from paperchute.engine.extraction.measures import LENGTHS, PLACES
from paperchute.engine.extraction.printed import Piece
from paperchute.engine.extraction.vocabulary import plain


@dataclass(frozen=True, slots=True)
class NameSettings:
    """What may be a name. Chosen by eye."""

    longest: int = 70
    """Characters of a name."""

    shortest: int = 3
    """Letters of a name."""


NAMES = NameSettings()

LEGAL = re.compile(
    r"(?<![\w.])(?:(?:GmbH|GMBH)(?:\s{0,2}&\s{0,2}Co\.?\s{0,2}KG)?|AG|KG|OHG|GbR|UG|e\.\s?K\.|e\.\s?V\.|a\.\s?G\.|eG|gGmbH|KGaA|mbH|SE|"
    r"Ltd\.?|LTD\.?|Limited|LIMITED|LLP|LLC|Inc\.?|INC\.?|Corp\.?|PLC|plc|Pty\.?|Pte\.?|(?:S[Dd][Nn]\.?\s{0,2})?B[Hh][Dd]\.?|S/B|"
    r"S\.?A\.?R\.?L\.?|S\.?à\.?\s?r\.?l\.?|S\.?A\.?S\.?U?|S\.?A\.?|E\.?U\.?R\.?L\.?|SNC|S\.?L\.?U?\.?|S\.?C\.?|S\.?Coop\.?|"
    r"B\.V\.|BV|N\.V\.|NV|V\.?O\.?F\.?|S\.r\.l\.|Srl|SRL|S\.R\.L\.|S\.p\.A\.|SpA|S\.P\.A\.|S\.n\.c\.|S\.a\.s\.|"
    r"[Ss]p\.\s?z\s?o\.\s?o\.|[Ss]p\.\s?[jk]\.|Lda\.?|LDA|ApS|A/S|Oy|有限公司|股份公司)(?![\w])"
)
"""Legal forms of companies. Type of one width has wide spaces."""

_NUMBERED = re.compile(r"\s{0,2}[(\[][^()\[\]]{0,20}\d{4}[\s-]{0,3}[\dA-Z][^()\[\]]{0,12}[)\]]\s*$")
"""The number in a register behind a name: `(519537-X)`."""

POSTCODE = re.compile(
    r"(?<![\w.,])(?:[A-Z]{1,2}-)?\d{4,5}\s+[^\W\d_a-zß-ÿ][^\W\d_]|(?<![\w.,])\d{4}\s[A-Z]{2}\s+[^\W\d_]|(?<![\w.,])\d{2}-\d{3}\s+[^\W\d_]"
    r"|(?<![\w.,])\d{4}-\d{3}\s+[^\W\d_]|,\s[A-Z]{2}\s\d{5}(?!\d)|(?<!\w)[A-Z]{1,2}\d[A-Z\d]?\s\d[A-Z]{2}(?!\w)|省|市"
)
"""A postcode with its town, as the last line of an address has it."""

PARTED = re.compile(r"\s*[·•|∙–—]\s*|\s+[-*]\s+|,\s+")
"""What parts a name from the address behind it."""

_ADDRESSING = (
    "Herrn, Herr, Frau, Firma, Familie, An, An die, An den, Mr, Mrs, Ms, To, Monsieur, Madame, M, Mme, Sr, Sra, "
    "De heer, Mevrouw, Dhr, Mevr, Spett.le, Spettabile, Gentile, Sig, Sig.ra, Pan, Pani, Exmo Sr, Exma Sra"
)
TITLES = frozenset(map(plain, _ADDRESSING.split(", ")))
"""What stands above a name, in plain letters."""

_LABELS = (
    "Name, Firma, Company, Company name, Nom, Raison sociale, Nombre, Razón social, 名称, Naam, Bedrijfsnaam, Nome, "
    "Ragione sociale, Denominazione, Nazwa, Denominação"
)
LABELS = frozenset(map(plain, _LABELS.split(", ")))
"""What stands beside a name in a form, in plain letters."""

_PERSON = re.compile(
    r"^(?:(?:Herrn?|Frau|Firma|Mrs?|Ms|M|Mme|Monsieur|Madame|Sra?|D|Dña|De heer|Mevrouw|Dhr|Mevr|Spett\.le|"
    r"Sig|Sig\.ra|Pani?)\.?\s+)+"
)
_LINKS = frozenset(map(plain, ("und", "and", "et", "y", "e", "en", "i", "für", "for", "of", "der", "de", "del", "di")))
_ADDRESSEES = re.compile(
    r"(?i)^(?:z\.\s?hd|c/o|attn|att\b|abt|abteilung|dept|department|service\b|à l'attention|t\.a\.v)"
)


def is_name(text: str) -> bool:
    """Decide whether a text may be a name."""
    text = text.strip()
    letters = sum(map(str.isalpha, text))
    digits = sum(map(str.isdecimal, text))
    return (
        NAMES.shortest <= letters and len(text) <= NAMES.longest and digits * 2 < letters
        and len(text.split()) <= LENGTHS.line and "@" not in text and "www." not in text.casefold()
        and (text[0].isdecimal() or (text[0].isalpha() and not text[0].islower()))
        and not text.endswith((":", "：")) and not _is_sentence(text)
    )  # fmt: skip


def _is_sentence(text: str) -> bool:
    """Decide whether a text ends as a sentence does, and as no abbreviation."""
    words = text.split()
    last = words[-1].rstrip(".")
    return text.endswith(".") and len(words) >= LENGTHS.sentence and last.islower() and not has_form(text)


def is_town(text: str) -> bool:
    """Tell whether a line holds a postcode with its town, and no sentence with a year: `2011 Tables for Income Tax`."""
    return len(text.split()) <= LENGTHS.phrase and len(text) <= LENGTHS.short and bool(POSTCODE.search(text))


def cleaned(text: str) -> str:
    """A name without forms of address, its number in a register and signs around it."""
    return " ".join(_NUMBERED.sub("", _PERSON.sub("", text.strip())).split()).strip(" ,;:：·•|")


def has_form(text: str) -> bool:
    """Decide whether a line names a company's legal form: behind its name or alone, for `KG. Batu` is a village."""
    text = text.strip()
    return any(found.start() > 0 or found.end() == len(text) for found in LEGAL.finditer(text))


def joined(lines: Sequence[Piece], confidence: float) -> Candidate[str]:
    """The lines as one name."""
    certain = min(line.certainty() for line in lines)
    name = cleaned(" ".join(line.text for line in lines))
    return Candidate(name, confidence * certain, tuple(line.evidence() for line in lines))


def names_of(lines: Sequence[Piece], confidence: float) -> Iterator[Candidate[str]]:
    """The name that the lines of an address begin with; two where the next line may belong to it, or be of a person."""
    own = 1
    while own < min(len(lines), LENGTHS.name_lines) and _goes_on(lines[own - 1], lines[own]):
        own += 1
    yield joined(lines[:own], confidence)
    if own < len(lines) and not has_form(" ".join(line.text for line in lines[:own])) and _may_belong(lines, own):
        yield joined(lines[: own + 1], confidence)


def may_precede(upper: Piece, lower: Piece) -> bool:
    """Tell whether a line above that of a company may be the beginning of its name: of the same type, and no label."""
    plainly = not any(map(str.isdecimal, upper.text)) and not upper.labels and not has_form(upper.text)
    return _is_alike(upper, lower) and plainly and is_name(upper.text)


def _is_alike(upper: Piece, lower: Piece) -> bool:
    """Decide whether two lines are of the same type, as those of one name are."""
    size = max(upper.size, lower.size) <= PLACES.alike * min(upper.size, lower.size)
    return size and upper.tokens[0].bold == lower.tokens[0].bold


def _goes_on(upper: Piece, lower: Piece) -> bool:
    """Tell whether a name surely goes on in the next line: a legal form alone, or a word or sign that joins the two."""
    text, above = lower.text.strip(), upper.text.strip()
    if LEGAL.fullmatch(text):
        return True
    if any(map(str.isdecimal, text)) or not text:
        return False
    joins = above.endswith(("&", "+", ",", "-")) or plain(above.split()[-1]) in _LINKS or text.startswith(("&", "+"))
    return joins or plain(text.split()[0]) in _LINKS


def _may_belong(lines: Sequence[Piece], number: int) -> bool:
    """Decide whether a line below a name may be more of it: it has a legal form, or stands where no street can."""
    text = lines[number].text.strip()
    if (
        not _is_alike(lines[number - 1], lines[number])
        or any(map(str.isdecimal, text))
        or not is_name(text)
        or ":" in text
        or _ADDRESSEES.match(text)
    ):
        return False
    if has_form(text):
        return True
    lower = lines[number + 1].text if number + 1 < len(lines) else ""
    return any(map(str.isdecimal, lower)) and not is_town(lower)
