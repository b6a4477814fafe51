"""A PDF without its structure tags, the pages as they look."""

from __future__ import annotations

from pathlib import Path

import pikepdf

_MARKS = {"BMC", "BDC", "EMC", "MP", "DP"}


def has_tags(path: Path) -> bool:
    """Whether the document says what its parts are."""
    with pikepdf.open(path) as pdf:
        return "/StructTreeRoot" in pdf.Root


def strip(source: Path, target: Path) -> None:
    """`source` without the tree of structure, without marked content and what points to it.

    Layers are kept: their marks decide what is seen.
    """
    with pikepdf.open(source) as pdf:
        for key in ("/StructTreeRoot", "/MarkInfo", "/Outlines", "/Lang"):
            if key in pdf.Root:
                del pdf.Root[key]
        for page in pdf.pages:
            for key in ("/StructParents", "/Tabs"):
                if key in page.obj:
                    del page.obj[key]
            _unmark(pdf, page)
        for item in pdf.objects:
            if isinstance(item, pikepdf.Dictionary | pikepdf.Stream):
                for key in ("/StructParent", "/StructParents"):
                    if key in item:
                        del item[key]
        pdf.save(target)


def _unmark(pdf: pikepdf.Pdf, page: pikepdf.Page) -> None:
    kept = []
    layers = 0
    open_marks: list[bool] = []
    for instruction in pikepdf.parse_content_stream(page):
        operator = str(instruction.operator)
        if operator in ("BMC", "BDC"):
            layer = str(instruction.operands[0]) == "/OC"
            open_marks.append(layer)
            layers += layer
            if layer:
                kept.append(instruction)
        elif operator == "EMC":
            if open_marks and open_marks.pop():
                kept.append(instruction)
        elif operator not in _MARKS:
            kept.append(instruction)
    page.Contents = pdf.make_stream(pikepdf.unparse_content_stream(kept))
