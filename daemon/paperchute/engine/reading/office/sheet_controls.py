"""Fields of a form that stand on a sheet: boxes to tick, buttons, labels (VML: ECMA-376 part 4, 19.4)."""

from __future__ import annotations

import mimetypes
import re
import zipfile
from dataclasses import dataclass
from typing import Any

from lxml import etree

from paperchute.engine.reading.office.left_out import LeftOut
from paperchute.engine.reading.office.markup import picture
from paperchute.engine.reading.office.package import Relationship, relationships

_EXCEL = "{urn:schemas-microsoft-com:office:excel}"
_VML = "{urn:schemas-microsoft-com:vml}"
_RELATION = "{urn:schemas-microsoft-com:office:office}relid"
_LINE_END = re.compile(rb"<br\s*/?>", re.IGNORECASE)  # as HTML has it, without an end
_TICKED = {"Checkbox": "☐☒", "Radio": "○●"}
_LISTS = frozenset({"Drop", "List", "Spin", "Scroll"})
"""What they show stands in a cell, as a number."""


@dataclass(frozen=True, slots=True)
class Control:
    """A field. mark: its state, as it is ticked or not. picture: as HTML, of an object of another program."""

    label: str
    mark: str = ""
    picture: str = ""


def controls_of(archive: zipfile.ZipFile, part: str, left: LeftOut) -> list[Control]:
    """Read the fields of a drawing of the old kind; comments, which it holds too, are told elsewhere."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, recover=True)
    try:
        root = etree.fromstring(_LINE_END.sub(b" ", archive.read(part)), parser)
    except (KeyError, etree.XMLSyntaxError):
        root = None
    if root is None:
        left.unread_drawing()
        return []
    named = relationships(archive, part)
    found = (_control(shape, archive, named, left) for shape in root.iter(f"{_VML}shape"))
    return [control for control in found if control is not None]


def _control(shape: Any, archive: zipfile.ZipFile, named: dict[str, Relationship], left: LeftOut) -> Control | None:
    data = shape.find(f"{_EXCEL}ClientData")
    kind = data.get("ObjectType", "") if data is not None else "Note"
    if kind == "Note":
        return None
    shown = ""
    for image in shape.iter(f"{_VML}imagedata"):
        relation = named.get(image.get(_RELATION, ""))
        if relation is None or relation.target not in archive.namelist():
            left.lost_picture()
            continue
        made = picture(archive.read(relation.target), mimetypes.guess_type(relation.target)[0] or "")
        if not made:
            left.unread_picture()
        shown += made
    box = shape.find(f"{_VML}textbox")
    label = " ".join("".join(box.itertext()).split()) if box is not None else ""
    if kind in _TICKED:
        return Control(label, _TICKED[kind][data.findtext(f"{_EXCEL}Checked", "0").strip() not in ("", "0")])
    if kind in _LISTS or (kind == "Pict" and not shown):
        left.unread_drawing()
    return Control(label, "", shown) if label or shown else None
