"""Protection (ISO 32000-1, 7.6): passwords as PDF writes them; what was locked stays locked."""

from __future__ import annotations

import secrets
import stringprep
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pikepdf

from paperchute.engine import report
from paperchute.engine.work import Protecting
from paperchute.language import _

MOST_BYTES = 127  # of a UTF-8 password (ISO 32000-2, 7.6.4.3.3)
MOST_LETTERS_OLD = 32  # of any other; readers pass over the rest (ISO 32000-1, algorithm 2)

_FORBIDDEN = (
    stringprep.in_table_c12,
    stringprep.in_table_c21_c22,
    stringprep.in_table_c3,
    stringprep.in_table_c4,
    stringprep.in_table_c5,
    stringprep.in_table_c6,
    stringprep.in_table_c7,
    stringprep.in_table_c8,
    stringprep.in_table_c9,
)


def prepared(password: str) -> str:
    """The SASLprep form (RFC 4013, as a stored string but with unassigned letters let through, as new emoji are).

    Raises ValueError for letters that no password may have, such as control characters.
    """
    mapped = "".join(
        " " if stringprep.in_table_c12(letter) else letter for letter in password if not stringprep.in_table_b1(letter)
    )
    normal = unicodedata.normalize("NFKC", mapped)
    if any(forbidden(letter) for letter in normal for forbidden in _FORBIDDEN):
        raise ValueError(_("it has characters that a password must not have, such as control characters"))
    right_to_left = [stringprep.in_table_d1(letter) for letter in normal]
    if any(right_to_left):
        if any(stringprep.in_table_d2(letter) for letter in normal):
            raise ValueError(_("it mixes right-to-left and left-to-right writing"))
        if not (right_to_left[0] and right_to_left[-1]):
            raise ValueError(
                _("it is written from right to left, so it must begin and end with a letter of that writing")
            )
    return normal


def spellings(password: str) -> list[str]:
    """The password as it was typed (which careless writers need), and as PDF 2.0 prepares it."""
    try:
        return list(dict.fromkeys([password, prepared(password)]))
    except ValueError:
        return [password]


def in_old_encoding(password: str) -> bool:
    """Decide whether PDFDocEncoding has all letters of a password."""
    try:
        password.encode("pdfdoc")
    except UnicodeEncodeError:
        return False
    return True


RIGHTS = (
    "extract",
    "modify_annotation",
    "modify_assembly",
    "modify_form",
    "modify_other",
    "print_lowres",
    "print_highres",
)
"""What a document may restrict (table 22), as pikepdf names it. Reading aloud for the blind is left out: PDF 2.0 grants
it always."""

_LEAST_SECRET = 32  # bytes: as long as an AES-256 key, so that it is no shorter way in


@dataclass(frozen=True)
class Protection:
    """How one document is protected.

    password: what opens it, empty for nothing; where the owner's was given and the other is not to be had, that one.
    owner: the owner's password, None where it was not given. denied: those of `RIGHTS` that its readers do not have.
    readable: whether `password` is the one that its readers have.
    """

    name: str
    password: str
    owner: str | None
    denied: frozenset[str]
    readable: bool = True

    @property
    def binds(self) -> bool:
        """Whether it denies something to whoever gave the password."""
        return self.owner is None and bool(self.denied)


def protection_of(pdf: pikepdf.Pdf, name: str, password: str) -> Protection | None:
    """The protection of a document that `password` opened; None for none.

    Args:
        pdf: The open document.
        name: What its sender calls it.
        password: What was given, needed or not.
    """
    if not pdf.is_encrypted or (pdf.owner_password_matched and not password):
        return None
    owner = password if pdf.owner_password_matched else None
    denied = frozenset(right for right in RIGHTS if not getattr(pdf.allow, right))
    if pdf.user_password_matched:
        return Protection(name, password if pdf.encryption.user_password else "", owner, denied)
    of_readers = _password_of_readers(pdf)
    if of_readers is None:
        return Protection(name, password, owner, denied, readable=False)
    return Protection(name, of_readers, owner, denied)


def lock_for(sources: Iterable[Protection | None], wish: Protecting) -> pikepdf.Encryption | None:
    """How a PDF made of these sources is to be locked; None where it is not.

    What any of them denies is denied; where their passwords differ, the result has that of the first which is locked.
    Warns of what changes for people.
    """
    found = [source for source in sources if source is not None]
    if wish == "drop":
        found = [source for source in found if source.binds]
        for source in found:
            report.warn(
                _(
                    "{name} restricts what may be done with it, and the owner password was not given: the result "
                    "keeps these restrictions. Only the owner password lifts them.",
                    name=source.name,
                ),
            )
    if not found:
        return None
    user = _common_password(found) if wish == "keep" else ""
    owners = {source.owner for source in found}
    owner = owners.pop() if len(owners) == 1 else None
    if owner is None and all(source.owner is not None for source in found):
        names = ", ".join(source.name for source in found)
        report.warn(
            _(
                "{names} have different owner passwords, so the result has none of them: keep the originals.",
                names=names,
            ),
        )
    denied = frozenset[str]().union(*(source.denied for source in found))
    allowed = {right: right not in denied for right in RIGHTS}
    return pikepdf.Encryption(
        user=_as_written(user),
        owner=_as_written(owner) if owner else unknown_password(),
        R=6,
        allow=pikepdf.Permissions(accessibility=True, **allowed),
    )


def lock(paths: Sequence[Path], how: pikepdf.Encryption | None) -> None:
    """Lock finished PDFs in their places. Raises OSError, pikepdf.PdfError."""
    if how is None:
        return
    for path in paths:
        plain = path.with_name(path.name + ".plain")
        path.replace(plain)
        with pikepdf.open(plain) as pdf:
            pdf.save(path, encryption=how, fix_metadata_version=False)
        plain.unlink()


def say_unlocked(source: Protection | None, wish: Protecting) -> None:
    """Warn of a result that is not a PDF and so cannot be locked, and of text that may not be copied out."""
    if source is None:
        return
    if source.binds and "extract" in source.denied:
        report.warn(
            _(
                "The author of {name} does not allow its text to be copied, and the owner password was not given: "
                "make sure that the result is used only as the author allows.",
                name=source.name,
            ),
        )
    if wish == "keep" and source.password:
        report.warn(
            _(
                "{name} is locked with a password, but the result cannot be: anyone who has it can read it. Where "
                'that is wanted, a rule says protection = "drop", a call the header Paperchute-Protection: drop.',
                name=source.name,
            ),
        )


def unknown_password() -> str:
    """An owner password that nobody knows."""
    return secrets.token_urlsafe(_LEAST_SECRET)


def _common_password(found: Sequence[Protection]) -> str:
    """The password of the first that does not open without one, which is the target's where pages are inserted."""
    having = [source for source in found if source.password]
    if len({source.password for source in having}) > 1:
        names = ", ".join(source.name for source in having)
        report.warn(
            _(
                "{names} have different passwords: the result opens with that of {first} alone.",
                names=names,
                first=having[0].name,
            ),
        )
    for source in having[:1] or found:
        if not source.readable:
            report.warn(
                _(
                    "{name} was opened with its owner password, which does not reveal the password of its readers: "
                    "the result opens only with the owner password.",
                    name=source.name,
                ),
            )
    return having[0].password if having else ""


def _password_of_readers(pdf: pikepdf.Pdf) -> str | None:
    """Return what a document that its owner opened opens with for others; None where it does not tell."""
    if pdf.encryption.R < 5:  # those ciphers keep it under the owner's (ISO 32000-1, algorithm 7)
        try:
            return bytes(pdf.encryption.user_password).decode("pdfdoc")
        except UnicodeDecodeError:
            return None
    try:
        with pikepdf.open(pdf.filename):
            return ""
    except pikepdf.PasswordError:
        return None


def _as_written(password: str) -> str:
    """As AES-256 writes it down; as it was typed where PDF 2.0 would not have it."""
    try:
        return prepared(password)
    except ValueError:
        return password
