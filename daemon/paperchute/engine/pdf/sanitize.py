"""What every PDF that is given back goes through: every object is looked at for what runs or starts something."""

from __future__ import annotations

import re

from loguru import logger
from pikepdf import Array, Dictionary, Name, Object, Pdf, Stream, String

from paperchute.engine import report
from paperchute.engine.pdf import signatures
from paperchute.engine.pdf.actions import (
    KINDS,
    clean,
    clean_events,
    clean_owner,
    is_beside,
    kind_of,
    leads_to_web,
    may_stay,
    takes_forms,
)
from paperchute.engine.pdf.navigation import outline_items
from paperchute.engine.pdf.trees import entry, fields_of, own_parts
from paperchute.language import _

_CARRIED: dict[str, tuple[str, ...]] = {
    "/JavaScript": ("/JS",),
    "/Rendition": ("/JS",),
    "/Launch": ("/F", "/Win", "/Mac", "/Unix"),
    "/ImportData": ("/F",),
    "/GoToR": ("/F",),
    "/GoToE": ("/F",),
    "/Thread": ("/F",),
    "/SubmitForm": ("/F",),
    "/URI": ("/URI",),
    "/RichMediaExecute": ("/CMD", "/TA"),
}
"""Actions that may be harmful, and what makes one of a dictionary: an element of the structure may have such a name."""

_RUNNING = {
    "/Names": ("/JavaScript", "/AlternatePresentations"),
    "/AcroForm": ("/XFA",),
    "/Collection": ("/Navigator",),
}
"""Of the catalog: scripts, slide shows, forms and covers of portfolios that are programs of their own."""

_OF_OTHERS = ("/SpiderInfo", "/NeedsRendering")
"""Of the catalog: where pages were fetched from, to be fetched again; and that XFA draws the document."""

_PLAYED = ("/OnInstantiate", "/RichMediaContent", "/RichMediaSettings")
_FILES = ("/F", "/UF", "/DOS", "/Mac", "/Unix")
_OUTSIDE = ("/F", "/FFilter", "/FDecodeParms")
_WORTH_LOOKING = re.compile(
    rb"/(?:AA|OnInstantiate|RichMediaContent|RichMediaSettings|Ref|PS|FFilter|MCD|Movie)(?![^\s/<>\[\](){}%])"
    rb"|/(?:F|UF|DOS|Mac|Unix|URL) (?:[(<]|\d+ \d+ R)"
    rb"|/S /(?:" + b"|".join(kind[1:].encode() for kind in _CARRIED) + rb")(?![^\s/<>\[\](){}%])"
    rb"(?<!/S /URI(?= /URI \(https?:))(?<!/S /URI(?= /Type /Action /URI \(https?:))"  # most links of most documents
)
"""In an object as qpdf writes it: names in one spelling each, keys in order."""


def defuse(pdf: Pdf) -> int:
    """Take out of a whole document what runs or starts something; how many things that were, which the log has too."""
    taken = _clean_places(pdf) + _clean_catalog(pdf.Root)
    for item in pdf.objects:
        if isinstance(item, Dictionary | Array | Stream) and _is_worth_looking(item):
            taken += sum(_clean_entries(part) for part in own_parts(item))
    if taken:
        logger.info("{} actions and other things that run, start or reach out were taken out", taken)
    return taken


def _clean_places(pdf: Pdf) -> int:
    root = pdf.Root
    taken = clean(root, Name.OpenAction, by_itself=True) + clean_events(root)
    for page in pdf.pages:
        taken += clean_events(page.obj)
        notes = entry(page.obj, "/Annots")
        if isinstance(notes, Array):
            taken += sum(clean_owner(note) for note in notes if isinstance(note, Dictionary))
    taken += sum(clean_owner(field) for field in fields_of(entry(root, "/AcroForm")))
    return taken + sum(clean(item, Name.A, by_itself=False) for item in outline_items(entry(root, "/Outlines")))


def _clean_catalog(root: Object) -> int:
    taken = 0
    for place, keys in _RUNNING.items():
        owner = entry(root, place)
        if isinstance(owner, Dictionary | Stream):
            for key in keys:
                if key in owner:
                    del owner[key]
                    taken += 1
    base = entry(root, "/URI")  # what relative links start from
    if isinstance(base, Dictionary | Stream) and not leads_to_web(base.get(Name.Base, String(""))):
        del root.URI
        taken += 1
    for key in _OF_OTHERS:
        if key in root:
            del root[key]
            taken += 1
    return taken


def _is_worth_looking(item: Object) -> bool:
    """A look at the object's text takes a fraction of the time that going through it does."""
    held = item.stream_dict if isinstance(item, Stream) else item
    return _WORTH_LOOKING.search(held.unparse(resolved=True)) is not None


def _clean_entries(item: Object) -> int:
    """Clean one dictionary, whatever it is."""
    kind = kind_of(item)
    if any(key in item for key in _CARRIED.get(kind, ())) and not may_stay(item, by_itself=False):
        for key in list(item.keys()):
            if key != "/Length" or not isinstance(item, Stream):
                del item[key]
        return 1
    taken = _clean_events(item)
    gone = [key for key in _PLAYED if key in item]
    if isinstance(item.get(Name.URL), String) and not leads_to_web(item.URL):  # of a server that a signer asks
        gone.append("/URL")
    if isinstance(item, Stream):
        gone += _clean_stream(item)
    elif kind != "/SubmitForm":
        gone += _reaching_out(item)
    for key in gone:
        if key in item:
            del item[key]
    return taken + len(gone)


def _clean_events(item: Object) -> int:
    """Clean additional actions where no reader is known to look; what has that name and holds no action stays."""
    events = item.get(Name.AA)
    if not isinstance(events, Dictionary | Stream):
        return 0
    held = [key for key in list(events.keys()) if isinstance(events[key], Dictionary | Stream)]
    return sum(clean(events, Name(key), by_itself=True) for key in held if kind_of(events[key]) in KINDS)


def _clean_stream(item: Stream) -> list[str]:
    """The keys of a stream that are to go.

    Content that lies in a file outside (7.3.8.2), pages of another document (8.10.4), and PostScript for the printer
    (8.8.2).
    """
    gone = [key for key in _OUTSIDE if key in item]
    if item.get(Name.Subtype) == Name.PS:
        item.write(b"")
        item.Subtype = Name.Form
        item.BBox = Array([0, 0, 0, 0])
        gone.append("/Level1")
    if item.get(Name.Subtype) == Name.Form:
        gone += [key for key in ("/Ref", "/PS", "/Subtype2") if key in item]
    return gone


def _reaching_out(item: Object) -> list[str]:
    """The keys of a dictionary by which it names a file outside of the document and not beside it (7.11)."""
    if Name.EF in item or _is_property(item):
        return []
    if item.get(Name.FS) == Name.URL and takes_forms(item.get(Name.F)):
        return []
    keys = [*_FILES, "/D"] if item.get(Name.S) == Name.MCD else _FILES
    gone = []
    film = item.get(Name.Movie)
    if isinstance(film, Dictionary) and Name.F in film and not _may_name(film.F):
        gone.append("/Movie")
    for key in keys:
        found = item.get(key)
        is_file = isinstance(found, String) or (isinstance(found, Dictionary) and any(k in found for k in _FILES))
        if is_file and not _may_name(found):
            gone.append(key)
    return gone


def _is_property(item: Object) -> bool:
    """Decide whether it is a property of an element, with the words by which it is shown (14.7.6.4)."""
    return Name.N in item and Name.V in item and set(item.keys()) <= {"/N", "/V", "/F", "/H"}


def _may_name(found: object) -> bool:
    if isinstance(found, Dictionary) and Name.EF in found:
        return True
    return is_beside(found)


_PROOFS = (Name.Perms, Name.DSS)


def make_passable(pdf: Pdf, name: str) -> None:
    """Take out what would not hold in the changed document (signatures) and what runs or starts something.

    name: what its sender calls it, for what is said of it.
    """
    say_losses(pdf, name)
    form = pdf.Root.get(Name.AcroForm)
    if isinstance(form, Dictionary):
        signatures.retire(form, (page.obj for page in pdf.pages))
        if Name.SigFlags in form:
            del form.SigFlags
    for key in _PROOFS:
        if key in pdf.Root:
            del pdf.Root[key]
    defuse(pdf)


def say_losses(pdf: Pdf, name: str) -> None:
    """Warn of what a document is going to lose that its owner may count on: signatures, and a form that runs."""
    signatures.say_void(pdf, name)
    form = entry(pdf.Root, "/AcroForm")
    if isinstance(form, Dictionary) and "/XFA" in form:
        report.warn(
            _(
                "{name} contains an XFA form. The result has its pages and plain fields, but not what its scripts "
                "do and draw. If that is not enough, print it to a PDF with Adobe Reader and send that PDF.",
                name=name,
            ),
        )
