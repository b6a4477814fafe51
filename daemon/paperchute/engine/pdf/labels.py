"""Page labels (ISO 32000-1, 12.4.2) as one entry a page, and back into ranges."""

from __future__ import annotations

from dataclasses import dataclass

from pikepdf import Dictionary, Name, Object, Pdf, String

from paperchute.engine.pdf.trees import read_numbers, whole, write_numbers


@dataclass(frozen=True)
class Label:
    """style: the name of a numbering style such as /D, or None for a prefix alone. number: this page's own."""

    style: str | None
    prefix: str
    number: int


def plain(count: int) -> list[Label]:
    """What a document without labels shows: 1, 2, 3, ..."""
    return [Label("/D", "", number + 1) for number in range(count)]


def read(pdf: Pdf) -> list[Label] | None:
    """The label of each page, or None when the document has none."""
    tree = pdf.Root.get(Name.PageLabels)
    if not isinstance(tree, Dictionary):
        return None
    ranges = {start: value for start, value in read_numbers(tree).items() if isinstance(value, Dictionary)}
    labels: list[Label] = []
    style, prefix, first, begun = "/D", "", 1, 0  # type: str | None, str, int, int
    for index in range(len(pdf.pages)):
        found = ranges.get(index)
        if found is not None:
            style = str(found.S) if Name.S in found else None
            prefix = str(found.get(Name.P, ""))
            first, begun = whole(found.get(Name.St), 1), index
        labels.append(Label(style, prefix, first + index - begun))
    return labels


def write(pdf: Pdf, labels: list[Label] | None) -> None:
    """Give the document these labels, one a page; None removes them."""
    if labels is None:
        if Name.PageLabels in pdf.Root:
            del pdf.Root.PageLabels
        return
    ranges: dict[int, Object] = {}
    before: Label | None = None
    for index, label in enumerate(labels):
        goes_on = (
            before is not None
            and (label.style, label.prefix) == (before.style, before.prefix)
            and (label.style is None or label.number == before.number + 1)
        )
        if not goes_on:
            entry = Dictionary(St=label.number)
            if label.style is not None:
                entry.S = Name(label.style)
            if label.prefix:
                entry.P = String(label.prefix)
            ranges[index] = entry
        before = label
    pdf.Root.PageLabels = write_numbers(pdf, ranges)
