"""Typed reading of contract.toml and extensions.toml: operations, parameters, error codes and their classes."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cache
from importlib import resources
from typing import Any, Literal

_ENGLISH = 1
"""Where nobody says a language; the public documents name Chinese for some operations.

See docs/contract.md#where-sources-disagree.
"""
_MORE_PICTURES = ("webp", "gif", "jp2", "heic", "heif")

_PROTECTION = ("userPassword", "ownerPassword", "algorithm")  # of pdf-encrypt, as are allowPrint, allowCopy ...

ParameterType = Literal["file", "string", "integer", "number", "boolean", "array"]


_EVERYDAY = {
    "word": "docx", "doc": "docx", "excel": "xlsx", "xls": "xlsx", "powerpoint": "pptx", "ppt": "pptx", "text": "txt",
    "md": "markdown", "htm": "html", "web": "html", "2": "to", "picture": "img", "pictures": "img", "image": "img",
    "images": "img", "photo": "img", "scan": "img", "jpg": "img", "jpeg": "img", "png": "img", "tiff": "img",
}  # fmt: skip
"""What people call the parts of an operation's id."""

_MEANT = {
    **dict.fromkeys(("ocr", "pdf-ocr", "pdf-to-ocr", "searchable", "pdf-searchable", "pdf-to-searchable", "recognise",
                     "recognize", "text-recognition", "pdf-to-searchable-pdf", "pdf-to-pdf", "img-to-searchable"),
                    "pdf-to-editable"),
    **dict.fromkeys(("merge", "join", "combine", "bundle", "pdf-join", "pdf-combine", "merge-pdf"), "pdf-merge"),
    **dict.fromkeys(("lock", "encrypt", "protect", "pdf-lock", "pdf-protect", "pdf-password"), "pdf-encrypt"),
    **dict.fromkeys(("unlock", "decrypt", "pdf-unlock"), "pdf-decrypt"),
    **dict.fromkeys(("split", "pdf-separate", "separate"), "pdf-split"),
    **dict.fromkeys(("compress", "shrink", "pdf-shrink", "pdf-reduce", "optimise", "optimize"), "pdf-compress"),
    **dict.fromkeys(("rotate", "turn", "pdf-turn"), "pdf-rotate"),
    **dict.fromkeys(("watermark", "stamp", "pdf-watermark", "pdf-stamp"), "pdf-add-watermark"),
    **dict.fromkeys(("insert", "pdf-add-pages"), "pdf-insert"),
    **dict.fromkeys(("clean", "scan-clean", "clean-scan", "pdf-clean"), "magic-color"),
    **dict.fromkeys(("deskew", "straighten", "upright", "blank-pages", "scanner", "scans", "img"), "scan"),
    **dict.fromkeys(("redact", "redaction", "black-out", "pdf-blackout", "anonymise", "anonymize"), "pdf-redact"),
    **dict.fromkeys(("print", "html-print", "webpage-to-pdf", "url-to-pdf"), "html-to-pdf"),
    **dict.fromkeys(("template", "mail-merge", "generate"), "pdf-generate"),
    **dict.fromkeys(("parse", "parsing"), "document-parsing"),
    **dict.fromkeys(("extract", "extraction"), "document-extract"),
    **dict.fromkeys(("table", "receipts", "invoices", "receipts-to-table", "documents-to-xlsx", "document-to-table"),
                    "documents-to-table"),
    **dict.fromkeys(("pdf-a", "pdf-to-pdfa", "pdfa", "pdf-to-pdf-a"), "pdf-convert-type"),
}  # fmt: skip
"""What people call an operation, in the words above."""


@dataclass(frozen=True)
class Parameter:
    """One form part of an operation, as `[[operation]].parameters` states it.

    `values` are the allowed ones (empty: any of the type), `value_aliases` maps accepted misspellings to them.
    `default` is None where the contract gives none. `format` is one of json, page-list, page-list[], url, or None.
    """

    name: str
    type: ParameterType
    required: bool
    meaning: str
    values: tuple[Any, ...] = ()
    default: Any = None
    aliases: tuple[str, ...] = ()
    value_aliases: Mapping[str, str] | None = None
    format: str | None = None
    rule: str | None = None
    is_seed: bool = True
    """Whether its name stands in the seed document; others may be called otherwise by a provider."""
    is_ours: bool = False
    """Whether our engine alone knows it (extensions.toml)."""
    our_values: tuple[str, ...] = ()
    """Those of `values` that our engine alone knows (extensions.toml)."""
    is_filled_in: bool = False
    """Whether rules fill it in by themselves, so that none of them may say it (extensions.toml)."""
    placeholders: tuple[str, ...] | None = None
    """Those that whoever does the operation fills in, beside which rules fill in their own; None for neither."""

    @property
    def is_flag(self) -> bool:
        """True for the contract's integer flags 0/1, for which true/false serve as well.

        See docs/contract.md#ground-rules.
        """
        return self.type == "integer" and set(self.values) == {0, 1}

    @property
    def is_said(self) -> bool:
        """True for what a rule may say: no file, and nothing that is filled in by itself."""
        return self.name != "file" and not self.is_filled_in

    @property
    def is_protection(self) -> bool:
        """True for what a result is locked with: its passwords, cipher and permissions."""
        return self.name in _PROTECTION or self.name.startswith("allow")

    @property
    def is_secret(self) -> bool:
        """True for passwords: never logged, never journaled, masked in records (contract.toml `[record] extra`)."""
        return "password" in self.name.lower()


@dataclass(frozen=True)
class Operation:
    """One capability of the service: its route, its files and its parameters."""

    id: str
    path: str
    title: str
    in_seed: bool
    min_files: int
    max_files: int
    source_type: str
    target_type: str
    result: Literal["record", "array"]
    input_ext: tuple[str, ...]
    output_ext: str
    parameters: tuple[Parameter, ...]
    is_ours: bool = False
    """Whether our engine alone knows it (extensions.toml)."""
    one_of: tuple[str, ...] = ()
    """Parameters of which a call has exactly one."""
    our_ext: tuple[str, ...] = ()
    """Extensions of files that our engine alone takes (extensions.toml)."""
    broken_alone: bool = False
    """Whether a file that cannot be worked on costs its own part of the result alone (extensions.toml)."""

    @property
    def reads(self) -> tuple[str, ...]:
        """Extensions of the files it takes: `input_ext`, and with pictures among them, all that our engine reads."""
        known = (*self.input_ext, *self.our_ext)
        return tuple(dict.fromkeys((*known, *_MORE_PICTURES))) if "png" in known else known

    @property
    def read_remotely(self) -> tuple[str, ...]:
        """The same for a remote service, which knows nothing of `our_ext`."""
        return replace(self, our_ext=()).reads

    def parameter(self, name: str) -> Parameter | None:
        """The parameter of that name or alias, or None."""
        for p in self.parameters:
            if name == p.name or name in p.aliases:
                return p
        return None

    def nearest_parameter(self, name: str) -> str | None:
        """The likeliest meant parameter name, for "did you mean"."""
        return nearest(name, [p.name for p in self.parameters])

    @property
    def takes_any_number(self) -> bool:
        """Whether it works on more files than a pair, so that it can have what comes together."""
        return self.max_files > 2

    @property
    def takes_file_part(self) -> bool:
        """False for pdf-generate, whose files come in parts of their own (docs/contract.md#pdf-generate)."""
        return any(p.name == "file" for p in self.parameters)


@dataclass(frozen=True)
class ErrorCode:
    """One service code: its HTTP status (0: only ever inside a record), meaning, and how a client treats it."""

    code: str
    http: int
    meaning: str
    name: str | None


@dataclass(frozen=True)
class Contract:
    """The whole contract. `raw` is the parsed TOML for the parts that have no type of their own."""

    operations: Mapping[str, Operation]
    upload: Operation
    errors: Mapping[str, ErrorCode]
    error_classes: Mapping[str, str]
    record_fields: tuple[str, ...]
    retry_http: frozenset[int]
    raw: Mapping[str, Any]

    def operation(self, id_: str) -> Operation | None:
        """One of the processing operations, or `document-upload`, which has an interface of its own."""
        return self.upload if id_ == self.upload.id else self.operations.get(id_)

    def known(self, id_: str) -> Operation:
        """The same for an id that was checked before. Raises KeyError."""
        return self.upload if id_ == self.upload.id else self.operations[id_]

    @property
    def all_operations(self) -> tuple[Operation, ...]:
        """Everything a rule can ask for."""
        return (*self.operations.values(), self.upload)

    def operation_at(self, path: str) -> Operation | None:
        """The operation whose route below the base is `path` (such as /v2/process/pdf/merge), or None."""
        return next((o for o in self.operations.values() if o.path == path), None)

    def nearest_operation(self, id_: str) -> str | None:
        """The likeliest meant operation id, for "did you mean": by everyday words, else by its spelling."""
        plain = "-".join(_EVERYDAY.get(word, word) for word in re.split(r"[\s_-]+", id_.lower().strip()))
        known = [operation.id for operation in self.all_operations]
        return _MEANT.get(plain) or (plain if plain in known else nearest(id_, known))

    def error_class(self, code: str, http: int = 200) -> str:
        """How a client treats a code (`[error_use] client_classes`).

        Unknown codes are transient when the HTTP status is in `retry_http`, else permanent.
        """
        known = self.error_classes.get(code)
        if known is not None:
            return known
        return "transient" if http in self.retry_http else "permanent"


def nearest(word: str, known: list[str]) -> str | None:
    """The closest known word, whatever its case; None when nothing is near."""
    by_lower = {k.lower(): k for k in known}
    found = get_close_matches(word.lower(), list(by_lower), n=1, cutoff=0.6)
    return by_lower[found[0]] if found else None


def _parameter(raw: Mapping[str, Any], *, is_ours: bool = False) -> Parameter:
    return Parameter(
        name=raw["name"],
        type=raw["type"],
        required=raw["required"],
        meaning=raw["meaning"],
        values=(*raw.get("values", ()), *raw.get("extra_values", ())),
        default=_ENGLISH if raw["name"] == "language" else raw.get("default"),
        aliases=tuple(raw.get("aliases", ())),
        value_aliases=raw.get("value_aliases"),
        format=raw.get("format"),
        rule=raw.get("rule"),
        is_seed=not is_ours and raw.get("name_source", "seed") == "seed",
        is_ours=is_ours,
        is_filled_in=raw.get("filled_in", False),
        placeholders=tuple(raw["placeholders"]) if "placeholders" in raw else None,
    )


def _operation(raw: Mapping[str, Any], *, is_ours: bool = False) -> Operation:
    return Operation(
        id=raw["id"],
        path=raw["path"],
        title=raw["title"],
        in_seed=not is_ours and raw["in_seed"],
        min_files=raw["min_files"],
        max_files=raw["max_files"],
        source_type=raw["source_type"],
        target_type=raw["target_type"],
        result=raw["result"],
        input_ext=tuple(raw["input_ext"]),
        output_ext=raw["output_ext"],
        parameters=tuple(_parameter(p, is_ours=is_ours) for p in raw["parameters"]),
        is_ours=is_ours,
        broken_alone=raw.get("broken_alone", False),
    )


def _with_extensions(operations: dict[str, Operation], raw: Mapping[str, Any]) -> dict[str, Operation]:
    """Add what our own engine does beyond the interface: operations, and more parameters and kinds of files."""
    for addition in raw["addition"]:
        one_of = tuple(addition.get("one_of", ()))
        ours = tuple(_parameter(p, is_ours=True) for p in addition.get("parameters", ()))
        our_ext = tuple(addition.get("input_ext", ()))
        filled = addition.get("filled", ())
        more: Mapping[str, list[str]] = addition.get("values", {})
        for id_ in addition["operations"]:
            known = operations[id_]
            given = (
                replace(
                    p,
                    required=p.required and p.name not in one_of,
                    placeholders=() if p.name in filled else p.placeholders,
                    values=(*p.values, *more.get(p.name, ())),
                    our_values=tuple(more.get(p.name, ())),
                )
                for p in known.parameters
            )
            operations[id_] = replace(
                known, parameters=(*given, *ours), one_of=one_of or known.one_of, our_ext=(*known.our_ext, *our_ext)
            )
    return operations | {o["id"]: _operation(o, is_ours=True) for o in raw["operation"]}


def _upload(raw: Mapping[str, Any], extensions: tuple[str, ...]) -> Operation:
    """The upload interface in the shape of an operation; its file or url is what was dropped.

    See docs/contract.md#upload-interface.
    """
    return Operation(
        id="document-upload",
        path=raw["path"],
        title="Hand in to the document hub",
        in_seed=True,
        min_files=1,
        max_files=1,
        source_type="file",
        target_type="upload",
        result="record",
        input_ext=(*extensions, "url"),
        output_ext="json",
        parameters=tuple(_parameter(p) for p in raw["request"] if p["name"] != "url"),
    )


@cache
def contract() -> Contract:
    """The contract shipped with this package, read once."""
    raw, ours = (
        tomllib.loads(resources.files(__package__).joinpath(name).read_text("utf-8"))
        for name in ("contract.toml", "extensions.toml")
    )
    operations = _with_extensions({o["id"]: _operation(o) for o in raw["operation"]}, ours)
    extensions = dict.fromkeys(extension for o in operations.values() for extension in o.input_ext)
    return Contract(
        operations=operations,
        upload=_upload(raw["upload"], tuple(extensions)),
        errors={e["code"]: ErrorCode(e["code"], e["http"], e["meaning"], e.get("name")) for e in raw["error_code"]},
        error_classes={code: c["kind"] for c in raw["error_use"]["client_classes"] for code in c["codes"]},
        record_fields=tuple(f["name"] for f in raw["record"]["fields"]),
        retry_http=frozenset(raw["error"]["retry_http"]),
        raw=raw,
    )
