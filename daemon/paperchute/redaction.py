"""What every text passes before it leaves the process: known secrets are masked, and nothing in it steers a terminal.

Logs, journal, status, error texts, notifications and the command line show names of foreign files and words of foreign
services. The filter stands where these are written and not where they come from, so that no way round it is forgotten.
"""

from __future__ import annotations

import base64
import html
import json
import re
import string
import threading
import unicodedata
from collections import Counter, OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any
from urllib.parse import quote, quote_plus

MASK = "***"
_PREFIX = 4
"""Secrets of fewer characters are masked as whole words only: they stand by chance in too many others."""
_SURE = 8
"""From so many characters on nobody takes a secret in an address or id for chance."""
_MOST = 4_000
"""Secrets kept of those that are used once, such as one for each row of a list: about 12 MB."""

_JOINERS = "\u200c\u200d"
"""Invisible, but part of many scripts' spelling and of composed emoji."""
_UNSHOWABLE = ("Cc", "Cf", "Cs", "Zl", "Zp")
"""Control, format (direction overrides among them) and surrogate characters; line and paragraph separators."""

_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)  # unlike str.lower it keeps the length

_lock = threading.Lock()
_passing: OrderedDict[str, None] = OrderedDict()
_lasting: set[str] = set()
_tried: Counter[str] = Counter()
"""Secrets that only trials use, and how many of them."""
_trial: ContextVar[set[str] | None] = ContextVar("trial", default=None)
"""What the trial that goes on in this context has learned."""
_spelled: dict[str, tuple[str, ...]] = {}
"""Spellings in lower case by their first characters, longest first."""
_uses: Counter[str] = Counter()  # how many secrets have a spelling
_short: dict[str, re.Pattern[str]] = {}
_longest = 0


def in_use(secret: str, *, lasting: bool = False) -> None:
    """From now on `masked` knows this secret. lasting: it is used all the time, as an API key is."""
    if not secret.strip():
        return
    trial = _trial.get()
    with _lock:
        new = secret not in _passing and secret not in _lasting and secret not in _tried
        if trial is not None and not lasting and secret not in _passing and secret not in _lasting:
            if secret not in trial:
                trial.add(secret)
                _tried[secret] += 1
        elif lasting:
            _passing.pop(secret, None)
            _tried.pop(secret, None)
            _lasting.add(secret)
        else:
            _tried.pop(secret, None)
            if secret not in _lasting:
                _passing[secret] = None
                _passing.move_to_end(secret)
        if new:
            _learn(secret)
        if len(_passing) > _MOST:
            _forget(_passing.popitem(last=False)[0])


@contextmanager
def on_trial() -> Iterator[None]:
    """Have `in_use` in this context count until its end only, for what somebody merely tries.

    A reference may lead to anything, such as the path of the home folder, and what it leads to would be masked in all
    logs for ever. What work uses meanwhile stays known.
    """
    learned: set[str] = set()
    token = _trial.set(learned)
    try:
        yield
    finally:
        _trial.reset(token)
        with _lock:
            for secret in learned & _tried.keys():
                _tried[secret] -= 1
                if not _tried[secret]:
                    del _tried[secret]
                    _forget(secret)


def masked(text: str, *, sure: bool = False) -> str:
    """The text with `***` for each secret in use, also where it is URL-encoded, JSON-escaped, base64 and the like.

    sure: only secrets so long that they do not stand there by chance; for addresses and ids that must go on working.
    """
    if not sure:
        for pattern in tuple(_short.values()):
            text = pattern.sub(MASK, text)
    if not _spelled:
        return text
    lowered = text.translate(_LOWER)
    if len(_spelled) < len(lowered) and not any(begin in lowered for begin in tuple(_spelled)):
        return text  # most texts hold none, and a few looks for all of it are quicker than one at each place
    pieces: list[str] = []
    kept = at = 0
    while at <= len(lowered) - _PREFIX:
        found = next((s for s in _spelled.get(lowered[at : at + _PREFIX], ()) if lowered.startswith(s, at)), "")
        if not found or (sure and len(found) < _SURE):
            at += 1
            continue
        pieces += (text[kept:at], MASK)
        kept = at = at + len(found)
    return "".join((*pieces, text[kept:])) if pieces else text


def masked_all(value: Any) -> Any:
    """A JSON value with every text in it masked."""
    if isinstance(value, str):
        return masked(value)
    if isinstance(value, dict):
        return {masked(str(name)): masked_all(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [masked_all(entry) for entry in value]
    return value


def printable(text: str) -> str:
    r"""The text on one line, with an escape such as `\x1b` or `\u202e` for each character that is not shown as itself.

    What was escaped before stays as it is, so a text may pass here several times.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(_shown(character) for character in text)


def clean(text: str) -> str:
    """One line that may leave the process."""
    return printable(masked(text))


def clean_lines(text: str) -> str:
    """Several lines that may leave the process: a traceback, say."""
    return "\n".join(map(printable, masked(text).split("\n")))


def bounded(text: str, most: int) -> str:
    """One line that may leave the process, of a foreign text that may be of any length."""
    is_cut = len(text) > 64 * most
    begin = masked(text[: 64 * most])
    if is_cut:
        begin = begin[: max(0, len(begin) - _longest)]  # it may be the beginning of a secret
    shown = printable(begin)
    return shown[: most - 1] + "…" if is_cut or len(shown) > most else shown


def _shown(character: str) -> str:
    if unicodedata.category(character) not in _UNSHOWABLE or character in _JOINERS:
        return character
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


# ---------- the secrets and their spellings ----------


def _learn(secret: str) -> None:
    global _longest
    if len(secret) < _PREFIX:
        words = sorted(set(_spellings(secret)), key=len, reverse=True)
        _short[secret] = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, words))})(?!\w)")
        return
    for spelling in {spelling.translate(_LOWER) for spelling in _spellings(secret)}:
        _uses[spelling] += 1
        _longest = max(_longest, len(spelling))
        known = {*_spelled.get(spelling[:_PREFIX], ()), spelling}
        _spelled[spelling[:_PREFIX]] = tuple(sorted(known, key=len, reverse=True))


def _forget(secret: str) -> None:
    if _short.pop(secret, None) is not None:
        return
    for spelling in {spelling.translate(_LOWER) for spelling in _spellings(secret)}:
        _uses[spelling] -= 1
        if _uses[spelling] > 0:
            continue
        del _uses[spelling]
        left = tuple(known for known in _spelled[spelling[:_PREFIX]] if known != spelling)
        _spelled[spelling[:_PREFIX]] = left
        if not left:
            del _spelled[spelling[:_PREFIX]]


def _spellings(secret: str) -> Iterator[str]:
    """The ways in which programs write a text down. Those of a text's forms in Unicode are all meant."""
    for text in dict.fromkeys((secret, *(unicodedata.normalize(form, secret) for form in ("NFC", "NFD")))):
        raw = text.encode("utf-8", "surrogatepass")
        yield text
        yield from (quote(raw), quote(raw, safe=""), quote_plus(raw), "".join(f"%{byte:02x}" for byte in raw))
        yield from (quote(quote(raw)), quote(quote(raw, safe=""), safe=""))  # an address within an address
        for escaped in (json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1]):
            yield from (escaped, escaped.replace("/", "\\/"), json.dumps(escaped)[1:-1])
        yield from (repr(text)[1:-1], ascii(text)[1:-1], repr(raw)[2:-1])
        yield from (html.escape(text), html.escape(text, quote=False), raw.hex())
        yield from ("".join(form.format(ord(letter)) for letter in text) for form in ("&#{};", "&#x{:x};", "\\u{:04x}"))
        yield from _in_base64(raw)


def _in_base64(raw: bytes) -> Iterator[str]:
    """Base64 of the secret alone, and what of it is the same wherever it stands in a longer text."""
    for altchars in (b"+/", b"-_"):
        yield base64.b64encode(raw, altchars).decode().rstrip("=")
        for before, blurred in ((0, 0), (1, 2), (2, 3)):  # bytes in front, and characters that these have a share in
            whole = base64.b64encode(bytes(before) + raw, altchars).decode()[blurred : (before + len(raw)) * 8 // 6]
            if len(whole) >= _SURE:
                yield whole
