"""What every PDF goes through that is given back changed but not joined."""

from __future__ import annotations

from pikepdf import Dictionary, Name, Pdf

from paperchute.engine import report
from paperchute.engine.pdf import signatures
from paperchute.engine.pdf.defusing import defuse

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
    form = pdf.Root.get(Name.AcroForm)
    if isinstance(form, Dictionary) and Name.XFA in form:
        report.warn(
            f"{name} holds an XFA form: what its scripts do and draw is not in the result, only its pages and plain "
            "fields are. Where that is too little, print it to a PDF with Adobe Reader and send that.",
            f"{name} 含有 XFA 表单：结果不含其脚本及动态内容，仅保留页面和普通字段。",
        )
