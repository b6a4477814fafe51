"""A document made smaller: equal parts joined, pictures recoded for how they are drawn, unwanted parts left out."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from pikepdf import Array, Dictionary, Name, Object, Pdf, Stream

from paperchute.engine.imaging.recoding import Wish, recode
from paperchute.engine.imaging.scans import drawn_pictures
from paperchute.engine.report import counted

_SHARED = ("/Font", "/FontDescriptor")
"""Kinds of dictionaries that say what something is and are nothing by themselves: two equal ones may be one."""
_SHOWS = frozenset({"/Sound", "/Movie", "/Screen", "/3D", "/RichMedia"})
_MOST_ROUNDS = 4  # of joining: streams, then descriptors that name them, then fonts that name these


def join_equal(pdf: Pdf) -> int:
    """Have equal streams and fonts there once; how many went. What differs in identity alone, such as pages, stays."""
    gone = 0
    for _round in range(_MOST_ROUNDS):
        first: dict[bytes, Object] = {}
        other: dict[tuple[int, int], Object] = {}
        for item in pdf.objects:
            if not _may_be_joined(item):
                continue
            digest = _digest(item)
            kept = first.setdefault(digest, item)
            if kept.objgen != item.objgen:
                other[item.objgen] = kept
        if not other:
            break
        for item in pdf.objects:
            _lead_to(item, other)
        gone += len(other)
    return gone


def recode_pictures(pdf: Pdf, wish: Wish) -> int:
    """Recode each picture for the largest size at which it is drawn; how many bytes that saved."""
    places: dict[tuple[int, int], tuple[Stream, float]] = {}
    for page in counted(list(pdf.pages), len(pdf.pages)):
        unit = float(page.obj.get(Name.UserUnit, 1))
        for picture, matrix in drawn_pictures(page):
            for stream in (picture, picture.get(Name.SMask)):
                if not isinstance(stream, Stream) or not stream.is_indirect:
                    continue
                dpi = _dpi(stream, (matrix.a, matrix.b, matrix.c, matrix.d), unit)
                known = places.get(stream.objgen)
                if known is None or dpi < known[1]:
                    places[stream.objgen] = (stream, dpi)
    pictures_only = _never_forms(pdf) if wish.layered else frozenset()
    return sum(
        recode(pdf, stream, dpi, replace(wish, layered=wish.layered and place not in pictures_only))
        for place, (stream, dpi) in places.items()
        if dpi > 0
    )


def _never_forms(pdf: Pdf) -> frozenset[tuple[int, int]]:
    """Find what must stay a picture, wherever else it is drawn: masks and thumbnails (ISO 32000-1, 8.9.5, 12.3.4)."""
    named = (
        item.get(key)
        for item in pdf.objects
        if isinstance(item, Dictionary | Stream)
        for key in (Name.SMask, Name.Mask, Name.Thumb)
    )
    return frozenset(one.objgen for one in named if isinstance(one, Stream))


def leave_out(pdf: Pdf, flag: str) -> None:
    """Leave out what one of the contract's `compress_flag` names; nothing for one that `is_done` does not know."""
    if flag in _LEFT_OUT:
        _LEFT_OUT[flag](pdf)


def is_done(flag: str) -> bool:
    """Decide whether one of the contract's `compress_flag` comes to what it says."""
    return flag in _LEFT_OUT or flag in _DONE_ANYWAY


_DONE_ANYWAY = frozenset(
    {
        *("BCOMPRESSIMAGE", "RMNOTUSE", "RMEPTOBJ", "RMEXTERNCROSSREF", "USEFLATE", "FLAT_REPLACELZW"),
        *("OPTIMIZEPDFFASTWEBVIEW", "RMFORMCOMMITIMPORTRESETACTION", "RMJSACTION"),
    }
)
"""Flags that are heard elsewhere, or that saving does in any case."""


def _dpi(stream: Stream, matrix: tuple[float, float, float, float], unit: float) -> float:
    """Pixels per inch of a picture whose unit square is drawn by a matrix."""
    a, b, c, d = matrix
    across, down = math.hypot(a, b) * unit / 72, math.hypot(c, d) * unit / 72
    if across <= 0 or down <= 0:
        return 0.0
    return min(int(stream.get(Name.Width, 0)) / across, int(stream.get(Name.Height, 0)) / down)


def _may_be_joined(item: Object) -> bool:
    if isinstance(item, Stream):
        return item.get(Name.Type) not in (Name.XRef, Name.ObjStm, Name.Metadata)
    return isinstance(item, Dictionary) and str(item.get(Name.Type, "")) in _SHARED


def _digest(item: Object) -> bytes:
    if not isinstance(item, Stream):
        return hashlib.sha256(item.unparse(resolved=True)).digest()
    made = hashlib.sha256(item.stream_dict.unparse(resolved=True))
    made.update(b"\0")
    made.update(item.read_raw_bytes())
    return made.digest()


def _lead_to(item: Object, other: Mapping[tuple[int, int], Object]) -> None:
    """Replace references below an object to those that go."""
    stack = [item.stream_dict if isinstance(item, Stream) else item]
    while stack:
        held = stack.pop()
        if isinstance(held, Array):
            entries: Iterator[tuple[int | str, Object]] = enumerate(held)
        elif isinstance(held, Dictionary):
            entries = iter([(key, held[key]) for key in list(held.keys())])
        else:
            continue
        for key, value in list(entries):
            if not isinstance(value, Dictionary | Array | Stream):
                continue
            if value.is_indirect:
                if value.objgen in other:
                    held[key] = other[value.objgen]
            else:
                stack.append(value)


def _notes_but(pdf: Pdf, goes: Callable[[Object], bool]) -> None:
    for page in pdf.pages:
        notes = page.obj.get(Name.Annots)
        if isinstance(notes, Array):
            page.obj.Annots = Array([note for note in notes if not (isinstance(note, Dictionary) and goes(note))])


def _kind(note: Object) -> str:
    return str(note.get(Name.Subtype, ""))


def _without_notes(pdf: Pdf) -> None:
    _notes_but(pdf, lambda note: _kind(note) not in ("/Link", "/Widget"))


def _without_form(pdf: Pdf) -> None:
    """What is filled in becomes part of the page."""
    if Name.AcroForm in pdf.Root:
        pdf.generate_appearance_streams()
        pdf.flatten_annotations("all")
        _notes_but(pdf, lambda note: _kind(note) == "/Widget")
        if Name.AcroForm in pdf.Root:  # whose buttons nobody can press any more
            del pdf.Root.AcroForm


def _without_shows(pdf: Pdf) -> None:
    _notes_but(pdf, lambda note: _kind(note) in _SHOWS)


def _without_info(pdf: Pdf) -> None:
    if Name.Info in pdf.trailer:
        del pdf.trailer.Info


def _without_files(pdf: Pdf) -> None:
    _notes_but(pdf, lambda note: _kind(note) == "/FileAttachment")
    names = pdf.Root.get(Name.Names)
    if isinstance(names, Dictionary) and Name.EmbeddedFiles in names:
        del names.EmbeddedFiles
    for item in pdf.objects:
        if isinstance(item, Dictionary | Stream) and Name.AF in item:
            del item.AF


def _without_print_settings(pdf: Pdf) -> None:
    view = pdf.Root.get(Name.ViewerPreferences)
    if isinstance(view, Dictionary):
        for key in ("/PrintScaling", "/Duplex", "/PickTrayByPDFSize", "/PrintPageRange", "/NumCopies"):
            if key in view:
                del view[key]


def _without(*keys: str) -> Callable[[Pdf], None]:
    """Take keys away wherever they stand."""

    def take(pdf: Pdf) -> None:
        for item in pdf.objects:
            if isinstance(item, Dictionary | Stream):
                for key in keys:
                    if key in item:
                        del item[key]

    return take


_LEFT_OUT: Mapping[str, Callable[[Pdf], None]] = {
    "RMBK": _without("/Outlines"),
    "RMANNOT": _without_notes,
    "RMFORM": _without_form,
    "RMMULMEDIA": _without_shows,
    "RMDOCINFO": _without_info,
    "RMMEDTADATA": _without("/Metadata"),
    "RMOBJDATA": _without("/PieceInfo"),
    "RMOTHERAPPDATA": _without("/PieceInfo"),
    "RMSEARCHINDEX": _without("/PieceInfo"),
    "RMFILEATTACHMENT": _without_files,
    "RMPAGETHUMBNAIL": _without("/Thumb"),
    "RMREPLACEIMAGE": _without("/Alternates"),
    "RMLABEL": _without("/PageLabels"),
    "RMPRINTSETTINGS": _without_print_settings,
}
