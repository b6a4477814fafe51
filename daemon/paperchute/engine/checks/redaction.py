"""What redaction asks of its parameters."""

from __future__ import annotations

from paperchute.contract.page_boxes import parse_box
from paperchute.engine.reading.ocr.options import AUTO, check_language
from paperchute.engine.work import Refused, Work
from paperchute.language import _
from paperchute.notation.identifiers import IDENTIFIERS
from paperchute.notation.patterns import compiled

LOOKED_FOR = ("patterns", "words", "expressions", "boxes")


def check_redact(work: Work) -> None:
    """Something that is looked for, and all of it such as can be found."""
    if not any(text.strip() for name in LOOKED_FOR for text in work.texts(name)):
        raise Refused("03000", _("say what is to be redacted: {names}", names=", ".join(LOOKED_FOR)))
    for name in work.texts("patterns"):
        if name not in IDENTIFIERS:
            raise Refused("03000", _("patterns takes {known}, not {odd}", known=", ".join(IDENTIFIERS), odd=name))
    for word in work.texts("words"):
        if not any(map(str.isalnum, word)):
            raise Refused("03000", _("words takes words, and one of them has neither letters nor digits"))
    for text in work.texts("expressions"):
        try:
            pattern = compiled(text)
        except ValueError as error:
            raise Refused("03000", f"expressions: {error}") from None
        if pattern.fullmatch("") is not None:
            raise Refused("03000", _("expressions takes patterns that find something, and one finds nothing"))
    for text in work.texts("boxes"):
        try:
            parse_box(text)
        except ValueError as error:
            raise Refused("03000", f"boxes: {error}") from None
    check_language(work.text("ocrRecognitionLang") or AUTO)
