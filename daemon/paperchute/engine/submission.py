"""From a form to a checked order: the rules of contract.toml [error_use] for requests."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from paperchute.contract import Operation, Parameter, Value, ValueRefused, accept, kind_of
from paperchute.contract.kinds import canonical
from paperchute.engine.form import Form, Upload
from paperchute.engine.messages import Language
from paperchute.engine.operations import implementation, implemented
from paperchute.engine.spelling import gathered, values_of
from paperchute.engine.store import Store
from paperchute.engine.tasks import Order, StoredFile, work_of
from paperchute.engine.work import Refused

_IMAGES = {"png", "jpg", "tiff", "bmp", "webp", "gif", "jp2", "heic"}
_TEXTS = {"txt", "html", "json", "md", "csv"}
_MASK = "***"
_LONGEST_SHOWN = 1000  # characters of one value in `fileParameter`; whole templates need not travel back


def check_implemented(operation: Operation) -> None:
    """Raises Refused for an operation of the contract that this engine has no module for."""
    if operation.id not in implemented():
        raise Refused("03000", f"this engine does not do {operation.id} yet", f"本引擎尚不支持 {operation.id}")


def order_from(
    operation: Operation,
    form: Form,
    query: Mapping[str, str],
    *,
    task: str,
    store: Store,
    request_key: str | None,
    language: Language,
) -> Order:
    """The order that a request makes. Reads the uploads' first bytes. Raises Refused for the first thing wrong."""
    given = _given(operation, form, query)
    order = Order(
        task=task,
        operation=operation.id,
        files=_files(operation, form, store),
        parameters=_with_defaults(operation, given),
        submitted=masked(operation, given),
        size=sum(upload.size for upload in form.uploads),
        request_key=request_key,
        language=language,
    )
    implementation(operation.id).check(work_of(order, store))
    return order


def masked(operation: Operation, given: Mapping[str, Value]) -> str:
    """Submitted parameters as JSON text, passwords masked and long texts cut."""
    shown: dict[str, Any] = {}
    for name, value in given.items():
        parameter = operation.parameter(name)
        if parameter is not None and parameter.is_secret:
            shown[name] = [_MASK if entry else "" for entry in value] if isinstance(value, list) else _MASK
        elif isinstance(value, str) and len(value) > _LONGEST_SHOWN:
            shown[name] = value[:_LONGEST_SHOWN] + "…"
        else:
            shown[name] = value
    return json.dumps(shown, ensure_ascii=False)


def _given(operation: Operation, form: Form, query: Mapping[str, str]) -> dict[str, Value]:
    layers = gathered(form.texts, query)
    given: dict[str, Value] = {}
    for parameter in operation.parameters:
        if parameter.type == "file":
            continue
        value = values_of(parameter, layers)
        if value is not None:
            given[parameter.name] = _accepted(parameter, value)
        elif parameter.required:
            raise Refused(
                "03000", f"{parameter.name} is missing: {parameter.meaning}", f"缺少必填字段 {parameter.name}"
            )
    return given


def _with_defaults(operation: Operation, given: Mapping[str, Value]) -> dict[str, Value]:
    defaults = {p.name: accept(p, p.default) for p in operation.parameters if p.default is not None}
    return {**defaults, **given}


def _accepted(parameter: Parameter, value: object) -> Value:
    try:
        return accept(parameter, value)
    except ValueRefused as error:
        code = "01006" if parameter.format == "json" else "03000"
        english, chinese = str(error), f"字段 {parameter.name} 的值无效"
        allowed = [_as_sent(v) for v in parameter.values]
        if allowed:
            chinese += f"，可选值：{' | '.join(allowed)}"
        raise Refused(code, english, chinese) from None


def _as_sent(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _files(operation: Operation, form: Form, store: Store) -> tuple[StoredFile, ...]:
    count = sum(1 for upload in form.uploads if upload.part == "file")
    file = operation.parameter("file")
    if file is not None and count < operation.min_files and (count > 0 or file.required):
        if count == 0:
            raise Refused("01005", "the request holds no part named file")
        raise Refused(
            "03000",
            f"{operation.id} takes at least {operation.min_files} files, and {count} came",
            f"至少需要 {operation.min_files} 个文件，收到 {count} 个",
        )
    return tuple(_checked(operation, upload, store) for upload in form.uploads)


def _checked(operation: Operation, upload: Upload, store: Store) -> StoredFile:
    if upload.size == 0:
        raise Refused("04002", f"{upload.name} is empty")
    kind = kind_of(upload.path)
    allowed = {canonical(extension) for extension in operation.input_ext}
    # A damaged file is told from a foreign one: what claims to be of a kind we read is the operation's to judge.
    damaged = kind == "unknown" and canonical(upload.name.rpartition(".")[2]) in allowed
    textual = kind in _TEXTS and bool(allowed & _TEXTS)
    if kind not in allowed and not damaged and not textual:
        code = "02003" if kind in _IMAGES and allowed & _IMAGES else "02002"
        raise Refused(
            code,
            f"{upload.name} is of kind {kind}; {operation.id} takes {', '.join(sorted(allowed))}",
            f"{upload.name} 的类型为 {kind}，支持的类型：{', '.join(sorted(allowed))}",
        )
    return StoredFile(upload.part, store.key_of(upload.path), upload.name, kind)
