"""Lines at the head or foot of pages: `{page}`, `{pages}` and `{number}`, as pdf-number and rules read them."""

from __future__ import annotations

import re

_PLACEHOLDER = re.compile(r"\{(page|pages|number)(?::(0?[1-9]?[0-9]))?\}")
_BATES = re.compile(r"\{bates((?::[^{}]*)?)\}")


def filled(template: str, page: int, pages: int, number: int) -> str:
    """Return the line of one page.

    Args:
        template: What `{page}`, `{pages}` and `{number}` stand in, `{number:06}` with six digits; all else stays.
        page: Of the document, from 1.
        pages: How many it has.
        number: What counts on from page to page.
    """
    values = {"page": page, "pages": pages, "number": number}
    return _PLACEHOLDER.sub(lambda match: f"{values[match[1]]:{match[2] or ''}}", template)


def counts_on(template: str) -> bool:
    """Decide whether a line counts on from file to file, as `{bates}` does in rules."""
    return _BATES.search(template) is not None


def counting_on(template: str) -> str:
    """Return the line of one file, in which `{number}` counts in the place of `{bates}`, from its own start."""
    return _BATES.sub(r"{number\1}", template)
