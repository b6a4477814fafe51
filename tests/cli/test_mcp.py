"""`mcp` by a real client over standard input and output: its tools do what the verbs do, and reach no further."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pikepdf
import psutil
import pytest
from typer.testing import CliRunner

from paperchute.cli.front import app
from paperchute.cli.tools import bounded_answer
from paperchute.errors import PaperchuteError

pytest.importorskip("mcp", reason="the extra `mcp` is not installed")

import anyio
from mcp import ClientSession, StdioServerParameters, stdio_client

RULES = """version = 1

[[rule]]
name = "Read"
folder = "{home}/hot"
match = "*.pdf"
operation = "pdf-to-markdown"
"""
TURN = {"angle": 90, "pages": "1-2"}
Ask = Callable[..., Awaitable[tuple[str, bool]]]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    for name in ("hot", "shared", "private"):
        (tmp_path / name).mkdir()
        with pikepdf.new() as pdf:
            pdf.add_blank_page(page_size=(200, 200))
            pdf.add_blank_page(page_size=(200, 200))
            pdf.save(tmp_path / name / f"{name}.pdf")
    (tmp_path / "rules.toml").write_text(RULES.format(home=tmp_path.as_posix()), "utf-8")
    return tmp_path


def asking(home: Path, work: Callable[[Ask, list[str]], Awaitable[None]], *folder: str) -> None:
    """Have `work` call tools: ask(NAME, ARGUMENT=VALUE ...) gives (what is said, whether it failed)."""
    words = ["-P", "-m", "paperchute", "--rules", str(home / "rules.toml"), "--state", str(home / "state"), "mcp"]
    environment = {**os.environ, "PAPERCHUTE_LANGUAGE": "en", "MY_PASSWORD": "s3cret-of-mine"}
    server = StdioServerParameters(command=sys.executable, args=[*words, *folder], env=environment)

    async def main() -> None:
        async with stdio_client(server) as (answers, requests), ClientSession(answers, requests) as session:
            await session.initialize()

            async def ask(name: str, **arguments: Any) -> tuple[str, bool]:
                found = await session.call_tool(name, arguments)
                return "\n".join(getattr(one, "text", "") for one in found.content), bool(found.is_error)

            await work(ask, [tool.name for tool in (await session.list_tools()).tools])

    anyio.run(main)


def test_do_puts_results_into_the_shared_folder_over_no_file(home: Path) -> None:
    async def work(ask: Ask, tools: list[str]) -> None:
        assert tools == ["operations", "jobs", "explain", "undo", "do"]
        for _ in range(2):
            said, failed = await ask("do", operation="pdf-rotate", files=[str(home / "hot/hot.pdf")], parameters=TURN)
            assert not failed, said
        results = [Path(one) for one in json.loads(said)[0]["results"]]
        assert results[0].name == "hot (2).pdf"
        assert json.loads(said)[0]["files"] == [str(home / "hot/hot.pdf")]
        assert {path.name for path in (home / "shared").iterdir()} == {"shared.pdf", "hot.pdf", "hot (2).pdf"}
        with pikepdf.open(results[0]) as pdf:
            assert pdf.pages[0].Rotate == 90
        assert [path.name for path in (home / "hot").iterdir()] == ["hot.pdf"]

    asking(home, work, str(home / "shared"))


def test_nothing_beyond_the_shared_folders_is_reached(home: Path) -> None:
    secret = home / "private" / "private.pdf"
    links = []
    if sys.platform != "win32":
        (home / "shared" / "link.pdf").symlink_to(secret)
        (home / "shared" / "folder").symlink_to(home / "private")
        links = [home / "shared/link.pdf", home / "shared/folder/private.pdf"]

    async def work(ask: Ask, _tools: list[str]) -> None:
        before = sorted(home.rglob("*.pdf"))
        for path in (secret, f"{home}/shared/../private/private.pdf", f"{home}/shared-not/x.pdf", *links):
            for said, failed in (
                await ask("do", operation="pdf-rotate", files=[str(path)], parameters=TURN),
                await ask("explain", file=str(path)),
            ):
                assert failed, (path, said)
                assert "in no folder" in said or "cannot be read" in said or "is a link" in said
        said, failed = await ask("do", operation="pdf-rotate", files=[str(home / "shared")], parameters=TURN)
        assert failed, "a folder would be read whole"
        assert sorted(home.rglob("*.pdf")) == before

    asking(home, work, str(home / "shared"))


@pytest.mark.parametrize(
    ("operation", "parameters", "why"),
    [
        ("pdf-encrypt", {"userPassword": "env:MY_PASSWORD"}, "takes a secret"),
        ("pdf-generate", {"htmlUrl": "http://127.0.0.1:9/x"}, "names the address"),
        ("pdf-insert", {"urls": '["http://127.0.0.1:9/x"]'}, "names the address"),
        ("pdf-rotate", {"angel": 90}, "no parameter 'angel'"),
        ("pdf-rotate", {"angle": "north"}, "angle"),
        ("--help", {}, "no operation '--help'"),
    ],
)
def test_secrets_addresses_and_mistakes_are_refused(
    home: Path, operation: str, parameters: dict[str, Any], why: str
) -> None:
    async def work(ask: Ask, _tools: list[str]) -> None:
        said, failed = await ask("do", operation=operation, files=[str(home / "hot/hot.pdf")], parameters=parameters)
        assert failed
        assert why in said
        assert "s3cret" not in said

    asking(home, work, str(home / "shared"))


def test_the_other_tools_say_what_their_verbs_say(home: Path) -> None:
    async def work(ask: Ask, tools: list[str]) -> None:
        assert "do" not in tools, "no folder is given for results"
        assert (await ask("do", operation="pdf-rotate", files=[]))[1]
        said, failed = await ask("explain", file=str(home / "hot" / "new.pdf"))
        assert not failed, said
        assert "Read" in said
        said, failed = await ask("operations", operation="pdf-rotate")
        assert not failed
        assert "angle" in said
        assert await ask("jobs") == ("[]", False)
        said, failed = await ask("jobs", job=7)
        assert failed
        assert "no job 7" in said
        said, failed = await ask("jobs", state="lost")
        assert failed
        assert "no state 'lost'" in said
        said, failed = await ask("undo", job=7)
        assert failed
        assert "7" in said
        said, failed = await ask("undo", job=7, force=True)
        assert failed
        assert said.startswith("force")

    asking(home, work)


def test_a_remote_service_is_not_spent_from(home: Path) -> None:
    with (home / "rules.toml").open("a", encoding="utf-8") as file:
        file.write('\n[service]\nbase_url = "https://service.example"\napi_key = "env:MY_PASSWORD"\n')

    async def work(ask: Ask, _tools: list[str]) -> None:
        said, failed = await ask("do", operation="pdf-rotate", files=[str(home / "hot/hot.pdf")], parameters=TURN)
        assert failed
        assert "spend nothing" in said

    asking(home, work, str(home / "shared"))


@pytest.mark.parametrize("folder", [".", "hot", "hot/inner", "none"])
def test_a_folder_whose_results_would_be_dropped_files_is_refused(home: Path, folder: str) -> None:
    (home / "hot" / "inner").mkdir()
    done = CliRunner().invoke(app, ["--rules", str(home / "rules.toml"), "mcp", str(home / folder)])
    assert isinstance(done.exception, PaperchuteError)
    assert ("no folder" if folder == "none" else "would be taken for files") in str(done.exception)


def test_an_answer_has_an_end_and_says_what_it_lacks() -> None:
    good = [{"files": [f"{number}.pdf"], "warnings": [], "error": None} for number in range(5_000)]
    bad = {"files": ["bad.pdf"], "warnings": ["w" * 90_000], "error": "damaged"}
    short = bounded_answer(json.dumps([*good, bad], indent=2) + "\n! notes.md: left out")
    assert len(short) <= 40_000
    told, end = json.JSONDecoder().raw_decode(short)
    assert (told[0]["files"], told[0]["error"]) == (["bad.pdf"], "damaged")
    assert "more left out" in told[0]["warnings"][0]
    assert "more left out" in told[-1]
    assert short[end:] == "\n! notes.md: left out"
    assert bounded_answer("x" * 50_000) == "x" * 40_000 + " [... 10000 more left out]"
    assert bounded_answer("[1, 2]") == "[1, 2]"


def test_do_says_how_a_result_was_made_and_what_it_lacks(home: Path) -> None:
    async def work(ask: Ask, _tools: list[str]) -> None:
        asked = {"parameters": {"standard": "PDFTypeA2b"}, "files": [str(home / "hot/hot.pdf")]}
        first, failed = await ask("do", operation="pdf-convert-type", **asked)
        assert not failed, first
        made = json.loads(first)[0]["results"][0]
        said, failed = await ask("do", operation="pdf-convert-type", **{**asked, "files": [made]})
        assert not failed, said
        assert "already" in json.loads(said)[0]["notes"][0]

    asking(home, work, str(home / "shared"))


@pytest.mark.skipif(sys.platform == "win32", reason="processes are looked for by their parents")
def test_do_that_is_cancelled_stops_its_work(home: Path) -> None:
    with pikepdf.new() as pdf:
        for _ in range(400):
            pdf.add_blank_page(page_size=(2000, 2000))
        pdf.save(home / "shared" / "long.pdf")

    shared = psutil.Process().children(recursive=True)  # engines of other tests, whose workers come and go

    def at_work() -> list[psutil.Process]:
        own = [child for child in psutil.Process().children() if child not in shared]
        return [one for child in own for one in _below(child) if "paperchute.engine" in _command(one)]

    async def work(ask: Ask, _tools: list[str]) -> None:
        async def drawn() -> None:
            await ask("do", operation="pdf-to-img", files=[str(home / "shared/long.pdf")])

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(drawn)
            with anyio.fail_after(120):
                while not any("worker" in _command(one) for one in at_work()):
                    await anyio.sleep(0.1)
            engine = at_work()
            tasks.cancel_scope.cancel()
        with anyio.fail_after(120):
            while any(map(_command, engine)):  # whoever is their parent by now
                await anyio.sleep(0.1)
        assert [path.name for path in (home / "shared").iterdir() if path.suffix != ".pdf"] == []
        said, failed = await ask("operations", operation="pdf-rotate")
        assert not failed, said

    asking(home, work, str(home / "shared"))


def _below(process: psutil.Process) -> list[psutil.Process]:
    with suppress(psutil.Error):
        return process.children(recursive=True)
    return []


def _command(process: psutil.Process) -> str:
    with suppress(psutil.Error):
        return " ".join(process.cmdline())
    return ""
