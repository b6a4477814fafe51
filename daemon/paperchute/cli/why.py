"""What `do --why` adds to a call: how the pages were read, as the engine's operation `document-layout` tells it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from paperchute.cli.outputs import Target, place
from paperchute.contract import Operation, Value, contract
from paperchute.contract.recognition import AUTOMATIC
from paperchute.errors import PaperchuteError
from paperchute.language import _
from paperchute.rules.settings import ServiceSettings
from paperchute.rules.steps import only_built_in

_READ_OTHERWISE: Mapping[str, Value] = {"enableAiLayout": 0, "isContainImg": 0, "pageLayoutMode": "e_Box"}
"""Values with which an operation reads pages in another way than is told."""


def layout_of(operation: Operation, parameters: Mapping[str, Value], service: ServiceSettings) -> Operation:
    """The operation that tells how another one reads pages.

    Raises PaperchuteError where nothing can be told: of what lays out no page, reads it otherwise, or is remote.
    """
    told = contract().known("document-layout")
    if operation.id not in AUTOMATIC:
        raise PaperchuteError(
            _("{operation} does not lay out text, so there is nothing for --why to tell.", operation=operation.id)
        )
    if service.base_url:
        for _place, why in only_built_in(told, {}, ()):
            raise PaperchuteError(f"{why}.", _("Add --service built-in, or leave out --why."))
    for name, value in _READ_OTHERWISE.items():
        if parameters.get(name) == value:
            raise PaperchuteError(
                _(
                    "--why tells how text that flows is read, which {name}={value} changes: leave one of them out.",
                    name=name,
                    value=value,
                )
            )
    return told


def shared(told: Operation, parameters: Mapping[str, Value]) -> dict[str, Value]:
    """The parameters of a call that the other operation has too."""
    return {name: value for name, value in parameters.items() if told.parameter(name) is not None}


def place_told(received: Sequence[Path], work: Path, first: Path, target: Target | None, *, force: bool) -> list[Path]:
    """Put what is told beside the result, NAME.why.txt and NAME.why.pdf; the text comes first.

    With `force` over what lies there, where -o names the file of the result, which replaces an earlier one, too.
    """
    is_over = force and target is not None and not (target.is_folder or target.is_stream)
    folder = target if target is not None and target.is_folder else None
    if target is not None and target.is_stream:
        first = Path.cwd() / first.name
    elif target is not None and folder is None:
        first = target.path
    placed: list[Path] = []
    for path in sorted(received, key=lambda path: path.suffix != ".txt"):
        name = first.with_name(f"{first.stem}.why{path.suffix}")
        placed += place([path], work, name, Target(name) if is_over else folder, force=is_over)
    return placed
