"""Running heads and feet, page after page: what two pages print alike, and each text kept once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from paperchute.engine.document.flow import flowed_text
from paperchute.engine.document.model import FURNITURE, Block, Page
from paperchute.engine.words import one_of

_DIGITS = re.compile(r"\d{1,4}")
_PAGE, _AFTER, _OF, _TOTAL = (one_of("page"), one_of("page_after"), one_of("of"), one_of("total"))
_SEPARATED = r"[\s,，、/]*"
_BARE = re.compile(
    rf"^(?:[-–—|·\[(]\s*)?(?:{_TOTAL}\s*\d{{1,4}}\s*{_AFTER}{_SEPARATED})?(?:{_PAGE}\s*)?"
    r"(?P<number>\d{1,4}|[ivxlc]{1,7}|[IVXLC]{1,7}|[A-Z]?[-.]?\d{1,3}-\d{1,3})"
    rf"(?:\.?\s*{_AFTER})?(?:{_SEPARATED}(?:/|\||{_OF})\s*\d{{1,4}}(?:\s*{_AFTER})?)?(?:\s*[-–—|·\])])?$",
    re.IGNORECASE,
)
_IS_ROMAN = re.compile(r"c{0,3}(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})")
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}
_AT_START = re.compile(r"^(?P<number>\d{1,4})\s*[|·•–—/](?=\D)")
_AT_END = re.compile(rf"(?:[|·•–—/]\s*|\s{_PAGE}\s*)(?P<number>\d{{1,4}})$", re.IGNORECASE)


def is_number(text: str) -> bool:
    """Decide whether a line is a page number and nothing more: `7`, `- 7 -`, `Page 7 of 9`, `vii`, `3-12`."""
    return _bare(text.strip()) is not None


def _bare(text: str) -> re.Match[str] | None:
    match = _BARE.match(text)
    if match is None or any(map(str.isdigit, match["number"])):
        return match
    written = match["number"]  # `vii`, and neither `civil` nor `Li`
    alike = written.islower() or written.isupper()
    return match if alike and _IS_ROMAN.fullmatch(written.lower()) else None


def number_form(text: str, page: int) -> str:
    """What a bare page number on `page` has in common with those that count on with the pages; empty for others."""
    match = _bare(text.strip())
    if match is None:
        return ""
    written = match["number"]
    digits = _DIGITS.findall(written)
    value, style = (int(digits[-1]), "1") if digits else (_roman(written.lower()), "i")
    before = written[: written.rindex(digits[-1])] if digits else ""
    text = text.strip().casefold()
    start, end = match.span("number")
    return f"{text[:start]}{before.casefold()}<{style}{value - page:+d}>{text[end:]}"


def counting_forms(text: str, page: int) -> list[str]:
    """The same for a line with a page number at its start or end: `12 | Report`, `Report page 12`, not `Invoice 12`."""
    text = text.strip().casefold()
    forms = []
    for pattern in (_AT_START, _AT_END):
        match = pattern.search(text)
        if match is not None:
            start, end = match.span("number")
            forms.append(f"{text[:start]}<{int(match['number']) - page:+d}>{text[end:]}")
    return forms


def _roman(text: str) -> int:
    values = [_ROMAN[letter] for letter in text]
    return sum(-v if any(w > v for w in values[n + 1 : n + 2]) else v for n, v in enumerate(values))


@dataclass(slots=True)
class KeptOnce:
    """The pages without page numbers, and with each running head and foot where its text stands first.

    It comes behind the page's own text, so that a document begins with its title, and no head parts a sentence. What
    differs in nothing but a number that counts with the pages is one text.
    """

    _seen: set[str] = field(default_factory=set)

    def pages(self, pages: Iterable[Page]) -> Iterator[Page]:
        """The pages as they come."""
        for page in pages:
            running = [block for block in page.blocks if block.kind in FURNITURE]
            if not running:
                yield page
                continue
            flow = [block for block in page.blocks if block.kind not in FURNITURE]
            yield replace(page, blocks=(*flow, *(block for block in running if self.is_new(block, page))))

    def is_new(self, block: Block, page: Page) -> bool:
        """Decide whether a block of page furniture says what none before it said; it counts as said from now on."""
        if block.kind == "number":
            return False
        text = " ".join(flowed_text(block.lines).split())
        forms = [text.casefold(), *counting_forms(text, page.number)]
        if not text or not self._seen.isdisjoint(forms):
            return False
        self._seen.update(forms)
        return True
