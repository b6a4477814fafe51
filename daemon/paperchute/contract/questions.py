"""What an operation asks of a person: a record's own key `questions`, beside `warnings`.

An answer is an ordinary parameter of the operation: a page list, with which the call is made again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from paperchute.contract.values import PageListError, Value, parse_page_list, select_pages
from paperchute.language import _

NONE = "none"
"""The answer that names no page."""

AUTO = "auto"
"""Asks an operation to find the pages."""

_MOST = 5
"""Questions of one record: an operation has one at most."""

_MOST_PAGES = 5_000
"""Pages that one question tells of: a person looks at each."""

_MOST_COUNT = 1_000_000
_LONGEST = 300
"""Characters of a reason."""


@dataclass(frozen=True)
class PageAsked:
    """A page that a question is about, from 1, with what was seen of it. proposed: the answer is to name it."""

    page: int
    reason: str = ""
    proposed: bool = False


@dataclass(frozen=True)
class Question:
    """Which pages are to be named in a parameter.

    reason: why that is not sure. page_count: of the document that the call was given. most: how many pages the answer
    may name. any_page: it may name others than `pages`.
    """

    parameter: str
    reason: str
    page_count: int
    most: int
    pages: tuple[PageAsked, ...] = ()
    any_page: bool = False

    @property
    def proposed(self) -> str:
        """The answer that is proposed."""
        return page_list(one.page for one in self.pages if one.proposed)

    def accepted(self, text: str) -> str:
        """Return an answer as the parameter takes it. Raises ValueError, with what it should be in words, for none."""
        if text.strip().lower() == NONE:
            return NONE
        try:
            ranges = parse_page_list(text)
            named = {index + 1 for index in select_pages(text, self.page_count)}
        except PageListError as error:
            raise ValueError(str(error)) from None
        if not ranges or max(last for _first, last in ranges) > self.page_count:
            raise ValueError(_("pages such as 2,5-6, from 1 to {count}, or none", count=self.page_count))
        asked = {one.page for one in self.pages}
        if not self.any_page and not named <= asked:
            raise ValueError(_("some of the pages {pages}, or none", pages=page_list(asked)))
        if len(named) > self.most:
            raise ValueError(_("{most} pages at most: a document keeps at least one", most=self.most))
        return page_list(named)

    def as_json(self) -> dict[str, Any]:
        """The question in a record."""
        return {
            "parameter": self.parameter,
            "reason": self.reason,
            "pageCount": self.page_count,
            "mostPages": self.most,
            "anyPage": self.any_page,
            "pages": [{"page": one.page, "reason": one.reason, "proposed": one.proposed} for one in self.pages],
        }


def asked_by(operation: str, parameters: Mapping[str, Value]) -> str:
    """Name the parameter by which an operation may ask a person; empty where it asks nobody.

    parameters: of the call; absent ones stand at the contract's default.
    """
    match operation:
        case "scan" if parameters.get("blankPages", "remove") == "remove":
            return "" if parameters.get("removePages") or parameters.get("sure") == "take" else "removePages"
        case "pdf-split" if str(parameters.get("firstPages", "")).strip().lower() == AUTO:
            return "firstPages"
        case _:
            return ""


def why_no_pages(name: str, text: str, *words: str) -> str:
    """Say why a text is neither a page list that names some pages nor one of the words; empty where it is one."""
    plain = text.strip().lower()
    if not plain or plain in words:
        return ""
    try:
        named = bool(parse_page_list(plain))
    except PageListError as error:
        return f"{name}: {error}"
    return "" if named else _("{name} takes pages such as 2,5-6, or {words}", name=name, words=", ".join(words))


def page_list(pages: Iterable[int]) -> str:
    """`1,4,7-9`; `none` of no pages."""
    spans: list[list[int]] = []
    for page in sorted(set(pages)):
        if spans and page == spans[-1][1] + 1:
            spans[-1][1] = page
        else:
            spans.append([page, page])
    return ",".join(f"{first}-{last}" if last > first else f"{first}" for first, last in spans) or NONE


def questions_from(value: object) -> tuple[Question, ...]:
    """The questions that an answer holds, as far as they are well-formed: a foreign service may stand behind it."""
    if not isinstance(value, list | tuple):
        return ()
    found = (_question(one) for one in value[:_MOST] if isinstance(one, Mapping))
    return tuple(one for one in found if one is not None)


def _question(raw: Mapping[str, Any]) -> Question | None:
    parameter, count, most = raw.get("parameter"), _number(raw.get("pageCount")), _number(raw.get("mostPages"))
    pages = raw.get("pages")
    if not isinstance(parameter, str) or not parameter.isidentifier() or not isinstance(pages, list | tuple):
        return None
    found = [
        PageAsked(page, _short(one.get("reason")), one.get("proposed") is True)
        for one in pages[:_MOST_PAGES]
        if isinstance(one, Mapping) and 0 < (page := _number(one.get("page"))) <= count
    ]
    return Question(
        parameter[:_LONGEST], _short(raw.get("reason")), count, most, tuple(found), raw.get("anyPage") is True
    )


def _number(value: object) -> int:
    return value if type(value) is int and 0 <= value <= _MOST_COUNT else 0


def _short(value: object) -> str:
    return " ".join(value.split())[:_LONGEST] if isinstance(value, str) else ""
