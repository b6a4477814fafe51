"""What reading operations take: files of the kinds that are read here, in languages that are installed."""

from __future__ import annotations

from pathlib import PurePosixPath

from paperchute.contract import PICTURES, contract
from paperchute.contract.engine_libraries import PRINTED, has_printer, without_printer
from paperchute.contract.kinds import OFFICE, canonical
from paperchute.engine.extraction.schema import read_own_fields, read_schema
from paperchute.engine.parse_options import parse_options
from paperchute.engine.reading.ocr.options import check_ocr
from paperchute.engine.work import Refused, Source, Work
from paperchute.language import _

_NEWER = {"doc": "docx", "xls": "xlsx", "ppt": "pptx"}
_READ = {*PICTURES, "pdf", "unknown", "encrypted"}  # why the last two cannot be read, opening them tells


def check_reading(work: Work) -> None:
    """Raises Refused: 02002 for a kind of file that is not read here, 03000 for a language that is not installed."""
    printed = takes_printed(work)
    for source in work.sources:
        if source.kind not in _READ and kind_printed(source) not in printed and not is_torn(source):
            more = sorted(printed)
            raise Refused(
                "02002",
                _(
                    "{name}: this engine reads {kinds} here, not {kind}. {advice}",
                    name=source.name,
                    kinds=", ".join([_("PDF files"), _("pictures"), *more]),
                    kind=source.kind,
                    advice=_advice(source),
                ),
            )
    check_ocr(work)


def check_parsing(work: Work) -> None:
    """Raises Refused: 02002 for a file this engine does not read, 01006 and 03000 for what parse_options asks."""
    parse_options(work.text("parse_options"))
    check_reading(work)


def check_extraction(work: Work) -> None:
    """Raises Refused: 02002 for a file this engine does not read, 01006 and 03000 for the schema and the options."""
    schema = read_schema(work.text("extractFields"))
    beside = "find" if read_own_fields(work.text("find")) else "words" if work.flag("words") else ""
    if beside and not schema.automatic:
        reason = _("{name} stands beside what is found by itself, so it goes with an empty extractFields.", name=beside)
        raise Refused("03000", reason)
    parse_options(work.text("optionsJson"), "optionsJson")
    if is_data(work.sources[0]):
        check_ocr(work)
    else:
        check_reading(work)


def check_table(work: Work) -> None:
    """Raises Refused: 03000 for links that are not one for each file, and a language that is not installed."""
    entries, files = len(work.texts("links")), len(work.sources)
    if entries not in (0, files):
        reason = _("{name} has {entries} entries for {files} files", name="links", entries=entries, files=files)
        raise Refused("03000", reason)
    check_ocr(work)


def kind_printed(source: Source) -> str:
    """Which of PRINTED a file is, empty for none. Texts have no marks of their own, so the file's name tells them."""
    kind = source.kind
    named = canonical(PurePosixPath(source.name).suffix)
    if kind in ("txt", "json"):
        kind = named if named in ("md", "csv", "html") else "txt"
    elif named in {"html": ("md",), "unknown": ("txt", "md", "csv")}.get(kind, ()):
        kind = named  # Markdown that begins with a tag, text in an encoding of other scripts
    return kind if kind in PRINTED else ""


def is_data(source: Source) -> bool:
    """Decide whether a file is XML: an e-invoice, which has no pages."""
    return source.kind == "xml" or (
        source.kind not in {*PICTURES, "pdf", *OFFICE} and canonical(PurePosixPath(source.name).suffix) == "xml"
    )


def takes_printed(work: Work) -> frozenset[str]:
    """The kinds that the contract lets an operation read beside PDFs and pictures; none where nothing prints them."""
    if not has_printer():
        return frozenset()
    return PRINTED & {canonical(extension) for extension in contract().known(work.operation).input_ext}


def is_torn(source: Source) -> bool:
    """Decide whether a file has the name of an office file and the beginning of an archive that cannot be listed."""
    return source.kind == "zip" and canonical(PurePosixPath(source.name).suffix) in OFFICE


def _advice(source: Source) -> str:
    """Return what to do with a file of a kind that is not read, or why it is not."""
    if kind_printed(source) and not has_printer():
        return _("It would be laid out as pages, but {why}.", why=without_printer())
    newer = _NEWER.get(source.kind) or _NEWER.get(PurePosixPath(source.name).suffix.lower().lstrip("."))
    return _("Save it as .{kind} first.", kind=newer) if newer else _("Convert it first.")
