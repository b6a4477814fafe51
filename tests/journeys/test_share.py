"""Several Paperchutes on one folder, and two on one state folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.journeys.counting import counting_service
from tests.journeys.daemon import Paperchute, names, wait_until

RULES = """
version = 1
[service]
base_url = "{url}"
api_key = "env:PAPERCHUTE_TEST_KEY"
[[rule]]
name = "Read"
folder = "{hot}"
operation = "pdf-to-markdown"
shared = true
"""

# The same program with a shorter lease, so that a test need not wait a minute for the dead to be missed.
HURRIED = """
import sys
import paperchute.jobs.claims as claims
claims.LEASE_SECONDS = 2.0
import paperchute.app.intake as sharing
sharing.BEAT_SECONDS = 0.5
from paperchute.cli import main
sys.exit(main())
"""


class Hurried(Paperchute):
    def command(self, *arguments: str) -> list[str]:
        whole = super().command(*arguments)
        return [whole[0], "-c", HURRIED, *whole[3:]]


@pytest.mark.slow
def test_three_daemons_share_a_folder_and_one_of_them_dies(tmp_path: Path) -> None:
    hot = tmp_path / "share" / "hot"
    hot.mkdir(parents=True)
    contents: dict[str, bytes] = {}
    daemons: list[Paperchute] = []

    def drop_one() -> None:
        number = len(contents)
        part = hot / f"document {number}.pdf.part"
        part.write_bytes(b"%%PDF-1.7 %d\n%%%%EOF\n" % number)
        contents[part.stem] = part.read_bytes()
        part.rename(hot / part.stem)

    def each_has_worked() -> bool:
        drop_one()
        return all(daemon.said()["jobs"]["done"] for daemon in daemons)

    with counting_service() as service:
        service.slow = 0.05
        try:
            for number in range(3):
                home = tmp_path / f"machine{number}"
                home.mkdir()
                daemons.append(Hurried(home, RULES.format(url=service.url, hot=hot)))
                daemons[-1].start()
            wait_until(each_has_worked)
            for _ in range(60):
                drop_one()
            daemons[0].kill()  # in the middle of its work, and it is never started again
            wait_until(lambda: len(names(hot.with_name("hot.done"))) == len(contents))
            wait_until(lambda: not list(hot.glob("*.pdf")) and not [n for n in names(hot) if n.endswith(".pdf")])
            assert [daemon.stop() for daemon in daemons[1:]] == [0, 0]
            returned = daemons[0].run("run", "--once")  # the dead one comes back, finds its inputs gone, and tidies up
            assert returned.returncode == 0, returned.stdout + returned.stderr
        finally:
            for daemon in daemons:
                daemon.close()
        outputs = names(hot.with_name("hot.out"))
        # what the dead one had delivered but not filed is all that may be there twice
        assert {name.split(" (")[0].removesuffix(".md") for name in outputs} == {
            n.removesuffix(".pdf") for n in contents
        }
        for name, content in contents.items():
            assert (hot.with_name("hot.out") / name.replace(".pdf", ".md")).read_bytes() == service.result_for(content)
        again = sum(service.calls.values()) - len(contents)
        assert 0 <= again <= 4, "only what the dead one had in hand is done again"


TWO_RULES = (
    RULES.replace('name = "Read"', 'name = "Read"\nalso = true')
    + """
[[rule]]
name = "Read again"
folder = "{hot}"
operation = "pdf-to-markdown"
shared = true
output = "again/{{stem}}.{{ext}}"
"""
)


@pytest.mark.slow
def test_a_claimed_file_is_worked_on_by_all_rules_and_filed_once(tmp_path: Path) -> None:
    hot = tmp_path / "share" / "hot"
    hot.mkdir(parents=True)
    found = {f"{number}.md" for number in range(30)}
    daemons = []
    with counting_service() as service:
        try:
            for number in range(2):
                home = tmp_path / f"machine{number}"
                home.mkdir()
                daemons.append(Paperchute(home, TWO_RULES.format(url=service.url, hot=hot)))
                daemons[-1].start()
            for number in range(30):
                part = hot / f"{number}.part"
                part.write_bytes(b"%%PDF-1.7 %d\n%%%%EOF\n" % number)
                part.rename(hot / f"{number}.pdf")
            wait_until(lambda: len(names(hot.with_name("hot.done"))) == 30)
            assert [daemon.stop() for daemon in daemons] == [0, 0]
        finally:
            for daemon in daemons:
                daemon.close()
        assert set(names(hot.with_name("hot.out"))) == set(names(tmp_path / "share" / "again")) == found
        assert set(service.calls.values()) == {2}, "once for each rule"
        assert [name for name in names(hot) if name.endswith(".pdf")] == []


def test_what_a_paused_one_sees_is_done_by_another(tmp_path: Path) -> None:
    hot = tmp_path / "share" / "hot"
    hot.mkdir(parents=True)
    daemons = []
    with counting_service() as service:
        try:
            for name in ("paused", "working"):
                (tmp_path / name).mkdir()
                daemons.append(Paperchute(tmp_path / name, RULES.format(url=service.url, hot=hot)))
            paused, working = daemons
            assert paused.run("pause").returncode == 0
            paused.start()
            paused.until_it_runs()
            (hot / "first.pdf").write_bytes(b"%PDF-1.7 1\n%%EOF\n")
            done = working.run("run", "--once")
            assert done.returncode == 0, done.stdout + done.stderr
            assert names(hot.with_name("hot.done")) == ["first.pdf"]
            (hot / "second.pdf").write_bytes(b"%PDF-1.7 2\n%%EOF\n")
            assert paused.run("resume").returncode == 0
            wait_until(lambda: names(hot.with_name("hot.done")) == ["first.pdf", "second.pdf"])
        finally:
            for daemon in daemons:
                daemon.close()


def test_a_second_daemon_on_one_state_folder_says_which_one_runs(tmp_path: Path) -> None:
    with counting_service() as service:
        hot = tmp_path / "hot"
        hot.mkdir()
        first = Paperchute(tmp_path, RULES.format(url=service.url, hot=hot))
        first.start()
        try:
            first.until_it_runs()
            second = first.run("run", "--headless")
            assert second.returncode != 0
            assert "already running" in second.stdout + second.stderr
            assert str(first.process.pid) in second.stdout + second.stderr if first.process else False
            assert first.stop() == 0
        finally:
            first.close()
