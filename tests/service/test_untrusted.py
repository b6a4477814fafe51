"""A service out in the world that means harm: what it says leads nowhere, and what it sends is opened by nobody."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import socket
import struct
import tempfile
import threading
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpcore
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paperchute import addresses
from paperchute.contract import contract
from paperchute.service import answers, results, wire
from paperchute.service.answers import Verdict, masked, read_answer, read_data
from paperchute.service.client import ServiceClient
from paperchute.service.model import Answer, Call, ServiceAddress, ServiceError
from paperchute.service.results import main_kinds, may_be_delivered
from tests.service.script import Asked, Reply, Script, envelope
from tests.service.test_client import KEY, PNG, call


@contextmanager
def made(script: Script, **more: Any) -> Iterator[ServiceClient]:
    client = ServiceClient(ServiceAddress(script.url, KEY, **{"mode": "sync", **more}))
    try:
        yield client
    finally:
        client.close()


def fetched(script: Script, place: Path, answer: Answer, operation: str = "pdf-to-markdown") -> Any:
    with made(script) as client:
        return client.fetch(answer, operation, place)


def an_answer(url: str, name: str = "a.md", size: int | None = None, sent: int | None = None) -> Answer:
    return Answer("", url, name, size, (), "{}", sent=sent)


def archive(*members: tuple[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as made:
        for name, content in members:
            made.writestr(name, content)
    return buffer.getvalue()


# ---------- where it leads (A11) ----------


class Names:
    """A name server that changes its mind: each question for a name gets the next of its answers."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.answers: dict[str, list[list[str]]] = {}
        self._real = socket.getaddrinfo
        monkeypatch.setattr(socket, "getaddrinfo", self._asked)

    def _asked(self, host: Any, port: Any, *rest: Any, **more: Any) -> Any:
        name = host.decode() if isinstance(host, bytes) else host
        if name not in self.answers:
            return self._real(host, port, *rest, **more)
        found = self.answers[name]
        chosen = found.pop(0) if len(found) > 1 else found[0]
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port or 0)) for address in chosen]


@pytest.mark.parametrize("way", ["result", "upload"])
def test_a_name_changes_its_meaning_between_the_check_and_the_connection(
    way: str, script: Script, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pdf: Path
) -> None:
    names = Names(monkeypatch)
    names.answers = {"provider.example": [["93.184.216.34"]], "files.example": [["93.184.216.34"], ["127.0.0.1"]]}
    script.answer = lambda asked: Reply(b"# inside")
    target = f"http://files.example:{script.server.server_port}/x"
    client = ServiceClient(ServiceAddress("http://provider.example/server", KEY))
    ways: dict[str, Callable[[], object]] = {
        "result": lambda: client.fetch(an_answer(target), "pdf-to-markdown", tmp_path / "result"),
        "upload": lambda: client._wire.put(target, {}, [b"secret document"]),
    }
    with pytest.raises(ServiceError, match="inside this network"):
        ways[way]()
    client.close()
    assert script.asked == []


def test_a_service_makes_itself_an_inner_one_to_lead_inside(
    script: Script, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = Names(monkeypatch)
    names.answers = {"provider.example": [["93.184.216.34"], ["10.0.0.1"]]}
    client = ServiceClient(ServiceAddress("http://provider.example/server", KEY))
    for _ in range(3):
        with pytest.raises(ServiceError, match="inside this network"):
            client.fetch(an_answer(f"{script.url}/x"), "pdf-to-markdown", tmp_path / "result")
    client.close()
    assert script.asked == []


def test_one_inner_address_among_public_ones_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "resolve", lambda host, port: ["93.184.216.34", "192.168.0.1"])
    with pytest.raises(ServiceError, match="inside"):
        wire._PublicNetwork().connect_tcp("files.example", 80)


def test_the_address_that_was_checked_is_connected_to(monkeypatch: pytest.MonkeyPatch) -> None:
    connected: list[str] = []

    def connect(self: object, host: str, *rest: Any) -> Any:
        connected.append(host)
        raise httpcore.ConnectError("closed")

    monkeypatch.setattr(wire, "resolve", lambda host, port: ["93.184.216.34", "93.184.216.35"])
    monkeypatch.setattr(httpcore.SyncBackend, "connect_tcp", connect)
    client = wire.public_client()
    with pytest.raises(Exception, match="closed"):
        client.get("http://files.example/x")
    client.close()
    assert connected == ["93.184.216.34", "93.184.216.35"]


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "10.1.2.3", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1", "255.255.255.255"),
        *("::1", "::", "fe80::1", "fc00::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::127.0.0.1"),
        *("64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "2002:7f00:1::1", "64:ff9b:1::1", "2001:db8::1"),
        "2001:0:53aa:64c:0:0:80ff:fffe",  # Teredo around 127.0.0.1
    ],
)
def test_an_inner_address_in_any_wrapping_is_inside(address: str, tmp_path: Path) -> None:
    assert not addresses.is_public(address)
    host = f"[{address}]" if ":" in address else address
    client = ServiceClient(ServiceAddress("https://provider.example/server", KEY))
    with pytest.raises(ServiceError, match="inside this network"):
        client.fetch(an_answer(f"http://{host}/x"), "pdf-to-markdown", tmp_path / "result")
    client.close()


@pytest.mark.parametrize("address", ["93.184.216.34", "2606:2800:220:1::1", "64:ff9b::5db8:d822"])
def test_a_public_address_is_outside(address: str) -> None:
    assert addresses.is_public(address)


# ---------- addresses and numbers that break a client (A13) ----------


@pytest.mark.parametrize(
    "url",
    [
        *("http://127.0.0.1:99999/x", "http://127.0.0.1:-1/x", "http://127.0.0.1:1e3/", "http://[::1/x", "http://"),
        *("http://user:pw@h/x", "ftp://h/x", "file:///etc/passwd", "javascript:alert(1)", "x", "//h/x", "http:///x"),
        *("http://h/\r\nHost: other", "http://h/\0", "http://h/\u202e", "http://h/" + "a" * 9000, "http://\ud800/"),
        *("http://" + "a" * 300 + "/", "http://a..b/", "http://\u2028/"),
    ],
)
def test_an_address_that_is_none_ends_in_one_sentence(url: str, script: Script, tmp_path: Path) -> None:
    with pytest.raises(ServiceError) as caught:
        fetched(script, tmp_path / "result", an_answer(url))
    assert caught.value.kind in ("permanent", "transient"), "and not `down`, which would hold up every job"
    assert script.asked == []


def closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def test_a_dead_download_address_is_the_job_s_trouble_alone(script: Script, tmp_path: Path) -> None:
    with pytest.raises(ServiceError, match="cannot be reached") as caught:
        fetched(script, tmp_path / "result", an_answer(f"http://127.0.0.1:{closed_port()}/x"))
    assert caught.value.kind == "transient"
    script.answer = lambda asked: Reply(status=302, headers={"Location": f"http://127.0.0.1:{closed_port()}/x"})
    with pytest.raises(ServiceError, match="cannot be reached") as caught:
        fetched(script, tmp_path / "result", an_answer(f"{script.url}/moved"))
    assert caught.value.kind == "transient"


def test_a_dead_upload_address_is_the_job_s_trouble_alone(script: Script, pdf: Path) -> None:
    script.answer = lambda asked: envelope({"taskId": "t", "presignedUrl": f"http://127.0.0.1:{closed_port()}/x"})
    with made(script, mode="secure") as client, pytest.raises(ServiceError, match="cannot be reached") as caught:
        client.call(call(pdf))
    assert caught.value.kind == "transient"


@pytest.mark.parametrize("code", [error for error in contract().errors if contract().error_class(error) != "quota"])
def test_what_is_said_of_one_file_holds_up_no_other(code: str, script: Script, pdf: Path) -> None:
    script.answer = lambda asked: envelope(script.record(status="failed", failureCode=code, failureReason="no"))
    with made(script) as client, pytest.raises(ServiceError) as caught:
        client.call(call(pdf))
    assert caught.value.kind not in ("down", "auth", "quota")


def test_a_service_that_is_down_itself_is_down(tmp_path: Path) -> None:
    base = f"http://127.0.0.1:{closed_port()}"
    client = ServiceClient(ServiceAddress(base, KEY))
    with pytest.raises(ServiceError) as caught:
        client.fetch(an_answer(f"{base}/x"), "pdf-to-markdown", tmp_path / "result")
    client.close()
    assert caught.value.kind == "down"


HUGE = "9" * 5000


@pytest.mark.parametrize("size", [HUGE, "-" + HUGE, -5, "-5", "٣", "1e9", 1e300, [], {}, True, "²"])
def test_a_size_of_any_kind_is_a_size_or_none(size: object, script: Script) -> None:
    verdict = read_answer(200, json.dumps({"code": "200", "data": script.record(convertSize=size)}).encode())
    assert verdict.kind == "done"
    assert verdict.size is None


def test_a_number_of_5000_digits_loses_no_answer(script: Script) -> None:
    text = json.dumps({"code": 200, "data": script.record(convertSize=7)}).replace(": 7", f": {HUGE}")
    assert read_answer(200, text.encode()).kind == "done"


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from([HUGE, "\ud800", "a\0b\x1b"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
names = (
    "code", "msg", "message", "data", "taskId", "status", "downloadUrl", "downFileName", "convertSize", "warnings",
    "failureCode", "failureReason", "fileInfoDTOList", "taskStatus", "result", "tenantAsset", "presignedUrl",
)  # fmt: skip
bodies = st.dictionaries(st.sampled_from(names), json_values | st.dictionaries(st.sampled_from(names), json_values))


@given(bodies, st.sampled_from([200, 200, 200, 400, 401, 402, 500, 503]))
def test_any_answer_becomes_an_outcome_that_can_be_kept(body: dict[str, Any], status: int) -> None:
    content = json.dumps({"code": "200", **body}).encode()
    verdict = read_answer(status, content)
    for text in (verdict.task_id, verdict.code, verdict.reason, verdict.file_name, *verdict.warnings):
        text.encode()
    for text in (verdict.code, verdict.reason):
        assert not any(ord(character) < 32 for character in text)
        assert len(text) <= answers.LONGEST_REASON
    assert verdict.task_id.isprintable() or not verdict.task_id
    json.loads(masked(content) or "{}")
    read_data(status, content)


@pytest.mark.parametrize(
    "content",
    [
        b"[" * 100_000,
        b'{"a":' * 900 + b"1" + b"}" * 900,
        b'{"code":"200","data":' + b"[" * 700 + b"]" * 700 + b"}",
        b"[" + b"1," * 6_000_000 + b"1]",
        b'{"code":"200","data":[' + b"{}," * 100_000 + b"{}]}",
        '{"result": {"a": "ä"}}'.encode("utf-16"),
        b'{"code": "200", "data": {"taskId": "\xed\xa0\x80"}}',
    ],
    ids=["depth", "objects", "lists", "pieces", "records", "UTF-16", "surrogates"],
)
def test_an_answer_of_any_shape_is_read_within_bounds(content: bytes) -> None:
    assert isinstance(read_answer(200, content), Verdict)
    masked(content)


def test_a_message_is_as_long_as_a_sentence_and_on_one_line(script: Script, pdf: Path) -> None:
    words = "forged\n2026-11-22 05:00:00.000 ERROR \x1b[31m" + "x" * (1 << 20)
    script.answer = lambda asked: Reply(json.dumps({"code": "03000" * 1000, "msg": words}).encode(), 400)
    with made(script) as client, pytest.raises(ServiceError) as caught:
        client.call(call(pdf))
    told = str(caught.value)
    assert len(told) < 1500
    assert "\n" not in told + caught.value.reason
    assert "\x1b" not in told


@pytest.mark.parametrize(
    "value", [HUGE, "99999999", "Wed, 21 Oct 9999 07:28:00 GMT", "Wed, 99 Oct 2015 99:28:00 GMT", "-"]
)
def test_nobody_waits_for_ever(value: str, script: Script, pdf: Path) -> None:
    script.answer = lambda asked: Reply(b'{"code": 1, "msg": "busy"}', 503, {"Retry-After": value})
    with made(script) as client, pytest.raises(ServiceError) as caught:
        client.call(call(pdf))
    assert caught.value.kind == "transient"
    assert caught.value.retry_after is None or 0 <= caught.value.retry_after <= 24 * 3600


def test_an_account_has_more_units_than_a_number_holds(script: Script) -> None:
    script.answer = lambda asked: envelope({"tenantAsset": [{"assetTypeName": "x" * 9999, "asset": HUGE}, 5, None]})
    with made(script) as client:
        (asset,) = client.assets()
    assert asset.left == 0
    assert len(asset.name) <= 60


# ---------- what it sends (A10) ----------

ELF = b"\x7fELF\x02\x01\x01" + bytes(200)
EXE = b"MZ\x90\0\x03" + bytes(200)
SHORTCUT = b"[Desktop Entry]\nType=Application\nExec=sh -c id\nName=Report\n"
RUN_SUFFIXES = """
exe bat cmd com scr pif ps1 psm1 vbs vbe js jse wsf wsh msi msp msc jar lnk url desktop sh bash command app reg hta cpl
dll so dylib inf ini scf chm py pyw pl rb php docm xlsm pptm dotm xll iqy slk webloc terminal action workflow gadget
appref-ms application library-ms search-ms settingcontent-ms xbap vb ws iso img vhd dmg pkg deb rpm appimage
"""


@pytest.mark.parametrize("operation", [operation.id for operation in contract().operations.values()])
def test_a_result_is_never_something_that_runs(operation: str, script: Script, tmp_path: Path) -> None:
    known = contract().known(operation)
    for suffix in (*RUN_SUFFIXES.split(), "EXE", ""):
        for number, content in enumerate((SHORTCUT, EXE, b"# text")):
            path = tmp_path / f"{number}"
            path.write_bytes(content)
            for name in (f"report.{suffix}", f"a/report.pdf.{suffix}", f".{suffix}"):
                assert not may_be_delivered(path, name, known), name


@pytest.mark.parametrize(
    "members",
    [
        [("exe.exe", EXE)],
        [("desktop.desktop", SHORTCUT)],
        [("page.html", b"<script>alert(1)</script>")],
        [("a.md", EXE)],
        [("a.md", ELF)],
        [("a.md", b"# good"), ("run.exe", EXE)],
        [("a.md", b"# good"), (".bashrc", b"id")],
        [("a.md", b"# good"), (".hidden/b.md", b"id")],
        [("a.md", b"# good"), ("b.png", EXE)],
        [("a.md", b"# good"), ("b.png", b"<svg onload='alert(1)'>")],
        [("a.md", b"# good"), ("Report.app/Contents/a.md", b"id")],
        [("a.md", b"# good"), ("x.{21EC2020-3AEA-1069-A2DD-08002B30309D}/a.md", b"id")],
        [("a.md", b"# good"), ("b.md.", b"x"), ("c.exe ", EXE)],
        [("a.md", b"# good"), ("b\u200bdm.exe", EXE)],
        [("a.md", b"# good"), ("no suffix", b"#!/bin/sh\nid")],
        [("a.md", b"# good"), ("inner.zip", archive(("a.exe", EXE)))],
    ],
    ids=lambda members: members[-1][0],
)
def test_an_archive_with_anything_else_delivers_nothing(
    members: list[tuple[str, bytes]], script: Script, tmp_path: Path
) -> None:
    script.answer = lambda asked: Reply(archive(*members))
    with pytest.raises(ServiceError, match="not a result of pdf-to-markdown") as caught:
        fetched(script, tmp_path / "result", an_answer(f"{script.url}/r"))
    assert caught.value.kind == "transient"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("operation", "members"),
    [
        ("pdf-to-markdown", [("a.md", b"BMW invoice, <b>html</b>"), ("images/1.png", PNG)]),
        ("pdf-to-markdown", [("a.md", b"<table><tr><td>1</td></tr></table>"), ("b.md", b"")]),
        (
            "pdf-to-html",
            [
                ("a.html", b"<html>"),
                ("css/a.css", b"p {}"),
                ("img/1.svg", b"<svg/>"),
                ("1.jpeg", b"\xff\xd8\xff\xe0" + bytes(20)),
            ],
        ),
        ("document-parsing", [("result.json", b"{}"), ("result.md", b"#"), ("images/Report v1.2/1.png", PNG)]),
        ("pdf-to-markdown", [("a\u200e.md", b"#"), ("images/a\u200e-1.png", PNG)]),
        ("pdf-to-csv", [("1.csv", b"[1],2"), ("2.csv", b"a;b")]),
        ("pdf-split", [("1.pdf", b"%PDF-1.4"), ("2.pdf", b"%PDF-1.4")]),
        ("magic-color", [("1.png", PNG), ("2.png", PNG)]),
    ],
)
def test_what_was_asked_for_is_delivered(
    operation: str, members: list[tuple[str, bytes]], script: Script, tmp_path: Path
) -> None:
    script.answer = lambda asked: Reply(archive(*members))
    found = fetched(script, tmp_path / "result", an_answer(f"{script.url}/r"), operation)
    assert sorted(found.files) == sorted(name for name, _ in members)


def test_a_single_result_bears_the_suffix_of_what_was_asked_for(script: Script, tmp_path: Path) -> None:
    for announced in ("a.exe", ".bashrc", "a.desktop", "a.md.lnk", "", "a.html", "\0", "con", "..", "a/../../b.sh"):
        script.answer = lambda asked: Reply(b"#!/bin/sh\nid")
        found = fetched(script, tmp_path / "result", an_answer(f"{script.url}/r", announced))
        assert found.name.endswith(".md")
        assert not found.name.startswith(".")
        assert "/" not in found.name


@pytest.mark.parametrize(
    ("operation", "content"),
    [
        ("pdf-to-markdown", b"<!DOCTYPE html><title>Sign in</title>"),
        ("pdf-to-markdown", b"\xef\xbb\xbf <HTML><body>"),
        ("pdf-to-markdown", b'{"code": "500", "msg": "try again"}'),
        ("pdf-to-csv", b"<html>"),
        ("pdf-to-txt", b"<html>"),
        ("pdf-to-json", b"<html>"),
        ("pdf-to-json", b"no JSON"),
        ("pdf-to-html", b'{"code": "500"}'),
        ("pdf-to-docx", b"<html>"),
        ("pdf-merge", PNG),
        ("pdf-to-docx", b"%PDF-1.7"),
        ("pdf-to-markdown", b"%PDF-1.7"),
        ("img-to-csv", b""),
    ],
)
def test_a_result_of_another_kind_is_none(operation: str, content: bytes, script: Script, tmp_path: Path) -> None:
    script.answer = lambda asked: Reply(content)
    with pytest.raises(ServiceError, match="was due"):
        fetched(script, tmp_path / "result", an_answer(f"{script.url}/r", ""), operation)


@pytest.mark.parametrize(
    ("operation", "content"),
    [
        ("pdf-to-markdown", b"[1] Reference"),
        ("pdf-to-markdown", b"<table><tr>"),
        ("pdf-to-markdown", b"\n"),
        ("pdf-to-markdown", b"BM 1001 GIF89a"),
        ("pdf-to-markdown", "\ufeff# Überschrift".encode()),
        ("pdf-to-csv", b"BM;1\n"),
        ("pdf-to-txt", b'{"a": 1}'),
        ("pdf-to-json", b'{"a": 1}'),
        ("pdf-to-html", b"<p>x"),
        ("pdf-generate", b"<!doctype html>"),
        ("pdf-to-img", PNG),
    ],
)
def test_a_result_of_the_kind_asked_for_is_one(operation: str, content: bytes, script: Script, tmp_path: Path) -> None:
    script.answer = lambda asked: Reply(content)
    fetched(script, tmp_path / "result", an_answer(f"{script.url}/r", ""), operation)
    assert (tmp_path / "result").read_bytes() == content


def test_every_operation_has_a_kind_of_result() -> None:
    for operation in contract().all_operations:
        assert main_kinds(operation)
        assert "zip" not in main_kinds(operation)


# ---------- bombs ----------


def packed_twice() -> bytes:
    return gzip.compress(gzip.compress(bytes(1 << 20)))


@pytest.mark.parametrize("packing", ["br", "zstd", "gzip, gzip", "compress", "x" * 5000])
def test_what_is_packed_in_another_way_is_refused(packing: str, script: Script, tmp_path: Path) -> None:
    script.answer = lambda asked: Reply(packed_twice(), headers={"Content-Encoding": packing})
    with pytest.raises(ServiceError) as caught:
        fetched(script, tmp_path / "result", an_answer(f"{script.url}/r"))
    assert caught.value.kind == "transient"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("pack", [gzip.compress, zlib.compress], ids=["gzip", "deflate"])
def test_what_a_web_server_packs_by_itself_is_read(
    pack: Callable[[bytes], bytes], script: Script, tmp_path: Path, pdf: Path
) -> None:
    coding = {"Content-Encoding": "gzip" if pack is gzip.compress else "deflate"}

    def answer(asked: Asked) -> Reply:
        if asked.path == "/result":
            return Reply(pack(b"# ok"), headers=coding)
        return Reply(pack(envelope(script.record(convertSize=4)).body), headers=coding)

    script.answer = answer
    with made(script) as client:
        client.fetch(client.call(call(pdf)), "pdf-to-markdown", tmp_path / "result")
    assert (tmp_path / "result").read_bytes() == b"# ok"


@pytest.mark.parametrize("cut", [1, 9])
def test_a_packed_result_that_is_cut_off_is_none(cut: int, script: Script, tmp_path: Path) -> None:
    body = gzip.compress(b"# a long text " * 100)[:-cut]
    script.answer = lambda asked: Reply(body, headers={"Content-Encoding": "gzip"})
    with pytest.raises(ServiceError, match="was cut off"):
        fetched(script, tmp_path / "result", an_answer(f"{script.url}/r"))


def test_a_packed_bomb_is_cut_where_nothing_was_announced(
    script: Script, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(results, "_LEAST_BYTES", 1 << 20)
    bomb = gzip.compress(bytes(64 << 20))
    script.answer = lambda asked: Reply(bomb, headers={"Content-Encoding": "gzip"})
    with pytest.raises(ServiceError, match="larger"):
        fetched(script, tmp_path / "result", an_answer(f"{script.url}/bomb", sent=100))
    assert list(tmp_path.iterdir()) == []


def test_a_result_may_be_as_large_as_goes_with_what_was_sent() -> None:
    assert results._most(an_answer("", sent=10)) == 512 << 20
    assert results._most(an_answer("")) == 512 << 20
    assert results._most(an_answer("", sent=10 << 20)) == 10_000 << 20
    assert results._most(an_answer("", sent=1 << 40)) == 20 << 30
    with pytest.raises(ServiceError, match="announces a result of 931 GB"):
        results._most(an_answer("", size=10**12))


def test_the_bytes_sent_are_known(script: Script, pdf: Path) -> None:
    script.answer = lambda asked: envelope(script.record())
    with made(script) as client:
        assert client.call(call(pdf)).sent == pdf.stat().st_size


def directory_bomb() -> bytes:
    """An archive of one member whose directory lists a million."""
    one = struct.pack("<4s6H3I5H2I", b"PK\x01\x02", 20, 20, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0) + b"a"
    count = 1_000_000
    end = struct.pack("<4s4H2IH", b"PK\x05\x06", 0, 0, 0xFFFF, 0xFFFF, len(one) * count, 0, 0)
    return one * count + end


@pytest.mark.parametrize(
    "content",
    [
        b"PK\x03\x04" + bytes(100),
        directory_bomb(),
        archive(("a.md", b"x" * 100)).replace(b"a.md", b"\xff\xfe\xfd\xfc"),
        archive(("a.md", b"x"), ("b.md", b"y"))[:-30],
        archive(("A.md", b"x"), ("a.MD", b"y")).replace(b"a.MD", b"A.md"),
    ],
    ids=["a head alone", "a long directory", "odd names", "cut off", "one name twice"],
)
def test_a_broken_archive_is_refused_and_not_a_fault(content: bytes, script: Script, tmp_path: Path) -> None:
    script.answer = lambda asked: Reply(content)
    with pytest.raises(ServiceError) as caught:
        fetched(script, tmp_path / "result", an_answer(f"{script.url}/r"))
    assert caught.value.kind == "transient"
    assert list(tmp_path.iterdir()) == []


def test_names_that_no_system_can_hold_apart_get_numbers(script: Script, tmp_path: Path) -> None:
    script.answer = lambda asked: Reply(archive(("a?.md", b"# 1"), ("a*.md", b"# 2"), ("a_.md", b"# 3")))
    found = fetched(script, tmp_path / "result", an_answer(f"{script.url}/r"))
    assert found.files == ("a_.md", "a_ (2).md", "a_ (3).md")
    assert [(tmp_path / "result" / name).read_bytes() for name in found.files] == [b"# 1", b"# 2", b"# 3"]


@settings(max_examples=600, deadline=None)
@given(st.data())
def test_a_mangled_archive_is_refused_and_not_a_fault(data: st.DataObject) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as made_:
        made_.writestr("a.md", b"# text " * 20)
        made_.writestr("images/ü.png", PNG)
    content = bytearray(buffer.getvalue())
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "result"
        place.write_bytes(content)
        names: tuple[str, ...] = ()
        with contextlib.suppress(ServiceError):
            names = results.settled(place, an_answer(""), "pdf-to-markdown").files
        assert all(Path(name).suffix in (".md", ".png") for name in names)


# ---------- whose words, which file, which wait (A8, A6b) ----------


def test_a_merge_names_the_file_that_is_locked(script: Script, tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("a.pdf", "aa.pdf", "b locked.pdf")]
    for path in paths:
        path.write_bytes(b"%PDF-1.7 %%EOF")
    for reason, expected in (
        ("aa.pdf is locked", "aa.pdf is locked, and"),
        ("02201: b locked.pdf needs a password", "b locked.pdf is locked, and"),
        ("locked", "One of 3 files (a.pdf and others) is locked, and"),
    ):
        script.answer = lambda asked, reason=reason: envelope(  # type: ignore[misc]
            [script.record(status="failed", failureCode="02201", failureReason=reason)]
        )
        with made(script) as client, pytest.raises(ServiceError) as caught:
            client.call(call(*paths, operation="pdf-merge"))
        assert caught.value.what.startswith(expected)


def test_a_pre_signed_upload_says_where_to_announce_its_end(script: Script, pdf: Path) -> None:
    def answer(asked: Asked) -> Reply:
        if "presignedUrl" in asked.path:
            return envelope({"taskId": "t", "presignedUrl": f"{script.url}/put"})
        return envelope(script.record()) if "start" in asked.path else Reply()

    script.answer = answer
    with made(script, mode="secure", callback_url="http://me/hook") as client:
        client.call(call(pdf))
    assert b'name="callbackUrl"\r\n\r\nhttp://me/hook' in script.asked[0].body


@pytest.mark.parametrize("case", ["nobody was told", "wrong token"])
def test_a_task_whose_end_nobody_announces_is_asked_for(
    case: str, script: Script, pdf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("paperchute.service.client._FIRST_POLL_REMOTE", 0.05)
    monkeypatch.setattr("paperchute.service.client._POLL_BESIDE_WEBHOOKS", 3600.0)
    asked_for = threading.Event()

    def answer(asked: Asked) -> Reply:
        if "taskInfo" in asked.path:
            return envelope(script.record())
        asked_for.set()
        return envelope({"taskId": "t", "status": "processing"})

    script.answer = answer
    mode = "sync" if case == "nobody was told" else "async"
    with made(script, mode=mode, callback_url="http://me/hook") as client:
        if mode == "async":
            threading.Thread(target=lambda: (asked_for.wait(), _later(client)), daemon=True).start()
        assert client.call(Call("pdf-to-markdown", (("file", pdf),), {}, "k", timeout=60.0)).download_url


def _later(client: ServiceClient) -> None:
    """The refused announcement comes while the call waits."""
    while not client._poked:
        threading.Event().wait(0.01)
    client.distrust_webhooks()
