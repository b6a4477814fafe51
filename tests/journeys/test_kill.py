"""kill -9 in the middle of a night's work: nothing lost, nothing doubled, nothing paid twice once it was answered."""

from __future__ import annotations

import random
import sqlite3
import time
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
folder = "hot"
operation = "pdf-to-markdown"
"""


@pytest.mark.slow
def test_two_hundred_files_survive_any_number_of_kills(tmp_path: Path) -> None:
    chance = random.Random(20261121)
    with counting_service() as service:
        service.slow = 0.02
        paperchute = Paperchute(tmp_path, RULES.format(url=service.url))
        hot = tmp_path / "hot"
        hot.mkdir()
        contents = {f"document {number}.pdf": b"%%PDF-1.7 %d\n%%%%EOF\n" % number for number in range(200)}
        for name, content in contents.items():
            (hot / name).write_bytes(content)
        kills = 0
        try:
            while names(hot) and kills < 60:
                paperchute.start()
                if chance.random() < 0.2:  # it dies while it starts
                    time.sleep(chance.uniform(0.0, 1.0))
                else:
                    answered = service.total() + chance.randint(1, 20)
                    wait_until(lambda: service.total() >= answered or not names(hot))  # noqa: B023
                    time.sleep(chance.uniform(0.0, 0.1))
                paperchute.kill()
                kills += 1
        finally:
            paperchute.close()
        done = paperchute.run("run", "--once", timeout=300)
        assert done.returncode == 0, done.stdout + done.stderr

        assert kills >= 10
        assert names(hot) == []
        assert names(tmp_path / "hot.done") == sorted(contents)
        for name, content in contents.items():
            assert (tmp_path / "hot.done" / name).read_bytes() == content
            assert (tmp_path / "hot.out" / name.replace(".pdf", ".md")).read_bytes() == service.result_for(content)
        assert len(names(tmp_path / "hot.out")) == 200, "no second output, no temporary file left"

        journal = sqlite3.connect(tmp_path / "state" / "journal.sqlite")
        (repeated,) = journal.execute("select count(*) from event where kind = 'repeated'").fetchone()
        (jobs,) = journal.execute("select count(*) from job").fetchone()
        (done_jobs,) = journal.execute("select count(*) from job where state = 'done'").fetchone()
        assert jobs == done_jobs == 200
        assert service.total() - 200 <= repeated, "every second call was a lost answer, and is on record"
        # once the journal holds an answer, no further call goes out for that step
        after = journal.execute(
            "select count(*) from event a join event s on s.job = a.job and s.kind = 'sent' and s.id > a.id"
            " where a.kind = 'answered'"
        ).fetchone()
        assert after == (0,)
        print(f"kills {kills}, calls {service.total()}, repeated on record {repeated}")  # noqa: T201
