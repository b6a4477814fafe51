"""What the operations that lay recognised text over pages ask of their parameters."""

from __future__ import annotations

from dataclasses import replace

from paperchute.contract import PICTURES
from paperchute.contract.questions import NONE
from paperchute.engine.checks.pages import check_named_pages
from paperchute.engine.checks.printing import check_no_password
from paperchute.engine.reading.ocr.options import AUTO, LAYER_DEFAULTS, check_language, check_ocr
from paperchute.engine.work import Refused, Work
from paperchute.language import _


def check_magic_color(work: Work) -> None:
    """Raises Refused 03000 when a picture is to hold a text layer, or for a language that is not installed."""
    source = work.sources[0]
    if work.flag("enableOcr") and source.kind in PICTURES:
        raise Refused(
            "03000",
            _(
                "enableOcr: {name} is a picture, and only a PDF can hold a text layer; send 0, or use an "
                "operation that makes text of pictures, such as img-to-docx.",
                name=source.name,
            ),
        )
    check_ocr(work)


def check_picture(work: Work) -> None:
    """Raises Refused 03000 for a password, which no picture has, or for a language that is not installed."""
    check_no_password(work)
    check_ocr(work)


def check_scan(work: Work) -> None:
    """Raises Refused 03000 for a language that is not installed, and for pages to remove that are none."""
    check_language(work.text("ocrRecognitionLang") or AUTO)
    check_named_pages(work, "removePages", NONE)


def check_editable(work: Work) -> None:
    """Raises Refused 03000: a language that is not installed; invisible text on pages without their picture."""
    work = with_defaults(work)
    check_ocr(work)
    if work.flag("enableOcr") and not work.flag("containPageBackgroundImage") and work.flag("transparentText"):
        raise Refused(
            "03000",
            _(
                "containPageBackgroundImage 0 removes the scan, and transparentText 1 makes the text"
                " invisible: the page would be empty. Send transparentText 0 with it."
            ),
        )


def with_defaults(work: Work) -> Work:
    """Absent parameters mean what the contract's defaults say."""
    return replace(work, parameters={"enableOcr": 1, "isContainAnnot": 1, **LAYER_DEFAULTS, **work.parameters})
