"""From a form to a checked piece of work: the rules of contract.toml [error_use] for requests."""

from __future__ import annotations

import re

from paperchute.contract import Operation, Parameter, Value, ValueRefused, accept, kind_of
from paperchute.contract.kinds import canonical
from paperchute.engine.form import Form, Upload, merged_texts, plain_name
from paperchute.engine.operations import implementation, implemented
from paperchute.engine.settings import Settings
from paperchute.engine.store import Store
from paperchute.engine.work import Refused, Source, Work

_IMAGES = {"png", "jpg", "tiff", "bmp", "webp", "gif", "jp2", "heic"}
_TEXTS = {"txt", "html", "json", "md", "csv"}


def work_from(
    operation: Operation, form: Form, query: dict[str, str], task: str, store: Store, settings: Settings
) -> Work:
    """The work that a request asks for. Raises Refused with the code of the first thing that is wrong."""
    if operation.id not in implemented():
        raise Refused("03000", f"this engine does not do {operation.id} yet", "本引擎尚不支持该操作")
    parameters = _parameters(operation, form, query)
    sources = _sources(operation, form, settings)
    work = Work(operation.id, sources, parameters, store.work(task), settings.fetch)
    implementation(operation.id).check(work)
    return work


def _parameters(operation: Operation, form: Form, query: dict[str, str]) -> dict[str, Value]:
    given = merged_texts(form.texts, query)
    parameters: dict[str, Value] = {}
    for parameter in operation.parameters:
        if parameter.type == "file":
            continue
        values = _given(parameter, given)
        if values:
            parameters[parameter.name] = _accepted(parameter, values)
        elif parameter.default is not None:
            parameters[parameter.name] = accept(parameter, parameter.default)
        elif parameter.required:
            raise Refused("03000", f"{parameter.name} is missing: {parameter.meaning}")
    return parameters


def _given(parameter: Parameter, texts: dict[str, list[str]]) -> list[str]:
    """The values sent for a parameter, under its name first, then its aliases; numbered parts in their order."""
    for name in (parameter.name, *(plain_name(alias) for alias in parameter.aliases)):
        parts = [part for part in texts if plain_name(part) == name]
        parts.sort(key=_part_number)
        values = [value for part in parts for value in texts[part]]
        if parameter.type == "array":
            if values and not (len(values) == 1 and not values[0].strip()):
                return values
        elif any(value.strip() for value in values):
            return [value for value in values if value.strip()][-1:]
    return []


def _part_number(part: str) -> int:
    match = re.search(r"\[(\d+)\]$", part)
    return int(match[1]) if match else 0


def _accepted(parameter: Parameter, values: list[str]) -> Value:
    value: object = values[0]
    if parameter.type == "array" and (len(values) > 1 or not values[0].strip().startswith("[")):
        value = values
    try:
        return accept(parameter, value)
    except ValueRefused as error:
        code = "01006" if parameter.format == "json" else "03000"
        raise Refused(code, str(error)) from None


def _sources(operation: Operation, form: Form, settings: Settings) -> tuple[Source, ...]:
    file_parts = {p.name for p in operation.parameters if p.type == "file"}
    uploads = [upload for upload in form.uploads if plain_name(upload.part) in file_parts]
    main = [upload for upload in uploads if plain_name(upload.part) == "file"]
    if operation.takes_file_part:
        _count(operation, len(main), settings)
    for upload in uploads:
        if upload.size == 0:
            raise Refused("04002", f"{upload.name} is empty")
    return tuple(_source(operation, upload) for upload in uploads)


def _count(operation: Operation, count: int, settings: Settings) -> None:
    if count == 0 and operation.min_files > 0 and operation.parameter("urls") is None:
        raise Refused("01005", "the request holds no part named file")
    most = settings.max_files if operation.id == "pdf-merge" else operation.max_files
    if count > most:
        code = "04008" if operation.id == "pdf-merge" else "04007"
        raise Refused(code, f"{operation.id} takes at most {most} files, and {count} came")
    if 0 < count < operation.min_files:
        raise Refused("03000", f"{operation.id} takes at least {operation.min_files} files, and {count} came")


def _source(operation: Operation, upload: Upload) -> Source:
    kind = kind_of(upload.path)
    if plain_name(upload.part) == "file":
        allowed = {canonical(extension) for extension in operation.input_ext}
        as_named = canonical(upload.name.rpartition(".")[2])
        # A damaged file is told from a foreign one: what claims to be of a kind we read is the operation's to judge.
        claimed = kind == "unknown" and as_named in allowed
        textual = kind in _TEXTS and bool(allowed & _TEXTS)
        if kind not in allowed and not claimed and not textual:
            code = "02003" if kind in _IMAGES and allowed & _IMAGES else "02002"
            takes = ", ".join(sorted(allowed))
            raise Refused(code, f"{upload.name} is of kind {kind}; {operation.id} takes {takes}")
    return Source(plain_name(upload.part), upload.path, upload.name, kind)
