"""What hostile files hold, read in a process of its own: pages and text of documents, lists, overrides, HTML.

Run as `python -m paperchute.app.reader_worker` it answers one request after the other until its input ends, as
`files.reader` asks them. A file that crashes a parser, or never ends, costs this process and not the daemon's.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pypdfium2
import pypdfium2.raw as pdfium

from paperchute.app.pdf_files import open_pdf
from paperchute.app.seen_text import seen_text
from paperchute.app.unread import look_for_unread
from paperchute.contract import PICTURES, kind_of_open
from paperchute.errors import PaperchuteError
from paperchute.files.beneath import reading
from paperchute.files.reader_line import Said
from paperchute.language import _, speaking
from paperchute.sandbox import Fence, bound, confine

TEXT_PAGES = 10
_TEXT_CHARACTERS = 200_000
_TEXT_BYTES = 1 << 20
_MOST_MEMORY = 2 << 30
_MOST_SECONDS = 60  # of the processor for one file: nobody may be left to end it
_TEXTUAL = ("txt", "html", "json")


def answer(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is asked for of one file.

    path: the file. want: of `kind`, `pages`, `signed`, `text`, `unread`, which brings `pictured` too. passwords:
    candidates instead; `opens` is the first that opens the PDF, by number; -1 when it is not locked, nothing when
    none does. unlock: by name, passwords with which to look into a locked one; `opened_by` are the names of which one
    opens it. Where pages, text or signatures are not known, `trouble` says why, and `locked` whether a password may
    help.
    """
    path = Path(request["path"])
    if "passwords" in request:
        return {"opens": _opens(path, request["passwords"])}
    want = request["want"]
    try:
        with reading(path, None) as file:
            kind = kind_of_open(file)
    except OSError as error:
        return {"trouble": _("it cannot be read ({reason})", reason=error.strerror)}
    found: dict[str, Any] = {"kind": kind}
    if kind in PICTURES and "unread" in want:
        found["unread"] = [1]
    if kind in PICTURES and "signed" in want:
        found["signed"] = False
    if kind == "pdf" and {"pages", "signed", "text", "unread"} & set(want):
        found.update(_pdf(path, want, request.get("unlock", {})))
    elif "text" in want and kind in _TEXTUAL:
        found["text"] = _text(path, kind)
    elif {"pages", "text"} & set(want) or ("signed" in want and "signed" not in found):
        found["trouble"] = _("it is not a PDF but {kind}", kind=kind)
    return found


def _pdf(path: Path, want: Sequence[str], unlock: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    try:
        document = open_pdf(path)
    except pypdfium2.PdfiumError as error:
        if error.err_code != pdfium.FPDF_ERR_PASSWORD:
            return {"trouble": _("it is damaged")}
        keys = {
            name: passwords[number]
            for name, passwords in unlock.items()
            if (number := _opens(path, passwords)) is not None
        }
        found = {"locked": True, "opened_by": list(keys), "trouble": _("it is locked")}
        if not keys:
            return found
        document = open_pdf(path, next(iter(keys.values())))
    try:
        found["pages"] = len(document)
        if "signed" in want:
            found["signed"] = _is_signed(document)
        if "text" in want:
            found["text"] = _pdf_text(document)
        if "unread" in want:
            unread = look_for_unread(document)
            found.update(unread=unread.pages, pictured=unread.pictures)
        return found
    finally:
        document.close()


def _is_signed(document: pypdfium2.PdfDocument) -> bool:
    """Decide whether a signature field holds a signature (ISO 32000-1, 12.8); a certification is one."""
    fields = (
        pdfium.FPDF_GetSignatureObject(document, number) for number in range(pdfium.FPDF_GetSignatureCount(document))
    )
    return any(field and pdfium.FPDFSignatureObj_GetContents(field, None, 0) for field in fields)


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
    with reading(path, None) as file:
        content = file.read(_TEXT_BYTES)
    encoding = "utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8"
    text = content.decode(encoding, "replace")
    if kind == "html":
        text = seen_text(text)
    return text[:_TEXT_CHARACTERS]


def _opens(path: Path, passwords: Sequence[str]) -> int | None:
    for number, password in enumerate([None, *passwords], start=-1):
        try:
            open_pdf(path, password).close()
        except pypdfium2.PdfiumError:
            continue
        return number
    return None


def _facts(request: Mapping[str, Any], content: bytes) -> Said:
    try:
        return answer(request), b""
    except (OSError, ValueError, MemoryError, RecursionError, AssertionError):
        return {"trouble": _("it cannot be read")}, b""


def _list(request: Mapping[str, Any], content: bytes) -> Said:
    from paperchute.jobs.lists import answer_list

    return answer_list(request, content)


def _overrides(request: Mapping[str, Any], content: bytes) -> Said:
    from paperchute.jobs.lists import answer_overrides

    return answer_overrides(request, content)


def _neighbours(request: Mapping[str, Any], content: bytes) -> Said:
    from paperchute.service.html_assets import answer_neighbours

    return answer_neighbours(request, content)


def _thumbnail(request: Mapping[str, Any], content: bytes) -> Said:
    from paperchute.app.thumbnails import answer_thumbnail

    return answer_thumbnail(request, content)


def _result_text(request: Mapping[str, Any], content: bytes) -> Said:
    from paperchute.app.result_text import answer_text

    return answer_text(request, content)


def _document_fields(request: Mapping[str, Any], content: bytes) -> Said:
    from paperchute.jobs.document_fields import answer_fields

    return answer_fields(request, content)


def _document_pages(request: Mapping[str, Any], content: bytes) -> Said:
    from paperchute.jobs.model_questions import answer_pages

    return answer_pages(request, content)


def _document_words(request: Mapping[str, Any], content: bytes) -> Said:
    from paperchute.app.sample_reading import answer_words

    return answer_words(request, content)


def _fingerprint_key(request: Mapping[str, Any], content: bytes) -> Said:
    from paperchute.jobs.likeness import answer_key

    return answer_key(request, content)


def _likeness(request: Mapping[str, Any], content: bytes) -> Said:
    from paperchute.jobs.likeness import answer_likeness

    return answer_likeness(request, content)


_ANSWERS = {
    "facts": _facts,
    "list": _list,
    "overrides": _overrides,
    "neighbours": _neighbours,
    "thumbnail": _thumbnail,
    "result text": _result_text,
    "document fields": _document_fields,
    "document pages": _document_pages,
    "document words": _document_words,
    "fingerprint key": _fingerprint_key,
    "likeness": _likeness,
}
"""Each imports what it needs when it is asked first, so that the process starts quickly."""


def _answered(request: Mapping[str, Any], content: bytes) -> Said:
    try:
        with speaking(request["language"]):
            return _ANSWERS[request["do"]](request, content)
    except PaperchuteError as error:
        return {"refused": (error.what, error.advice)}, b""
    except Exception as error:  # noqa: BLE001 - whatever a parser falls over is said, and ends one job
        return {"fault": type(error).__name__}, b""


def main() -> None:
    """Answer requests until there are no more.

    It reads whatever lies in a hot folder, and hot folders may be anywhere; it writes nothing and reaches nobody.
    """
    confine(Fence(read=(Path("/"),), memory=_MOST_MEMORY))
    while line := sys.stdin.buffer.readline():
        request = json.loads(line)
        content = sys.stdin.buffer.read(request["bytes"])
        bound(request.get("seconds", _MOST_SECONDS))
        said, made = _answered(request, content)
        sys.stdout.buffer.write(json.dumps({**said, "bytes": len(made)}).encode() + b"\n")
        sys.stdout.buffer.write(made)
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
