"""Texts (txt, csv, md) that do not say which encoding they are in: told by what only that encoding makes sense of."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from typing import NamedTuple

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    *((codecs.BOM_UTF32_LE, "utf-32-le"), (codecs.BOM_UTF32_BE, "utf-32-be")),
    *((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")),
)
_LOOKED_AT = 1 << 16  # bytes
_MOSTLY = 0.9  # of the characters beyond ASCII: what a script's own texts have, and other bytes read as it have not
_SOME = 0.2  # likewise, of the kana of Japanese: Chinese has none
_ZEROS = 0.3  # of the bytes at even or odd places: UTF-16 of Latin letters has as many, no other text has any
_ALL = 1.1  # times those zeros: all of the text, of which hardly any stand at the other places
_FEW_BROKEN = 5  # characters beyond ASCII to one that is broken: other encodings hardly ever make one
_FOREIGN = re.compile(r"[^\x00-\x7f]")
_WORD = re.compile(r"[^\W\d_]+")


class Text(NamedTuple):
    """encoding: as people call it, empty where the text says it itself. is_sure: whether no letter may be another."""

    text: str
    encoding: str = ""
    is_sure: bool = True


def text_of(content: bytes) -> Text:
    """By its byte order mark, as UTF-8, or by what the bytes can be; Windows-1252 where nothing else is known."""
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return Text(content[len(mark) :].decode(encoding, "replace"))
    start = content[:_LOOKED_AT]
    for name, zeros in (("utf-16-le", start[1::2]), ("utf-16-be", start[::2])):
        if zeros and zeros.count(0) > _ZEROS * len(zeros) and start.count(0) < _ALL * zeros.count(0):
            return Text(content.decode(name, "replace"), name.upper())
    text = content.decode("utf-8", "replace")
    broken = text.count("\ufffd")
    if broken <= content.count(b"\xef\xbf\xbd"):  # those that it holds itself
        return Text(text)
    if len(_FOREIGN.findall(text)) > _FEW_BROKEN * broken:
        return Text(text, "UTF-8", is_sure=False)
    for name, codec, fits in _CANDIDATES:
        try:
            text = content.decode(codec)
        except UnicodeDecodeError:
            continue
        if fits(text[:_LOOKED_AT]) and not _AMONG_LATIN.search(text[:_LOOKED_AT]):
            return Text(text, name)
    text = content.decode("windows-1252", "replace")
    return Text(text, "Windows-1252", _is_western(text))


def _share(text: str, known: str) -> float:
    """Of the characters beyond ASCII, how many are these."""
    foreign = _FOREIGN.findall(text)
    return len(re.findall(known, text)) / max(len(foreign), 1)


def _is_japanese(text: str) -> bool:
    kana, all_signs = "[\u3040-\u30ff]", "[\u3000-\u30ff\u4e00-\u9fff\uff00-\uff60]"
    return _share(text, kana) > _SOME and _share(text, all_signs) > _MOSTLY


def _is_korean(text: str) -> bool:
    return _share(text, "[\u3000-\u3017\uac00-\ud7a3\uff00-\uff60]") > _MOSTLY


def _is_chinese(codec: str, last: int) -> Callable[[str], bool]:
    """last: lead byte of the last character of the encoding's first level, which holds all that are common."""

    def fits(text: str) -> bool:
        signs = re.findall("[\u4e00-\u9fff]", text)
        common = sum(sign.encode(codec)[0] <= last for sign in signs)
        every = _share(text, "[\u2014-\u2026\u3000-\u3017\u4e00-\u9fff\uff00-\uff60]")
        return every > _MOSTLY and common > _MOSTLY * len(signs)

    return fits


def _is_cyrillic(text: str) -> bool:
    """Decide whether its words are Russian letters from end to end, capitals first or all: KOI8 swaps the cases."""
    words = [word for word in _WORD.findall(text) if _FOREIGN.search(word)]
    fit = [word for word in words if re.fullmatch("[А-ЯЁ]?[а-яё]*|[А-ЯЁ]+", word)]
    return (
        any(len(word) > 2 for word in fit) and len(fit) > _MOSTLY * len(words) and _share(text, "[а-яА-ЯёЁ№]") > _MOSTLY
    )


_CANDIDATES: tuple[tuple[str, str, Callable[[str], bool]], ...] = (
    ("Shift-JIS", "cp932", _is_japanese),
    ("EUC-JP", "euc_jp", _is_japanese),
    ("EUC-KR", "euc_kr", _is_korean),
    ("GB2312", "gb2312", _is_chinese("gb2312", 0xD7)),
    ("Big5", "cp950", _is_chinese("cp950", 0xC6)),
    ("Windows-1251", "cp1251", _is_cyrillic),
    ("KOI8-R", "koi8_r", _is_cyrillic),
)
_AMONG_LATIN = re.compile("[a-z][\u3000-\u9fff\uac00-\ud7a3]+[a-z]")
"""Letters with accents in the middle of words, taken for two bytes of one character."""
_HUNGARIAN = frozenset("õûÕÛ")  # what its own letters are in Windows-1252; beside öü nobody else writes them
_NOT_WESTERN = re.compile(
    r"[\ufffdŠšŽžŸÐðÝýÞþ]"  # Windows-1250 and 1254, Mac OS Roman
    r"|[^\W\d_](?:[¹²³]|[^\w\s\x00-\x7f\u2010-\u2019·])[^\W\d_]"  # a sign within a word: Windows-1250, DOS
    r"|[^\W\d_][‚„†‡]"  # what opens a quotation, behind a letter: DOS
    r"|[a-z][À-Þ]"  # a capital after a small letter
    r"|(?<![^\W\d_])[^\W\d_\x00-\x7f]{3,}(?![^\W\d_])"  # a word of such letters alone: another script
)


def _is_western(text: str) -> bool:
    """Decide whether what stands beyond ASCII is what Western Europe writes, as far as anything shows it."""
    start = text[:_LOOKED_AT]
    is_hungarian = not _HUNGARIAN.isdisjoint(start) and not set("öüÖÜ").isdisjoint(start)
    return not is_hungarian and _NOT_WESTERN.search(start) is None
