"""Parameters that change nothing beside the others: accepted, and told."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from paperchute.contract.operations import Operation, Parameter
from paperchute.contract.recognition import SWITCH, defaults, is_automatic
from paperchute.contract.values import Value
from paperchute.language import N_, _

Values = Mapping[str, Value]

_NO_OCR = N_("recognition is off; set enableOcr = 1")
_NO_WORDS = N_("without recognition the page is its picture; set enableOcr = 1")
_ONE_EACH = N_("with isOutputDocumentPerPage each page is a document of its own")
_IN_BOXES = N_("with pageLayoutMode e_Box everything stays on its page")
_TABLES_ONLY = N_("without excelAllContent a workbook holds only tables")
_NO_TEXT = N_("a picture holds no text")
_TO_CSV = N_("CSV holds only the text of cells")
_SAME_AS_ABSENT = ("", "AUTO")
"""Values that mean what no value means, where the contract gives no default."""


@dataclass(frozen=True)
class _Idle:
    """Parameters of some operations, when they change nothing, and why."""

    names: tuple[str, ...]
    operations: Callable[[Operation], bool]
    when: Callable[[Values], bool]
    why: str


def _any(operation: Operation) -> bool:
    return True


def _always(values: Values) -> bool:
    return True


def _unrecognised(values: Values) -> bool:
    return not values.get("enableOcr")


def _reads_nothing(values: Values) -> bool:
    """Decide whether a scan is neither turned, nor made searchable, nor looked through for blank pages."""
    return values.get("blankPages") == "keep" and not any(values.get(n) for n in ("upright", "straight", "searchable"))


def _is_for_ocr(operation: Operation) -> bool:
    """Decide whether the contract says that backgrounds matter with recognition only."""
    parameter = operation.parameter("containPageBackgroundImage")
    return parameter is not None and "OCR" in (parameter.rule or "")


_LOOKING = ("scan", "pdf-redact")
"""Operations that recognise what needs it, without being asked to."""

_IDLE = (
    _Idle(("uaTitle", "uaLanguage"), lambda o: o.id == "pdf-convert-type", _always, N_("only PDF/UA has it")),
    _Idle(
        ("iccFile",),
        lambda o: o.id == "pdf-convert-type",
        lambda values: values.get("standard") == "PDF",
        N_("a document that claims nothing needs no profile"),
    ),
    _Idle((SWITCH, "ocrRecognitionLang", "ocrOption"), lambda o: o.id == "pdf-to-img", _always, _NO_TEXT),
    _Idle(("pageLayoutMode",), lambda o: o.target_type == "json", _always, N_("in JSON each block has its place")),
    _Idle(("ocrRecognitionLang", "ocrOption"), lambda o: o.id not in _LOOKING, _unrecognised, _NO_OCR),
    _Idle(("ocrRecognitionLang",), lambda o: o.id == "scan", _reads_nothing, N_("nothing is asked for that needs it")),
    _Idle(
        ("sure",),
        lambda o: o.id == "scan",
        lambda values: bool(values.get("removePages")) or values.get("blankPages") == "keep",
        N_("nothing is left that is not sure"),
    ),
    _Idle(
        ("sure",),
        lambda o: o.id == "pdf-split",
        lambda values: values.get("firstPages") != "auto",
        N_("only firstPages = auto looks for anything"),
    ),
    _Idle(("transparentText",), _any, _unrecognised, _NO_OCR),
    _Idle(("containPageBackgroundImage",), _is_for_ocr, _unrecognised, _NO_OCR),
    _Idle(
        ("enableAiLayout", "pageLayoutMode", "formulaToImage"),
        lambda o: o.id == "pdf-to-editable",
        _unrecognised,
        _NO_OCR,
    ),
    _Idle(("enableAiLayout", "formulaToImage"), lambda o: o.source_type == "img", _unrecognised, _NO_WORDS),
    _Idle(("isContainImg", "isContainAnnot"), lambda o: o.target_type == "csv", _always, _TO_CSV),
    _Idle(("isContainAnnot",), lambda o: o.source_type == "img", _always, N_("a picture has no annotations")),
    _Idle(("isContainHeaderFooter",), _any, lambda values: values.get("pageLayoutMode") == "e_Box", _IN_BOXES),
    _Idle(("isContainHeaderFooter",), _any, lambda values: values.get("excelAllContent") == 0, _TABLES_ONLY),
    _Idle(("htmlOption",), _any, lambda values: bool(values.get("isOutputDocumentPerPage")), _ONE_EACH),
    _Idle(
        ("enableGrounding",),
        _any,
        lambda values: values.get("mode") != "layout",
        N_("only mode = layout gives positions"),
    ),
    _Idle(
        ("sourcePages", "insertPassword"),
        _any,
        lambda values: values.get("actionType") == "BLANK",
        N_("BLANK takes no pages from another file"),
    ),
    _Idle(
        ("width", "height", "count"),
        _any,
        lambda values: values.get("actionType") == "FROM_PDF",
        N_("FROM_PDF takes the pages as they are"),
    ),
)


def without_effect(operation: Operation, given: Values) -> Iterator[tuple[str, str]]:
    """(parameter, why) for each whose value is another than its default and changes nothing beside the others.

    given: canonical values; absent ones stand at the contract's default, and recognition is automatic.
    """
    values = {**defaults(operation), **given}
    if is_automatic(operation, given):
        values[SWITCH] = 1
    said: set[str] = set()
    for idle in _IDLE:
        if not (idle.operations(operation) and idle.when(values)):
            continue
        for name in idle.names:
            parameter = operation.parameter(name)
            if parameter is not None and name not in said and _is_asked(parameter, values):
                said.add(name)
                yield name, _(idle.why)


def _is_asked(parameter: Parameter, values: Values) -> bool:
    value = values.get(parameter.name)
    if value is None or value in _SAME_AS_ABSENT:
        return False
    return parameter.default is None or value != parameter.default
