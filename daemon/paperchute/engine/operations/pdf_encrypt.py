"""pdf-encrypt: lock a PDF with passwords and permissions (docs/contract.md#pdf-encrypt)."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pikepdf

from paperchute.engine import report
from paperchute.engine.checks.pages import PASSWORDS
from paperchute.engine.pdf.document import open_pdf
from paperchute.engine.pdf.protection import prepared, protection_of, unknown_password
from paperchute.engine.pdf.sanitize import make_passable
from paperchute.engine.work import Refused, Work, output_name
from paperchute.language import _

# R and whether AES is used, by the contract's names (ISO 32000-1 table 20, ISO 32000-2 table 20).
_CIPHERS: dict[str, tuple[Literal[3, 4, 6], bool]] = {"rc4": (3, False), "aes128": (4, True), "aes256": (6, True)}


def run(work: Work) -> list[Path]:
    """The same document, locked anew; an earlier lock is replaced.

    Raises Refused 02201, 120002, 02207, and 03000 where the earlier one allows less.
    """
    algorithm = work.text("algorithm") or "rc4"
    user, owner = (work.text(name) for name in PASSWORDS)
    if algorithm == "aes256":
        user, owner = prepared(user), prepared(owner)
    if user and user == owner:
        work.warn(
            _("userPassword and ownerPassword are the same, so the permissions restrict nobody who can open the file."),
        )
    if not owner:
        owner = unknown_password()
    revision, aes = _CIPHERS[algorithm]
    source = work.sources[0]
    output = work.folder / output_name(work, "pdf", source.name)
    with open_pdf(source.path, source.name, work.text("password")) as pdf:
        _check_rights(work, pdf)
        report.handles(len(pdf.pages))
        lock = pikepdf.Encryption(
            user=user,
            owner=owner,
            R=revision,
            aes=aes,
            metadata=aes,
            allow=_permissions(work),
        )
        make_passable(pdf, source.name)
        pdf.save(output, encryption=lock, fix_metadata_version=False)
    return [output]


def _check_rights(work: Work, pdf: pikepdf.Pdf) -> None:
    """What the author of a document denies, only the owner password lifts.

    Neither a new permission nor somebody else's owner password may stand in for it.
    """
    name = work.sources[0].name
    earlier = protection_of(pdf, name, work.text("password"))
    if earlier is None or not earlier.binds:
        return
    wanted = _permissions(work)
    if work.text("ownerPassword") or any(getattr(wanted, right) for right in earlier.denied):
        raise Refused(
            "03000",
            _(
                "{name} restricts what may be done with it, and only its owner password lifts that. Send the "
                "owner password as password, or set only a userPassword and no permission that the file denies",
                name=name,
            ),
        )


def _permissions(work: Work) -> pikepdf.Permissions:
    """The six flags as bits of /P (ISO 32000-1 table 22); reading aloud for the blind is never taken away."""
    printing = work.flag("allowPrint")
    return pikepdf.Permissions(
        accessibility=True,
        extract=work.flag("allowCopy"),
        modify_annotation=work.flag("allowCommenting"),
        modify_assembly=work.flag("allowDocumentAssembly"),
        modify_form=work.flag("allowFormFieldEntry"),
        modify_other=work.flag("allowDocumentChanges"),
        print_lowres=printing,
        print_highres=printing,
    )
