"""pdf-encrypt: lock a PDF with passwords and permissions (docs/contract.md#pdf-encrypt)."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pikepdf

from paperchute.engine import report
from paperchute.engine.pdf.document import open_pdf
from paperchute.engine.pdf.protection import (
    MOST_BYTES,
    MOST_LETTERS_OLD,
    in_old_encoding,
    prepared,
    protection_of,
    unknown_password,
)
from paperchute.engine.pdf.sanitize import make_passable
from paperchute.engine.work import Refused, Work, output_name
from paperchute.language import _

IS_QUICK = True
_PASSWORDS = ("userPassword", "ownerPassword")
# R and whether AES is used, by the contract's names (ISO 32000-1 table 20, ISO 32000-2 table 20).
_CIPHERS: dict[str, tuple[Literal[3, 4, 6], bool]] = {"rc4": (3, False), "aes128": (4, True), "aes256": (6, True)}


def check(work: Work) -> None:
    """At least one password, and none that the cipher cannot hold."""
    given = [name for name in _PASSWORDS if work.text(name)]
    if not given:
        raise Refused("03000", _("userPassword, ownerPassword or both are needed"))
    for name in given:
        _check_password(name, work.text(name), work.text("algorithm"))


def _check_password(name: str, text: str, algorithm: str) -> None:
    if algorithm == "aes256":
        try:
            size = len(prepared(text).encode())
        except ValueError as error:
            raise Refused("03000", _("{name} cannot be a PDF's password: {reason}", name=name, reason=error)) from None
        if not size:
            raise Refused("03000", _("{name} contains no characters.", name=name))
        if size > MOST_BYTES:
            raise Refused("03000", _("{name} is longer than {most} bytes", name=name, most=MOST_BYTES))
    elif not in_old_encoding(text):
        raise Refused("03000", _("{name} has characters that only aes256 can take", name=name))
    elif len(text) > MOST_LETTERS_OLD:
        raise Refused(
            "03000",
            _(
                "{name} is longer than the {most} letters that count; aes256 takes more",
                name=name,
                most=MOST_LETTERS_OLD,
            ),
        )


def run(work: Work) -> list[Path]:
    """The same document, locked anew; an earlier lock is replaced.

    Raises Refused 02201, 120002, 02207, and 03000 where the earlier one allows less.
    """
    algorithm = work.text("algorithm") or "rc4"
    user, owner = (work.text(name) for name in _PASSWORDS)
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
