"""What every PDF goes through that is given back changed but not joined."""

from __future__ import annotations

from pikepdf import Dictionary, Name, Pdf

from paperchute.engine.pdf import signatures
from paperchute.engine.pdf.actions import defuse

_PROOFS = (Name.Perms, Name.DSS)


def make_passable(pdf: Pdf) -> None:
    """Take out what would not hold in the changed document (signatures) and what runs or starts something."""
    form = pdf.Root.get(Name.AcroForm)
    if isinstance(form, Dictionary):
        signatures.retire(form, (page.obj for page in pdf.pages))
        if Name.SigFlags in form:
            del form.SigFlags
    for key in _PROOFS:
        if key in pdf.Root:
            del pdf.Root[key]
    defuse(pdf)
