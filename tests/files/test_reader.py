"""A process that parses what may be hostile: whatever it is, it ends, and costs the one who asked and nobody else."""

from __future__ import annotations

import json
import os
import sys
import threading
from pathlib import Path
from typing import Any

import psutil
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from paperchute.app import reader_worker
from paperchute.errors import PaperchuteError
from paperchute.files import reader
from paperchute.files.reader import ReaderError, ReaderProcess, Readers
from paperchute.files.reader_line import PipeLine, SocketLine
from paperchute.jobs import lists
from paperchute.jobs.lists import overrides_of, rows_of
from paperchute.language import current, speaking
from paperchute.rules.sidecar import read_job_file, read_sidecar
from paperchute.rules.tables import Step
from paperchute.service import html_assets
from tests.ending import ends
from tests.jobs.makers import make_rule
from tests.systems import UNDER_WINE, not_wine

RULE = make_rule(
    Path("/base/hot"), gather="batch", steps=(Step("pdf-merge", {}), Step("pdf-encrypt", {"userPassword": "env:PW"}))
)


@pytest.fixture(autouse=True, scope="module")
def short() -> Any:
    """Readers that give up soon, under Wine too, which ends nothing that takes too much of the processor."""
    few = Readers(seconds=1)
    with pytest.MonkeyPatch.context() as patched:
        if UNDER_WINE:
            patched.setattr(reader, "_START_SECONDS", 10.0)
        for module in (reader, lists, html_assets):
            patched.setattr(module, "readers", few)
        yield few


def bomb(piece: str, times: int) -> bytes:
    return (piece * times).encode()


HOSTILE_HTML = {
    "tags never closed": bomb("<a ", 100_000),
    "remarks never closed": bomb("<!--", 200_000),
    "declarations": bomb("<!a", 200_000),
    "instructions": bomb("<?", 200_000),
    "closing tags": bomb("</a ", 100_000),
    "attributes": b"<img " + bomb("src=a ", 200_000) + b">",
    "quotes": b"<img " + bomb("a=\"'", 100_000),
    "one style sheet": b"<style>" + bomb("url(", 200_000),
    "entities": bomb("&#x", 200_000),
    "line feeds": bomb("\n", 4 << 20),
    "character data": bomb("<![CDATA[", 100_000),
}
HOSTILE_LISTS = {
    "columns": bomb("a,", 20_000) + b"\n1\n",
    "rows by columns": ",".join(f"c{n}" for n in range(3000)).encode() + b"\n" + b"1\n" * 60_000,
    "quotes": bomb('"', 1_000_001),
    "one cell": b"a\n" + bomb("x", 8 << 20),
    "one line of delimiters": b"a\n" + bomb(",", 4 << 20),
}
HOSTILE_JSON = {
    "depth": bomb("[", 1 << 20),
    "objects": bomb('{"a":', 200_000),
    "digits": b'[{"a":' + bomb("9", 5000) + b"}]",
    "keys": b"[{" + b",".join(b'"%d":1' % n for n in range(300_000)) + b"}]",
}
HOSTILE_TOML = {
    "dots": bomb("a.", 100_000) + b"a = 1",
    "header": b"[" + bomb("a.", 20_000) + b"a]",
    "digits": b"a = " + bomb("9", 5000),
    "hexadecimal": b"a = 0x" + bomb("f", 100_000),
    "brackets": b"a = " + bomb("[", 100_000),
    "tables": b"a = " + bomb("{a=", 100_000),
    "keys": b"".join(b"k%d = 1\n" % n for n in range(80_000)),
    "parameters": b"[parameters]\n" + b"".join(b"k%d = 1\n" % n for n in range(70_000)),
    "broken lines": bomb("x\n", 400_000),
    "no text": b"\xff\xfe" * 1000,
}


def joined(content: bytes, path: Path) -> bytes:
    return html_assets.joined(content, path, None, {})


def ended(ask: Any) -> str:
    """What is said, when it has ended; empty when it was read."""
    said: list[str] = [""]

    def do() -> None:
        try:
            ask()
        except PaperchuteError as error:
            said[0] = error.what

    ends(do)
    return said[0]


@pytest.mark.slow
@pytest.mark.parametrize("content", HOSTILE_HTML.values(), ids=HOSTILE_HTML)
def test_hostile_html_is_read_or_refused_in_bounded_time(content: bytes, tmp_path: Path) -> None:
    said = ended(lambda: joined(content, tmp_path / "a.html"))
    assert said in ("", "a.html is too complicated to be read.", "a.html could not be read in time.")


@pytest.mark.slow
@pytest.mark.parametrize("content", HOSTILE_LISTS.values(), ids=HOSTILE_LISTS)
def test_hostile_lists_are_read_or_refused_in_bounded_time(content: bytes) -> None:
    said = ended(lambda: rows_of("a.csv", content))
    assert said == "" or said.startswith("a.csv ")


@pytest.mark.parametrize("content", HOSTILE_JSON.values(), ids=HOSTILE_JSON)
def test_hostile_json_is_read_or_refused_in_bounded_time(content: bytes) -> None:
    said = ended(lambda: rows_of("a.json", content))
    assert said == "" or said.startswith("a.json ")


@pytest.mark.parametrize("content", HOSTILE_TOML.values(), ids=HOSTILE_TOML)
def test_hostile_wishes_are_refused_in_bounded_time_and_words(content: bytes) -> None:
    for names in (None, ["a.pdf"]):
        said = ended(lambda names=names: overrides_of("a.toml", content, RULE, names))
        assert said.startswith("a.toml")
        assert len(said) < 20_000


@pytest.mark.slow
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from("<>!-?&;=\"' \n/[]{}.,:#a9"), st.sampled_from("<>!-?&;=\"' \n/[]{}.,:#a9"), st.integers(1, 60_000)
)
@example("<", "!", 60_000)
def test_any_two_signs_repeated_end_every_parser(one: str, other: str, times: int) -> None:
    content = bomb(one + other, times)
    for ask in (
        lambda: joined(content, Path("a.html")),
        lambda: rows_of("a.csv", content),
        lambda: rows_of("a.json", content),
        lambda: overrides_of("a.toml", content, RULE, None),
    ):
        assert ended(ask) is not None


def test_while_one_is_at_hostile_work_others_are_read(tmp_path: Path) -> None:
    slow = [
        threading.Thread(target=ended, args=(lambda: joined(HOSTILE_HTML["tags never closed"], tmp_path),))
        for _ in range(3)
    ]
    for thread in slow:
        thread.start()
    assert [row.values for row in rows_of("a.csv", b"a\n1\n")] == [{"a": "1"}]
    for thread in slow:
        thread.join()
    assert [row.values for row in rows_of("a.csv", b"a\n2\n")] == [{"a": "2"}]


@settings(max_examples=30, deadline=None)
@given(
    st.lists(
        st.dictionaries(
            st.text(max_size=5),
            st.one_of(st.none(), st.text(), st.integers(), st.floats(allow_nan=False, allow_infinity=False)),
            min_size=1,
        ),
        min_size=1,
        max_size=1200,
    )
)
def test_rows_come_back_as_they_are(values: list[dict[str, Any]]) -> None:
    content = json.dumps(values).encode()
    assert rows_of("a.json", content) == lists.read_rows("a.json", content)


def test_nothing_is_imported_from_where_the_daemon_was_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """That may be a hot folder, and anybody may have put a file there."""
    for name in ("json", "pypdfium2", "paperchute"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit")
    monkeypatch.chdir(tmp_path)
    assert len(Readers().read("a.csv", {"do": "list", "name": "a.csv"}, b"name\nAda\n")) == 2


def test_wishes_come_back_as_they_are() -> None:
    text = b'order = ["b.pdf"]\nparameters = { language = 2 }\n[files."a.pdf"]\npages = "1"\npassword = "pw"\n'
    names = ["a.pdf", "b.pdf"]
    assert overrides_of("job.toml", text, RULE, names) == read_job_file("job.toml", text, RULE, names)
    alone = b'pages = "2"\n[parameters]\npasswords = ["", "x"]\n'
    assert overrides_of("s.toml", alone, RULE, None) == read_sidecar("s.toml", alone, RULE)


ANSWERS = {
    "a file": '{"steps": [{"file": 7}, {}], "order": [], "files": {}, "bytes": 0}',
    "an unknown parameter": '{"steps": [{"x": 7}, {}], "order": [], "files": {}, "bytes": 0}',
    "a file that is not there": '{"steps": [{}, {}], "order": ["/etc/passwd"], "files": {}, "bytes": 0}',
    "no steps": '{"bytes": 0}',
    "nonsense": "[1, 2]",
    "depth": "[" * 100_000,
    "too many bytes": '{"bytes": 1e30}',
    "fewer bytes than said": '{"bytes": 10}',
    "nothing": "",
}


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
def test_a_reader_in_foreign_hands_is_not_believed(answer: str, monkeypatch: pytest.MonkeyPatch) -> None:
    program = f"import sys; sys.stdin.buffer.readline(); print({answer!r}, flush=True)"
    monkeypatch.setattr(reader, "ReaderProcess", lambda: ReaderProcess([sys.executable, "-c", program]))
    monkeypatch.setattr(lists, "readers", Readers(seconds=1))
    with pytest.raises(ReaderError):
        overrides_of("a.toml", b"", RULE, ["a.pdf"])


def test_a_reader_that_a_busy_machine_holds_up_is_not_taken_for_one_that_broke(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        reader, "ReaderProcess", lambda: ReaderProcess([sys.executable, "-c", "import time; time.sleep(600)"])
    )
    monkeypatch.setattr(reader, "_START_SECONDS", 1.0)
    with pytest.raises(ReaderError, match=r"a\.csv could not be read in time"):
        Readers(seconds=0).read("a.csv", {"do": "list", "name": "a.csv"}, b"name\nAda\n")


def closed_in(program: str) -> list[str]:
    """The command of a reader that runs this for its first request, as all that it may take is half a second."""
    before = "import sys, time\nfrom paperchute.sandbox import Fence, bound, confine\nconfine(Fence(read=(Path('/'),)))"
    after = "sys.stdin.buffer.readline()\nbound(0.5)"
    return [sys.executable, "-c", f"from pathlib import Path\n{before}\n{after}\n{program}"]


@not_wine("it ends nothing that takes too much of the processor")
def test_endless_work_is_ended_by_what_it_takes_of_the_processor() -> None:
    process = ReaderProcess(closed_in("while True: pass"))
    assert ends(lambda: process.ask({}, seconds=600.0)) is None
    assert not process.is_late


def test_waiting_takes_nothing_of_the_processor() -> None:
    process = ReaderProcess(closed_in('time.sleep(3)\nprint(\'{"n": 1, "bytes": 0}\', flush=True)'))
    assert process.ask({}, seconds=60.0) == ({"n": 1}, b"")
    process.end()


def test_a_reader_that_has_ended_meanwhile_is_started_again(short: Readers) -> None:
    assert rows_of("a.csv", b"a\n1\n")
    with short.lent() as idle:
        assert idle._line is not None
        idle._line.process.kill()
        idle._line.process.wait()
    assert rows_of("a.csv", b"a\n1\n")


def test_a_reader_serves_one_after_the_other_and_ends_when_it_is_idle(monkeypatch: pytest.MonkeyPatch) -> None:
    program = (
        "import json, os, sys\n"
        "for line in sys.stdin.buffer: print(json.dumps({'pid': os.getpid(), 'bytes': 0}), flush=True)"
    )
    monkeypatch.setattr(reader, "ReaderProcess", lambda: ReaderProcess([sys.executable, "-c", program]))
    few = Readers()

    def served_by(process: ReaderProcess) -> int:
        said = process.ask({}, seconds=60.0)
        assert said is not None
        return int(said[0]["pid"])

    with few.lent() as one, few.lent() as other:
        pids = {served_by(one), served_by(other)}
    few.end_idle()  # too soon
    with few.lent() as one, few.lent() as other:
        assert {served_by(one), served_by(other)} == pids
    monkeypatch.setattr(reader, "_IDLE_SECONDS", 0.0)
    few.end_idle()
    assert not any(map(psutil.pid_exists, pids))
    with few.lent() as one:
        assert served_by(one) not in pids
    few.end_idle()


def test_no_secret_stands_in_the_reader_s_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLIENT_PW", "s3cret")
    program = "import json, os, sys; sys.stdin.readline(); print(json.dumps({**os.environ, 'bytes': 0}), flush=True)"
    process = ReaderProcess([sys.executable, "-c", program])
    found = process.ask({}, seconds=60.0)
    process.end()
    assert found is not None
    assert "s3cret" not in str(found)
    assert found[0].get("PATH") == os.environ.get("PATH")


def test_a_reader_that_cannot_be_started_blames_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "ReaderProcess", lambda: ReaderProcess(["/no/such/program"]))
    monkeypatch.setattr(lists, "readers", Readers(seconds=1))
    with pytest.raises(FileNotFoundError):
        rows_of("a.csv", b"a\n1\n")


def test_it_speaks_the_language_of_who_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    echo = (
        "import json, sys; asked = json.loads(sys.stdin.buffer.readline());"
        " print(json.dumps({'language': asked['language'], 'bytes': 0}), flush=True)"
    )
    process = ReaderProcess([sys.executable, "-c", echo])
    with speaking("fr"):
        said = process.ask({"do": "list"}, seconds=60.0)
    process.end()
    assert said is not None
    assert said[0]["language"] == "fr"
    monkeypatch.setitem(reader_worker._ANSWERS, "list", lambda request, content: ({"spoken": current()}, b""))
    assert reader_worker._answered({"do": "list", "language": "fr"}, b"") == ({"spoken": "fr"}, b"")


@pytest.mark.parametrize("line", [SocketLine, PipeLine])
@pytest.mark.parametrize("program", ["time.sleep(60)", "print('{', end='', flush=True); time.sleep(60)"])
def test_whoever_asks_can_stop_waiting(line: type[SocketLine] | type[PipeLine], program: str) -> None:
    if line is SocketLine and sys.platform == "win32":
        pytest.skip("a process there takes no sockets")
    made = line([sys.executable, "-c", f"import time; {program}"])
    assert made.ask(b"{}\n", 0.2) is None
    made.process.kill()
    made.process.wait()
    made.close()


@pytest.mark.parametrize("line", [SocketLine, PipeLine])
def test_large_requests_and_answers_go_over_the_line_whole(line: type[SocketLine] | type[PipeLine]) -> None:
    if line is SocketLine and sys.platform == "win32":
        pytest.skip("a process there takes no sockets")
    echo = (
        "import sys; size = int(sys.stdin.buffer.readline()); got = sys.stdin.buffer.read(size);"
        ' sys.stdout.buffer.write(b\'{"n": 1, "bytes": %d}\\n\' % size + got); sys.stdout.buffer.flush()'
    )
    made = line([sys.executable, "-c", echo])
    content = bytes(range(256)) * 8192
    assert made.ask(b"%d\n" % len(content) + content, 60.0) == ({"n": 1}, content)
    made.process.wait()
    made.close()
