"""Public clients of the same interface, unchanged, against the engine.

They are not among our requirements (what they themselves need is large, and in part under the AGPL): where one is
installed, it is run. See docs/clients.md.
"""

from __future__ import annotations

import base64
import importlib
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from paperchute.contract import contract
from tests.engine.reading.printing import picture, printed
from tests.engine.service.running import KEY, PDF, PLAIN, RunningEngine, ended, until

_PATHS = {operation.path: operation for operation in contract().operations.values()}


def _client(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ImportError:
        pytest.skip(f"{name} is not installed")


def _docslight(engine: RunningEngine, key: str = KEY) -> Any:
    """Its base address stands before /server."""
    return _client("docslight.cloud").CloudClient(key, engine.base_url.removesuffix("/server"), 60.0)


def test_docslight_parses(engine: RunningEngine, tmp_path: Path) -> None:
    document = tmp_path / "a.pdf"
    document.write_bytes(PDF + b"do: parsed")
    parsed = _docslight(engine).parse(document, enableOcr=1, parse_options={"mergeTables": True}, imageType="url")
    assert parsed.markdown == "# Hello"
    assert parsed.pages[0]["parsing_res_list"][0]["block_content"] == "Hello"
    assert parsed.metadata["status"] == "success"
    assert parsed.metadata["archive_entries"] == ["result.json", "result.md"]


def test_docslight_extracts(engine: RunningEngine, tmp_path: Path) -> None:
    document = tmp_path / "a.pdf"
    document.write_bytes(PDF)
    extracted = _docslight(engine).extract(document, fields=["number", "total"])
    assert '"number"' in str(extracted.data["parameters"]["extractFields"])


def test_docslight_understands_refusals_and_health(engine: RunningEngine, tmp_path: Path) -> None:
    errors = _client("docslight.exceptions")
    document = tmp_path / "a.pdf"
    document.write_bytes(PDF)
    assert _docslight(engine).health() == {"status": "ok"}
    with pytest.raises(errors.AuthenticationError):
        _docslight(engine, "wrong").parse(document)
    with pytest.raises(errors.CloudAPIError, match="content_filter"):
        _docslight(engine).parse(document, content_filter="nothing")


def test_docslight_gets_the_product_s_own_results(tmp_path: Path) -> None:
    html = f"<h1>Harbours</h1><p>Order No: 77</p><img src='{picture()}' width=200>"
    html += "<table><thead><tr><th>Port</th><th>Ships</th></tr></thead><tr><td>x</td><td>3</td></tr></table>"
    document = printed(tmp_path / "a.pdf", html, "table{border-collapse:collapse} td,th{border:1px solid #000}")
    with RunningEngine(tmp_path / "state", real=True) as engine:
        parsed = _docslight(engine).parse(document, parse_options={"applyDocumentTree": True}, image_type="url")
        extracted = _docslight(engine).extract(document, fields=["Order No"])
    assert parsed.markdown.startswith("# Harbours")
    blocks = parsed.pages[0]["parsing_res_list"]
    assert {block["block_type"] for block in blocks} == {"doc_title", "text", "image", "table"}
    assert blocks[0]["block_bbox"][2] > blocks[0]["block_bbox"][0]
    assert parsed.raw_response["catalog"]["children"][0]["title"] == "Harbours"
    assert parsed.metadata["archive_entries"] == ["result.json", "result.md", "images/page-1-1.png"]
    assert extracted.data["Page-1"] == {"Order No": "77"}


def _gateway(engine: RunningEngine, key: str = KEY) -> Any:
    return _client("compdf_streaming_mcp.gateway").ComPDFGateway(key, engine.base_url, 60.0)


def _file(name: str, content: bytes) -> dict[str, str]:
    return {"filename": name, "content_base64": base64.b64encode(content).decode()}


def test_the_mcp_gateway_calls_every_operation_of_its_catalogue(every: RunningEngine) -> None:
    operations = _client("compdf_streaming_mcp.catalog")._OPERATIONS
    options: dict[str, dict[str, Any]] = {
        "document_extract": {"extractFields": {}},
        "generate_pdf": {"html": "<p>x"},
        "merge_pdf": {"filePageRanges": ["1", "2"]},
        "split_pdf": {"pages": "1"},
    }
    done = []
    for operation in operations:
        ours = _PATHS[operation.path]
        needed = {p.name: p.values[0] if p.values else "1" for p in ours.parameters if p.required and p.type != "file"}
        files = [_file(f"{number}.{ours.input_ext[0]}", b"\x00\xff") for number in range(ours.min_files)]
        data = _gateway(every).invoke_sync(operation.name, files, {**needed, **options.get(operation.name, {})})
        record = data[0] if isinstance(data, list) else data
        assert record["status"] == "success", operation.name
        done.append(operation.path)
    assert len(done) > 30


def test_the_mcp_gateway_goes_all_three_ways(engine: RunningEngine) -> None:
    gateway = _gateway(engine)
    task = gateway.invoke_async("pdf_to_markdown", [_file("a.pdf", PDF)], {"enableOcr": True})["taskId"]
    until(lambda: gateway.task_status(task)["taskStatus"] == "TaskFinish")
    made, upload = gateway.create_presigned("pdf_to_markdown", _file("a.pdf", PDF), {"pageRanges": "1"})
    gateway.upload_presigned(made["presignedUrl"], upload)
    assert gateway.start_presigned(made["taskId"])["taskId"] == made["taskId"]
    record = ended(engine, made["taskId"])["fileInfoDTOList"][0]
    assert PLAIN.get(record["downloadUrl"]).json()["parameters"]["pageRanges"] == "1"
    with pytest.raises(_client("compdf_streaming_mcp.gateway").ComPDFGatewayError, match="401"):
        _gateway(engine, "wrong").task_status(task)
