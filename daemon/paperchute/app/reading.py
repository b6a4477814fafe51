"""What a file holds: pages, text, and which password opens it. Read in a process of its own.

Run as `python -m paperchute.app.reading` it answers one request a line until its input ends. A document that crashes
PDFium, or never ends, costs this process and not the daemon's; `app.facts` starts it and sets its time.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pypdfium2
import pypdfium2.raw as pdfium

from paperchute.contract import kind_of
from paperchute.sandbox import Fence, confine

TEXT_PAGES = 10
_TEXT_CHARACTERS = 200_000
_TEXT_BYTES = 1 << 20
_MOST_MEMORY = 2 << 30
_MOST_SECONDS = 900  # of the processor in all: nobody may be left to end it
_TEXTUAL = ("txt", "html", "json")
_UNSEEN = ("script", "style", "template")


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """What is asked for of one file.

    path: the file. want: of `kind`, `pages`, `text`. passwords: candidates instead; `opens` is the first that
    opens the PDF, by number; -1 when it is not locked, nothing when none does. unlock: by name, passwords with which
    to look into a locked one; `opened_by` are the names of which one opens it. Where pages or text are not known,
    `trouble` says why, and `locked` whether a password may help.
    """
    path = Path(request["path"])
    if "passwords" in request:
        return {"opens": _opens(path, request["passwords"])}
    want = request["want"]
    try:
        kind = kind_of(path)
    except OSError as error:
        return {"trouble": f"it cannot be read ({error.strerror})"}
    found: dict[str, Any] = {"kind": kind}
    if kind == "pdf" and {"pages", "text"} & set(want):
        found.update(_pdf(path, want, request.get("unlock", {})))
    elif "text" in want and kind in _TEXTUAL:
        found["text"] = _text(path, kind)
    elif {"pages", "text"} & set(want):
        found["trouble"] = f"it is no PDF but {kind}"
    return found


def _pdf(path: Path, want: Sequence[str], unlock: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    try:
        document = pypdfium2.PdfDocument(path)
    except pypdfium2.PdfiumError as error:
        if error.err_code != pdfium.FPDF_ERR_PASSWORD:
            return {"trouble": "it is damaged"}
        keys = {
            name: passwords[number]
            for name, passwords in unlock.items()
            if (number := _opens(path, passwords)) is not None
        }
        found = {"locked": True, "opened_by": list(keys), "trouble": "it is locked"}
        if not keys:
            return found
        document = pypdfium2.PdfDocument(path, password=next(iter(keys.values())))
    try:
        found["pages"] = len(document)
        if "text" in want:
            found["text"] = _pdf_text(document)
        return found
    finally:
        document.close()


def _pdf_text(document: pypdfium2.PdfDocument) -> str:
    parts: list[str] = []
    left = _TEXT_CHARACTERS
    for number in range(min(len(document), TEXT_PAGES)):
        try:
            page = document[number]
            text = page.get_textpage().get_text_bounded()
        except pypdfium2.PdfiumError:
            continue  # one broken page does not make the others unreadable
        parts.append(text[:left])
        left -= len(text)
        if left <= 0:
            break
    return "\n".join(parts)


def _text(path: Path, kind: str) -> str:
    with path.open("rb") as file:
        content = file.read(_TEXT_BYTES)
    encoding = "utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8"
    text = content.decode(encoding, "replace")
    if kind == "html":
        seen = _Seen()
        seen.feed(text)
        text = " ".join(seen.parts)
    return text[:_TEXT_CHARACTERS]


def _opens(path: Path, passwords: Sequence[str]) -> int | None:
    for number, password in enumerate([None, *passwords], start=-1):
        try:
            pypdfium2.PdfDocument(path, password=password).close()
        except pypdfium2.PdfiumError:
            continue
        return number
    return None


class _Seen(HTMLParser):
    """The text of a page that a reader sees."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self._unseen = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._unseen += tag in _UNSEEN

    def handle_endtag(self, tag: str) -> None:
        self._unseen -= tag in _UNSEEN and self._unseen > 0

    def handle_data(self, data: str) -> None:
        if not self._unseen:
            self.parts.append(data)


def _bound() -> None:
    """It reads whatever lies in a hot folder, and hot folders may be anywhere; it writes nothing and reaches nobody."""
    confine(Fence(read=(Path("/"),), memory=_MOST_MEMORY))
    if sys.platform != "win32":
        import resource

        resource.setrlimit(resource.RLIMIT_CPU, (_MOST_SECONDS, _MOST_SECONDS))


def main() -> None:
    """Answer requests, one JSON object a line, until there are no more."""
    _bound()
    for line in sys.stdin:
        try:
            said = answer(json.loads(line))
        except (OSError, ValueError, MemoryError, RecursionError, AssertionError):
            said = {"trouble": "it cannot be read"}
        sys.stdout.write(json.dumps(said) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
