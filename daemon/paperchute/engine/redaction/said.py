"""What tags say in place of what they mark (ISO 32000-1, 14.9), where some of that went."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

import pikepdf
from pikepdf import Array, Dictionary, Name, Object, Pdf, Stream

from paperchute.engine.pdf.document import FAULTS

_SAID = ("/Alt", "/ActualText", "/E", "/T")
_DEEPEST = 200
"""Tags within tags, as in `engine/pdf/tags.py`: a bound for those that hold themselves."""


def marked(page: pikepdf.Page) -> dict[int, bytes] | None:
    """Return what a page's content has under each mark that tags know it by; None where it cannot be read."""
    found: dict[int, bytes] = {}
    marks: list[int | None] = []
    try:
        known = page.resources.get("/Properties", Dictionary())
        for one in pikepdf.parse_content_stream(page):
            operands: list[Any] = list(one.operands)
            name = str(one.operator)
            if name in ("BDC", "BMC"):
                facts: Any = operands[1] if len(operands) > 1 else None
                facts = known.get(facts) if isinstance(facts, Name) else facts
                number: Any = facts.get(Name.MCID) if isinstance(facts, Dictionary) else None
                marks.append(number if isinstance(number, int) else None)
            elif name == "EMC":
                del marks[-1:]
            elif name in ("Tj", "TJ", "Do", "INLINE IMAGE"):
                for mark in marks:
                    if mark is not None:
                        found[mark] = found.get(mark, b"") + pikepdf.unparse_content_stream([one])
    except FAULTS:
        return None
    return found


def forget_marked(pdf: Pdf, page: Object, marks: Collection[int] | None) -> None:
    """Take out what tags say in place of these marks of a page, or of all."""
    for item in [*reachable(pdf)]:
        if not isinstance(item, Dictionary) or Name.K not in item or Name.S not in item:
            continue
        for kid in list(item.K) if isinstance(item.K, Array) else [item.K]:
            owner = kid if isinstance(kid, Dictionary) and Name.Pg in kid else item
            mark = kid.get(Name.MCID) if isinstance(kid, Dictionary) else kid
            shown = owner.get(Name.Pg)
            is_here = isinstance(shown, Dictionary) and shown.objgen == page.objgen
            if is_here and isinstance(mark, int) and (marks is None or mark in marks):
                forget_said(item)


def forget_said(tag: Object) -> None:
    """Take out what a tag says, and those that it is part of."""
    at: object = tag
    for _ in range(_DEEPEST):
        if not isinstance(at, Dictionary):
            return
        for key in _SAID:
            if key in at:
                del at[key]
        at = at.get(Name.P)


def reachable(pdf: Pdf) -> Iterator[Object]:
    """All that a reader comes to from the trailer."""
    stack: list[object] = [pdf.trailer]
    seen: set[tuple[int, int]] = set()
    while stack:
        item = stack.pop()
        if not isinstance(item, Dictionary | Stream | Array):
            continue
        if item.is_indirect:
            if item.objgen in seen:
                continue
            seen.add(item.objgen)
        yield item
        try:
            stack += list(item) if isinstance(item, Array) else [item[key] for key in list(item.keys())]
        except FAULTS:
            continue
