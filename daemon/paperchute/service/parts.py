"""Which form part each input of an operation goes into."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from paperchute.contract import Operation, Value, contract, kind_of
from paperchute.contract.links import MOST_BYTES, address_in, is_link
from paperchute.errors import PaperchuteError
from paperchute.files.identity import opened

_NOT_WITH_AN_ADDRESS = ("template", "templateFile", "data", "dataFile", "html", "htmlUrl", "htmlFile")

Parts = tuple[tuple[str, Path], ...]


def parts_for(
    operation: str, inputs: Sequence[Path], parameters: Mapping[str, Value]
) -> tuple[Parts, dict[str, Value]]:
    """(form part, path) for every file of a call, in order, and the parameters that are left as text.

    Dropped files are `file` parts, and files that hold an address (`contract.links`) an htmlUrl. pdf-generate has no
    such parts (contract section 12): HTML is its htmlFile, or its templateFile where the rule or a second file gives
    data; JSON is its dataFile. File parameters of a rule, such as templateFile, become parts of their own. Raises
    PaperchuteError when the number of files is wrong, and OSError.
    """
    known = contract().known(operation)
    files: list[tuple[str, Path]] = []
    rest: dict[str, Value] = {}
    if operation != contract().upload.id and any(map(is_link, inputs)):
        rest["htmlUrl"] = _address(known, inputs, parameters)
        inputs = ()
    elif known.takes_file_part:
        if len(inputs) < known.min_files and not (not inputs and parameters.get("urls")):
            raise PaperchuteError(
                f"{operation} needs at least {known.min_files} files, and {_count(inputs)} came.",
                "Put all the files of one job into a folder and drop that.",
            )
        files += [("file", path) for path in inputs]
    else:
        files += [(_generate_part(path, parameters, is_pair=len(inputs) == 2), path) for path in inputs]
    for name, value in parameters.items():
        parameter = known.parameter(name)
        if parameter is not None and parameter.type == "file":
            files.append((name, Path(str(value))))
        else:
            rest[name] = value
    return tuple(files), rest


def _address(operation: Operation, inputs: Sequence[Path], parameters: Mapping[str, Value]) -> str:
    """The address that a dropped link holds. Raises PaperchuteError where it, or the operation, is of no use for it."""
    path = next(path for path in inputs if is_link(path))
    if operation.parameter("htmlUrl") is None:
        raise PaperchuteError(
            f"{path.name} holds the address of a web page, and {operation.id} reads files.",
            "A rule with pdf-generate prints such pages.",
        )
    if len(inputs) > 1 or any(name in parameters for name in _NOT_WITH_AN_ADDRESS):
        raise PaperchuteError(
            f"{path.name} holds the address of a web page, and this rule fills a template.",
            "Drop it into the folder of a rule with pdf-generate and no template.",
        )
    with opened(path) as file:
        found = address_in(path, file.read(MOST_BYTES + 1))
    if not found:
        raise PaperchuteError(
            f"{path.name} holds no web address that can be used: http or https, without name and password.",
            "Open it to see where it leads.",
        )
    return found


def _generate_part(path: Path, parameters: Mapping[str, Value], *, is_pair: bool) -> str:
    with_template = is_pair or "template" in parameters or "templateFile" in parameters
    if path.suffix.lower() == ".json" or (with_template and kind_of(path) == "json"):
        if not with_template:
            raise PaperchuteError(
                f"{path.name} holds data, and there is no template for it.",
                "Give the rule a templateFile or template parameter.",
            )
        return "dataFile"
    return "templateFile" if is_pair or "data" in parameters or "dataFile" in parameters else "htmlFile"


def _count(inputs: Sequence[Path]) -> str:
    return "one" if len(inputs) == 1 else str(len(inputs))
