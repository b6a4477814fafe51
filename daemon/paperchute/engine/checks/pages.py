"""What the operations that move pages about ask of their parameters."""

from __future__ import annotations

from paperchute.engine.work import Refused, Work
from paperchute.language import _

PASSWORDS = ("userPassword", "ownerPassword")
_MOST_BLANK = 10_000
_MOST_POINTS = 14_400  # ISO 32000-1 annex C.2: the largest page side


def check_insert(work: Work) -> None:
    """How many files each action takes, and what BLANK needs."""
    urls = work.texts("urls")
    if urls and work.sources:
        raise Refused("03000", _("send either urls or file, not both"))
    count = len(urls) or len(work.sources)
    action = work.text("actionType")
    if count == 0:
        raise Refused("01005", _("send a part named file, or urls"))
    if count != (2 if action == "FROM_PDF" else 1):
        if action == "FROM_PDF":
            raise Refused("03000", _("{action} takes two files, not {count}.", action=action, count=count))
        raise Refused("03000", _("{action} takes one file, not {count}.", action=action, count=count))
    if action == "BLANK":
        for name in ("width", "height"):
            value = work.number(name)
            if not 0 < value <= _MOST_POINTS:
                raise Refused(
                    "03000",
                    _("BLANK needs {name}, in points, more than 0 and at most {most}", name=name, most=_MOST_POINTS),
                )
        if not 1 <= work.integer("count", 1) <= _MOST_BLANK:
            raise Refused("03000", _("count must be from 1 to {most}", most=_MOST_BLANK))


def check_merge(work: Work) -> None:
    """Lists that run parallel to the files must be as long as they."""
    for name in ("filePageRanges", "passwords"):
        given = work.texts(name)
        if given and len(given) != len(work.sources):
            raise Refused(
                "03000",
                _(
                    "{name} has {entries} entries for {files} files",
                    name=name,
                    entries=len(given),
                    files=len(work.sources),
                ),
            )


def check_encrypt(work: Work) -> None:
    """At least one password, and none that the cipher cannot hold."""
    given = [name for name in PASSWORDS if work.text(name)]
    if not given:
        raise Refused("03000", _("userPassword, ownerPassword or both are needed"))
    for name in given:
        _check_password(name, work.text(name), work.text("algorithm"))


def _check_password(name: str, text: str, algorithm: str) -> None:
    # It brings pikepdf, which a server that locks nothing does not load.
    from paperchute.engine.pdf.protection import MOST_BYTES, MOST_LETTERS_OLD, in_old_encoding, prepared

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
