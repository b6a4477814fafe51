"""Daemons whose service is a cluster: files go there and back as with any other service, and each is one task."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("psycopg", reason="paperchute[scale] is not installed")

from tests.engine.cluster.members import Cluster, cluster, kill
from tests.engine.cluster.servers import MotoServer, PostgresServer
from tests.engine.service.running import KEY
from tests.journeys.daemon import SOURCE, Paperchute, names, wait_until
from tests.journeys.documents import write_pdf

_REAL = {"PYTHONPATH": str(SOURCE)}  # with the operations that users have
_RULES = """
version = 1
[service]
base_url = "{url}"
api_key = "env:PAPERCHUTE_TEST_KEY"
{more}
[[rule]]
name = "Read"
folder = "{hot}"
operation = "pdf-to-markdown"
"""
_COUNT = 40
_FILES, _PAGES = 60, 6
_PATIENCE = 600.0


@pytest.fixture
def shared(postgres_server: PostgresServer, storage_server: MotoServer, tmp_path: Path) -> Iterator[Cluster]:
    with cluster(tmp_path / "cluster", postgres_server, storage_server.environment()) as made:
        made.empty()
        made.add("api", 1, more=_REAL)
        made.add("worker", 1, more=_REAL)
        yield made


def _daemon(folder: Path, rules: str) -> Paperchute:
    folder.mkdir(exist_ok=True)
    made = Paperchute(folder, rules)
    made.environment["PAPERCHUTE_TEST_KEY"] = KEY
    return made


@pytest.mark.parametrize("mode", ["sync", "async", "secure"])
def test_a_file_is_done_in_every_mode(mode: str, shared: Cluster, tmp_path: Path) -> None:
    hot = tmp_path / "hot"
    url = shared.members[0].base_url
    paperchute = _daemon(tmp_path / "one", _RULES.format(url=url, hot=hot, more=f'mode = "{mode}"'))
    write_pdf(hot / "offer.pdf", "Hello from afar")
    done = paperchute.run("run", "--once")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Hello from afar" in (tmp_path / "hot.out" / "offer.md").read_text("utf-8")
    assert names(tmp_path / "hot.done") == ["offer.pdf"]
    (task,) = shared.rows("select mode, state from task")
    assert (task["mode"], task["state"]) == (mode, "finished")


@pytest.mark.cluster
def test_two_daemons_on_one_folder_lose_and_double_nothing_though_all_are_killed_once(
    shared: Cluster, tmp_path: Path
) -> None:
    hot, out = tmp_path / "hot", tmp_path / "hot.out"
    rules = _RULES.format(url=shared.members[0].base_url, hot=hot, more="") + "shared = true\nretries = 5\n"
    daemons = [_daemon(tmp_path / name, rules) for name in ("one", "two")]
    worker = shared.add("worker", 1, more=_REAL)[0]
    hot.mkdir()
    try:
        for daemon in daemons:
            daemon.start()
            daemon.until_it_runs()
        for number in range(_COUNT):
            write_pdf(tmp_path / f"{number}.pdf", f"Number {number}.")
            (tmp_path / f"{number}.pdf").rename(hot / f"{number}.pdf")
            if number == 10:
                kill(worker)
        for daemon in daemons:
            wait_until(lambda daemon=daemon: daemon.said()["jobs"]["done"] > 2)  # type: ignore[misc]
            daemon.kill()
            daemon.start()
        wait_until(lambda: len(names(tmp_path / "hot.done")) == _COUNT)
    finally:
        for daemon in daemons:
            daemon.close()
    assert names(out) == sorted(f"{number}.md" for number in range(_COUNT))
    for number in range(_COUNT):
        assert f"Number {number}." in (out / f"{number}.md").read_text("utf-8")
    assert names(tmp_path / "hot.failed") == []
    (told,) = shared.rows("select count(*) as tasks, count(*) filter (where state = 'finished') as ended from task")
    assert (told["tasks"], told["ended"]) == (_COUNT, _COUNT), "what was asked for again was the same task"


@pytest.mark.cluster
def test_an_api_server_that_is_restarted_in_good_order_costs_no_second_task(shared: Cluster, tmp_path: Path) -> None:
    """Each rolling update, twice, while calls are under way: whatever a stopping server says, nothing is paid twice."""
    hot, (server, _worker) = tmp_path / "hot", shared.members
    daemon = _daemon(tmp_path / "one", _RULES.format(url=server.base_url, hot=hot, more=""))
    port = server.base_url.partition("://")[2].partition("/")[0].partition(":")[2]
    hot.mkdir()
    cut = 0
    try:
        daemon.start()
        daemon.until_it_runs()
        for number in range(_FILES):
            write_pdf(tmp_path / f"{number}.pdf", f"Number {number}.", _PAGES)
            (tmp_path / f"{number}.pdf").rename(hot / f"{number}.pdf")
        for done in (10, 30):
            wait_until(lambda done=done: daemon.said()["jobs"]["done"] >= done, _PATIENCE)  # type: ignore[misc]
            wait_until(lambda: _at_work(shared))
            cut += _at_work(shared)
            server.signal(signal.SIGTERM)
            assert server.process.wait(60.0) == 0
            (server,) = shared.add("api", 1, "--port", port, more=_REAL)
        wait_until(lambda: len(names(tmp_path / "hot.done")) == _FILES, _PATIENCE)
    finally:
        daemon.close()
    assert names(tmp_path / "hot.out") == sorted(f"{number}.md" for number in range(_FILES))
    (told,) = shared.rows("select count(*) as tasks, count(distinct request_key) as keys from task")
    (billed,) = shared.rows("select sum(pages) as pages from run where state = 'success'")
    print(f"\n    {told['tasks']} tasks, {billed['pages']} pages of {_FILES} files; {cut} were at work")  # noqa: T201
    assert (told["tasks"], told["keys"], billed["pages"]) == (_FILES, _FILES, _FILES * _PAGES)


def _at_work(shared: Cluster) -> int:
    """How many tasks have been taken and have not ended."""
    return int(shared.rows("select count(*) as n from task where state != 'finished'")[0]["n"])
