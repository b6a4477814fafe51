"""Taking pages of one PDF into another with what belongs to them: links, outlines, names, forms, layers, files.

qpdf copies a page without the other pages it refers to, and resolves such a reference only when the other page has
been copied before. So pages come first, bare of annotations; annotations and outlines after them.
"""

from __future__ import annotations

from collections.abc import Sequence

import pikepdf
from pikepdf import Array, Dictionary, Name, Object, Pdf

from paperchute.engine.pdf import forms, labels, layers
from paperchute.engine.pdf.destinations import Destinations
from paperchute.engine.pdf.outlines import append_outline, prune_outline


def keep_pages(pdf: Pdf, pages: Sequence[int]) -> None:
    """Leave only these pages (0-based, in this order, repeats allowed), and nothing that points to the others."""
    if list(pages) == list(range(len(pdf.pages))):
        return
    kept_labels = labels.read(pdf)
    chosen = [pdf.pages[index] for index in pages]
    seen: set[tuple[int, int]] = set()
    for position, page in enumerate(chosen):
        if page.obj.objgen in seen:
            chosen[position] = pikepdf.Page(
                pdf.make_indirect(Dictionary({k: page.obj[k] for k in list(page.obj.keys())}))
            )
        seen.add(page.obj.objgen)
    del pdf.pages[:]
    pdf.pages.extend(chosen)
    labels.write(pdf, [kept_labels[index] for index in pages] if kept_labels else None)
    prune_outline(pdf)
    forms.prune(pdf)


def insert_pages(target: Pdf, source: Pdf, pages: Sequence[int], at: int) -> None:
    """Copy `pages` of `source` (0-based, in this order) into `target` so that the first gets index `at`.

    `source` is changed and of no further use but to be kept open until `target` is saved.
    """
    target_labels, source_labels = labels.read(target), labels.read(source)
    count = len(target.pages)
    destinations = Destinations(source)
    annotations = [_take_annotations(source, source.pages[index], destinations) for index in pages]
    copies: list[pikepdf.Page] = []
    for offset, index in enumerate(pages):
        target.pages.insert(at + offset, source.pages[index])
        page = target.pages[at + offset]
        # Numbers into the source's structure tree would point into the target's.
        if Name.StructParents in page.obj:
            del page.obj.StructParents
        copies.append(page)
    fields = forms.Importer(target, source)
    for page, notes in zip(copies, annotations, strict=True):
        if notes:
            page.obj.Annots = Array([_copy_annotation(target, page, note) for note in notes])
            fields.take(page)
    fields.finish()
    destinations.copy_names(target)
    append_outline(target, source, destinations)
    layers.append(target, source)
    _copy_attachments(target, source)
    if target_labels or source_labels:
        before = target_labels or labels.plain(count)
        after = source_labels or labels.plain(len(source.pages))
        labels.write(target, [*before[:at], *(after[index] for index in pages), *before[at:]])


def _take_annotations(source: Pdf, page: pikepdf.Page, destinations: Destinations) -> list[Object]:
    """The page's annotations, indirect and with explicit destinations; the page itself is left without them."""
    found = page.obj.get(Name.Annots)
    if not isinstance(found, Array):
        return []
    notes: list[Object] = [
        note if note.is_indirect else source.make_indirect(note) for note in found if isinstance(note, Dictionary)
    ]
    for note in notes:
        destinations.make_explicit(note)
    if Name.Annots in page.obj:
        del page.obj.Annots
    return notes


def _copy_annotation(target: Pdf, page: pikepdf.Page, note: Object) -> Object:
    copy = target.copy_foreign(note)
    copy.P = page.obj
    if Name.StructParent in copy:
        del copy.StructParent
    return copy


def _copy_attachments(target: Pdf, source: Pdf) -> None:
    for name, spec in source.attachments.items():
        free, number = name, 2
        while free in target.attachments:
            free = f"{name} ({number})"
            number += 1
        file = spec.get_file()
        target.attachments[free] = pikepdf.AttachedFileSpec(
            target,
            file.read_bytes(),
            filename=spec.filename or name,
            description=spec.description,
            mime_type=file.mime_type,
            creation_date="",
            mod_date="",
        )
