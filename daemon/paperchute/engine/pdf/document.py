"""Opening a PDF: passwords, damage and emptiness become the contract's codes, in one place."""

from __future__ import annotations

import warnings
from contextlib import suppress
from pathlib import Path

import pikepdf

from paperchute.engine import report
from paperchute.engine.pdf.protection import in_old_encoding, spellings
from paperchute.engine.work import Refused
from paperchute.language import _, ngettext

FAULTS = (pikepdf.PikepdfError, ValueError, RuntimeError, TypeError, AttributeError, LookupError)
"""What pikepdf raises of a damaged or hostile file, whatever it is asked for."""

_RECONSTRUCTED = "reconstruct cross-reference"
"""In qpdf's warning of a file whose list of objects is lost or wrong, so that it went through the whole file."""


def open_pdf(path: Path, name: str, password: str = "") -> pikepdf.Pdf:
    """The document, repaired where qpdf can, which is warned of. name: for messages.

    Raises Refused: 02201 locked and no password, 120002 wrong password, 02207 unreadable or without pages.
    """
    try:
        pdf = unlocked(path, password)
        count = len(pdf.pages)
    except pikepdf.PasswordError:
        raise locked(name, given=bool(password)) from None
    except FAULTS as error:
        raise Refused("02207", _("{name} is not a readable PDF", name=name)) from error
    if count == 0:
        pdf.close()
        raise Refused("02207", _("{name} has no pages", name=name))
    if is_put_together(pdf):
        say_damaged(name, count)
    return pdf


def is_put_together(pdf: pikepdf.Pdf) -> bool:
    """Tell if a document's own list of objects could not be used, and its objects were looked for in the whole file."""
    return any(_RECONSTRUCTED in str(warning) for warning in pdf.get_warnings())


def say_damaged(name: str, pages: int) -> None:
    """Warn that a document was put together from what was still found of it: nobody knows what is gone."""
    report.warn(
        ngettext(
            "{name} is damaged or cut off. {n} page was found in it: check whether any are missing.",
            "{name} is damaged or cut off. {n} pages were found in it: check whether any are missing.",
            pages,
            name=name,
        )
    )


def unlocked(path: Path, password: str) -> pikepdf.Pdf:
    """The document, opened with the password in its spellings, else with none: some only restrict their readers.

    Raises what pikepdf raises.
    """
    typed = spellings(password)
    attempts: list[str | bytes] = [*typed]
    attempts += [text.encode("pdfdoc") for text in typed if in_old_encoding(text) and not text.isascii()]  # old ciphers
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # pikepdf warns of a password that was not needed
        for attempt in attempts:
            with suppress(pikepdf.PasswordError):
                return pikepdf.Pdf.open(path, password=attempt)
        return pikepdf.Pdf.open(path)


def locked(name: str, *, given: bool) -> Refused:
    """The refusal for a locked document, with or without a password given."""
    if given:
        return Refused("120002", _("the password for {name} is wrong", name=name))
    return Refused("02201", _("{name} is locked and no password was given", name=name))
