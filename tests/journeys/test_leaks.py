"""A service that repeats passwords, and names that steer a terminal: neither gets into any place where people look."""

from __future__ import annotations

import base64
import json
import re
import sys
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.journeys.daemon import Paperchute
from tests.journeys.documents import write_pdf
from tests.service.script import Asked, Reply, Script, envelope, scripted

RULE_SECRET = 'rule/säcret "55+5"'
LITERAL = "literal-pass-9876"
SPELLINGS = {
    "plain": lambda s: s,
    "url": lambda s: quote(s, safe=""),
    "json": lambda s: json.dumps(s)[1:-1],
    "repr": lambda s: repr(s)[1:-1],
    "base64": lambda s: base64.b64encode(s.encode()).decode(),
    "basic": lambda s: base64.b64encode(f"user:{s}".encode()).decode(),
}
PLACES = ("msg", "reason", "code", "address", "dead address", "name", "kind", "task")
RULES = """
version = 1
[service]
base_url = "{url}"
api_key = "env:PAPERCHUTE_TEST_KEY"
mode = "sync"
[[rule]]
name = "Lock"
folder = "hot"
operation = "pdf-encrypt"
retries = 0
parameters = {{ userPassword = "env:RULE_PW", ownerPassword = "env:OWNER_PW" }}
"""


def evil(script: Script, told: dict[str, tuple[str, str]], asked: Asked) -> Reply:
    """An answer that repeats the secrets; which and where goes by the file's name."""
    if asked.path.startswith("/v2/process/"):
        found = re.search(rb'filename="(\d+)\.pdf"', asked.body)
        assert found is not None
        place, words = told[found[1].decode()]
        record = script.record(taskId="t", downFileName="a.pdf", convertSize=None)
        match place:
            case "msg":
                return Reply(json.dumps({"code": "03000", "msg": words}).encode(), 400)
            case "reason":
                return envelope({**record, "status": "failed", "failureCode": "02201", "failureReason": words})
            case "code":
                return Reply(json.dumps({"code": words, "msg": "no"}).encode(), 500)
            case "address":
                return envelope({**record, "downloadUrl": f"{script.url}/gone?{quote(words)}"})
            case "dead address":
                return envelope({**record, "downloadUrl": f"http://127.0.0.1:1/{quote(words)}"})
            case "name":
                return envelope({**record, "downFileName": words + ".exe", "downloadUrl": f"{script.url}/odd"})
            case "kind":
                return envelope({**record, "status": words, "taskId": ""})
            case _:
                return envelope({**record, "taskId": words, "downloadUrl": f"{script.url}/gone"})
    if asked.path == "/odd":
        return Reply(b"\x7fELF" + bytes(50))
    return Reply(status=404)


@pytest.mark.slow
def test_passwords_that_a_service_repeats_get_nowhere(tmp_path: Path) -> None:
    with scripted() as script:
        paperchute = Paperchute(tmp_path, RULES.format(url=script.url))
        paperchute.environment |= {"RULE_PW": RULE_SECRET, "OWNER_PW": LITERAL}
        key = paperchute.environment["PAPERCHUTE_TEST_KEY"]
        told: dict[str, tuple[str, str]] = {}
        for place in PLACES:
            for spelled in SPELLINGS.values():
                words = " ".join(spelled(secret) for secret in (RULE_SECRET, LITERAL, key))
                told[str(len(told))] = (place, f"it is {words}, and no other")
        script.answer = lambda asked: evil(script, told, asked)
        (tmp_path / "hot").mkdir()
        for name in told:
            write_pdf(tmp_path / "hot" / f"{name}.pdf", "Hello")
        printed = [paperchute.run("run", "--once")]
        printed += [
            paperchute.run(*verb) for verb in (("status",), ("jobs",), ("jobs", "--json"), ("explain", "hot/0.pdf"))
        ]
    assert len(list((tmp_path / "hot.failed").glob("*.error.txt"))) == len(told)
    seen = {f"stdout {number}": (done.stdout + done.stderr).encode() for number, done in enumerate(printed)}
    for folder in ("state", "hot.failed", "hot"):
        seen |= {str(path): path.read_bytes() for path in (tmp_path / folder).rglob("*") if path.is_file()}
    assert any("journal.sqlite" in name for name in seen)
    for name, content in seen.items():
        for secret in (RULE_SECRET, LITERAL, key):
            for spelling, spelled in SPELLINGS.items():
                piece = spelled(secret).encode()
                if spelling == "basic":
                    piece = piece[8:-4]
                assert piece not in content, (name, spelling, secret)
    assert b"***" in b"".join(content for name, content in seen.items() if name.endswith(".error.txt"))


@pytest.mark.skipif(sys.platform == "win32", reason="its file names hold no control characters")
def test_names_that_forge_lines_are_shown_escaped(tmp_path: Path) -> None:
    evil_name = "e\x1b]0;T\x07\n2026-11-22 05:00:00.000 ERROR   forged line\n\u202ezz.pdf"
    paperchute = Paperchute(tmp_path, RULES.format(url="http://127.0.0.1:1"))
    with scripted() as script:
        words = "wrong\n2026-11-22 05:00:00.000 ERROR   forged line\x1b[31m\u2028"
        script.answer = lambda asked: Reply(json.dumps({"code": "03000", "msg": words}).encode(), 400)
        paperchute.rules.write_text(RULES.format(url=script.url), "utf-8")
        paperchute.environment |= {"RULE_PW": RULE_SECRET, "OWNER_PW": LITERAL}
        write_pdf(tmp_path / "hot" / evil_name, "Hello")
        done = [paperchute.run("explain", str(tmp_path / "hot" / evil_name)), paperchute.run("run", "--once", "--dry")]
        done += [paperchute.run(*verb) for verb in (("run", "--once"), ("status",), ("jobs",), ("do", "x", evil_name))]
        done += [
            paperchute.run(*words) for words in ((evil_name,), ("do", "-" + evil_name), ("jobs", "--limit", evil_name))
        ]
        done += [paperchute.run("rule", "on", evil_name), paperchute.run("retry", evil_name), paperchute.run()]
    texts = {f"printed {number}": d.stdout + d.stderr for number, d in enumerate(done)}
    texts["log"] = (tmp_path / "state" / "paperchute.log").read_text("utf-8")
    (error,) = (tmp_path / "hot.failed").glob("*.error.txt")
    texts["error text"] = error.read_text("utf-8")
    assert "forged line" in texts["error text"]
    assert "forged line" in texts["log"]
    for where, text in texts.items():
        assert not set(text) & set("\x1b\x07\u202e\u2028"), where
        assert not any(line.startswith("2026-11-22 05:00:00.000") for line in text.splitlines()), where
