"""`parse_options` of document parsing (contract.toml [parse_option]): the JSON object, read and checked."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from paperchute.contract import contract
from paperchute.contract.built_in import UNSUPPORTED_OPTIONS, in_snake_case
from paperchute.engine.work import Refused
from paperchute.language import _

LABELS: frozenset[str] = frozenset(contract().raw["parse_option"]["ignore_labels"])
"""The block kinds that can be left out of the Markdown; all of them are unless said otherwise."""

Shape = Literal["auto", "rect", "quad"]


@dataclass(frozen=True, slots=True)
class ParseOptions:
    """What parsing is asked for, under the contract's names; the defaults are what an absent key means.

    document_tree: applyDocumentTree. merge_tables, relevel_titles, concatenate_pages, layout_detection: the keys of
    those names. shape: layout_shape_mode, `rect` gives upright boxes, the others the corners as they were found.
    ignored: ignore_labels. workbook: our own key `excel_base64`, which fills the result's field of that name.
    """

    document_tree: bool = False
    merge_tables: bool = False
    relevel_titles: bool = False
    concatenate_pages: bool = False
    layout_detection: bool = True
    shape: Shape = "auto"
    ignored: frozenset[str] = LABELS
    workbook: bool = False


def parse_options(text: str, name: str = "parse_options") -> ParseOptions:
    """The options of a JSON object, its keys in camel or snake case; empty text is none.

    Unknown keys change nothing. Raises Refused: 01006 when it is not a JSON object, 03000 for a value that a known key
    does not take, or for something switched on that this engine cannot do.
    """
    options = _object(text, name) if text.strip() else {}
    for key, why in UNSUPPORTED_OPTIONS.items():
        if _flag(options, key, name, False):
            raise Refused(
                "03000",
                _(
                    "{name}: this engine does not do {key}: {why}; leave it out or send false",
                    name=name,
                    key=key,
                    why=_(why),
                ),
            )
    return ParseOptions(
        document_tree=_flag(options, "apply_document_tree", name, False),
        merge_tables=_flag(options, "merge_tables", name, False),
        relevel_titles=_flag(options, "relevel_titles", name, False),
        concatenate_pages=_flag(options, "concatenate_pages", name, False),
        layout_detection=_flag(options, "use_layout_detection", name, True),
        shape=_shape(options.get("layout_shape_mode"), name),
        ignored=_labels(options.get("ignore_labels"), name),
        workbook=_flag(options, "excel_base64", name, False),
    )


def _object(text: str, name: str) -> dict[str, Any]:
    """The object with its keys in snake case."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise Refused("01006", _("{name} is not a JSON object.", name=name))
    return {in_snake_case(key): found for key, found in value.items()}


def _flag(options: Mapping[str, Any], key: str, name: str, absent: bool) -> bool:
    value = options.get(key)
    if value is None:
        return absent
    words = {"true": True, "false": False, "1": True, "0": False}
    if isinstance(value, bool | int | str) and str(value).lower() in words:
        return words[str(value).lower()]
    raise Refused("03000", _("{name}: {key} takes true or false.", name=name, key=key))


def _shape(value: object, name: str) -> Shape:
    if value is None:
        return "auto"
    for shape in get_args(Shape):
        if value == shape:
            return shape  # type: ignore[no-any-return]
    allowed = " | ".join(get_args(Shape))
    raise Refused(
        "03000",
        _(
            "{name}: layout_shape_mode takes {allowed}; a region is given by its four corners.",
            name=name,
            allowed=allowed,
        ),
    )


def _labels(value: object, name: str) -> frozenset[str]:
    if value is None:
        return LABELS
    if isinstance(value, list) and all(isinstance(label, str) and label in LABELS for label in value):
        return frozenset(value)
    allowed = " | ".join(sorted(LABELS))
    raise Refused("03000", _("ignore_labels in {name} takes a list of {allowed}.", name=name, allowed=allowed))
