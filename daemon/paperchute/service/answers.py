"""Reading the service's answers, with every tolerance of the contract. Pure: bytes in, a verdict out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from paperchute.contract import contract
from paperchute.contract.questions import Question, questions_from
from paperchute.contract.words import word_counts
from paperchute.language import _
from paperchute.redaction import bounded, masked_all

_MASK = "***"
LONGEST_REASON = 500  # letters: a sentence for people
_LONGEST_CODE = 60  # the contract's have 5 digits
_LONGEST_ID = 200  # a UUID has 36
_LONGEST_NAME = 1000  # of a file; what no file system takes is shortened later
_MOST_RECORDS = 1000  # a call makes one for each of its files
_LONGEST_KEPT = 1 << 16  # bytes; a good answer has 2 KB
_MOST_DIGITS = 18  # as many always fit into 64 bits, which is what SQLite stores
_MOST_PIECES = 5_000_000  # a parsed document of some thousand pages, as the answer itself; at most 400 MB as a value
_MOST_PAGES = 1_000_000_000
_MOST_WARNINGS = 20  # what our engine gives at most (engine/report.py)
_WARNING_LETTERS = 500  # a sentence; whatever is longer is none


@dataclass(frozen=True)
class Verdict:
    """What an answer says.

    done: `download_url` is set, or `body` holds the result itself. pending: ask again by `task_id`. failed: the file
    could not be processed (`code`, `reason`). refused: the request was wrong, or the service is in trouble; with
    `unreadable` nobody can say which.
    """

    kind: Literal["done", "pending", "failed", "refused"]
    task_id: str = ""
    download_url: str = ""
    file_name: str = ""
    size: int | None = None
    code: str = ""
    reason: str = ""
    body: bool = False
    unreadable: bool = False
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    words: Mapping[str, int] = field(default_factory=dict)
    pages: int = 0
    questions: tuple[Question, ...] = ()


def read_answer(status: int, content: bytes) -> Verdict:
    """An answer of the processing interface (docs/contract.md#answers). status: HTTP."""
    try:
        value = loaded(content)
    except ValueError:
        return Verdict("refused", reason=_("HTTP {status} without a readable answer", status=status), unreadable=True)
    if not isinstance(value, dict):
        return Verdict("refused", reason=_("HTTP {status} with an answer that is not an object", status=status))
    if 200 <= status < 300 and isinstance(value.get("result"), dict) and "data" not in value:
        return Verdict("done", body=True, file_name="result.json")
    code = _code(value.get("code")) or _code(value.get("errorCode")) or _code(value.get("error_code"))
    if not 200 <= status < 300 or code != "200":
        named = _code(value.get("errorCode")) or _code(value.get("error_code"))
        return Verdict("refused", code=code, reason=_message(value) or named or f"HTTP {status}")
    return _read_data(value.get("data"))


def loaded(content: bytes) -> Any:
    """A foreign JSON text as a value. Raises ValueError for one that is broken, too deep, or of too many pieces."""
    if sum(content.count(mark) for mark in (b",", b":", b"[", b"{")) > _MOST_PIECES:
        raise ValueError(_("too many values"))
    try:
        return json.loads(content, parse_int=lambda digits: int(digits) if len(digits) <= _MOST_DIGITS else digits)
    except RecursionError as error:
        raise ValueError(_("nested too deeply")) from error


def identifier(value: Any) -> str:
    """The id of a task or the like, as it is to be told to the service again; empty where that is none."""
    text = _text(value)
    return text if len(text) <= _LONGEST_ID and text.isprintable() else ""


def read_data(status: int, content: bytes) -> dict[str, Any] | None:
    """The `data` object of a good answer; None for any other."""
    try:
        value = loaded(content)
    except ValueError:
        return None
    if not isinstance(value, dict) or not 200 <= status < 300 or _text(value.get("code")) != "200":
        return None
    data = value.get("data")
    return data if isinstance(data, dict) else None


def read_pages(content: bytes) -> tuple[int, int] | None:
    """Return how many pages of a task are done, and how many there are, where a service says so as our engine does."""
    data = read_data(200, content) or {}
    done, total = data.get("pagesDone"), data.get("pagesTotal")
    if type(done) is int and type(total) is int and 0 <= done <= total and total > 0:
        return done, total
    return None


def _read_data(data: Any) -> Verdict:
    if isinstance(data, list):
        records = [_read_record(r) for r in data[:_MOST_RECORDS] if isinstance(r, dict)]
        return _worst(records) if records else Verdict("refused", reason=_("an answer without a record"))
    if not isinstance(data, dict):
        return Verdict("refused", reason=_("an answer without a record"))
    if isinstance(data.get("fileInfoDTOList"), list):
        return _read_task(data)
    return _read_record(data)


def _read_task(task: Mapping[str, Any]) -> Verdict:
    task_id = identifier(task.get("taskId"))
    state = _state(_code(task.get("taskStatus")))
    if state == "expired":
        return Verdict("failed", task_id, code="05003", reason=_("the task waited too long and was dropped"))
    records = [_read_record(r) for r in task["fileInfoDTOList"][:_MOST_RECORDS] if isinstance(r, dict)]
    if not records or (state in ("running", "queued") and all(r.kind == "pending" for r in records)):
        return Verdict("pending", task_id)
    found = _worst(records)
    return found if found.task_id else Verdict(**{**vars(found), "task_id": task_id})


def _read_record(record: Mapping[str, Any]) -> Verdict:
    task_id = identifier(record.get("taskId"))
    word = _code(record.get("status"))
    state = _state(word)
    code, reason = _code(record.get("failureCode")), bounded(_text(record.get("failureReason")), LONGEST_REASON)
    if state == "failed":
        return Verdict("failed", task_id, code=code, reason=reason or _("no reason given"))
    if state == "expired":
        return Verdict("failed", task_id, code=code or "05004", reason=reason or _("the result has expired"))
    url = _text(record.get("downloadUrl"))
    if state == "done" and url:
        return Verdict(
            "done",
            task_id,
            url,
            _text(record.get("downFileName"))[:_LONGEST_NAME],
            _size(record.get("convertSize")),
            warnings=_sentences(record.get("warnings")),
            notes=_sentences(record.get("notes")),
            words=word_counts(record.get("words")),
            pages=min(_size(record.get("pages")) or 0, _MOST_PAGES),
            questions=questions_from(record.get("questions")),
        )
    if not task_id:
        return Verdict("refused", reason=_("an answer with the status {word}, no address and no task", word=repr(word)))
    return Verdict("pending", task_id, reason=word)


def _worst(records: list[Verdict]) -> Verdict:
    """Of several records the first that is not done; all done: the first (a merge answers with one)."""
    return next((r for r in records if r.kind != "done"), records[0])


def _state(word: str) -> str:
    for row in contract().raw["status"]["client_map"]:
        if word in row["any_of"]:
            return str(row["to"])
    lowered = word.lower()
    for row in contract().raw["status"]["client_map"]:
        if lowered in (known.lower() for known in row["any_of"]):
            return str(row["to"])
    return "running"


def masked(content: bytes) -> str:
    """The answer as JSON text for the journal: passwords masked, the submitted parameters dropped.

    Empty where it is far longer than an answer should be.
    """
    if len(content) > _LONGEST_KEPT:
        return ""
    try:
        return json.dumps(masked_all(_mask(loaded(content))))
    except (ValueError, RecursionError):
        return ""


def _mask(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            name: _MASK if "password" in name.lower() and entry else _mask(entry)
            for name, entry in value.items()
            if name != "fileParameter"
        }
    if isinstance(value, list):
        return [_mask(entry) for entry in value]
    return value


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()  # what is no text cannot be sent, stored or shown
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else ""


def _message(value: Mapping[str, Any]) -> str:
    words = _text(value.get("msg")) or _text(value.get("message")) or _text(value.get("detail"))
    return bounded(words, LONGEST_REASON)


def _code(value: Any) -> str:
    return bounded(_text(value), _LONGEST_CODE)


def _sentences(value: Any) -> tuple[str, ...]:
    """The record's key `warnings` or `notes`, our engine's own: sentences for people, each in one line.

    Whoever serves may say a password there, and the journal keeps the answer.
    """
    if not isinstance(value, list):
        return ()
    texts = (text for text in value[:_MOST_WARNINGS] if isinstance(text, str) and text.strip())
    return tuple(bounded(" ".join(text.split()), _WARNING_LETTERS) for text in texts)


def whole_number(value: Any) -> int | None:
    """A number of the wire, given as one or as text; None for what is none or is beyond all measure."""
    text = _text(value)
    digits = text.removeprefix("-")
    return int(text) if len(digits) <= _MOST_DIGITS and digits.isascii() and digits.isdigit() else None


def _size(value: Any) -> int | None:
    number = whole_number(value)
    return number if number and number > 0 else None
