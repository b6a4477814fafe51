"""Office files made by hand, which say the same thing over and over in few bytes (ECMA-376)."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence

_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_ROOT = "application/vnd.openxmlformats-officedocument"
_MAIN = {
    "word/document.xml": "wordprocessingml.document.main",
    "xl/workbook.xml": "spreadsheetml.sheet.main",
    "ppt/presentation.xml": "presentationml.presentation.main",
}
_KINDS = {
    "worksheet": "spreadsheetml.worksheet",
    "sharedStrings": "spreadsheetml.sharedStrings",
    "styles": "spreadsheetml.styles",
    "footnotes": "wordprocessingml.footnotes",
    "slide": "presentationml.slide",
    "slideLayout": "presentationml.slideLayout",
    "slideMaster": "presentationml.slideMaster",
}
SPACES = (
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" '
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
    'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
)


def package(main: str, parts: Mapping[str, str], named: Mapping[str, Sequence[tuple[str, str]]]) -> bytes:
    """A package of `parts` by name. named: by part, what it refers to as r0, r1, ...: (kind, target) each."""
    types = {main: _MAIN[main]}
    all_parts = dict(parts)
    for part, targets in {"": [("officeDocument", main)], **named}.items():
        folder, _, file = part.rpartition("/")
        made = ""
        for number, (kind, target) in enumerate(targets):
            made += f'<Relationship Id="r{number}" Type="{_OFFICE}/{kind}" Target="{"/" if part else ""}{target}"/>'
            if kind in _KINDS:
                types[target] = _KINDS[kind]
        all_parts[f"{folder}/_rels/{file}.rels".lstrip("/")] = (
            f'<Relationships xmlns="{_PACKAGE}/relationships">{made}</Relationships>'
        )
    overrides = "".join(
        f'<Override PartName="/{part}" ContentType="{_ROOT}.{kind}+xml"/>' for part, kind in types.items()
    )
    all_parts["[Content_Types].xml"] = (
        f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels" ContentType="application/'
        'vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>'
        f"{overrides}</Types>"
    )
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content in all_parts.items():
            archive.writestr(name, content)
    return packed.getvalue()


def document(body: str, notes: str = "") -> bytes:
    """A Word document with this body. notes: its footnotes."""
    main = "word/document.xml"
    parts = {main: f"<w:document {SPACES}><w:body>{body}</w:body></w:document>"}
    if not notes:
        return package(main, parts, {})
    parts["word/footnotes.xml"] = f"<w:footnotes {SPACES}>{notes}</w:footnotes>"
    return package(main, parts, {main: [("footnotes", "word/footnotes.xml")]})


def workbook(sheet: str, times: int = 1, strings: str = "", styles: str = "") -> bytes:
    """A workbook that names one sheet so many times, with these shared strings and styles."""
    main, part = "xl/workbook.xml", "xl/worksheets/s.xml"
    sheets = "".join(f'<sheet name="s{number}" sheetId="{number + 1}" r:id="r0"/>' for number in range(times))
    parts = {
        main: f"<workbook {SPACES}><sheets>{sheets}</sheets></workbook>",
        part: f"<worksheet {SPACES}>{sheet}</worksheet>",
    }
    named = [("worksheet", part)]
    for kind, content, tag in (("sharedStrings", strings, "sst"), ("styles", styles, "styleSheet")):
        if content:
            parts[f"xl/{kind}.xml"] = f"<{tag} {SPACES}>{content}</{tag}>"
            named.append((kind, f"xl/{kind}.xml"))
    return package(main, parts, {main: named})


def presentation(shapes: str, times: int = 1) -> bytes:
    """A presentation that names one slide with these shapes so many times."""
    main, slide = "ppt/presentation.xml", "ppt/slides/s.xml"
    layout, master = "ppt/slideLayouts/l.xml", "ppt/slideMasters/m.xml"
    ids = "".join(f'<p:sldId id="{256 + number}" r:id="r0"/>' for number in range(times))
    parts = {
        main: f"<p:presentation {SPACES}><p:sldIdLst>{ids}</p:sldIdLst></p:presentation>",
        slide: f"<p:sld {SPACES}><p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:sld>",
        layout: f"<p:sldLayout {SPACES}><p:cSld><p:spTree/></p:cSld></p:sldLayout>",
        master: f"<p:sldMaster {SPACES}><p:cSld><p:spTree/></p:cSld></p:sldMaster>",
    }
    named = {main: [("slide", slide)], slide: [("slideLayout", layout)], layout: [("slideMaster", master)]}
    return package(main, parts, named)
