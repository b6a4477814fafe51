"""The description of the service in OpenAPI 3.1, made from the contract, so that the two cannot differ."""

from __future__ import annotations

from functools import cache
from typing import Any

import paperchute
from paperchute.contract import Operation, Parameter, contract
from paperchute.contract.words import COUNTS
from paperchute.engine.operations import implemented

Json = dict[str, Any]

TEXT: Json = {"type": "string"}
_OR_NULL: Json = {"type": ["string", "null"]}
_NUMBER: Json = {"type": "integer"}
_NULLABLE = frozenset({"downFileName", "downloadUrl", "failureCode", "failureReason"})
FILE: Json = {"type": "string", "format": "binary"}
CALLBACK: Json = {"type": "string", "format": "uri", "description": "called with task.finish when the task has ended"}
_PAGES = r"[1-9][0-9]{0,5}(-[1-9][0-9]{0,5})?"
FORMATS: dict[str, Json] = {
    "json": {"contentMediaType": "application/json"},
    "page-list": {"pattern": f"^(all|{_PAGES}(,{_PAGES})*)?$"},
    "url": {"format": "uri"},
}


_QUESTION: Json = {
    "type": "object",
    "required": ["parameter", "reason", "pageCount", "mostPages", "anyPage", "pages"],
    "properties": {
        "parameter": {**TEXT, "description": "takes the page list that answers"},
        "reason": TEXT,
        "pageCount": _NUMBER,
        "mostPages": {**_NUMBER, "description": "so many pages the answer may name"},
        "anyPage": {"type": "boolean", "description": "the answer may name others than these pages"},
        "pages": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"page": _NUMBER, "reason": TEXT, "proposed": {"type": "boolean"}},
            },
        },
    },
}


def object_of(**properties: Json) -> Json:
    """An object with these properties, all required; others may come."""
    return {"type": "object", "properties": properties, "required": list(properties)}


def json_answer(words: str, schema: Json) -> Json:
    """A response with a JSON body."""
    return {"description": words, "content": {"application/json": {"schema": schema}}}


def responses(data: Json) -> Json:
    """An envelope with this data, or a refusal."""
    envelope = object_of(code={"const": "200"}, msg=TEXT, data=data)
    envelope["properties"]["actionType"] = TEXT
    return {
        "200": json_answer("The envelope.", envelope),
        "default": {"$ref": "#/components/responses/Refused"},
    }


def hub_responses(data: Json) -> Json:
    """The upload interface: the body's code alone tells success from failure."""
    success = object_of(code={"const": 200}, msg=TEXT, data=data)
    failure = object_of(code={"type": "integer", "not": {"const": 200}}, msg=TEXT, data={"type": "null"})
    return {
        "200": json_answer("Accepted, or refused by the body's code.", {"oneOf": [success, failure]}),
        "401": json_answer("The key is wrong.", failure),
        "402": json_answer("The pages that the key may use this month are used up.", failure),
        "404": json_answer("No id has such a form.", {"$ref": "#/components/schemas/Error"}),
        "429": json_answer("The key asks too much; Retry-After says for how long.", failure),
        "503": json_answer("Busy; Retry-After says for how long.", failure),
    }


def answers() -> Json:
    """Schemas that are referred to by name."""
    record = object_of(**{field["name"]: _record_field(field) for field in contract().raw["record"]["fields"]})
    for name, what in (("warnings", "what the result lacks; our own"), ("notes", "how it was made; our own")):
        record["properties"][name] = {"type": "array", "items": TEXT, "description": what}
    record["properties"]["words"] = {
        "type": "object",
        "properties": dict.fromkeys(COUNTS, _NUMBER),
        "description": "what became of the document's words; our own",
    }
    record["properties"]["pages"] = {**_NUMBER, "description": "how many pages were in hand; our own"}
    record["properties"]["questions"] = {
        "type": "array",
        "items": _QUESTION,
        "description": "pages of which a person is to decide, by a parameter of the same operation; our own",
    }
    record["properties"]["status"]["enum"] = [state["value"] for state in contract().raw["status"]["record"]]
    task = object_of(**{field["name"]: _task_field(field) for field in contract().raw["task_object"]["fields"]})
    task["properties"]["taskStatus"]["enum"] = [state["value"] for state in contract().raw["status"]["task"]]
    entry = {"type": "object", "required": ["taskId", "taskStatus"]}
    counts = dict.fromkeys(("total", "size", "current", "pages"), _NUMBER)
    return {
        "Record": record,
        "Task": task,
        "Page": object_of(records={"type": "array", "items": entry}, **counts),
        "Error": object_of(code=TEXT, msg=TEXT, data={"type": "null"}),
    }


def _record_field(field: Json) -> Json:
    kind = _OR_NULL if field["name"] in _NULLABLE else {"type": field["type"]}
    return {**kind, "description": field["meaning"]}


def _task_field(field: Json) -> Json:
    said = {"description": field["meaning"]}
    if field["type"] == "array of record":
        return {"type": "array", "items": {"$ref": "#/components/schemas/Record"}, **said}
    return {"type": field["type"], **said}


ASSETS = object_of(
    tenantAsset={"type": "array", "items": object_of(assetTypeName=TEXT, asset=_NUMBER, withholdingAsset=_NUMBER)}
)
TOOLS: Json = {
    "type": "array",
    "items": object_of(sourceTypeName=TEXT, targetTypeName=TEXT, executeTypeUrl=TEXT),
}
UPLOADED = object_of(batchId=TEXT, taskIds={"type": "array", "items": TEXT})
UPLOAD_STATE = object_of(
    taskId=TEXT, batchId=TEXT, status=TEXT, metadata={"type": ["object", "null"]}, record={"type": "object"}
)
UPLOAD_FORM: Json = {
    "type": "object",
    "properties": {
        field["name"]: (FILE if field["type"] == "file" else TEXT)
        | {"description": field["meaning"]}
        | ({"enum": field["values"]} if "values" in field else {})
        for field in contract().raw["upload"]["request"]
    },
    "required": [field["name"] for field in contract().raw["upload"]["request"] if field["required"]],
}

_KEY: list[Json] = [{"apiKey": []}, {"bearer": []}]
_TASK_ID = {"name": "taskId", "in": "query", "required": True, "schema": {"type": "string"}}
_LANGUAGE = {
    "name": "language",
    "in": "query",
    "description": "of messages: 1 English, 2 Chinese",
    "schema": {"type": "integer", "enum": [1, 2]},
}


@cache
def description(prefix: str) -> Json:
    """The whole description. prefix: what stands before every path, `/server` or nothing."""
    raw = contract().raw
    return {
        "openapi": "3.1.0",
        "info": {
            "title": raw["meta"]["title"],
            "version": raw["meta"]["api_version"],
            "description": _ABOUT,
            "x-engine": f"paperchute {paperchute.__version__}",
        },
        "servers": [{"url": prefix or "/"}],
        "security": _KEY,
        "tags": [{"name": name} for name in ("process", "asynchronous", "pre-signed", "tasks", "account", "upload")],
        "paths": {**_operations(), **_TASK_CALLS, **_UPLOAD_INTERFACE, **_OPEN_TO_ALL},
        "webhooks": _webhooks(),
        "components": {
            "securitySchemes": {
                "apiKey": {"type": "apiKey", "in": "header", "name": raw["auth"]["processing"]["header"]},
                "bearer": {"type": "http", "scheme": "bearer"},
            },
            "schemas": answers(),
            "responses": {"Refused": json_answer("The request is refused.", {"$ref": "#/components/schemas/Error"})},
        },
    }


def _operations() -> Json:
    paths: Json = {}
    for operation in contract().operations.values():
        below = operation.path.removeprefix("/v2/process/")
        paths[operation.path] = {"post": _process(operation)}
        paths[f"/v2/processAsync/{below}"] = {"post": _process_async(operation)}
        if operation.min_files == 1:
            paths[f"/v2/presignedUrl/{below}"] = {"post": _presigned(operation)}
    paths["/v2/presignedUrl"] = {"post": _presigned_generic()}
    paths["/v2/upload/{token}"] = {"put": _put()}
    return paths


def _call(operation: Operation, tag: str, form: Json, data: Json) -> Json:
    done = operation.id in implemented()
    return {
        "operationId": operation.id if tag == "process" else f"{operation.id} {tag}",
        "summary": operation.title if done else f"{operation.title} (this engine does not do it yet)",
        "tags": [tag],
        "x-operation": operation.id,
        "x-done": done,
        "x-input": list(operation.reads),
        "parameters": [_LANGUAGE],
        "requestBody": _multipart(form),
        "responses": responses(data),
    }


def _process(operation: Operation) -> Json:
    record: Json = {"$ref": "#/components/schemas/Record"}
    data = {"type": "array", "items": record} if operation.result == "array" else record
    return _call(operation, "process", _form(operation, operation.max_files), data)


def _process_async(operation: Operation) -> Json:
    most = int(contract().raw["limits"]["files_per_task"]) if operation.max_files == 1 else operation.max_files
    form = _form(operation, most)
    form["properties"]["callbackUrl"] = CALLBACK
    return _call(operation, "asynchronous", form, object_of(taskId=TEXT))


def _presigned(operation: Operation) -> Json:
    form = _form(operation, 0)
    form["properties"] |= {"fileName": {"type": "string", "minLength": 1}, "callbackUrl": CALLBACK}
    form["required"] = [*(name for name in form["required"] if name in form["properties"]), "fileName"]
    return _call(operation, "pre-signed", form, _PRESIGNED)


def _presigned_generic() -> Json:
    names = next(call["form"] for call in contract().raw["presigned"]["call"] if call["id"] == "create-generic")
    form = {"type": "object", "properties": {name: {"type": "string"} for name in names}, "required": ["fileName"]}
    return {
        "operationId": "presigned-generic",
        "summary": "Create a pre-signed task by executeTypeUrl, or add a file to one by taskId",
        "tags": ["pre-signed"],
        "requestBody": _multipart(form),
        "responses": responses(_PRESIGNED),
    }


def _put() -> Json:
    return {
        "operationId": "presigned-upload",
        "summary": "Upload the file of a pre-signed task, to the address that was given, without the key",
        "tags": ["pre-signed"],
        "security": [],
        "parameters": [{"name": "token", "in": "path", "required": True, "schema": {"type": "string"}}],
        "requestBody": {"required": True, "content": {"application/octet-stream": {"schema": FILE}}},
        "responses": responses({"type": "null"}),
    }


def _form(operation: Operation, most: int) -> Json:
    """The form's schema. most: files named `file`; with 0 no file part is described."""
    known = [p for p in operation.parameters if p.type != "file" or most > 0 or operation.max_files == 0]
    properties = {parameter.name: _parameter(parameter, most) for parameter in known}
    required = [parameter.name for parameter in known if parameter.required]
    return {"type": "object", "properties": properties, "required": required}


def _parameter(parameter: Parameter, most: int) -> Json:
    words = [parameter.meaning, parameter.rule or ""]
    said: Json = {"description": ". ".join(word for word in words if word)}
    if parameter.type == "file":
        several = parameter.name == "file" and most > 1
        return said | ({"type": "array", "items": FILE, "maxItems": most} if several else FILE)
    if parameter.type == "array":
        return said | {"type": "array", "items": {"type": "string"}}
    said["type"] = parameter.type
    if parameter.values:
        said["enum"] = list(parameter.values)
    if parameter.default is not None:
        said["default"] = parameter.default
    if parameter.is_secret:
        said["format"] = "password"
    return said | FORMATS.get(parameter.format or "", {})


def _multipart(form: Json) -> Json:
    return {"required": True, "content": {"multipart/form-data": {"schema": form}}}


def _get(name: str, summary: str, tag: str, data: Json, *parameters: Json) -> Json:
    return {
        "operationId": name,
        "summary": summary,
        "tags": [tag],
        "parameters": [*parameters, _LANGUAGE],
        "responses": responses(data),
    }


def _number(name: str, most: int) -> Json:
    return {"name": name, "in": "query", "schema": {"type": "integer", "minimum": 1, "maximum": most}}


def _webhooks() -> Json:
    webhook = contract().raw["webhook"]
    fields = {field["name"]: {"type": "string", "description": field["meaning"]} for field in webhook["fields"]}
    fields["eventName"]["enum"] = [event["name"] for event in webhook["events"]]
    body = {"type": "object", "properties": fields, "required": list(fields)}
    return {
        "event": {
            "post": {
                "summary": "What happened to a task or a file",
                "requestBody": {"content": {webhook["content_type"]: {"schema": body}}},
                "responses": {"2XX": {"description": webhook["answer_expected"]}},
            }
        }
    }


_ABOUT = (
    "Files go in as multipart/form-data with the API key in x-api-key; results come back behind downloadUrl, which "
    "needs no key and is good for 24 hours. A wrong request gets an HTTP status and an envelope with the code; a file "
    "that cannot be processed gets a record with status failed."
)
_PRESIGNED = object_of(taskId=TEXT, presignedUrl=TEXT)
_TASK_CALLS: Json = {
    "/v2/execute/start": {
        "get": _get("start", "Start a pre-signed task", "pre-signed", object_of(taskId=TEXT), _TASK_ID)
    },
    "/v2/task/taskInfo": {
        "get": _get("task-info", "One task and its files", "tasks", {"$ref": "#/components/schemas/Task"}, _TASK_ID)
    },
    "/v2/task/list": {
        "get": _get(
            "task-list",
            "All tasks, the newest first",
            "tasks",
            {"$ref": "#/components/schemas/Page"},
            _number("page", 1_000_000),
            _number("size", 1000),
        )
    },
    "/v2/task/closeTask": {
        "post": _get("close-task", "Drop a task that has not ended", "tasks", {"type": "null"}, _TASK_ID)
    },
    "/v2/asset/info": {"get": _get("asset-info", "Whether the key is good, and what is left", "account", ASSETS)},
    "/v2/tool/support": {"get": _get("tool-support", "Operations that this engine does", "account", TOOLS)},
}
_UPLOAD_INTERFACE: Json = {
    "/api/v2/files/upload": {
        "post": {
            "operationId": "hub-upload",
            "summary": "Hand in a file, or its address, for extraction",
            "tags": ["upload"],
            "security": [{"bearer": []}],
            "requestBody": _multipart(UPLOAD_FORM),
            "responses": hub_responses(UPLOADED),
        }
    },
    **{
        f"/api/v2/{path}/{{id}}": {
            "get": {
                "operationId": f"hub-{path}",
                "summary": "What became of an upload (experimental)",
                "tags": ["upload"],
                "security": [{"bearer": []}],
                "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}],
                "responses": hub_responses(UPLOAD_STATE),
            }
        }
        for path in ("tasks", "batches")
    },
}
_OPEN_TO_ALL: Json = {
    "/v2/download/{token}/{name}": {
        "get": {
            "operationId": "download",
            "summary": "A result, at the address that its record gave",
            "tags": ["tasks"],
            "security": [],
            "parameters": [
                {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
                for name in ("token", "name")
            ],
            "responses": {
                "200": {"description": "The file.", "content": {"application/octet-stream": {"schema": FILE}}},
                "default": {"$ref": "#/components/responses/Refused"},
            },
        }
    },
    "/health": {
        "get": {
            "operationId": "health",
            "summary": "Whether the engine runs",
            "tags": ["account"],
            "security": [],
            "responses": {"200": json_answer("It does.", object_of(status=TEXT))},
        }
    },
    "/ready": {
        "get": {
            "operationId": "ready",
            "summary": "Whether the engine would take a call now: it has workers, and room",
            "tags": ["account"],
            "security": [],
            "responses": {
                "200": json_answer("It would.", object_of(status=TEXT)),
                "default": {"$ref": "#/components/responses/Refused"},
            },
        }
    },
    "/metrics": {
        "get": {
            "operationId": "metrics",
            "summary": "What Prometheus reads; the key goes as a bearer token",
            "tags": ["account"],
            "responses": {
                "200": {"description": "Text format 0.0.4.", "content": {"text/plain": {"schema": TEXT}}},
                "default": {"$ref": "#/components/responses/Refused"},
            },
        }
    },
}
