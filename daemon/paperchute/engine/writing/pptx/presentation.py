"""A document of the model as a presentation: a slide a page."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Any, Final

import pptx
from pptx.presentation import Presentation
from pptx.util import Pt

from paperchute.contract import told_of_pages
from paperchute.engine import report
from paperchute.engine.document.model import Facts, Page
from paperchute.engine.writing.office.pages import fitted, scaled, with_seen_words
from paperchute.engine.writing.office.styles import Looks
from paperchute.engine.writing.pptx.slides import Slides
from paperchute.language import _

_BLANK: Final = 6
"""The layout of python-pptx's template without placeholders."""
_LEAST: Final = 72.0
"""Points: an inch, the shortest side of a slide (ECMA-376 part 1, 19.7.17)."""
_SAME: Final = 1.0
"""Points by which a page may be of another size and still be the slide's."""


def write_pptx(facts: Facts, pages: Iterable[Page], path: Path, *, boxed: bool) -> Path:
    """Write the pages, and return the path.

    All slides of a presentation are of one size, the first page's; others are made to fit, which is told.

    boxed: keep every printed line for itself; else the lines of a block reflow in its box. Raises OSError.
    """
    presentation = _empty(facts)
    walk = iter(pages)
    first = next(walk, None)
    looks = Looks.of(facts, first)
    slides = Slides(looks.family, boxed=boxed)
    other: list[int] = []
    size = (0.0, 0.0)
    for page in chain([first] if first is not None else [], walk):
        shown = with_seen_words(fitted(page))
        if not size[0]:
            size = max(shown.width, _LEAST), max(shown.height, _LEAST)
            presentation.slide_width, presentation.slide_height = Pt(size[0]), Pt(size[1])
        elif abs(shown.width - size[0]) > _SAME or abs(shown.height - size[1]) > _SAME:
            other.append(page.number)
            shown = scaled(shown, min(size[0] / shown.width, size[1] / shown.height))
        slides.add(presentation.slides.add_slide(presentation.slide_layouts[_BLANK]), shown)
    if other:
        report.warn(
            _(
                "All slides of a presentation have one size. Made to fit that of the first page: {pages}.",
                pages=told_of_pages(other),
            )
        )
    presentation.save(str(path))
    return path


def _empty(facts: Facts) -> Presentation:
    """A presentation without slides, and without what python-pptx's template brings along."""
    presentation = pptx.Presentation()
    package: Any = presentation.part.package
    for key, relation in list(package._rels.items()):
        if relation.reltype.endswith("/thumbnail"):
            package._rels.pop(key)
    for key, relation in list(presentation.part.rels.items()):
        if relation.reltype.endswith("/printerSettings"):
            presentation.part.rels.pop(key)
    properties = presentation.core_properties
    properties.title, properties.language = facts.title[:255], facts.spoken
    for name in ("author", "comments", "keywords", "subject", "last_modified_by"):
        setattr(properties, name, "")
    properties.created = properties.modified = datetime.now(UTC).replace(tzinfo=None)
    properties.revision = 1
    return presentation
