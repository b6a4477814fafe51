"""pdf-convert-type: a PDF for the archive, PDF/A-1b, 2b or 3b, or one that no longer says so (docs/pages.md#archive).

What the result claims has been checked of the file as it was written. What cannot be PDF/A fails with the reasons.
"""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

from paperchute.engine import report
from paperchute.engine.pdf.archive import Archiving, claims_part, is_archive, write_archive
from paperchute.engine.pdf.catalog import claims_of, drop_claims
from paperchute.engine.pdf.document import open_pdf
from paperchute.engine.pdf.pages import rewrite
from paperchute.engine.pdf.protection import lock_for, protection_of
from paperchute.engine.pdf.sanitize import make_passable
from paperchute.engine.work import Refused, Source, Work, output_name
from paperchute.language import _

_FLAVOURS = {"PDFTypeA1b": "1b", "PDFTypeA2b": "2b", "PDFTypeA3b": "3b"}


def run(work: Work) -> list[Path]:
    """The document. Raises Refused 02201, 120002, 02207, 03000, and 130001 where it cannot become what is asked."""
    document, *profiles = sorted(work.sources, key=lambda source: source.part != "file")
    plain = replace(work, sources=(document,))
    if work.text("standard") not in _FLAVOURS:
        return rewrite(plain, lambda pdf: drop_claims(pdf, claims_of(pdf)))
    profile = profiles[0].path.read_bytes() if profiles else None
    return [_archived(plain, document, Archiving(_FLAVOURS[work.text("standard")], profile))]


def _archived(work: Work, source: Source, wish: Archiving) -> Path:
    output = work.folder / output_name(work, "pdf", source.name)
    with open_pdf(source.path, source.name, work.text("password")) as pdf:
        report.handles(len(pdf.pages))
        if lock_for([protection_of(pdf, source.name, work.text("password"))], work.protection) is not None:
            raise Refused(
                "130001",
                _(
                    "{name} is locked, and PDF/A allows no lock. Where the result may be open, a rule says "
                    'protection = "drop", a call the header Paperchute-Protection: drop.',
                    name=source.name,
                ),
            )
        if not pdf.is_encrypted and is_archive(source.path, wish.flavour):
            shutil.copyfile(source.path, output)
            work.note(_("{name} is PDF/A-{part} already and stays as it is.", name=source.name, part=wish.flavour))
            return output
        if claims_part(pdf, wish.flavour):
            work.note(_("{name} says that it is PDF/A-{part}, but is not.", name=source.name, part=wish.flavour[0]))
        make_passable(pdf, source.name)
        write_archive(pdf, wish, output, source.name)
    return output
