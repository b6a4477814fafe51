"""The description of the service in OpenAPI 3.1, made from the contract, so that the two cannot differ."""

from __future__ import annotations

from functools import cache
from typing import Any

import paperchute
from paperchute.contract import Operation, Parameter, contract
from paperchute.engine import openapi_schemas as schemas
from paperchute.engine.operations import implemented

Json = dict[str, Any]

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
            "schemas": schemas.answers(),
            "responses": {
                "Refused": schemas.json_answer("The request is refused.", {"$ref": "#/components/schemas/Error"})
            },
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
        "responses": schemas.responses(data),
    }


def _process(operation: Operation) -> Json:
    record: Json = {"$ref": "#/components/schemas/Record"}
    data = {"type": "array", "items": record} if operation.result == "array" else record
    return _call(operation, "process", _form(operation, operation.max_files), data)


def _process_async(operation: Operation) -> Json:
    most = int(contract().raw["limits"]["files_per_task"]) if operation.max_files == 1 else operation.max_files
    form = _form(operation, most)
    form["properties"]["callbackUrl"] = schemas.CALLBACK
    return _call(operation, "asynchronous", form, schemas.object_of(taskId=schemas.TEXT))


def _presigned(operation: Operation) -> Json:
    form = _form(operation, 0)
    form["properties"] |= {"fileName": {"type": "string", "minLength": 1}, "callbackUrl": schemas.CALLBACK}
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
        "responses": schemas.responses(_PRESIGNED),
    }


def _put() -> Json:
    return {
        "operationId": "presigned-upload",
        "summary": "Upload the file of a pre-signed task, to the address that was given, without the key",
        "tags": ["pre-signed"],
        "security": [],
        "parameters": [{"name": "token", "in": "path", "required": True, "schema": {"type": "string"}}],
        "requestBody": {"required": True, "content": {"application/octet-stream": {"schema": schemas.FILE}}},
        "responses": schemas.responses({"type": "null"}),
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
        return said | ({"type": "array", "items": schemas.FILE, "maxItems": most} if several else schemas.FILE)
    if parameter.type == "array":
        return said | {"type": "array", "items": {"type": "string"}}
    said["type"] = parameter.type
    if parameter.values:
        said["enum"] = list(parameter.values)
    if parameter.default is not None:
        said["default"] = parameter.default
    if parameter.is_secret:
        said["format"] = "password"
    return said | schemas.FORMATS.get(parameter.format or "", {})


def _multipart(form: Json) -> Json:
    return {"required": True, "content": {"multipart/form-data": {"schema": form}}}


def _get(name: str, summary: str, tag: str, data: Json, *parameters: Json) -> Json:
    return {
        "operationId": name,
        "summary": summary,
        "tags": [tag],
        "parameters": [*parameters, _LANGUAGE],
        "responses": schemas.responses(data),
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
_PRESIGNED = schemas.object_of(taskId=schemas.TEXT, presignedUrl=schemas.TEXT)
_TASK_CALLS: Json = {
    "/v2/execute/start": {
        "get": _get("start", "Start a pre-signed task", "pre-signed", schemas.object_of(taskId=schemas.TEXT), _TASK_ID)
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
    "/v2/asset/info": {
        "get": _get("asset-info", "Whether the key is good, and what is left", "account", schemas.ASSETS)
    },
    "/v2/tool/support": {"get": _get("tool-support", "Operations that this engine does", "account", schemas.TOOLS)},
}
_UPLOAD_INTERFACE: Json = {
    "/api/v2/files/upload": {
        "post": {
            "operationId": "hub-upload",
            "summary": "Hand in a file, or its address, for extraction",
            "tags": ["upload"],
            "security": [{"bearer": []}],
            "requestBody": _multipart(schemas.UPLOAD_FORM),
            "responses": schemas.hub_responses(schemas.UPLOADED),
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
                "responses": schemas.hub_responses(schemas.UPLOAD_STATE),
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
                "200": {"description": "The file.", "content": {"application/octet-stream": {"schema": schemas.FILE}}},
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
            "responses": {"200": schemas.json_answer("It does.", schemas.object_of(status=schemas.TEXT))},
        }
    },
}
