"""What an office file says and no page of it has here: told, so that nothing of it goes in silence."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

from paperchute.engine.work import Work
from paperchute.language import N_, _

_DRAWN = re.compile(r"(?:word|xl|ppt)/(?:charts/chart\d*|diagrams/data\d*)\.xml")
_ASIDE = (
    (re.compile(r"ppt/notesSlides/notesSlide\d+\.xml"), N_("speaker notes")),
    (re.compile(r"word/(?:header|footer)\d*\.xml"), N_("headers and footers")),
    (re.compile(r"(?:word/comments|xl/comments/?\w*|ppt/comments/\w+)\.xml"), N_("comments")),
    (re.compile(r"xl/drawings/drawing\d+\.xml"), N_("text boxes")),
)
_TEXT = re.compile(rb"<(?:w:|a:|c:)?(?:t|v)(?: [^<>]*)?>([^<>]*[^\s<>0-9][^<>]*)<")
"""What is no number alone: footers and notes hold that of their page."""
_HIDDEN_SHEET = re.compile(rb'<sheet [^<>]*state="(?:veryH|h)idden"')


def tell_of_left_out(path: Path, work: Work) -> None:
    """Warn of charts and diagrams, whose words people see; note what stands beside the pages."""
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        said = [
            _(kind)
            for pattern, kind in _ASIDE
            if any(pattern.fullmatch(name) and _TEXT.search(archive.read(name)) for name in names)
        ]
        if "xl/workbook.xml" in names and _HIDDEN_SHEET.search(archive.read("xl/workbook.xml")):
            said.append(_("hidden sheets"))
    name = work.sources[0].name
    if any(_DRAWN.fullmatch(part) for part in names):
        work.warn(_("{name} has charts or diagrams, which are not read: their words are not in the result.", name=name))
    if said:
        work.note(_("Left out of {name}: {what}.", name=name, what=", ".join(said)))
