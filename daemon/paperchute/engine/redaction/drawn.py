"""Pictures and forms that nothing draws any more go, whoever shares the resources that name them (ISO 32000-1, 7.8.3).

What takes their place has other names on the pages; the old ones must not stay in the file beside them.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Iterator

import pikepdf
from pikepdf import Array, Dictionary, Name, Object, Pdf, Stream

from paperchute.engine.pdf.document import FAULTS
from paperchute.engine.redaction.said import forget_said, reachable

_DRAWS = re.compile(rb"/([^\s()<>\[\]{}/%]+)\s*Do\b")
_CODED = re.compile(r"#([0-9A-Fa-f]{2})")


def drop_undrawn(pdf: Pdf) -> None:
    """Leave in the resources of pages, forms, patterns and fonts what they draw, and no tag of anything else."""
    while _narrow(pdf):
        pass


def keeps_undrawn(pdf: Pdf, digests: Collection[bytes]) -> bool:
    """Decide whether one of these pictures is in the document though nothing draws it."""
    owners = [*_owners(pdf)] if digests else []
    drawn = {item.objgen for owner, used in owners for item in _drawn_by(owner, used)}
    return any(
        isinstance(item, Stream) and item.objgen not in drawn and digest_of(item) in digests
        for item in (reachable(pdf) if digests else ())
    )


def digest_of(stream: Stream) -> bytes:
    """Tell a stream by its data, as its number does not last."""
    try:
        return hashlib.sha256(stream.read_raw_bytes()).digest()
    except FAULTS:
        return b""


def drop_parts(pdf: Pdf, key: Name, is_gone: Callable[[Object], bool]) -> int:
    """Take parts out of the tags that hold them, where what they name by a key is gone, and what those tags say."""

    def goes(value: object) -> bool:
        return isinstance(value, Dictionary) and is_gone(value.get(key, Dictionary()))

    count = 0
    for item in [*reachable(pdf)]:
        if isinstance(item, Array) or Name.K not in item:
            continue
        kids = list(item.K) if isinstance(item.K, Array) else [item.K]
        kept = [kid for kid in kids if not goes(kid)]
        if len(kept) < len(kids):
            item.K = Array(kept)
            forget_said(item)
            count += 1
    return count


def _narrow(pdf: Pdf) -> bool:
    changed = False
    owners = [*_owners(pdf)]
    for owner, used in owners:
        known = owner.Resources.get(Name.XObject)
        if isinstance(known, Dictionary) and set(known.keys()) - used:
            owner.Resources = _with(owner.Resources, {name: known[name] for name in list(known.keys()) if name in used})
            changed = True
    drawn = {item.objgen for owner, used in owners for item in _drawn_by(owner, used)}

    def is_undrawn(item: Object) -> bool:
        is_shown = isinstance(item, Stream) and item.get(Name.Subtype) in (Name.Image, Name.Form)
        return is_shown and item.objgen not in drawn

    dropped = drop_parts(pdf, Name.Obj, is_undrawn) + drop_parts(pdf, Name.Stm, is_undrawn)
    return bool(dropped) or changed


def _with(resources: Object, drawn: dict[str, Object]) -> Dictionary:
    """A copy of resources, for they may be those of others too."""
    copy = Dictionary({key: resources[key] for key in list(resources.keys()) if key != "/XObject"})
    if drawn:
        copy.XObject = Dictionary(drawn)
    return copy


def _drawn_by(owner: Object, used: Collection[str]) -> Iterator[Stream]:
    known = owner.Resources.get(Name.XObject)
    if isinstance(known, Dictionary):
        yield from (item for name, item in known.items() if name in used and isinstance(item, Stream))


def _owners(pdf: Pdf) -> Iterator[tuple[Object, set[str]]]:
    """All that has resources, and the names of what its content draws; what pages inherit becomes their own."""
    for page in pdf.pages:
        if Name.Resources not in page.obj:
            page.obj.Resources = _inherited(page.obj)
    found: list[Object] = []
    bare: set[str] = set()  # drawn by content that has the resources of whatever draws it
    for item in reachable(pdf):
        if not isinstance(item, Dictionary | Stream):
            continue
        if isinstance(item.get(Name.Resources), Dictionary):
            if item.get(Name.Type) == Name.Pages:
                del item.Resources
            else:
                found.append(item)
        elif isinstance(item, Stream) and item.get(Name.Subtype) == Name.Form:
            bare |= _names(item)
        fields = item.get(Name.AcroForm)
        if isinstance(fields, Dictionary) and isinstance(fields.get("/DR"), Dictionary) and "/XObject" in fields.DR:
            fields.DR = _with(fields.DR, {})
    for owner in found:
        glyphs = owner.get("/CharProcs")
        contents = [owner] if not isinstance(glyphs, Dictionary) else [one for _name, one in glyphs.items()]
        yield owner, bare.union(*map(_names, contents))


def _inherited(page: Object) -> Dictionary:
    try:
        found = pikepdf.Page(page).resources
        return Dictionary({key: found[key] for key in list(found.keys())})
    except FAULTS:
        return Dictionary()


def _names(content: Object) -> set[str]:
    """The names of what a content stream draws, as far as it can be read, or as its bytes have them."""
    try:
        read = pikepdf.parse_content_stream(content if isinstance(content, Stream) else pikepdf.Page(content), "Do")
        return {str(one.operands[-1]) for one in read if len(one.operands)}
    except FAULTS:
        pieces = content if isinstance(content, Stream) else content.get(Name.Contents)
        names: set[str] = set()
        for piece in list(pieces) if isinstance(pieces, Array) else [pieces]:
            found = (name.decode("utf-8", "surrogateescape") for name in _DRAWS.findall(_bytes(piece)))
            names |= {"/" + _CODED.sub(lambda code: chr(int(code[1], 16)), name) for name in found}
        return names


def _bytes(stream: object) -> bytes:
    try:
        return stream.read_bytes() if isinstance(stream, Stream) else b""
    except FAULTS:
        return b""
