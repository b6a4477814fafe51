"""Reading requests: every way in which clients send the same thing, and every way in which they send it wrong."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.engine.service.running import HTML, PDF, PLAIN, RunningEngine, record_of, refusal_of, told_by

_LINE = b"\r\n"
_TWO = (("file", "a.pdf", PDF), ("file", "b.pdf", PDF))


def _part(name: str, content: bytes | str, more: str = "") -> bytes:
    content = content.encode() if isinstance(content, str) else content
    return f'--frontier\r\nContent-Disposition: form-data; name="{name}"{more}\r\n\r\n'.encode() + content + _LINE


def _file(name: str, content: bytes, part: str = "file") -> bytes:
    return _part(part, content, f'; filename="{name}"')


def _send(engine: RunningEngine, path: str, body: bytes | Iterator[bytes], **query: str) -> httpx.Response:
    headers = {"Content-Type": "multipart/form-data; boundary=frontier"}
    return engine.client.post(f"/v2/process/{path}", content=body, headers=headers, params=query)


def _whole(*parts: bytes) -> bytes:
    return b"".join(parts) + b"--frontier--\r\n"


def test_a_record_has_all_fifteen_fields_and_masks_passwords(engine: RunningEngine) -> None:
    data = {"password": "hunter2", "language": "1"}
    record = record_of(engine.post("html/pdf", ("file", "Bericht.html", HTML), data=data))
    assert list(record) == [
        *("fileKey", "taskId", "fileName", "downFileName", "fileUrl", "downloadUrl", "sourceType", "targetType"),
        *("fileSize", "convertSize", "convertTime", "status", "failureCode", "failureReason", "fileParameter"),
        *("warnings", "notes", "words", "questions", "pages", "taskStatus", "fileInfoDTOList"),
    ]
    assert (record["fileName"], record["downFileName"]) == ("Bericht.html", "told.json")
    assert (record["sourceType"], record["targetType"], record["fileSize"]) == ("html", "pdf", len(HTML))
    assert (record["status"], record["failureCode"], record["failureReason"]) == ("success", None, None)
    assert json.loads(record["fileParameter"]) == {"password": "***", "language": 1}


def test_secrets_reach_the_operation_and_nothing_else(engine: RunningEngine) -> None:
    secrets = ["hunter2-first", "hunter2-second"]
    answer = engine.post("pdf/merge", *_TWO, data={"passwords": secrets, "password": "hunter2-third"})
    assert told_by(answer)["parameters"]["passwords"] == secrets
    assert json.loads(record_of(answer)["fileParameter"])["passwords"] == ["***", "***"]
    kept = b"".join(path.read_bytes() for path in engine.state.glob("tasks.sqlite*"))
    for place in (answer.content, kept, engine.log_file.read_bytes()):
        assert b"hunter2" not in place


def test_merge_answers_with_an_array_and_insert_with_its_action(engine: RunningEngine) -> None:
    assert isinstance(engine.post("pdf/merge", *_TWO).json()["data"], list)
    answer = engine.post("pdf/insert", *_TWO, data={"actionType": "FROM_PDF", "index": "1"}).json()
    assert answer["actionType"] == answer["data"]["actionType"] == "FROM_PDF"


@given(st.permutations(["file a", "file b", "password", "ranges a", "ranges b", "unknown"]))
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_parts_come_in_any_order(engine: RunningEngine, order: list[str]) -> None:
    parts = {
        "file a": _file("a.pdf", PDF + b"a"),
        "file b": _file("b.pdf", PDF + b"b"),
        "password": _part("password", "x"),
        "ranges a": _part("filePageRanges", "1"),
        "ranges b": _part("filePageRanges", "2-3"),
        "unknown": _part("colour", "blue"),
    }
    told = told_by(_send(engine, "pdf/merge", _whole(*(parts[name] for name in order))))
    files = ["a.pdf", "b.pdf"] if order.index("file a") < order.index("file b") else ["b.pdf", "a.pdf"]
    ranges = ["1", "2-3"] if order.index("ranges a") < order.index("ranges b") else ["2-3", "1"]
    assert [source["name"] for source in told["sources"]] == files
    assert told["parameters"]["filePageRanges"] == ranges
    assert told["parameters"]["password"] == "x"


@pytest.mark.parametrize(
    "parts",
    [
        [_part("filePageRanges", "1,2"), _part("filePageRanges", "3")],
        [_part("filePageRanges", '["1,2", "3"]')],
        [_part("filePageRanges[]", "1,2"), _part("filePageRanges[]", "3")],
        [_part("filePageRanges[1]", "3"), _part("filePageRanges[0]", "1,2")],
        [_part("pageRanges", "1,2"), _part("pageRanges", "3")],
        [_part("parameter", '{"filePageRanges": ["1,2", "3"]}')],
    ],
    ids=["repeated", "json", "brackets", "numbered", "alias", "parameter"],
)
def test_lists_come_in_all_spellings(engine: RunningEngine, parts: list[bytes]) -> None:
    told = told_by(_send(engine, "pdf/merge", _whole(_file("a.pdf", PDF), *parts, _file("b.pdf", PDF))))
    assert told["parameters"]["filePageRanges"] == ["1,2", "3"]


def test_explicit_parts_win_over_the_older_parameter_object_and_that_over_the_query(engine: RunningEngine) -> None:
    older = {"image_type": "base64", "content_filter": "table", "enableOcr": True, "language": 1, "pages": None}
    parts = (_part("image_type", "url"), _part("parameter", json.dumps(older)), _file("a.pdf", PDF))
    query = {"content_filter": "toc", "image_type": "base64", "language": "2", "pageRanges": "7"}
    told = told_by(_send(engine, "idp/documentParsing", _whole(*parts), **query))["parameters"]
    assert (told["image_type"], told["content_filter"], told["enableOcr"], told["language"]) == ("url", "table", 1, 1)
    assert told["pageRanges"] == ""  # the query carries three names, and this is none of them


def test_aliases_and_the_query_name_the_same_parameters(engine: RunningEngine) -> None:
    parts = (_part("imageType", "base64"), _part("options_json", '{"mergeTables": true}'), _file("a.pdf", PDF))
    told = told_by(_send(engine, "idp/documentParsing", _whole(*parts), content_filter="heading"))["parameters"]
    assert (told["image_type"], told["content_filter"]) == ("base64", "heading")
    assert json.loads(told["parse_options"]) == {"mergeTables": True}


def test_empty_text_is_the_same_as_absent(engine: RunningEngine) -> None:
    parts = (_part("enableOcr", ""), _part("pageRanges", ""), _part("parameter", ""), _file("a.pdf", PDF))
    told = told_by(_send(engine, "pdf/markdown", _whole(*parts)))["parameters"]
    assert "enableOcr" not in told  # which is no 0: pages that need it are recognised
    assert told["pageRanges"] == ""


def test_unknown_parts_are_ignored_and_logged_by_name_only(engine: RunningEngine) -> None:
    parts = (_part("colour", "secret-blue"), _file("x.bin", b"secret-bytes", "extra"), _file("a.html", HTML))
    answer = _send(engine, "html/pdf", _whole(*parts))
    assert [source["name"] for source in told_by(answer)["sources"]] == ["a.html"]
    call = next(call for call in engine.calls() if call.get("task") == record_of(answer)["taskId"])
    assert call["ignored"] == ["colour", "extra"]
    assert "secret-b" not in engine.log_file.read_text("utf-8")


def test_a_body_may_come_in_pieces_of_any_size_without_a_length(engine: RunningEngine) -> None:
    content = HTML + b"\r\n--frontie" * 2000  # nearly the boundary, again and again
    whole = _whole(_part("password", "p"), _file("a.html", content))
    for size in (1, 7, 4096):
        step = size if size > 1 else len(whole)
        pieces = [whole[:1]] + [whole[at : at + step] for at in range(1, len(whole), step)]
        told = told_by(_send(engine, "html/pdf", iter(pieces)))
        assert told["sources"][0]["text"].startswith(HTML.decode())


def test_a_part_needs_no_content_type_nor_a_file_name(engine: RunningEngine) -> None:
    told = told_by(_send(engine, "html/pdf", _whole(_part("file", HTML))))
    assert told["sources"] == [{"part": "file", "name": "document", "kind": "html", "text": HTML.decode()}]


def test_a_text_sent_as_a_file_is_still_a_text(engine: RunningEngine) -> None:
    answer = _send(engine, "pdf/generate", _whole(_file("page.html", b"<p>x", "html")))
    assert told_by(answer)["parameters"]["html"] == "<p>x"


def test_files_of_named_parts_reach_the_operation_with_their_part(engine: RunningEngine) -> None:
    parts = (_file("data.json", b"{}", "dataFile"), _file("t.html", HTML, "templateFile"), _part("htmlFile", ""))
    told = told_by(_send(engine, "pdf/generate", _whole(*parts)))
    assert [(source["part"], source["kind"]) for source in told["sources"]] == [
        ("dataFile", "json"),
        ("templateFile", "html"),
    ]


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("../../etc/passwd.html", "passwd.html"),
        ("/etc/cron.d/x.html", "x.html"),
        ("..\\..\\x.html", "x.html"),
        ("C:\\temp\\x.html", "x.html"),
        ("..", "document"),
        (".", "document"),
        ("a/", "a"),
        ("x\x00\x07\u202ey.html", "xy.html"),
        ("Ångström 文書 🦆.html", "Ångström 文書 🦆.html"),
        ("ü" * 300 + ".html", "ü" * 117 + ".html"),
        ("CON.html", "CON.html"),
    ],
)
def test_names_from_outside_never_become_paths(engine: RunningEngine, sent: str, kept: str) -> None:
    escaped = sent.replace("\\", "\\\\")
    answer = _send(engine, "html/pdf", _whole(_file(escaped, HTML)))
    assert record_of(answer)["fileName"] == kept
    assert told_by(answer)["sources"][0]["name"] == kept
    assert {path.name for path in engine.state.iterdir()} >= {"files", "tasks.sqlite"}
    assert not list(engine.state.rglob("*.html"))


def test_an_output_keeps_its_unicode_name_through_the_download(engine: RunningEngine) -> None:
    name = "Übersicht 文書 100%.json"
    answer = engine.post("pdf/merge", *_TWO, data={"outputFileName": name})
    record = record_of(answer)
    assert record["downFileName"] == name
    disposition = PLAIN.get(record["downloadUrl"]).headers["content-disposition"]
    assert disposition == "attachment; filename*=UTF-8''%C3%9Cbersicht%20%E6%96%87%E6%9B%B8%20100%25.json"


_HTML_FILE: tuple[Any, ...] = ("file", "a.html", HTML)


@pytest.mark.parametrize(
    ("path", "files", "data", "expected"),
    [
        ("html/pdf", [], {}, (400, "01005")),
        ("pdf/merge", [], {}, (400, "01005")),
        ("pdf/merge", [_TWO[0]], {}, (400, "03000")),
        ("pdf/merge", [*_TWO, *_TWO], {}, (400, "04008")),
        ("html/pdf", [_HTML_FILE, _HTML_FILE], {}, (400, "04007")),
        ("pdf/generate", [("htmlFile", "a.html", HTML), ("htmlFile", "b.html", HTML)], {}, (400, "04007")),
        ("html/pdf", [("file", "a.html", b"")], {}, (400, "04002")),
        ("pdf/merge", [_TWO[0], ("file", "b.pdf", b"")], {}, (400, "04002")),
        ("pdf/merge", [_TWO[0], ("file", "b.pdf", b"PK\x03\x04")], {}, (400, "02002")),
        ("pdf/generate", [("htmlFile", "a.html", PDF)], {}, (400, "02002")),
        ("img/csv", [("file", "a.avif", b"\0\0\0\x18ftypavif" + bytes(300))], {}, (400, "02003")),
        ("img/csv", [("file", "a.pdf", PDF)], {}, (400, "02002")),
        ("html/pdf", [("file", "a.html", HTML + bytes(2_000_000))], {}, (413, "02209")),
        ("pdf/generate", [], {"html": "x" * 600_000}, (413, "02209")),
        ("pdf/insert", [*_TWO], {"index": "1"}, (400, "03000")),
        ("pdf/insert", [*_TWO], {"actionType": "FROM_PDF", "index": "one"}, (400, "03000")),
        ("pdf/markdown", [("file", "a.pdf", PDF)], {"pageRanges": "5-3"}, (400, "03000")),
        ("pdf/merge", [*_TWO], {"filePageRanges": ["1", "2", "3"]}, (400, "03000")),
        ("html/pdf", [_HTML_FILE], {"parameter": "{"}, (400, "01006")),
        ("html/pdf", [_HTML_FILE], {"parameter": "[1]"}, (400, "01006")),
        ("html/pdf", [_HTML_FILE], {"parameter": "[" * 100_000}, (400, "01006")),
        ("idp/documentParsing", [("file", "a.pdf", PDF)], {"parse_options": "{"}, (400, "01006")),
    ],
)
def test_a_wrong_request_gets_the_code_of_what_is_wrong(
    engine: RunningEngine, path: str, files: list[Any], data: dict[str, Any], expected: tuple[int, str]
) -> None:
    assert refusal_of(engine.post(path, *files, data=data)) == expected


def test_a_damaged_file_is_left_to_the_operation_to_judge(engine: RunningEngine) -> None:
    answer = engine.post("pdf/markdown", ("file", "torn.pdf", b"\x00\xff" * 500))
    assert told_by(answer)["sources"][0]["kind"] == "unknown"


def test_a_refused_request_leaves_no_file_behind(engine: RunningEngine) -> None:
    before = sorted((engine.state / "files").iterdir())
    engine.post("pdf/merge", _TWO[0], ("file", "b.pdf", b"PK\x03\x04"))
    engine.post("html/pdf", ("file", "a.html", HTML + bytes(2_000_000)))
    assert sorted((engine.state / "files").iterdir()) == before


@pytest.mark.parametrize("cut", [5, 60, 120, -1, -4, -20])
def test_a_body_that_was_cut_off_is_never_taken_for_whole(engine: RunningEngine, cut: int) -> None:
    whole = _whole(_part("password", "p"), _file("a.html", HTML)).rstrip(_LINE)
    assert refusal_of(_send(engine, "html/pdf", whole[:cut])) == (400, "03000")


@given(st.binary(max_size=300))
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_bytes_get_an_envelope(engine: RunningEngine, body: bytes) -> None:
    status, code = refusal_of(_send(engine, "html/pdf", body))
    assert (status, code) in {(400, "03000"), (400, "01005")}


def test_other_bodies_are_refused(engine: RunningEngine) -> None:
    for headers in ({}, {"Content-Type": "application/json"}, {"Content-Type": "multipart/form-data"}):
        answer = engine.client.post("/v2/process/html/pdf", content=b"{}", headers=headers)
        assert refusal_of(answer) == (400, "03000")


def test_the_language_asked_for_is_the_language_of_the_words(engine: RunningEngine) -> None:
    def said(path: str, *files: tuple[str, str, bytes], **data: str) -> str:
        return str(engine.post(path, *files, data=data).json()["msg"])

    assert said("html/pdf", language="2") == "缺少文件"
    assert said("html/pdf", language="1") == said("html/pdf") == "the request has no part named file"
    assert said("pdf/merge") == "the request has no part named file"  # whatever the public default says
    assert said("html/pdf", parameter='{"language": 2}') == "缺少文件"
    assert engine.client.post("/v2/process/no/way?language=2").json()["msg"] == "路径不存在"
    chinese = said("pdf/markdown", ("file", "a.pdf", PDF), language="2", ocrOption="SOME")
    assert "ocrOption" in chinese
    assert "SCAN_PAGE" in chinese
    failed = record_of(engine.post("html/pdf", ("file", "a.html", HTML + b"do: refuse"), data={"language": "2"}))
    assert (failed["failureCode"], failed["failureReason"]) == ("02201", "a.html 文件已加密，需要密码")


@pytest.mark.parametrize(
    ("value", "said"),
    [("en", 1), ("English", 1), ("en_US", 1), ("2", 2), ("zh", 2), ("zh-CN", 2), ("italian", "italian"), ("3", "3")],
)
def test_no_work_fails_for_the_language_of_its_words(engine: RunningEngine, value: str, said: object) -> None:
    record = record_of(engine.html("a", data={"language": value}))
    assert json.loads(record["fileParameter"])["language"] == said
    assert len(record["warnings"]) == (not isinstance(said, int))


@pytest.mark.parametrize("kind", ["html", "template"])
def test_a_part_file_is_what_pdf_generate_prints(engine: RunningEngine, kind: str) -> None:
    told = told_by(engine.post("pdf/generate", ("file", "a.html", HTML), data={"generationType": kind}))
    assert [source["part"] for source in told["sources"]] == ["htmlFile" if kind == "html" else "templateFile"]
    both = told_by(engine.post("pdf/generate", ("file", "a.html", HTML), data={"html": "<p>x"}))
    assert both["sources"] == []
    named = told_by(engine.post("pdf/generate", ("file", "a.html", HTML), ("htmlFile", "b.html", HTML)))
    assert [source["name"] for source in named["sources"]] == ["b.html"]


def test_a_synchronous_record_can_be_read_as_a_task(engine: RunningEngine) -> None:
    for text, status in ((b"", "success"), (b"do: refuse", "failed")):
        record = record_of(engine.post("html/pdf", ("file", "a.html", HTML + text)))
        (same,) = record.pop("fileInfoDTOList")
        assert record.pop("taskStatus") == "TaskFinish"
        assert same == record
        assert record["status"] == status


def test_without_the_parameter_the_language_is_the_one_that_the_client_accepts(engine: RunningEngine) -> None:
    def said(accepted: str, **data: str) -> str:
        return str(engine.post("html/pdf", data=data, headers={"Accept-Language": accepted}).json()["msg"])

    assert said("de-AT,en;q=0.8") == said("nl, en;q=0.1, de;q=0.9") == "die Anfrage hat keinen Teil namens file"
    assert said("fr").startswith("la requête")
    assert said("zh-CN") == said("de", language="2") == "缺少文件"
    english = "the request has no part named file"
    for other in ("", "*", "nl", "de;q=0", "en, de", ";;;q=", "de;q=x"):
        assert said(other) == english, other
    assert said("de", language="1") == english
    refused = HTML + b"do: refuse"
    failed = record_of(engine.post("html/pdf", ("file", "a.html", refused), headers={"Accept-Language": "de"}))
    assert failed["failureReason"] == "a.html ist geschützt, und es wurde kein Kennwort angegeben"
