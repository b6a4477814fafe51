"""Taking things out of a page's content: text that was laid over it invisibly before, pictures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pikepdf
from pikepdf import Dictionary, Name, Object, Pdf

_SHOWING = frozenset({"Tj", "TJ", "'", '"'})
_INVISIBLE = 3
_DEEPEST = 12


def strip(pdf: Pdf, page: pikepdf.Page, *, hidden_text: bool, images: bool) -> None:
    """Take invisible text, images or both out of a page and the forms that it draws.

    Content that cannot be read as operators stays as it is.
    """
    for owner in _owners(page.obj):
        changed = _without(owner, hidden_text=hidden_text, images=images)
        if changed is None:
            continue
        if not isinstance(owner, pikepdf.Stream):
            page.obj.Contents = pdf.make_stream(changed)
        else:
            owner.write(changed)


def _owners(page: Object) -> Iterator[Object]:
    """The page and the form XObjects below it, each once."""
    yield page
    seen: set[tuple[int, int]] = set()
    stack = [(page, 0)]
    while stack:
        owner, depth = stack.pop()
        forms = _resources(owner).get(Name.XObject)
        if not isinstance(forms, Dictionary) or depth > _DEEPEST:
            continue
        for _, form in forms.items():
            if _kind(form) == Name.Form and form.objgen not in seen:
                seen.add(form.objgen)
                yield form
                stack.append((form, depth + 1))


def _resources(owner: Object) -> Object:
    found = owner.get(Name.Resources)
    return found if isinstance(found, Dictionary) else Dictionary()


def _kind(item: Any) -> Object | None:
    return item.get(Name.Subtype) if isinstance(item, pikepdf.Stream) else None


def _without(owner: Object, *, hidden_text: bool, images: bool) -> bytes | None:
    """The content without them, None when there is nothing to take out."""
    try:
        operators = pikepdf.parse_content_stream(owner)
    except (pikepdf.PdfError, TypeError, ValueError):
        return None
    drawn = _resources(owner).get(Name.XObject)
    kept: list[Any] = []
    mode, stack = 0, [0]
    for operator in operators:
        name = str(operator.operator)
        if name == "q":
            stack.append(mode)
        elif name == "Q" and len(stack) > 1:
            mode = stack.pop()
        elif name == "Tr":
            mode = int(operator.operands[0]) if operator.operands else 0
        if hidden_text and mode == _INVISIBLE and name in _SHOWING:
            if name in ("'", '"'):
                kept.append(pikepdf.ContentStreamInstruction([], pikepdf.Operator("T*")))
            continue
        if images and (name == "INLINE IMAGE" or (name == "Do" and _is_image(drawn, operator.operands))):
            continue
        kept.append(operator)
    return pikepdf.unparse_content_stream(kept) if len(kept) < len(operators) else None


def _is_image(drawn: Object | None, operands: Any) -> bool:
    if not isinstance(drawn, Dictionary) or not operands:
        return False
    return _kind(drawn.get(operands[0])) == Name.Image
