"""Whether each word that a document has, and each that was recognised, is in the text of the PDF made of it."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import pypdfium2 as pdfium

from paperchute.engine import ledger
from paperchute.engine.document.model import Line
from paperchute.engine.reading.layout.marks import Word
from paperchute.engine.reading.pdf.document import opened, opened_page
from paperchute.engine.word_count import missing, printed
from paperchute.engine.work import Refused

_WORD = re.compile(r"\w+")
_INVISIBLE = re.compile("[\u00ad\u0002\ufffe\u200b-\u200f\u2060\ufeff]")
"""What PDFium and layers have in the place of hyphens that divide words, and what nobody sees."""


@dataclass(slots=True)
class TextAccount:
    """The words that a result must have beside those of its source, by the index of the source's page.

    replaced: pages whose own text was replaced by what was recognised.
    """

    laid: dict[int, Counter[str]] = field(default_factory=dict)
    replaced: set[int] = field(default_factory=set)
    in_pictures: int = 0

    def lay(self, index: int, words: Sequence[Word], *, whole: bool) -> None:
        """Enter the recognised words of a page. whole: they replace its own text."""
        if index in self.laid:  # a page that comes twice
            return
        self.laid[index] = _words(printed(words))
        ledger.enter(index + 1, self.laid[index].total())
        if whole:
            self.replaced.add(index)

    def leave(self, index: int, lines: Iterable[Line]) -> None:
        """Words of a recognised page that are only seen, as those of formulas."""
        words = _words(line.text for line in lines)
        self.laid[index] -= words
        self.in_pictures += words.total()

    def settle(self, source: Path, password: str, result: Path, chosen: Sequence[int]) -> None:
        """Hold the result, whose pages are the `chosen` ones, against its source, and enter it all into the ledger.

        A source that cannot be opened for that has no counts.
        """
        places = {index: place for place, index in reversed(list(enumerate(chosen)))}
        try:
            with (
                opened(source, source.name, password, _say_nothing) as before,
                opened(result, source.name, "", _say_nothing) as after,
            ):
                for index, place in sorted(places.items()):
                    self._page(index, _text(before, index), _text(after, place))
        except Refused:
            return
        ledger.leave_out("in_picture", self.in_pictures)

    def _page(self, index: int, own: Counter[str], there: Counter[str]) -> None:
        laid = self.laid.get(index, Counter())
        anew = 0
        if index in self.replaced:
            stays = own & (there - laid)
            anew = own.total() - stays.total()
            own = stays
        ledger.enter(index + 1, own.total() + anew)
        ledger.leave_out("recognised_anew", anew)
        lost = len(missing(own + laid, there))
        if lost:
            ledger.lose(lost, index + 1)


def _say_nothing(_name: str, _pages: int) -> None:
    """Of damage nothing is said again."""


def _text(document: pdfium.PdfDocument, index: int) -> Counter[str]:
    try:
        with opened_page(document, index) as page, closing(page.get_textpage()) as text:
            return _words([text.get_text_range(errors="replace")])
    except Refused:  # a page that cannot be opened shows nothing
        return Counter()


def _words(texts: Iterable[str]) -> Counter[str]:
    return Counter(
        word for text in texts for word in _WORD.findall(_INVISIBLE.sub("", unicodedata.normalize("NFKC", text)))
    )
