"""What a laid out PDF still lacks: meanings of glyphs, outline, language, exact sheets, only harmless links."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import unescape
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO

import pikepdf
from pikepdf import Array, Dictionary, Name, Pdf, Stream, String

from paperchute.engine import report
from paperchute.engine.html.fetch import NO_BASE
from paperchute.engine.html.missing_glyphs import is_seen, missing_codes
from paperchute.engine.html.preprocess import MARK, Heading, Marked
from paperchute.engine.pdf.actions import leads_to_web
from paperchute.engine.pdf.sanitize import defuse
from paperchute.engine.work import Refused
from paperchute.language import _

_WORTH_LOOKING = re.compile("[\u0900-\uffff\U00010000-\U0003ffff]|&#")
_NO_TEXT = re.compile(r"<(script|style|title)\b.*?</\1\s*>|<!--.*?-->|<[^>]*>", re.IGNORECASE | re.DOTALL)
_PAIR = re.compile(rb"<([0-9A-Fa-f]+)>(\s*)<([0-9A-Fa-f]+)>")
_SHAPES = (
    ("\u2e80", "\u2fdf"),  # radicals
    ("\ufb00", "\ufdff"),  # Latin, Armenian, Hebrew and Arabic letters joined, and Arabic ones by their place
    ("\ufe70", "\ufefc"),
)
_PRIVATE = {  # as the TrueType fonts of old, and Liberation, have them
    "\uf001": "fi",
    "\uf002": "fl",
}
_LAST_FROM_LEFT = "\ufb17"  # of joined letters
_UNKNOWN = "\ufffd"
_LEAST_KNOWN = 2  # of the glyphs around
_ONE = "([\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff])"  # in East Asia a glyph is a character
_FEW = "(.{1,3}?)"
_ROUNDS = (
    *((3, 3, _ONE), (3, 3, _ONE), (3, 0, _ONE), (0, 3, _ONE), (3, 3, _ONE)),
    *((3, 3, _FEW), (2, 2, _FEW), (2, 1, _FEW), (1, 2, _FEW)),
)
"""Glyphs before and behind that must agree, and what one may stand for. What a round finds is context for the next."""
_LAST_EVERYWHERE = "\u00ff"  # Latin 1, which the fonts that are carried have
_MOST_TOLD = 10  # letters: as many as show which script it is
_MOST_PAGES = 200
_MOST_PLACES = 5  # looked at for one glyph
_MOST_SEARCHED = 300_000_000  # characters that all searches may go through
_MOST_CHARACTERS = 1_000_000  # of the document's text


def repair(pdf: Pdf, html: str) -> None:
    """Write into the fonts of `pdf` what their glyphs mean by the text of `html`."""
    fonts = _fonts(pdf)
    lack = [font for font in fonts.values() if font.missing]
    if lack or (_WORTH_LOOKING.search(html) and any(_UNKNOWN in font.meanings.values() for font in fonts.values())):
        text = "".join(unescape(_NO_TEXT.sub("", html[: 4 * _MOST_CHARACTERS])).split())[:_MOST_CHARACTERS]
        search = _Search(fonts, [list(_glyphs(page, fonts)) for page in pdf.pages[:_MOST_PAGES]], text)
        for ahead, behind, wanted in _ROUNDS:
            search.round(ahead, behind, wanted)
        if lack:
            _tell_missing(fonts, text)
    for font in fonts.values():
        font.write()


def with_meanings(path: Path, html: str) -> None:
    """Write into the fonts of the PDF at `path`, laid out from `html`, what their glyphs mean."""
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        repair(pdf, html)
        pdf.save(path)


def _tell_missing(fonts: _Fonts, text: str) -> None:
    """Warn of letters that no font has. All are one glyph, which means one of them only where there is no other."""
    known = {part for font in fonts.values() for meaning in font.printed() for part in (meaning, *meaning)}
    letters = [
        letter
        for letter in dict.fromkeys(text)
        if letter > _LAST_EVERYWHERE and is_seen(letter) and known.isdisjoint((letter, _plain(letter)))
    ]
    if not letters:  # private characters, say, whose meaning is for readers to know
        return
    meaning = _whole(letters[0].encode("utf-16-be")) if len(letters) == 1 else _UNKNOWN
    for font in fonts.values():
        font.meanings.update(dict.fromkeys(font.missing, meaning))
    report.warn(
        _(
            "No font of this machine has {letters}, so they are not shown. Install a font that has them.",
            letters=" ".join(letters[:_MOST_TOLD]) + (" …" if len(letters) > _MOST_TOLD else ""),
        )
    )


@dataclass
class _Font:
    """A font's ToUnicode map (ISO 32000-1, 9.10.3), as cairo writes it: pairs of hexadecimal code and UTF-16.

    name: of the whole font; a document has several parts of it.
    """

    stream: Stream
    width: int
    meanings: dict[int, str]
    name: str
    missing: frozenset[int]
    """Codes that draw no letter, since no font has it."""

    def printed(self) -> Iterator[str]:
        """Return what glyphs mean that are to be seen."""
        return (meaning for code, meaning in self.meanings.items() if code not in self.missing)

    def write(self) -> None:
        before = self.stream.read_bytes()

        def meaning(pair: re.Match[bytes]) -> bytes:
            known = self.meanings.get(int(pair[1], 16))
            if known is None or len(pair[1]) != 2 * self.width:
                return pair[0]
            return b"<%s>%s<%s>" % (pair[1], pair[2], known.encode("utf-16-be").hex().encode())

        head, mark, pairs = before.partition(b"beginbfchar")
        after = head + mark + _PAIR.sub(meaning, pairs)
        if after != before:
            self.stream.write(after)


_Fonts = dict[tuple[int, int], _Font]
"""By object and generation number."""


def _fonts(pdf: Pdf) -> _Fonts:
    found: _Fonts = {}
    for font in pdf.objects:  # of pages, and of what they draw
        if not isinstance(font, Dictionary) or font.get(Name.Type) != Name.Font:
            continue
        stream = font.get(Name.ToUnicode)
        if not isinstance(stream, Stream):
            continue
        content = stream.read_bytes().partition(b"beginbfchar")[2]
        pairs = [(int(pair[1], 16), _whole(bytes.fromhex(pair[3].decode()))) for pair in _PAIR.finditer(content)]
        width = 2 if font.get(Name.Subtype) == Name.Type0 else 1
        name = str(font.get(Name.BaseFont, "")).partition("+")[2]
        meanings = dict(pairs)
        found[font.objgen] = _Font(stream, width, meanings, name, missing_codes(font, meanings))
    _name_private(found)
    return found


def _name_private(fonts: _Fonts) -> None:
    """Let joined letters mean what they show where a font keeps private characters for them; not in fonts of icons."""
    of_text = {font.name for font in fonts.values() if any("a" <= meaning <= "z" for meaning in font.meanings.values())}
    for font in fonts.values():
        if font.name in of_text:
            font.meanings = {code: _PRIVATE.get(meaning, meaning) for code, meaning in font.meanings.items()}


def _whole(utf16: bytes) -> str:
    """The text, with ideographs in the place of radicals that look the same, and letters in that of joined ones."""
    return "".join(_plain(letter) for letter in utf16.decode("utf-16-be", "replace"))


def _plain(letter: str) -> str:
    """Return what people type for a character that stands for a shape only."""
    if not any(first <= letter <= last for first, last in _SHAPES):
        return letter
    plain = unicodedata.normalize("NFKC", letter)
    # Readers turn text from the right around glyph by glyph, so several letters of one would come out backwards; they
    # know the characters that stand for several.
    return plain if len(plain) == 1 or letter <= _LAST_FROM_LEFT else letter


_Glyph = tuple[tuple[int, int], int]
"""A font, and a code in it."""


class _Search:
    """Looks in a text for what stands around unknown glyphs."""

    def __init__(self, fonts: _Fonts, pages: list[list[_Glyph]], text: str) -> None:
        self._fonts = fonts
        self._pages = pages
        self._text = text
        self._left = _MOST_SEARCHED // max(1, len(text))

    def round(self, ahead: int, behind: int, wanted: str) -> None:
        """An unknown glyph means what stands in the text where it stands, if most of its places agree."""
        votes: dict[_Glyph, Counter[str]] = defaultdict(Counter)
        for page in self._pages:
            glyphs = [(glyph, meaning) for glyph in page if not (meaning := self._meaning(glyph)).isspace()]
            for place, (glyph, meaning) in enumerate(glyphs):
                if meaning != _UNKNOWN or votes[glyph].total() >= _MOST_PLACES or self._left <= 0:
                    continue
                before = [known for _, known in glyphs[max(0, place - ahead) : place]]
                after = [known for _, known in glyphs[place + 1 : place + 1 + behind]]
                if sum(known != _UNKNOWN for known in before + after) >= _LEAST_KNOWN:
                    self._left -= 1
                    around = re.compile(_pattern(before) + wanted + _pattern(after))
                    votes[glyph].update({match[1] for match in around.finditer(self._text)})
        for (name, code), known in votes.items():
            (best, count), *others = known.most_common(2) or [("", 0)]
            if count > 2 * sum(number for _, number in others):
                self._fonts[name].meanings[code] = best

    def _meaning(self, glyph: _Glyph) -> str:
        name, code = glyph
        return self._fonts[name].meanings.get(code) or chr(code)


def _pattern(known: list[str]) -> str:
    return "".join("." if meaning == _UNKNOWN else re.escape(meaning) for meaning in known)


def _glyphs(page: pikepdf.Page, fonts: _Fonts) -> Iterator[_Glyph]:
    """The glyphs of a page in the order in which they are drawn."""
    resources = _resources(page)
    font, name = None, (0, 0)
    for instruction in pikepdf.parse_content_stream(page, "Tf Tj TJ"):
        operands, operator = list(instruction.operands), str(instruction.operator)
        if operator == "Tf":
            name = resources[str(operands[0])].objgen if str(operands[0]) in resources else (0, 0)
            font = fonts.get(name)
        elif font is not None:
            shown = operands[0]
            for piece in shown if isinstance(shown, Array) else [shown]:
                if isinstance(piece, String):
                    raw = bytes(piece)
                    for start in range(0, len(raw) - font.width + 1, font.width):
                        yield name, int.from_bytes(raw[start : start + font.width])


def _resources(page: pikepdf.Page) -> dict[str, Dictionary]:
    """The fonts of a page by the name that it gives them."""
    fonts = page.obj.get(Name.Resources, Dictionary()).get(Name.Font, Dictionary())
    return {name: font for name, font in fonts.items() if isinstance(font, Dictionary)}


_LANGUAGE = re.compile(r"[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*\Z")  # BCP 47
_MOST_POINTS = 14_400.0  # the largest page, ISO 32000-1 annex C.2
_OPEN_ITEMS = 40


def finish(laid_out: BinaryIO, output: Path, document: Marked) -> None:
    """Write the PDF `laid_out`, as PlutoBook made it from `document`, to `output`.

    Raises Refused (02210) for a page without size or beyond what PDF knows.
    """
    with pikepdf.open(laid_out) as pdf:
        report.handles(len(pdf.pages))
        for page in pdf.pages:
            _set_size(page)
        destinations = _destinations(pdf)
        names = {mark: document.names.get(mark, mark) for mark in destinations}
        for page in pdf.pages:
            _check_links(page, names)
        _add_outline(pdf, document.headings, destinations)
        _set_destinations(pdf, {names[mark]: place for mark, place in destinations.items()})
        repair(pdf, document.html)
        if _LANGUAGE.match(document.language):
            pdf.Root.Lang = String(document.language)
        if Name.Title in pdf.docinfo:
            pdf.Root.ViewerPreferences = Dictionary(DisplayDocTitle=True)
        defuse(pdf)
        with output.open("wb") as file:  # by its name it would be written elsewhere and renamed
            pdf.save(file)


def _set_size(page: pikepdf.Page) -> None:
    """PlutoBook counts in single precision: 595.28 has become 595.280029."""
    left, bottom, width, height = (round(float(number), 3) for number in page.mediabox)
    if width <= 0 or height <= 0:
        raise Refused("02210", _("the margins leave no room on the page"))
    if width > _MOST_POINTS or height > _MOST_POINTS:
        raise Refused(
            "02210",
            _(
                "a page of {width} x {height} points is larger than {most}",
                width=f"{width:g}",
                height=f"{height:g}",
                most=f"{_MOST_POINTS:g}",
            ),
        )
    page.mediabox = Array([left, bottom, width, height])


def _check_links(page: pikepdf.Page, names: dict[str, str]) -> None:
    """Drop what starts a program or opens a file, and what leads nowhere; the text stays."""
    notes = page.obj.get(Name.Annots)
    if not isinstance(notes, Array):
        return
    kept = []
    for note in notes.as_list():
        action, name = note.get(Name.A), note.get(Name.Dest)
        if isinstance(action, Dictionary):
            uri = str(action.get(Name.URI, ""))
            beside = uri.removeprefix(NO_BASE)  # a file that stood beside the HTML may stand beside the PDF
            if beside != uri and beside and beside[0] not in "#?" and leads_to_web(beside):
                action.URI = String(beside)
                kept.append(note)
            elif ":" in uri and leads_to_web(uri):
                kept.append(note)
        elif isinstance(name, String) and str(name) in names:
            note.Dest = String(names[str(name)])
            kept.append(note)
    page.obj.Annots = Array(kept)


def _destinations(pdf: Pdf) -> dict[str, Array]:
    """The named destinations."""
    tree = pdf.Root.get(Name.Names, Dictionary()).get(Name.Dests)
    if not isinstance(tree, Dictionary):
        return {}
    return {str(name): place for name, place in pikepdf.NameTree(tree).items() if isinstance(place, Array)}


def _set_destinations(pdf: Pdf, places: dict[str, Array]) -> None:
    """Keep the document's own names; the outline holds the places of the others itself."""
    own = {bytes(String(name)): place for name, place in places.items() if not name.startswith(MARK)}
    if Name.Names in pdf.Root:
        del pdf.Root.Names
    if own:
        leaf = Dictionary(Names=Array([entry for name in sorted(own) for entry in (String(name), own[name])]))
        pdf.Root.Names = Dictionary(Dests=pdf.make_indirect(leaf))


def _add_outline(pdf: Pdf, headings: list[Heading], places: dict[str, Array]) -> None:
    """Of the headings that are to be seen; one that is deeper than the one before it lies below it."""
    shown = [heading for heading in headings if heading.mark in places and heading.title]
    if not shown:
        return
    is_closed = len(shown) > _OPEN_ITEMS
    root = _Item(0, pdf.make_indirect(Dictionary(Type=Name.Outlines)))
    above = [root]
    for heading in shown:
        while above[-1].level >= heading.level:
            above.pop()
        entry = Dictionary(Title=String(heading.title), Dest=places[heading.mark], Parent=above[-1].entry)
        item = _Item(heading.level, pdf.make_indirect(entry))
        above[-1].children.append(item)
        above.append(item)
    root.link(is_closed=False, below_closed=is_closed)
    pdf.Root.Outlines = root.entry


@dataclass
class _Item:
    """An entry of the outline, or its root at level 0 (ISO 32000-1, 12.3.3)."""

    level: int
    entry: Dictionary
    children: list[_Item] = field(default_factory=list)

    def link(self, *, is_closed: bool, below_closed: bool) -> int:
        """Connect all entries below; how many can be seen when this one is open."""
        if not self.children:
            return 0
        self.entry.First, self.entry.Last = self.children[0].entry, self.children[-1].entry
        for one, other in pairwise(self.children):
            one.entry.Next, other.entry.Prev = other.entry, one.entry
        below = sum(child.link(is_closed=below_closed, below_closed=below_closed) for child in self.children)
        count = len(self.children) + (0 if below_closed else below)
        self.entry.Count = -count if is_closed else count
        return count
