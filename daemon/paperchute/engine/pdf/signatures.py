"""Signatures (ISO 32000-1, 12.8): a document that is joined or changed is no longer what was signed.

What would show as a broken signature becomes what it still is, a picture of one: a stamp that says whose it was. The
promise not to change the document, and the proofs kept for the signature, go with it.
"""

from __future__ import annotations

from collections.abc import Iterable

from loguru import logger
from pikepdf import Array, Dictionary, Name, Object, Pdf, String

from paperchute.engine import report
from paperchute.engine.pdf.trees import entry, fields_of, whole
from paperchute.language import _

_MOST_DEPTH = 64
_MOST_NAMED, _LONGEST_NAME = 3, 60  # so that the sentence stays one line
_STAYS = frozenset({"/Type", "/Rect", "/P", "/AP", "/AS", "/F", "/NM", "/M", "/Border", "/C", "/OC"})
_LOCKED = 128 | 4  # annotation flags: locked, printed


def say_void(pdf: Pdf, name: str) -> None:
    """Warn that the signatures of a document, which may certify it (12.8.2.2), do not hold in a changed one."""
    found = [field.V for field in fields_of(pdf.Root.get(Name.AcroForm)) if _is_signed(field)]
    proofs = pdf.Root.get(Name.Perms)
    certified = isinstance(proofs, Dictionary) and isinstance(proofs.get(Name.DocMDP), Dictionary)
    if not found and not certified:
        return
    signers = dict.fromkeys(_printable(signature.get(Name.Name)) for signature in found)
    by = ", ".join([signer for signer in signers if signer][:_MOST_NAMED])
    if certified:
        said = _("{name} was certified by {by}.", name=name, by=by) if by else _("{name} was certified.", name=name)
    else:
        said = _("{name} was signed by {by}.", name=name, by=by) if by else _("{name} was signed.", name=name)
    void = _("This does not hold for the result, which is changed: keep the original as proof.")
    report.warn(f"{said} {void}")


def _printable(text: Object | None) -> str:
    """A short text of a document for people to read."""
    plain = "".join(letter for letter in str(text or "") if letter.isprintable())
    return plain.strip()[:_LONGEST_NAME]


def retire(form: Object, pages: Iterable[Object]) -> None:
    """Take the signatures out of a form; the pages' annotations that showed them become stamps."""
    signed = {field.objgen: field for field in fields_of(form) if _is_signed(field)}
    if not signed:
        return
    for page in pages:
        notes = entry(page, "/Annots")
        if isinstance(notes, Array):
            kept = [note for note in notes if not _retired(note, signed)]
            if len(kept) < len(notes):
                page.Annots = Array(kept)
    _without(form, Name.Fields, signed)
    for field in fields_of(form):
        _without(field, Name.Kids, signed)
    logger.info("{} signatures became stamps, since the document they signed is changed", len(signed))


def _is_signed(field: Object) -> bool:
    return isinstance(entry(field, "/V"), Dictionary) and _kind(field) == Name.Sig


def _kind(field: Object) -> Object | None:
    node: Object | None = field
    depth = 0
    while isinstance(node, Dictionary) and depth < _MOST_DEPTH:
        if Name.FT in node:
            return node.FT
        node, depth = node.get(Name.Parent), depth + 1
    return None


def _retired(note: object, signed: dict[tuple[int, int], Object]) -> bool:
    """Tell whether an annotation goes altogether, as that of an invisible signature; one that shows becomes a stamp."""
    if not isinstance(note, Dictionary) or note.get(Name.Subtype) != Name.Widget:
        return False
    parent = note.get(Name.Parent)
    field = signed.get(note.objgen)
    if field is None and isinstance(parent, Dictionary):
        field = signed.get(parent.objgen)
    if field is None:
        return False
    if Name.AP not in note:
        return True
    words = _words(field.V)
    for key in list(note.keys()):
        if key not in _STAYS:
            del note[key]
    note.Subtype = Name.Stamp
    note.Contents = String(words)
    note.F = whole(note.get(Name.F)) | _LOCKED
    return False


def _words(signature: Object) -> str:
    name = str(signature.get(Name.Name, "")).strip()
    date = str(signature.get(Name.M, "")).removeprefix("D:")
    day = f"{date[:4]}-{date[4:6]}-{date[6:8]}" if date[:8].isdigit() and len(date) >= 8 else ""
    by = f" by {name}" if name else ""
    on = f" on {day}" if day else ""
    return f"Signed{by}{on} in the document that this page comes from. The signature itself does not hold here."


def _without(owner: Object, key: Name, signed: dict[tuple[int, int], Object]) -> None:
    found = owner.get(key)
    if isinstance(found, Array):
        owner[key] = Array([item for item in found if not isinstance(item, Dictionary) or item.objgen not in signed])
