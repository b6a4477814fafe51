"""The schemas of the OpenAPI description: what answers look like, and formats of values."""

from __future__ import annotations

from typing import Any

from paperchute.contract import contract

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
        "404": json_answer("No id has such a form.", {"$ref": "#/components/schemas/Error"}),
        "503": json_answer("Busy; Retry-After says for how long.", failure),
    }


def answers() -> Json:
    """Schemas that are referred to by name."""
    record = object_of(**{field["name"]: _record_field(field) for field in contract().raw["record"]["fields"]})
    record["properties"]["warnings"] = {"type": "array", "items": TEXT, "description": "what the result lacks; our own"}
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
