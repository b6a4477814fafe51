"""`do --why` tells beside the result how the pages were read, and nothing where it cannot tell the truth."""

# ruff: noqa: F811 - fixtures are named by those who take them
from __future__ import annotations

import json
from pathlib import Path

import pytest

from paperchute.contract.recognition import AUTOMATIC
from paperchute.service.model import Answer, ServiceError
from tests.cli.test_do import command, do, given, lying, service, umask  # noqa: F401 - fixtures
from tests.jobs.scripted import Scripted

TOLD = (("a.why.txt", b"Page 1\n  1 order flow  text"), ("a.why.pdf", b"%PDF-1.7 drawn"))


@pytest.fixture
def telling(service: Scripted) -> Scripted:
    """A service that tells how it reads when it is asked for that."""
    results = service.outputs

    def on_download(_answer: Answer) -> None:
        service.outputs = TOLD if service.calls[-1].operation == "document-layout" else results

    service.on_download = on_download
    return service


def test_the_text_is_printed_and_both_files_lie_beside_the_result(telling: Scripted, given: Path) -> None:
    code, said = do(given, "--why")
    assert code == 0, said
    assert lying(given.parent) == {
        "a.pdf": given.read_bytes(),
        "a.md": b"# result",
        "a.why.txt": TOLD[0][1],
        "a.why.pdf": TOLD[1][1],
    }
    places = [str(given.with_name(name)) for name in ("a.md", "a.why.txt", "a.why.pdf")]
    assert said.splitlines() == [*places, "Page 1", "  1 order flow  text"]


def test_the_parameters_that_both_have_go_along(telling: Scripted, given: Path) -> None:
    do(given, "--why", "-p", "pageRanges=2-3", "-p", "isContainAnnot=0", "-p", "enableOcr=1")
    first, second = telling.calls
    assert (first.operation, second.operation) == ("pdf-to-markdown", "document-layout")
    assert dict(second.parameters) == {"pageRanges": "2-3", "enableOcr": 1}


def test_it_is_told_where_the_result_is(telling: Scripted, given: Path, tmp_path: Path) -> None:
    assert do(given, "--why", "-o", tmp_path / "b.md")[0] == 0
    assert (tmp_path / "b.why.txt").read_bytes() == TOLD[0][1]
    (tmp_path / "b.why.txt").write_bytes(b"of an earlier run")
    assert do(given, "--why", "--force", "-o", tmp_path / "b.md")[0] == 0
    assert (tmp_path / "b.why.txt").read_bytes() == TOLD[0][1]
    assert do(given, "--why", "-o", f"{tmp_path / 'out'}/")[0] == 0
    assert set(lying(tmp_path / "out")) == {"a.md", "a.why.txt", "a.why.pdf"}


def test_it_is_told_of_a_call_that_fails(telling: Scripted, given: Path) -> None:
    def on_call(call: object) -> None:
        if len(telling.calls) == 1:
            raise ServiceError("There is no table.", kind="permanent", code="190007")

    telling.on_call = on_call
    code, said = do(given, "--why", operation="pdf-to-csv")
    assert (code, "There is no table." in said, "order flow" in said) == (1, True, True)
    assert set(lying(given.parent)) == {"a.pdf", "a.why.txt", "a.why.pdf"}


def test_it_is_listed_in_json(telling: Scripted, given: Path) -> None:
    (found,) = json.loads(do(given, "--why", "--json")[1])
    assert found["results"] == [str(given.with_name("a.md"))]
    assert found["why"] == [str(given.with_name(name)) for name in ("a.why.txt", "a.why.pdf")]
    assert "why" not in json.loads(do(given, "--json")[1])[0]


@pytest.mark.parametrize("value", ["enableAiLayout=0", "isContainImg=0", "pageLayoutMode=e_Box"])
def test_what_reads_otherwise_is_refused(telling: Scripted, given: Path, value: str) -> None:
    code, said = do(given, "--why", "-p", value)
    assert (code, value in said, telling.calls) == (1, True, [])


def test_an_operation_that_lays_out_no_text_is_refused(telling: Scripted, given: Path) -> None:
    code, said = do(given, "--why", "-p", "pages=1", operation="pdf-extract")
    assert (code, "nothing for --why to tell" in said, telling.calls) == (1, True, [])
    assert "pdf-extract" not in AUTOMATIC


def test_a_remote_service_is_refused(telling: Scripted, given: Path) -> None:
    (given.parent / "none.toml").write_text(
        'version = 1\n[service]\nbase_url = "https://service.example/server"\napi_key = "env:KEY"\n', encoding="utf-8"
    )
    code, said = do(given, "--why")
    assert (code, "document-layout is done by the built-in engine alone" in said, telling.calls) == (1, True, [])


def test_beside_a_result_on_standard_output_it_is_said_on_the_other_one(
    telling: Scripted,
    given: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(given.parent)
    code, printed, said = command(given, "pdf-to-markdown", given, "-o", "-", "--why")
    assert (code, printed) == (0, b"# result")
    assert "order flow" in said
    assert (given.parent / "a.why.txt").read_bytes() == TOLD[0][1]
