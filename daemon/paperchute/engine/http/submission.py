"""From a form to a checked order: the rules of contract.toml [error_use] for requests."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from paperchute.contract import (
    PICTURES,
    Operation,
    Parameter,
    Value,
    ValueRefused,
    accept,
    contract,
    kind_of,
    not_one_of,
)
from paperchute.contract.built_in import not_done
from paperchute.contract.kinds import OFFICE, canonical
from paperchute.contract.recognition import defaults
from paperchute.engine.http.form import Form, Upload
from paperchute.engine.http.spellings import Texts, gathered, language_code, values_of
from paperchute.engine.operations import implementation, implemented
from paperchute.engine.outside import FetchRefused, check_web_address
from paperchute.engine.tasks.ports import BlobStore, StoredUpload, work_of
from paperchute.engine.tasks.task import Order, StoredFile
from paperchute.engine.work import FetchPolicy, Protecting, Refused
from paperchute.language import _
from paperchute.redaction import in_use

_OTHER_PICTURES = {"avif", "psd", "ico", "cr2", "jxr", "xcf"}
_TEXTS = {"txt", "html", "json", "md", "csv", "xml"}
_PRINTED = ("html", "htmlUrl", "htmlFile", "template", "templateFile")
_MASK = "***"
_LONGEST_LANGUAGE = 35  # a tag of RFC 5646, section 4.4.1
_LONGEST_SHOWN = 1000  # characters of one value in `fileParameter`; whole templates need not travel back


def check_implemented(operation: Operation) -> None:
    """Raises Refused for an operation of the contract that this engine has no module for."""
    if operation.id not in implemented():
        raise Refused("03000", not_done(operation.id))


def orders_from(
    operation: Operation,
    form: Form,
    query: Mapping[str, str],
    *,
    task: str,
    blobs: BlobStore,
    language: str,
    fetch: FetchPolicy,
    hosts: tuple[str, ...] = (),
    protection: Protecting = "keep",
) -> list[Order]:
    """The orders that a request makes: several only where several files came for an operation that takes one.

    fetch: what HTML may fetch by the engine's settings; hosts: what the call adds. protection: what the call
    says of locked documents. Reads the uploads' first bytes.
    Raises Refused for the first thing wrong.
    """
    given = _given(operation, form.texts, query)
    if not operation.takes_file_part:
        _name_part(form, given)
    stored = _files(operation, form, blobs)
    named = [file for file in stored if file[0].part != "file"]
    sources = [file for file in stored if file[0].part == "file"]
    groups = [[source] for source in sources] if len(sources) > operation.max_files == 1 else [sources]
    orders = []
    for group in groups:
        draft = _draft(operation, given, task=task, name="", language=language)
        draft = replace(draft, hosts=hosts, protection=protection)
        orders.append(_with_files(draft, [*group, *named], blobs, fetch))
    return orders


def draft_from(
    operation: Operation, texts: Texts, query: Mapping[str, str], *, task: str, name: str, language: str
) -> Order:
    """An order whose one file is still to come. Raises Refused for the first thing wrong."""
    if operation.min_files != 1:
        raise Refused(
            "03000",
            _(
                "{operation} is not for pre-signed uploads, which take one file: use the asynchronous mode",
                operation=operation.id,
            ),
        )
    return _draft(operation, _given(operation, texts, query), task=task, name=name, language=language)


def completed(draft: Order, upload: StoredUpload, blobs: BlobStore, fetch: FetchPolicy) -> Order:
    """A draft with its file. Raises Refused for a file that the operation does not take."""
    operation = contract().operations[draft.operation]
    stored = _checked(operation, Upload("file", upload.path, draft.name, upload.size), upload.key)
    return _with_files(draft, [(stored, upload.size)], blobs, fetch)


def callback_of(texts: Texts) -> str:
    """The address to call at a task's end, or empty. Raises Refused."""
    url = next((text for text in reversed(texts.get("callbackUrl", [])) if text), "")
    try:
        if url:
            check_web_address(url)
    except FetchRefused as error:
        raise Refused("03000", _("callbackUrl: {reason}", reason=error)) from None
    return url


def _draft(operation: Operation, given: dict[str, Value], *, task: str, name: str, language: str) -> Order:
    return Order(
        run=secrets.token_hex(16),
        task=task,
        operation=operation.id,
        name=name,
        files=(),
        parameters=_with_defaults(operation, given),
        submitted=masked(operation, given),
        size=0,
        language=language,
    )


def _with_files(draft: Order, stored: list[tuple[StoredFile, int]], blobs: BlobStore, fetch: FetchPolicy) -> Order:
    sources = tuple(file for file, _ in stored)
    name = sources[0].name if sources else ""
    order = replace(draft, files=sources, name=name, size=sum(size for _, size in stored))
    implementation(order.operation).check(work_of(order, blobs, fetch))
    return order


def masked(operation: Operation, given: Mapping[str, Value]) -> str:
    """Submitted parameters as JSON text, passwords masked and long texts cut."""
    shown: dict[str, Any] = {}
    for name, value in given.items():
        parameter = operation.parameter(name)
        if parameter is not None and parameter.is_secret:
            for secret in value if isinstance(value, list) else [value]:
                in_use(str(secret))
            shown[name] = [_MASK if entry else "" for entry in value] if isinstance(value, list) else _MASK
        elif isinstance(value, str) and len(value) > _LONGEST_SHOWN:
            shown[name] = value[:_LONGEST_SHOWN] + "…"
        else:
            shown[name] = value
    return json.dumps(shown, ensure_ascii=False)


def _given(operation: Operation, texts: Texts, query: Mapping[str, str]) -> dict[str, Value]:
    layers = gathered(texts, query)
    given: dict[str, Value] = {}
    for parameter in operation.parameters:
        if parameter.type == "file":
            continue
        value = values_of(parameter, layers)
        if value is not None:
            given[parameter.name] = _accepted(parameter, value)
        elif parameter.required:
            raise Refused("03000", _("{name} is missing: {meaning}", name=parameter.name, meaning=parameter.meaning))
    if why := not_one_of(operation, given):
        raise Refused("03000", why)
    return given


def _with_defaults(operation: Operation, given: Mapping[str, Value]) -> dict[str, Value]:
    return {**defaults(operation), **given}


def _accepted(parameter: Parameter, value: object) -> Value:
    if parameter.name == "language":  # the words of messages hang on it, and no work fails for those
        value = language_code(str(value))[:_LONGEST_LANGUAGE]
        if value not in map(str, parameter.values):
            return value
    try:
        return accept(parameter, value)
    except ValueRefused as error:
        code = "01006" if parameter.format == "json" else "03000"
        raise Refused(code, str(error)) from None


def _files(operation: Operation, form: Form, blobs: BlobStore) -> list[tuple[StoredFile, int]]:
    count = sum(1 for upload in form.uploads if upload.part == "file")
    file = operation.parameter("file")
    if file is not None and count < operation.min_files and (count > 0 or file.required):
        if count == 0:
            raise Refused("01005", _("the request has no part named file"))
        raise Refused(
            "03000",
            _(
                "{operation} takes at least {least} files, but {count} came",
                operation=operation.id,
                least=operation.min_files,
                count=count,
            ),
        )
    return [(_checked(operation, upload, blobs.key_of(upload.path)), upload.size) for upload in form.uploads]


def _name_part(form: Form, given: Mapping[str, Value]) -> None:
    """Take a part `file`, which some clients send instead, for the HTML or the template where nothing else says one."""
    wanted = "templateFile" if given.get("generationType") == "template" else "htmlFile"
    is_said = any(name in given for name in _PRINTED) or any(upload.part in _PRINTED for upload in form.uploads)
    form.uploads = [upload for upload in form.uploads if upload.part != "file" or not is_said]
    for upload in form.uploads:
        if upload.part == "file":
            upload.part = wanted


def _checked(operation: Operation, upload: Upload, key: str) -> StoredFile:
    if upload.size == 0 and not operation.broken_alone:
        raise Refused("04002", _("{name} is empty", name=upload.name))
    kind = kind_of(upload.path)
    is_beside = operation.takes_file_part and upload.part != "file"  # the picture of a mark, the profile of a PDF/A
    beside = ("icc",) if upload.part == "iccFile" else PICTURES
    allowed = {canonical(extension) for extension in (beside if is_beside else operation.reads)}
    # A damaged file is told from a foreign one: what claims to be of a kind we read is the operation's to judge.
    named = canonical(upload.name.rpartition(".")[2])
    damaged = named in allowed and (kind in ("unknown", "encrypted") or (kind == "zip" and named in OFFICE))
    textual = kind in _TEXTS and bool(allowed & _TEXTS)
    if kind not in allowed and not damaged and not textual and not operation.broken_alone:
        code = "02003" if kind in _OTHER_PICTURES and "png" in allowed else "02002"
        raise Refused(
            code,
            _(
                "{name} is of type {kind}; {operation} takes {allowed}",
                name=upload.name,
                kind=kind,
                operation=operation.id,
                allowed=", ".join(sorted(allowed)),
            ),
        )
    return StoredFile(upload.part, key, upload.name, kind)
