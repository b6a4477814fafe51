"""PDF/A of level B (ISO 19005-1, -2 and -3): made of a document, and claimed only of what has been checked.

pikepdf's validator approves what it knows to conform, so a refusal may be a false alarm; an approval is none.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

import pikepdf
from pikepdf import Array, Dictionary, Name, Object, Pdf, Stream, pdfa

from paperchute.contract import told_of_pages
from paperchute.engine import report
from paperchute.engine.pdf.actions import kind_of
from paperchute.engine.pdf.catalog import claims_of
from paperchute.engine.pdf.navigation import outline_items
from paperchute.engine.pdf.standard_fonts import bare_fonts, embed_standard_fonts
from paperchute.engine.pdf.trees import fields_of, own_parts
from paperchute.engine.work import Refused
from paperchute.language import _

logging.getLogger("fontTools").setLevel(logging.ERROR)  # it tells of each oddity of a font that it reads

_ACTIONS = {"/GoTo", "/GoToR", "/GoToE", "/Thread", "/URI", "/SubmitForm", "/Named"}
"""What a link may do (ISO 19005-2, 6.5.1)."""
_TURNING = {"/NextPage", "/PrevPage", "/FirstPage", "/LastPage"}
_OF_TRAILER = {"/Size", "/Root", "/Info", "/ID", "/Prev", "/XRefStm", "/Encrypt"}
_MODES = {"/UseNone", "/UseOutlines", "/UseThumbs", "/FullScreen"}
"""What a viewer shows beside the pages, as PDF 1.4 knows it."""
_PRESS = ("/BG", "/BG2", "/UCR", "/UCR2", "/HT")
"""Of graphics states: how a press makes black and dots; no screen shows it."""
_UNNAMED = ("/MarkInfo", "/ViewerPreferences")
"""Of the catalog: dictionaries without a type of their own, which writers give them nevertheless."""
_OF_PAGE = {
    *("/Type", "/Parent", "/Resources", "/Contents", "/MediaBox", "/CropBox", "/BleedBox", "/TrimBox", "/ArtBox"),
    *("/Rotate", "/UserUnit", "/Group", "/Annots", "/Metadata", "/StructParents", "/Tabs", "/B", "/AF"),
}
"""Without small pictures of pages, how slides come and go, and what programs keep for themselves."""
_ORDERS = {"/R", "/C", "/S"}  # in which fields of a page are stepped through, as the validator knows them
_FIRST, _LAST = "1.4", "1.7"
"""The versions of PDF that PDF/A-1, and PDF/A-2 and 3 are made of."""
_MOST_FAULTS = 3  # that are told; a person reads no more
_INTERNAL = "pikepdf:internal"
_FILES = ("embedded-file", "associated-files", "schema-EmbeddedFiles", "schema-AssociatedFiles", "ISO_19005_1:6.1.11-")
"""In the rules that attached files go against, in parts 1 and 2."""
_TRANSPARENCY = "ISO_19005_1:6.4-"
_NOT_EMBEDDED = ("6.2.11.4.1-1", "6.3.4-1")
_COLOURS = ("6.2.4.3", "6.2.3.3")  # device colours without a profile for them, in parts 2 and 3, and in 1


@dataclass(frozen=True)
class Archiving:
    """What is asked for. flavour: 1b, 2b or 3b. profile: of the output intent; None for sRGB."""

    flavour: str
    profile: bytes | None = None


def is_archive(path: Path, flavour: str) -> bool:
    """Decide whether a file is PDF/A of that part, says so, and has been found to hold it."""
    return bool(pdfa.validate_written(path, flavour).passed)


def claims_part(pdf: Pdf, flavour: str) -> bool:
    """Decide whether a document says that it is PDF/A of that part, on any level."""
    return any(key.endswith("}part") and value == flavour[0] for key, value in claims_of(pdf).items())


def write_archive(pdf: Pdf, wish: Archiving, output: Path, name: str) -> None:
    """Write an open document as PDF/A, and say what was changed.

    Args:
        pdf: The document, which is changed.
        wish: What is asked for.
        output: Where the result goes.
        name: What its sender calls the document.

    Raises Refused 130001, with what stands against it, where it would not be PDF/A; then nothing is written.
    """
    _complete_form(pdf)
    fonts = embed_standard_fonts(pdf)
    had_profile = Name.OutputIntents in pdf.Root
    actions = _leave_actions(pdf)
    _clean(pdf)
    if wish.flavour.startswith("1"):
        _clean_for_first(pdf)
    version = _FIRST if wish.flavour.startswith("1") else _LAST if pdf.pdf_version > _LAST else ""
    try:
        made = pdfa.save(pdf, output, wish.flavour, output_intent=wish.profile or "sRGB", force_version=version)
    except pdfa.PdfaError as error:
        raise Refused("130001", _reason(error.report, bare_fonts(pdf), wish, name)) from None
    except ValueError as error:
        raise Refused("03000", _("iccFile cannot be the profile of a PDF/A: {reason}", reason=error)) from None
    _say_fonts_and_actions(fonts, actions, name)
    if made.prepared is not None:
        _say_changes(made.prepared, name, had_profile=had_profile)


def _say_fonts_and_actions(fonts: dict[str, str], actions: int, name: str) -> None:
    for known, face in fonts.items():
        report.note(_("{name}: {font}, which was not in it, is now {face}.", name=name, font=known, face=face))
    if actions:
        report.warn(
            _("{name}: actions that PDF/A does not allow were taken out, {count} in all.", name=name, count=actions)
        )


def _say_changes(prepared: pdfa.PrepareResult, name: str, *, had_profile: bool) -> None:
    if prepared.annotations_removed:
        report.warn(
            _(
                "{name}: annotations that are hidden, which PDF/A does not allow, were taken out on {pages}.",
                name=name,
                pages=told_of_pages(prepared.annotations_removed_pages),
            )
        )
    if prepared.xmp_dropped:
        report.warn(
            _(
                "{name}: metadata that PDF/A does not allow was taken out: {properties}.",
                name=name,
                properties=", ".join(prepared.xmp_dropped),
            )
        )
    if prepared.xmp_unreadable:
        report.warn(_("{name}: its XMP metadata could not be read and was written anew.", name=name))
    if prepared.output_intent_replaced and had_profile:
        report.warn(_("{name}: the profile that it named for its colours was replaced.", name=name))


def _reason(found: pdfa.Report, fonts: Collection[str], wish: Archiving, name: str) -> str:
    findings = _standing(found.findings, wish)
    faults = list(dict.fromkeys(_fault(one, fonts) for one in findings))
    said = "; ".join(faults[:_MOST_FAULTS])
    if len(faults) > _MOST_FAULTS:
        said = _("{faults} and more, {count} in all", faults=said, count=len(faults))
    advice = _advice(findings, wish)
    reason = _("{name} cannot become PDF/A-{part}: {faults}", name=name, part=wish.flavour, faults=said)
    return f"{reason}. {advice}" if advice else reason


def _standing(findings: Sequence[pdfa.Finding], wish: Archiving) -> Sequence[pdfa.Finding]:
    """Return what stands against it: of part 3 attached files do so only alone, since it keeps them.

    They are made ready for it last of all, so the validator names them too where something else is in the way.
    """
    others = [one for one in findings if not _is_of_files(one)]
    return others if others and wish.flavour.startswith("3") else findings


def _is_of_files(one: pdfa.Finding) -> bool:
    return any(part in one.rule for part in _FILES)


def _fault(one: pdfa.Finding, fonts: Collection[str]) -> str:
    if one.rule == _INTERNAL:  # the validator's own words would name files of this machine
        return _("it is damaged")
    if one.rule.endswith(_NOT_EMBEDDED) and fonts:
        return _("it does not have the fonts that it uses: {names}", names=", ".join(fonts))
    return f"{one.message} ({one.where})"


def _advice(findings: Sequence[pdfa.Finding], wish: Archiving) -> str:
    rules = [one.rule for one in findings]
    others = [one.rule for one in findings if not _is_of_files(one)]
    if wish.flavour != "3b" and len(others) < len(rules) and all(_TRANSPARENCY in rule for rule in others):
        return _("PDFTypeA3b keeps attached files")
    if wish.flavour == "1b" and any(_TRANSPARENCY in rule for rule in rules):
        return _("PDFTypeA2b takes what is transparent")
    if wish.profile is None and any(part in rule for rule in rules for part in _COLOURS):
        return _("iccFile takes the profile of the press that its colours are for")
    return ""


def _complete_form(pdf: Pdf) -> None:
    """Draw the fields of a form that leaves that to its reader, which PDF/A does not."""
    form = pdf.Root.get(Name.AcroForm)
    if not isinstance(form, Dictionary):
        return
    if next(fields_of(form), None) is None:
        del pdf.Root.AcroForm
        return
    if isinstance(wanted := form.get(Name.NeedAppearances), bool) and wanted:
        pdf.generate_appearance_streams()
    if Name.NeedAppearances in form:
        del form.NeedAppearances


def _leave_actions(pdf: Pdf) -> int:
    """Leave the actions that PDF/A allows; how many were taken out."""
    taken = 0
    fields = fields_of(pdf.Root.get(Name.AcroForm))
    notes = (note for page in pdf.pages for note in _dictionaries(page.obj.get(Name.Annots)))
    owners = [pdf.Root, *(page.obj for page in pdf.pages), *fields, *notes, *outline_items(pdf.Root.get(Name.Outlines))]
    for owner in owners:
        if Name.AA in owner:
            del owner.AA
            taken += 1
        action = owner.get(Name.A)
        if isinstance(action, Dictionary) and not _may_stay(action):
            del owner.A
            taken += 1
    return taken + _begin_at_first_page(pdf)


def _begin_at_first_page(pdf: Pdf) -> int:
    """Have a document shown from its first page, since the validator knows no other; how many actions that took."""
    start = pdf.Root.get(Name.OpenAction)
    if start is None:
        return 0
    del pdf.Root.OpenAction
    return 0 if isinstance(start, Array) and len(start) and start[0] == pdf.pages[0].obj else 1


def _may_stay(action: Object) -> bool:
    seen = set()
    while isinstance(action, Dictionary) and action.objgen not in seen:
        kind = kind_of(action)
        if kind not in _ACTIONS or (kind == "/Named" and str(action.get(Name.N, "")) not in _TURNING):
            return False
        following = action.get(Name.Next)
        if following is None:
            return True
        if action.is_indirect:
            seen.add(action.objgen)
        action = following
    return False


def _dictionaries(found: object) -> list[Object]:
    return [one for one in found if isinstance(one, Dictionary)] if isinstance(found, Array) else []


def _clean(pdf: Pdf) -> None:
    """Take out what no reader shows and the validator does not know."""
    for key in set(pdf.trailer.keys()) - _OF_TRAILER:
        del pdf.trailer[key]
    typed = [pdf.Root.get(key) for key in _UNNAMED]
    for one in [*typed, *outline_items(pdf.Root.get(Name.Outlines))]:
        if isinstance(one, Dictionary) and Name.Type in one:
            del one.Type
    for page in pdf.pages:
        for key in set(page.obj.keys()) - _OF_PAGE:
            del page.obj[key]
        if str(page.obj.get(Name.Tabs, "/S")) not in _ORDERS:
            del page.obj.Tabs
    if str(pdf.Root.get(Name.PageMode, "/UseNone")) not in _MODES:
        del pdf.Root.PageMode
    layers = pdf.Root.get(Name.OCProperties)
    view = layers.get(Name.D) if isinstance(layers, Dictionary) else None
    if isinstance(view, Dictionary) and Name.Name not in view:
        view.Name = pikepdf.String("Default")
    for item in pdf.objects:
        if isinstance(item, Dictionary | Array | Stream):
            for part in own_parts(item):
                _clean_part(part)


def _clean_for_first(pdf: Pdf) -> None:
    """Take out what PDF 1.4 does not know, and groups for transparency: where all is opaque they change nothing."""
    for page in pdf.pages:
        if Name.Tabs in page.obj:
            del page.obj.Tabs
    for item in pdf.objects:
        group = item.get(Name.Group) if isinstance(item, Dictionary | Stream) else None
        if isinstance(group, Dictionary) and group.get(Name.S) == Name.Transparency:
            del item.Group


def _say_in_place(part: Object) -> None:
    """Write texts and names that are objects of their own, as pdfTeX's titles are, into the entries that refer to them.

    ISO 32000-1, 7.3.10 allows both; the validator does not follow such references.
    """
    for key in list(part.keys()):
        value = part[key]
        if isinstance(value, pikepdf.String) and value.is_indirect:
            part[key] = pikepdf.String(bytes(value))
        elif isinstance(value, Name) and value.is_indirect:
            part[key] = Name(str(value))


def _clean_part(part: Object) -> None:
    _say_in_place(part)
    kind = part.get(Name.Type)
    if kind == Name.FontDescriptor and Name.CIDSet in part:
        del part.CIDSet  # the glyphs of a subset, listed wrongly in many files; where it is needed it is written anew
    if kind == Name.ExtGState:
        for key in _PRESS:
            if key in part:
                del part[key]
    if part.get(Name.Subtype) == Name.Image and "/ColorTransform" in part:
        del part["/ColorTransform"]  # which counts among the parameters of a filter alone (7.4.8)
    if part.get(Name.Subtype) == Name.CIDFontType2 and Name.CIDToGIDMap not in part and Name.FontDescriptor in part:
        part.CIDToGIDMap = Name.Identity  # what it is where nothing says it (ISO 32000-1, table 117)
